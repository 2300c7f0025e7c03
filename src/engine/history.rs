//! The history of a run: its attempts, and for each end the pod and container that failed first.
//!
//! A Job's failure names no pod. So every bad end of a container is noted as a [`Fall`] while it is
//! seen, and when a Job fails the earliest one is looked up: in that Job, and in other Jobs shortly
//! before it (a peer that crashes takes others down, and its own Job may still be retrying).

use std::collections::BTreeSet;

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

use crate::api::JobTemplate;
use crate::engine::event::PodCause;
use crate::engine::input::{ContainerEnd, PodPhase, PodSeen};
use crate::engine::outcome::FirstFailure;
use crate::engine::state::{ATTEMPTS_KEPT, Attempt, AttemptKind, RunState};
use crate::engine::view::SlotId;

/// How long before a Job's own first bad end another Job's pod may have failed to be its cause: the
/// time a peer needs to notice a lost connection.
const ROOT_CAUSE_WINDOW_S: i64 = 60;
/// Bad ends remembered within one attempt; with more, the oldest go (a crash loop of days).
const FALLS_KEPT: usize = 4096;
/// Bytes of a message that goes into the record; 64 attempts must fit beside everything else.
const TEXT_BYTES: usize = 1024;
/// Exit codes 128+n up to here mean signal n (Linux has 64).
const LAST_SIGNAL: i32 = 64;

/// A bad end of a container, or of a pod without any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fall {
    pub(super) slot: SlotId,
    pub(super) restarts: u32,
    pub(super) job_restarts: u32,
    pub(super) pod: String,
    pub(super) pod_uid: String,
    pub(super) index: Option<u32>,
    pub(super) node: Option<String>,
    pub(super) container: Option<String>,
    pub(super) exit_code: Option<i32>,
    pub(super) signal: Option<i32>,
    pub(super) how: Option<String>,
    pub(super) message: Option<String>,
    pub(super) at: Timestamp,
    /// The container has been started again since.
    pub(super) restarted: bool,
    /// Somebody deleted the pod: blamed only when nothing better is known.
    pub(super) weak: bool,
}

impl Fall {
    /// For events.
    pub(super) fn cause(&self) -> PodCause {
        PodCause {
            index: self.index,
            pod: self.pod.clone(),
            node: self.node.clone(),
            container: self.container.clone(),
            exit_code: self.exit_code,
            signal: self.signal,
            container_reason: self.how.clone(),
        }
    }
}

/// What a pod's news says about failures: bad ends that the older picture didn't have. `expected`: the
/// pod goes away because we or the Job controller want it to.
pub(super) fn falls(
    slot: SlotId,
    old: Option<&PodSeen>,
    new: &PodSeen,
    expected: bool,
    now: Timestamp,
) -> Vec<Fall> {
    let base = Fall {
        slot,
        restarts: new.restart_attempt,
        job_restarts: new.job_restart_attempt,
        pod: new.name.clone(),
        pod_uid: new.uid.clone(),
        index: new.completion_index,
        node: new.node.clone(),
        container: None,
        exit_code: None,
        signal: None,
        how: None,
        message: None,
        at: now,
        restarted: false,
        weak: false,
    };
    let mut found: Vec<Fall> = new
        .ends
        .iter()
        .filter(|end| end.exit_code != 0 && !by_deletion(new, end))
        .filter(|end| !old.is_some_and(|o| o.ends.iter().any(|e| same_end(e, end))))
        .map(|end| Fall {
            container: Some(end.container.clone()),
            exit_code: Some(end.exit_code),
            signal: end
                .signal
                .filter(|s| *s != 0)
                .or_else(|| signal_of(end.exit_code)),
            how: new.disruption.clone().or_else(|| end.reason.clone()),
            message: end.message.clone().or_else(|| new.message.clone()).map(cut),
            at: end.finished.unwrap_or(now),
            restarted: end.restarted,
            ..base.clone()
        })
        .collect();
    let failed_now = new.phase == PodPhase::Failed
        && old.is_none_or(|o| o.phase != PodPhase::Failed)
        && !new.ends.iter().any(|e| e.exit_code != 0);
    let deleted_now = new.deleting.is_some()
        && old.is_some_and(|o| o.deleting.is_none())
        && !expected
        && !matches!(new.phase, PodPhase::Succeeded | PodPhase::Failed);
    if failed_now && new.deleting.is_none_or(|_| new.disruption.is_some()) {
        found.push(Fall {
            how: new.disruption.clone().or_else(|| new.reason.clone()),
            message: new.message.clone().map(cut),
            ..base
        });
    } else if deleted_now {
        found.push(Fall {
            how: new
                .disruption
                .clone()
                .or_else(|| Some("Deleted".to_owned())),
            at: new.deleting.map_or(now, |d| d.since),
            weak: true,
            ..base
        });
    }
    found
}

