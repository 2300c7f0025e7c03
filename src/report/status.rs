//! `status` of one run (cli.md 8): a headline, the roles in numbers that add up, why pods are missing,
//! the last restart and the first failure. Pure text.

use k8s_openapi::jiff::Timestamp;

use crate::engine::state::{Attempt, AttemptKind};
use crate::engine::{FirstFailure, RoleSnapshot};
use crate::report::escape;
use crate::report::progress::note;
use crate::report::status_list::waits;
use crate::report::table::Table;
use crate::report::time::{age, human, seconds_between};
use crate::report::view::RunView;
use crate::report::words::{count, how, target};

/// What a status command prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Lines for stdout.
    pub out: Vec<String>,
    /// Lines for stderr, with `warning: ` before them.
    pub warnings: Vec<String>,
    /// Commands to suggest on stderr, without `hint: `.
    pub hints: Vec<String>,
}

/// The page of one run.
#[must_use]
pub fn one(run: &RunView, now: Timestamp) -> Page {
    let mut page = Page {
        out: vec![headline(run, now), String::new()],
        ..Page::default()
    };
    page.out.extend(roles(run));
    let notes = run.snapshot.roles.iter().flat_map(|r| &r.notes);
    section(&mut page.out, notes.map(|n| note(n, now)).collect());
    section(&mut page.out, facts(run, now));
    if run.is_driverless() {
        page.warnings.push(format!(
            "warning: nobody drives {}: {}",
            run.id.name,
            waits(run)
        ));
        page.hints
            .push(run.command(&format!("attach {}", run.id.name)));
    } else if run.is_finished()
        && let Some(f) = run.first_failure()
    {
        let whose = target(&f.role, f.job, f.index);
        let logs = format!("logs {} {whose} --attempt all --failed", run.id.name);
        page.hints.push(run.command(&logs));
    }
    page
}

fn section(out: &mut Vec<String>, lines: Vec<String>) {
    if !lines.is_empty() {
        out.push(String::new());
        out.extend(lines);
    }
}

/// `train  Running  attempt 1  47m  restarts 1/3  driven by ada@laptop (2s ago)`.
fn headline(run: &RunView, now: Timestamp) -> String {
    let s = &run.snapshot;
    let started = s.started.unwrap_or(run.created);
    let lasted = seconds_between(started, s.finished.unwrap_or(now));
    let mut parts = vec![run.id.name.clone()];
    parts.push(match &s.reason {
        Some(reason) if run.is_finished() => format!("{} ({reason})", s.state.as_str()),
        _ => s.state.as_str().to_owned(),
    });
    parts.push(format!("attempt {}", s.attempt));
    parts.push(age(lasted));
    if let Some(max) = s.max_restarts {
        let uncounted = s.restarts.saturating_sub(s.restarts_counted);
        parts.push(match uncounted {
            0 => format!("restarts {}/{max}", s.restarts_counted),
            n => format!("restarts {}/{max} and {n} not counted", s.restarts_counted),
        });
    }
    if let Some(finished) = s.finished {
        parts.push(format!("ended {} ago", age(seconds_between(finished, now))));
    } else {
        parts.push(driver(run, now));
    }
    parts.join("  ")
}

fn driver(run: &RunView, now: Timestamp) -> String {
    let ago = run.driver.renewed.map_or_else(String::new, |t| {
        format!(" ({} ago)", age(seconds_between(t, now)))
    });
    match &run.driver.holder {
        Some(holder) if run.driver.live => format!("driven by {}{ago}", escape::text(holder)),
        Some(holder) => format!("no driver, last {}{ago}", escape::text(holder)),
        None => "no driver".to_owned(),
    }
}

/// A count of Jobs per role.
type Count = fn(&RoleSnapshot) -> u32;

/// The table of roles. READY to WAITING add up to the Jobs wanted (cli.md 6.8); columns that are rarely
/// used are there only if some role needs them.
fn roles(run: &RunView) -> Vec<String> {
    let roles = &run.snapshot.roles;
    let columns: [(&str, bool, Count); 7] = [
        ("STARTING", true, |r| r.starting),
        ("FAILING", true, |r| r.failing),
        ("DONE", true, |r| r.succeeded),
        ("FAILED", false, |r| r.failed),
        ("SUSPENDED", false, |r| r.suspended),
        ("WAITING", false, |r| r.waiting),
        ("TERMINATING", false, |r| r.terminating),
    ];
    let shown: Vec<(&str, Count)> = columns
        .into_iter()
        .filter(|(_, always, of)| *always || roles.iter().any(|r| of(r) > 0))
        .map(|(heading, _, of)| (heading, of))
        .collect();
    let mut headings = vec!["ROLE", "READY"];
    headings.extend(shown.iter().map(|(heading, _)| *heading));
    headings.extend(["PODS", "WAITS-FOR"]);
    let mut table = Table::new(headings);
    for role in roles {
        let mut cells = vec![
            role.name.clone(),
            format!("{}/{}", role.ready, role.replicas),
        ];
        cells.extend(shown.iter().map(|(_, of)| of(role).to_string()));
        cells.push(format!("{}/{}", role.pods, role.pods_wanted));
        cells.push(role.waits_for.clone().unwrap_or_else(|| "-".to_owned()));
        table.row(cells);
    }
    table.render(true)
}

fn facts(run: &RunView, now: Timestamp) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(last_restart(&run.state.attempts, now));
    if run.is_finished()
        && let Some(f) = run.first_failure()
    {
        lines.push(format!("first failure  {}", story(f, true)));
    }
    if run.snapshot.pods_replaced > 0 {
        let n = run.snapshot.pods_replaced;
        let were = if n == 1 { "was" } else { "were" };
        lines.push(format!(
            "pods replaced  {} {were} replaced in this attempt without a failed job",
            count(n, "pod")
        ));
    }
    lines
}

/// `last restart  27m ago, worker/2/1 OOMKilled on gpu-14, rule "oom"`.
fn last_restart(attempts: &[Attempt], now: Timestamp) -> Option<String> {
    let at = attempts
        .iter()
        .rposition(|a| matches!(a.kind, AttemptKind::Restart | AttemptKind::RestartJob))?;
    let mut parts = Vec::new();
    if let Some(t) = attempts[at].started {
        parts.push(format!("{} ago", age(seconds_between(t, now))));
    }
    // What ended the attempt before it is why it was restarted.
    let cause = at
        .checked_sub(1)
        .and_then(|before| attempts[before].cause.as_ref());
    parts.extend(cause.map(|f| story(f, false)));
    if !attempts[at].counted {
        parts.push("not counted".to_owned());
    }
    Some(format!("last restart  {}", parts.join(", ")))
}

/// `worker/2/1 OOMKilled (exit code 137) on gpu-14, 14m20s into attempt 3, rule "oom"`.
fn story(f: &FirstFailure, with_attempt: bool) -> String {
    let mut text = target(&f.role, f.job, f.index);
    let what = how(f.how.as_deref(), f.exit_code, f.signal);
    text = match what {
        Some(what) => format!("{text} {what}"),
        None => format!("{text} {}", escape::text(&f.reason)),
    };
    if let Some(node) = &f.node {
        text = format!("{text} on {}", escape::text(node));
    }
    if let Some(s) = f.into_attempt_s.filter(|_| with_attempt) {
        text = format!("{text}, {} into attempt {}", human(s), f.attempt);
    }
    match &f.rule {
        Some(rule) => format!("{text}, rule \"{rule}\""),
        None => text,
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
