//! Why something doesn't start or doesn't go away: said once when it has lasted long enough to be worth
//! a line, and shown as notes while it lasts. Never a ground for a decision (trap D.10).

use std::collections::BTreeMap;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::engine::event::EventKind;
use crate::engine::input::PodSeen;
use crate::engine::pods::Pod;
use crate::engine::run::Engine;
use crate::engine::snapshot::{NOTES_PER_ROLE, Note};
use crate::engine::view::{Class, Notice, SlotId};

/// What a timer is about; when it fires, the facts are looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// A pod that waits, or is on its way out, for long.
    Pod(u32),
    /// A Job without pods (trap D.1.5).
    NoPods(SlotId),
    Orphans(SlotId),
    Missed(SlotId),
    /// A Job that is being deleted and doesn't go.
    Going(SlotId),
    Patch(SlotId),
    /// Something may be tried again.
    Wake,
}

/// A Job of which no pod has come after this time is worth a line: the Job controller needs a second
/// or two, minutes only when it backs off.
const NO_PODS: SignedDuration = SignedDuration::from_secs(30);
/// A Job that is being deleted and has no pods goes within a moment; after this it is worth a line.
const GOING: SignedDuration = SignedDuration::from_secs(60);
/// Seconds over its grace period after which a terminating pod is worth a line.
const STUCK_S: i64 = 10;
/// Ways of waiting that pass by themselves in most cases are told after this many seconds.
const SLOW_S: i64 = 60;
/// Waiting for a node or an image often takes a moment.
const SOON_S: i64 = 3;
/// Characters of an explanation: one line of a terminal.
const SHORT_CHARS: usize = 160;

/// How long a pod may wait that way before it is told.
fn patience_s(reason: &str) -> i64 {
    match reason {
        "ContainerCreating" | "PodInitializing" | "Pending" => SLOW_S,
        "InvalidImageName"
        | "ErrImageNeverPull"
        | "CreateContainerConfigError"
        | "CreateContainerError"
        | "RunContainerError" => 0,
        _ => SOON_S,
    }
}

/// The essential of a server's sentence, in one line.
pub(super) fn short(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default().trim();
    let line = line.split(" preemption: ").next().unwrap_or(line);
    let line = line.strip_prefix("Error creating: ").unwrap_or(line);
    // `pods "x-abcde" is forbidden: exceeded quota: …`: the name is of no use, it was never made.
    let line = line
        .split_once(" is forbidden: ")
        .map_or(line, |(_, rest)| rest);
    let text = match line.split_once(" nodes are available: ") {
        Some((nodes, why)) => {
            let all = nodes.rsplit('/').next().unwrap_or(nodes);
            format!("none of {all} nodes fits: {why}")
        }
        None => line.to_owned(),
    };
    let text = text.trim_end_matches(['.', ' ']);
    if text.chars().count() > SHORT_CHARS {
        let cut: String = text.chars().take(SHORT_CHARS - 1).collect();
        return format!("{cut}…");
    }
    text.to_owned()
}

impl Engine {
    /// Looks again at everything whose time has come.
    pub(super) fn fire_timers(&mut self, now: Timestamp) {
        while let Some((at, timer)) = self.timers.first().copied()
            && at <= now
        {
            self.timers.remove(&(at, timer));
            match timer {
                Timer::Pod(id) => self.look_at_pod(id, now),
                Timer::NoPods(id) => self.look_for_pods(id, now),
                Timer::Orphans(id) => self.orphans(id, now),
                Timer::Missed(id) => self.missed(id, now),
                Timer::Going(id) => self.look_at_going(id, now),
                Timer::Patch(id) => self.patch_unseen(id, now),
                Timer::Wake => {}
            }
        }
    }

    /// Pods of that Job should come from `from` on.
    pub(super) fn watch_for_pods(&mut self, id: SlotId, from: Timestamp) {
        if let Ok(at) = from.checked_add(NO_PODS) {
            self.wake(at, Timer::NoPods(id));
        }
    }

    fn look_for_pods(&mut self, id: SlotId, now: Timestamp) {
        let empty = self.view.slots[id].pods.is_empty()
            && self.view.class(id) == Class::Starting
            && self
                .view
                .current(id)
                .is_some_and(|e| e.seen.active == 0 && e.seen.terminating == 0 && !e.said_no_pods);
        if !empty || self.view.roles[self.view.slots[id].role].expected == 0 {
            return;
        }
        if let Some(e) = self.view.slots[id].job.as_deref_mut() {
            e.said_no_pods = true;
        }
        self.view.settle(id);
        if self.view.slots[id].notice.is_some() {
            return;
        }
        let message = "no pod was made for the job, and no event says why".to_owned();
        self.say_stuck(id, "NoPods", message, now);
    }

    /// That Job should be gone some time from now.
    pub(super) fn watch_going(&mut self, id: SlotId, now: Timestamp) {
        if let Ok(at) = now.checked_add(GOING) {
            self.wake(at, Timer::Going(id));
        }
    }

