//! Answers to actions: what was created, what stands in the way, what was refused. An accepted create
//! counts as existing until the watch shows it (trap D.9.4).

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::engine::action::ActionId;
use crate::engine::event::EventKind;
use crate::engine::explain::Timer;
use crate::engine::input::{ActionResult, JobSeen};
use crate::engine::run::{Engine, Flight};
use crate::engine::state::AttemptKind;
use crate::engine::view::{Call, Entry, Retry, SlotId};

/// First wait after a hindered call; it doubles with each try.
const RETRY_FIRST_S: i64 = 1;
/// Longest wait between tries: an obstacle that a person removes is noticed within this.
const RETRY_MOST_S: i64 = 30;
/// An API server that has just started answers 403 until it has read the Roles, which takes seconds. So
/// what was checked before the start counts as forbidden only after this long.
const FORBIDDEN_FOR: SignedDuration = SignedDuration::from_secs(60);
/// What a patch said counts until the watch shows it, but no longer than this.
pub(super) const PATCH_SEEN: SignedDuration = SignedDuration::from_secs(10);

/// When to try again.
pub(super) fn backoff(tries: u32, now: Timestamp) -> Timestamp {
    let s = RETRY_FIRST_S
        .saturating_mul(1 << tries.min(5))
        .min(RETRY_MOST_S);
    now.checked_add(SignedDuration::from_secs(s)).unwrap_or(now)
}

impl Engine {
    /// An action was carried out, or not.
    pub(super) fn action_done(&mut self, id: ActionId, result: ActionResult, now: Timestamp) {
        match self.flights.remove(&id) {
            None => {}
            Some(Flight::Evidence) => self.evidence_done(id, &result, now),
            Some(Flight::Service) => {
                self.service_call = false;
                self.service_done(&result, now);
            }
            Some(Flight::Job(slot, call)) => {
                if self.view.slots[slot]
                    .call
                    .is_some_and(|(open, _)| open == id)
                {
                    self.view.slots[slot].call = None;
                }
                match call {
                    Call::Create {
                        restarts,
                        job_restarts,
                        suspend,
                    } => {
                        self.create_done(slot, (restarts, job_restarts), suspend, result, now);
                    }
                    Call::Delete => self.delete_done(slot, result, now),
                    Call::Suspend => self.patch_done(slot, true, result, now),
                    Call::Resume => self.patch_done(slot, false, result, now),
                }
                self.view.settle(slot);
            }
        }
    }

    fn service_done(&mut self, result: &ActionResult, now: Timestamp) {
        let trouble = match result {
            ActionResult::Ok { .. }
            | ActionResult::Exists {
                ours: true,
                deleting: false,
                ..
            } => {
                self.view.service = Some(true);
                self.service_retry = None;
                self.forbidden_since = None;
                return;
            }
            ActionResult::Exists { .. } => {
                "another service of that name stands in the way".to_owned()
            }
            ActionResult::NotFound => "not found".to_owned(),
            ActionResult::Refused { code, message, .. } => {
                if self.ends_the_start(*code, message, now) {
                    self.refused =
                        Some(("HeadlessServiceCreationFailed".to_owned(), message.clone()));
                    return;
                }
                message.clone()
            }
        };
        let tries = self.service_retry.map_or(0, |(_, t)| t + 1);
        let at = backoff(tries, now);
        self.service_retry = Some((at, tries));
        self.wake(at, Timer::Wake);
        if tries == 0 {
            let name = crate::api::names::subdomain(&self.jobset).to_owned();
            let message = format!("service {name} can't be created: {trouble}; trying again");
            self.say(now, EventKind::Warning { message });
        }
    }

