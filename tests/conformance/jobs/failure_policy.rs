//! podFailurePolicy.

use serde_json::{Value, json};

use crate::objects::{condition, conditions, is_true, job};
use crate::server::Server;

checks![
    fail_job_by_exit_code,
    fail_job_names_the_container,
    ignore_by_exit_code,
    ignore_by_condition,
    count_counts,
    fail_job_by_condition,
    the_first_rule_that_matches,
    not_in,
    a_rule_for_one_container,
    init_containers_count_too,
    a_success_matches_nothing,
    conditions_must_have_the_status,
    a_terminating_pod_is_looked_at_when_it_has_ended,
];

fn with(rules: Value) -> Value {
    json!({"backoffLimit": 3, "podFailurePolicy": {"rules": rules}})
}

fn codes(action: &str, operator: &str, values: Value) -> Value {
    json!({"action": action, "onExitCodes": {"operator": operator, "values": values}})
}

/// The only live pod of the Job.
async fn only(s: &Server) -> String {
    s.live_pods("a", 1).await.into_keys().next().unwrap()
}

async fn fail_job_by_exit_code(s: &Server) {
    s.make_job(job(
        "a",
        with(json!([codes("FailJob", "In", json!([3, 7]))])),
    ))
    .await;
    let pod = only(s).await;
    s.exits(&pod, 7).await;
    let end = s.ended_job("a").await;
    let message = format!(
        "Container main for pod {}/{pod} failed with exit code 7 matching FailJob rule at index 0",
        s.ns
    );
    s.equal(
        "conditions",
        conditions(&end).join(" "),
        "FailureTarget=True Failed=True".to_owned(),
    );
    for kind in ["FailureTarget", "Failed"] {
        s.like(
            &condition(&end, kind),
            json!({"reason": "PodFailurePolicy", "message": message}),
        );
    }
    s.like(&end, json!({"status": {"failed": 1, "active": null}}));
}

async fn fail_job_names_the_container(s: &Server) {
    let mut one = job("a", with(json!([codes("FailJob", "In", json!([7]))])));
    one["spec"]["template"]["spec"]["containers"] =
        json!([{"name": "main", "image": "x"}, {"name": "side", "image": "x"}]);
    s.make_job(one).await;
    let pod = only(s).await;
    let ended = |name: &str, code: i32| {
        json!({
            "name": name, "image": "x", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"terminated": {"exitCode": code, "reason": "Error"}},
        })
    };
    s.pod_status(
        &pod,
        json!({"phase": "Failed", "containerStatuses": [ended("main", 0), ended("side", 7)]}),
    )
    .await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({"message": format!(
            "Container side for pod {}/{pod} failed with exit code 7 matching FailJob rule at index 0",
            s.ns
        )}),
    );
}

async fn ignore_by_exit_code(s: &Server) {
    let mut spec = with(json!([codes("Ignore", "In", json!([7]))]));
    spec["backoffLimit"] = json!(0);
    s.make_job(job("a", spec)).await;
    let first = only(s).await;
    s.exits(&first, 7).await;
    // Another, as if nothing had been.
    s.until("another", &s.pods(""), &[], |all| all.len() == 2)
        .await;
    let second = only(s).await;
    s.succeeds(&second).await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"failed": null, "succeeded": 1}}));
    s.holds("complete", is_true(&end, "Complete"));
}

async fn disrupted(s: &Server, pod: &str, status: &str) {
    s.pod_status(
        pod,
        json!({
            "phase": "Failed",
            "conditions": [{"type": "DisruptionTarget", "status": status, "reason": "EvictionByEvictionAPI"}],
        }),
    )
    .await;
}

async fn ignore_by_condition(s: &Server) {
    let mut spec = with(json!([
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
    ]));
    spec["backoffLimit"] = json!(0);
    s.make_job(job("a", spec)).await;
    let first = only(s).await;
    disrupted(s, &first, "True").await;
    s.until("another", &s.pods(""), &[], |all| all.len() == 2)
        .await;
    let second = only(s).await;
    s.exits(&second, 1).await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"failed": 1}}));
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "BackoffLimitExceeded"}),
    );
}

async fn count_counts(s: &Server) {
    let mut spec = with(json!([
        codes("Count", "In", json!([7])),
        codes("FailJob", "NotIn", json!([7])),
    ]));
    spec["backoffLimit"] = json!(0);
    s.make_job(job("a", spec)).await;
    let pod = only(s).await;
    s.exits(&pod, 7).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "BackoffLimitExceeded"}),
    );
    s.like(&end, json!({"status": {"failed": 1}}));
}

