//! Pods that cannot be scheduled, and what is said of them.

use serde_json::{Value, json};

use crate::objects::{condition, job, pod};
use crate::reply::text;
use crate::server::Server;

checks![
    too_much_cpu,
    too_much_memory,
    too_much_of_both,
    an_extended_resource_that_nobody_has,
    a_selector_that_nobody_matches,
    some_do_not_match_and_others_are_too_small,
    an_affinity_that_nobody_matches,
    pods_that_want_company,
    pods_that_keep_apart,
    gates,
    a_claim_that_is_not_there,
    an_event_says_so,
    a_pod_that_is_bound,
    a_pod_of_another_scheduler,
    pods_of_a_job_that_cannot_be_scheduled,
    init_containers_count,
];

async fn nodes(s: &Server) -> Vec<String> {
    s.get("/api/v1/nodes").await.ok().names()
}

/// A pod with this merged into its spec, once something was said of its schedule.
async fn unscheduled(s: &Server, spec: Value) -> Value {
    let mut one = pod("a");
    crate::objects::merge(&mut one["spec"], &spec);
    s.post(&s.pods(""), one).await.ok();
    let pod = s
        .until_one("looked at", &s.pods(""), "a", |p| {
            !condition(p, "PodScheduled").is_null()
        })
        .await;
    s.like(
        &pod,
        json!({"spec": {"nodeName": null}, "status": {"phase": "Pending", "startTime": null}}),
    );
    let found = condition(&pod, "PodScheduled");
    s.like(&found, json!({"status": "False"}));
    found
}

/// The message where preemption can't help on any node.
async fn says(s: &Server, spec: Value, why: impl Fn(usize) -> String) {
    let count = nodes(s).await.len();
    let found = unscheduled(s, spec).await;
    let why = why(count);
    s.like(
        &found,
        json!({
            "reason": "Unschedulable",
            "message": format!(
                "0/{count} nodes are available: {why}. preemption: 0/{count} nodes are available: {count} \
                 Preemption is not helpful for scheduling."
            ),
            "lastTransitionTime": "*",
        }),
    );
}

fn asks(requests: Value) -> Value {
    json!({"containers": [{
        "name": "main", "image": "test.local/busybox:1", "resources": {"requests": requests},
    }]})
}

async fn too_much_cpu(s: &Server) {
    says(s, asks(json!({"cpu": "100000"})), |n| {
        format!("{n} Insufficient cpu")
    })
    .await;
}

async fn too_much_memory(s: &Server) {
    says(s, asks(json!({"memory": "5000Ti"})), |n| {
        format!("{n} Insufficient memory")
    })
    .await;
}

async fn too_much_of_both(s: &Server) {
    says(s, asks(json!({"memory": "5000Ti", "cpu": "100000"})), |n| {
        format!("{n} Insufficient cpu, {n} Insufficient memory")
    })
    .await;
}

async fn an_extended_resource_that_nobody_has(s: &Server) {
    let resources = json!({"requests": {"test.io/none": "1"}, "limits": {"test.io/none": "1"}});
    let spec = json!({"containers": [{"name": "main", "image": "x", "resources": resources}]});
    says(s, spec, |n| format!("{n} Insufficient test.io/none")).await;
}

const NO_MATCH: &str = "node(s) didn't match Pod's node affinity/selector";

async fn a_selector_that_nobody_matches(s: &Server) {
    says(s, json!({"nodeSelector": {"test.io/none": "here"}}), |n| {
        format!("{n} {NO_MATCH}")
    })
    .await;
}

async fn some_do_not_match_and_others_are_too_small(s: &Server) {
    let first = nodes(s).await.remove(0);
    let mut spec = asks(json!({"cpu": "100000"}));
    spec["nodeSelector"] = json!({"kubernetes.io/hostname": first});
    says(s, spec, |n| match n {
        1 => "1 Insufficient cpu".to_owned(),
        // Sorted as text.
        n => {
            let mut parts = [
                "1 Insufficient cpu".to_owned(),
                format!("{} {NO_MATCH}", n - 1),
            ];
            parts.sort();
            parts.join(", ")
        }
    })
    .await;
}

async fn an_affinity_that_nobody_matches(s: &Server) {
    let term = json!({"matchExpressions": [
        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["nobody"]},
    ]});
    let affinity = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [term],
    }}});
    says(s, json!({"affinity": affinity}), |n| {
        format!("{n} {NO_MATCH}")
    })
    .await;
}

fn company(kind: &str, label: &str) -> Value {
    json!({"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [{
        "labelSelector": {"matchLabels": {"test.io/with": label}},
        "topologyKey": "kubernetes.io/hostname",
    }]}}})
}

async fn pods_that_want_company(s: &Server) {
    says(s, company("podAffinity", "nobody"), |n| {
        format!("{n} node(s) didn't match pod affinity rules")
    })
    .await;
}

