//! The order of one pass (spec 5), and nothing else: what is decided and how is in the policies.

use k8s_openapi::jiff::Timestamp;

use crate::api::names::{condition, reason};
use crate::api::{Operator, RestartStrategy};
use crate::engine::action::{Action, Step, Urgency};
use crate::engine::depends_on::Progress;
use crate::engine::event::EventKind;
use crate::engine::explain::Timer;
use crate::engine::history;
use crate::engine::outcome::Outcome;
use crate::engine::run::{Engine, Flight};
use crate::engine::startup::{self, Turn};
use crate::engine::state::AttemptKind;
use crate::engine::status;
use crate::engine::success;
use crate::engine::view::{Call, Class, SlotId};

/// Refused deletes don't hold up the verdict for ever: after so many tries it is given without them.
const LAST_DELETE_TRIES: u32 = 3;

impl Engine {
    /// One pass.
    pub(super) fn decide(&mut self, now: Timestamp, step: &mut Step) {
        if self.state.outcome.is_none() {
            self.judge(now);
        }
        self.tell_roles(now);
        if self.state.outcome.is_none() && (self.changed || self.is_suspended()) {
            self.follow_suspension(now);
        }
        if self.state.outcome.is_none() && self.changed {
            self.follow_startup(now);
            self.changed = false;
        }
        // After the verdict the driver leaves: what is told late is not asked about any more.
        if !self.given {
            self.ask_evidence(step);
        }
        if self.gate_open() {
            if self.state.outcome.is_none() {
                self.create_service(now, step);
            }
            self.delete_jobs(now, step);
            if self.state.outcome.is_none() {
                self.create_jobs(now, step);
                self.suspend_and_resume(now, step);
            }
        }
        self.tell_roles(now);
        self.give_outcome(now, step);
    }

    /// Has the run ended, or does it start anew? Failures are looked at before successes (spec 8).
    fn judge(&mut self, now: Timestamp) {
        if let Some(by) = self.stop.take() {
            self.state.stop = Some(by.clone());
            let message = format!("jobset was stopped by {by}");
            return self.finish(Outcome::Stopped { by }, reason::STOPPED, &message, now);
        }
        if let Some((reason, message)) = self.refused.take() {
            let outcome = Outcome::CouldNotStart {
                message: message.clone(),
            };
            return self.finish(outcome, &reason, &message, now);
        }
        while !self.view.failed.is_empty() && self.state.outcome.is_none() {
            self.apply_failure_policy(now);
        }
        if self.state.outcome.is_none() && self.changed {
            let roles = &self.view.roles;
            let counts = roles
                .iter()
                .map(|r| (r.name.as_str(), r.replicas, r.count(Class::Succeeded)));
            if success::met(&self.jobset, counts) {
                self.complete(now);
            }
        }
    }

    fn complete(&mut self, now: Timestamp) {
        let stopped = self
            .view
            .roles
            .iter()
            .map(|r| r.count(Class::Starting) + r.count(Class::Ready) + r.count(Class::Suspended))
            .sum();
        let operator = match success::operator(&self.jobset) {
            Operator::All => "All",
            Operator::Any => "Any",
        };
        self.say(
            now,
            EventKind::SuccessDecided {
                operator: operator.to_owned(),
                stopped,
            },
        );
        let message = "jobset completed successfully";
        self.finish(Outcome::Completed, reason::ALL_JOBS_COMPLETED, message, now);
    }

    /// How far a role is now.
    pub(super) fn progress_of(&self, position: usize) -> Progress {
        let r = &self.view.roles[position];
        Progress {
            started: self.view.started(position),
            complete: r.count(Class::Succeeded) == r.replicas,
            succeeded: r.count(Class::Succeeded) > 0,
            begun: r.made > 0,
            made: r.made == r.replicas,
        }
    }

    /// Whose turn it is now, computed afresh.
    pub(super) fn turns_now(&self) -> Vec<Turn> {
        let progress: Vec<Progress> = (0..self.view.roles.len())
            .map(|at| self.progress_of(at))
            .collect();
        startup::turns(&self.jobset, &progress, self.jobset.suspended(), |name| {
            self.view.role_of(name)
        })
    }

    /// Startup order: turns, its conditions, and whether everything is ready.
    fn follow_startup(&mut self, now: Timestamp) {
        self.turns = self.turns_now();
        let suspended = self.jobset.suspended();
        if startup::in_order(&self.jobset) && !suspended {
            self.follow_order(now);
        }
        self.tell_waiting(now);
        let ready = |r: &super::view::Role| r.count(Class::Ready) + r.count(Class::Succeeded);
        let all = self.view.roles.iter().all(|r| ready(r) == r.replicas);
        let restarted = status::find(&self.state.status, condition::RESTARTING).is_some();
        if all
            && !suspended
            && restarted
            && status::set_restarting(&mut self.state.status, false, status::JOBS_READY, now)
        {
            self.touch(Urgency::Soon);
        }
        let starting = self
            .state
            .attempts
            .last()
            .is_some_and(|a| a.ready.is_none() && a.ended.is_none());
        if starting && !suspended && self.view.replicas() > 0 && self.settled_roles() {
            self.ready(now);
        }
    }

