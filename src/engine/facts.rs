//! Taking facts in: Jobs and pods seen, changed and gone. UID-aware, so that late and repeated news do
//! no harm; a list is a complete picture. What is worth telling is queued as events.

use std::collections::BTreeSet;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::engine::action::Urgency;
use crate::engine::event::EventKind;
use crate::engine::explain::Timer;
use crate::engine::history;
use crate::engine::input::{JobSeen, PodPhase, PodSeen};
use crate::engine::run::Engine;
use crate::engine::view::{Call, Class, Entry, SlotId};

/// A Job whose creation was acknowledged but which a list doesn't have: the list may be older than
/// the create; the watch that follows it would have shown the Job by now.
const MISSED: SignedDuration = SignedDuration::from_secs(10);
/// A Job that no list and no watch has told of this long after its create was answered is asked for again.
/// Longer than a watch is ever late on a server that answers.
pub(super) const UNSEEN: SignedDuration = SignedDuration::from_mins(2);
/// Ended pods of a Job that is gone are taken away by the garbage collector; those that still stand
/// after this time were orphaned, and a new Job needn't wait for them.
const ORPHANED: SignedDuration = SignedDuration::from_secs(30);

impl Engine {
    /// A Job as it is now.
    pub(super) fn job_seen(&mut self, seen: JobSeen, now: Timestamp) {
        let Some(id) = self.view.slot_of(&seen.role, seen.index) else {
            return;
        };
        if self.view.slots[id].last_gone.as_deref() == Some(&*seen.uid) {
            return;
        }
        enum News {
            Same,
            Other,
            Stale,
        }
        let labels = (seen.restart_attempt, seen.job_restart_attempt);
        let news = self.view.slots[id].job.as_deref().map(|e| {
            let known = (e.seen.restart_attempt, e.seen.job_restart_attempt);
            if e.seen.uid == seen.uid || (e.expected && e.seen.uid.is_empty() && known == labels) {
                News::Same
            } else if known > labels || (!e.expected && e.seen.created > seen.created) {
                News::Stale
            } else {
                News::Other
            }
        });
        match news {
            Some(News::Stale) => return,
            Some(News::Other) => {
                self.job_gone(id, now);
                self.insert_job(id, Entry::new(seen, false));
            }
            None => self.insert_job(id, Entry::new(seen, false)),
            Some(News::Same) => {
                let mut going = false;
                if let Some(e) = self.view.slots[id].job.as_deref_mut() {
                    going = e.seen.deleting_since.is_none() && seen.deleting_since.is_some();
                    if e.suspend_sent.is_some_and(|(to, _)| to == seen.suspend) {
                        e.suspend_sent = None;
                    }
                    e.pods_before &= !seen.suspend;
                    e.seen = seen;
                    e.expected = false;
                    e.missed_at = None;
                }
                if going {
                    self.watch_going(id, now);
                }
            }
        }
        self.after_job(id, now);
    }

    /// A Job object came to stand under a slot's name.
    pub(super) fn insert_job(&mut self, id: SlotId, entry: Entry) {
        let slot = &mut self.view.slots[id];
        slot.job = Some(Box::new(entry));
        slot.retry = None;
        slot.notice = None;
        // Pods may have been seen before their Job.
        for pod in slot.pods.clone() {
            self.count_replaced(pod, true);
        }
    }

