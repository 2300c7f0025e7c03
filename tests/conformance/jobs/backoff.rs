//! Pods that fail: how many may, and how long the next one is waited for.

use serde_json::{Value, json};

use crate::objects::{condition, job};
use crate::reply::text;
use crate::server::Server;

checks![
    a_failed_pod_is_replaced,
    the_limit_is_exceeded_by_one_more,
    others_go_when_the_limit_is_exceeded,
    all_pods_may_fail_at_once,
    a_success_after_failures,
    on_failure_restarts_are_counted,
    on_failure_pods_that_fail_count,
    a_replacement_waits,
    six_is_the_default,
    a_limit_can_be_raised,
];

async fn a_failed_pod_is_replaced(s: &Server) {
    s.make_job(job("a", json!({"backoffLimit": 1}))).await;
    let first = s.live_pods("a", 1).await;
    let failed = first.keys().next().unwrap();
    s.exits(failed, 1).await;
    let second = s.live_pods("a", 1).await;
    s.holds("another", !second.contains_key(failed));
    let now = s
        .until_job("counted", "a", |j| {
            j["status"]["failed"] == 1 && j["status"]["active"] == 1
        })
        .await;
    s.like(
        &now,
        json!({"status": {"conditions": null, "succeeded": null}}),
    );
    // The failed one is kept.
    s.get(&s.pods(&format!("/{failed}")))
        .await
        .is(200)
        .like(json!({"status": {"phase": "Failed"}, "metadata": {"deletionTimestamp": null}}));
}

async fn the_limit_is_exceeded_by_one_more(s: &Server) {
    s.make_job(job("a", json!({"backoffLimit": 1}))).await;
    for _ in 0..2 {
        let pods = s.live_pods("a", 1).await;
        s.exits(pods.keys().next().unwrap(), 1).await;
    }
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"failed": 2, "active": null}}));
    s.like(
        &condition(&end, "Failed"),
        json!({
            "reason": "BackoffLimitExceeded",
            "message": "Job has reached the specified backoff limit",
        }),
    );
}

async fn others_go_when_the_limit_is_exceeded(s: &Server) {
    s.make_job(job(
        "a",
        json!({"backoffLimit": 0, "parallelism": 3, "completions": 3}),
    ))
    .await;
    let pods: Vec<String> = s.live_pods("a", 3).await.into_keys().collect();
    s.runs(&pods[1], true).await;
    s.runs(&pods[2], true).await;
    s.exits(&pods[0], 1).await;
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {"failed": 3, "active": null, "terminating": 0, "ready": 0}}),
    );
    s.until("only the failed one is left", &s.pods(""), &[], |all| {
        all.len() == 1 && all.contains_key(&pods[0])
    })
    .await;
}

async fn all_pods_may_fail_at_once(s: &Server) {
    s.make_job(job(
        "a",
        json!({"backoffLimit": 5, "parallelism": 3, "completions": 3}),
    ))
    .await;
    for pod in s.live_pods("a", 3).await.keys() {
        s.exits(pod, 1).await;
    }
    let now = s
        .until_job("counted", "a", |j| j["status"]["failed"] == 3)
        .await;
    s.like(&now, json!({"status": {"conditions": null}}));
    s.live_pods("a", 3).await;
}

async fn a_success_after_failures(s: &Server) {
    s.make_job(job("a", json!({"backoffLimit": 3}))).await;
    let pods = s.live_pods("a", 1).await;
    s.exits(pods.keys().next().unwrap(), 1).await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"failed": 1, "succeeded": 1}}));
    s.like(
        &condition(&end, "Complete"),
        json!({"reason": "CompletionsReached"}),
    );
}

fn on_failure(limit: i64) -> Value {
    json!({
        "backoffLimit": limit,
        "template": {"spec": {"restartPolicy": "OnFailure"}},
    })
}

async fn restarted(s: &Server, pod: &str, times: i64) {
    s.pod_status(
        pod,
        json!({
            "phase": "Running",
            "containerStatuses": [{
                "name": "main", "image": "x", "imageID": "", "ready": false, "restartCount": times,
                "state": {"running": {}},
            }],
        }),
    )
    .await;
}

async fn on_failure_restarts_are_counted(s: &Server) {
    s.make_job(job("a", on_failure(2))).await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.keys().next().unwrap();
    restarted(s, pod, 1).await;
    // One below the limit changes nothing: it is still the same pod when a second has been told.
    s.runs(pod, true).await;
    s.until_job("ready", "a", |j| j["status"]["ready"] == 1)
        .await;
    restarted(s, pod, 2).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({
            "reason": "BackoffLimitExceeded",
            "message": "Job has reached the specified backoff limit",
        }),
    );
    s.like(&end, json!({"status": {"active": null, "failed": 1}}));
}

async fn on_failure_pods_that_fail_count(s: &Server) {
    s.make_job(job("a", on_failure(0))).await;
    let pods = s.live_pods("a", 1).await;
    s.exits(pods.keys().next().unwrap(), 1).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "BackoffLimitExceeded"}),
    );
    s.like(&end, json!({"status": {"failed": 1}}));
}

/// Seconds between two times of the day.
fn seconds_between(early: &str, late: &str) -> i64 {
    let second = |time: &str| -> i64 {
        let part = |from: usize| time[from..from + 2].parse::<i64>().unwrap();
        part(11) * 3600 + part(14) * 60 + part(17)
    };
    (second(late) - second(early)).rem_euclid(24 * 3600)
}

async fn a_replacement_waits(s: &Server) {
    s.make_job(job("a", json!({"backoffLimit": 3}))).await;
    let first = s.live_pods("a", 1).await;
    let failed = first.keys().next().unwrap();
    s.exits(failed, 1).await;
    let counted = s
        .until_job("counted", "a", |j| j["status"]["failed"] == 1)
        .await;
    s.like(&counted, json!({"status": {"active": null}}));
    let second = s.live_pods("a", 1).await;
    let made = text(
        second.values().next().unwrap(),
        "/metadata/creationTimestamp",
    );
    let first_made = text(&first[failed], "/metadata/creationTimestamp");
    let waited = seconds_between(&first_made, &made);
    // Ten seconds after the failure, which was moments after its creation.
    s.holds(&format!("{waited} s"), (10..30).contains(&waited));
}

async fn six_is_the_default(s: &Server) {
    s.make_job(job("a", json!({"parallelism": 7, "completions": 7})))
        .await;
    let pods: Vec<String> = s.live_pods("a", 7).await.into_keys().collect();
    for pod in &pods[1..] {
        s.exits(pod, 1).await;
    }
    let now = s
        .until_job("six failed", "a", |j| j["status"]["failed"] == 6)
        .await;
    s.like(&now, json!({"status": {"conditions": null, "active": 1}}));
    s.exits(&pods[0], 1).await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"failed": 7}}));
}

async fn a_limit_can_be_raised(s: &Server) {
    s.make_job(job("a", json!({"backoffLimit": 0}))).await;
    let pods = s.live_pods("a", 1).await;
    s.change(&s.jobs("/a"), json!({"spec": {"backoffLimit": 1}}))
        .await;
    s.exits(pods.keys().next().unwrap(), 1).await;
    s.until_job("counted", "a", |j| j["status"]["failed"] == 1)
        .await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    s.like(&condition(&end, "Complete"), json!({"status": "True"}));
}
