//! Merging of equal changes of one role (cli.md 6.2): what was seen is held for two seconds, so that
//! 64 Jobs that get ready, or fail, or wait for the same thing within a moment make one line.
//! Counter lines of a role come at most every ten seconds; the one that completes the count for the
//! first time in an attempt comes at once, because it ends the counting.
//!
//! Pure: time is a parameter. Refuses to know where lines go.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::Timestamp;

use crate::engine::RoleSnapshot;
use crate::engine::event::PodCause;
use crate::engine::snapshot::Note;
use crate::report::sentence::{Said, Tone};
use crate::report::sentence_parts::{cause_how, pending_text, ready_text};
use crate::report::time::seconds_between;
use crate::report::words::{count, first_few, target};

/// Seconds within which equal changes of one role become one line.
pub(crate) const MERGE_S: i64 = 2;
/// Seconds between two counter lines of one role, and between two lines about pending pods.
pub(crate) const COUNTER_S: i64 = 10;

/// Seconds after a line about a stuck Job within which others of the same role, stuck the same way, are
/// only counted: what is slow is mostly slow everywhere.
const STUCK_S: i64 = 30;

/// Names of failed pods remembered per role and attempt, so that none is told twice; a set whose pods
/// fail for days starts over.
const PODS_REMEMBERED: usize = 10_000;

/// What one role holds back.
#[derive(Debug, Default)]
pub(crate) struct RoleMerge {
    ready: Option<Ready>,
    ready_said: Option<(u32, u32, u32)>,
    /// The attempt in which all were ready for the first time.
    complete_in: Option<u32>,
    counter_line: Option<Timestamp>,
    succeeded_since: Option<Timestamp>,
    pending: BTreeMap<(String, String), Group>,
    pending_line: Option<Timestamp>,
    pending_said: BTreeMap<String, (String, String)>,
    failing_since: Option<Timestamp>,
    failures: BTreeMap<String, Group>,
    pod_failures: BTreeMap<String, PodFailure>,
    pods_named: BTreeSet<String>,
    stuck: BTreeMap<String, Group>,
}

#[derive(Debug)]
struct Ready {
    since: Timestamp,
    attempt: u32,
    ready: u32,
    replicas: u32,
    after_s: Option<i64>,
}

#[derive(Debug)]
struct Group {
    since: Timestamp,
    targets: BTreeSet<(u32, Option<u32>)>,
}

#[derive(Debug)]
struct PodFailure {
    since: Timestamp,
    target: String,
    how: String,
    said: Said,
}

impl RoleMerge {
    /// The count of ready Jobs changed. Gives the line at once if it completes the count.
    pub(crate) fn ready(
        &mut self,
        now: Timestamp,
        role: &str,
        (attempt, ready, replicas): (u32, u32, u32),
        after_s: Option<i64>,
    ) -> Option<Said> {
        let since = self.ready.as_ref().map_or(now, |r| r.since);
        // Later completions of the same attempt are flickers or restarts of single Jobs: counted as
        // any other change, and no measure of the start.
        let after_s = after_s.filter(|_| self.complete_in != Some(attempt));
        if ready >= replicas && after_s.is_some() {
            self.complete_in = Some(attempt);
            self.ready = None;
            self.pending.clear();
            self.ready_said = Some((attempt, ready, replicas));
            self.counter_line = Some(now);
            return Some(Said::new(role, ready_text(ready, replicas, after_s)));
        }
        self.ready = Some(Ready {
            since,
            attempt,
            ready,
            replicas,
            after_s,
        });
        None
    }

    /// A Job succeeded; the count is taken from the next snapshot.
    pub(crate) fn succeeded(&mut self, now: Timestamp) {
        self.succeeded_since.get_or_insert(now);
    }

    /// The whole role completed: its counters are moot.
    pub(crate) fn completed(&mut self) {
        self.ready = None;
        self.succeeded_since = None;
        self.pending.clear();
    }

    /// A pod isn't starting.
    pub(crate) fn pending(
        &mut self,
        now: Timestamp,
        role: &str,
        (job, index): (u32, Option<u32>),
        reason: &str,
        message: &str,
    ) {
        let key = (reason.to_owned(), message.to_owned());
        if self.pending_said.get(&target(role, job, index)) == Some(&key) {
            return;
        }
        self.no_longer_pending(job, index);
        self.pending
            .entry(key)
            .or_insert_with(|| Group::new(now))
            .targets
            .insert((job, index));
    }

