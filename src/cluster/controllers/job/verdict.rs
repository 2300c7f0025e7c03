//! Whether a Job's end is decided, and why. What was decided in an earlier look stands; then failures are
//! looked at before successes, in a fixed order.

use super::conditions::{self, FAILURE_TARGET, SUCCESS_CRITERIA_MET};
use super::look::Look;
use super::{deadline, pod_failure_policy, queue, restarts, success_policy};
use crate::cluster::world::World;

/// A decided end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) failed: bool,
    pub(super) reason: String,
    pub(super) message: String,
    /// The status says so already.
    pub(super) known: bool,
}

impl End {
    fn failure(reason: &str, message: &str) -> Self {
        Self {
            failed: true,
            reason: reason.to_owned(),
            message: message.to_owned(),
            known: false,
        }
    }

    fn success(reason: &str, message: &str) -> Self {
        Self {
            failed: false,
            ..Self::failure(reason, message)
        }
    }

    /// Enough pods have succeeded.
    pub(super) fn completed() -> Self {
        Self::success(
            "CompletionsReached",
            "Reached expected number of succeeded pods",
        )
    }
}

/// Decided in an earlier look.
fn before(look: &Look) -> Option<End> {
    let status = look.status();
    let success = conditions::holds(status, SUCCESS_CRITERIA_MET);
    let condition = success.or_else(|| conditions::holds(status, FAILURE_TARGET))?;
    Some(End {
        failed: condition.type_ == FAILURE_TARGET,
        reason: condition.reason.clone().unwrap_or_default(),
        message: condition.message.clone().unwrap_or_default(),
        known: true,
    })
}

/// Decided by limits of the whole Job. A deadline that is still to come is put down for another look.
pub(super) fn of_job(world: &mut World, look: &Look) -> Option<End> {
    if let Some(end) = before(look) {
        return Some(end);
    }
    let failed = look
        .pods
        .iter()
        .filter(|p| p.failed(look.spec.replace_only_ended));
    if let Some(message) = pod_failure_policy::failure(&look.job, failed) {
        return Some(End::failure("PodFailurePolicy", &message));
    }
    let limit = look.spec.backoff_limit;
    if look.failed > limit || restarts::reach_limit(&look.job, limit, &look.pods) {
        return Some(End::failure(
            "BackoffLimitExceeded",
            "Job has reached the specified backoff limit",
        ));
    }
    let started = look.status().start_time.as_ref().map(|t| t.0);
    let left = deadline::left(&look.spec, started, world.now())?;
    if left.is_zero() {
        return Some(End::failure(
            "DeadlineExceeded",
            "Job was active longer than specified deadline",
        ));
    }
    queue::later(world, &look.uid, left);
    None
}

/// Decided by the Job's indexes.
pub(super) fn of_indexes(look: &Look) -> Option<End> {
    if let Some(failed) = &look.failed_indexes {
        let (total, completions) = (failed.total(), look.spec.indexes());
        if look.spec.max_failed_indexes.is_some_and(|max| total > max) {
            return Some(End::failure(
                "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes",
            ));
        }
        if total > 0 && total + look.succeeded_indexes.total() >= completions {
            return Some(End::failure("FailedIndexes", "Job has failed indexes"));
        }
    }
    success_policy::met(&look.job, &look.succeeded_indexes, look.spec.indexes())
        .map(|message| End::success("SuccessPolicy", &message))
}
