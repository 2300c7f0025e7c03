//! Suspended and resumed Jobs.

use serde_json::json;

use crate::objects::{condition, conditions, held_job, idle_job, is_true, job};
use crate::reply::text;
use crate::server::Server;

checks![
    a_job_that_is_made_suspended,
    a_job_that_is_resumed,
    a_job_that_is_suspended,
    suspended_while_pods_are_terminating,
    successes_are_kept,
    a_template_changes_while_suspended,
    events_of_both,
    suspended_at_the_end,
];

async fn suspended(s: &Server) -> serde_json::Value {
    s.until_job("suspended", "a", |j| is_true(j, "Suspended"))
        .await
}

async fn a_job_that_is_made_suspended(s: &Server) {
    s.make_job(idle_job("a")).await;
    let now = suspended(s).await;
    s.same(
        &now["status"]["conditions"],
        json!([{
            "type": "Suspended",
            "status": "True",
            "reason": "JobSuspended",
            "message": "Job suspended",
            "lastProbeTime": "*",
            "lastTransitionTime": "*",
        }]),
    );
    s.like(
        &now,
        json!({"status": {"startTime": null, "active": null, "ready": 0, "terminating": 0}}),
    );
    s.equal("no pods", s.get(&s.pods("")).await.names().len(), 0);
}

async fn a_job_that_is_resumed(s: &Server) {
    s.make_job(idle_job("a")).await;
    suspended(s).await;
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": false}}))
        .await;
    let now = s
        .until_job("runs", "a", |j| j["status"]["active"] == 1)
        .await;
    s.like(
        &condition(&now, "Suspended"),
        json!({"status": "False", "reason": "JobResumed", "message": "Job resumed"}),
    );
    s.like(
        &now,
        json!({"status": {"startTime": "*"}, "metadata": {"generation": 2}}),
    );
    s.equal("one condition", conditions(&now).len(), 1);
    s.live_pods("a", 1).await;
}

async fn a_job_that_is_suspended(s: &Server) {
    s.make_job(job("a", json!({"parallelism": 2, "completions": 2})))
        .await;
    for pod in s.live_pods("a", 2).await.keys() {
        s.runs(pod, true).await;
    }
    s.until_job("ready", "a", |j| j["status"]["ready"] == 2)
        .await;
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": true}}))
        .await;
    let now = suspended(s).await;
    s.like(&now, json!({"status": {"startTime": null}}));
    s.live_pods("a", 0).await;
    let now = s
        .until_job("all are gone", "a", |j| {
            j["status"]["terminating"] == 0 && j["status"]["active"].is_null()
        })
        .await;
    // Who had to go did not fail.
    s.like(
        &now,
        json!({"status": {"ready": 0, "succeeded": null, "startTime": null}}),
    );
    s.equal(
        "still suspended",
        conditions(&now).join(" "),
        "Suspended=True".to_owned(),
    );
}

async fn suspended_while_pods_are_terminating(s: &Server) {
    s.make_job(held_job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.keys().next().unwrap();
    s.runs(pod, true).await;
    s.until_job("ready", "a", |j| j["status"]["ready"] == 1)
        .await;
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": true}}))
        .await;
    let now = suspended(s).await;
    s.like(
        &now,
        json!({"status": {"active": null, "ready": 0, "terminating": 1, "startTime": null}}),
    );
    s.force_away(pod).await;
    s.until_job("gone", "a", |j| j["status"]["terminating"] == 0)
        .await;
}

async fn successes_are_kept(s: &Server) {
    s.make_job(job("a", json!({"completions": 2, "parallelism": 1})))
        .await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    s.until_job("one done", "a", |j| {
        j["status"]["succeeded"] == 1 && j["status"]["active"] == 1
    })
    .await;
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": true}}))
        .await;
    let now = suspended(s).await;
    s.like(&now, json!({"status": {"succeeded": 1}}));
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": false}}))
        .await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"succeeded": 2}}));
    s.equal(
        "conditions",
        conditions(&end).join(" "),
        "Suspended=False SuccessCriteriaMet=True Complete=True".to_owned(),
    );
}

async fn a_template_changes_while_suspended(s: &Server) {
    s.make_job(idle_job("a")).await;
    suspended(s).await;
    let template = json!({"spec": {"template": {
        "metadata": {"labels": {"q": "r"}},
        "spec": {"tolerations": [{"key": "test.io/a", "operator": "Exists"}]},
    }}});
    s.change(&s.jobs("/a"), template).await;
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": false}}))
        .await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.values().next().unwrap();
    s.like(pod, json!({"metadata": {"labels": {"q": "r"}}}));
    s.like(&pod["spec"]["tolerations"][0], json!({"key": "test.io/a"}));
}

async fn events_of_both(s: &Server) {
    let made = s.make_job(idle_job("a")).await;
    suspended(s).await;
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": false}}))
        .await;
    s.live_pods("a", 1).await;
    let with = format!("involvedObject.uid={}", made.at("/metadata/uid"));
    let events = s
        .until(
            "events",
            &s.core("events"),
            &[("fieldSelector", &with)],
            |all| {
                ["Suspended", "Resumed", "SuccessfulCreate"]
                    .iter()
                    .all(|reason| all.values().any(|e| e["reason"] == *reason))
            },
        )
        .await;
    let message = |reason: &str| {
        let event = events.values().find(|e| e["reason"] == reason).unwrap();
        (text(event, "/type"), text(event, "/message"))
    };
    let normal = |message: &str| ("Normal".to_owned(), message.to_owned());
    s.equal("suspended", message("Suspended"), normal("Job suspended"));
    s.equal("resumed", message("Resumed"), normal("Job resumed"));
}

async fn suspended_at_the_end(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    s.succeeds(pods.keys().next().unwrap()).await;
    s.ended_job("a").await;
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": true}}))
        .await
        .is(200);
    let now = s.get(&s.jobs("/a")).await.body;
    s.equal(
        "conditions",
        conditions(&now).join(" "),
        "SuccessCriteriaMet=True Complete=True".to_owned(),
    );
}
