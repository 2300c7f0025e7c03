//! The picture of the moment for `status` and the display, out of the counters: its cost grows with
//! the roles and with what is pending or terminating, not with what runs.

use k8s_openapi::jiff::Timestamp;

use crate::api::names::condition;
use crate::engine::history;
use crate::engine::outcome::Outcome;
use crate::engine::run::Engine;
use crate::engine::snapshot::{RoleSnapshot, Snapshot, StateWord};
use crate::engine::startup::Turn;
use crate::engine::state::AttemptKind;
use crate::engine::status;
use crate::engine::view::Class;

impl Engine {
    /// What the run looks like now.
    #[must_use]
    pub fn snapshot(&self, now: Timestamp) -> Snapshot {
        let turns = self.turns_now();
        let roles = (0..self.view.roles.len())
            .map(|position| self.role_snapshot(position, &turns[position], now))
            .collect();
        Snapshot {
            state: self.state_word(),
            reason: self.reason(),
            attempt: self.state.status.restarts,
            restarts_counted: status::counted(&self.state.status),
            restarts: status::all_restarts(&self.state.status),
            max_restarts: self.max_restarts(),
            started: self.state.started,
            attempt_started: history::began(&self.state),
            finished: self.state.finished,
            roles,
            pods_replaced: self.state.pods_replaced,
        }
    }

    fn role_snapshot(&self, position: usize, turn: &Turn, now: Timestamp) -> RoleSnapshot {
        let role = &self.view.roles[position];
        let absent = role.count(Class::Absent);
        let held = match turn {
            Turn::Held(what) if absent > 0 && !self.view.finished => Some(what.clone()),
            _ => None,
        };
        // What isn't there is about to be made, unless it isn't its turn or the run is over.
        let waits = held.is_some() || self.view.finished;
        RoleSnapshot {
            name: role.name.clone(),
            replicas: role.replicas,
            ready: role.count(Class::Ready),
            starting: role.count(Class::Starting) + if waits { 0 } else { absent },
            failing: role.count(Class::Failing),
            succeeded: role.count(Class::Succeeded),
            failed: role.count(Class::Failed),
            suspended: role.count(Class::Suspended),
            waiting: if waits { absent } else { 0 },
            terminating: role.previous,
            pods: role.pods_ok,
            pods_wanted: role.replicas.saturating_mul(role.expected),
            pods_terminating: u32::try_from(role.leaving.len()).unwrap_or(u32::MAX),
            waits_for: held,
            notes: self.notes(position, now),
        }
    }

    fn state_word(&self) -> StateWord {
        match &self.state.outcome {
            Some(Outcome::Completed) => return StateWord::Completed,
            Some(Outcome::Stopped { .. }) if self.going() => return StateWord::Stopping,
            Some(_) => return StateWord::Failed,
            None => {}
        }
        if self.stop.is_some() {
            return StateWord::Stopping;
        }
        if self.jobset.suspended() {
            return StateWord::Suspended;
        }
        let last = self.state.attempts.last();
        let first = self.state.status.restarts == 0 && self.state.attempts.len() <= 1;
        if first
            && self.view.standing == 0
            && self.succeeded.iter().all(super::ranges::Ranges::is_empty)
        {
            return StateWord::Pending;
        }
        match last {
            // With nobody driving, the record doesn't know yet what can be seen.
            Some(a) if a.ready.is_some() || (a.ended.is_none() && self.settled_roles()) => {
                StateWord::Running
            }
            Some(a) if matches!(a.kind, AttemptKind::Restart | AttemptKind::RestartJob) => {
                StateWord::Restarting
            }
            _ => StateWord::Starting,
        }
    }

    /// Jobs that were told to go are still there.
    fn going(&self) -> bool {
        self.view.previous_jobs > 0
            || self.view.roles.iter().any(|r| {
                r.count(Class::Starting) + r.count(Class::Ready) + r.count(Class::Suspended) > 0
            })
    }

    fn reason(&self) -> Option<String> {
        let status = &self.state.status;
        let of = |type_: &str| {
            status::find(status, type_)
                .filter(|c| c.status)
                .map(|c| c.reason.clone())
        };
        of(condition::FAILED)
            .or_else(|| of(condition::COMPLETED))
            .or_else(|| of(condition::SUSPENDED))
            .or_else(|| of(condition::RESTARTING))
    }
}