/// The container ended because its pod is being deleted, not by itself. An eviction is a failure.
fn by_deletion(pod: &PodSeen, end: &ContainerEnd) -> bool {
    let Some(deleting) = pod.deleting.filter(|_| pod.disruption.is_none()) else {
        return false;
    };
    end.finished.is_none_or(|at| {
        // The server's times have seconds: within the same one only the exit code can tell.
        at.as_second() > deleting.since.as_second()
            || (at.as_second() == deleting.since.as_second() && matches!(end.exit_code, 137 | 143))
    })
}

fn same_end(a: &ContainerEnd, b: &ContainerEnd) -> bool {
    a.container == b.container && a.finished == b.finished && a.exit_code == b.exit_code
}

/// Signal behind an exit code 128+n.
pub(super) fn signal_of(exit_code: i32) -> Option<i32> {
    let n = exit_code - 128;
    (1..=LAST_SIGNAL).contains(&n).then_some(n)
}

/// Cuts a text to what the record may hold, at a character boundary.
pub(super) fn cut(text: String) -> String {
    cut_to(text, TEXT_BYTES)
}

/// Cuts a text to `bytes`, with a mark, at a character boundary.
pub(super) fn cut_to(mut text: String, bytes: usize) -> String {
    const MARK: &str = "…";
    if text.len() > bytes {
        let mut end = bytes.saturating_sub(MARK.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(MARK);
    }
    text
}

/// The bad ends of one attempt, in the order they were seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Falls(Vec<Fall>);

impl Falls {
    pub(super) fn push(&mut self, fall: Fall) {
        if self.0.len() >= FALLS_KEPT {
            self.0.drain(..FALLS_KEPT / 4);
        }
        self.0.push(fall);
    }
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
    pub(super) fn forget_slot(&mut self, slot: SlotId) {
        self.0.retain(|f| f.slot != slot);
    }

    /// The first of one Job.
    pub(super) fn first_of(&self, slot: SlotId) -> Option<&Fall> {
        let of = |weak: bool| {
            earliest(
                self.0
                    .iter()
                    .filter(move |f| f.slot == slot && f.weak == weak),
            )
        };
        of(false).or_else(|| of(true))
    }

    /// The first of the attempt, as far as it can have brought that Job down.
    fn first_for(&self, slot: SlotId) -> Option<&Fall> {
        let own = self.first_of(slot)?;
        let from = own.at.as_second() - ROOT_CAUSE_WINDOW_S;
        let other =
            earliest(self.0.iter().filter(|f| {
                f.slot != slot && !f.weak && f.at < own.at && f.at.as_second() >= from
            }));
        Some(other.unwrap_or(own))
    }

    /// Pods that failed at the same time as that one or later.
    fn after(&self, first: &Fall) -> u32 {
        let pods: BTreeSet<&str> = self
            .0
            .iter()
            .filter(|f| !f.weak && f.at >= first.at && f.pod_uid != first.pod_uid)
            .map(|f| f.pod_uid.as_str())
            .collect();
        u32::try_from(pods.len()).unwrap_or(u32::MAX)
    }
}

fn earliest<'a>(falls: impl Iterator<Item = &'a Fall>) -> Option<&'a Fall> {
    falls.min_by(|a, b| a.at.cmp(&b.at).then_with(|| a.pod.cmp(&b.pod)))
}

