//! The story of a simulation for people: a line for each moment, the cost of the attempts, the verdict,
//! what the failure policy never came to. Pure.

use std::collections::BTreeMap;

use k8s_openapi::jiff::SignedDuration;

use crate::engine::event::PodCause;
use crate::engine::{Event, EventKind, FirstFailure};
use crate::report::escape;
use crate::report::table::Table;
use crate::report::time::human;
use crate::report::words::{count, how_code_first, target, waits_phrase};
use crate::simulate::expectation::Expectation;
use crate::simulate::story::{Decision, End, Happening, Story};

/// Columns of a moment's time.
const CLOCK: usize = 9;
/// Column in which remarks begin, where the line leaves room.
const REMARK: usize = 64;

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Also what every restart repeats: roles, pods, rules that were passed over.
    pub all: bool,
    /// Only how it ended.
    pub verdict_only: bool,
}

/// The lines.
#[must_use]
pub fn lines(story: &Story, expected: Option<&Expectation>, detail: Detail) -> Vec<String> {
    let mut out = Vec::new();
    if !detail.verdict_only {
        out.extend(moments(story, detail));
        out.push(String::new());
        out.extend(costs(story));
        out.push(String::new());
    }
    out.push(format!("result: {}", result(story)));
    if let Some(expected) = expected {
        let met = if expected.is_met(story) {
            "met"
        } else {
            "not met"
        };
        out.push(format!("expected: {expected}: {met}"));
    }
    if detail.verdict_only {
        return out;
    }
    if matches!(story.end, End::Unfinished { .. }) {
        let note = |note: &String| format!("waiting: {}", escape::text(note));
        out.extend(story.notes.iter().map(note));
    }
    for assumption in &story.assumptions {
        out.push(format!("assumed: {assumption}"));
    }
    out.extend(rule_notes(story));
    out
}

/// What is said at one moment.
#[derive(Default)]
struct Line {
    parts: Vec<String>,
    remarks: Vec<String>,
}

impl Line {
    fn flush(&mut self, at: SignedDuration, out: &mut Vec<String>) {
        if self.parts.is_empty() {
            return;
        }
        let text = format!("{:>CLOCK$}  {}", clock(at), self.parts.join("; "));
        let remark = self.remarks.join("; ");
        out.push(if remark.is_empty() {
            text
        } else {
            format!("{text:<REMARK$}  ({remark})")
        });
        self.parts.clear();
        self.remarks.clear();
    }
}

fn moments(story: &Story, detail: Detail) -> Vec<String> {
    let mut out = Vec::new();
    let mut line = Line::default();
    let mut at = SignedDuration::ZERO;
    // Said beside what comes of it, which the engine learns a moment later.
    let mut asked: BTreeMap<&str, String> = BTreeMap::new();
    for moment in &story.moments {
        if moment.at.as_secs() != at.as_secs() {
            line.flush(at, &mut out);
        }
        at = moment.at;
        match &moment.what {
            Happening::Wish {
                text,
                place,
                nth,
                of,
            } => {
                let remark = if detail.all {
                    format!("you asked for {text}, {nth} of {of}")
                } else {
                    format!("you asked for it, {nth} of {of}")
                };
                asked.insert(place, remark);
            }
            Happening::Decided(decision) => {
                line.flush(at, &mut out);
                out.extend(
                    decided(story, decision, detail)
                        .into_iter()
                        .map(|text| format!("{:CLOCK$}  {text}", "")),
                );
            }
            Happening::Event(event) => {
                let Some(text) = sentence(event, detail) else {
                    continue;
                };
                let alone = is_bad(event);
                if alone {
                    line.flush(at, &mut out);
                }
                line.parts.push(text);
                if alone {
                    let remark = place(event).and_then(|place| asked.remove(place.as_str()));
                    line.remarks.extend(remark);
                    line.flush(at, &mut out);
                }
            }
        }
    }
    line.flush(at, &mut out);
    out
}

/// Who failed.
fn place(event: &Event) -> Option<String> {
    match &event.kind {
        EventKind::PodFailed {
            role, job, cause, ..
        } => Some(target(role, *job, cause.index)),
        EventKind::JobFailed { role, job, .. } => Some(target(role, *job, None)),
        _ => None,
    }
}

/// It stands on a line of its own.
fn is_bad(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::JobFailed { .. }
            | EventKind::PodFailed { .. }
            | EventKind::PodPending { .. }
            | EventKind::JobStuck { .. }
            | EventKind::Warning { .. }
            | EventKind::RunFinished { .. }
    )
}