    fn create_done(
        &mut self,
        id: SlotId,
        labels: (u32, u32),
        suspend: bool,
        result: ActionResult,
        now: Timestamp,
    ) {
        let (role, index) = self.place(id);
        let name = self.job_name(id);
        let there = matches!(
            result,
            ActionResult::Ok { .. } | ActionResult::Exists { ours: true, .. }
        );
        if !there && self.view.is_old(&self.view.slots[id], labels.0, labels.1) {
            // What hindered a Job of the past says nothing about the one of now.
            return;
        }
        match result {
            ActionResult::Ok { uid } => {
                self.forbidden_since = None;
                self.expect(id, labels, suspend, uid, now);
            }
            ActionResult::Exists {
                ours: true,
                uid,
                deleting: false,
            } if self.view.slots[id].last_gone.as_deref() != Some(&*uid) => {
                self.expect(id, labels, suspend, Some(uid), now);
            }
            // Ours and not being deleted, although we saw it go: what was asked was behind the times.
            ActionResult::Exists { deleting: true, .. }
            | ActionResult::Exists { ours: true, .. } => {
                let why = format!("job {name} is still being deleted");
                self.hinder(id, "Terminating", why, now);
            }
            ActionResult::Exists { uid, .. } => {
                let first = self.view.slots[id].retry.is_none();
                let why = format!(
                    "job {name} (uid {uid}) is not of this run or attempt and stands in the way"
                );
                if first {
                    let message = format!("{why}; trying again until it is gone");
                    self.say(now, EventKind::Warning { message });
                }
                self.hinder(id, "InTheWay", why, now);
            }
            ActionResult::NotFound => {
                self.hinder(id, "NotCreated", format!("job {name} was not created"), now);
            }
            ActionResult::Refused {
                code,
                reason,
                message,
            } => {
                if self.ends_the_start(code, &message, now) {
                    let words = format!("job {name} was refused: {message}");
                    self.refused
                        .get_or_insert(("JobCreationFailed".to_owned(), words));
                    return;
                }
                let word = if is_quota(&message) {
                    "Quota"
                } else {
                    "Refused"
                };
                let why = format!("job {name} is refused ({reason}): {message}");
                let known = self.view.slots[id]
                    .retry
                    .as_deref()
                    .map(|r| r.message.clone());
                self.hinder(id, word, why.clone(), now);
                let key = (word.to_owned(), super::explain::short(&message));
                let slot_role = self.view.slots[id].role;
                if known.as_deref() != Some(&why) && self.told[slot_role].reasons.insert(key) {
                    self.say(
                        now,
                        EventKind::JobStuck {
                            role,
                            job: index,
                            reason: word.to_owned(),
                            message: format!("{why}; trying again"),
                        },
                    );
                }
            }
        }
    }

    /// An accepted create: the Job exists, whatever the watch says yet.
    fn expect(
        &mut self,
        id: SlotId,
        (restarts, job_restarts): (u32, u32),
        suspend: bool,
        uid: Option<String>,
        now: Timestamp,
    ) {
        let slot = &self.view.slots[id];
        let uid = uid.unwrap_or_default();
        // The watch was faster, and may even have seen it go already.
        if slot.job.is_some() || (!uid.is_empty() && slot.last_gone.as_deref() == Some(&*uid)) {
            return;
        }
        let (role, index) = self.place(id);
        let seen = JobSeen {
            name: self.job_name(id),
            uid,
            role,
            index,
            restart_attempt: restarts,
            job_restart_attempt: job_restarts,
            created: now,
            deleting_since: None,
            suspend,
            started: false,
            active: 0,
            ready: 0,
            succeeded: 0,
            failed: 0,
            terminating: 0,
            complete: None,
            failed_condition: None,
            failure_target: None,
            success_criteria_met: false,
        };
        self.insert_job(id, Entry::new(seen, true));
        self.after_job(id, now);
        if let Ok(at) = now.checked_add(super::facts::UNSEEN) {
            self.wake(at, Timer::Missed(id));
        }
    }

    fn delete_done(&mut self, id: SlotId, result: ActionResult, now: Timestamp) {
        match result {
            ActionResult::Ok { .. } | ActionResult::Exists { .. } => {
                if let Some(e) = self.view.slots[id].job.as_deref_mut() {
                    e.delete_sent = true;
                }
            }
            ActionResult::NotFound => {
                if self.view.slots[id].job.is_some() {
                    self.mark_deleted(id);
                    self.job_gone(id, now);
                }
            }
            ActionResult::Refused { message, .. } => {
                let (role, job) = self.place(id);
                let why = format!("job {} can't be deleted: {message}", self.job_name(id));
                let first = self.view.slots[id].retry.is_none();
                self.hinder(id, "NotDeleted", why.clone(), now);
                if first {
                    let reason = "NotDeleted".to_owned();
                    self.say(
                        now,
                        EventKind::JobStuck {
                            role,
                            job,
                            reason,
                            message: why,
                        },
                    );
                }
            }
        }
    }

