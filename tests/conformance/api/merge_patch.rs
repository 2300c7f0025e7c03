//! JSON merge patches.

use serde_json::{Value, json};

use crate::objects::{config_map, idle_job};
use crate::server::{MERGE, Server};

checks![
    members_are_merged_and_null_removes,
    lists_are_replaced,
    a_name_cannot_change,
    a_uid_cannot_change,
    a_namespace_cannot_change,
    values_of_another_type,
    patches_that_are_no_patches,
    a_creation_time_is_kept,
    maps_that_become_empty,
    labels_that_are_invalid,
];

async fn members_are_merged_and_null_removes(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({"k": "1", "l": "2"})))
        .await
        .ok();
    s.patch(&s.maps("/a"), MERGE, json!({"data": {"l": null, "m": "3"}}))
        .await
        .is(200)
        .like(json!({"kind": "ConfigMap", "data": {"k": "1", "l": null, "m": "3"}}));
    s.patch(&s.maps("/a"), MERGE, json!({"data": null}))
        .await
        .is(200)
        .like(json!({"data": null}));
    s.patch(&s.maps("/a"), MERGE, json!({}))
        .await
        .is(200)
        .like(json!({"metadata": {"name": "a"}}));
}

async fn lists_are_replaced(s: &Server) {
    let mut map = config_map("a", json!({}));
    map["metadata"]["finalizers"] = json!(["test.io/a", "test.io/b"]);
    s.post(&s.maps(""), map).await.ok();
    s.patch(
        &s.maps("/a"),
        MERGE,
        json!({"metadata": {"finalizers": ["test.io/c"]}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"finalizers": ["test.io/c"]}}));
    s.patch(
        &s.maps("/a"),
        MERGE,
        json!({"metadata": {"finalizers": null}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"finalizers": null}}));
}

async fn a_name_cannot_change(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.patch(&s.maps("/a"), MERGE, json!({"metadata": {"name": "b"}}))
        .await
        .fails(
            400,
            "BadRequest",
            "the name of the object (b) does not match the name on the URL (a)",
            Value::Null,
        );
}

async fn a_uid_cannot_change(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.patch(&s.maps("/a"), MERGE, json!({"metadata": {"uid": "b"}}))
        .await
        .invalid(
            "ConfigMap",
            "a",
            &[(
                "FieldValueInvalid",
                "Invalid value: \"b\": field is immutable",
                "metadata.uid",
            )],
        );
}

async fn a_namespace_cannot_change(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.patch(
        &s.maps("/a"),
        MERGE,
        json!({"metadata": {"namespace": "b"}}),
    )
    .await
    .fails(
        400,
        "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request",
        Value::Null,
    );
}

async fn values_of_another_type(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    let reply = s
        .patch(&s.maps("/a"), MERGE, json!({"data": {"k": 1}}))
        .await;
    reply.is(422).like(json!({
        "reason": "Invalid",
        "details": {"causes": [{"reason": "FieldValueInvalid", "field": "patch"}]},
    }));
    // The whole object stands in between.
    s.holds(
        &reply.text,
        reply
            .at("/message")
            .contains(": json: cannot unmarshal number into Go struct field ConfigMap.data"),
    );
}

async fn patches_that_are_no_patches(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.patch(&s.maps("/a"), MERGE, json!("x")).await.fails(
        400,
        "BadRequest",
        "invalid JSON patch",
        Value::Null,
    );
    s.patch(&s.maps("/a"), MERGE, json!([])).await.fails(
        400,
        "BadRequest",
        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        Value::Null,
    );
}

async fn a_creation_time_is_kept(s: &Server) {
    let made = s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    let time = made.at("/metadata/creationTimestamp");
    s.patch(
        &s.maps("/a"),
        MERGE,
        json!({"metadata": {"creationTimestamp": "2001-01-01T00:00:00Z", "labels": {"a": "b"}}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"creationTimestamp": time, "labels": {"a": "b"}}}));
}

async fn maps_that_become_empty(s: &Server) {
    let mut map = config_map("a", json!({"k": "1"}));
    map["metadata"]["labels"] = json!({"a": "b"});
    s.post(&s.maps(""), map).await.ok();
    s.patch(
        &s.maps("/a"),
        MERGE,
        json!({"metadata": {"labels": {"a": null}}, "data": {"k": null}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"labels": null}, "data": null}));
}

async fn labels_that_are_invalid(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.patch(
        &s.jobs("/a"),
        MERGE,
        json!({"metadata": {"labels": {"a": "not so"}}}),
    )
    .await
    .invalid(
        "Job.batch",
        "a",
        &[(
            "FieldValueInvalid",
            "Invalid value: \"not so\": a valid label must be an empty string or consist of alphanumeric \
             characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. \
             'MyValue',  or 'my_value',  or '12345', regex used for validation is \
             '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
            "metadata.labels",
        )],
    );
}
