//! activeDeadlineSeconds and ttlSecondsAfterFinished.

use serde_json::{Value, json};

use crate::objects::{condition, conditions, held_job, is_true, job, live};
use crate::reply::text;
use crate::server::Server;
use crate::waiting::Objects;

checks![
    a_job_runs_out_of_time,
    a_deadline_waits_for_pods_that_go,
    a_deadline_is_of_the_time_since_it_was_resumed,
    a_deadline_that_is_not_reached,
    a_finished_job_goes_with_its_pods,
    a_failed_job_goes_too,
    no_time_to_live_at_all,
    a_time_to_live_may_come_late,
    a_running_job_lives,
];

async fn a_job_runs_out_of_time(s: &Server) {
    s.make_job(job(
        "a",
        json!({"activeDeadlineSeconds": 2, "parallelism": 2, "completions": 2}),
    ))
    .await;
    s.live_pods("a", 2).await;
    let end = s.ended_job("a").await;
    for kind in ["FailureTarget", "Failed"] {
        s.like(
            &condition(&end, kind),
            json!({
                "reason": "DeadlineExceeded",
                "message": "Job was active longer than specified deadline",
            }),
        );
    }
    s.like(
        &end,
        json!({"status": {"active": null, "failed": 2, "ready": 0, "terminating": 0}}),
    );
    s.until("pods are gone", &s.pods(""), &[], Objects::is_empty)
        .await;
}

async fn a_deadline_waits_for_pods_that_go(s: &Server) {
    s.make_job(held_job("a", json!({"activeDeadlineSeconds": 1})))
        .await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.keys().next().unwrap();
    let now = s
        .until_job("out of time", "a", |j| {
            is_true(j, "FailureTarget") && j["status"]["terminating"] == 1
        })
        .await;
    s.same(&condition(&now, "Failed"), Value::Null);
    s.like(
        &condition(&now, "FailureTarget"),
        json!({"reason": "DeadlineExceeded"}),
    );
    s.force_away(pod).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "DeadlineExceeded"}),
    );
}

async fn a_deadline_is_of_the_time_since_it_was_resumed(s: &Server) {
    s.make_job(job(
        "a",
        json!({"activeDeadlineSeconds": 3, "suspend": true}),
    ))
    .await;
    let first = s
        .until_job("suspended", "a", |j| is_true(j, "Suspended"))
        .await;
    s.like(&first, json!({"status": {"startTime": null}}));
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": false}}))
        .await;
    let resumed = s
        .until_job("resumed", "a", |j| !j["status"]["startTime"].is_null())
        .await;
    let end = s.ended_job("a").await;
    s.same(
        &end["status"]["startTime"],
        resumed["status"]["startTime"].clone(),
    );
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "DeadlineExceeded"}),
    );
}

async fn a_deadline_that_is_not_reached(s: &Server) {
    s.make_job(job("a", json!({"activeDeadlineSeconds": 600})))
        .await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    s.equal(
        "conditions",
        conditions(&end).join(" "),
        "SuccessCriteriaMet=True Complete=True".to_owned(),
    );
}

async fn a_finished_job_goes_with_its_pods(s: &Server) {
    let made = s
        .make_job(job("a", json!({"ttlSecondsAfterFinished": 1})))
        .await;
    let pods = s.live_pods("a", 1).await;
    let from = made.at("/metadata/resourceVersion");
    let mut watch = s.watch(&s.jobs(""), &[("resourceVersion", &from)]).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let seen = watch.until(|e| e.kind == "DELETED").await;
    // Its pods first.
    s.like(
        &seen.last().unwrap().object,
        json!({"metadata": {"deletionTimestamp": "*", "finalizers": ["foregroundDeletion"]}}),
    );
    s.equal("pods", s.get(&s.pods("")).await.names().len(), 0);
    s.holds(
        "it was complete",
        is_true(&seen.last().unwrap().object, "Complete"),
    );
}

async fn a_failed_job_goes_too(s: &Server) {
    s.make_job(job(
        "a",
        json!({"ttlSecondsAfterFinished": 1, "backoffLimit": 0}),
    ))
    .await;
    let pods = s.live_pods("a", 1).await;
    s.exits(pods.keys().next().unwrap(), 1).await;
    s.until_gone(&s.jobs(""), "a").await;
    s.until("pods are gone", &s.pods(""), &[], Objects::is_empty)
        .await;
    s.get(&s.jobs("/a")).await.is(404);
}

async fn no_time_to_live_at_all(s: &Server) {
    s.make_job(job("a", json!({"ttlSecondsAfterFinished": 0})))
        .await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    s.until_gone(&s.jobs(""), "a").await;
    s.get(&s.jobs("/a")).await.is(404);
}

async fn a_time_to_live_may_come_late(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    s.ended_job("a").await;
    s.change(
        &s.jobs("/a"),
        json!({"spec": {"ttlSecondsAfterFinished": 0}}),
    )
    .await;
    s.until_gone(&s.jobs(""), "a").await;
    s.get(&s.jobs("/a")).await.is(404);
}

async fn a_running_job_lives(s: &Server) {
    s.make_job(job("a", json!({"ttlSecondsAfterFinished": 0})))
        .await;
    s.make_job(job("b", json!({"ttlSecondsAfterFinished": 0})))
        .await;
    let pods = s.live_pods("b", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    s.until_gone(&s.jobs(""), "b").await;
    let left = s.get(&s.jobs("/a")).await;
    left.is(200)
        .like(json!({"metadata": {"deletionTimestamp": null}}));
    let all = s.live_pods("a", 1).await;
    s.equal("its pod", live(&all).len(), 1);
    s.holds("started", !text(&left.body, "/status/startTime").is_empty());
}
