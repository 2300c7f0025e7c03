//! The one listener of a run: takes events and ticks and tells them, to people first, then to programs.
//! Which way is decided before ([`crate::report::level::mode`]); this file only distributes.

use k8s_openapi::jiff::{Timestamp, tz::TimeZone};

use crate::engine::state::Attempt;
use crate::engine::{Event, EventKind, Snapshot};
use crate::report::escape;
use crate::report::failure::{self, Ending};
use crate::report::human::{Human, Line};
use crate::report::json;
use crate::report::level::Mode;
use crate::report::prefix::{Prefixes, Source};
use crate::report::printer::{Hold, Printer};
use crate::report::progress::{self, Frame};
use crate::report::prompt;
use crate::report::style::{Glyphs, Styles, paint};
use crate::report::time::seconds_between;
use crate::report::view::{RunFacts, RunId};

/// Columns left free behind the live display: the terminal echoes `^C` where the cursor stands, and a
/// line that wraps would be left behind when the display is taken away.
const ECHO: usize = 2;

/// Exit code "given up: could not start" (cli.md 4).
const CODE_COULD_NOT_START: u8 = 12;
/// Exit code "deleted while we watched" (cli.md 4).
const CODE_DELETED: u8 = 14;

/// What a [`Reporter`] is made from.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How the run is told.
    pub mode: Mode,
    /// Where to.
    pub printer: Printer,
    /// Styles of stdout.
    pub out_styles: Styles,
    /// Styles of stderr.
    pub err_styles: Styles,
    /// Characters of the live display.
    pub glyphs: Glyphs,
    /// Local time zone.
    pub zone: TimeZone,
    /// Which run.
    pub run: RunId,
    /// What else is known about it.
    pub facts: RunFacts,
    /// Seconds of silence before a plain log says that the run is still there; 0: never.
    pub heartbeat_s: i64,
    /// How log lines look.
    pub logs: LogLook,
    /// Ctrl-C will ask: the live display says so.
    pub asks_on_interrupt: bool,
}

/// How log lines look on stdout (not in the event stream, which has them as they are).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogLook {
    /// With `ROLE/JOB/INDEX | ` before each line.
    pub prefix: bool,
    /// Pods have several containers, so the prefix names them.
    pub containers: bool,
    /// No filter against control sequences.
    pub raw: bool,
}

/// See the module.
#[derive(Debug)]
pub struct Reporter {
    s: Settings,
    human: Human,
    prefixes: Prefixes,
    rows: usize,
    attempts: Vec<Attempt>,
    finished: Option<Event>,
    prompting: Option<Hold>,
    replaying: bool,
    created: bool,
    detached: bool,
}

