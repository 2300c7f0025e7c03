//! The sentence for each event: pure text, shared by plain lines and terminal lines, so that both tell
//! the same story. Merging over time is `human`'s, not done here.
//!
//! A sentence has a scope (the run, a role or a target) and a text; on a terminal some sentences read
//! differently (cli.md 8), so each carries both forms. Roles, Jobs and pods are in `sentence_parts`.

use k8s_openapi::jiff::Timestamp;

use crate::api::names::reason;
use crate::engine::{EventKind, Snapshot};
use crate::report::escape;
use crate::report::sentence_parts::{of_job, of_pod, of_role};
use crate::report::time::{human, seconds_between};
use crate::report::view::RunFacts;
use crate::report::words::{count, reason_and_message, target};

/// How a line is coloured, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// Something ended well.
    Good,
    /// Something to look at.
    Warning,
    /// Something failed.
    Bad,
}

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Who it is about.
    pub scope: String,
    /// What, for `SCOPE: TEXT`.
    pub text: String,
    /// On a terminal: the part that is coloured and the rest.
    pub terminal: (String, String),
    /// Colour.
    pub tone: Tone,
}

impl Said {
    /// The same on a terminal and elsewhere.
    pub(crate) fn new(scope: impl Into<String>, text: impl Into<String>) -> Self {
        let (scope, text) = (scope.into(), text.into());
        Self {
            terminal: (format!("{scope}:"), format!(" {text}")),
            scope,
            text,
            tone: Tone::Plain,
        }
    }
    pub(crate) fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
    pub(crate) fn on_terminal(
        mut self,
        coloured: impl Into<String>,
        rest: impl Into<String>,
    ) -> Self {
        self.terminal = (coloured.into(), rest.into());
        self
    }
}

/// What was said and seen before, as far as later sentences need it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) run: String,
    pub(crate) facts: RunFacts,
    /// When the run was made.
    pub(crate) started: Option<Timestamp>,
    /// Restarts used, and the limit.
    pub(crate) restarts: Option<(u32, u32)>,
    /// The last decision of the failure policy.
    pub(crate) decided: Option<Decided>,
    /// Who asked to stop.
    pub(crate) stopped_by: Option<String>,
}

/// The last decision of the failure policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    pub(crate) rule: Option<String>,
    pub(crate) action: String,
    pub(crate) target: String,
}

impl Memory {
    /// Takes note of an event; call it after [`Memory::sentence`].
    pub(crate) fn note(&mut self, time: Timestamp, kind: &EventKind) {
        match kind {
            EventKind::RunCreated { .. } => self.started = Some(time),
            EventKind::RunStopping { by } => self.stopped_by = Some(by.clone()),
            EventKind::RunRestarting {
                restarts,
                max_restarts,
                ..
            } => {
                self.restarts = Some((*restarts, *max_restarts));
                self.decided = None;
            }
            EventKind::PolicyDecided {
                rule,
                action,
                restarts,
                max_restarts,
                role,
                job,
                ..
            } => {
                if let Some(max) = max_restarts {
                    self.restarts = Some((*restarts, *max));
                }
                self.decided = Some(Decided {
                    rule: rule.clone(),
                    action: action.clone(),
                    target: target(role, *job, None),
                });
            }
            _ => {}
        }
    }

    /// Takes note of a snapshot.
    pub(crate) fn see(&mut self, snapshot: &Snapshot) {
        self.started = snapshot.started.or(self.started);
        if let Some(max) = snapshot.max_restarts {
            self.restarts = Some((snapshot.restarts_counted, max));
        }
    }

    /// The sentence for an event, if it has one by itself. Log lines, markers and heartbeats have
    /// none; counters (`role.ready`) get theirs without regard to merging.
    pub(crate) fn sentence(&self, time: Timestamp, kind: &EventKind) -> Option<Said> {
        self.of_run(time, kind)
            .or_else(|| self.of_policy(kind))
            .or_else(|| of_role(kind))
            .or_else(|| of_job(kind))
            .or_else(|| of_pod(kind))
    }

    fn run(&self, text: impl Into<String>) -> Said {
        Said::new(self.run.clone(), text)
    }

