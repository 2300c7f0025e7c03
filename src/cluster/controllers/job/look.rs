//! What one look at a Job works on: the Job and its pods as they are at its beginning, and the counts that
//! follow from what the look does.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use k8s_openapi::api::batch::v1::{Job, JobStatus};

use super::backoff::Backoff;
use super::indexes::Indexes;
use super::pod_failure_policy;
use super::seen::{Phase, SeenPod};
use super::spec::Spec;
use crate::cluster::object::Object;

/// A Job as it is in the store, shared.
#[derive(Debug)]
pub(super) struct StoredJob(Arc<Object>);

impl StoredJob {
    /// None: not a Job.
    pub(super) fn new(object: &Arc<Object>) -> Option<Self> {
        object.as_job().map(|_| Self(Arc::clone(object)))
    }
}

impl Deref for StoredJob {
    type Target = Job;

    fn deref(&self) -> &Job {
        match &*self.0 {
            Object::Job(job) => job,
            other => unreachable!("{:?} is not a job", other.kind()),
        }
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Look {
    /// As it was, or as it was written last.
    pub(super) job: StoredJob,
    /// Its status, worked on.
    status: JobStatus,
    pub(super) uid: String,
    pub(super) spec: Spec,
    /// By name.
    pub(super) pods: Vec<SeenPod>,
    pub(super) active_pods: Vec<SeenPod>,
    pub(super) active: i32,
    pub(super) ready: i32,
    pub(super) terminating: i32,
    pub(super) succeeded: i32,
    pub(super) failed: i32,
    /// Succeeded indexes of the status.
    pub(super) succeeded_before: Indexes,
    /// With those of this look.
    pub(super) succeeded_indexes: Indexes,
    /// Only with a limit per index.
    pub(super) failed_indexes: Option<Indexes>,
    /// Failed pods that keep their finalizer until their replacement is there.
    pub(super) to_be_replaced: BTreeMap<i32, SeenPod>,
    pub(super) backoff: Backoff,
}

impl Look {
    /// Counts what there is.
    pub(super) fn new(job: StoredJob, uid: &str, pods: Vec<SeenPod>, backoff: Backoff) -> Self {
        let spec = Spec::of(&job);
        let active_pods: Vec<SeenPod> = pods.iter().filter(|p| p.active()).cloned().collect();
        let mut look = Self {
            uid: uid.to_owned(),
            spec,
            active: count(active_pods.len()),
            ready: count(active_pods.iter().filter(|p| p.ready).count()),
            terminating: count(pods.iter().filter(|p| p.terminating()).count()),
            succeeded: 0,
            failed: 0,
            succeeded_before: Indexes::default(),
            succeeded_indexes: Indexes::default(),
            failed_indexes: None,
            to_be_replaced: BTreeMap::new(),
            backoff,
            active_pods,
            pods,
            status: job.status.clone().unwrap_or_default(),
            job,
        };
        look.count_ended();
        look
    }

    fn count_ended(&mut self) {
        let uncounted = self
            .status
            .uncounted_terminated_pods
            .get_or_insert_default();
        let waits = |list: &Option<Vec<String>>| -> BTreeSet<String> {
            list.iter().flatten().cloned().collect()
        };
        let (waiting_succeeded, waiting_failed) =
            (waits(&uncounted.succeeded), waits(&uncounted.failed));
        let new = |pod: &&SeenPod, waiting: &BTreeSet<String>| {
            pod.tracked && self.spec.counts(pod.index) && !waiting.contains(pod.uid())
        };
        let succeeded: Vec<&SeenPod> = self
            .pods
            .iter()
            .filter(|p| p.phase == Phase::Succeeded && new(p, &waiting_succeeded))
            .collect();
        let failed: Vec<&SeenPod> = self
            .pods
            .iter()
            .filter(|p| p.failed(self.spec.replace_only_ended) && new(p, &waiting_failed))
            .collect();
        let counted_failures = failed
            .iter()
            .filter(|p| pod_failure_policy::meaning(&self.job, p).counts())
            .count();
        self.backoff = self.backoff.with(&succeeded, &failed);
        self.succeeded = count(succeeded.len() + waiting_succeeded.len());
        self.failed = count(counted_failures + waiting_failed.len());
        let status = self.status();
        let before = (status.succeeded, status.failed);
        self.succeeded += before.0.unwrap_or_default();
        self.failed += before.1.unwrap_or_default();
    }

    pub(super) fn status(&self) -> &JobStatus {
        &self.status
    }
    pub(super) fn status_mut(&mut self) -> &mut JobStatus {
        &mut self.status
    }
}

/// A number of pods as the API keeps it.
pub(super) fn count(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}