fn sentence(event: &Event, detail: Detail) -> Option<String> {
    let first = |attempt: u32| attempt == 0 || detail.all;
    Some(match &event.kind {
        EventKind::RunRunning { attempt: 0, .. } => "running".to_owned(),
        EventKind::RunRunning { attempt, .. } => format!("running, attempt {attempt}"),
        EventKind::RunSuspended => "suspended".to_owned(),
        EventKind::RunResumed => "resumed".to_owned(),
        EventKind::RunFinished {
            state,
            reason,
            first_failure,
            ..
        } => match first_failure {
            Some(failure) => format!("{state}, {reason}, first failed job {}", failure.job_name),
            None => format!("{state}, {reason}"),
        },
        EventKind::RoleCreated { role, attempt, .. } if first(*attempt) => {
            format!("{role} created")
        }
        EventKind::RoleReady {
            role,
            attempt,
            ready,
            replicas,
            ..
        } if first(*attempt) && (ready == replicas || detail.all) => {
            if *replicas == 1 && *ready == 1 {
                format!("{role} ready")
            } else {
                format!("{role} ready {ready}/{replicas}")
            }
        }
        EventKind::RoleCompleted { role, .. } => format!("{role} completed"),
        EventKind::RoleWaiting {
            role, waits_for, ..
        } if detail.all => format!("{role} waits for {}", waits_phrase(waits_for)),
        EventKind::JobFailed {
            role,
            job,
            reason,
            cause,
            ..
        } => {
            let why = cause.as_ref().and_then(|c| died(role, *job, c));
            let why = why.map(|why| format!(", {why}")).unwrap_or_default();
            format!(
                "{} fails: {}{why}",
                target(role, *job, None),
                escape::text(reason)
            )
        }
        EventKind::JobSucceeded { role, job, .. } if detail.all => {
            format!("{} succeeded", target(role, *job, None))
        }
        EventKind::JobDeleted {
            role,
            job,
            by_someone: true,
            ..
        } => format!("{} was deleted by somebody", target(role, *job, None)),
        EventKind::JobStuck {
            role, job, message, ..
        } => format!("{}: {}", target(role, *job, None), escape::text(message)),
        EventKind::PodPending {
            role,
            job,
            index,
            message,
            ..
        } => format!(
            "{} waits: {}",
            target(role, *job, *index),
            escape::text(message)
        ),
        EventKind::PodFailed {
            role, job, cause, ..
        } => format!(
            "{} fails: {}",
            target(role, *job, cause.index),
            how_of(cause).unwrap_or_else(|| "it ended".to_owned())
        ),
        EventKind::SuccessDecided { operator, stopped } if *stopped > 0 => {
            format!(
                "success policy {operator} is met, {} still running stopped",
                count(*stopped, "job")
            )
        }
        EventKind::Warning { message } => format!("warning: {}", escape::text(message)),
        _ => return None,
    })
}

fn how_of(cause: &PodCause) -> Option<String> {
    how_code_first(
        cause.container_reason.as_deref(),
        cause.exit_code,
        cause.signal,
    )
}

/// `exit code 137 in worker/2/1`.
fn died(role: &str, job: u32, cause: &PodCause) -> Option<String> {
    Some(format!(
        "{} in {}",
        how_of(cause)?,
        target(role, job, cause.index)
    ))
}

/// What the failure policy said, and with all details what it passed over before.
fn decided(story: &Story, decision: &Decision, detail: Detail) -> Vec<String> {
    let job = target(&decision.role, decision.job, None);
    let mut out = Vec::new();
    if detail.all {
        for (at, why) in &decision.passed {
            let name = rule_name(story, *at);
            out.push(format!("{name} passes over {job}: {}", escape::text(why)));
        }
    }
    let who = match decision.rule {
        Some(at) => format!("{} matches {job}", rule_name(story, at)),
        None if !story.has_policy => format!("there is no failure policy for {job}"),
        None if story.rules.is_empty() => format!("there is no rule for {job}"),
        None => format!("no rule matches {job}"),
    };
    let what = match decision.max_restarts {
        Some(limit) if decision.limit_reached => format!("limit {limit} reached"),
        Some(limit) if decision.counts => {
            format!("{}, counts {}/{limit}", decision.action, decision.restarts)
        }
        Some(limit) if decision.action != "FailJobSet" => format!(
            "{}, doesn't count ({}/{limit})",
            decision.action, decision.restarts
        ),
        _ => decision.action.clone(),
    };
    out.push(format!("{who} -> {what}"));
    out
}

/// `rule 1 "oom"`: counted from 1, as people do.
fn rule_name(story: &Story, at: usize) -> String {
    let name = story.rules.get(at).map_or("", |rule| &rule.name);
    format!("rule {} \"{}\"", at + 1, escape::text(name))
}