    /// Classifies a Job anew and queues what is new about it.
    pub(super) fn after_job(&mut self, id: SlotId, now: Timestamp) {
        let before = self.view.class(id);
        self.view.settle(id);
        let class = self.view.class(id);
        let Some(entry) = self.view.current(id) else {
            return;
        };
        let (created, ready, failed) = (entry.said_created, entry.said_ready, entry.said_failed);
        let seen = &entry.seen;
        let (attempt, job_restarts, started_at) =
            (seen.restart_attempt, seen.job_restart_attempt, seen.created);
        let ended = seen.complete.clone();
        let is_failed = self.view.failure(seen).is_some();
        let enough =
            seen.active + seen.succeeded >= self.view.roles[self.view.slots[id].role].expected;
        let (role, job) = self.place(id);
        if !created {
            if self.live {
                let kind = EventKind::JobCreated {
                    role: role.clone(),
                    job,
                    attempt,
                    job_restarts,
                };
                self.say(now, kind);
            }
            let from = if self.live { now } else { started_at };
            self.watch_for_pods(id, from);
        }
        if class == Class::Ready && !ready && self.live {
            self.say(
                now,
                EventKind::JobReady {
                    role: role.clone(),
                    job,
                    attempt,
                },
            );
        }
        if is_failed && !failed && class != Class::Succeeded {
            self.untold.insert(id);
        }
        if class == Class::Succeeded
            && let Some(end) = ended
            && !self.view.slots[id].remembered
            // What ends while the run is being taken down has not succeeded (trap D.3.9).
            && !self.view.finished
        {
            let position = self.view.slots[id].role;
            self.view.slots[id].remembered = true;
            self.succeeded[position].insert(job);
            self.touch(Urgency::Soon);
            self.say(end.at, EventKind::JobSucceeded { role, job, attempt });
        }
        let slot = &mut self.view.slots[id];
        if enough {
            slot.notice = None;
        }
        if let Some(e) = slot.job.as_deref_mut() {
            e.said_created = true;
            e.said_ready |= class == Class::Ready;
            e.said_failed |= is_failed;
            if e.seen.active > 0 {
                e.said_no_pods = false;
            }
            if class == Class::Suspended && before != Class::Suspended {
                // Its pods go and come back: that is no replacement (C01).
                e.had_pod.clear();
                e.lost = 0;
            }
        }
        if class != Class::Suspended && before == Class::Suspended {
            self.watch_for_pods(id, now);
        }
        self.view.settle(id);
    }

    /// The Job of a slot is gone.
    pub(super) fn job_gone(&mut self, id: SlotId, now: Timestamp) {
        let ours = self
            .view
            .current(id)
            .is_none_or(|e| e.delete_sent || e.replace);
        let asked = matches!(self.view.slots[id].call, Some((_, Call::Delete)));
        let Some(entry) = self.view.slots[id].job.take() else {
            return;
        };
        let (role, job) = self.place(id);
        // Previous Jobs and those of a run that has ended were asked to go, maybe by an earlier driver.
        let by_someone = !ours && !asked && !self.view.finished;
        self.view.slots[id].last_gone = Some(entry.seen.uid.as_str().into());
        self.view.slots[id].notice = None;
        self.view.slots[id].retry = None;
        if self.looked {
            let attempt = entry.seen.restart_attempt;
            self.say(
                now,
                EventKind::JobDeleted {
                    role,
                    job,
                    attempt,
                    by_someone,
                },
            );
        }
        self.watch_orphans(id, now);
        self.view.settle(id);
    }

    /// Pods without their Job should be gone some time from now.
    pub(super) fn watch_orphans(&mut self, id: SlotId, now: Timestamp) {
        let slot = &self.view.slots[id];
        if slot.job.is_none()
            && !slot.pods.is_empty()
            && let Ok(at) = now.checked_add(ORPHANED)
        {
            self.wake(at, Timer::Orphans(id));
        }
    }

    /// The slot whose Job has that name.
    pub(super) fn slot_by_name(&self, name: &str) -> Option<SlotId> {
        let rest = name
            .strip_prefix(self.run.name.as_str())?
            .strip_prefix('-')?;
        let (role, index) = rest.rsplit_once('-')?;
        self.view.slot_of(role, index.parse().ok()?)
    }