async fn pods_that_keep_apart(s: &Server) {
    let first = nodes(s).await.remove(0);
    let placed = |name: &str| {
        let mut one = pod(name);
        one["metadata"]["labels"] = json!({"test.io/with": "me"});
        crate::objects::merge(&mut one["spec"], &company("podAntiAffinity", "me"));
        one["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": first});
        one
    };
    s.post(&s.pods(""), placed("a")).await.ok();
    s.until_one("bound", &s.pods(""), "a", |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await;
    s.post(&s.pods(""), placed("b")).await.ok();
    let second = s
        .until_one("looked at", &s.pods(""), "b", |p| {
            condition(p, "PodScheduled")["status"] == "False"
        })
        .await;
    let message = text(&condition(&second, "PodScheduled"), "/message");
    s.holds(
        &message,
        message.contains("1 node(s) didn't match pod anti-affinity rules"),
    );
    s.delete(&s.pods("/a"), json!({"gracePeriodSeconds": 0}))
        .await
        .is(200);
    s.until_one("bound", &s.pods(""), "b", |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await;
}

async fn gates(s: &Server) {
    let gated = json!({"schedulingGates": [{"name": "test.io/gate"}]});
    let found = unscheduled(s, gated).await;
    s.like(
        &found,
        json!({
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        }),
    );
    s.change(&s.pods("/a"), json!({"spec": {"schedulingGates": null}}))
        .await;
    s.until_one("bound", &s.pods(""), "a", |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await;
}

async fn a_claim_that_is_not_there(s: &Server) {
    let count = nodes(s).await.len();
    let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]);
    let found = unscheduled(s, json!({"volumes": volumes})).await;
    s.like(
        &found,
        json!({
            "reason": "Unschedulable",
            "message": format!(
                "0/{count} nodes are available: persistentvolumeclaim \"none\" not found. not found"
            ),
        }),
    );
}

async fn an_event_says_so(s: &Server) {
    let found = unscheduled(s, json!({"nodeSelector": {"test.io/none": "here"}})).await;
    let uid = s.get(&s.pods("/a")).await.at("/metadata/uid");
    let with = format!("involvedObject.uid={uid},reason=FailedScheduling");
    let events = s
        .until(
            "an event",
            &s.core("events"),
            &[("fieldSelector", &with)],
            |all| !all.is_empty(),
        )
        .await;
    s.like(
        events.values().next().unwrap(),
        json!({
            "type": "Warning",
            "message": found["message"],
            "reportingComponent": "default-scheduler",
            "action": "Scheduling",
            "eventTime": "*",
            "involvedObject": {"kind": "Pod", "name": "a"},
        }),
    );
}

async fn a_pod_that_is_bound(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    let bound = s
        .until_one("bound", &s.pods(""), "a", |p| {
            condition(p, "PodScheduled")["status"] == "True"
        })
        .await;
    let node = text(&bound, "/spec/nodeName");
    s.holds(&node, nodes(s).await.contains(&node));
    s.like(
        &condition(&bound, "PodScheduled"),
        json!({"reason": null, "message": null}),
    );
    let with = format!(
        "involvedObject.uid={},reason=Scheduled",
        text(&bound, "/metadata/uid")
    );
    let events = s
        .until(
            "an event",
            &s.core("events"),
            &[("fieldSelector", &with)],
            |all| !all.is_empty(),
        )
        .await;
    s.like(
        events.values().next().unwrap(),
        json!({
            "type": "Normal",
            "message": format!("Successfully assigned {}/a to {node}", s.ns),
            "reportingComponent": "default-scheduler",
        }),
    );
}

async fn a_pod_of_another_scheduler(s: &Server) {
    let mut other = pod("a");
    other["spec"]["schedulerName"] = json!("nobody");
    s.post(&s.pods(""), other).await.ok();
    s.post(&s.pods(""), pod("b")).await.ok();
    s.until_one("bound", &s.pods(""), "b", |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await;
    let left = s.get(&s.pods("/a")).await;
    left.like(json!({"spec": {"nodeName": null}, "status": {"conditions": null}}));
}

async fn pods_of_a_job_that_cannot_be_scheduled(s: &Server) {
    let selector = json!({"template": {"spec": {"nodeSelector": {"test.io/none": "here"}}}});
    s.make_job(job("a", selector)).await;
    s.until("a pod that waits", &s.pods(""), &[], |pods| {
        pods.values()
            .any(|p| condition(p, "PodScheduled")["reason"] == "Unschedulable")
    })
    .await;
    let now = s
        .until_job("active", "a", |j| j["status"]["active"] == 1)
        .await;
    s.like(
        &now,
        json!({"status": {"ready": 0, "failed": null, "conditions": null}}),
    );
    // Such a pod is gone at once.
    s.change(&s.jobs("/a"), json!({"spec": {"suspend": true}}))
        .await;
    s.until(
        "no pods",
        &s.pods(""),
        &[],
        crate::waiting::Objects::is_empty,
    )
    .await;
}

async fn init_containers_count(s: &Server) {
    let mut spec = asks(json!({"cpu": "1"}));
    spec["initContainers"] = json!([
        {"name": "init", "image": "x", "resources": {"requests": {"cpu": "100000"}}},
    ]);
    says(s, spec, |n| format!("{n} Insufficient cpu")).await;
}
