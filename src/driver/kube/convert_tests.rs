use serde_json::{Value, json};

use super::*;

fn job_json() -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "train-worker-3",
            "namespace": "ml",
            "uid": "j3",
            "resourceVersion": "71",
            "creationTimestamp": "2026-12-01T09:00:00Z",
            "managedFields": [{"manager": "x", "fieldsV1": {"f:metadata": {}}}],
            "labels": {
                "app": "other",
                "jobset.sigs.k8s.io/jobset-name": "train",
                "jobset.sigs.k8s.io/jobset-uid": "run",
                "jobset.sigs.k8s.io/replicatedjob-name": "worker",
                "jobset.sigs.k8s.io/job-index": "3",
                "jobset.sigs.k8s.io/restart-attempt": "2",
                "jobset.sigs.k8s.io/job-restart-attempt": "1",
            },
        },
        "spec": {"suspend": false, "template": {"metadata": {"creationTimestamp": null}}},
        "status": {},
    })
}

fn read_job(json: &Value) -> Option<JobSeen> {
    job(serde_json::from_value(json.clone()).unwrap())
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_fresh_job() {
    let seen = read_job(&job_json()).unwrap();
    assert_eq!(
        seen,
        JobSeen {
            name: "train-worker-3".to_owned(),
            uid: "j3".to_owned(),
            role: "worker".to_owned(),
            index: 3,
            restart_attempt: 2,
            job_restart_attempt: 1,
            created: at("2026-12-01T09:00:00Z"),
            deleting_since: None,
            suspend: false,
            started: false,
            active: 0,
            ready: 0,
            succeeded: 0,
            failed: 0,
            terminating: 0,
            complete: None,
            failed_condition: None,
            failure_target: None,
            success_criteria_met: false,
        }
    );
}

#[test]
fn a_running_job() {
    let mut json = job_json();
    json["spec"]["suspend"] = json!(true);
    json["metadata"]["deletionTimestamp"] = json!("2026-12-01T09:05:00Z");
    json["status"] = json!({
        "startTime": "2026-12-01T09:00:01Z",
        "active": 2, "ready": 1, "succeeded": 3, "failed": 4, "terminating": 5,
    });
    let seen = read_job(&json).unwrap();
    assert!(seen.suspend && seen.started);
    assert_eq!(seen.deleting_since, Some(at("2026-12-01T09:05:00Z")));
    assert_eq!(
        (
            seen.active,
            seen.ready,
            seen.succeeded,
            seen.failed,
            seen.terminating
        ),
        (2, 1, 3, 4, 5)
    );
}

/// Only conditions that are True end a Job (trap D.3.2).
#[test]
fn conditions_of_a_job() {
    let mut json = job_json();
    let condition = |type_: &str, status: &str| {
        json!({
            "type": type_, "status": status, "reason": "BackoffLimitExceeded",
            "message": "Job has reached the specified backoff limit",
            "lastProbeTime": "2026-12-01T09:07:00Z",
            "lastTransitionTime": "2026-12-01T09:06:00Z",
        })
    };
    json["status"]["conditions"] = json!([
        condition("FailureTarget", "True"),
        condition("Failed", "False"),
        condition("SuccessCriteriaMet", "True"),
        condition("Suspended", "True"),
    ]);
    let seen = read_job(&json).unwrap();
    assert_eq!(
        seen.failure_target,
        Some(JobEnd {
            at: at("2026-12-01T09:06:00Z"),
            reason: "BackoffLimitExceeded".to_owned(),
            message: "Job has reached the specified backoff limit".to_owned(),
        })
    );
    assert_eq!(seen.failed_condition, None);
    assert_eq!(seen.complete, None);
    assert!(seen.success_criteria_met);
    json["status"]["conditions"] =
        json!([condition("Failed", "True"), condition("Complete", "True")]);
    let seen = read_job(&json).unwrap();
    assert!(seen.failed_condition.is_some() && seen.complete.is_some());
}

/// A Job that carries only the run's UID (somebody's copy) is not one of the run.
#[test]
fn a_job_without_the_labels_is_nobody() {
    for key in ["replicatedjob-name", "job-index", "restart-attempt"] {
        let mut json = job_json();
        let labels = json["metadata"]["labels"].as_object_mut().unwrap();
        labels.remove(&format!("jobset.sigs.k8s.io/{key}")).unwrap();
        assert_eq!(read_job(&json), None, "{key}");
    }
    let mut json = job_json();
    json["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"] = json!("-1");
    assert_eq!(read_job(&json), None);
}

fn pod_json(status: Value) -> Value {
    json!({
        "metadata": {
            "name": "train-worker-3-1-x7k2p",
            "uid": "p1",
            "creationTimestamp": "2026-12-01T09:00:02Z",
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "labels": {
                "batch.kubernetes.io/controller-uid": "j3",
                "batch.kubernetes.io/job-name": "train-worker-3",
                "batch.kubernetes.io/job-completion-index": "1",
                "jobset.sigs.k8s.io/replicatedjob-name": "worker",
                "jobset.sigs.k8s.io/job-index": "3",
                "jobset.sigs.k8s.io/restart-attempt": "2",
            },
        },
        "spec": {"nodeName": "gpu-14"},
        "status": status,
    })
}

fn read_pod(json: &Value) -> PodSeen {
    pod(serde_json::from_value(json.clone()).unwrap()).unwrap()
}

#[test]
fn a_running_pod() {
    let seen = read_pod(&pod_json(json!({
        "phase": "Running",
        "startTime": "2026-12-01T09:00:03Z",
        "conditions": [
            {"type": "PodScheduled", "status": "True", "lastProbeTime": null},
            {"type": "Ready", "status": "True"},
        ],
        "containerStatuses": [
            {"name": "main", "restartCount": 2, "state": {"running": {"startedAt": null}}, "lastState": {}},
            {"name": "side", "restartCount": 1, "state": {"running": {}}, "lastState": {}},
        ],
    })));
    assert_eq!(
        seen,
        PodSeen {
            name: "train-worker-3-1-x7k2p".to_owned(),
            uid: "p1".to_owned(),
            job: "train-worker-3".to_owned(),
            job_uid: "j3".to_owned(),
            role: "worker".to_owned(),
            job_index: 3,
            completion_index: Some(1),
            restart_attempt: 2,
            job_restart_attempt: 0,
            node: Some("gpu-14".to_owned()),
            phase: PodPhase::Running,
            ready: true,
            created: at("2026-12-01T09:00:02Z"),
            started: Some(at("2026-12-01T09:00:03Z")),
            deleting: None,
            waiting: None,
            ends: Vec::new(),
            restarts: 3,
            reason: None,
            message: None,
            disruption: None,
        }
    );
}

/// deletionTimestamp is when the pod must be gone; what people ask is since when it is going. The
/// Job controller's own finalizer holds up nothing.
#[test]
fn a_pod_that_is_being_deleted() {
    let mut json = pod_json(json!({"phase": "Running"}));
    json["metadata"]["deletionTimestamp"] = json!("2026-12-01T09:10:30Z");
    json["metadata"]["deletionGracePeriodSeconds"] = json!(30);
    assert_eq!(
        read_pod(&json).deleting,
        Some(Deleting {
            since: at("2026-12-01T09:10:00Z"),
            grace_s: 30,
            held_by_finalizer: false,
        })
    );
    json["metadata"]["finalizers"] =
        json!(["batch.kubernetes.io/job-tracking", "example.com/hold"]);
    assert!(read_pod(&json).deleting.unwrap().held_by_finalizer);
}

fn waiting_of(status: Value) -> Option<(String, String)> {
    read_pod(&pod_json(status))
        .waiting
        .map(|w| (w.reason, w.message))
}

#[test]
fn why_a_pod_waits() {
    let said = |reason: &str, message: &str| Some((reason.to_owned(), message.to_owned()));
    let container = |name: &str, reason: &str| json!({"name": name, "state": {"waiting": {"reason": reason, "message": format!("{name} waits")}}});
    let scheduled = json!({"type": "PodScheduled", "status": "True"});
    // Nothing known yet.
    assert_eq!(waiting_of(json!({"phase": "Pending"})), None);
    // The scheduler's word.
    for reason in ["Unschedulable", "SchedulingGated"] {
        let condition = json!({
            "type": "PodScheduled", "status": "False", "reason": reason, "message": "0/7 nodes",
        });
        assert_eq!(
            waiting_of(json!({"phase": "Pending", "conditions": [condition]})),
            said(reason, "0/7 nodes")
        );
    }
    // Trouble of a later container says more than an earlier one that is being started.
    assert_eq!(
        waiting_of(json!({
            "phase": "Pending",
            "conditions": [scheduled],
            "containerStatuses": [
                container("a", "ContainerCreating"),
                container("b", "ImagePullBackOff"),
                container("c", "CreateContainerConfigError"),
            ],
        })),
        said("ImagePullBackOff", "b waits")
    );
    // Init containers come first.
    assert_eq!(
        waiting_of(json!({
            "phase": "Pending",
            "initContainerStatuses": [container("init", "ErrImagePull")],
            "containerStatuses": [container("a", "PodInitializing")],
        })),
        said("ErrImagePull", "init waits")
    );
    assert_eq!(
        waiting_of(json!({
            "phase": "Pending",
            "containerStatuses": [container("a", "ContainerCreating")],
        })),
        said("ContainerCreating", "a waits")
    );
    // A crash loop in a pod that otherwise runs.
    assert_eq!(
        waiting_of(json!({
            "phase": "Running",
            "containerStatuses": [{"name": "x", "state": {"running": {}}}, container("a", "CrashLoopBackOff")],
        })),
        said("CrashLoopBackOff", "a waits")
    );
    // Over.
    assert_eq!(
        waiting_of(json!({
            "phase": "Failed",
            "containerStatuses": [container("a", "ContainerCreating")],
        })),
        None
    );
}

fn terminated(code: i32, from: &str, to: &str) -> Value {
    json!({"terminated": {"exitCode": code, "reason": "Error", "startedAt": from, "finishedAt": to}})
}

#[test]
fn ends_come_in_order_of_time() {
    let seen = read_pod(&pod_json(json!({
        "phase": "Failed",
        "initContainerStatuses": [{
            "name": "init",
            "state": {"terminated": {
                "exitCode": 0, "reason": "Completed",
                "startedAt": "2026-12-01T09:00:01Z", "finishedAt": "2026-12-01T09:00:02Z",
            }},
        }],
        "containerStatuses": [
            {
                "name": "late",
                "restartCount": 1,
                "state": terminated(1, "2026-12-01T09:00:10Z", "2026-12-01T09:00:20Z"),
                "lastState": terminated(3, "2026-12-01T09:00:03Z", "2026-12-01T09:00:09Z"),
            },
            {
                "name": "killed",
                "state": {"terminated": {
                    "exitCode": 137, "signal": 9, "reason": "OOMKilled", "message": "last words",
                    "startedAt": "2026-12-01T09:00:03Z", "finishedAt": "2026-12-01T09:00:15Z",
                }},
            },
        ],
    })));
    let order: Vec<_> = seen
        .ends
        .iter()
        .map(|e| (e.container.as_str(), e.init, e.exit_code, e.restarted))
        .collect();
    assert_eq!(
        order,
        [
            ("init", true, 0, false),
            ("late", false, 3, true),
            ("killed", false, 137, false),
            ("late", false, 1, false),
        ]
    );
    assert_eq!(seen.ends[2].signal, Some(9));
    assert_eq!(seen.ends[2].reason.as_deref(), Some("OOMKilled"));
    assert_eq!(seen.ends[2].message.as_deref(), Some("last words"));
    assert_eq!(seen.ends[2].started, Some(at("2026-12-01T09:00:03Z")));
    assert_eq!(seen.ends[2].finished, Some(at("2026-12-01T09:00:15Z")));
}

/// A container that never ran has no times: runtimes write 1970, or nothing.
#[test]
fn times_that_are_not_known() {
    let seen = read_pod(&pod_json(json!({
        "phase": "Failed",
        "containerStatuses": [{
            "name": "main",
            "state": {"terminated": {
                "exitCode": 128, "reason": "StartError",
                "startedAt": "1970-01-01T00:00:00Z", "finishedAt": "2026-12-01T09:00:15Z",
            }},
        }],
    })));
    assert_eq!(seen.ends[0].started, None);
    assert!(seen.ends[0].finished.is_some());
}

#[test]
fn an_evicted_pod() {
    let seen = read_pod(&pod_json(json!({
        "phase": "Failed",
        "reason": "Evicted",
        "message": "The node was low on resource: memory.",
        "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}],
    })));
    assert_eq!(seen.reason.as_deref(), Some("Evicted"));
    assert_eq!(
        seen.message.as_deref(),
        Some("The node was low on resource: memory.")
    );
    assert_eq!(seen.disruption.as_deref(), Some("TerminationByKubelet"));
}

#[test]
fn long_messages_are_cut_between_characters() {
    let seen = read_pod(&pod_json(
        json!({"phase": "Failed", "message": "ä".repeat(4000)}),
    ));
    let message = seen.message.unwrap();
    assert!(message.len() <= MESSAGE_BYTES + '…'.len_utf8());
    assert!(message.ends_with("ä…"));
}

#[test]
fn a_non_indexed_pod_has_no_index() {
    let mut json = pod_json(json!({"phase": "Pending"}));
    let labels = json["metadata"]["labels"].as_object_mut().unwrap();
    labels
        .remove("batch.kubernetes.io/job-completion-index")
        .unwrap();
    assert_eq!(read_pod(&json).completion_index, None);
    labels_gone(&mut json, "batch.kubernetes.io/job-name");
    assert!(pod(serde_json::from_value(json).unwrap()).is_none());
}

fn labels_gone(json: &mut Value, key: &str) {
    json["metadata"]["labels"]
        .as_object_mut()
        .unwrap()
        .remove(key)
        .unwrap();
}

fn event_json() -> Value {
    json!({
        "metadata": {"name": "e", "creationTimestamp": "2026-12-01T09:00:00Z"},
        "involvedObject": {"kind": "Job", "name": "train-worker-3"},
        "reason": "FailedCreate",
        "message": "exceeded quota",
        "type": "Warning",
    })
}

#[test]
fn events_of_jobs_and_pods_are_notices() {
    let read = |json: &Value| notice(serde_json::from_value(json.clone()).unwrap());
    let mut json = event_json();
    let at_of = |seen: Option<Observation>| match seen {
        Some(Observation::Notice { at, .. }) => at,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        read(&json),
        Some(Observation::Notice {
            object: "train-worker-3".to_owned(),
            reason: "FailedCreate".to_owned(),
            message: "exceeded quota".to_owned(),
            at: at("2026-12-01T09:00:00Z"),
        })
    );
    // The newest time that it tells.
    json["eventTime"] = json!("2026-12-01T09:01:00.123456Z");
    json["lastTimestamp"] = json!(null);
    assert_eq!(at_of(read(&json)), at("2026-12-01T09:01:00.123456Z"));
    json["lastTimestamp"] = json!("2026-12-01T09:02:00Z");
    assert_eq!(at_of(read(&json)), at("2026-12-01T09:02:00Z"));
    json["series"] = json!({"count": 2, "lastObservedTime": "2026-12-01T09:03:00Z"});
    assert_eq!(at_of(read(&json)), at("2026-12-01T09:03:00Z"));
    json["involvedObject"]["kind"] = json!("Node");
    assert_eq!(read(&json), None);
}