fn costs(story: &Story) -> Vec<String> {
    let devices = device_names(story);
    let mut headings = vec![
        "ATTEMPT",
        "STARTED",
        "READY-AFTER",
        "LASTED",
        "PODS",
        "POD-HOURS",
    ]
    .into_iter()
    .map(str::to_owned)
    .collect::<Vec<_>>();
    headings.extend(devices.iter().map(|name| device_heading(name)));
    headings.push("ENDED-BY".to_owned());
    let mut table = Table::new(headings);
    for attempt in &story.attempts {
        let mut row = vec![
            attempt.number.to_string(),
            clock(attempt.started),
            attempt.ready.map_or_else(|| "-".to_owned(), clock),
            clock(attempt.lasted),
            attempt.cost.pods.to_string(),
            hours(attempt.cost.time),
        ];
        row.extend(devices.iter().map(|name| {
            let time = attempt.cost.devices.get(*name).copied();
            hours(time.unwrap_or_default())
        }));
        row.push(match &attempt.cause {
            Some(cause) => ended_by(cause),
            None => "-".to_owned(),
        });
        table.row(row);
    }
    table.render(true)
}

/// Extended resources that any pod asked for.
pub(super) fn device_names(story: &Story) -> Vec<&str> {
    let mut names: Vec<&str> = story
        .attempts
        .iter()
        .flat_map(|a| a.cost.devices.keys().map(String::as_str))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// `nvidia.com/gpu` -> `GPU-HOURS`.
fn device_heading(name: &str) -> String {
    let short = name.rsplit('/').next().unwrap_or(name);
    format!("{}-HOURS", short.to_ascii_uppercase())
}

fn ended_by(cause: &FirstFailure) -> String {
    let who = target(&cause.role, cause.job, cause.index);
    let how = how_code_first(cause.how.as_deref(), cause.exit_code, cause.signal);
    let how = how.unwrap_or_else(|| cause.reason.clone());
    match &cause.rule {
        Some(rule) => format!("{who} {how}, rule {rule}"),
        None => format!("{who} {how}"),
    }
}

/// The verdict in one line.
fn result(story: &Story) -> String {
    let attempts = count(
        u32::try_from(story.attempts.len()).unwrap_or(u32::MAX),
        "attempt",
    );
    let after = human(story.after.as_secs());
    let all: SignedDuration = story
        .attempts
        .iter()
        .map(|a| a.cost.time)
        .fold(SignedDuration::ZERO, SignedDuration::saturating_add);
    match &story.end {
        End::Completed => {
            let kept = story
                .attempts
                .last()
                .map_or(SignedDuration::ZERO, |a| a.cost.time);
            let lost = all.saturating_sub(kept);
            let lost = if lost.is_zero() {
                String::new()
            } else {
                format!(
                    ", {} of {} pod-hours lost to restarts (no checkpoint is assumed)",
                    hours(lost),
                    hours(all)
                )
            };
            format!("completed after {after}, {attempts}{lost}")
        }
        End::Failed { .. } => format!(
            "failed after {after}, {attempts}, nothing of {} pod-hours kept (no checkpoint is assumed)",
            hours(all)
        ),
        End::Unfinished { stuck: true, state } => format!(
            "not finished: after {after} nothing would ever happen any more ({state}, {attempts})"
        ),
        End::Unfinished {
            stuck: false,
            state,
        } => format!("not finished after {after} ({state}, {attempts})"),
    }
}

/// What became of the rules that decided nothing.
fn rule_notes(story: &Story) -> Vec<String> {
    let mut out = Vec::new();
    let decided = story.rules.iter().any(|rule| rule.looked_at > 0);
    for (at, rule) in story.rules.iter().enumerate() {
        let name = rule_name(story, at);
        if rule.looked_at == 0 {
            let before: Vec<String> = story
                .rules
                .iter()
                .enumerate()
                .filter(|(_, rule)| rule.matched > 0)
                .map(|(at, _)| (at + 1).to_string())
                .collect();
            out.push(if decided {
                let rules = if before.len() == 1 { "rule" } else { "rules" };
                format!(
                    "note: {name} was never looked at, {rules} {} always came first",
                    before.join(" and ")
                )
            } else {
                format!("note: {name} was never looked at, no Job has failed")
            });
        } else if rule.matched == 0 {
            let why = rule.why_not.as_deref().unwrap_or_default();
            out.push(format!(
                "note: {name} was looked at {} and never matched: {}",
                count(rule.looked_at, "time"),
                escape::text(why)
            ));
        }
    }
    out
}

/// `0s`, `30s`, `1m00s`, `1h05m00s`.
pub(super) fn clock(span: SignedDuration) -> String {
    let s = span.as_secs().max(0);
    if s < 60 {
        format!("{s}s")
    } else if s < 3_600 {
        format!("{}m{:02}s", s / 60, s % 60)
    } else {
        format!("{}h{:02}m{:02}s", s / 3_600, s / 60 % 60, s % 60)
    }
}

/// `1.5`, `0.02`: two digits that say something.
fn hours(span: SignedDuration) -> String {
    let hours = span.as_secs_f64() / 3_600.0;
    if hours == 0.0 {
        "0".to_owned()
    } else if hours < 1.0 {
        format!("{hours:.2}")
    } else if hours < 100.0 {
        format!("{hours:.1}")
    } else {
        format!("{hours:.0}")
    }
}
