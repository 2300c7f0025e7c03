//! Watches: from a version, from any, from now; what a selector makes of a change; and how they end.

use serde_json::{Value, json};

use crate::objects::{config_map, job, lease, pod};
use crate::reply::text;
use crate::server::{Server, query};
use crate::watching::{Event, brief};

checks![
    from_a_version_come_the_changes_since,
    from_zero_comes_what_there_is,
    without_a_version_comes_what_there_is,
    the_version_of_an_object_is_enough,
    the_last_state_comes_with_deleted,
    every_change_comes_once_and_in_order,
    a_label_that_leaves_is_a_delete,
    a_field_that_changes_is_a_delete,
    one_object_by_name,
    of_all_namespaces,
    a_version_of_the_future_waits,
    versions_that_cannot_be_read,
    a_watch_ends_in_time,
    the_old_paths_watch_too,
    changes_of_a_status_come_too,
    a_get_of_one_object_does_not_watch,
    a_watch_is_json_line_by_line,
    two_watches_see_the_same,
];

async fn now(s: &Server) -> String {
    s.get(&s.leases(""))
        .await
        .ok()
        .at("/metadata/resourceVersion")
}

async fn make(s: &Server, name: &str) -> String {
    let made = s.post(&s.leases(""), lease(name)).await.ok();
    made.at("/metadata/resourceVersion")
}

async fn hold(s: &Server, name: &str, holder: &str) {
    s.change(
        &s.leases(&format!("/{name}")),
        json!({"spec": {"holderIdentity": holder}}),
    )
    .await;
}

fn words(expected: &[&str]) -> Vec<String> {
    expected.iter().map(|w| (*w).to_owned()).collect()
}

async fn from_a_version_come_the_changes_since(s: &Server) {
    make(s, "old").await;
    let from = now(s).await;
    make(s, "a").await;
    hold(s, "a", "x").await;
    hold(s, "old", "y").await;
    s.delete(&s.leases("/a"), Value::Null).await.is(200);
    let mut watch = s.watch(&s.leases(""), &[("resourceVersion", &from)]).await;
    s.equal("code", watch.code, 200);
    let seen = watch.take(4).await;
    s.equal(
        "events",
        brief(&seen),
        words(&["ADDED a", "MODIFIED a", "MODIFIED old", "DELETED a"]),
    );
    // It goes on.
    make(s, "b").await;
    s.equal("later", brief(&watch.take(1).await), words(&["ADDED b"]));
}

async fn from_zero_comes_what_there_is(s: &Server) {
    make(s, "a").await;
    let last = make(s, "b").await;
    // Version 0 is "any"; waiting for a list of the last change makes it be this one.
    s.get(&query(&s.leases(""), &[("resourceVersion", &last)]))
        .await
        .ok();
    let mut watch = s.watch(&s.leases(""), &[("resourceVersion", "0")]).await;
    s.equal(
        "first",
        brief(&watch.take(2).await),
        words(&["ADDED a", "ADDED b"]),
    );
    hold(s, "a", "x").await;
    s.equal("then", brief(&watch.take(1).await), words(&["MODIFIED a"]));
}

async fn without_a_version_comes_what_there_is(s: &Server) {
    make(s, "a").await;
    make(s, "b").await;
    let mut watch = s.watch(&s.leases(""), &[]).await;
    s.equal(
        "first",
        brief(&watch.take(2).await),
        words(&["ADDED a", "ADDED b"]),
    );
    make(s, "c").await;
    s.equal("then", brief(&watch.take(1).await), words(&["ADDED c"]));
}

async fn the_version_of_an_object_is_enough(s: &Server) {
    let from = make(s, "a").await;
    hold(s, "a", "x").await;
    let mut watch = s.watch(&s.leases(""), &[("resourceVersion", &from)]).await;
    // Its own creation is not after it.
    s.equal(
        "events",
        brief(&watch.take(1).await),
        words(&["MODIFIED a"]),
    );
}

