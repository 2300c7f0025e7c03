//! The live display on a terminal: one indicatif bar whose message has several lines, because a
//! single bar with log lines above it never interleaves. Only [`crate::report::printer`] uses it.
//!
//! Refuses to decide what is shown (`progress`) and when it may be shown (`level`).

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

/// Redraws per second that indicatif lets through; changes come about once a second.
const REDRAWS_PER_SECOND: u8 = 20;

/// Lines written above the display between two settings of it, before it is taken away until the
/// next one: redrawing it for each of thousands of log lines would be most of the output.
const LINES_ABOVE_PER_SET: u32 = 40;

/// See the module.
#[derive(Debug)]
pub(crate) struct Live {
    target: Target,
    bar: Option<ProgressBar>,
    lines: Vec<String>,
    written_above: u32,
    holds: u32,
}

#[derive(Debug)]
enum Target {
    Stderr,
    Memory(Screen),
}

impl Live {
    pub(crate) fn on_stderr() -> Self {
        Self::new(Target::Stderr)
    }
    pub(crate) fn in_memory(columns: usize) -> Self {
        Self::new(Target::Memory(Screen::new(columns)))
    }
    fn new(target: Target) -> Self {
        Self {
            target,
            bar: None,
            lines: Vec::new(),
            written_above: 0,
            holds: 0,
        }
    }

    /// Shows these lines, none of which may be wider than the terminal.
    pub(crate) fn set(&mut self, lines: &[String]) {
        self.lines = lines.to_vec();
        self.written_above = 0;
        self.show();
    }

    /// Takes it away for good.
    pub(crate) fn end(&mut self) {
        self.lines.clear();
        self.take_away();
    }

    pub(crate) fn hold(&mut self) {
        self.holds += 1;
        self.take_away();
    }
    pub(crate) fn release(&mut self) {
        self.holds = self.holds.saturating_sub(1);
        self.show();
    }

    /// Runs `write`, whose output appears above the display.
    pub(crate) fn above<R>(&mut self, write: impl FnOnce() -> R) -> R {
        self.written_above = self.written_above.saturating_add(1);
        if self.written_above > LINES_ABOVE_PER_SET {
            self.take_away();
        }
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// The lines on the screen; empty unless in memory.
    pub(crate) fn shown(&self) -> Vec<String> {
        match &self.target {
            Target::Memory(screen) => screen.contents(),
            Target::Stderr => Vec::new(),
        }
    }

    fn show(&mut self) {
        if self.holds > 0 || self.lines.is_empty() {
            return;
        }
        let target = &self.target;
        let bar = self.bar.get_or_insert_with(|| {
            let target = match target {
                Target::Stderr => ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND),
                Target::Memory(screen) => ProgressDrawTarget::term_like(Box::new(screen.clone())),
            };
            ProgressBar::with_draw_target(None, target).with_style(style())
        });
        bar.set_message(self.lines.join("\n"));
        bar.force_draw();
    }

    fn take_away(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    // The template is constant; the default spinner also shows the message, should it be refused.
    ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// A terminal for tests: the rows that the display occupies.
#[derive(Clone, Debug)]
struct Screen {
    columns: usize,
    state: Arc<Mutex<ScreenState>>,
}

#[derive(Debug, Default)]
struct ScreenState {
    rows: Vec<String>,
    row: usize,
}

impl Screen {
    fn new(columns: usize) -> Self {
        Self {
            columns,
            state: Arc::default(),
        }
    }
    fn contents(&self) -> Vec<String> {
        self.with(|s| {
            let used = s.rows.iter().rposition(|r| !r.trim_end().is_empty());
            s.rows[..used.map_or(0, |last| last + 1)]
                .iter()
                .map(|r| r.trim_end().to_owned())
                .collect()
        })
    }
    fn with<R>(&self, f: impl FnOnce(&mut ScreenState) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.rows.len() <= state.row {
            let rows = state.row + 1;
            state.rows.resize(rows, String::new());
        }
        f(&mut state)
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        u16::try_from(self.columns).unwrap_or(u16::MAX)
    }
    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.with(|s| s.row = s.row.saturating_sub(n));
        Ok(())
    }
    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.with(|s| s.row += n);
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn write_line(&self, s: &str) -> io::Result<()> {
        self.write_str(s)?;
        self.move_cursor_down(1)
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        // A row that is full is left by the next character, as terminals do.
        for c in text.chars() {
            self.with(|s| {
                if s.rows[s.row].chars().count() >= self.columns {
                    s.row += 1;
                }
            });
            self.with(|s| s.rows[s.row].push(c));
        }
        Ok(())
    }
    fn clear_line(&self) -> io::Result<()> {
        self.with(|s| s.rows[s.row].clear());
        Ok(())
    }
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| (*n).to_owned()).collect()
    }

    #[test]
    fn shows_the_newest_lines_only() {
        let mut live = Live::in_memory(20);
        live.set(&lines(&["a", "b", "c"]));
        assert_eq!(live.shown(), ["a", "b", "c"]);
        live.set(&lines(&["d"]));
        assert_eq!(live.shown(), ["d"]);
        live.end();
        assert!(live.shown().is_empty());
    }

    #[test]
    fn gone_while_something_is_written_above() {
        let mut live = Live::in_memory(20);
        live.set(&lines(&["a"]));
        let Target::Memory(screen) = &live.target else {
            panic!("in memory")
        };
        let screen = screen.clone();
        assert!(live.above(|| screen.contents()).is_empty());
        assert_eq!(live.shown(), ["a"]);
    }

    #[test]
    fn stays_away_in_a_burst_until_set_again() {
        let mut live = Live::in_memory(20);
        live.set(&lines(&["a"]));
        for _ in 0..=LINES_ABOVE_PER_SET {
            live.above(|| ());
        }
        assert!(live.shown().is_empty());
        live.set(&lines(&["b"]));
        assert_eq!(live.shown(), ["b"]);
    }
}
