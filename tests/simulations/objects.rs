//! What an administrator sees in the store: Jobs, pods and the record, read without the driver's code.

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubectl_jobset::api::{JobSet, names};
use kubectl_jobset::driver::record::{Control, Seat};
use kubectl_jobset::engine::input::JobEnd;
use kubectl_jobset::engine::{JobSeen, RunState};
use serde_json::Value;

fn label<'a>(meta: &'a ObjectMeta, key: &str) -> &'a str {
    let labels = meta.labels.as_ref();
    labels.and_then(|l| l.get(key)).map_or("", String::as_str)
}

fn number(meta: &ObjectMeta, key: &str) -> u32 {
    label(meta, key).parse().unwrap_or(0)
}

pub(crate) fn job(job: &Job) -> JobSeen {
    let meta = &job.metadata;
    let status = job.status.clone().unwrap_or_default();
    let count = |n: Option<i32>| u32::try_from(n.unwrap_or(0)).unwrap();
    let end = |type_: &str| {
        let conditions = status.conditions.iter().flatten();
        conditions
            .into_iter()
            .find(|c| c.type_ == type_ && c.status == "True")
            .map(|c| JobEnd {
                at: c.last_transition_time.as_ref().unwrap().0,
                reason: c.reason.clone().unwrap_or_default(),
                message: c.message.clone().unwrap_or_default(),
            })
    };
    JobSeen {
        name: meta.name.clone().unwrap_or_default(),
        uid: meta.uid.clone().unwrap_or_default(),
        role: label(meta, names::REPLICATED_JOB_NAME).to_owned(),
        index: number(meta, names::JOB_INDEX),
        restart_attempt: number(meta, names::RESTART_ATTEMPT),
        job_restart_attempt: number(meta, names::JOB_RESTART_ATTEMPT),
        created: meta.creation_timestamp.as_ref().unwrap().0,
        deleting_since: meta.deletion_timestamp.as_ref().map(|t| t.0),
        suspend: job.spec.as_ref().and_then(|s| s.suspend).unwrap_or(false),
        started: status.start_time.is_some(),
        active: count(status.active),
        ready: count(status.ready),
        succeeded: count(status.succeeded),
        failed: count(status.failed),
        terminating: count(status.terminating),
        complete: end("Complete"),
        failed_condition: end("Failed"),
        failure_target: end("FailureTarget"),
        success_criteria_met: end("SuccessCriteriaMet").is_some(),
    }
}

/// A pod of a run.
#[derive(Clone, Debug)]
pub(crate) struct PodAt {
    pub(crate) job: String,
    pub(crate) job_uid: String,
    pub(crate) attempt: u32,
    /// It has not ended.
    pub(crate) lives: bool,
}

pub(crate) fn pod(pod: &Pod) -> PodAt {
    let meta = &pod.metadata;
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref());
    PodAt {
        job: label(meta, names::JOB_NAME).to_owned(),
        job_uid: label(meta, names::CONTROLLER_UID).to_owned(),
        attempt: number(meta, names::RESTART_ATTEMPT),
        lives: !matches!(phase, Some("Succeeded" | "Failed")),
    }
}

/// The record.
#[derive(Clone, Debug)]
pub(crate) struct RecordAt {
    pub(crate) jobset: JobSet,
    pub(crate) state: RunState,
    pub(crate) seat: Seat,
    pub(crate) control: Control,
}

pub(crate) fn record(map: &ConfigMap) -> Option<RecordAt> {
    let part =
        |key: &str| -> Option<Value> { serde_json::from_str(map.data.as_ref()?.get(key)?).ok() };
    Some(RecordAt {
        jobset: serde_json::from_value(part("jobset.json")?).ok()?,
        state: serde_json::from_value(part("state.json")?).ok()?,
        seat: serde_json::from_value(part("driver.json")?["seat"].clone()).ok()?,
        control: serde_json::from_value(part("control.json")?).ok()?,
    })
}

/// UIDs of the owners.
pub(crate) fn owners(meta: &ObjectMeta) -> Vec<&str> {
    let owners = meta.owner_references.iter().flatten();
    owners.map(|o| o.uid.as_str()).collect()
}