    fn mark_deleted(&mut self, id: SlotId) {
        if let Some(e) = self.view.slots[id].job.as_deref_mut() {
            e.delete_sent = true;
        }
    }

    fn patch_done(&mut self, id: SlotId, suspend: bool, result: ActionResult, now: Timestamp) {
        match result {
            ActionResult::Ok { .. } | ActionResult::Exists { .. } => {
                // Also if the watch has not even shown the patch before: that one must not count any more.
                if let Some(e) = self.view.slots[id].job.as_deref_mut()
                    && (e.seen.suspend != suspend || e.suspended() != suspend)
                {
                    e.suspend_sent = Some((suspend, now));
                    e.pods_before |= suspend && !e.seen.suspend;
                    if let Ok(at) = now.checked_add(PATCH_SEEN) {
                        self.wake(at, Timer::Patch(id));
                    }
                }
                self.after_job(id, now);
            }
            ActionResult::NotFound => self.job_gone(id, now),
            ActionResult::Refused { code: 422, .. } if !suspend => {
                // The template of a Job that ran before can't be changed here: made anew (D.7.4).
                if let Some(e) = self.view.slots[id].job.as_deref_mut() {
                    e.replace = true;
                }
            }
            ActionResult::Refused { message, .. } => {
                let (role, job) = self.place(id);
                let verb = if suspend { "suspended" } else { "resumed" };
                let why = format!("job {} can't be {verb}: {message}", self.job_name(id));
                let first = self.view.slots[id].retry.is_none();
                self.hinder(id, "NotPatched", why.clone(), now);
                if first {
                    let reason = "NotPatched".to_owned();
                    self.say(
                        now,
                        EventKind::JobStuck {
                            role,
                            job,
                            reason,
                            message: why,
                        },
                    );
                }
            }
        }
    }

    /// The patch should have been seen by now: what the watch says counts again. But a Job that we have
    /// suspended, and that is to be resumed, is resumed whether it was seen suspended or not: else it would
    /// look like one that somebody else has suspended.
    pub(super) fn patch_unseen(&mut self, id: SlotId, now: Timestamp) {
        let resumed = !self.jobset.suspended();
        if let Some(e) = self.view.slots[id].job.as_deref_mut()
            && e.suspend_sent
                .is_none_or(|(to, at)| now.duration_since(at) >= PATCH_SEEN && !(to && resumed))
        {
            e.suspend_sent = None;
            e.pods_before = false;
            self.view.settle(id);
        }
    }

    fn hinder(&mut self, id: SlotId, reason: &str, message: String, now: Timestamp) {
        let slot = &mut self.view.slots[id];
        let tries = slot.retry.as_deref().map_or(0, |r| r.tries + 1);
        let at = backoff(tries, now);
        slot.retry = Some(Box::new(Retry {
            at,
            tries,
            reason: reason.to_owned(),
            message,
        }));
        self.wake(at, Timer::Wake);
    }

    /// Nothing of this run has been ready yet.
    fn first_start(&self) -> bool {
        self.state.status.restarts == 0
            && self.state.outcome.is_none()
            && self
                .state
                .attempts
                .last()
                .is_none_or(|a| a.kind == AttemptKind::Start && a.ready.is_none())
    }

    /// Whether a create that was refused so ends the run at its first start. Not for a quota, which
    /// others may free, nor for a conflict; for a missing right only once it has been missing for long.
    fn ends_the_start(&mut self, code: u16, message: &str, now: Timestamp) -> bool {
        if !self.first_start() || code == 409 || is_quota(message) {
            return false;
        }
        if code != 403 {
            return true;
        }
        let since = *self.forbidden_since.get_or_insert(now);
        now.duration_since(since) >= FORBIDDEN_FOR
    }

    /// Name of a slot's Job.
    pub(super) fn job_name(&self, id: SlotId) -> String {
        let slot = &self.view.slots[id];
        crate::api::names::job_name(&self.run.name, &self.view.roles[slot.role].name, slot.index)
    }
}

fn is_quota(message: &str) -> bool {
    message.contains("exceeded quota")
}
