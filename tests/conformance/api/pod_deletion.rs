//! Pods go gracefully.

use serde_json::{Value, json};

use crate::objects::{index, pod};
use crate::server::Server;
use crate::watching::brief;

checks![
    a_bound_pod_gets_its_grace,
    a_grace_of_the_request,
    no_grace_at_all,
    a_pod_without_a_node_goes_at_once,
    a_pod_that_has_ended_goes_at_once,
    grace_can_only_shrink,
    a_pod_with_a_finalizer,
    the_kubelet_has_the_last_word,
    a_pod_of_its_own_grace,
    events_of_a_deletion,
    a_negative_grace,
    a_plain_pod_has_no_index,
];

async fn bound(s: &Server, one: Value) {
    let name = crate::objects::name(&one);
    s.post(&s.pods(""), one).await.ok();
    s.until_one("bound", &s.pods(""), &name, |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await;
}

async fn a_bound_pod_gets_its_grace(s: &Server) {
    bound(s, pod("a")).await;
    s.runs("a", true).await;
    let reply = s.delete(&s.pods("/a"), Value::Null).await;
    reply.is(200).like(json!({
        "kind": "Pod",
        "metadata": {"deletionTimestamp": "*", "deletionGracePeriodSeconds": 30},
        "status": {"phase": "Running"},
    }));
    s.get(&s.pods("/a"))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionTimestamp": "*"}}));
    s.force_away("a").await;
    s.get(&s.pods("/a")).await.is(404);
}

async fn a_grace_of_the_request(s: &Server) {
    bound(s, pod("a")).await;
    s.delete(&s.pods("/a"), json!({"gracePeriodSeconds": 7}))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionGracePeriodSeconds": 7, "deletionTimestamp": "*"}}));
    s.force_away("a").await;
    bound(s, pod("b")).await;
    s.delete(&s.pods("/b?gracePeriodSeconds=8"), Value::Null)
        .await
        .is(200)
        .like(json!({"metadata": {"deletionGracePeriodSeconds": 8}}));
    s.force_away("b").await;
}

async fn no_grace_at_all(s: &Server) {
    bound(s, pod("a")).await;
    s.runs("a", true).await;
    s.delete(&s.pods("/a"), json!({"gracePeriodSeconds": 0}))
        .await
        .is(200)
        .warns(&[]);
    s.get(&s.pods("/a")).await.is(404);
}

async fn a_pod_without_a_node_goes_at_once(s: &Server) {
    let mut one = pod("a");
    one["spec"]["schedulerName"] = json!("nobody");
    s.post(&s.pods(""), one).await.ok();
    s.delete(&s.pods("/a"), Value::Null)
        .await
        .is(200)
        .like(json!({"kind": "Pod", "metadata": {"name": "a"}}));
    s.get(&s.pods("/a")).await.is(404);
}

async fn a_pod_that_has_ended_goes_at_once(s: &Server) {
    for (name, code) in [("a", 0), ("b", 3)] {
        bound(s, pod(name)).await;
        s.exits(name, code).await;
        s.delete(&s.pods(&format!("/{name}")), Value::Null)
            .await
            .is(200);
        s.until_gone(&s.pods(""), name).await;
        s.get(&s.pods(&format!("/{name}"))).await.is(404);
    }
}

async fn grace_can_only_shrink(s: &Server) {
    bound(s, pod("a")).await;
    let first = s
        .delete(&s.pods("/a"), json!({"gracePeriodSeconds": 20}))
        .await;
    s.delete(&s.pods("/a"), json!({"gracePeriodSeconds": 25}))
        .await
        .is(200)
        .like(json!({"metadata": {
            "deletionGracePeriodSeconds": 20,
            "deletionTimestamp": first.at("/metadata/deletionTimestamp"),
        }}));
    s.delete(&s.pods("/a"), json!({"gracePeriodSeconds": 5}))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionGracePeriodSeconds": 5}}));
    let now = s.get(&s.pods("/a")).await;
    s.holds(
        "earlier",
        now.at("/metadata/deletionTimestamp") < first.at("/metadata/deletionTimestamp"),
    );
    s.force_away("a").await;
}

async fn a_pod_with_a_finalizer(s: &Server) {
    let mut one = pod("a");
    one["metadata"]["finalizers"] = json!(["test.io/a"]);
    bound(s, one).await;
    s.delete(&s.pods("/a"), json!({"gracePeriodSeconds": 0}))
        .await
        .is(200);
    s.get(&s.pods("/a"))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionTimestamp": "*", "deletionGracePeriodSeconds": 0}}));
    s.change(&s.pods("/a"), json!({"metadata": {"finalizers": null}}))
        .await;
    s.get(&s.pods("/a")).await.is(404);
}

async fn the_kubelet_has_the_last_word(s: &Server) {
    bound(s, pod("a")).await;
    s.runs("a", true).await;
    s.delete(&s.pods("/a"), Value::Null).await.is(200);
    // Its last status is still written.
    s.exits("a", 143).await;
    s.until_gone(&s.pods(""), "a").await;
    s.get(&s.pods("/a")).await.is(404);
}

async fn a_pod_of_its_own_grace(s: &Server) {
    let mut one = pod("a");
    one["spec"]["terminationGracePeriodSeconds"] = json!(4);
    bound(s, one).await;
    s.delete(&s.pods("/a"), Value::Null)
        .await
        .is(200)
        .like(json!({"metadata": {"deletionGracePeriodSeconds": 4}}));
    s.force_away("a").await;
}

async fn events_of_a_deletion(s: &Server) {
    bound(s, pod("a")).await;
    let from = s.get(&s.pods("")).await.at("/metadata/resourceVersion");
    s.delete(&s.pods("/a"), Value::Null).await.is(200);
    s.force_away("a").await;
    let mut watch = s.watch(&s.pods(""), &[("resourceVersion", &from)]).await;
    let seen = watch.until(|e| e.kind == "DELETED").await;
    s.equal("first", seen[0].brief(), "MODIFIED a".to_owned());
    s.like(
        &seen[0].object,
        json!({"metadata": {"deletionTimestamp": "*", "deletionGracePeriodSeconds": 30}}),
    );
    s.holds(
        "one end",
        brief(&seen).iter().filter(|e| *e == "DELETED a").count() == 1,
    );
}

/// As little grace as there is.
async fn a_negative_grace(s: &Server) {
    bound(s, pod("a")).await;
    s.delete(&s.pods("/a"), json!({"gracePeriodSeconds": -1}))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionGracePeriodSeconds": 1}}));
    s.force_away("a").await;
}

async fn a_plain_pod_has_no_index(s: &Server) {
    bound(s, pod("a")).await;
    let one = s.get(&s.pods("/a")).await.body;
    s.equal("index", index(&one), String::new());
    s.like(
        &one,
        json!({"metadata": {"ownerReferences": null, "finalizers": null}}),
    );
}
