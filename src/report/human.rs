//! Lines for people: `TIME SCOPE: SENTENCE` without a terminal (cli.md 6.2), the same sentences
//! without the time on one. A state machine: events and ticks go in, lines come out; the same input
//! gives the same lines. It holds back what may be merged, drops what was said already, and breaks a
//! long silence with a heartbeat.
//!
//! Refuses to read a clock, to print, and to draw the live display.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::{Timestamp, tz::TimeZone};

use crate::engine::{Event, EventKind, Snapshot, StateWord};
use crate::report::escape;
use crate::report::level::{Mode, Weight, is_shown, weight};
use crate::report::merge::{MERGE_S, RoleMerge};
use crate::report::printer::Level;
use crate::report::sentence::{Memory, Said, Tone};
use crate::report::style::{Styles, paint};
use crate::report::time::{local_clock, seconds_between, utc_seconds};
use crate::report::view::{RunFacts, RunId, is_finished};
use crate::report::words::{count, how_code_first, reason_and_message};

/// Seconds of silence after which a plain log says that the run is still there: `--heartbeat`.
pub const HEARTBEAT_S: i64 = 600;

/// One line to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When it happened (a merged line: when it was made).
    pub time: Timestamp,
    /// It happened while we watched.
    pub live: bool,
    /// What.
    pub said: Said,
    /// How important.
    pub weight: Weight,
}

impl Line {
    /// `2026-12-01T09:14:40Z leader: ready 1/1 after 38s`.
    #[must_use]
    pub fn plain(&self) -> String {
        format!(
            "{} {}: {}",
            utc_seconds(self.time),
            self.said.scope,
            self.said.text
        )
    }
    /// For a person at a terminal. What happened before we came carries its local time.
    #[must_use]
    pub fn terminal(&self, styles: &Styles, zone: &TimeZone) -> String {
        let (head, rest) = &self.said.terminal;
        let style = match self.said.tone {
            Tone::Plain => anstyle::Style::new(),
            Tone::Good => styles.good,
            Tone::Warning => styles.warning,
            Tone::Bad => styles.error,
        };
        let head = if head.is_empty() {
            String::new()
        } else {
            paint(style, head)
        };
        if self.live {
            format!("{head}{rest}")
        } else {
            format!("  {} {head}{rest}", local_clock(self.time, zone))
        }
    }
}

/// The state machine.
#[derive(Debug)]
pub struct Human {
    mode: Mode,
    level: Level,
    heartbeat_s: i64,
    memory: Memory,
    roles: BTreeMap<String, RoleMerge>,
    evidence: Evidence,
    clock: Option<Timestamp>,
    last_line: Option<Timestamp>,
    /// A restart was announced by its decision.
    restart_said: bool,
}

#[derive(Debug, Default)]
struct Evidence {
    since: Option<Timestamp>,
    pods: BTreeSet<String>,
    lines: BTreeSet<u32>,
}