    /// News that the Job of that name and UID is gone.
    pub(super) fn job_gone_news(&mut self, name: &str, uid: &str, now: Timestamp) {
        let Some(id) = self.slot_by_name(name) else {
            return;
        };
        match self.view.slots[id].job.as_deref() {
            Some(e) if e.seen.uid == uid || e.seen.uid.is_empty() => self.job_gone(id, now),
            Some(_) => {}
            // It came and went before the answer to our create: the answer must not revive it.
            None => {
                self.view.slots[id].last_gone = Some(uid.into());
                self.view.slots[id].retry = None;
                self.view.settle(id);
            }
        }
    }

    /// A complete list of Jobs.
    pub(super) fn jobs_listed(&mut self, list: Vec<JobSeen>, now: Timestamp) {
        let uids: BTreeSet<String> = list.iter().map(|j| j.uid.clone()).collect();
        for seen in list {
            self.job_seen(seen, now);
        }
        for id in 0..self.view.slots.len() {
            let Some(e) = self.view.slots[id].job.as_deref_mut() else {
                continue;
            };
            if uids.contains(&e.seen.uid) {
                continue;
            }
            if e.expected {
                e.missed_at = Some(now);
                if let Ok(at) = now.checked_add(MISSED) {
                    self.wake(at, Timer::Missed(id));
                }
            } else {
                self.job_gone(id, now);
            }
        }
        self.view.jobs_listed = true;
    }

    /// An expected Job was in no list and in no watch event since; or nothing at all told of it in all
    /// the time since the create was answered: it came and went within a gap of the watch. If it stands
    /// after all, the next create is told so.
    pub(super) fn missed(&mut self, id: SlotId, now: Timestamp) {
        let slot = &self.view.slots[id];
        let Some(e) = slot.job.as_deref().filter(|e| e.expected) else {
            return;
        };
        let over = |at: Timestamp, wait| now.duration_since(at) >= wait;
        let unseen = over(e.seen.created, UNSEEN);
        if e.missed_at.is_some_and(|at| over(at, MISSED)) || (unseen && slot.pods.is_empty()) {
            self.job_gone(id, now);
            // Nobody has said so: if it turns up after all, it is there.
            self.view.slots[id].last_gone = None;
        } else if unseen && let Ok(at) = now.checked_add(UNSEEN) {
            // Its pods are there, so it is.
            self.wake(at, Timer::Missed(id));
        }
    }

    /// A pod as it is now.
    pub(super) fn pod_seen(&mut self, seen: PodSeen, now: Timestamp) {
        let expected = self.deletion_expected(&seen);
        let Some((id, old)) = self.view.put_pod(seen) else {
            return;
        };
        let Some(pod) = self.view.pods.get(id) else {
            return;
        };
        let slot = pod.slot;
        let falls = history::falls(slot, old.as_ref(), &pod.seen, expected, now);
        let first_run = pod.seen.phase == PodPhase::Running && !pod.said_running;
        let (role, job) = self.place(slot);
        if first_run && self.live && pod.seen.deleting.is_none() {
            let Some(pod) = self.view.pods.get(id) else {
                return;
            };
            let kind = EventKind::PodRunning {
                role,
                job,
                index: pod.seen.completion_index,
                pod: pod.seen.name.clone(),
                node: pod.seen.node.clone(),
            };
            self.say(now, kind);
        }
        if let Some(pod) = self.view.pods.get_mut(id) {
            pod.said_running |= first_run;
        }
        self.count_replaced(id, old.is_none());
        if old.is_none() && self.looked {
            self.watch_orphans(slot, now);
        }
        self.watch_pod(id, old.as_ref(), now);
        for fall in falls {
            self.fell(fall);
        }
    }

    /// The pod goes away because its Job ends, is suspended or is being deleted.
    fn deletion_expected(&self, pod: &PodSeen) -> bool {
        let Some(id) = self.view.slot_of(&pod.role, pod.job_index) else {
            return true;
        };
        let slot = &self.view.slots[id];
        self.view.finished
            || self
                .view
                .is_old(slot, pod.restart_attempt, pod.job_restart_attempt)
            || slot.job.as_deref().is_none_or(|e| {
                e.ended()
                    || e.delete_sent
                    || e.seen.uid != pod.job_uid
                    || e.seen.deleting_since.is_some()
                    || e.seen.failure_target.is_some()
                    || e.seen.success_criteria_met
                    || e.suspended()
            })
    }

