//! The last words about a run (cli.md 8, "end of a failed run"): the verdict, and for a failed run who
//! failed first, how, with which last lines, what fell because of it, and which rule decided. What is
//! not known is left out. Pure text.

use crate::api::names::reason;
use crate::engine::FirstFailure;
use crate::engine::state::Attempt;
use crate::report::escape;
use crate::report::style::{Styles, paint};
use crate::report::time::human;
use crate::report::view::RunFacts;
use crate::report::words::{count, how_list, reason_and_message, signal_name, target};

/// Width of the labels, with the space behind them.
const LABEL: usize = 16;
/// Lines of a termination message that are shown; the rest is in the logs.
const MESSAGE_LINES: usize = 5;

/// Everything the last words are made of.
#[derive(Clone, Debug, Default)]
pub struct Ending<'a> {
    /// Name of the run.
    pub run: &'a str,
    /// `Completed` or `Failed`.
    pub state: &'a str,
    /// Condition reason.
    pub reason: &'a str,
    /// Condition message.
    pub message: &'a str,
    /// It never got going: exit code 12 rather than 10.
    pub could_not_start: bool,
    /// Who asked to stop.
    pub stopped_by: Option<&'a str>,
    /// Who failed first.
    pub first_failure: Option<&'a FirstFailure>,
    /// Seconds from start to end.
    pub lasted_s: Option<i64>,
    /// Number of the last attempt.
    pub attempt: u32,
    /// The limit.
    pub max_restarts: Option<u32>,
    /// The history, as far as it is known.
    pub attempts: &'a [Attempt],
    /// What else is known.
    pub facts: Option<&'a RunFacts>,
}

/// The verdict in one line: `jobset/train failed: all 3 restarts are used up (1h27m, 4 attempts)`.
#[must_use]
pub fn verdict(e: &Ending<'_>, styles: &Styles) -> String {
    let name = paint(styles.name, &format!("jobset/{}", e.run));
    let attempts = count(e.attempt.saturating_add(1), "attempt");
    let spent = match e.lasted_s {
        Some(s) => format!(" ({}, {attempts})", human(s)),
        None => format!(" ({attempts})"),
    };
    if e.state == "Completed" {
        return format!("{name} {}{spent}", paint(styles.good, "completed"));
    }
    if e.reason == reason::STOPPED {
        let by = e
            .stopped_by
            .map_or_else(String::new, |by| format!(" by {}", escape::text(by)));
        return format!("{name} {}{by}{spent}", paint(styles.warning, "stopped"));
    }
    if e.could_not_start {
        let why = reason_and_message(e.reason, e.message);
        return format!("{name} {}: {why}", paint(styles.error, "could not start"));
    }
    let why = failed_because(e);
    format!("{name} {}: {why}{spent}", paint(styles.error, "failed"))
}

fn failed_because(e: &Ending<'_>) -> String {
    let job = e
        .first_failure
        .map_or_else(|| "a job".to_owned(), |f| target(&f.role, f.job, None));
    match e.reason {
        reason::REACHED_MAX_RESTARTS => match e.max_restarts {
            None => "the restart limit is reached".to_owned(),
            Some(0) => format!("{job} failed and no restart is allowed"),
            Some(1) => "the one restart is used up".to_owned(),
            Some(max) => format!("all {max} restarts are used up"),
        },
        reason::FAILED_JOBS => format!("{job} failed and there is no failure policy"),
        reason::FAIL_JOBSET_ACTION => match e.first_failure.and_then(|f| f.rule.as_deref()) {
            Some(rule) => format!("{job} failed and rule \"{rule}\" says FailJobSet"),
            None => format!("{job} failed and a rule says FailJobSet"),
        },
        _ => reason_and_message(e.reason, e.message),
    }
}

/// The block under the verdict: lines, the first one empty. Empty for a run that did not fail, or if
/// nothing is known.
#[must_use]
pub fn block(e: &Ending<'_>) -> Vec<String> {
    let Some(f) = e.first_failure.filter(|_| has_failed(e)) else {
        return Vec::new();
    };
    let mut rows = Rows::default();
    rows.add("first to fail", who(f));
    if let Some(how) = how_it_failed(f) {
        rows.add("how", how);
    }
    if let Some(own) = job_reason(f) {
        rows.add("job says", own);
    }
    if let Some(message) = &f.termination_message {
        let shown = escape::lines(message)
            .take(MESSAGE_LINES)
            .map(std::borrow::Cow::into_owned);
        rows.add_lines("message", shown);
    }
    if let Some(limit) = &f.memory_limit {
        rows.add(
            "memory limit",
            format!("{}{}", escape::text(limit), same_before(e, f)),
        );
    }
    let last = f.last_lines.iter().map(|l| escape::text(l).into_owned());
    rows.add_lines("last lines", last);
    if f.fell_after > 0 {
        let failed = format!("{} failed after it", count(f.fell_after, "pod"));
        rows.add("because of it", failed);
    }
    rows.add("decided by", decided_by(e, f));
    rows.lines
}

