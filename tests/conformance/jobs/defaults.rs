//! What a new Job and its pods look like.

use serde_json::{Value, json};

use crate::objects::{job, of_job};
use crate::reply::text;
use crate::server::Server;

checks![
    a_job_is_filled_up,
    an_indexed_job_is_filled_up,
    parallelism_alone_makes_a_work_queue,
    completions_alone,
    a_failure_policy_replaces_failed_pods,
    a_limit_per_index_lifts_the_other,
    a_pod_of_a_job,
    labels_and_annotations_reach_pods,
    pods_of_an_indexed_job,
    indexes_are_in_the_environment_of_all_containers,
    the_own_environment_wins,
    pods_of_a_job_with_a_manual_selector,
    a_hostname_of_the_template,
    a_long_name_is_cut_for_pods,
    the_status_of_a_new_job,
];

async fn a_job_is_filled_up(s: &Server) {
    let made = s.make_job(job("a", json!({}))).await;
    let uid = made.at("/metadata/uid");
    let labels = json!({
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": "a",
        "controller-uid": uid,
        "job-name": "a",
    });
    s.same(
        &made.body["spec"],
        json!({
            "parallelism": 1,
            "completions": 1,
            "backoffLimit": 6,
            "completionMode": "NonIndexed",
            "suspend": false,
            "manualSelector": false,
            "podReplacementPolicy": "TerminatingOrFailed",
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}},
            "template": {
                "metadata": {
                    "labels": labels,
                    "annotations": {"kubectl-jobset.test/manual": "true"},
                },
                "spec": {
                    "containers": [{
                        "name": "main",
                        "image": "test.local/busybox:1",
                        "imagePullPolicy": "IfNotPresent",
                        "resources": {},
                        "terminationMessagePath": "/dev/termination-log",
                        "terminationMessagePolicy": "File",
                    }],
                    "restartPolicy": "Never",
                    "terminationGracePeriodSeconds": 30,
                    "dnsPolicy": "ClusterFirst",
                    "securityContext": {},
                    "schedulerName": "default-scheduler",
                },
            },
        }),
    );
    s.same(&made.body["metadata"]["labels"], labels);
    s.same(&made.body["status"], json!({}));
    made.like(json!({"metadata": {"annotations": null, "finalizers": null}}));
}

async fn an_indexed_job_is_filled_up(s: &Server) {
    s.post(
        &s.jobs("?dryRun=All"),
        job("a", json!({"completionMode": "Indexed"})),
    )
    .await
    .is(201)
    .like(json!({"spec": {"completions": 1, "parallelism": 1, "completionMode": "Indexed"}}));
    s.post(
        &s.jobs("?dryRun=All"),
        job("a", json!({"completionMode": "Indexed", "completions": 5})),
    )
    .await
    .like(json!({"spec": {"completions": 5, "parallelism": 1}}));
}

async fn parallelism_alone_makes_a_work_queue(s: &Server) {
    s.post(&s.jobs("?dryRun=All"), job("a", json!({"parallelism": 3})))
        .await
        .like(json!({"spec": {"completions": null, "parallelism": 3}}));
}

async fn completions_alone(s: &Server) {
    s.post(&s.jobs("?dryRun=All"), job("a", json!({"completions": 3})))
        .await
        .like(json!({"spec": {"completions": 3, "parallelism": 1}}));
}