    fn of_run(&self, time: Timestamp, kind: &EventKind) -> Option<Said> {
        let run = &self.run;
        Some(match kind {
            EventKind::RunCreated { jobs, pods } => {
                let mut what = format!("{}, {}", count(*jobs, "job"), count(*pods, "pod"));
                if self.facts.gpus > 0 {
                    what = format!("{what}, {}", count(self.facts.gpus, "gpu"));
                }
                let (plain, terminal) = match &self.facts.record {
                    Some(record) => (
                        format!("created {what} (record {record})"),
                        format!(" created ({what}; record {record})"),
                    ),
                    None => (format!("created {what}"), format!(" created ({what})")),
                };
                self.run(plain)
                    .on_terminal(format!("jobset/{run}"), terminal)
            }
            EventKind::RunAttached { previous, silent_s } => {
                let silent =
                    silent_s.map_or_else(String::new, |s| format!(" (silent for {})", human(s)));
                match previous {
                    Some(who) => {
                        let who = escape::text(who);
                        self.run(format!("attached, took over from {who}{silent}"))
                            .on_terminal("", format!("took over from {who}{silent}"))
                    }
                    None => self
                        .run("attached")
                        .on_terminal("", format!("attached to jobset/{run}")),
                }
            }
            EventKind::RunDetached { why } => {
                let why = escape::text(why);
                let rest = format!("({why}); nobody is driving it now");
                self.run(format!("detached {rest}"))
                    .on_terminal("", format!("detached from jobset/{run} {rest}"))
            }
            EventKind::RunDriverLost { holder } => self
                .run(format!(
                    "taken over by {}; the run goes on there",
                    escape::text(holder)
                ))
                .tone(Tone::Warning),
            EventKind::RunRunning { attempt, startup_s } => {
                let attempt = match attempt {
                    0 => String::new(),
                    n => format!(" attempt {n},"),
                };
                self.run(format!(
                    "running,{attempt} startup took {}",
                    human(*startup_s)
                ))
            }
            EventKind::RunSuspended => self.run("suspended"),
            EventKind::RunResumed => self.run("resumed"),
            EventKind::RunStopping { by } => {
                self.run(format!("stopping, asked by {}", escape::text(by)))
            }
            EventKind::RunFinished {
                state,
                reason,
                message,
                ..
            } => self.finished(time, state, reason, message),
            EventKind::SuccessDecided { operator, stopped } => {
                let stops = match stopped {
                    0 => String::new(),
                    n => format!("; {} still running, deleted now", count(*n, "job")),
                };
                self.run(format!(
                    "success policy met ({}){stops}",
                    escape::text(operator)
                ))
            }
            EventKind::ClusterUnreachable { message } => self
                .run(format!(
                    "cluster not reached, still trying: {}",
                    escape::text(message)
                ))
                .tone(Tone::Warning),
            EventKind::ClusterBack { after_s } => {
                self.run(format!("cluster is back after {}", human(*after_s)))
            }
            EventKind::Warning { message } => {
                let message = escape::text(message);
                self.run(format!("warning: {message}"))
                    .on_terminal("warning:", format!(" {message}"))
                    .tone(Tone::Warning)
            }
            _ => return None,
        })
    }

    fn finished(&self, time: Timestamp, state: &str, why: &str, message: &str) -> Said {
        if state == "Completed" {
            let after = self.started.map_or_else(String::new, |t| {
                format!(" after {}", human(seconds_between(t, time)))
            });
            return self.run(format!("completed{after}")).tone(Tone::Good);
        }
        self.run(match why {
            reason::STOPPED => match &self.stopped_by {
                Some(by) => format!("stopped by {}", escape::text(by)),
                None => "stopped".to_owned(),
            },
            _ => format!("failed, {}", self.failed_because(why, message)),
        })
        .tone(Tone::Bad)
    }

    /// Why a set failed, as a fragment.
    fn failed_because(&self, why: &str, message: &str) -> String {
        match why {
            reason::REACHED_MAX_RESTARTS => match self.restarts {
                Some((used, max)) => format!("restart limit reached ({used} of {max})"),
                None => "restart limit reached".to_owned(),
            },
            reason::FAILED_JOBS => match &self.decided {
                Some(d) => format!("{} failed and there is no failure policy", d.target),
                None => "a job failed and there is no failure policy".to_owned(),
            },
            reason::FAIL_JOBSET_ACTION => match &self.decided {
                Some(Decided {
                    rule: Some(rule), ..
                }) => format!("rule \"{rule}\" says FailJobSet"),
                _ => "a rule says FailJobSet".to_owned(),
            },
            _ => reason_and_message(why, message),
        }
    }

    fn of_policy(&self, kind: &EventKind) -> Option<Said> {
        Some(match kind {
            EventKind::PolicyDecided {
                rule,
                action,
                counts,
                restarts,
                max_restarts,
                limit_reached,
                role,
                job,
                ..
            } => {
                let rule = match rule {
                    Some(rule) => format!("rule \"{rule}\""),
                    None if action == "FailJobSet" => "no failure policy".to_owned(),
                    None => "no rule matched".to_owned(),
                };
                let used = max_restarts.map(|max| format!("{restarts} of {max}"));
                let alone =
                    action.starts_with("RestartJob") && !action.starts_with("RestartJobSet");
                let who = if alone {
                    format!("restart of {} alone", target(role, *job, None))
                } else {
                    "restart".to_owned()
                };
                let text = match (action.as_str(), used.as_deref()) {
                    ("FailJobSet", _) => format!("fails, {rule} (FailJobSet)"),
                    (_, Some(used)) if *limit_reached => {
                        format!("restart limit reached ({used}), {rule}")
                    }
                    (_, Some(used)) if *counts && alone => format!("{who}, {used} used, {rule}"),
                    (_, Some(used)) if *counts => format!("{who} {used}, {rule}"),
                    (_, Some(used)) => format!("{who}, not counted ({used} used), {rule}"),
                    (_, None) => format!("{who}, {rule}"),
                };
                let of_limit =
                    used.map_or_else(String::new, |used| format!(", {used} restarts used"));
                let counted = if *counts || action == "FailJobSet" {
                    ""
                } else {
                    ", not counted"
                };
                // "no failure policy" says nothing, so it can't be the subject.
                let says = if rule.starts_with("rule") {
                    format!("  {rule} says {action}")
                } else {
                    format!("  {rule}: {action}")
                };
                let terminal = match action.as_str() {
                    "FailJobSet" => says,
                    _ if *limit_reached => format!("{says}, but the limit is reached{of_limit}"),
                    _ => format!("{says}{counted}{of_limit}"),
                };
                self.run(text).on_terminal("", terminal)
            }
            EventKind::RunRestarting {
                attempt,
                restarts,
                max_restarts,
            } => self.run(format!(
                "restarting, attempt {attempt} ({restarts} of {max_restarts} restarts used)"
            )),
            EventKind::StartupDecided {
                role: Some(role), ..
            } => Said::new(role.clone(), "starts now, its turn in the order"),
            EventKind::StartupDecided { role: None, .. } => self.run("all roles have started"),
            _ => return None,
        })
    }
}

#[cfg(test)]
#[path = "sentence_tests.rs"]
mod tests;
