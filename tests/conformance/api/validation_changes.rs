//! Changes of Jobs that are refused, with every cause.

use serde_json::{Value, json};

use crate::objects::{idle_job, job};
use crate::server::{MERGE, Server};

checks![
    immutable_fields,
    elastic_indexed_jobs,
    a_template_of_a_suspended_job,
    a_template_of_a_running_job,
    status_counters,
    status_conditions,
];

const INVALID: &str = "FieldValueInvalid";

const REQUIRED: &str = "FieldValueRequired";

const IMMUTABLE: &str = "field is immutable";

async fn template_refused(s: &Server, patch: Value) {
    let reply = s.patch(&s.jobs("/a"), MERGE, patch).await;
    reply
        .is(422)
        .like(json!({"details": {"causes": [{"reason": INVALID}]}}));
    s.holds(
        &reply.text,
        reply.text.contains("\"field\":\"spec.template"),
    );
    let message = reply.at("/message");
    s.holds(&message, message.ends_with(": field is immutable"));
}

async fn immutable_fields(s: &Server) {
    s.make_job(job("a", json!({"suspend": true, "completions": 2})))
        .await;
    for (field, value, shown) in [
        ("completions", json!(3), "3"),
        ("completionMode", json!("Indexed"), "\"Indexed\""),
        ("managedBy", json!("a.b/c"), "\"a.b/c\""),
    ] {
        let mut patch = json!({"spec": {}});
        patch["spec"][field] = value;
        s.patch(&s.jobs("/a"), MERGE, patch).await.invalid(
            "Job.batch",
            "a",
            &[(
                INVALID,
                &format!("Invalid value: {shown}: {IMMUTABLE}"),
                &format!("spec.{field}"),
            )],
        );
    }
    let selector = json!({"spec": {"selector": {"matchLabels": {"x": "y"}}}});
    s.patch(&s.jobs("/a"), MERGE, selector)
        .await
        .is(422)
        .like(json!({
            "details": {"causes": [
                {"reason": INVALID, "field": "spec.template.metadata.labels"},
                {"reason": INVALID, "field": "spec.selector"},
            ]},
        }));
    let may = json!({"spec": {
        "podReplacementPolicy": "Failed", "backoffLimit": 2, "activeDeadlineSeconds": 900,
        "ttlSecondsAfterFinished": 100, "parallelism": 7,
    }});
    s.patch(&s.jobs("/a"), MERGE, may.clone())
        .await
        .is(200)
        .like(may);
}

async fn elastic_indexed_jobs(s: &Server) {
    s.make_job(job(
        "a",
        json!({"suspend": true, "completions": 2, "parallelism": 2, "completionMode": "Indexed"}),
    ))
    .await;
    s.patch(&s.jobs("/a"), MERGE, json!({"spec": {"completions": 3}}))
        .await
        .invalid(
            "Job.batch",
            "a",
            &[(
                INVALID,
                "Invalid value: 3: can only be modified in tandem with spec.parallelism",
                "spec.completions",
            )],
        );
    let both = json!({"spec": {"completions": 3, "parallelism": 3}});
    s.patch(&s.jobs("/a"), MERGE, both.clone())
        .await
        .is(200)
        .like(both);
}

async fn a_template_of_a_suspended_job(s: &Server) {
    s.make_job(idle_job("a")).await;
    let patch = json!({"spec": {"template": {
        "metadata": {"labels": {"q": "r"}, "annotations": {"q": "r"}},
        "spec": {
            "nodeSelector": {"a": "b"},
            "tolerations": [{"operator": "Exists"}],
            "schedulingGates": [{"name": "test.io/gate"}],
        },
    }}});
    s.patch(&s.jobs("/a"), MERGE, patch.clone())
        .await
        .is(200)
        .like(patch);
    // Not everything, even then.
    let grace = json!({"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 3}}}});
    template_refused(s, grace).await;
}

async fn a_template_of_a_running_job(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    s.until_job("started", "a", |j| j["status"]["active"] == 1)
        .await;
    for patch in [
        json!({"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}),
        json!({"spec": {"template": {"metadata": {"labels": {"q": "r"}}}}}),
        json!({"spec": {"template": {"metadata": {"annotations": {"q": "r"}}}}}),
    ] {
        template_refused(s, patch).await;
    }
}

async fn status_counters(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.until_job("suspended", "a", |j| {
        crate::objects::is_true(j, "Suspended")
    })
    .await;
    let path = s.jobs("/a/status");
    s.patch(&path, MERGE, json!({"status": {"active": -1}}))
        .await
        .invalid(
            "Job.batch",
            "a",
            &[
                (
                    INVALID,
                    "Invalid value: -1: must be greater than or equal to 0",
                    "status.active",
                ),
                (
                    INVALID,
                    "Invalid value: 0: cannot set more ready pods than active",
                    "status.ready",
                ),
            ],
        );
    s.patch(&path, MERGE, json!({"status": {"ready": 3}}))
        .await
        .invalid(
            "Job.batch",
            "a",
            &[(
                INVALID,
                "Invalid value: 3: cannot set more ready pods than active",
                "status.ready",
            )],
        );
}

async fn status_conditions(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.until_job("suspended", "a", |j| {
        crate::objects::is_true(j, "Suspended")
    })
    .await;
    let path = s.jobs("/a/status");
    let conditions = |types: &[&str]| {
        let all: Vec<Value> = types
            .iter()
            .map(|t| json!({"type": t, "status": "True"}))
            .collect();
        json!({"status": {"conditions": all}})
    };
    let started = (
        REQUIRED,
        "Required value: startTime is required for finished job",
        "status.startTime",
    );
    let completed = (
        REQUIRED,
        "Required value: completionTime is required for Complete jobs",
        "status.completionTime",
    );
    let criteria = (
        INVALID,
        "Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        "status.conditions",
    );
    s.patch(&path, MERGE, conditions(&["Complete"]))
        .await
        .invalid("Job.batch", "a", &[completed, criteria, started]);
    s.patch(&path, MERGE, conditions(&["Complete", "Failed"]))
        .await
        .invalid(
            "Job.batch",
            "a",
            &[
                (
                    INVALID,
                    "Invalid value: cannot set Complete=True and Failed=true conditions",
                    "status.conditions",
                ),
                completed,
                (
                    INVALID,
                    "Invalid value: cannot set Failed=True condition without the FailureTarget=true \
                     condition",
                    "status.conditions",
                ),
                criteria,
                started,
            ],
        );
}
