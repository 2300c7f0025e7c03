//! What every verb gets beside its settings: the printer, the connection, and the manner of drawing.

use std::sync::OnceLock;

use crate::cli::local::Local;
use crate::cli::settings::Talk;
use crate::cli::words::ColorWhen;
use crate::driver::kube::ConnectOptions;
use crate::report::level::Progress;
use crate::report::printer::{Level, Printer, Terminals};
use crate::report::style::{ColorFlag, ColorInputs, Glyphs, Styles, use_color};

/// What every verb gets.
#[derive(Clone, Debug)]
pub struct App {
    /// The only way to stdout and stderr.
    pub printer: Printer,
    /// How to reach the cluster.
    pub connection: ConnectOptions,
    /// Local runs are asked for, instead of a cluster.
    pub local: Option<Local>,
    /// How to talk.
    pub talk: Talk,
    /// Who we are, for messages: `ada@laptop`.
    pub who: String,
    /// Namespace that commands work in without `-n`, once it is known.
    pub(super) home: OnceLock<String>,
}

impl App {
    /// Looks at the streams and puts it together.
    #[must_use]
    pub fn new(connection: ConnectOptions, talk: Talk, who: String) -> Self {
        let level = match (talk.quiet, talk.verbosity) {
            (true, _) => Level::Quiet,
            (false, 0) => Level::Normal,
            (false, 1) => Level::Verbose,
            (false, _) => Level::Trace,
        };
        let columns = talk.columns.map(usize::from);
        Self {
            printer: Printer::new(level, Terminals::detect(), columns),
            connection,
            local: None,
            talk,
            who,
            home: OnceLock::new(),
        }
    }

    /// With local runs instead of a cluster.
    #[must_use]
    pub fn with_local(mut self, local: Option<Local>) -> Self {
        self.local = local;
        self
    }

    fn styles(&self, is_terminal: bool) -> Styles {
        let talk = &self.talk;
        Styles::new(use_color(&ColorInputs {
            flag: match talk.color {
                ColorWhen::Auto => ColorFlag::Auto,
                ColorWhen::Always => ColorFlag::Always,
                ColorWhen::Never => ColorFlag::Never,
            },
            no_color: talk.no_color.as_deref(),
            clicolor: talk.clicolor.as_deref(),
            clicolor_force: talk.clicolor_force.as_deref(),
            term: talk.term.as_deref(),
            no_escapes: cfg!(windows) && !console::Term::stderr().features().colors_supported(),
            is_terminal,
        }))
    }

    /// Styles for data.
    #[must_use]
    pub fn out_styles(&self) -> Styles {
        self.styles(self.printer.terminals().stdout)
    }

    /// Styles for talk.
    #[must_use]
    pub fn err_styles(&self) -> Styles {
        self.styles(self.printer.terminals().stderr)
    }

    /// Characters for bars and rules.
    #[must_use]
    pub fn glyphs(&self) -> Glyphs {
        Glyphs::new(self.talk.utf8)
    }

    /// `--progress` in the reporters' words.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.talk.progress.into()
    }
}