    /// Its pods explain themselves; a Job without any is held by something else.
    fn look_at_going(&mut self, id: SlotId, now: Timestamp) {
        let slot = &self.view.slots[id];
        let held = slot.pods.is_empty()
            && slot.job.as_deref().is_some_and(|e| {
                e.seen
                    .deleting_since
                    .is_some_and(|at| now.duration_since(at) >= GOING)
            });
        if held {
            let message = "the job is being deleted and has no pods left, but doesn't go away: a \
                           finalizer holds it";
            self.say_stuck(id, "Terminating", message.to_owned(), now);
        }
    }

    /// Tells a Job's trouble, once per role, reason and words.
    pub(super) fn say_stuck(&mut self, id: SlotId, reason: &str, message: String, now: Timestamp) {
        let (role, job) = self.place(id);
        let key = (reason.to_owned(), message.clone());
        if self.told[self.view.slots[id].role].reasons.insert(key) {
            self.say(
                now,
                EventKind::JobStuck {
                    role,
                    job,
                    reason: reason.to_owned(),
                    message,
                },
            );
        }
    }

    /// A pod changed: is it waiting, or going?
    pub(super) fn watch_pod(&mut self, id: u32, old: Option<&PodSeen>, now: Timestamp) {
        let Some(pod) = self.view.pods.get_mut(id) else {
            return;
        };
        let seen = &pod.seen;
        let mut due = None;
        if let Some(d) = seen.deleting {
            if old.is_none_or(|o| o.deleting.is_none()) {
                due = d
                    .since
                    .checked_add(SignedDuration::from_secs(d.grace_s + STUCK_S))
                    .ok();
            }
        } else if let Some(w) = &seen.waiting {
            let same = old
                .and_then(|o| o.waiting.as_ref())
                .is_some_and(|o| o.reason == w.reason);
            if !same {
                pod.said_pending = false;
                pod.waiting_since = Some(w.since.unwrap_or(now).min(now));
            }
            let changed = old.and_then(|o| o.waiting.as_ref()) != Some(w);
            if changed && !pod.said_pending {
                let patience = SignedDuration::from_secs(patience_s(&w.reason));
                due = pod.waiting_since.unwrap_or(now).checked_add(patience).ok();
            }
        } else {
            pod.waiting_since = None;
            if seen.phase != crate::engine::input::PodPhase::Pending {
                pod.notice = None;
            }
        }
        match due {
            Some(at) if at <= now => self.look_at_pod(id, now),
            Some(at) => self.wake(at, Timer::Pod(id)),
            None => {}
        }
    }

    fn look_at_pod(&mut self, id: u32, now: Timestamp) {
        let Some(pod) = self.view.pods.get(id) else {
            return;
        };
        let slot = pod.slot;
        if let Some(d) = pod.seen.deleting {
            let over = now.duration_since(d.since).as_secs() >= d.grace_s + STUCK_S;
            if pod.said_stuck || !over {
                return;
            }
            let node = pod
                .seen
                .node
                .clone()
                .unwrap_or_else(|| "no node".to_owned());
            let held = if d.held_by_finalizer {
                ", held by a finalizer"
            } else {
                ""
            };
            let message = format!(
                "pod {} on {node} is still terminating after {}s (grace {}s){held}",
                pod.seen.name,
                now.duration_since(d.since).as_secs(),
                d.grace_s
            );
            let (role, job) = self.place(slot);
            let key = ("Terminating".to_owned(), format!("{node}{held}"));
            let first = self.told[self.view.slots[slot].role].reasons.insert(key);
            if let Some(pod) = self.view.pods.get_mut(id) {
                pod.said_stuck = true;
            }
            if first {
                let reason = "Terminating".to_owned();
                self.say(
                    now,
                    EventKind::JobStuck {
                        role,
                        job,
                        reason,
                        message,
                    },
                );
            }
            return;
        }
        let Some(w) = pod.seen.waiting.clone().filter(|_| !pod.said_pending) else {
            return;
        };
        let since = pod.waiting_since.unwrap_or(now);
        if now.duration_since(since).as_secs() < patience_s(&w.reason) {
            return;
        }
        let message = short(&w.message);
        self.say_pending(id, &w.reason, message, now);
    }

    fn say_pending(&mut self, id: u32, reason: &str, message: String, now: Timestamp) {
        let Some(pod) = self.view.pods.get_mut(id) else {
            return;
        };
        pod.said_pending = true;
        let (slot, index) = (pod.slot, pod.seen.completion_index);
        let (role, job) = self.place(slot);
        let key = (reason.to_owned(), message.clone());
        if self.told[self.view.slots[slot].role].reasons.insert(key) {
            let reason = reason.to_owned();
            self.say(
                now,
                EventKind::PodPending {
                    role,
                    job,
                    index,
                    reason,
                    message,
                },
            );
        }
    }