impl Human {
    /// `heartbeat_s`: seconds of silence before a "still running" line, 0 for none.
    #[must_use]
    pub fn new(mode: Mode, level: Level, heartbeat_s: i64, run: &RunId, facts: &RunFacts) -> Self {
        Self {
            mode,
            level,
            heartbeat_s,
            memory: Memory {
                run: run.name.clone(),
                facts: facts.clone(),
                ..Memory::default()
            },
            roles: BTreeMap::new(),
            evidence: Evidence::default(),
            clock: None,
            last_line: None,
            restart_said: false,
        }
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// An event; gives the lines that must not wait.
    pub fn event(&mut self, event: &Event) -> Vec<Line> {
        // Windows are measured on the caller's clock where there is one: an event's time may be the
        // server's.
        let now = self.clock.unwrap_or(event.time);
        let said = self.say(now, event);
        self.memory.note(event.time, &event.kind);
        let weight = weight(
            &event.kind,
            matches!(self.mode, Mode::Tty { .. } | Mode::Quiet),
        );
        self.lines(event.time, event.live, said.map(|s| (weight, s)))
    }

    /// Time passed, and the run looks like this: gives what was held back long enough. Call it about
    /// once a second.
    pub fn tick(&mut self, now: Timestamp, snapshot: &Snapshot) -> Vec<Line> {
        self.clock = Some(now);
        self.memory.see(snapshot);
        let mut due = Vec::new();
        for (name, merge) in &mut self.roles {
            let role = snapshot.roles.iter().find(|r| r.name == *name);
            due.extend(merge.due(now, name, role).into_iter().map(|said| {
                // Failures are printed everywhere, counters only where no live display shows them.
                let weight = match said.tone {
                    Tone::Plain | Tone::Good => Weight::LiveChange,
                    Tone::Warning | Tone::Bad => Weight::Change,
                };
                (weight, said)
            }));
        }
        due.extend(self.due_evidence(now));
        let mut lines = self.lines(now, true, due);
        if let Some(said) = self.heartbeat(now, snapshot) {
            lines.extend(self.lines(now, true, Some((Weight::Change, said))));
        }
        self.last_line.get_or_insert(now);
        lines
    }

    fn say(&mut self, now: Timestamp, event: &Event) -> Option<Said> {
        let said = self.memory.sentence(event.time, &event.kind);
        match &event.kind {
            EventKind::RoleReady {
                role,
                attempt,
                ready,
                replicas,
                after_s,
            } => {
                let counts = (*attempt, *ready, *replicas);
                return self.role(role).ready(now, role, counts, *after_s);
            }
            EventKind::JobSucceeded { role, .. } => {
                self.role(role).succeeded(now);
                return None;
            }
            EventKind::RoleCompleted { role, .. } => self.role(role).completed(),
            EventKind::PodPending {
                role,
                job,
                index,
                reason,
                message,
            } => {
                self.role(role)
                    .pending(now, role, (*job, *index), reason, message);
                return None;
            }
            EventKind::PodRunning {
                role, job, index, ..
            } => {
                self.role(role).running(role, *job, *index);
            }
            EventKind::JobFailed {
                role,
                job,
                reason,
                message,
                cause,
                ..
            } => {
                let how = cause
                    .as_ref()
                    .and_then(|c| {
                        how_code_first(c.container_reason.as_deref(), c.exit_code, c.signal)
                    })
                    .unwrap_or_else(|| reason_and_message(reason, message));
                let pod = cause.as_ref().map(|c| c.pod.as_str());
                return said.filter(|_| self.role(role).job_failed(now, *job, &how, pod));
            }
            EventKind::JobStuck {
                role, job, reason, ..
            } => {
                return said.filter(|_| self.role(role).stuck(now, *job, reason));
            }
            EventKind::PodFailed {
                role, job, cause, ..
            } => {
                if let Some(said) = said {
                    self.role(role).pod_failed(now, role, *job, cause, said);
                }
                return None;
            }
            EventKind::PodEvidence { pod, lines, .. } => {
                self.evidence.since.get_or_insert(now);
                self.evidence.pods.insert(pod.clone());
                self.evidence.lines.insert(*lines);
                return None;
            }
            EventKind::PolicyDecided {
                action,
                limit_reached,
                ..
            } => {
                self.restart_said = action.starts_with("RestartJobSet") && !limit_reached;
            }
            EventKind::RunRestarting { .. } => {
                for merge in self.roles.values_mut() {
                    merge.restarted();
                }
                return said.filter(|_| !std::mem::take(&mut self.restart_said));
            }
            _ => {}
        }
        said
    }

    fn role(&mut self, role: &str) -> &mut RoleMerge {
        self.roles.entry(role.to_owned()).or_default()
    }

    fn due_evidence(&mut self, now: Timestamp) -> Option<(Weight, Said)> {
        let since = self.evidence.since?;
        if seconds_between(since, now) < MERGE_S {
            return None;
        }
        let Evidence { pods, lines, .. } = std::mem::take(&mut self.evidence);
        let pods = count(u64::try_from(pods.len()).unwrap_or(u64::MAX), "pod");
        let text = match (lines.first(), lines.len()) {
            (Some(n), 1) => format!("kept the last {} of {pods}", count(*n, "line")),
            _ => format!("kept the last lines of {pods}"),
        };
        let terminal = matches!(self.mode, Mode::Tty { .. });
        let mut said = Said::new(self.memory.run.clone(), text);
        said.terminal = (String::new(), format!("  {}", said.text));
        Some((
            if terminal {
                Weight::Change
            } else {
                Weight::Detail
            },
            said,
        ))
    }

    fn heartbeat(&mut self, now: Timestamp, snapshot: &Snapshot) -> Option<Said> {
        let silent_s = seconds_between(self.last_line?, now);
        let is_due = self.mode == Mode::Plain
            && self.heartbeat_s > 0
            && silent_s >= self.heartbeat_s
            && !is_finished(snapshot.state);
        is_due.then(|| Said::new(self.memory.run.clone(), still_text(snapshot)))
    }

    fn lines(
        &mut self,
        time: Timestamp,
        live: bool,
        said: impl IntoIterator<Item = (Weight, Said)>,
    ) -> Vec<Line> {
        let lines: Vec<Line> = said
            .into_iter()
            .filter(|(weight, _)| is_shown(*weight, self.mode, self.level))
            .map(|(weight, said)| Line {
                time,
                live,
                said,
                weight,
            })
            .collect();
        if !lines.is_empty() {
            self.last_line = Some(self.clock.unwrap_or(time).max(time));
        }
        lines
    }
}

/// `still running, 9 of 10 pods`; while it isn't running, with the most telling reason.
fn still_text(snapshot: &Snapshot) -> String {
    let pods: u32 = snapshot.roles.iter().map(|r| r.pods).sum();
    let wanted: u32 = snapshot.roles.iter().map(|r| r.pods_wanted).sum();
    let state = snapshot.state.as_str().to_lowercase();
    let mut text = format!("still {state}, {pods} of {}", count(wanted, "pod"));
    if snapshot.state != StateWord::Running
        && let Some(note) = snapshot.roles.iter().find_map(|r| r.notes.first())
    {
        text = format!("{text}; {}: {}", note.target, escape::text(&note.message));
    }
    text
}

#[cfg(test)]
#[path = "human_tests.rs"]
mod tests;