    fn ready(&mut self, now: Timestamp) {
        let began = history::began(&self.state);
        let attempt = self.state.status.restarts;
        let Some(last) = self.state.attempts.last_mut() else {
            return;
        };
        last.ready = Some(now);
        let alone = last.kind == AttemptKind::RestartJob;
        self.touch(Urgency::Soon);
        if !alone {
            let startup_s = began.map_or(0, |b| now.duration_since(b).as_secs());
            self.say(now, EventKind::RunRunning { attempt, startup_s });
        }
    }

    fn follow_order(&mut self, now: Timestamp) {
        let turn = self.turns.iter().position(|t| *t == Turn::Open);
        let (type_, reason, message) = if turn.is_some() {
            (
                condition::STARTUP_POLICY_IN_PROGRESS,
                reason::IN_ORDER_IN_PROGRESS,
                "in order startup policy is in progress",
            )
        } else {
            (
                condition::STARTUP_POLICY_COMPLETED,
                reason::IN_ORDER_COMPLETED,
                "in order startup policy has completed",
            )
        };
        if status::set(&mut self.state.status, type_, true, reason, message, now) {
            self.touch(Urgency::Soon);
        }
        if self.said_turn != Some(turn) {
            self.said_turn = Some(turn);
            let role = turn.map(|t| self.view.roles[t].name.clone());
            let attempt = self.state.status.restarts;
            self.say(now, EventKind::StartupDecided { role, attempt });
        }
    }

    fn tell_waiting(&mut self, now: Timestamp) {
        for position in 0..self.turns.len() {
            let role = &self.view.roles[position];
            let waits_for = match &self.turns[position] {
                Turn::Held(what) if role.made < role.replicas => Some(what.clone()),
                _ => None,
            };
            if self.told[position].waits_for == waits_for {
                continue;
            }
            self.told[position].waits_for.clone_from(&waits_for);
            if let Some(waits_for) = waits_for {
                let role = role.name.clone();
                let attempt = self.state.status.restarts;
                self.say(
                    now,
                    EventKind::RoleWaiting {
                        role,
                        attempt,
                        waits_for,
                    },
                );
            }
        }
    }

    /// The Service comes before the Jobs, so that names resolve from the start (trap D.9.10).
    fn create_service(&mut self, now: Timestamp, step: &mut Step) {
        if self.service_ready()
            || self.service_call
            || self.service_retry.is_some_and(|(at, _)| at > now)
        {
            return;
        }
        self.service_call = true;
        let id = self.next_id(Flight::Service);
        step.actions.push((id, Action::CreateService));
    }

    fn service_ready(&self) -> bool {
        !self.jobset.dns_hostnames() || self.view.service == Some(true)
    }

    fn delete_jobs(&mut self, now: Timestamp, step: &mut Step) {
        if self.view.deletable.is_empty() {
            return;
        }
        let wait = self.options.evidence_wait;
        for id in self.view.deletable.iter().copied().collect::<Vec<_>>() {
            if self.hindered(id, now) {
                continue;
            }
            let slot = &mut self.view.slots[id];
            let evidence = slot.evidence_open > 0;
            let Some(e) = slot.job.as_deref_mut() else {
                continue;
            };
            let due = *e.delete_due.get_or_insert(now);
            if evidence
                && let Ok(until) = due.checked_add(wait)
                && until > now
            {
                self.wake(until, Timer::Wake);
                continue;
            }
            let action = Action::DeleteJob {
                name: e.seen.name.clone(),
                uid: e.seen.uid.clone(),
                restart_attempt: e.seen.restart_attempt,
            };
            self.call(id, Call::Delete, action, step);
        }
    }

    /// A call failed a moment ago.
    fn hindered(&self, id: SlotId, now: Timestamp) -> bool {
        self.view.slots[id]
            .retry
            .as_deref()
            .is_some_and(|r| r.at > now)
    }

    fn call(&mut self, id: SlotId, call: Call, action: Action, step: &mut Step) {
        let number = self.next_id(Flight::Job(id, call));
        self.view.slots[id].call = Some((number, call));
        self.view.settle(id);
        step.actions.push((number, action));
    }