    /// A Warning event about one of our objects.
    pub(super) fn notice(
        &mut self,
        object: &str,
        reason: &str,
        message: &str,
        at: Timestamp,
        now: Timestamp,
    ) {
        let notice = Box::new(Notice {
            reason: reason.to_owned(),
            message: short(message),
            at,
        });
        if let Some(id) = self.slot_by_name(object) {
            let wanted = reason == "FailedCreate"
                && self
                    .view
                    .current(id)
                    .is_some_and(|e| !e.ended() && at >= e.seen.created)
                && self.view.class(id) == Class::Starting;
            if wanted {
                let words = notice.message.clone();
                self.view.slots[id].notice = Some(notice);
                self.view.settle(id);
                self.say_stuck(id, reason, words, now);
            }
            return;
        }
        let telling = matches!(
            reason,
            "FailedMount" | "FailedAttachVolume" | "FailedMapVolume" | "FailedCreatePodSandBox"
        );
        let Some(id) = self.pod_by_name(object).filter(|_| telling) else {
            return;
        };
        let waits = self.view.pods.get(id).is_some_and(|p| {
            p.seen.phase == crate::engine::input::PodPhase::Pending && p.seen.deleting.is_none()
        });
        if waits {
            let words = notice.message.clone();
            if let Some(pod) = self.view.pods.get_mut(id) {
                pod.notice = Some(notice);
            }
            self.say_pending(id, reason, words, now);
        }
    }

    /// `<job>-<index>-<suffix>` or `<job>-<suffix>`.
    fn pod_by_name(&self, name: &str) -> Option<u32> {
        let (rest, _) = name.rsplit_once('-')?;
        let indexed = rest.rsplit_once('-').map(|(job, _)| job);
        [Some(rest), indexed].into_iter().flatten().find_map(|job| {
            let slot = self.slot_by_name(job)?;
            self.view.slots[slot]
                .pods
                .iter()
                .copied()
                .find(|id| self.view.pods.get(*id).is_some_and(|p| p.seen.name == name))
        })
    }

    /// The notes of a role, most telling first.
    pub(super) fn notes(&self, position: usize, now: Timestamp) -> Vec<Note> {
        let role = &self.view.roles[position];
        let mut notes = Notes::default();
        for id in self.view.troubled.range(role.slots()) {
            let slot = &self.view.slots[*id];
            let target = format!("{}/{}", role.name, slot.index);
            if let Some(r) = slot.retry.as_deref() {
                notes.add(0, &r.reason, &short(&r.message), target, None);
            } else if let Some(n) = slot.notice.as_deref() {
                notes.add(0, &n.reason, &n.message, target, Some(n.at));
            } else if let Some(e) = slot.job.as_deref().filter(|e| e.said_no_pods) {
                notes.add(1, "NoPods", "no pod was made", target, Some(e.seen.created));
            }
        }
        if role.count(Class::Suspended) > 0 && !self.jobset.suspended() && !self.is_suspended() {
            for id in self.view.suspended.range(role.slots()) {
                let target = format!("{}/{}", role.name, self.view.slots[*id].index);
                notes.add(1, "Suspended", "suspended by someone else", target, None);
            }
        }
        let pod = |id: &u32| self.view.pods.get(*id);
        for pod in role.leaving.iter().filter_map(pod) {
            let Some(d) = pod.seen.deleting else { continue };
            let over = now.duration_since(d.since).as_secs() >= d.grace_s + STUCK_S;
            let node = pod.seen.node.as_deref().unwrap_or("no node");
            let held = if d.held_by_finalizer {
                ", held by a finalizer"
            } else {
                ""
            };
            let message = format!("terminating on {node}, grace {}s{held}", d.grace_s);
            let rank = if over { 1 } else { 3 };
            notes.add(
                rank,
                "Terminating",
                &message,
                self.target(pod),
                Some(d.since),
            );
        }
        for pod in role.pending.iter().filter_map(pod) {
            if let Some(n) = pod.notice.as_deref() {
                notes.add(2, &n.reason, &n.message, self.target(pod), Some(n.at));
            } else if let Some(w) = &pod.seen.waiting {
                let rank = if patience_s(&w.reason) == SLOW_S {
                    4
                } else {
                    2
                };
                let since = pod.waiting_since.or(w.since);
                notes.add(rank, &w.reason, &short(&w.message), self.target(pod), since);
            }
        }
        notes.finish()
    }

    fn target(&self, pod: &Pod) -> String {
        let (role, job) = self.place(pod.slot);
        match pod.seen.completion_index {
            Some(index) => format!("{role}/{job}/{index}"),
            None => format!("{role}/{job}"),
        }
    }
}

/// Notes with equal words become one.
#[derive(Default)]
struct Notes(BTreeMap<(u8, String, String), Note>);

impl Notes {
    fn add(
        &mut self,
        rank: u8,
        reason: &str,
        message: &str,
        target: String,
        since: Option<Timestamp>,
    ) {
        let key = (rank, reason.to_owned(), message.to_owned());
        match self.0.get_mut(&key) {
            Some(note) => {
                note.and_more += 1;
                note.since = note.since.into_iter().chain(since).min();
            }
            None => {
                let note = Note {
                    target,
                    reason: reason.to_owned(),
                    message: message.to_owned(),
                    since,
                    and_more: 0,
                };
                self.0.insert(key, note);
            }
        }
    }
    fn finish(self) -> Vec<Note> {
        self.0.into_values().take(NOTES_PER_ROLE).collect()
    }
}