async fn the_last_state_comes_with_deleted(s: &Server) {
    let from = make(s, "a").await;
    hold(s, "a", "the last one").await;
    let before = s.get(&s.leases("/a")).await.at("/metadata/resourceVersion");
    s.delete(&s.leases("/a"), Value::Null).await.is(200);
    let mut watch = s.watch(&s.leases(""), &[("resourceVersion", &from)]).await;
    let seen = watch.take(2).await;
    s.equal("kind", seen[1].kind.as_str(), "DELETED");
    s.like(
        &seen[1].object,
        json!({
            "kind": "Lease",
            "metadata": {"name": "a", "deletionTimestamp": null},
            "spec": {"holderIdentity": "the last one"},
        }),
    );
    let at = version(&seen[1]);
    s.holds("at the version of the delete", at > before.parse().unwrap());
}

fn version(event: &Event) -> u64 {
    text(&event.object, "/metadata/resourceVersion")
        .parse()
        .unwrap()
}

async fn every_change_comes_once_and_in_order(s: &Server) {
    let from = make(s, "a").await;
    let mut watch = s.watch(&s.leases(""), &[("resourceVersion", &from)]).await;
    for round in 0..20 {
        hold(s, "a", &round.to_string()).await;
    }
    let seen = watch.take(20).await;
    let holders: Vec<String> = seen
        .iter()
        .map(|e| text(&e.object, "/spec/holderIdentity"))
        .collect();
    let expected: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    s.equal("holders", holders, expected);
    s.holds(
        "versions grow",
        seen.windows(2).all(|w| version(&w[0]) < version(&w[1])),
    );
}

async fn a_label_that_leaves_is_a_delete(s: &Server) {
    let from = now(s).await;
    let mut watch = s
        .watch(
            &s.leases(""),
            &[("resourceVersion", &from), ("labelSelector", "in=yes")],
        )
        .await;
    let label = |value: Value| json!({"metadata": {"labels": {"in": value}}});
    make(s, "a").await;
    s.change(&s.leases("/a"), label(json!("yes"))).await;
    hold(s, "a", "inside").await;
    let left = s.change(&s.leases("/a"), label(json!("no"))).await;
    hold(s, "a", "outside").await;
    s.change(&s.leases("/a"), label(json!("yes"))).await;
    s.delete(&s.leases("/a"), Value::Null).await.is(200);
    let seen = watch.take(5).await;
    s.equal(
        "events",
        brief(&seen),
        words(&["ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a"]),
    );
    // The state before it left, at the version of the change.
    s.like(
        &seen[2].object,
        json!({
            "metadata": {
                "labels": {"in": "yes"},
                "resourceVersion": left.at("/metadata/resourceVersion"),
            },
            "spec": {"holderIdentity": "inside"},
        }),
    );
    s.like(
        &seen[3].object,
        json!({"spec": {"holderIdentity": "outside"}}),
    );
}

async fn a_field_that_changes_is_a_delete(s: &Server) {
    let from = now(s).await;
    let mut watch = s
        .watch(
            &s.pods(""),
            &[
                ("resourceVersion", &from),
                ("fieldSelector", "status.phase=Running"),
            ],
        )
        .await;
    s.post(&s.pods(""), pod("a")).await.ok();
    s.until_one("bound", &s.pods(""), "a", |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await;
    s.runs("a", false).await;
    s.runs("a", true).await;
    s.succeeds("a").await;
    let seen = watch.take(3).await;
    s.equal(
        "events",
        brief(&seen),
        words(&["ADDED a", "MODIFIED a", "DELETED a"]),
    );
    s.like(&seen[2].object, json!({"status": {"phase": "Running"}}));
}

async fn one_object_by_name(s: &Server) {
    let from = now(s).await;
    let mut watch = s
        .watch(
            &s.leases(""),
            &[
                ("resourceVersion", &from),
                ("fieldSelector", "metadata.name=b"),
            ],
        )
        .await;
    make(s, "a").await;
    make(s, "b").await;
    hold(s, "a", "x").await;
    s.delete(&s.leases("/b"), Value::Null).await.is(200);
    s.equal(
        "events",
        brief(&watch.take(2).await),
        words(&["ADDED b", "DELETED b"]),
    );
}

async fn of_all_namespaces(s: &Server) {
    let from = now(s).await;
    let here = format!("metadata.namespace={}", s.ns);
    let mut watch = s
        .watch(
            "/apis/coordination.k8s.io/v1/leases",
            &[("resourceVersion", &from), ("fieldSelector", &here)],
        )
        .await;
    make(s, "a").await;
    let seen = watch.take(1).await;
    s.like(
        &seen[0].object,
        json!({"metadata": {"name": "a", "namespace": s.ns}}),
    );
}

// That a version which is too old is answered with 410 can't be asked of a young cluster: its watch cache may
// reach back to the first version.

async fn a_version_of_the_future_waits(s: &Server) {
    make(s, "a").await;
    let mut watch = s
        .watch(
            &s.leases(""),
            &[("resourceVersion", "999999999999"), ("timeoutSeconds", "1")],
        )
        .await;
    s.equal("code", watch.code, 200);
    s.equal("nothing comes", watch.rest().await.len(), 0);
}

async fn versions_that_cannot_be_read(s: &Server) {
    let path = query(
        &s.leases(""),
        &[("watch", "true"), ("resourceVersion", "abc")],
    );
    s.get(&path).await.is(500).same(json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 500,
        "message": "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": \
                    invalid syntax",
    }));
}

