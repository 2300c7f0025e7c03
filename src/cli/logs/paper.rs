//! Lines on their way to stdout, in front of the talk that comes after them.

use std::ops::ControlFlow;

use crate::cli::logs::show::{Desk, Run};
use crate::cli::settings::{Attempts, LogsSettings};
use crate::cli::words::PrefixWhen;
use crate::logs::format::{Form, Formatter, starts};
use crate::logs::origin::{Item, Note};
use crate::logs::plan::Plan;
use crate::report::escape;

/// Bytes that are gathered before they are written, while more is there at once.
const GATHER: usize = 32 * 1024;

/// See the module.
pub(super) struct Paper<'a> {
    desk: &'a Desk,
    formatter: Formatter,
    gathered: Vec<u8>,
}

impl<'a> Paper<'a> {
    pub(super) fn new(
        settings: &LogsSettings,
        run: &Run,
        plan: &Plan,
        follow: bool,
        desk: &'a Desk,
    ) -> Self {
        let several_attempts = matches!(settings.attempt, Attempts::All | Attempts::Previous);
        let prefix = match settings.prefix {
            PrefixWhen::Always => true,
            PrefixWhen::Never => false,
            // While following, another source may come at any time.
            PrefixWhen::Auto => {
                follow || several_attempts || plan.picks.len() + plan.kept.len() > 1
            }
        };
        Self {
            desk,
            formatter: Formatter::new(Form {
                output: settings.output,
                prefix,
                several_attempts,
                timestamps: settings.timestamps,
                filter: desk.printer.terminals().stdout && !settings.raw,
                styles: desk.styles,
                zone: desk.zone.clone(),
                starts: starts(&run.state),
            }),
            gathered: Vec::new(),
        }
    }

    /// Takes a line or a note; break if nobody reads any more.
    pub(super) fn item(&mut self, item: &Item) -> ControlFlow<()> {
        match item {
            Item::Line(line) => {
                let bytes = self.formatter.line(line);
                self.gathered.extend_from_slice(&bytes);
                if self.gathered.len() >= GATHER {
                    return self.write();
                }
                ControlFlow::Continue(())
            }
            Item::Note(note) => {
                let flow = self.write();
                let text = note.to_string();
                let text = escape::text(&text);
                self.desk.printer.err(&match note {
                    Note::Mark(_) => format!("-- {text} --"),
                    _ => format!("warning: {text}"),
                });
                flow
            }
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.flush();
        self.desk
            .printer
            .err(&format!("== {} ==", escape::text(text)));
    }

    pub(super) fn kept(&mut self, plan: &Plan) {
        for kept in &plan.kept {
            self.heading(&kept.heading);
            for line in &kept.lines {
                let bytes = self.formatter.line(line);
                self.gathered.extend_from_slice(&bytes);
            }
        }
        self.flush();
    }

    /// Writes what was gathered.
    pub(super) fn flush(&mut self) {
        if !self.gathered.is_empty() {
            self.desk.printer.raw_out(&self.gathered);
            self.gathered.clear();
        }
    }

    /// Writes what was gathered; break if nobody reads any more.
    pub(super) fn write(&mut self) -> ControlFlow<()> {
        self.flush();
        if self.desk.printer.stdout_closed() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
