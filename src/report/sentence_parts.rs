//! The sentences about roles, Jobs and pods; those about the run are in [`crate::report::sentence`].

use crate::engine::EventKind;
use crate::engine::event::PodCause;
use crate::report::escape;
use crate::report::sentence::{Said, Tone};
use crate::report::time::human;
use crate::report::words::{count, how, how_code_first, reason_and_message, target, waits_phrase};

pub(crate) fn of_role(kind: &EventKind) -> Option<Said> {
    Some(match kind {
        EventKind::RoleWaiting {
            role, waits_for, ..
        } => Said::new(
            role.clone(),
            format!("waits for {}", waits_phrase(waits_for)),
        ),
        EventKind::RoleCreated { role, replicas, .. } => {
            Said::new(role.clone(), format!("created {}", count(*replicas, "job")))
        }
        EventKind::RoleReady {
            role,
            ready,
            replicas,
            after_s,
            ..
        } => Said::new(role.clone(), ready_text(*ready, *replicas, *after_s)),
        EventKind::RoleCompleted { role, .. } => Said::new(role.clone(), "completed"),
        _ => return None,
    })
}

/// `ready 3/4`, `ready 4/4 after 4m32s`.
pub(crate) fn ready_text(ready: u32, replicas: u32, after_s: Option<i64>) -> String {
    match after_s.filter(|_| ready >= replicas) {
        Some(s) => format!("ready {ready}/{replicas} after {}", human(s)),
        None => format!("ready {ready}/{replicas}"),
    }
}

pub(crate) fn of_job(kind: &EventKind) -> Option<Said> {
    Some(match kind {
        EventKind::JobCreated {
            role,
            job,
            attempt,
            job_restarts,
        } => {
            let again = match job_restarts {
                0 => String::new(),
                n => format!(", its restart {n}"),
            };
            Said::new(
                target(role, *job, None),
                format!("created (attempt {attempt}{again})"),
            )
        }
        EventKind::JobReady { role, job, .. } => Said::new(target(role, *job, None), "ready"),
        EventKind::JobSucceeded { role, job, .. } => {
            Said::new(target(role, *job, None), "succeeded")
        }
        EventKind::JobFailed {
            role,
            job,
            reason,
            message,
            cause,
            ..
        } => {
            let scope = target(role, *job, None);
            let (plain, terminal) = job_failed(role, *job, reason, message, cause.as_ref());
            Said::new(scope.clone(), format!("failed, {plain}"))
                .on_terminal(format!("{scope} failed"), format!(": {terminal}"))
                .tone(Tone::Bad)
        }
        EventKind::JobDeleted {
            role,
            job,
            attempt,
            by_someone,
        } => {
            let scope = target(role, *job, None);
            if *by_someone {
                Said::new(scope, "its job was deleted by someone else").tone(Tone::Warning)
            } else {
                Said::new(scope, format!("deleted (attempt {attempt})"))
            }
        }
        EventKind::JobStuck {
            role,
            job,
            reason,
            message,
        } => Said::new(
            target(role, *job, None),
            format!("stuck, {}", reason_or_message(reason, message)),
        )
        .tone(Tone::Warning),
        _ => return None,
    })
}

pub(crate) fn of_pod(kind: &EventKind) -> Option<Said> {
    Some(match kind {
        EventKind::PodPending {
            role,
            job,
            index,
            reason,
            message,
        } => Said::new(target(role, *job, *index), pending_text(reason, message)),
        EventKind::PodRunning {
            role,
            job,
            index,
            node,
            ..
        } => Said::new(
            target(role, *job, *index),
            format!("pod runs{}", on_node(node.as_deref())),
        ),
        EventKind::PodFailed {
            role, job, cause, ..
        } => {
            let what = cause_how(cause).unwrap_or_else(|| "nothing known about why".to_owned());
            Said::new(
                target(role, *job, cause.index),
                format!("pod failed, {what}{}", on_node(cause.node.as_deref())),
            )
            .tone(Tone::Warning)
        }
        EventKind::PodEvidence {
            role,
            job,
            index,
            lines,
            ..
        } => Said::new(
            target(role, *job, *index),
            format!("kept the last {}", count(*lines, "line")),
        ),
        _ => return None,
    })
}

/// `pending, no node with 2 free gpus`.
pub(crate) fn pending_text(reason: &str, message: &str) -> String {
    format!("pending, {}", reason_or_message(reason, message))
}

/// The sentence alone if there is one: the word before it is mostly its summary.
pub(crate) fn reason_or_message(reason: &str, message: &str) -> String {
    if message.is_empty() {
        escape::text(reason).into_owned()
    } else {
        escape::text(message).into_owned()
    }
}

pub(crate) fn cause_how(cause: &PodCause) -> Option<String> {
    how(
        cause.container_reason.as_deref(),
        cause.exit_code,
        cause.signal,
    )
}

/// Why a Job failed, telling word first and number first.
fn job_failed(
    role: &str,
    job: u32,
    reason: &str,
    message: &str,
    cause: Option<&PodCause>,
) -> (String, String) {
    let known = cause.and_then(|c| Some((c, cause_how(c)?)));
    let Some((cause, how)) = known else {
        let said = reason_and_message(reason, message);
        let place = cause.map_or_else(String::new, |c| in_pod(role, job, c));
        return (format!("{said}{place}"), format!("{said}{place}"));
    };
    let by_number = how_code_first(
        cause.container_reason.as_deref(),
        cause.exit_code,
        cause.signal,
    )
    .unwrap_or_else(|| how.clone());
    // A back-off limit or a pod failure policy only counts what the containers did; a deadline or
    // failed indexes are reasons of their own.
    let own = match reason {
        "" | "BackoffLimitExceeded" | "PodFailurePolicy" => String::new(),
        other => format!("{}: ", escape::text(other)),
    };
    let place = in_pod(role, job, cause);
    (
        format!("{own}{how}{place}"),
        format!("{own}{by_number}{place}"),
    )
}

fn in_pod(role: &str, job: u32, cause: &PodCause) -> String {
    let pod = match cause.index {
        Some(_) => target(role, job, cause.index),
        None if cause.pod.is_empty() => return on_node(cause.node.as_deref()),
        None => format!("pod {}", escape::text(&cause.pod)),
    };
    format!(" in {pod}{}", on_node(cause.node.as_deref()))
}

fn on_node(node: Option<&str>) -> String {
    node.map_or_else(String::new, |n| format!(" on {}", escape::text(n)))
}
