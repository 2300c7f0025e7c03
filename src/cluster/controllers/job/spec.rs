//! What a Job's spec says, with the defaults that the API fills in.

use k8s_openapi::api::batch::v1::Job;

use super::labels::CONTROLLER;

/// `backoffLimit` where none is given.
const BACKOFF_LIMIT: i32 = 6;

/// A Job's spec, read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) indexed: bool,
    pub(super) parallelism: i32,
    /// None: a work queue, any success ends it.
    pub(super) completions: Option<i32>,
    pub(super) backoff_limit: i32,
    pub(super) per_index: Option<i32>,
    pub(super) max_failed_indexes: Option<i32>,
    pub(super) suspended: bool,
    /// A pod is replaced only when it has ended, not already when it is being deleted.
    pub(super) replace_only_ended: bool,
    pub(super) active_deadline: Option<i64>,
}

impl Spec {
    pub(super) fn of(job: &Job) -> Self {
        let Some(spec) = &job.spec else {
            return Self::of(&Job {
                spec: Some(Default::default()),
                ..Job::default()
            });
        };
        // Neither given: one of one.
        let both = spec.completions.is_none() && spec.parallelism.is_none();
        let default_limit = spec
            .backoff_limit_per_index
            .map_or(BACKOFF_LIMIT, |_| i32::MAX);
        Self {
            indexed: spec.completion_mode.as_deref() == Some("Indexed"),
            parallelism: spec.parallelism.unwrap_or(1),
            completions: spec.completions.or(both.then_some(1)),
            backoff_limit: spec.backoff_limit.unwrap_or(default_limit),
            per_index: spec.backoff_limit_per_index,
            max_failed_indexes: spec.max_failed_indexes,
            suspended: spec.suspend == Some(true),
            replace_only_ended: match spec.pod_replacement_policy.as_deref() {
                Some(policy) => policy == "Failed",
                None => spec.pod_failure_policy.is_some(),
            },
            active_deadline: spec.active_deadline_seconds,
        }
    }

    /// Number of completion indexes.
    pub(super) fn indexes(&self) -> i32 {
        self.completions.unwrap_or_default()
    }

    /// A pod that counts: of any index where there are none, else of one below `completions`.
    pub(super) fn counts(&self, index: Option<i32>) -> bool {
        !self.indexed || index.is_some_and(|i| i < self.indexes())
    }
}

/// The Job is somebody else's to run.
pub(super) fn managed_elsewhere(job: &Job) -> bool {
    let manager = job.spec.as_ref().and_then(|s| s.managed_by.as_deref());
    manager.is_some_and(|m| m != CONTROLLER)
}