    /// C01: a pod came in the place of another of the same Job.
    fn count_replaced(&mut self, id: u32, new: bool) {
        let Some(pod) = self.view.pods.get_mut(id) else {
            return;
        };
        let slot = &mut self.view.slots[pod.slot];
        let Some(entry) = slot.job.as_deref_mut() else {
            return;
        };
        if entry.seen.uid != pod.seen.job_uid {
            return;
        }
        let mut replaced = false;
        match pod.seen.completion_index {
            Some(index) if new => {
                let (word, bit) = (index as usize / 64, 1_u64 << (index % 64));
                if entry.had_pod.len() <= word {
                    entry.had_pod.resize(word + 1, 0);
                }
                replaced = entry.had_pod[word] & bit != 0;
                entry.had_pod[word] |= bit;
            }
            None if new && entry.lost > 0 => {
                entry.lost -= 1;
                replaced = true;
            }
            Some(_) | None => {}
        }
        let gone = pod.seen.phase == PodPhase::Failed || pod.seen.deleting.is_some();
        if pod.seen.completion_index.is_none()
            && gone
            && pod.seen.phase != PodPhase::Succeeded
            && !pod.lost
        {
            pod.lost = true;
            entry.lost += 1;
        }
        let current = self.view.current(pod_slot(&self.view.pods, id)).is_some();
        // What stood before we came was counted by whoever saw it happen.
        if replaced && current && self.looked {
            self.state.pods_replaced += 1;
            self.touch(Urgency::Soon);
        }
    }

    /// A pod is gone.
    pub(super) fn pod_gone(&mut self, uid: &str, _now: Timestamp) {
        let Some(pod) = self.view.drop_pod(uid) else {
            return;
        };
        let slot = &mut self.view.slots[pod.slot];
        if pod.seen.completion_index.is_none()
            && !pod.lost
            && pod.seen.phase != PodPhase::Succeeded
            && let Some(e) = slot.job.as_deref_mut()
            && e.seen.uid == pod.seen.job_uid
        {
            e.lost += 1;
        }
    }

    /// A complete list of pods.
    pub(super) fn pods_listed(&mut self, list: Vec<PodSeen>, now: Timestamp) {
        let uids: BTreeSet<String> = list.iter().map(|p| p.uid.clone()).collect();
        for seen in list {
            self.pod_seen(seen, now);
        }
        let gone: Vec<String> = self
            .pods()
            .map(|p| &p.uid)
            .filter(|uid| !uids.contains(*uid))
            .cloned()
            .collect();
        for uid in gone {
            self.pod_gone(&uid, now);
        }
        self.view.pods_listed = true;
    }

    /// A Job is gone and pods of it still stand.
    pub(super) fn orphans(&mut self, id: SlotId, now: Timestamp) {
        if self.view.slots[id].job.is_some() {
            return;
        }
        let mut running = None;
        let mut left = false;
        for pod in self.view.slots[id].pods.clone() {
            let Some(p) = self.view.pods.get(pod) else {
                continue;
            };
            let over = super::pods::over(&p.seen);
            let orphan = p.seen.deleting.is_none();
            if orphan && over {
                self.view.ignore_pod(pod);
            } else {
                left = true;
                if orphan {
                    running = Some(p.seen.name.clone());
                }
            }
        }
        if left && let Ok(at) = now.checked_add(ORPHANED) {
            self.wake(at, Timer::Orphans(id));
        }
        if let Some(pod) = running {
            let message = format!(
                "pod {pod} still runs although its job is gone: it was orphaned; delete it to go on"
            );
            self.say_stuck(id, "Orphaned", message, now);
        }
    }
}

fn pod_slot(pods: &super::pods::Pods, id: u32) -> SlotId {
    pods.get(id).map_or(0, |p| p.slot)
}
