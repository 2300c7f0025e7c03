//! The live display as lines of text: a rule with the attempt, one bar per role with its notes, and the
//! state of the run (cli.md 8). A pure function of the snapshot, the time and the size of the terminal;
//! no line is wider than that, nothing wraps.

use console::{measure_text_width, truncate_str};
use k8s_openapi::jiff::Timestamp;

use crate::engine::snapshot::Note;
use crate::engine::{RoleSnapshot, Snapshot, StateWord};
use crate::report::escape;
use crate::report::style::Glyphs;
use crate::report::time::{human, seconds_between};
use crate::report::words::waits_phrase;

/// Characters of a bar.
const BAR: usize = 10;
/// Notes per role: more would push the roles below off the screen.
const NOTES: usize = 2;
/// Rows of the terminal left to the lines above.
const ROWS_LEFT: usize = 4;
/// Fewest rows the display takes, however small the terminal.
const ROWS_AT_LEAST: usize = 5;
/// Columns a role name may take; longer ones are cut.
const NAME: usize = 24;

/// Size and look of the display.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Name of the run.
    pub run: &'a str,
    /// Columns of the terminal.
    pub columns: usize,
    /// Rows of the terminal.
    pub rows: usize,
    /// Characters to draw with.
    pub glyphs: Glyphs,
    /// What stands at the right end of the last line.
    pub reminder: &'a str,
}

/// The display. `at_least`: rows it had before; it never becomes shorter, so that the lines above don't
/// jump.
#[must_use]
pub fn render(
    snapshot: &Snapshot,
    now: Timestamp,
    frame: &Frame<'_>,
    at_least: usize,
) -> Vec<String> {
    // The last column stays free: some terminals wrap as soon as it is written.
    let width = frame.columns.saturating_sub(1);
    let room = frame.rows.saturating_sub(ROWS_LEFT).max(ROWS_AT_LEAST);
    let mut lines = vec![rule(snapshot, width, frame.glyphs)];
    lines.extend(roles(snapshot, now, frame, room.saturating_sub(2)));
    while lines.len() + 1 < at_least.min(room) {
        lines.push(String::new());
    }
    lines.push(state(snapshot, now, frame, width));
    lines
        .into_iter()
        .map(|line| cut(line.trim_end(), width, frame.glyphs))
        .collect()
}

fn cut(line: &str, width: usize, glyphs: Glyphs) -> String {
    // Where not even the mark fits, nothing is shown.
    let mark = if width == 0 { "" } else { glyphs.cut };
    truncate_str(line, width, mark).into_owned()
}

fn rule(snapshot: &Snapshot, width: usize, glyphs: Glyphs) -> String {
    let mut title = format!("attempt {}", snapshot.attempt);
    if matches!(
        snapshot.state,
        StateWord::Restarting | StateWord::Suspended | StateWord::Stopping
    ) {
        title = format!("{title}, {}", snapshot.state.as_str().to_lowercase());
    }
    // ` TITLE ---`
    let left = width.saturating_sub(title.len() + 5);
    let fill = |n: usize| std::iter::repeat_n(glyphs.rule, n).collect::<String>();
    format!("{} {title} {}", fill(left), fill(3))
}

/// The roles, in manifest order. If they don't fit, those that are done or wait go first.
fn roles(snapshot: &Snapshot, now: Timestamp, frame: &Frame<'_>, room: usize) -> Vec<String> {
    let shown = fitting(&snapshot.roles, room);
    let name_width = name_width(snapshot, frame);
    let bars: Vec<String> = shown.iter().map(|r| bar(r, frame.glyphs)).collect();
    let counts: Vec<String> = shown.iter().map(|r| counts(r)).collect();
    let counts_width = shown
        .iter()
        .zip(&counts)
        .filter(|(r, _)| !notes(r, now).is_empty())
        .map(|(_, c)| measure_text_width(c))
        .max()
        .unwrap_or(0);
    let hidden = snapshot.roles.len() - shown.len();
    let mut spare = room.saturating_sub(shown.len() + usize::from(hidden > 0));
    let mut lines = Vec::new();
    for ((role, bar), counts) in shown.iter().zip(bars).zip(counts) {
        let name = pad(&cut(&role.name, name_width, frame.glyphs), name_width);
        let mut line = format!("  {name}   {bar}  {counts}");
        let notes = notes(role, now);
        let column = name_width + counts_width + BAR + 12;
        for (n, note) in notes.iter().enumerate() {
            if n == 0 {
                line = format!("{}{note}", pad(&line, column));
            } else if spare > 0 {
                spare -= 1;
                lines.push(std::mem::take(&mut line));
                line = format!("{}{note}", " ".repeat(column));
            }
        }
        lines.push(line);
    }
    if hidden > 0 {
        lines.push(format!("  and {hidden} more roles"));
    }
    lines
}