    /// A pod runs after all: nothing needs to be said about why it did not.
    pub(crate) fn running(&mut self, role: &str, job: u32, index: Option<u32>) {
        self.no_longer_pending(job, index);
        self.pending_said.remove(&target(role, job, index));
    }

    fn no_longer_pending(&mut self, job: u32, index: Option<u32>) {
        self.pending.retain(|_, group| {
            group.targets.remove(&(job, index));
            !group.targets.is_empty()
        });
    }

    /// A Job failed. True: say it now, it is the first in a while; false: it was counted with others.
    pub(crate) fn job_failed(
        &mut self,
        now: Timestamp,
        job: u32,
        how: &str,
        pod: Option<&str>,
    ) -> bool {
        if let Some(pod) = pod {
            self.pod_failures.remove(pod);
            self.name_pod(pod.to_owned());
        }
        self.pending.retain(|_, group| {
            group.targets.retain(|(of, _)| *of != job);
            !group.targets.is_empty()
        });
        match self.failing_since {
            Some(since) if seconds_between(since, now) < MERGE_S => {
                self.failures
                    .entry(how.to_owned())
                    .or_insert_with(|| Group::new(now))
                    .targets
                    .insert((job, None));
                false
            }
            _ => {
                self.failing_since = Some(now);
                true
            }
        }
    }

    /// A Job or its pods are stuck. True: say it now, it is the first of its kind in a while; false: it
    /// was counted with others.
    pub(crate) fn stuck(&mut self, now: Timestamp, job: u32, reason: &str) -> bool {
        if let Some(group) = self.stuck.get_mut(reason) {
            group.targets.insert((job, None));
            return false;
        }
        self.stuck.insert(reason.to_owned(), Group::new(now));
        true
    }

    /// A pod failed: said later, unless its Job fails because of it.
    pub(crate) fn pod_failed(
        &mut self,
        now: Timestamp,
        role: &str,
        job: u32,
        cause: &PodCause,
        said: Said,
    ) {
        if self.pods_named.contains(&cause.pod) {
            return;
        }
        let failure = PodFailure {
            since: now,
            target: target(role, job, cause.index),
            how: cause_how(cause).unwrap_or_default(),
            said,
        };
        self.pod_failures
            .entry(cause.pod.clone())
            .or_insert(failure);
    }

    fn name_pod(&mut self, pod: String) {
        if self.pods_named.len() >= PODS_REMEMBERED {
            self.pods_named.clear();
        }
        self.pods_named.insert(pod);
    }

    /// A new attempt: what was held back is about pods that are going away.
    pub(crate) fn restarted(&mut self) {
        let failures = std::mem::take(&mut self.failures);
        *self = Self {
            failures,
            failing_since: self.failing_since,
            counter_line: self.counter_line,
            pending_line: self.pending_line,
            ..Self::default()
        };
    }

    /// What is due now. `role` as in the newest snapshot, if it is in there.
    pub(crate) fn due(
        &mut self,
        now: Timestamp,
        name: &str,
        role: Option<&RoleSnapshot>,
    ) -> Vec<Said> {
        let mut lines = Vec::new();
        lines.extend(self.due_failures(now, name));
        lines.extend(self.due_pod_failures(now, name));
        lines.extend(self.due_stuck(now, name));
        let counter = self.due_counter(now, name, role);
        let pending = self.due_pending(now, name, role);
        match (counter, pending) {
            (Some(mut counter), Some((targets, text))) => {
                let with = format!("{}; {targets} {text}", counter.text);
                counter = Said::new(counter.scope, with);
                lines.push(counter);
            }
            (Some(counter), None) => lines.push(counter),
            (None, Some((targets, text))) => lines.push(Said::new(targets, text)),
            (None, None) => {}
        }
        lines
    }

    fn due_stuck(&mut self, now: Timestamp, name: &str) -> Vec<Said> {
        let mut lines = Vec::new();
        self.stuck.retain(|reason, group| {
            if seconds_between(group.since, now) < STUCK_S {
                return true;
            }
            let jobs = group.names(name);
            if !jobs.is_empty() {
                let more = count(u64::try_from(jobs.len()).unwrap_or(u64::MAX), "more job");
                let text = format!("{more} stuck the same way, {reason} ({})", first_few(&jobs));
                lines.push(Said {
                    tone: Tone::Warning,
                    ..Said::new(name, text)
                });
            }
            false
        });
        lines
    }

