//! Evidence: the last lines of failed containers, read before their pods are deleted and kept in the
//! record. A few per attempt, the first failures first, within fixed limits (state.rs).

use std::collections::BTreeMap;

use k8s_openapi::jiff::Timestamp;

use crate::engine::action::{Action, ActionId, Step, Urgency};
use crate::engine::event::EventKind;
use crate::engine::history::{self, Fall, cut_to};
use crate::engine::input::ActionResult;
use crate::engine::run::{Engine, Flight};
use crate::engine::state::{
    EVIDENCE_LINE_BYTES, EVIDENCE_PER_ATTEMPT, EVIDENCE_TOTAL_BYTES, Evidence, RunState,
};

/// What has been asked for and what will be.
#[derive(Debug, Default)]
pub(super) struct Asking {
    queue: Vec<Ask>,
    open: BTreeMap<ActionId, Ask>,
    /// Logs can't be read here (403): asked no more, said once.
    off: bool,
}

#[derive(Clone, Debug)]
struct Ask {
    /// Entry of the history it goes to.
    entry: u64,
    fall: Fall,
}

impl Asking {
    /// Nothing is being waited for.
    pub(super) fn idle(&self) -> bool {
        self.queue.is_empty() && self.open.is_empty()
    }
    fn about(&self, entry: u64) -> usize {
        self.all().filter(|a| a.entry == entry).count()
    }
    fn all(&self) -> impl Iterator<Item = &Ask> {
        self.queue.iter().chain(self.open.values())
    }
}

impl Engine {
    /// Wants the last words of a container that just failed.
    pub(super) fn want_evidence(&mut self, fall: &Fall, entry: u64) {
        let Some(container) = fall.container.as_deref() else {
            return;
        };
        if self.options.evidence_lines == 0 || self.asking.off {
            return;
        }
        let asked = self.asking.about(entry);
        let Some(attempt) = history::entry(&mut self.state, entry) else {
            return;
        };
        let kept = &attempt.evidence;
        let known = kept
            .iter()
            .any(|e| e.pod_uid == fall.pod_uid && e.container == container)
            || self
                .asking
                .all()
                .any(|a| a.fall.pod_uid == fall.pod_uid && a.fall.container == fall.container);
        if known || kept.len() + asked >= EVIDENCE_PER_ATTEMPT {
            return;
        }
        self.view.slots[fall.slot].evidence_open += 1;
        self.asking.queue.push(Ask {
            entry,
            fall: fall.clone(),
        });
    }

    /// Hands out what is wanted; reading changes nothing, so it waits for no write.
    pub(super) fn ask_evidence(&mut self, step: &mut Step) {
        for ask in std::mem::take(&mut self.asking.queue) {
            let id = self.next_id(Flight::Evidence);
            step.actions.push((
                id,
                Action::KeepEvidence {
                    pod: ask.fall.pod.clone(),
                    pod_uid: ask.fall.pod_uid.clone(),
                    container: ask.fall.container.clone().unwrap_or_default(),
                    previous: ask.fall.restarted,
                    lines: self.options.evidence_lines,
                },
            ));
            self.asking.open.insert(id, ask);
        }
    }

    /// The lines came.
    pub(super) fn keep_evidence(
        &mut self,
        pod_uid: &str,
        container: &str,
        lines: Vec<String>,
        now: Timestamp,
    ) {
        let Some(ask) = self
            .asking
            .open
            .values()
            .find(|a| a.fall.pod_uid == pod_uid && a.fall.container.as_deref() == Some(container))
            .cloned()
        else {
            return;
        };
        let skip = lines
            .len()
            .saturating_sub(self.options.evidence_lines as usize);
        let lines: Vec<String> = lines
            .into_iter()
            .skip(skip)
            .map(|line| cut_to(line, EVIDENCE_LINE_BYTES))
            .collect();
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let (role, job) = self.place(ask.fall.slot);
        let Some(attempt) = history::entry(&mut self.state, ask.entry) else {
            return;
        };
        if attempt
            .evidence
            .iter()
            .any(|e| e.pod_uid == pod_uid && e.container == container)
        {
            return;
        }
        attempt.evidence.push(Evidence {
            role: role.clone(),
            job,
            job_restarts: ask.fall.job_restarts,
            index: ask.fall.index,
            pod: ask.fall.pod.clone(),
            pod_uid: pod_uid.to_owned(),
            node: ask.fall.node.clone(),
            container: container.to_owned(),
            exit_code: ask.fall.exit_code.unwrap_or_default(),
            reason: ask.fall.how.clone(),
            ended: Some(ask.fall.at),
            lines,
        });
        self.refresh_ending();
        bound(&mut self.state);
        self.touch(Urgency::Soon);
        if count > 0 {
            self.say(
                now,
                EventKind::PodEvidence {
                    role,
                    job,
                    index: ask.fall.index,
                    pod: ask.fall.pod,
                    container: container.to_owned(),
                    lines: count,
                },
            );
        }
    }

    /// The reading ended, with or without lines.
    pub(super) fn evidence_done(&mut self, id: ActionId, result: &ActionResult, now: Timestamp) {
        let Some(ask) = self.asking.open.remove(&id) else {
            return;
        };
        let slot = &mut self.view.slots[ask.fall.slot];
        slot.evidence_open = slot.evidence_open.saturating_sub(1);
        if let ActionResult::Refused {
            code: 403, message, ..
        } = result
            && !self.asking.off
        {
            self.asking.off = true;
            let message = format!("last lines of failed containers can't be kept: {message}");
            self.say(now, EventKind::Warning { message });
        }
    }
}

/// Keeps all kept lines within their limit: the oldest attempts' lines go first.
pub(super) fn bound(state: &mut RunState) {
    let bytes = |lines: &[String]| lines.iter().map(String::len).sum::<usize>();
    let mut total: usize = state
        .attempts
        .iter()
        .map(|a| {
            a.evidence.iter().map(|e| bytes(&e.lines)).sum::<usize>()
                + a.cause.as_ref().map_or(0, |c| bytes(&c.last_lines))
        })
        .sum::<usize>()
        + state
            .first_failure
            .as_ref()
            .map_or(0, |f| bytes(&f.last_lines));
    for attempt in &mut state.attempts {
        let cause = attempt.cause.as_mut().map(|c| &mut c.last_lines);
        for lines in attempt
            .evidence
            .iter_mut()
            .map(|e| &mut e.lines)
            .chain(cause)
        {
            if total <= EVIDENCE_TOTAL_BYTES {
                return;
            }
            total -= bytes(lines);
            lines.clear();
        }
    }
}
