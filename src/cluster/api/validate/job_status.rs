//! The status of a Job, as far as a controller of somebody else can get it wrong. Only what changes is
//! looked at: what was wrong before does not stand in the way of other changes.

use k8s_openapi::api::batch::v1::{Job, JobStatus};

use crate::cluster::api::problems::Problems;

fn is(status: &JobStatus, kind: &str) -> bool {
    let conditions = status.conditions.iter().flatten();
    conditions
        .filter(|c| c.type_ == kind)
        .any(|c| c.status == "True")
}

pub(super) fn update(new: &Job, old: &Job, problems: &mut Problems) {
    let status = new.status.clone().unwrap_or_default();
    let was = old.status.clone().unwrap_or_default();
    counters(&status, problems);
    ends(&status, &was, problems);
    let changed = |kind| is(&status, kind) != is(&was, kind);
    let finished = |status: &JobStatus| is(status, "Complete") || is(status, "Failed");
    let ended = finished(&status) != finished(&was);
    let field = "status.conditions";
    if changed("Failed") && is(&status, "Failed") && !is(&status, "FailureTarget") {
        problems.invalid_here(
            field,
            "cannot set Failed=True condition without the FailureTarget=true condition",
        );
    }
    if (changed("Complete") || changed("SuccessCriteriaMet"))
        && is(&status, "Complete")
        && !is(&status, "SuccessCriteriaMet")
    {
        problems.invalid_here(
            field,
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        );
    }
    let active = status.active.unwrap_or_default();
    if (ended || status.active != was.active) && active > 0 && finished(&status) {
        problems.invalid(
            "status.active",
            active,
            "active>0 is invalid for finished job",
        );
    }
    let spec = new.spec.as_ref();
    let nothing_to_do = spec.is_some_and(|s| s.suspend == Some(true) && s.completions == Some(0));
    if (ended || status.start_time != was.start_time)
        && !nothing_to_do
        && status.start_time.is_none()
        && finished(&status)
    {
        problems.required("status.startTime", "startTime is required for finished job");
    }
    let indexed = spec.and_then(|s| s.completion_mode.as_deref()) == Some("Indexed");
    let indexes = status.completed_indexes.as_deref().unwrap_or_default();
    if status.completed_indexes != was.completed_indexes && !indexes.is_empty() && !indexed {
        problems.invalid(
            "status.completedIndexes",
            indexes,
            "cannot set non-empty completedIndexes when non-indexed completion mode",
        );
    }
    let terminating = status.terminating.unwrap_or_default();
    if (ended || status.terminating != was.terminating) && terminating > 0 && finished(&status) {
        problems.invalid(
            "status.terminating",
            terminating,
            "terminating>0 is invalid for finished job",
        );
    }
    let ready = status.ready.unwrap_or_default();
    if (status.ready != was.ready || status.active != was.active) && ready > active {
        problems.invalid(
            "status.ready",
            ready,
            "cannot set more ready pods than active",
        );
    }
    if is(&status, "SuccessCriteriaMet") {
        for (other, word) in [
            ("Failed", "Failed=true"),
            ("FailureTarget", "FailureTarget=true"),
        ] {
            if is(&status, other) {
                problems.invalid_here(
                    field,
                    format!("cannot set SuccessCriteriaMet=True and {word} conditions"),
                );
            }
        }
    }
    for kind in ["Complete", "Failed"] {
        if is(&was, kind) && !is(&status, kind) {
            problems.invalid_here(
                field,
                format!("cannot disable the terminal {kind}=True condition"),
            );
        }
    }
}

fn counters(status: &JobStatus, problems: &mut Problems) {
    for (field, value) in [
        ("status.active", status.active),
        ("status.succeeded", status.succeeded),
        ("status.failed", status.failed),
        ("status.ready", status.ready),
        ("status.terminating", status.terminating),
    ] {
        problems.negative(field, value);
    }
}

/// Completion and its time belong together.
fn ends(status: &JobStatus, was: &JobStatus, problems: &mut Problems) {
    let changed = |kind| is(status, kind) != is(was, kind);
    let complete = is(status, "Complete");
    let field = "status.conditions";
    if (changed("Complete") || changed("Failed")) && complete && is(status, "Failed") {
        problems.invalid_here(field, "cannot set Complete=True and Failed=true conditions");
    }
    if (changed("Complete") || changed("FailureTarget")) && complete && is(status, "FailureTarget")
    {
        problems.invalid_here(
            field,
            "cannot set Complete=True and FailureTarget=true conditions",
        );
    }
    if !changed("Complete") && status.completion_time == was.completion_time {
        return;
    }
    let at = "status.completionTime";
    match (&status.completion_time, complete) {
        (Some(time), false) => problems.invalid(
            at,
            time,
            "cannot set completionTime when there is no Complete=True condition",
        ),
        (None, true) => problems.required(at, "completionTime is required for Complete jobs"),
        _ => {}
    }
    if let (Some(start), Some(end)) = (&status.start_time, &status.completion_time)
        && end.0 < start.0
    {
        problems.invalid(at, end, "must be equal to or after `startTime`");
    }
}
