//! Work queues: Jobs without a number of completions.

use serde_json::{Value, json};

use crate::objects::{condition, job, live};
use crate::server::Server;

checks![
    one_success_stops_the_making_of_pods,
    failures_are_replaced_until_a_success,
    failures_after_a_success_are_not_replaced,
    a_limit_holds_for_queues,
];

async fn queue(s: &Server, spec: Value) -> Vec<String> {
    let mut all = json!({"parallelism": 3, "completions": null});
    crate::objects::merge(&mut all, &spec);
    s.make_job(job("a", all)).await;
    s.live_pods("a", 3).await.into_keys().collect()
}

async fn one_success_stops_the_making_of_pods(s: &Server) {
    let pods = queue(s, json!({})).await;
    s.succeeds(&pods[0]).await;
    let now = s
        .until_job("one done", "a", |j| {
            j["status"]["succeeded"] == 1 && j["status"]["active"] == 2
        })
        .await;
    s.like(
        &now,
        json!({"status": {"conditions": null}, "spec": {"completions": null}}),
    );
    for pod in &pods[1..] {
        s.get(&s.pods(&format!("/{pod}")))
            .await
            .like(json!({"metadata": {"deletionTimestamp": null}}));
        s.succeeds(pod).await;
    }
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {"succeeded": 3, "active": null, "failed": null}}),
    );
    s.like(
        &condition(&end, "Complete"),
        json!({
            "reason": "CompletionsReached",
            "message": "Reached expected number of succeeded pods",
        }),
    );
    s.equal("pods", s.get(&s.pods("")).await.names().len(), 3);
}

async fn failures_are_replaced_until_a_success(s: &Server) {
    let pods = queue(s, json!({})).await;
    s.exits(&pods[0], 1).await;
    s.until_job("counted", "a", |j| j["status"]["failed"] == 1)
        .await;
    let again = s.live_pods("a", 3).await;
    s.holds("another", !again.contains_key(&pods[0]));
}

async fn failures_after_a_success_are_not_replaced(s: &Server) {
    let pods = queue(s, json!({})).await;
    s.succeeds(&pods[0]).await;
    s.until_job("one done", "a", |j| j["status"]["succeeded"] == 1)
        .await;
    s.exits(&pods[1], 1).await;
    s.exits(&pods[2], 1).await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"succeeded": 1, "failed": 2}}));
    s.like(&condition(&end, "Complete"), json!({"status": "True"}));
    s.equal("pods", s.get(&s.pods("")).await.names().len(), 3);
}

async fn a_limit_holds_for_queues(s: &Server) {
    let pods = queue(s, json!({"backoffLimit": 0})).await;
    s.exits(&pods[0], 1).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "BackoffLimitExceeded"}),
    );
    s.until("the others are gone", &s.pods(""), &[], |all| {
        all.len() == 1 && live(all).is_empty()
    })
    .await;
}
