//! When a pod that is going is replaced.

use serde_json::{Value, json};

use crate::objects::{held_job, is_true};
use crate::server::Server;

checks![
    a_terminating_pod_is_replaced_at_once,
    only_failed_pods_are_replaced,
    a_forced_pod_waits_for_its_end,
];

async fn running(s: &Server, spec: Value) -> String {
    s.make_job(held_job("a", spec)).await;
    let pod = s.live_pods("a", 1).await.into_keys().next().unwrap();
    s.runs(&pod, true).await;
    s.until_job("ready", "a", |j| j["status"]["ready"] == 1)
        .await;
    s.delete(&s.pods(&format!("/{pod}")), Value::Null)
        .await
        .is(200);
    pod
}

async fn a_terminating_pod_is_replaced_at_once(s: &Server) {
    let old = running(s, json!({"backoffLimit": 3})).await;
    let new = s.live_pods("a", 1).await;
    s.holds("another", !new.contains_key(&old));
    s.get(&s.pods(&format!("/{old}"))).await.is(200);
    let now = s
        .until_job("both are seen", "a", |j| {
            j["status"]["terminating"] == 1 && j["status"]["active"] == 1
        })
        .await;
    // By this policy it has failed as soon as it is asked to go.
    s.like(
        &now,
        json!({"status": {"ready": 0, "conditions": null, "failed": 1}}),
    );
    s.force_away(&old).await;
    let now = s
        .until_job("one is gone", "a", |j| j["status"]["terminating"] == 0)
        .await;
    s.like(&now, json!({"status": {"failed": 1, "active": 1}}));
}

async fn only_failed_pods_are_replaced(s: &Server) {
    let old = running(
        s,
        json!({"backoffLimit": 3, "podReplacementPolicy": "Failed"}),
    )
    .await;
    let now = s
        .until_job("terminating", "a", |j| j["status"]["terminating"] == 1)
        .await;
    s.like(
        &now,
        json!({"status": {"active": null, "ready": 0, "failed": null}}),
    );
    s.equal(
        "no other yet",
        s.get(&s.pods("")).await.names(),
        vec![old.clone()],
    );
    s.exits(&old, 143).await;
    let now = s
        .until_job("counted and replaced", "a", |j| {
            j["status"]["failed"] == 1 && j["status"]["active"] == 1
        })
        .await;
    s.like(&now, json!({"status": {"terminating": 0}}));
    let new = s.live_pods("a", 1).await;
    s.holds("another", !new.contains_key(&old));
}

async fn a_forced_pod_waits_for_its_end(s: &Server) {
    let old = running(
        s,
        json!({"backoffLimit": 0, "podReplacementPolicy": "Failed"}),
    )
    .await;
    s.until_job("terminating", "a", |j| j["status"]["terminating"] == 1)
        .await;
    // What the Job has not counted stays, even by force.
    s.force_away(&old).await;
    s.get(&s.pods(&format!("/{old}")))
        .await
        .is(200)
        .like(json!({"metadata": {
            "deletionGracePeriodSeconds": 0,
            "finalizers": ["batch.kubernetes.io/job-tracking"],
        }}));
    s.exits(&old, 137).await;
    s.until_gone(&s.pods(""), &old).await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"failed": 1, "terminating": 0}}));
    s.holds("failed", is_true(&end, "Failed"));
}
