//! Typed objects cut to what is read: the pocket cluster's Jobs, pods and events meet the same rules
//! (`convert`) as those that come over the wire, without a detour through JSON.

use std::collections::BTreeMap;

use k8s_openapi::api::batch::v1 as batch;
use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;

use crate::api::names;
use crate::driver::kube::slim;

fn at(time: Option<&Time>) -> Option<Timestamp> {
    time.map(|time| time.0)
}

fn count(number: Option<i32>) -> Option<u32> {
    number.and_then(|n| u32::try_from(n).ok())
}

impl From<&ObjectMeta> for slim::Meta {
    fn from(meta: &ObjectMeta) -> Self {
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        Self {
            name: text(&meta.name),
            namespace: text(&meta.namespace),
            uid: text(&meta.uid),
            resource_version: text(&meta.resource_version),
            creation_timestamp: at(meta.creation_timestamp.as_ref()),
            deletion_timestamp: at(meta.deletion_timestamp.as_ref()),
            deletion_grace_period_seconds: meta.deletion_grace_period_seconds,
            finalizers: meta.finalizers.clone().unwrap_or_default(),
            labels: meta.labels.as_ref().map(labels).unwrap_or_default(),
            owner_references: meta
                .owner_references
                .iter()
                .flatten()
                .map(|owner| slim::Owner {
                    kind: owner.kind.clone(),
                    name: owner.name.clone(),
                    uid: owner.uid.clone(),
                    controller: owner.controller.unwrap_or(false),
                })
                .collect(),
        }
    }
}

fn labels(labels: &BTreeMap<String, String>) -> slim::RunLabels {
    let get = |key: &str| labels.get(key).cloned();
    slim::RunLabels {
        jobset_name: get(names::JOBSET_NAME),
        jobset_uid: get(names::JOBSET_UID),
        role: get(names::REPLICATED_JOB_NAME),
        job_index: get(names::JOB_INDEX),
        restart_attempt: get(names::RESTART_ATTEMPT),
        job_restart_attempt: get(names::JOB_RESTART_ATTEMPT),
        job_name: get(names::JOB_NAME),
        controller_uid: get(names::CONTROLLER_UID),
        completion_index: get(names::COMPLETION_INDEX),
        record: get(names::RECORD_LABEL),
    }
}

impl From<&batch::Job> for slim::Job {
    fn from(job: &batch::Job) -> Self {
        let status = job.status.as_ref();
        Self {
            metadata: (&job.metadata).into(),
            spec: slim::JobSpec {
                suspend: job.spec.as_ref().and_then(|spec| spec.suspend),
            },
            status: status.map(Into::into).unwrap_or_default(),
        }
    }
}

impl From<&batch::JobStatus> for slim::JobStatus {
    fn from(status: &batch::JobStatus) -> Self {
        Self {
            start_time: at(status.start_time.as_ref()),
            active: count(status.active).unwrap_or(0),
            ready: count(status.ready),
            succeeded: count(status.succeeded).unwrap_or(0),
            failed: count(status.failed).unwrap_or(0),
            terminating: count(status.terminating),
            conditions: status
                .conditions
                .iter()
                .flatten()
                .map(|c| slim::Condition {
                    type_: c.type_.clone(),
                    status: c.status.clone(),
                    reason: c.reason.clone(),
                    message: c.message.clone(),
                    last_transition_time: at(c.last_transition_time.as_ref()),
                })
                .collect(),
        }
    }
}

impl From<&core::Pod> for slim::Pod {
    fn from(pod: &core::Pod) -> Self {
        let status = pod.status.as_ref();
        Self {
            metadata: (&pod.metadata).into(),
            spec: slim::PodSpec {
                node_name: pod.spec.as_ref().and_then(|spec| spec.node_name.clone()),
            },
            status: status.map(Into::into).unwrap_or_default(),
        }
    }
}

impl From<&core::PodStatus> for slim::PodStatus {
    fn from(status: &core::PodStatus) -> Self {
        let containers = |list: &Option<Vec<core::ContainerStatus>>| {
            list.iter().flatten().map(Into::into).collect()
        };
        Self {
            phase: status.phase.clone().unwrap_or_default(),
            reason: status.reason.clone(),
            message: status.message.clone(),
            start_time: at(status.start_time.as_ref()),
            conditions: status
                .conditions
                .iter()
                .flatten()
                .map(|c| slim::Condition {
                    type_: c.type_.clone(),
                    status: c.status.clone(),
                    reason: c.reason.clone(),
                    message: c.message.clone(),
                    last_transition_time: at(c.last_transition_time.as_ref()),
                })
                .collect(),
            init_container_statuses: containers(&status.init_container_statuses),
            container_statuses: containers(&status.container_statuses),
        }
    }
}

impl From<&core::ContainerStatus> for slim::ContainerStatus {
    fn from(status: &core::ContainerStatus) -> Self {
        let state = |state: Option<&core::ContainerState>| slim::ContainerState {
            waiting: state
                .and_then(|s| s.waiting.as_ref())
                .map(|waiting| slim::ContainerWaiting {
                    reason: waiting.reason.clone(),
                    message: waiting.message.clone(),
                }),
            terminated: state
                .and_then(|s| s.terminated.as_ref())
                .map(|end| slim::Terminated {
                    exit_code: end.exit_code,
                    signal: end.signal,
                    reason: end.reason.clone(),
                    message: end.message.clone(),
                    started_at: at(end.started_at.as_ref()),
                    finished_at: at(end.finished_at.as_ref()),
                }),
        };
        Self {
            name: status.name.clone(),
            restart_count: u32::try_from(status.restart_count).unwrap_or(0),
            state: state(status.state.as_ref()),
            last_state: state(status.last_state.as_ref()),
        }
    }
}