async fn fail_job_by_condition(s: &Server) {
    s.make_job(job(
        "a",
        with(json!([
            codes("Count", "In", json!([9])),
            {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]},
        ])),
    ))
    .await;
    let pod = only(s).await;
    disrupted(s, &pod, "True").await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({
            "reason": "PodFailurePolicy",
            "message": format!(
                "Pod {}/{pod} has condition DisruptionTarget matching FailJob rule at index 1",
                s.ns
            ),
        }),
    );
}

async fn the_first_rule_that_matches(s: &Server) {
    s.make_job(job(
        "a",
        with(json!([
            codes("Ignore", "In", json!([5])),
            codes("Count", "In", json!([7])),
            codes("FailJob", "In", json!([7, 8])),
        ])),
    ))
    .await;
    let first = only(s).await;
    s.exits(&first, 7).await;
    s.until_job("counted", "a", |j| j["status"]["failed"] == 1)
        .await;
    let second = only(s).await;
    s.exits(&second, 8).await;
    let end = s.ended_job("a").await;
    let message = crate::reply::text(&condition(&end, "Failed"), "/message");
    s.holds(
        &message,
        message.ends_with("exit code 8 matching FailJob rule at index 2"),
    );
}

async fn not_in(s: &Server) {
    s.make_job(job(
        "a",
        with(json!([codes("FailJob", "NotIn", json!([0, 1, 2]))])),
    ))
    .await;
    let first = only(s).await;
    s.exits(&first, 2).await;
    let now = s
        .until_job("counted", "a", |j| j["status"]["failed"] == 1)
        .await;
    s.like(&now, json!({"status": {"conditions": null}}));
    let second = only(s).await;
    s.exits(&second, 137).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "PodFailurePolicy"}),
    );
}

async fn a_rule_for_one_container(s: &Server) {
    let rule = json!({
        "action": "FailJob",
        "onExitCodes": {"containerName": "side", "operator": "In", "values": [7]},
    });
    let mut one = job("a", with(json!([rule])));
    one["spec"]["template"]["spec"]["containers"] =
        json!([{"name": "main", "image": "x"}, {"name": "side", "image": "x"}]);
    s.make_job(one).await;
    let pod = only(s).await;
    // It is the main container that has the code.
    s.exits(&pod, 7).await;
    let now = s
        .until_job("counted", "a", |j| j["status"]["failed"] == 1)
        .await;
    s.like(&now, json!({"status": {"conditions": null}}));
    let next = only(s).await;
    s.holds("another", next != pod);
}

async fn init_containers_count_too(s: &Server) {
    let mut one = job("a", with(json!([codes("FailJob", "In", json!([7]))])));
    one["spec"]["template"]["spec"]["initContainers"] = json!([{"name": "init", "image": "x"}]);
    s.make_job(one).await;
    let pod = only(s).await;
    s.pod_status(
        &pod,
        json!({"phase": "Failed", "initContainerStatuses": [{
            "name": "init", "image": "x", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"terminated": {"exitCode": 7}},
        }]}),
    )
    .await;
    let end = s.ended_job("a").await;
    let message = crate::reply::text(&condition(&end, "Failed"), "/message");
    s.holds(&message, message.starts_with("Container init for pod "));
}

async fn a_success_matches_nothing(s: &Server) {
    s.make_job(job(
        "a",
        with(json!([codes("FailJob", "NotIn", json!([5]))])),
    ))
    .await;
    let pod = only(s).await;
    s.succeeds(&pod).await;
    let end = s.ended_job("a").await;
    s.like(&condition(&end, "Complete"), json!({"status": "True"}));
}

async fn conditions_must_have_the_status(s: &Server) {
    s.make_job(job(
        "a",
        with(json!([{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]}])),
    ))
    .await;
    let pod = only(s).await;
    disrupted(s, &pod, "False").await;
    let now = s
        .until_job("counted", "a", |j| j["status"]["failed"] == 1)
        .await;
    s.like(&now, json!({"status": {"conditions": null}}));
}

async fn a_terminating_pod_is_looked_at_when_it_has_ended(s: &Server) {
    let mut one = crate::objects::held_job("a", with(json!([codes("FailJob", "In", json!([7]))])));
    one["spec"]["parallelism"] = json!(1);
    s.make_job(one).await;
    let pod = only(s).await;
    s.runs(&pod, true).await;
    s.until_job("ready", "a", |j| j["status"]["ready"] == 1)
        .await;
    s.delete(&s.pods(&format!("/{pod}")), Value::Null)
        .await
        .is(200);
    let now = s
        .until_job("terminating", "a", |j| j["status"]["terminating"] == 1)
        .await;
    s.like(
        &now,
        json!({"status": {"failed": null, "active": null, "conditions": null}}),
    );
    s.exits(&pod, 7).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "PodFailurePolicy"}),
    );
}