fn name_width(snapshot: &Snapshot, frame: &Frame<'_>) -> usize {
    snapshot
        .roles
        .iter()
        .map(|r| r.name.as_str())
        .chain([frame.run])
        .map(measure_text_width)
        .max()
        .unwrap_or(0)
        .min(NAME)
}

fn fitting(roles: &[RoleSnapshot], room: usize) -> Vec<&RoleSnapshot> {
    if roles.len() <= room {
        return roles.iter().collect();
    }
    // One row goes to `and N more roles`.
    let room = room.saturating_sub(1);
    let mut order: Vec<(u8, usize)> = roles
        .iter()
        .enumerate()
        .map(|(at, r)| (dullness(r), at))
        .collect();
    order.sort_unstable();
    let mut shown: Vec<usize> = order.into_iter().take(room).map(|(_, at)| at).collect();
    shown.sort_unstable();
    shown.into_iter().map(|at| &roles[at]).collect()
}

/// 0: needs attention; higher: can be left out sooner.
fn dullness(role: &RoleSnapshot) -> u8 {
    if role.failing + role.failed > 0 || !role.notes.is_empty() {
        0
    } else if role.starting + role.terminating + role.pods_terminating > 0 {
        1
    } else if role.succeeded == role.replicas {
        4
    } else if role.waits_for.is_some() {
        3
    } else {
        2
    }
}

fn bar(role: &RoleSnapshot, glyphs: Glyphs) -> String {
    let done = u64::from(role.ready + role.succeeded);
    // A bar is full only when all are there: rounded down.
    let full = match role.replicas {
        0 => BAR,
        all => usize::try_from(done * BAR as u64 / u64::from(all))
            .unwrap_or(BAR)
            .min(BAR),
    };
    let fill = |c: char, n: usize| std::iter::repeat_n(c, n).collect::<String>();
    format!(
        "[{}{}]",
        fill(glyphs.full, full),
        fill(glyphs.empty, BAR - full)
    )
}

fn counts(role: &RoleSnapshot) -> String {
    let all = role.replicas;
    if let Some(what) = &role.waits_for
        && role.waiting == all
    {
        return format!("waits for {}", waits_phrase(what));
    }
    if role.succeeded == all && all > 0 {
        return format!("{all}/{all} done");
    }
    let mut text = format!("{}/{all} ready", role.ready + role.succeeded);
    let parts = [
        (role.succeeded, "done"),
        (role.failing + role.failed, "failed"),
        (role.suspended, "suspended"),
    ];
    for (n, what) in parts {
        if n > 0 {
            text = format!("{text}, {n} {what}");
        }
    }
    text
}

fn notes(role: &RoleSnapshot, now: Timestamp) -> Vec<String> {
    let mut notes: Vec<String> = role
        .notes
        .iter()
        .take(NOTES)
        .map(|n| note(n, now))
        .collect();
    let going = role.pods_terminating.max(role.terminating);
    if going > 0 {
        let text = format!("{going} terminating");
        match notes.first_mut() {
            Some(first) => *first = format!("{text}, {first}"),
            None => notes.push(text),
        }
    }
    notes
}

/// `worker/1: no node with 2 free gpus, 2m10s`, with the number of others that wait for the same.
#[must_use]
pub fn note(note: &Note, now: Timestamp) -> String {
    let what = if note.message.is_empty() {
        &note.reason
    } else {
        &note.message
    };
    let mut text = format!("{}: {}", note.target, escape::text(what));
    if let Some(since) = note.since {
        text = format!("{text}, {}", human(seconds_between(since, now)));
    }
    if note.and_more > 0 {
        text = format!("{text} (and {} more)", note.and_more);
    }
    text
}

fn state(snapshot: &Snapshot, now: Timestamp, frame: &Frame<'_>, width: usize) -> String {
    let name_width = name_width(snapshot, frame);
    let run = pad(&cut(frame.run, name_width, frame.glyphs), name_width);
    let mut left = format!("  {run}   {}", snapshot.state.as_str());
    if let Some(since) = snapshot.attempt_started.or(snapshot.started) {
        left = format!("{left}  {}", human(seconds_between(since, now)));
    }
    if let Some(max) = snapshot.max_restarts {
        left = format!("{left}   restarts {}/{max}", snapshot.restarts_counted);
    }
    let used = measure_text_width(&left) + measure_text_width(frame.reminder);
    if frame.reminder.is_empty() || used + 2 > width {
        return left;
    }
    format!("{left}{}{}", " ".repeat(width - used), frame.reminder)
}

fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(measure_text_width(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