/// The next commands to type, at most two, without the word `hint:`.
#[must_use]
pub fn hints(e: &Ending<'_>) -> Vec<String> {
    let facts = e.facts.cloned().unwrap_or_default();
    let Some(f) = e.first_failure.filter(|_| has_failed(e)) else {
        return Vec::new();
    };
    let whose = target(&f.role, f.job, f.index);
    let which = if e.attempt > 0 {
        "--attempt all --failed"
    } else {
        "--failed"
    };
    vec![
        facts.command(&format!("logs {} {whose} {which}", e.run)),
        facts.command(&format!("status {}", e.run)),
    ]
}

/// By itself, not because somebody stopped it.
fn has_failed(e: &Ending<'_>) -> bool {
    e.state != "Completed" && e.reason != reason::STOPPED
}

fn who(f: &FirstFailure) -> String {
    let mut parts = Vec::new();
    match &f.pod {
        Some(pod) => {
            parts.push(format!("pod {}", escape::text(pod)));
            if let Some(container) = &f.container {
                parts.push(format!("container {}", escape::text(container)));
            }
        }
        None if !f.job_name.is_empty() => parts.push(format!("job {}", f.job_name)),
        None => {}
    }
    if let Some(node) = &f.node {
        parts.push(format!("node {}", escape::text(node)));
    }
    let whose = target(&f.role, f.job, f.index);
    if parts.is_empty() {
        whose
    } else {
        format!("{whose}   {}", parts.join(", "))
    }
}

fn how_it_failed(f: &FirstFailure) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(how_list(f.how.as_deref(), f.exit_code, f.signal));
    if parts.is_empty() {
        let said = reason_and_message(&f.reason, &f.message);
        parts.extend((!said.is_empty()).then_some(said));
    }
    match f.into_attempt_s {
        Some(s) => parts.push(format!("{} into attempt {}", human(s), f.attempt)),
        None if !parts.is_empty() => parts.push(format!("in attempt {}", f.attempt)),
        None => {}
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The Job's own reason, where it adds to what its container did: a deadline, failed indexes.
fn job_reason(f: &FirstFailure) -> Option<String> {
    let container_known = how_list(f.how.as_deref(), f.exit_code, f.signal).is_some();
    let adds = !matches!(
        f.reason.as_str(),
        "" | "BackoffLimitExceeded" | "PodFailurePolicy"
    );
    (container_known && adds).then(|| reason_and_message(&f.reason, &f.message))
}

/// `; killed the same way in attempts 0, 1 and 2`, if earlier attempts ended with the same OOM kill.
fn same_before(e: &Ending<'_>, f: &FirstFailure) -> String {
    let mut same: Vec<u32> = e
        .attempts
        .iter()
        .filter_map(|a| a.cause.as_ref())
        .chain([f])
        .filter(|c| c.how.is_some() && c.how == f.how && c.role == f.role)
        .filter(|c| c.job == f.job && c.index == f.index)
        .map(|c| c.attempt)
        .collect();
    same.sort_unstable();
    same.dedup();
    let Some((last, before)) = same.split_last().filter(|(_, before)| !before.is_empty()) else {
        return String::new();
    };
    let before: Vec<String> = before.iter().map(u32::to_string).collect();
    format!(
        "; killed the same way in attempts {} and {last}",
        before.join(", ")
    )
}

fn decided_by(e: &Ending<'_>, f: &FirstFailure) -> String {
    let rule = match &f.rule {
        Some(rule) => format!("rule \"{rule}\""),
        None if e.reason == reason::FAILED_JOBS || f.action == "FailJobSet" => {
            return "no failure policy: any failed job ends the set".to_owned();
        }
        None => "no rule matched".to_owned(),
    };
    let mut parts = vec![rule];
    if !f.action.is_empty() {
        parts.push(f.action.clone());
    }
    if let Some(max) = e.max_restarts {
        parts.push(format!("limit {max}"));
    }
    let place = f
        .rule_index
        .zip(e.facts)
        .and_then(|(at, facts)| facts.rule_places.get(usize::try_from(at).ok()?))
        .map_or_else(String::new, |place| format!(" ({place})"));
    format!("{}{place}", parts.join(", "))
}

/// Says by which signal the process itself was ended, for texts about detaching.
#[must_use]
pub fn exit_signal(exit_code: u8) -> Option<String> {
    matches!(exit_code, 129 | 130 | 143).then(|| signal_name(i32::from(exit_code) - 128))
}

#[derive(Default)]
struct Rows {
    lines: Vec<String>,
}

impl Rows {
    fn add(&mut self, label: &str, text: String) {
        self.add_lines(label, [text]);
    }
    fn add_lines(&mut self, label: &str, lines: impl IntoIterator<Item = String>) {
        for (n, line) in lines.into_iter().enumerate() {
            if self.lines.is_empty() {
                self.lines.push(String::new());
            }
            let label = if n == 0 { label } else { "" };
            self.lines
                .push(format!("  {label:<LABEL$}{line}").trim_end().to_owned());
        }
    }
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;