async fn a_watch_ends_in_time(s: &Server) {
    let from = make(s, "a").await;
    let mut watch = s
        .watch(
            &s.leases(""),
            &[("resourceVersion", &from), ("timeoutSeconds", "1")],
        )
        .await;
    hold(s, "a", "x").await;
    // Clean: the body ends, no event says so.
    s.equal("events", brief(&watch.rest().await), words(&["MODIFIED a"]));
}

async fn the_old_paths_watch_too(s: &Server) {
    make(s, "a").await;
    let path = format!(
        "/apis/coordination.k8s.io/v1/watch/namespaces/{}/leases?timeoutSeconds=1",
        s.ns
    );
    let reply = s.get(&path).await;
    reply.is(200);
    s.holds(&reply.text, reply.text.contains("\"type\":\"ADDED\""));
}

async fn changes_of_a_status_come_too(s: &Server) {
    let from = now(s).await;
    let mut watch = s.watch(&s.jobs(""), &[("resourceVersion", &from)]).await;
    s.make_job(job("a", json!({}))).await;
    let seen = watch.until(|e| e.object["status"]["active"] == 1).await;
    s.equal("first", seen[0].brief(), "ADDED a".to_owned());
    s.like(&seen[0].object, json!({"status": {}, "kind": "Job"}));
    s.holds("then", seen[1..].iter().all(|e| e.kind == "MODIFIED"));
}

async fn a_get_of_one_object_does_not_watch(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.get(&s.maps("/a?watch=true"))
        .await
        .is(200)
        .like(json!({"kind": "ConfigMap"}));
}

async fn a_watch_is_json_line_by_line(s: &Server) {
    make(s, "a").await;
    let path = query(&s.leases(""), &[("watch", "1"), ("timeoutSeconds", "1")]);
    let reply = s.get(&path).await;
    reply.is(200);
    s.equal("type", reply.header("content-type"), "application/json");
    s.equal("lines", reply.text.lines().count(), 1);
    let line: Value = serde_json::from_str(&reply.text).unwrap();
    s.same(
        &line,
        json!({"type": "ADDED", "object": s.get(&s.leases("/a")).await.body}),
    );
}

async fn two_watches_see_the_same(s: &Server) {
    let from = now(s).await;
    let with = [("resourceVersion", from.as_str())];
    let mut one = s.watch(&s.leases(""), &with).await;
    make(s, "a").await;
    hold(s, "a", "x").await;
    let mut two = s.watch(&s.leases(""), &with).await;
    make(s, "b").await;
    let (one, two) = (one.take(3).await, two.take(3).await);
    for (one, two) in one.iter().zip(&two) {
        s.equal("type", one.kind.as_str(), two.kind.as_str());
        s.same(&one.object, two.object.clone());
    }
    s.equal(
        "events",
        brief(&one),
        words(&["ADDED a", "MODIFIED a", "ADDED b"]),
    );
}
