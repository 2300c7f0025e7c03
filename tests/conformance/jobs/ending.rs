//! How a Job ends: conditions, in their order and their words, and only once its pods have ended.

use serde_json::json;

use crate::objects::{condition, conditions, held_job, index, is_true, job};
use crate::reply::text;
use crate::server::Server;
use crate::watching::Watch;

checks![
    complete,
    failed,
    success_criteria_come_first,
    failure_target_comes_first,
    complete_waits_for_terminating_pods,
    failed_waits_for_terminating_pods,
    nothing_happens_after_the_end,
    times_of_conditions,
    a_failed_job_has_no_completion_time,
];

/// The conditions that a Job had, in the order of its changes, each set once.
pub(super) async fn course(watch: &mut Watch, last: &str) -> Vec<String> {
    let events = watch.until(|e| is_true(&e.object, last)).await;
    let mut all: Vec<String> = events
        .iter()
        .map(|e| conditions(&e.object).join(" "))
        .collect();
    all.dedup();
    all
}

fn words(expected: &[&str]) -> Vec<String> {
    expected.iter().map(|w| (*w).to_owned()).collect()
}

async fn complete(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    s.same(
        &end["status"]["conditions"],
        json!([
            {
                "type": "SuccessCriteriaMet",
                "status": "True",
                "reason": "CompletionsReached",
                "message": "Reached expected number of succeeded pods",
                "lastProbeTime": "*",
                "lastTransitionTime": "*",
            },
            {
                "type": "Complete",
                "status": "True",
                "reason": "CompletionsReached",
                "message": "Reached expected number of succeeded pods",
                "lastProbeTime": "*",
                "lastTransitionTime": "*",
            },
        ]),
    );
}

async fn failed(s: &Server) {
    s.make_job(job("a", json!({"backoffLimit": 0}))).await;
    let pods = s.live_pods("a", 1).await;
    s.exits(pods.keys().next().unwrap(), 1).await;
    let end = s.ended_job("a").await;
    s.same(
        &end["status"]["conditions"],
        json!([
            {
                "type": "FailureTarget",
                "status": "True",
                "reason": "BackoffLimitExceeded",
                "message": "Job has reached the specified backoff limit",
                "lastProbeTime": "*",
                "lastTransitionTime": "*",
            },
            {
                "type": "Failed",
                "status": "True",
                "reason": "BackoffLimitExceeded",
                "message": "Job has reached the specified backoff limit",
                "lastProbeTime": "*",
                "lastTransitionTime": "*",
            },
        ]),
    );
    s.like(&end, json!({"status": {"failed": 1, "succeeded": null, "active": null, "terminating": 0, "ready": 0}}));
}

async fn success_criteria_come_first(s: &Server) {
    let made = s.make_job(job("a", json!({}))).await;
    let from = made.at("/metadata/resourceVersion");
    let mut watch = s.watch(&s.jobs(""), &[("resourceVersion", &from)]).await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    s.equal(
        "course",
        course(&mut watch, "Complete").await,
        words(&[
            "",
            "SuccessCriteriaMet=True",
            "SuccessCriteriaMet=True Complete=True",
        ]),
    );
}

async fn failure_target_comes_first(s: &Server) {
    let made = s.make_job(job("a", json!({"backoffLimit": 0}))).await;
    let from = made.at("/metadata/resourceVersion");
    let mut watch = s.watch(&s.jobs(""), &[("resourceVersion", &from)]).await;
    let pods = s.live_pods("a", 1).await;
    s.exits(pods.keys().next().unwrap(), 1).await;
    s.equal(
        "course",
        course(&mut watch, "Failed").await,
        words(&["", "FailureTarget=True", "FailureTarget=True Failed=True"]),
    );
}