impl From<&core::Event> for slim::Event {
    fn from(event: &core::Event) -> Self {
        Self {
            metadata: (&event.metadata).into(),
            involved_object: slim::Involved {
                kind: event.involved_object.kind.clone().unwrap_or_default(),
                name: event.involved_object.name.clone().unwrap_or_default(),
            },
            reason: event.reason.clone(),
            message: event.message.clone(),
            last_timestamp: at(event.last_timestamp.as_ref()),
            first_timestamp: at(event.first_timestamp.as_ref()),
            event_time: event.event_time.as_ref().map(|time| time.0),
            series: event.series.as_ref().map(|series| slim::Series {
                last_observed_time: series.last_observed_time.as_ref().map(|time| time.0),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;
    use crate::driver::kube::convert;

    /// The same object both ways: over the wire's types, and typed.
    fn both<Typed, Slim>(object: &Value) -> (Slim, Slim)
    where
        Typed: DeserializeOwned,
        Slim: DeserializeOwned + for<'a> From<&'a Typed>,
    {
        let typed: Typed = serde_json::from_value(object.clone()).unwrap();
        (
            serde_json::from_value(object.clone()).unwrap(),
            Slim::from(&typed),
        )
    }

    fn labels() -> Value {
        json!({
            names::JOBSET_NAME: "train", names::JOBSET_UID: "run", names::REPLICATED_JOB_NAME: "worker",
            names::JOB_INDEX: "2", names::RESTART_ATTEMPT: "1", names::JOB_RESTART_ATTEMPT: "3",
            names::JOB_NAME: "train-worker-2", names::CONTROLLER_UID: "job", names::COMPLETION_INDEX: "4",
        })
    }

    #[test]
    fn a_job_is_the_same_both_ways() {
        let job = json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "train-worker-2", "namespace": "ml", "uid": "job", "labels": labels(),
                "resourceVersion": "7", "creationTimestamp": "2026-03-02T12:00:00Z",
                "deletionTimestamp": "2026-03-02T12:10:00Z", "deletionGracePeriodSeconds": 0,
                "finalizers": ["foregroundDeletion"],
                "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "train-run",
                    "uid": "run", "controller": true}]},
            "spec": {"suspend": true, "template": {"spec": {"containers": []}}},
            "status": {"startTime": "2026-03-02T12:00:01Z", "active": 1, "ready": 2, "succeeded": 3,
                "failed": 4, "terminating": 5,
                "conditions": [
                    {"type": "FailureTarget", "status": "True", "reason": "PodFailurePolicy",
                        "message": "x", "lastTransitionTime": "2026-03-02T12:05:00Z"},
                    {"type": "Suspended", "status": "False"}]},
        });
        let (wire, typed) = both::<batch::Job, slim::Job>(&job);
        assert_eq!(format!("{wire:?}"), format!("{typed:?}"));
        let seen = convert::job(typed).unwrap();
        assert_eq!(Some(&seen), convert::job(wire).as_ref());
        assert_eq!((seen.active, seen.ready, seen.terminating), (1, 2, 5));
        assert_eq!(seen.failure_target.unwrap().reason, "PodFailurePolicy");
    }

    #[test]
    fn a_pod_is_the_same_both_ways() {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "train-worker-2-4-x7k2p", "namespace": "ml", "uid": "pod",
                "labels": labels(), "creationTimestamp": "2026-03-02T12:00:00Z"},
            "spec": {"nodeName": "node-1", "containers": []},
            "status": {"phase": "Running", "reason": "Evicted", "message": "no room",
                "startTime": "2026-03-02T12:00:01Z",
                "conditions": [{"type": "Ready", "status": "True"},
                    {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}],
                "initContainerStatuses": [{"name": "pull", "restartCount": 1, "ready": true, "image": "",
                    "imageID": "", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}],
                "containerStatuses": [{"name": "main", "restartCount": 2, "ready": true, "image": "",
                    "imageID": "",
                    "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
                    "lastState": {"terminated": {"exitCode": 137, "signal": 9, "reason": "OOMKilled",
                        "message": "m", "startedAt": "2026-03-02T12:00:02Z",
                        "finishedAt": "2026-03-02T12:00:09Z"}}}]},
        });
        let (wire, typed) = both::<core::Pod, slim::Pod>(&pod);
        assert_eq!(format!("{wire:?}"), format!("{typed:?}"));
        let seen = convert::pod(typed).unwrap();
        assert_eq!(Some(&seen), convert::pod(wire).as_ref());
        assert_eq!((seen.restarts, seen.ends.len(), seen.ready), (3, 2, true));
        assert_eq!(seen.completion_index, Some(4));
    }

    #[test]
    fn an_event_is_the_same_both_ways() {
        let event = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "ml"},
            "involvedObject": {"kind": "Job", "name": "train-worker-2"},
            "reason": "FailedCreate", "message": "forbidden", "type": "Warning",
            "firstTimestamp": "2026-03-02T12:00:00Z", "lastTimestamp": "2026-03-02T12:00:05Z",
            "eventTime": "2026-03-02T12:00:00.000000Z",
            "series": {"count": 2, "lastObservedTime": "2026-03-02T12:00:07.000000Z"},
        });
        let (wire, typed) = both::<core::Event, slim::Event>(&event);
        assert_eq!(format!("{wire:?}"), format!("{typed:?}"));
        assert_eq!(convert::notice(typed), convert::notice(wire));
    }
}