    fn create_jobs(&mut self, now: Timestamp, step: &mut Step) {
        if self.view.creatable.is_empty() || !self.service_ready() || self.blocked() {
            return;
        }
        let suspend = self.jobset.suspended();
        for role in 0..self.turns.len() {
            if self.turns[role] != Turn::Open {
                continue;
            }
            let range = self.view.roles[role].slots();
            for id in self
                .view
                .creatable
                .range(range)
                .copied()
                .collect::<Vec<_>>()
            {
                if self.hindered(id, now) {
                    continue;
                }
                let (restarts, job_restarts) =
                    (self.view.restarts, self.view.slots[id].job_restarts);
                let index = self.view.slots[id].index;
                let action = Action::CreateJob {
                    role,
                    index,
                    restarts,
                    job_restarts,
                    suspend,
                };
                self.call(
                    id,
                    Call::Create {
                        restarts,
                        job_restarts,
                        suspend,
                    },
                    action,
                    step,
                );
            }
        }
    }

    /// `BlockingRecreate`: nothing is made before everything old is gone, pods included (trap D.1.3).
    fn blocked(&self) -> bool {
        let strategy = self
            .jobset
            .spec
            .failure_policy
            .as_ref()
            .and_then(|p| p.restart_strategy);
        strategy == Some(RestartStrategy::BlockingRecreate)
            && (self.view.previous_jobs > 0 || self.view.old_pods > 0)
    }

    fn suspend_and_resume(&mut self, now: Timestamp, step: &mut Step) {
        if self.jobset.suspended() {
            for id in self.view.unsuspended.iter().copied().collect::<Vec<_>>() {
                if self.hindered(id, now) {
                    continue;
                }
                let Some(e) = self.view.current(id) else {
                    continue;
                };
                let action = Action::SuspendJob {
                    name: e.seen.name.clone(),
                    uid: e.seen.uid.clone(),
                };
                self.call(id, Call::Suspend, action, step);
            }
        } else if self.is_suspended() {
            for role in 0..self.turns.len() {
                if matches!(self.turns[role], Turn::Held(_)) {
                    continue;
                }
                let range = self.view.roles[role].slots();
                let ids: Vec<SlotId> = self.view.suspended.range(range).copied().collect();
                if ids.is_empty() {
                    continue;
                }
                let template = self.template_patch(role);
                for id in ids {
                    if self.hindered(id, now) {
                        continue;
                    }
                    let Some(e) = self.view.current(id) else {
                        continue;
                    };
                    let action = Action::ResumeJob {
                        name: e.seen.name.clone(),
                        uid: e.seen.uid.clone(),
                        clear_start_time: e.seen.started && template.is_some(),
                        template: template.clone(),
                    };
                    self.call(id, Call::Resume, action, step);
                }
            }
        }
    }

    /// Some Job may still turn up suspended by us: a patch or a create is under way, a create is due, or
    /// one was answered and the Job hasn't been seen (an earlier driver may have made it suspended).
    pub(super) fn resuming(&self) -> bool {
        let calls = self
            .flights
            .values()
            .any(|f| matches!(f, Flight::Job(_, call) if *call != Call::Delete));
        let due = |(role, turn): (usize, &Turn)| {
            let mut missing = self.view.creatable.range(self.view.roles[role].slots());
            *turn == Turn::Open && missing.next().is_some()
        };
        let unseen = |e: &super::view::Entry| e.expected;
        calls
            || self.turns_now().iter().enumerate().any(due)
            || self
                .view
                .slots
                .iter()
                .any(|s| s.job.as_deref().is_some_and(unseen))
    }

    /// The verdict, once: when it is durable, and what still ran has been asked to go.
    fn give_outcome(&mut self, now: Timestamp, step: &mut Step) {
        let Some(outcome) = self.state.outcome.clone().filter(|_| !self.given) else {
            return;
        };
        if !self.written(self.ended_version) {
            return;
        }
        let stubborn = |id: &SlotId| {
            let retry = self.view.slots[*id].retry.as_deref();
            retry.is_some_and(|r| r.tries + 1 >= LAST_DELETE_TRIES)
        };
        let calls = self.flights.values().any(|f| matches!(f, Flight::Job(..)));
        if calls || !self.view.deletable.iter().all(stubborn) {
            return;
        }
        // The last words of a failed container, and their write, are worth a moment.
        let settled = self.asking.idle() && self.all_written();
        let until = self
            .state
            .finished
            .unwrap_or(now)
            .checked_add(self.options.evidence_wait);
        if let (false, Ok(until)) = (settled, until)
            && until > now
        {
            self.wake(until, Timer::Wake);
            return;
        }
        self.given = true;
        let terminal = self.state.status.terminal_state.clone().unwrap_or_default();
        let found = status::find(&self.state.status, &terminal);
        let (reason, message) =
            found.map_or_else(Default::default, |c| (c.reason.clone(), c.message.clone()));
        let first_failure = self.state.first_failure.clone().map(Box::new);
        let kind = EventKind::RunFinished {
            state: terminal,
            reason,
            message,
            first_failure,
        };
        self.say(self.state.finished.unwrap_or(now), kind);
        step.outcome = Some(outcome);
    }
}