impl Reporter {
    /// A reporter that has said nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let s = settings;
        let human = Human::new(s.mode, s.printer.level(), s.heartbeat_s, &s.run, &s.facts);
        Self {
            human,
            s,
            prefixes: Prefixes::new(),
            rows: 0,
            attempts: Vec::new(),
            finished: None,
            prompting: None,
            replaying: false,
            created: false,
            detached: false,
        }
    }

    /// Something happened.
    pub fn event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::RunCreated { .. } | EventKind::RunAttached { .. } => self.created = true,
            EventKind::RunDetached { .. } => self.detached = true,
            _ => {}
        }
        let is_end = matches!(event.kind, EventKind::RunFinished { .. });
        if is_end {
            self.finished = Some(event.clone());
        }
        let lines = self.human.event(event);
        // At the end the verdict says it, with more; only a plain log has both.
        if !is_end || self.s.mode == Mode::Plain {
            self.print(&lines);
        }
        let on_stdout = self.s.mode == Mode::Json { on_stdout: true };
        let is_log = matches!(event.kind, EventKind::Log { .. });
        if is_log && !on_stdout {
            self.log(&event.kind);
        } else if !is_end {
            // The end of the stream carries the exit code, which only `finish` knows.
            self.json(event, None);
        }
    }

    /// Time passed, and the run looks like this. To be called about once a second, and soon after
    /// events.
    pub fn tick(&mut self, now: Timestamp, snapshot: &Snapshot) {
        let lines = self.human.tick(now, snapshot);
        self.print(&lines);
        if self.s.mode == (Mode::Tty { live: true }) && self.finished.is_none() {
            let frame = Frame {
                run: &self.s.run.name,
                columns: self.s.printer.columns().saturating_sub(ECHO),
                rows: self.s.printer.rows(),
                glyphs: self.s.glyphs,
                reminder: if self.s.asks_on_interrupt {
                    "Ctrl-C for choices"
                } else {
                    ""
                },
            };
            let display = progress::render(snapshot, now, &frame, self.rows);
            self.rows = display.len();
            self.s.printer.set_live(&display);
        }
    }

    /// Ctrl-C was pressed at a terminal: shows the state and the choices. The live display stays away
    /// until [`Self::prompt_over`].
    pub fn prompt(&mut self, now: Timestamp, snapshot: &Snapshot) {
        self.prompting = Some(self.s.printer.hold());
        for line in prompt::choices(&self.s.run.name, snapshot, now, &self.s.facts) {
            self.s.printer.error(&line);
        }
    }

    /// The prompt is over.
    pub fn prompt_over(&mut self) {
        self.prompting = None;
    }

    /// The process was stopped by the shell and goes on, after that many seconds.
    pub fn back_from_suspension(&mut self, seconds: i64) {
        if !self.is_json() && self.s.mode != Mode::Quiet {
            let text = prompt::back_from_suspension(&self.s.run.name, seconds);
            self.s.printer.err(&text);
        }
    }

    /// The history of the run, for the last words. To be called before [`Self::finish`], if it is
    /// known.
    pub fn set_attempts(&mut self, attempts: &[Attempt]) {
        self.attempts = attempts.to_vec();
    }

    /// The last words, and the last line of the event stream. `exit_code`: what the process returns.
    pub fn finish(&mut self, now: Timestamp, snapshot: &Snapshot, exit_code: u8) {
        self.prompting = None;
        let lines = self.human.tick(now, snapshot);
        self.print(&lines);
        self.s.printer.end_live();
        match self.finished.take() {
            Some(event) if self.is_json() => self.json(&event, Some(exit_code)),
            _ if self.is_json() => {}
            Some(event) => self.verdict(&event, now, snapshot, exit_code),
            None => self.farewell(exit_code),
        }
    }

    fn print(&mut self, lines: &[Line]) {
        for line in lines {
            let text = if self.s.mode == Mode::Plain {
                line.plain()
            } else {
                if !line.live && !std::mem::replace(&mut self.replaying, true) {
                    self.s.printer.error("since then:");
                }
                line.terminal(&self.s.err_styles, &self.s.zone)
            };
            // What is shown was decided by weight and mode; the printer need not decide again.
            self.s.printer.error(&text);
        }
    }

    fn log(&mut self, kind: &EventKind) {
        let EventKind::Log {
            role,
            job,
            index,
            attempt,
            container,
            line,
            ..
        } = kind
        else {
            return;
        };
        let prefix = if self.s.logs.prefix {
            let source = Source {
                role,
                job: *job,
                index: *index,
                container: self.s.logs.containers.then_some(container.as_str()),
                attempt: (*attempt > 0).then_some(*attempt),
            };
            self.prefixes.make(&source, &self.s.out_styles)
        } else {
            String::new()
        };
        let filter = self.s.printer.terminals().stdout && !self.s.logs.raw;
        let text = if filter {
            escape::log(line)
        } else {
            line.into()
        };
        self.s.printer.out(&format!("{prefix}{text}"));
    }

    fn is_json(&self) -> bool {
        matches!(self.s.mode, Mode::Json { .. })
    }

    fn json(&self, event: &Event, exit_code: Option<u8>) {
        let Mode::Json { on_stdout } = self.s.mode else {
            return;
        };
        match json::line(event, &self.s.run, exit_code) {
            Ok(line) if on_stdout => self.s.printer.out(&line),
            Ok(line) => self.s.printer.error(&line),
            Err(e) => self
                .s
                .printer
                .error(&format!("error: event {} can't be written: {e}", event.seq)),
        }
    }

    fn verdict(&self, event: &Event, now: Timestamp, snapshot: &Snapshot, exit_code: u8) {
        let EventKind::RunFinished {
            state,
            reason,
            message,
            first_failure,
        } = &event.kind
        else {
            return;
        };
        let memory = self.human.memory();
        let end = snapshot.finished.unwrap_or(now);
        let started = snapshot.started.or(memory.started);
        let ending = Ending {
            run: &self.s.run.name,
            state,
            reason,
            message,
            could_not_start: exit_code == CODE_COULD_NOT_START,
            stopped_by: memory.stopped_by.as_deref(),
            first_failure: first_failure.as_deref(),
            lasted_s: started.map(|t| seconds_between(t, end)),
            attempt: snapshot.attempt,
            max_restarts: snapshot.max_restarts,
            attempts: &self.attempts,
            facts: Some(&self.s.facts),
        };
        let block = failure::block(&ending);
        // The log's own line has said all there is.
        if self.s.mode == Mode::Plain && block.is_empty() {
            return;
        }
        self.s
            .printer
            .error(&failure::verdict(&ending, &self.s.err_styles));
        for line in &block {
            self.s.printer.error(line);
        }
        let hints = failure::hints(&ending);
        if !block.is_empty() && !hints.is_empty() && self.s.mode != Mode::Quiet {
            self.s.printer.err("");
        }
        for hint in hints {
            self.hint(&hint);
        }
    }

    /// How a session ends that has no verdict.
    fn farewell(&self, exit_code: u8) {
        let name = format!("jobset/{}", self.s.run.name);
        let attach = self.s.facts.command(&format!("attach {}", self.s.run.name));
        match exit_code {
            CODE_DELETED => self
                .s
                .printer
                .error(&format!("{name} was deleted while we watched")),
            _ if self.detached => self.hint(&attach),
            _ => {
                let Some(signal) = failure::exit_signal(exit_code) else {
                    return;
                };
                if !self.created {
                    self.s
                        .printer
                        .error(&format!("{signal}: nothing was created"));
                    return;
                }
                let stopping = self.human.memory().stopped_by.is_some();
                let state = if stopping {
                    "it may be half stopped"
                } else {
                    "nobody is driving it now"
                };
                self.s
                    .printer
                    .error(&format!("{signal}: left {name} at once; {state}"));
                self.hint(&attach);
            }
        }
    }

    fn hint(&self, command: &str) {
        if self.s.mode == Mode::Quiet {
            return;
        }
        let word = paint(self.s.err_styles.hint, "hint:");
        self.s.printer.err(&format!("{word} {command}"));
    }
}

#[cfg(test)]
#[path = "reporter_tests.rs"]
mod tests;
