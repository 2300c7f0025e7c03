//! The JobSet's status: conditions as upstream sets them, and the counts per role (spec 6). The counts
//! live in the view; they are put into the status only when it is written anyway, so that a pod that
//! becomes ready costs no write.

use k8s_openapi::jiff::Timestamp;

use crate::api::names::{condition, reason};
use crate::api::{Condition, JobSetStatus, ReplicatedJobStatus};
use crate::engine::run::FailAt;
use crate::engine::view::{Class, View};

/// Reasons of `RestartingJobSet=False` besides `JobsReady`, and their messages (parity).
pub(super) const JOBSET_COMPLETED: (&str, &str) =
    ("JobSetCompleted", "jobset completed successfully");
pub(super) const JOBSET_FAILED: (&str, &str) = ("JobSetFailed", "jobset failed");
pub(super) const JOBSET_SUSPENDED: (&str, &str) = ("JobSetSuspended", "jobset is suspended");
pub(super) const JOBS_READY: (&str, &str) = (reason::JOBS_READY, "all jobs are ready");

/// The condition of that type.
pub(super) fn find<'a>(status: &'a JobSetStatus, type_: &str) -> Option<&'a Condition> {
    status.conditions.iter().find(|c| c.type_ == type_)
}

/// Sets a condition as upstream does: only a change of `status` counts, and a condition that was
/// never there is not added as False. True if something changed.
pub(super) fn set(
    status: &mut JobSetStatus,
    type_: &str,
    value: bool,
    reason: &str,
    message: &str,
    now: Timestamp,
) -> bool {
    let mut changed = false;
    let mut found = false;
    for c in &mut status.conditions {
        if c.type_ == type_ {
            found = true;
            if c.status != value {
                *c = new(type_, value, reason, message, now);
                changed = true;
            }
        } else if value && c.status && exclusive(&c.type_, type_) {
            // The other of the pair falls, and keeps its reason and message (parity in-order-*).
            c.status = false;
            c.last_transition_time = now;
            changed = true;
        }
    }
    if !found && value {
        status
            .conditions
            .push(new(type_, value, reason, message, now));
        changed = true;
    }
    changed
}

/// `RestartingJobSet` changes with its reason as well, also from False to False (parity).
pub(super) fn set_restarting(
    status: &mut JobSetStatus,
    value: bool,
    (reason, message): (&str, &str),
    now: Timestamp,
) -> bool {
    let Some(c) = status
        .conditions
        .iter_mut()
        .find(|c| c.type_ == condition::RESTARTING)
    else {
        return set(status, condition::RESTARTING, value, reason, message, now);
    };
    if c.status == value && c.reason == reason && c.message == message {
        return false;
    }
    let since = if c.status == value && !value {
        c.last_transition_time
    } else {
        now
    };
    *c = new(condition::RESTARTING, value, reason, message, since);
    true
}

fn new(type_: &str, status: bool, reason: &str, message: &str, now: Timestamp) -> Condition {
    Condition {
        type_: type_.to_owned(),
        status,
        reason: reason.to_owned(),
        message: message.to_owned(),
        last_transition_time: now,
    }
}

fn exclusive(a: &str, b: &str) -> bool {
    let pair = [
        condition::STARTUP_POLICY_IN_PROGRESS,
        condition::STARTUP_POLICY_COMPLETED,
    ];
    a != b && pair.contains(&a) && pair.contains(&b)
}

/// Puts the counts of the moment into the status. At the end what still runs is on its way out and no
/// longer counts, so that the record shows what will be left.
pub(super) fn fill(status: &mut JobSetStatus, view: &View) {
    ensure(status, view);
    for (position, role) in view.roles.iter().enumerate() {
        let s = &mut status.replicated_jobs_status[position];
        s.succeeded = role.count(Class::Succeeded);
        s.failed = view.failed_of(position);
        let running = if view.finished {
            [0, 0, 0]
        } else {
            [
                role.count(Class::Ready),
                role.active,
                role.count(Class::Suspended),
            ]
        };
        [s.ready, s.active, s.suspended] = running;
    }
}

/// One entry per role, in manifest order (trap D.6.10); restart counts that are there stay.
pub(super) fn ensure(status: &mut JobSetStatus, view: &View) {
    let same = status.replicated_jobs_status.len() == view.roles.len()
        && status
            .replicated_jobs_status
            .iter()
            .zip(&view.roles)
            .all(|(s, r)| s.name == r.name);
    if same {
        return;
    }
    let mut old = std::mem::take(&mut status.replicated_jobs_status);
    status.replicated_jobs_status = view
        .roles
        .iter()
        .map(|role| {
            old.iter().position(|s| s.name == role.name).map_or_else(
                || ReplicatedJobStatus {
                    name: role.name.clone(),
                    ..Default::default()
                },
                |at| old.swap_remove(at),
            )
        })
        .collect();
}

/// Restarts used of the limit: global and per Job (spec 7, trap D.4.3).
pub(super) fn counted(status: &JobSetStatus) -> u32 {
    status.restarts_count_towards_max
        + status
            .replicated_jobs_status
            .iter()
            .flat_map(|s| &s.job_restarts_count_towards_max)
            .sum::<u32>()
}

/// All restarts, counted or not.
pub(super) fn all_restarts(status: &JobSetStatus) -> u32 {
    status.restarts
        + status
            .replicated_jobs_status
            .iter()
            .flat_map(|s| &s.job_restarts)
            .sum::<u32>()
}

/// Counts one restart of one Job by itself. Its vectors appear, in full length, when first needed.
pub(super) fn count_job_restart(
    status: &mut ReplicatedJobStatus,
    index: u32,
    replicas: u32,
    counts: bool,
) -> u32 {
    let bump = |list: &mut Vec<u32>| {
        if list.len() < replicas as usize {
            list.resize(replicas as usize, 0);
        }
        list.get_mut(index as usize).map_or(0, |n| {
            *n += 1;
            *n
        })
    };
    if counts {
        bump(&mut status.job_restarts_count_towards_max);
    }
    bump(&mut status.job_restarts)
}

/// Whether a Job that has `FailureTarget` counts as failed already.
impl FailAt {
    /// The word of the switch.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FailureTarget => "FailureTarget",
            Self::Failed => "Failed",
        }
    }
}