/// An attempt that was brought to an end by a Job, and what is still being learned about it.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    /// Which entry of the history, counted from the first ever.
    pub(super) entry: u64,
    /// Slot of the Job that was decided on.
    pub(super) slot: SlotId,
    /// Attempt numbers that its pods carry.
    pub(super) restarts: u32,
    /// The failure as far as the Job and the policy tell it.
    pub(super) base: FirstFailure,
    /// When that attempt began.
    pub(super) began: Option<Timestamp>,
    pub(super) falls: Falls,
}

impl Ending {
    /// The first failure by what is known now. `place`: role, index and name of a slot's Job.
    pub(super) fn first_failure<'a>(
        &self,
        place: impl Fn(SlotId) -> (&'a str, u32, String),
        template: impl Fn(SlotId) -> Option<&'a JobTemplate>,
    ) -> FirstFailure {
        let mut f = self.base.clone();
        let Some(first) = self.falls.first_for(self.slot) else {
            return f;
        };
        if first.slot != self.slot {
            let (role, job, name) = place(first.slot);
            (f.role, f.job, f.job_name) = (role.to_owned(), job, name);
        }
        f.index = first.index;
        f.pod = Some(first.pod.clone());
        f.node.clone_from(&first.node);
        f.container.clone_from(&first.container);
        f.exit_code = first.exit_code;
        f.signal = first.signal;
        f.how.clone_from(&first.how);
        f.termination_message.clone_from(&first.message);
        f.container_ended = first.container.is_some().then_some(first.at);
        f.into_attempt_s = self
            .began
            .map(|b| (first.at.as_second() - b.as_second()).max(0));
        if first.how.as_deref() == Some("OOMKilled")
            && let Some(container) = &first.container
        {
            f.memory_limit = template(first.slot).and_then(|t| memory_limit(t, container));
        }
        f.fell_after = self.falls.after(first);
        f
    }

    /// UID of the pod and container that the first failure is about.
    pub(super) fn first(&self) -> Option<&Fall> {
        self.falls.first_for(self.slot)
    }
}

/// `resources.limits.memory` of a container, as written.
pub(super) fn memory_limit(template: &JobTemplate, container: &str) -> Option<String> {
    let spec = template.pod_template()?.get("spec")?;
    let found = ["containers", "initContainers"]
        .iter()
        .filter_map(|list| spec.get(list)?.as_array())
        .flatten()
        .find(|c| c.get("name").and_then(Value::as_str) == Some(container))?;
    match found.get("resources")?.get("limits")?.get("memory")? {
        Value::String(s) => Some(s.clone()),
        other => Some(other.to_string()),
    }
}

/// Begins an entry; the one before it has been closed by [`close`].
pub(super) fn begin(state: &mut RunState, kind: AttemptKind, counted: bool, now: Timestamp) {
    state.attempts.push(Attempt {
        number: state.status.restarts,
        kind,
        started: Some(now),
        counted,
        ..Attempt::default()
    });
    let over = state.attempts.len().saturating_sub(ATTEMPTS_KEPT);
    if over > 0 {
        state.attempts.drain(..over);
        state.attempts_dropped += u32::try_from(over).unwrap_or(u32::MAX);
    }
}

/// Ends the current entry, if it is open.
pub(super) fn close(state: &mut RunState, cause: Option<FirstFailure>, now: Timestamp) {
    if let Some(last) = state.attempts.last_mut()
        && last.ended.is_none()
    {
        last.ended = Some(now);
        last.cause = cause;
    }
}

/// Number of the newest entry, counted from the first ever.
pub(super) fn newest(state: &RunState) -> u64 {
    u64::from(state.attempts_dropped) + state.attempts.len().saturating_sub(1) as u64
}

/// The entry of that number, unless it was dropped.
pub(super) fn entry(state: &mut RunState, number: u64) -> Option<&mut Attempt> {
    let at = number.checked_sub(u64::from(state.attempts_dropped))?;
    state.attempts.get_mut(usize::try_from(at).ok()?)
}

/// When the attempt that runs now began: a Job's own restart is not a new attempt.
pub(super) fn began(state: &RunState) -> Option<Timestamp> {
    state
        .attempts
        .iter()
        .rev()
        .find(|a| a.kind != AttemptKind::RestartJob)
        .and_then(|a| a.started)
}
