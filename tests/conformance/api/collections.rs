//! Deleting many at once.

use serde_json::{Value, json};

use crate::objects::{idle_job, job, lease, of_job};
use crate::server::{Server, query};
use crate::waiting::Objects;

checks![
    all_of_a_namespace,
    those_with_a_label,
    those_with_a_field,
    the_answer_lists_them,
    nothing_matches,
    jobs_leave_their_pods,
    jobs_take_their_pods_with_them,
    each_delete_is_an_event,
];

async fn make(s: &Server) {
    for (name, labels) in [
        ("a", json!({"x": "1"})),
        ("b", json!({"x": "2"})),
        ("c", json!({})),
    ] {
        let mut one = lease(name);
        one["metadata"]["labels"] = labels;
        s.post(&s.leases(""), one).await.ok();
    }
}

async fn left(s: &Server) -> String {
    s.get(&s.leases("")).await.names().join(" ")
}

async fn all_of_a_namespace(s: &Server) {
    make(s).await;
    s.delete(&s.leases(""), Value::Null).await.is(200);
    s.equal("left", left(s).await, String::new());
}

async fn those_with_a_label(s: &Server) {
    make(s).await;
    s.delete(
        &query(&s.leases(""), &[("labelSelector", "x notin (2)")]),
        Value::Null,
    )
    .await
    .is(200);
    s.equal("left", left(s).await, "b".to_owned());
}

async fn those_with_a_field(s: &Server) {
    make(s).await;
    let path = query(&s.leases(""), &[("fieldSelector", "metadata.name!=a")]);
    s.delete(&path, json!({"propagationPolicy": "Background"}))
        .await
        .is(200);
    s.equal("left", left(s).await, "a".to_owned());
}

async fn the_answer_lists_them(s: &Server) {
    make(s).await;
    let reply = s
        .delete(
            &query(&s.leases(""), &[("labelSelector", "x")]),
            Value::Null,
        )
        .await;
    reply
        .is(200)
        .like(json!({"kind": "LeaseList", "apiVersion": "coordination.k8s.io/v1"}));
    s.equal("names", reply.names().join(" "), "a b".to_owned());
}

async fn nothing_matches(s: &Server) {
    make(s).await;
    let path = query(&s.leases(""), &[("labelSelector", "x=9")]);
    s.delete(&path, Value::Null)
        .await
        .is(200)
        .like(json!({"kind": "LeaseList", "items": []}));
    s.equal("left", left(s).await, "a b c".to_owned());
}

async fn jobs_leave_their_pods(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    s.live_pods("a", 1).await;
    s.delete(&s.jobs(""), Value::Null).await.is(200);
    s.until_gone(&s.jobs(""), "a").await;
    let with = of_job("a");
    s.until(
        "an orphan",
        &s.pods(""),
        &[("labelSelector", &with)],
        |pods| {
            pods.len() == 1
                && pods
                    .values()
                    .all(|p| p["metadata"]["ownerReferences"].is_null())
        },
    )
    .await;
    s.equal("no Job", s.get(&s.jobs("")).await.names().len(), 0);
}

async fn jobs_take_their_pods_with_them(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    s.make_job(idle_job("b")).await;
    s.live_pods("a", 1).await;
    s.delete(&s.jobs(""), json!({"propagationPolicy": "Background"}))
        .await
        .is(200)
        .warns(&[]);
    s.until("no Jobs", &s.jobs(""), &[], Objects::is_empty)
        .await;
    s.until("no pods", &s.pods(""), &[], Objects::is_empty)
        .await;
}

async fn each_delete_is_an_event(s: &Server) {
    make(s).await;
    let from = s.get(&s.leases("")).await.at("/metadata/resourceVersion");
    s.delete(&s.leases(""), Value::Null).await.is(200);
    let mut watch = s.watch(&s.leases(""), &[("resourceVersion", &from)]).await;
    let mut seen = crate::watching::brief(&watch.take(3).await);
    seen.sort();
    s.equal(
        "events",
        seen.join(", "),
        "DELETED a, DELETED b, DELETED c".to_owned(),
    );
}
