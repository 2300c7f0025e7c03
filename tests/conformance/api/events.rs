//! Events as objects.

use serde_json::{Value, json};

use crate::server::Server;

checks![
    an_event_is_stored,
    an_event_of_elsewhere_is_refused,
    an_event_is_counted_by_a_patch,
    events_are_one_kind_in_two_groups,
];

fn event(s: &Server, name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name},
        "involvedObject": {
            "apiVersion": "batch/v1", "kind": "Job", "name": "a", "namespace": s.ns, "uid": "u",
        },
        "reason": "Tested",
        "message": "as it should be",
        "type": "Normal",
        "count": 1,
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
        "source": {"component": "conformance"},
    })
}

async fn an_event_is_stored(s: &Server) {
    s.post(&s.core("events"), event(s, "e"))
        .await
        .is(201)
        .like(json!({
            "involvedObject": {"kind": "Job", "name": "a", "uid": "u"},
            "reason": "Tested",
            "message": "as it should be",
            "type": "Normal",
            "count": 1,
            "firstTimestamp": "2026-01-01T00:00:00Z",
            "source": {"component": "conformance"},
            "reportingComponent": "",
            "reportingInstance": "",
            "eventTime": null,
        }));
    s.get(&s.core("events/e"))
        .await
        .is(200)
        .like(json!({"kind": "Event"}));
    s.delete(&s.core("events/e"), Value::Null).await.is(200);
    s.get(&s.core("events/e")).await.is(404);
}

async fn an_event_of_elsewhere_is_refused(s: &Server) {
    let mut one = event(s, "e");
    one["involvedObject"]["namespace"] = json!("elsewhere");
    s.post(&s.core("events"), one).await.invalid(
        "Event",
        "e",
        &[(
            "FieldValueInvalid",
            "Invalid value: \"elsewhere\": does not match event.namespace",
            "involvedObject.namespace",
        )],
    );
}

async fn an_event_is_counted_by_a_patch(s: &Server) {
    s.post(&s.core("events"), event(s, "e")).await.ok();
    s.change(
        &s.core("events/e"),
        json!({"count": 2, "lastTimestamp": "2026-01-01T00:01:00Z"}),
    )
    .await
    .like(json!({"count": 2, "lastTimestamp": "2026-01-01T00:01:00Z", "reason": "Tested"}));
}

async fn events_are_one_kind_in_two_groups(s: &Server) {
    s.post(&s.core("events"), event(s, "e")).await.ok();
    s.get(&format!(
        "/apis/events.k8s.io/v1/namespaces/{}/events/e",
        s.ns
    ))
    .await
    .is(200)
    .like(json!({
        "apiVersion": "events.k8s.io/v1",
        "regarding": {"kind": "Job", "name": "a"},
        "note": "as it should be",
        "reason": "Tested",
        "deprecatedCount": 1,
    }));
}