    fn due_failures(&mut self, now: Timestamp, name: &str) -> Vec<Said> {
        let is_due = self
            .failing_since
            .is_some_and(|t| seconds_between(t, now) >= MERGE_S);
        if !is_due {
            return Vec::new();
        }
        self.failing_since = None;
        std::mem::take(&mut self.failures)
            .into_iter()
            .map(|(how, group)| {
                let jobs = group.names(name);
                let text = format!(
                    "{} failed as well, {how} ({})",
                    count(u64::try_from(jobs.len()).unwrap_or(u64::MAX), "job"),
                    first_few(&jobs)
                );
                Said {
                    tone: Tone::Bad,
                    ..Said::new(name, text)
                }
            })
            .collect()
    }

    fn due_pod_failures(&mut self, now: Timestamp, name: &str) -> Vec<Said> {
        let is_due = self
            .pod_failures
            .values()
            .any(|f| seconds_between(f.since, now) >= MERGE_S);
        if !is_due {
            return Vec::new();
        }
        let mut by_how: BTreeMap<String, Vec<PodFailure>> = BTreeMap::new();
        for (pod, failure) in std::mem::take(&mut self.pod_failures) {
            self.name_pod(pod);
            by_how.entry(failure.how.clone()).or_default().push(failure);
        }
        by_how
            .into_iter()
            .map(|(how, mut failures)| {
                if failures.len() == 1
                    && let Some(one) = failures.pop()
                {
                    return one.said;
                }
                let pods: Vec<String> = failures.into_iter().map(|f| f.target).collect();
                let how = if how.is_empty() {
                    how
                } else {
                    format!(", {how}")
                };
                let text = format!("{} pods failed{how} ({})", pods.len(), first_few(&pods));
                Said {
                    tone: Tone::Warning,
                    ..Said::new(name, text)
                }
            })
            .collect()
    }

    fn due_counter(
        &mut self,
        now: Timestamp,
        name: &str,
        role: Option<&RoleSnapshot>,
    ) -> Option<Said> {
        let too_soon = self
            .counter_line
            .is_some_and(|t| seconds_between(t, now) < COUNTER_S);
        if too_soon {
            return None;
        }
        if self
            .ready
            .as_ref()
            .is_some_and(|r| seconds_between(r.since, now) >= MERGE_S)
            && let Some(r) = self.ready.take()
        {
            let counts = (r.attempt, r.ready, r.replicas);
            let before = self.ready_said.replace(counts);
            // It went away and came back within the window: nothing has changed. Nor is it news that
            // none is ready when an attempt begins.
            let begins = r.ready == 0 && before.is_none_or(|(attempt, ..)| attempt != r.attempt);
            if before != Some(counts) && !begins {
                self.counter_line = Some(now);
                return Some(Said::new(name, ready_text(r.ready, r.replicas, r.after_s)));
            }
        }
        let role = role?;
        let since = self.succeeded_since?;
        if seconds_between(since, now) < MERGE_S {
            return None;
        }
        self.succeeded_since = None;
        self.counter_line = Some(now);
        let text = format!("succeeded {}/{}", role.succeeded, role.replicas);
        Some(Said::new(name, text))
    }

    /// Targets and text of the oldest group of pods that wait for the same thing.
    fn due_pending(
        &mut self,
        now: Timestamp,
        name: &str,
        role: Option<&RoleSnapshot>,
    ) -> Option<(String, String)> {
        let too_soon = self
            .pending_line
            .is_some_and(|t| seconds_between(t, now) < COUNTER_S);
        if too_soon {
            return None;
        }
        let key = self
            .pending
            .iter()
            .filter(|(_, group)| seconds_between(group.since, now) >= MERGE_S)
            .min_by_key(|(_, group)| group.since)
            .map(|(key, _)| key.clone())?;
        let group = self.pending.remove(&key)?;
        self.pending_line = Some(now);
        let names = group.names(name);
        for one in &names {
            self.pending_said.insert(one.clone(), key.clone());
        }
        let mut text = pending_text(&key.0, &key.1);
        // One pod speaks for all that wait for the same; the snapshot knows how many there are.
        let others = role
            .and_then(|r| {
                let same = |n: &&Note| n.reason == key.0 && n.message == key.1;
                r.notes.iter().find(same)
            })
            .map_or(0, |n| n.and_more);
        if names.len() == 1 && others > 0 {
            text = format!("{text} (and {others} more)");
        }
        Some((first_few(&names), text))
    }
}

impl Group {
    fn new(since: Timestamp) -> Self {
        Self {
            since,
            targets: BTreeSet::new(),
        }
    }
    fn names(&self, role: &str) -> Vec<String> {
        self.targets
            .iter()
            .map(|(job, index)| target(role, *job, *index))
            .collect()
    }
}
