//! Carrying out what the failure policy decided: counting a restart, and ending the run. Everything
//! here changes the state first; the deletes and creates follow when that is durable (trap D.4.5).

use k8s_openapi::jiff::Timestamp;

use crate::api::FailureAction;
use crate::api::names::{condition, reason};
use crate::engine::action::Urgency;
use crate::engine::event::EventKind;
use crate::engine::failure::{self, Decision, FailedJob, Verdict};
use crate::engine::history::{self, Ending, Fall, cut};
use crate::engine::outcome::{FirstFailure, Outcome};
use crate::engine::run::{Engine, Told};
use crate::engine::state::AttemptKind;
use crate::engine::status;
use crate::engine::view::SlotId;

impl Engine {
    /// One pass of the failure policy over the failed Jobs of this attempt. A whole-set restart makes
    /// all of them previous; a Job's own restart leaves the others for the next pass (trap D.4.7).
    pub(super) fn apply_failure_policy(&mut self, now: Timestamp) {
        let policy = self.jobset.spec.failure_policy.as_ref();
        let (ids, failed): (Vec<SlotId>, Vec<FailedJob<'_>>) = self
            .view
            .failed
            .iter()
            .filter_map(|id| Some((*id, self.failed_job(*id)?)))
            .unzip();
        let used = status::counted(&self.state.status);
        let Some(decision) = failure::decide(policy, &failed, used) else {
            return;
        };
        let slot = ids[decision.cause];
        let job = failed[decision.cause];
        let base = FirstFailure {
            job_name: job.name.to_owned(),
            reason: job.reason.to_owned(),
            message: cut(job.message.to_owned()),
            at: Some(job.at),
            attempt: self.state.status.restarts,
            rule: decision
                .rule
                .and_then(|r| Some(policy?.rules.get(r)?.name.clone())),
            rule_index: decision.rule.and_then(|r| u32::try_from(r).ok()),
            action: decision.action.as_str().to_owned(),
            ..FirstFailure::default()
        };
        let restart_reason =
            failure::restart_reason(decision.rule.and_then(|r| policy?.rules.get(r)));
        self.begin_ending(slot, base);
        let name = self.job_name(slot);
        match decision.verdict {
            Verdict::Fail(why) => {
                self.say_decided(slot, &decision, now);
                let outcome = if why == reason::REACHED_MAX_RESTARTS {
                    Outcome::RestartLimit
                } else {
                    Outcome::FailedByPolicy {
                        reason: why.to_owned(),
                    }
                };
                self.finish(outcome, why, &failure::failed_message(why, &name), now);
            }
            Verdict::RestartSet { counts } => {
                self.count_set_restart(counts, (&restart_reason, decision.action, &name), now);
                self.say_decided(slot, &decision, now);
                let kind = EventKind::RunRestarting {
                    attempt: self.state.status.restarts,
                    restarts: status::counted(&self.state.status),
                    max_restarts: self.max_restarts().unwrap_or(0),
                };
                self.say(now, kind);
            }
            Verdict::RestartJob { counts } => {
                self.count_job_restart(slot, counts, now);
                self.say_decided(slot, &decision, now);
            }
        }
    }

    fn failed_job(&self, id: SlotId) -> Option<FailedJob<'_>> {
        let slot = &self.view.slots[id];
        let seen = &slot.job.as_deref()?.seen;
        let end = self.view.failure(seen)?;
        Some(FailedJob {
            role: &self.view.roles[slot.role].name,
            name: &seen.name,
            at: end.at,
            reason: &end.reason,
            message: &end.message,
        })
    }

    /// `maxRestarts`; none without a failure policy.
    pub(super) fn max_restarts(&self) -> Option<u32> {
        let policy = self.jobset.spec.failure_policy.as_ref()?;
        Some(u32::try_from(policy.max_restarts.unwrap_or(0)).unwrap_or(0))
    }

    fn say_decided(&mut self, slot: SlotId, decision: &Decision, now: Timestamp) {
        let (role, job) = self.place(slot);
        let rule = decision.rule.and_then(|r| {
            Some(
                self.jobset
                    .spec
                    .failure_policy
                    .as_ref()?
                    .rules
                    .get(r)?
                    .name
                    .clone(),
            )
        });
        let counts = matches!(
            decision.action,
            FailureAction::RestartJobSet | FailureAction::RestartJob
        );
        let kind = EventKind::PolicyDecided {
            rule,
            rule_index: decision.rule.and_then(|r| u32::try_from(r).ok()),
            action: decision.action.as_str().to_owned(),
            counts,
            restarts: status::counted(&self.state.status),
            max_restarts: self.max_restarts(),
            limit_reached: decision.verdict == Verdict::Fail(reason::REACHED_MAX_RESTARTS),
            role,
            job,
        };
        self.say(now, kind);
    }

    fn count_set_restart(
        &mut self,
        counts: bool,
        (reason, action, job): (&str, FailureAction, &str),
        now: Timestamp,
    ) {
        let status = &mut self.state.status;
        status.restarts += 1;
        status.restarts_count_towards_max += u32::from(counts);
        let message = failure::applying_message(action, job);
        status::set_restarting(status, true, (reason, &message), now);
        self.end_attempt(now);
        history::begin(&mut self.state, AttemptKind::Restart, counts, now);
        if self.jobset.suspended() {
            // It doesn't begin to run before it is resumed.
            history::close(&mut self.state, None, now);
        }
        self.state.pods_replaced = 0;
        self.view.restarts = self.state.status.restarts;
        for set in &mut self.succeeded {
            set.clear();
        }
        for slot in &mut self.view.slots {
            slot.remembered = false;
            slot.notice = None;
            slot.retry = None;
        }
        for told in &mut self.told {
            *told = Told::default();
        }
        self.said_turn = None;
        self.falls.clear();
        self.untold.clear();
        self.view.settle_all();
        self.touch(Urgency::Now);
    }

