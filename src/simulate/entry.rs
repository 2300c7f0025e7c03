//! What happened between a driver and its cluster, as data, in order.

use k8s_openapi::jiff::Timestamp;

use crate::api::{Condition, JobSetStatus, ReplicatedJobStatus};
use crate::engine::{Action, Event, Outcome};

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What {
    /// The engine wanted this done.
    Did(Action),
    /// The engine wanted its state durable before it goes on.
    Wrote,
    /// The engine told this.
    Event(Event),
    /// A condition appeared or changed in the engine's state.
    Condition(Condition),
    /// A counter or word of the status changed (`restarts=1`).
    Status(String),
    /// The end.
    Outcome(Outcome),
    /// Something that was asked for has been made to happen: its number, and how many times by now.
    Fault {
        /// Position in the wishes.
        wish: usize,
        /// Place that it was done to.
        place: String,
        /// How many times it was done there.
        times: u32,
    },
    /// Said by the harness.
    Note(String),
}

/// What changed between two statuses: counters first, then conditions.
#[must_use]
pub fn status_changes(old: &JobSetStatus, new: &JobSetStatus) -> Vec<What> {
    let mut out = Vec::new();
    let mut changed = |differs: bool, line: &dyn Fn() -> String| {
        if differs {
            out.push(What::Status(line()));
        }
    };
    changed(old.restarts != new.restarts, &|| {
        format!("restarts={}", new.restarts)
    });
    changed(
        old.restarts_count_towards_max != new.restarts_count_towards_max,
        &|| format!("restartsCountTowardsMax={}", new.restarts_count_towards_max),
    );
    changed(old.terminal_state != new.terminal_state, &|| {
        format!(
            "terminalState={}",
            new.terminal_state.as_deref().unwrap_or("")
        )
    });
    let none = ReplicatedJobStatus::default();
    for role in &new.replicated_jobs_status {
        let before = old
            .replicated_jobs_status
            .iter()
            .find(|r| r.name == role.name)
            .unwrap_or(&none);
        changed(before.job_restarts != role.job_restarts, &|| {
            format!("{}.jobRestarts={:?}", role.name, role.job_restarts)
        });
        changed(
            before.job_restarts_count_towards_max != role.job_restarts_count_towards_max,
            &|| {
                format!(
                    "{}.jobRestartsCountTowardsMax={:?}",
                    role.name, role.job_restarts_count_towards_max
                )
            },
        );
    }
    for condition in &new.conditions {
        let before = old.conditions.iter().find(|c| c.type_ == condition.type_);
        let same = before.is_some_and(|b| {
            b.status == condition.status
                && b.reason == condition.reason
                && b.message == condition.message
        });
        if !same {
            out.push(What::Condition(condition.clone()));
        }
    }
    out
}
