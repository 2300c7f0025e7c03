//! Events of the Job controller.

use serde_json::{Value, json};

use crate::objects::{idle_job, job};
use crate::reply::text;
use crate::server::Server;

checks![
    pods_made,
    pods_deleted,
    a_job_that_completes,
    a_job_that_fails,
    a_job_of_a_policy,
    one_event_for_each_pod,
];

/// Waits for an event of a Job.
async fn event(s: &Server, uid: &str, reason: &str) -> Value {
    let with = format!("involvedObject.uid={uid},reason={reason}");
    let events = s
        .until(
            reason,
            &s.core("events"),
            &[("fieldSelector", &with)],
            |all| !all.is_empty(),
        )
        .await;
    events.into_values().next().unwrap()
}

async fn pods_made(s: &Server) {
    let made = s.make_job(job("a", json!({}))).await;
    let uid = made.at("/metadata/uid");
    let pods = s.live_pods("a", 1).await;
    let found = event(s, &uid, "SuccessfulCreate").await;
    s.like(
        &found,
        json!({
            "type": "Normal",
            "message": format!("Created pod: {}", pods.keys().next().unwrap()),
            "involvedObject": {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": "a",
                "namespace": s.ns,
                "uid": uid,
                "resourceVersion": "*",
            },
            "source": {"component": "job-controller"},
            "reportingComponent": "job-controller",
            "count": 1,
            "firstTimestamp": "*",
            "lastTimestamp": "*",
        }),
    );
    s.holds(
        &text(&found, "/metadata/name"),
        text(&found, "/metadata/name").starts_with("a."),
    );
}

async fn pods_deleted(s: &Server) {
    let made = s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": true}}))
        .await;
    let found = event(s, &made.at("/metadata/uid"), "SuccessfulDelete").await;
    s.like(
        &found,
        json!({
            "type": "Normal",
            "message": format!("Deleted pod: {}", pods.keys().next().unwrap()),
        }),
    );
}

async fn a_job_that_completes(s: &Server) {
    let made = s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let found = event(s, &made.at("/metadata/uid"), "Completed").await;
    s.like(
        &found,
        json!({"type": "Normal", "message": "Job completed"}),
    );
}

async fn a_job_that_fails(s: &Server) {
    let made = s.make_job(job("a", json!({"backoffLimit": 0}))).await;
    let pods = s.live_pods("a", 1).await;
    s.exits(pods.keys().next().unwrap(), 1).await;
    let found = event(s, &made.at("/metadata/uid"), "BackoffLimitExceeded").await;
    s.like(
        &found,
        json!({"type": "Warning", "message": "Job has reached the specified backoff limit"}),
    );
}

async fn a_job_of_a_policy(s: &Server) {
    let rule = json!({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [7]}});
    let made = s
        .make_job(job("a", json!({"podFailurePolicy": {"rules": [rule]}})))
        .await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.keys().next().unwrap();
    s.exits(pod, 7).await;
    let found = event(s, &made.at("/metadata/uid"), "PodFailurePolicy").await;
    s.like(
        &found,
        json!({
            "type": "Warning",
            "message": format!(
                "Container main for pod {}/{pod} failed with exit code 7 matching FailJob rule at index 0",
                s.ns
            ),
        }),
    );
}

async fn one_event_for_each_pod(s: &Server) {
    let made = s
        .make_job(job("a", json!({"parallelism": 3, "completions": 3})))
        .await;
    s.make_job(idle_job("b")).await;
    let pods = s.live_pods("a", 3).await;
    let with = format!(
        "involvedObject.uid={},reason=SuccessfulCreate",
        made.at("/metadata/uid")
    );
    let events = s
        .until(
            "three events",
            &s.core("events"),
            &[("fieldSelector", &with)],
            |all| all.len() == 3,
        )
        .await;
    let mut told: Vec<String> = events.values().map(|e| text(e, "/message")).collect();
    told.sort();
    let mut expected: Vec<String> = pods.keys().map(|p| format!("Created pod: {p}")).collect();
    expected.sort();
    s.equal("messages", told, expected);
}