async fn complete_waits_for_terminating_pods(s: &Server) {
    let policy = json!({"rules": [{"succeededIndexes": "0"}]});
    let made = s
        .make_job(held_job(
            "a",
            json!({"completionMode": "Indexed", "completions": 2, "parallelism": 2, "successPolicy": policy}),
        ))
        .await;
    let from = made.at("/metadata/resourceVersion");
    let mut watch = s.watch(&s.jobs(""), &[("resourceVersion", &from)]).await;
    let pods = s.live_pods("a", 2).await;
    let named = |wanted: &str| {
        pods.iter()
            .find(|(_, p)| index(p) == wanted)
            .unwrap()
            .0
            .clone()
    };
    s.runs(&named("1"), true).await;
    s.succeeds(&named("0")).await;
    let waiting = s
        .until_job("one is terminating", "a", |j| {
            is_true(j, "SuccessCriteriaMet") && j["status"]["terminating"] == 1
        })
        .await;
    s.like(
        &waiting,
        json!({"status": {"active": null, "ready": 0, "succeeded": 1, "completionTime": null}}),
    );
    let left = s.get(&s.pods(&format!("/{}", named("1")))).await;
    left.is(200)
        .like(json!({"metadata": {"deletionTimestamp": "*"}}));
    s.force_away(&named("1")).await;
    let events = watch.until(|e| is_true(&e.object, "Complete")).await;
    s.holds(
        "not complete while one was terminating",
        events
            .iter()
            .filter(|e| is_true(&e.object, "Complete"))
            .all(|e| e.object["status"]["terminating"] == 0),
    );
}

async fn failed_waits_for_terminating_pods(s: &Server) {
    let made = s
        .make_job(held_job(
            "a",
            json!({"backoffLimit": 0, "parallelism": 2, "completions": 2}),
        ))
        .await;
    let from = made.at("/metadata/resourceVersion");
    let mut watch = s.watch(&s.jobs(""), &[("resourceVersion", &from)]).await;
    let pods: Vec<String> = s.live_pods("a", 2).await.into_keys().collect();
    s.runs(&pods[1], true).await;
    s.exits(&pods[0], 1).await;
    let waiting = s
        .until_job("one is terminating", "a", |j| {
            is_true(j, "FailureTarget") && j["status"]["terminating"] == 1
        })
        .await;
    s.like(&waiting, json!({"status": {"active": null, "ready": 0}}));
    s.same(&condition(&waiting, "Failed"), json!(null));
    s.force_away(&pods[1]).await;
    let events = watch.until(|e| is_true(&e.object, "Failed")).await;
    s.holds(
        "not failed while one was terminating",
        events
            .iter()
            .filter(|e| is_true(&e.object, "Failed"))
            .all(|e| e.object["status"]["terminating"] == 0),
    );
    let end = s.ended_job("a").await;
    // The one that had to go counts as failed.
    s.like(&end, json!({"status": {"failed": 2, "terminating": 0}}));
}

async fn nothing_happens_after_the_end(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    s.change(
        &s.jobs("/a"),
        json!({"spec": {"parallelism": 5, "suspend": true}}),
    )
    .await;
    // Another Job in the same place shows that the controller has gone on.
    s.make_job(job("b", json!({}))).await;
    s.live_pods("b", 1).await;
    let now = s.get(&s.jobs("/a")).await;
    s.same(&now.body["status"], end["status"].clone());
}

async fn times_of_conditions(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    let complete = condition(&end, "Complete");
    s.holds(
        "completed, then told so",
        text(&complete, "/lastTransitionTime") >= text(&end, "/status/completionTime"),
    );
    s.same(
        &complete["lastProbeTime"],
        complete["lastTransitionTime"].clone(),
    );
}

async fn a_failed_job_has_no_completion_time(s: &Server) {
    s.make_job(job("a", json!({"backoffLimit": 0}))).await;
    let pods = s.live_pods("a", 1).await;
    s.exits(pods.keys().next().unwrap(), 1).await;
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {"completionTime": null, "startTime": "*"}}),
    );
    s.holds("a start", !text(&end, "/status/startTime").is_empty());
}
