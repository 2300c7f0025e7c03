//! Conditions of a Job's status.

use k8s_openapi::api::batch::v1::{Job, JobCondition, JobStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

pub(super) const COMPLETE: &str = "Complete";
pub(super) const FAILED: &str = "Failed";
pub(super) const FAILURE_TARGET: &str = "FailureTarget";
pub(super) const SUCCESS_CRITERIA_MET: &str = "SuccessCriteriaMet";
pub(super) const SUSPENDED: &str = "Suspended";

/// A condition; `at` as the API keeps times, in whole seconds.
pub(super) fn new(
    kind: &str,
    status: bool,
    reason: &str,
    message: &str,
    at: Timestamp,
) -> JobCondition {
    JobCondition {
        last_probe_time: Some(Time(at)),
        last_transition_time: Some(Time(at)),
        message: Some(message.to_owned()),
        reason: Some(reason.to_owned()),
        status: if status { "True" } else { "False" }.to_owned(),
        type_: kind.to_owned(),
    }
}

/// A condition by its type.
pub(super) fn find<'a>(status: &'a JobStatus, kind: &str) -> Option<&'a JobCondition> {
    status.conditions.iter().flatten().find(|c| c.type_ == kind)
}

/// A condition that is True.
pub(super) fn holds<'a>(status: &'a JobStatus, kind: &str) -> Option<&'a JobCondition> {
    find(status, kind).filter(|c| c.status == "True")
}

/// Complete or Failed: the condition that says so.
pub(super) fn finished(job: &Job) -> Option<&JobCondition> {
    let status = job.status.as_ref()?;
    let mut conditions = status.conditions.iter().flatten();
    conditions.find(|c| c.status == "True" && (c.type_ == COMPLETE || c.type_ == FAILED))
}

/// Puts a condition in its place. False is not written where nothing was. True: something changed.
pub(super) fn ensure(status: &mut JobStatus, new: JobCondition) -> bool {
    let conditions = status.conditions.get_or_insert_default();
    let Some(old) = conditions.iter_mut().find(|c| c.type_ == new.type_) else {
        let write = new.status != "False";
        if write {
            conditions.push(new);
        } else if conditions.is_empty() {
            status.conditions = None;
        }
        return write;
    };
    let same = old.status == new.status && old.reason == new.reason && old.message == new.message;
    if !same {
        *old = new;
    }
    !same
}
