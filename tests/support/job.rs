//! A Job and what the engine sees of it.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::Timestamp;
use kubectl_jobset::api::JobTemplate;
use kubectl_jobset::engine::JobSeen;
use kubectl_jobset::engine::input::JobEnd;
use serde_json::Value;

use super::template::JobSpec;

/// A Job with its status as the controller last wrote it.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) uid: String,
    /// Somebody else's: without our labels, so no watch of ours tells of it.
    pub(crate) foreign: bool,
    pub(crate) role: String,
    pub(crate) index: u32,
    pub(crate) restart_attempt: u32,
    pub(crate) job_restart_attempt: u32,
    pub(crate) created: Timestamp,
    pub(crate) deleting_since: Option<Timestamp>,
    pub(crate) suspend: bool,
    /// `spec.template` as it stands.
    pub(crate) pod_template: Value,
    pub(crate) spec: JobSpec,
    /// `status.startTime`. Suspending leaves it; resuming sets it anew (trap D.7.2).
    pub(crate) started: Option<Timestamp>,
    /// The controller has seen the suspension.
    pub(crate) suspended: bool,
    pub(crate) counts: Counts,
    pub(crate) complete: Option<JobEnd>,
    pub(crate) failed_condition: Option<JobEnd>,
    pub(crate) failure_target: Option<JobEnd>,
    pub(crate) success_criteria: Option<JobEnd>,
    pub(crate) succeeded_indexes: BTreeSet<u32>,
    pub(crate) failed_indexes: BTreeSet<u32>,
    pub(crate) failures_by_index: BTreeMap<u32, u32>,
    /// Back-off: no replacement pod before.
    pub(crate) next_pod_at: Option<Timestamp>,
}

/// Pod counts of a Job's status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) active: u32,
    pub(crate) ready: u32,
    pub(crate) terminating: u32,
    pub(crate) succeeded: u32,
    pub(crate) failed: u32,
}

impl Job {
    /// A new Job of a template, without the labels that make it ours.
    pub(crate) fn new(name: &str, uid: &str, template: &JobTemplate, now: Timestamp) -> Self {
        Self {
            name: name.to_owned(),
            uid: uid.to_owned(),
            foreign: false,
            role: String::new(),
            index: 0,
            restart_attempt: 0,
            job_restart_attempt: 0,
            created: now,
            deleting_since: None,
            suspend: false,
            pod_template: template
                .pod_template()
                .cloned()
                .map_or(Value::Null, Value::Object),
            spec: JobSpec::read(template),
            started: None,
            suspended: false,
            counts: Counts::default(),
            complete: None,
            failed_condition: None,
            failure_target: None,
            success_criteria: None,
            succeeded_indexes: BTreeSet::new(),
            failed_indexes: BTreeSet::new(),
            failures_by_index: BTreeMap::new(),
            next_pod_at: None,
        }
    }

    /// `NAME attempt=A jobAttempt=B`, as the recordings name a Job.
    pub(crate) fn label(&self) -> String {
        format!(
            "{} attempt={} jobAttempt={}",
            self.name, self.restart_attempt, self.job_restart_attempt
        )
    }

    /// Complete or Failed.
    pub(crate) fn ended(&self) -> bool {
        self.complete.is_some() || self.failed_condition.is_some()
    }

    /// The end is decided, pods may still be going.
    pub(crate) fn ending(&self) -> bool {
        self.failure_target.is_some() || self.success_criteria.is_some()
    }

    /// The Job as a watch tells it.
    pub(crate) fn seen(&self) -> JobSeen {
        JobSeen {
            name: self.name.clone(),
            uid: self.uid.clone(),
            role: self.role.clone(),
            index: self.index,
            restart_attempt: self.restart_attempt,
            job_restart_attempt: self.job_restart_attempt,
            created: self.created,
            deleting_since: self.deleting_since,
            suspend: self.suspend,
            started: self.started.is_some(),
            active: self.counts.active,
            ready: self.counts.ready,
            succeeded: self.counts.succeeded,
            failed: self.counts.failed,
            terminating: self.counts.terminating,
            complete: self.complete.clone(),
            failed_condition: self.failed_condition.clone(),
            failure_target: self.failure_target.clone(),
            success_criteria_met: self.success_criteria.is_some(),
        }
    }
}