async fn a_failure_policy_replaces_failed_pods(s: &Server) {
    let rules = json!([{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]);
    s.post(
        &s.jobs("?dryRun=All"),
        job("a", json!({"podFailurePolicy": {"rules": rules}})),
    )
    .await
    .like(json!({"spec": {
        "podReplacementPolicy": "Failed",
        "podFailurePolicy": {"rules": [{"onPodConditions": [{"status": "True"}]}]},
    }}));
}

async fn a_limit_per_index_lifts_the_other(s: &Server) {
    s.post(
        &s.jobs("?dryRun=All"),
        job(
            "a",
            json!({"completionMode": "Indexed", "completions": 2, "backoffLimitPerIndex": 1}),
        ),
    )
    .await
    .like(json!({"spec": {"backoffLimit": 2_147_483_647, "backoffLimitPerIndex": 1}}));
}

async fn a_pod_of_a_job(s: &Server) {
    let made = s.make_job(job("a", json!({}))).await;
    let uid = made.at("/metadata/uid");
    let pods = s.live_pods("a", 1).await;
    let (name, pod) = pods.iter().next().unwrap();
    s.holds(name, name.starts_with("a-") && name.len() == 7);
    s.like(
        pod,
        json!({"metadata": {
            "generateName": "a-",
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "ownerReferences": [{
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": "a",
                "uid": uid,
                "controller": true,
                "blockOwnerDeletion": true,
            }],
        }}),
    );
    s.same(
        &pod["metadata"]["labels"],
        json!({
            "batch.kubernetes.io/controller-uid": uid,
            "batch.kubernetes.io/job-name": "a",
            "controller-uid": uid,
            "job-name": "a",
        }),
    );
    s.same(
        &pod["metadata"]["annotations"],
        json!({"kubectl-jobset.test/manual": "true"}),
    );
    s.like(
        pod,
        json!({"spec": {
            "restartPolicy": "Never",
            "hostname": null,
            "subdomain": null,
            "containers": [{"name": "main", "env": null}],
        }}),
    );
}

async fn labels_and_annotations_reach_pods(s: &Server) {
    let mut one = job("a", json!({}));
    one["metadata"]["labels"] = json!({"of": "the-job"});
    one["spec"]["template"]["metadata"]["labels"] = json!({"of": "the-pod"});
    one["spec"]["template"]["metadata"]["annotations"]["x"] = json!("y");
    one["spec"]["template"]["metadata"]["finalizers"] = json!(["test.io/a"]);
    let made = s.make_job(one).await;
    // A Job with labels of its own does not take its pods'; nor they its.
    s.same(&made.body["metadata"]["labels"], json!({"of": "the-job"}));
    let pods = s.live_pods("a", 1).await;
    let (name, pod) = pods.iter().next().unwrap();
    s.like(
        pod,
        json!({"metadata": {
            "labels": {"of": "the-pod", "job-name": "a"},
            "annotations": {"x": "y"},
            "finalizers": ["test.io/a", "batch.kubernetes.io/job-tracking"],
        }}),
    );
    s.change(
        &s.pods(&format!("/{name}")),
        json!({"metadata": {"finalizers": null}}),
    )
    .await;
}

/// An Indexed Job of two.
async fn two(s: &Server, change: impl Fn(&mut Value)) -> Vec<Value> {
    let mut one = job(
        "a",
        json!({"completionMode": "Indexed", "completions": 2, "parallelism": 2}),
    );
    change(&mut one["spec"]["template"]);
    s.make_job(one).await;
    let mut pods: Vec<Value> = s.live_pods("a", 2).await.into_values().collect();
    pods.sort_by_key(crate::objects::index);
    pods
}

async fn pods_of_an_indexed_job(s: &Server) {
    let pods = two(s, |template| template["spec"]["subdomain"] = json!("sub")).await;
    for (index, pod) in pods.iter().enumerate() {
        s.like(
            pod,
            json!({
                "metadata": {
                    "generateName": format!("a-{index}-"),
                    "labels": {"batch.kubernetes.io/job-completion-index": index.to_string()},
                    "annotations": {"batch.kubernetes.io/job-completion-index": index.to_string()},
                },
                "spec": {"hostname": format!("a-{index}"), "subdomain": "sub"},
            }),
        );
        let name = text(pod, "/metadata/name");
        s.holds(
            &name,
            name.starts_with(&format!("a-{index}-")) && name.len() == 9,
        );
    }
}

fn index_env() -> Value {
    json!({
        "name": "JOB_COMPLETION_INDEX",
        "valueFrom": {"fieldRef": {
            "apiVersion": "v1",
            "fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']",
        }},
    })
}

async fn indexes_are_in_the_environment_of_all_containers(s: &Server) {
    let pods = two(s, |template| {
        template["spec"]["containers"] = json!([
            {"name": "main", "image": "x", "env": [{"name": "A", "value": "1"}]},
            {"name": "side", "image": "x"},
        ]);
        template["spec"]["initContainers"] = json!([{"name": "init", "image": "x"}]);
    })
    .await;
    s.like(
        &pods[0],
        json!({"spec": {
            "containers": [
                {"name": "main", "env": [{"name": "A", "value": "1"}, index_env()]},
                {"name": "side", "env": [index_env()]},
            ],
            "initContainers": [{"name": "init", "env": [index_env()]}],
        }}),
    );
}

async fn the_own_environment_wins(s: &Server) {
    let own = json!([{"name": "JOB_COMPLETION_INDEX", "value": "mine"}]);
    let pods = two(s, |template| {
        template["spec"]["containers"][0]["env"] = own.clone();
    })
    .await;
    s.like(&pods[0], json!({"spec": {"containers": [{"env": own}]}}));
}

async fn pods_of_a_job_with_a_manual_selector(s: &Server) {
    let made = s
        .make_job(job(
            "a",
            json!({
                "manualSelector": true,
                "selector": {"matchLabels": {"mine": "yes"}},
                "template": {"metadata": {"labels": {"mine": "yes"}}},
            }),
        ))
        .await;
    s.same(
        &made.body["spec"]["selector"],
        json!({"matchLabels": {"mine": "yes"}}),
    );
    let pods = s
        .until(
            "a pod",
            &s.pods(""),
            &[("labelSelector", "mine=yes")],
            |pods| pods.len() == 1,
        )
        .await;
    let pod = pods.values().next().unwrap();
    s.same(&pod["metadata"]["labels"], json!({"mine": "yes"}));
}

async fn a_hostname_of_the_template(s: &Server) {
    let pods = two(s, |template| template["spec"]["hostname"] = json!("mine")).await;
    s.like(&pods[1], json!({"spec": {"hostname": "a-1"}}));
}

async fn a_long_name_is_cut_for_pods(s: &Server) {
    let name = "n".repeat(63);
    s.make_job(job(&name, json!({}))).await;
    let pods = s.live_pods(&name, 1).await;
    let (pod, object) = pods.iter().next().unwrap();
    s.equal("length", pod.len(), 63);
    s.holds(pod, pod.starts_with(&"n".repeat(58)));
    s.like(
        object,
        json!({"metadata": {"generateName": format!("{name}-")}}),
    );
}

async fn the_status_of_a_new_job(s: &Server) {
    let made = s
        .make_job(job("a", json!({"parallelism": 2, "completions": 2})))
        .await;
    let now = s
        .until_job("started", "a", |j| j["status"]["active"] == 2)
        .await;
    s.like(
        &now,
        json!({"status": {
            "active": 2,
            "ready": 0,
            "terminating": 0,
            "succeeded": null,
            "failed": null,
            "startTime": "*",
            "completionTime": null,
            "conditions": null,
            "uncountedTerminatedPods": {},
            "completedIndexes": null,
        }}),
    );
    s.holds(
        "started after it was made",
        text(&now, "/status/startTime") >= made.at("/metadata/creationTimestamp"),
    );
    let with = of_job("a");
    let parameters = [("labelSelector", with.as_str())];
    s.until("two pods", &s.pods(""), &parameters, |pods| pods.len() == 2)
        .await;
}
