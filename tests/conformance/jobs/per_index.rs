//! Limits of each index, and of indexes that may fail.

use serde_json::{Value, json};

use crate::objects::{condition, index, job, live};
use crate::reply::text;
use crate::server::Server;

checks![
    an_index_fails_alone,
    failures_of_an_index_are_annotated,
    too_many_failed_indexes,
    all_indexes_may_fail,
    indexes_do_not_share_a_limit,
    fail_index_of_a_policy,
];

fn per_index(completions: i64, limit: i64) -> Value {
    json!({
        "completionMode": "Indexed",
        "completions": completions,
        "parallelism": completions,
        "backoffLimitPerIndex": limit,
    })
}

/// Pods by index, all live.
async fn by_index(s: &Server, count: usize) -> Vec<(String, String)> {
    let pods = s.live_pods("a", count).await;
    let mut all: Vec<(String, String)> = pods
        .iter()
        .map(|(name, p)| (index(p), name.clone()))
        .collect();
    all.sort();
    all
}

async fn an_index_fails_alone(s: &Server) {
    s.make_job(job("a", per_index(3, 0))).await;
    let pods = by_index(s, 3).await;
    s.exits(&pods[1].1, 1).await;
    let now = s
        .until_job("index 1 failed", "a", |j| {
            j["status"]["failedIndexes"] == "1" && j["status"]["failed"] == 1
        })
        .await;
    s.like(
        &now,
        json!({"status": {"conditions": null, "completedIndexes": null}}),
    );
    s.succeeds(&pods[0].1).await;
    s.until_job("index 0 done", "a", |j| {
        j["status"]["completedIndexes"] == "0"
    })
    .await;
    s.succeeds(&pods[2].1).await;
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {
            "completedIndexes": "0,2", "failedIndexes": "1", "succeeded": 2, "failed": 1, "active": null,
        }}),
    );
    for kind in ["FailureTarget", "Failed"] {
        s.like(
            &condition(&end, kind),
            json!({"status": "True", "reason": "FailedIndexes", "message": "Job has failed indexes"}),
        );
    }
    s.same(&condition(&end, "Complete"), Value::Null);
}

async fn failures_of_an_index_are_annotated(s: &Server) {
    s.make_job(job("a", per_index(2, 1))).await;
    let pods = s.live_pods("a", 2).await;
    for pod in pods.values() {
        s.like(
            pod,
            json!({"metadata": {"annotations": {"batch.kubernetes.io/job-index-failure-count": "0"}}}),
        );
    }
    let failing = pods.iter().find(|(_, p)| index(p) == "1").unwrap().0;
    s.exits(failing, 1).await;
    s.until("another of index 1", &s.pods(""), &[], |all| {
        live(all).iter().any(|p| {
            index(p) == "1"
                && text(
                    p,
                    "/metadata/annotations/batch.kubernetes.io~1job-index-failure-count",
                ) == "1"
        })
    })
    .await;
    let now = s
        .until_job("counted", "a", |j| j["status"]["failed"] == 1)
        .await;
    s.like(
        &now,
        json!({"status": {"failedIndexes": "", "conditions": null}}),
    );
}

async fn too_many_failed_indexes(s: &Server) {
    let mut spec = per_index(4, 0);
    spec["maxFailedIndexes"] = json!(1);
    s.make_job(job("a", spec)).await;
    let pods = by_index(s, 4).await;
    s.exits(&pods[0].1, 1).await;
    let now = s
        .until_job("one", "a", |j| j["status"]["failedIndexes"] == "0")
        .await;
    s.like(&now, json!({"status": {"conditions": null}}));
    s.exits(&pods[3].1, 1).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({
            "reason": "MaxFailedIndexesExceeded",
            "message": "Job has exceeded the specified maximal number of failed indexes",
        }),
    );
    s.like(
        &condition(&end, "FailureTarget"),
        json!({"reason": "MaxFailedIndexesExceeded"}),
    );
    s.like(
        &end,
        json!({"status": {"active": null, "failedIndexes": "0,3", "failed": 4}}),
    );
}

async fn all_indexes_may_fail(s: &Server) {
    s.make_job(job("a", per_index(2, 0))).await;
    for (_, pod) in by_index(s, 2).await {
        s.exits(&pod, 1).await;
    }
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {"failedIndexes": "0,1", "failed": 2, "completedIndexes": null}}),
    );
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "FailedIndexes"}),
    );
}

async fn indexes_do_not_share_a_limit(s: &Server) {
    s.make_job(job("a", per_index(2, 1))).await;
    for (_, pod) in by_index(s, 2).await {
        s.exits(&pod, 1).await;
    }
    let pods = by_index(s, 2).await;
    let now = s
        .until_job("counted", "a", |j| j["status"]["failed"] == 2)
        .await;
    s.like(
        &now,
        json!({"status": {"failedIndexes": "", "conditions": null}}),
    );
    for (_, pod) in pods {
        s.succeeds(&pod).await;
    }
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Complete"),
        json!({"reason": "CompletionsReached"}),
    );
    s.like(
        &end,
        json!({"status": {"completedIndexes": "0,1", "failedIndexes": "", "failed": 2}}),
    );
}

async fn fail_index_of_a_policy(s: &Server) {
    let mut spec = per_index(2, 5);
    spec["podFailurePolicy"] = json!({"rules": [
        {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [7]}},
    ]});
    s.make_job(job("a", spec)).await;
    let pods = by_index(s, 2).await;
    s.exits(&pods[0].1, 7).await;
    let now = s
        .until_job("failed at once", "a", |j| {
            j["status"]["failedIndexes"] == "0" && j["status"]["failed"] == 1
        })
        .await;
    s.like(&now, json!({"status": {"conditions": null}}));
    s.succeeds(&pods[1].1).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "FailedIndexes"}),
    );
}