    fn count_job_restart(&mut self, slot: SlotId, counts: bool, now: Timestamp) {
        let (position, index) = (self.view.slots[slot].role, self.view.slots[slot].index);
        let replicas = self.view.roles[position].replicas;
        let status = &mut self.state.status.replicated_jobs_status[position];
        let restarts = status::count_job_restart(status, index, replicas, counts);
        self.view.slots[slot].job_restarts = restarts;
        self.end_attempt(now);
        history::begin(&mut self.state, AttemptKind::RestartJob, counts, now);
        self.falls.forget_slot(slot);
        self.untold.remove(&slot);
        self.view.count_pods(slot);
        self.view.settle(slot);
        self.touch(Urgency::Now);
    }

    /// The end: recorded before anything is deleted (trap D.6.6).
    pub(super) fn finish(&mut self, outcome: Outcome, reason: &str, message: &str, now: Timestamp) {
        let completed = outcome == Outcome::Completed;
        let status = &mut self.state.status;
        if status::find(status, condition::RESTARTING).is_some() {
            let why = if completed {
                status::JOBSET_COMPLETED
            } else {
                status::JOBSET_FAILED
            };
            status::set_restarting(status, false, why, now);
        }
        let type_ = if completed {
            condition::COMPLETED
        } else {
            condition::FAILED
        };
        status::set(status, type_, true, reason, message, now);
        status.terminal_state = Some(type_.to_owned());
        self.state.finished = Some(now);
        self.state.outcome = Some(outcome);
        self.end_attempt(now);
        self.view.finished = true;
        self.view.settle_all();
        self.touch(Urgency::Now);
        self.ended_version = self.version();
    }

    fn end_attempt(&mut self, now: Timestamp) {
        history::close(&mut self.state, None, now);
        self.refresh_ending();
    }

    fn begin_ending(&mut self, slot: SlotId, base: FirstFailure) {
        let (role, job) = self.place(slot);
        self.ending = Some(Ending {
            entry: history::newest(&self.state),
            slot,
            restarts: self.state.status.restarts,
            base: FirstFailure { role, job, ..base },
            began: history::began(&self.state),
            falls: self.falls.clone(),
        });
    }

    /// Writes what is known of the first failure into the history.
    pub(super) fn refresh_ending(&mut self) {
        let Some(ending) = &self.ending else { return };
        let (view, jobset, run) = (&self.view, &self.jobset, &self.run);
        let mut failure = ending.first_failure(
            |id| {
                let slot = &view.slots[id];
                let role = view.roles[slot.role].name.as_str();
                (
                    role,
                    slot.index,
                    crate::api::names::job_name(&run.name, role, slot.index),
                )
            },
            |id| {
                jobset
                    .spec
                    .replicated_jobs
                    .get(view.slots[id].role)
                    .map(|r| &r.template)
            },
        );
        let first = ending
            .first()
            .map(|f| (f.pod_uid.clone(), f.container.clone()));
        let number = ending.entry;
        let Some(entry) = history::entry(&mut self.state, number) else {
            return;
        };
        if let Some((uid, container)) = first
            && let Some(kept) = entry
                .evidence
                .iter()
                .find(|e| e.pod_uid == uid && Some(&e.container) == container.as_ref())
        {
            failure.last_lines.clone_from(&kept.lines);
        }
        if entry.ended.is_none() {
            return;
        }
        entry.cause = Some(failure.clone());
        if number == history::newest(&self.state) && self.state.outcome.is_some() {
            self.state.first_failure = Some(failure);
        }
    }

    /// A container or pod came to a bad end.
    pub(super) fn fell(&mut self, fall: Fall) {
        let slot = &self.view.slots[fall.slot];
        let old = self.view.is_old(slot, fall.restarts, fall.job_restarts);
        let of_ending = self.ending.as_ref().is_some_and(|e| {
            let set_restarted = self.view.restarts > e.restarts;
            e.restarts == fall.restarts
                && (self.view.finished || (old && (set_restarted || e.slot == fall.slot)))
        });
        if old && !of_ending {
            return;
        }
        let entry = match &mut self.ending {
            Some(ending) if of_ending => {
                ending.falls.push(fall.clone());
                let number = ending.entry;
                self.refresh_ending();
                self.touch(Urgency::Soon);
                number
            }
            _ => {
                self.falls.push(fall.clone());
                history::newest(&self.state)
            }
        };
        if fall.weak {
            return;
        }
        let (role, job) = self.place(fall.slot);
        let kind = EventKind::PodFailed {
            role,
            job,
            attempt: fall.restarts,
            cause: fall.cause(),
        };
        self.say(fall.at, kind);
        let gone = self.view.slots[fall.slot]
            .job
            .as_deref()
            .is_none_or(|e| e.delete_sent);
        if !gone {
            self.want_evidence(&fall, entry);
        }
    }
}
