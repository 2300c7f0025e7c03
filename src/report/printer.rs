//! The only code that touches stdout and stderr. Data goes to stdout, talk to stderr (cli.md 1.3);
//! each line is flushed; a live display is taken away while a line is written, so that the terminal
//! has one owner.
//!
//! Streams that are gone are no error of ours (cli.md 5): a closed stdout is remembered
//! ([`Printer::stdout_closed`]) and nothing more is written there; a closed stderr is ignored.
//! Refuses to format: it takes finished lines.

use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::report::live::Live;

/// Columns assumed where neither the terminal nor the caller knows.
const DEFAULT_COLUMNS: usize = 80;
/// Rows assumed likewise.
const DEFAULT_ROWS: usize = 24;

/// How much is said on stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `-q`: verdict and errors.
    Quiet,
    /// Changes, warnings, hints.
    #[default]
    Normal,
    /// `-v`: decisions with reasons.
    Verbose,
    /// `-vv`: API calls.
    Trace,
}

/// What is known about the streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminals {
    /// stdin is a terminal.
    pub stdin: bool,
    /// stdout is a terminal.
    pub stdout: bool,
    /// stderr is a terminal.
    pub stderr: bool,
}

impl Terminals {
    /// Asks the process's own streams.
    #[must_use]
    pub fn detect() -> Self {
        Self {
            stdin: io::stdin().is_terminal(),
            stdout: io::stdout().is_terminal(),
            stderr: io::stderr().is_terminal(),
        }
    }
}

/// A handle on the two streams; clones share them.
#[derive(Clone, Debug)]
pub struct Printer {
    level: Level,
    terminals: Terminals,
    columns: Option<usize>,
    streams: Arc<Mutex<Streams>>,
}

#[derive(Debug)]
struct Streams {
    out: Sink,
    err: Sink,
    out_error: Option<io::ErrorKind>,
    err_gone: bool,
    live: Live,
}

#[derive(Debug)]
enum Sink {
    Stdout,
    Stderr,
    Buffer(Vec<u8>),
    /// A stream that fails.
    #[cfg(test)]
    Broken(io::ErrorKind),
}

impl Printer {
    /// The process's streams. `columns`: the environment's `COLUMNS`, used only where the terminal
    /// doesn't tell its width.
    #[must_use]
    pub fn new(level: Level, terminals: Terminals, columns: Option<usize>) -> Self {
        Self::with(
            level,
            terminals,
            columns,
            Sink::Stdout,
            Sink::Stderr,
            Live::on_stderr(),
        )
    }

    /// Writes into buffers, to be read with [`Self::captured_out`] and [`Self::captured_err`]. For
    /// tests; the live display is written out as text.
    #[must_use]
    pub fn captured(level: Level, terminals: Terminals, columns: usize) -> Self {
        Self::with(
            level,
            terminals,
            Some(columns),
            Sink::Buffer(Vec::new()),
            Sink::Buffer(Vec::new()),
            Live::in_memory(columns),
        )
    }

    fn with(
        level: Level,
        terminals: Terminals,
        columns: Option<usize>,
        out: Sink,
        err: Sink,
        live: Live,
    ) -> Self {
        let streams = Streams {
            out,
            err,
            out_error: None,
            err_gone: false,
            live,
        };
        Self {
            level,
            terminals,
            columns,
            streams: Arc::new(Mutex::new(streams)),
        }
    }

    /// How much is said.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }
    /// Which streams are terminals.
    #[must_use]
    pub fn terminals(&self) -> Terminals {
        self.terminals
    }
    /// Width of the terminal on stderr, in columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.size().1
    }
    /// Height of the terminal on stderr, in rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.size().0
    }

    fn size(&self) -> (usize, usize) {
        let asked = match self.lock().err {
            Sink::Buffer(_) => None,
            _ => console::Term::stderr().size_checked(),
        };
        match asked {
            Some((rows, columns)) if columns > 0 => (usize::from(rows), usize::from(columns)),
            _ => (DEFAULT_ROWS, self.columns.unwrap_or(DEFAULT_COLUMNS)),
        }
    }

    /// A line of data, to stdout. The line end is added.
    pub fn out(&self, line: &str) {
        self.out_lines(&[line]);
    }
    /// Several lines of data, in one go: cheaper than one by one while a live display is shown.
    pub fn out_lines<S: AsRef<str>>(&self, lines: &[S]) {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(line.as_ref().as_bytes());
            bytes.push(b'\n');
        }
        self.raw_out(&bytes);
    }
    /// Bytes of data as they are, to stdout.
    pub fn raw_out(&self, bytes: &[u8]) {
        let on_screen = self.terminals.stdout;
        let mut streams = self.lock();
        let Streams {
            out,
            out_error,
            live,
            ..
        } = &mut *streams;
        if out_error.is_some() {
            return;
        }
        let result = if on_screen {
            live.above(|| out.write(bytes))
        } else {
            out.write(bytes)
        };
        let kind = match result {
            Ok(()) => return,
            Err(e) => e.kind(),
        };
        *out_error = Some(kind);
        drop(streams);
        if kind != io::ErrorKind::BrokenPipe {
            self.error(&format!("error: stdout can't be written: {kind}"));
        }
    }

    /// Talk, to stderr; silent with `-q`.
    pub fn err(&self, line: &str) {
        if self.level >= Level::Normal {
            self.error(line);
        }
    }
    /// Decisions with reasons, to stderr; only with `-v`.
    pub fn verbose(&self, line: &str) {
        if self.level >= Level::Verbose {
            self.error(line);
        }
    }
    /// A verdict or an error, to stderr; always. May be several lines.
    pub fn error(&self, line: &str) {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.raw_err(&bytes);
    }

    fn raw_err(&self, bytes: &[u8]) {
        let on_screen = self.terminals.stderr;
        let mut streams = self.lock();
        let Streams {
            err,
            err_gone,
            live,
            ..
        } = &mut *streams;
        if *err_gone {
            return;
        }
        let result = if on_screen {
            live.above(|| err.write(bytes))
        } else {
            err.write(bytes)
        };
        *err_gone = result.is_err();
    }

    /// A writer for diagnostics of libraries (`tracing`): whole lines, above the live display.
    #[must_use]
    pub fn err_writer(&self) -> ErrWriter {
        ErrWriter {
            printer: self.clone(),
            line: Vec::new(),
        }
    }

    /// The reader of stdout has gone away: streaming more data is pointless.
    #[must_use]
    pub fn stdout_closed(&self) -> bool {
        self.lock().out_error.is_some()
    }
    /// stdout could not be written for another reason than its reader going away (a full disk): the
    /// data is incomplete, and the exit code should say so.
    #[must_use]
    pub fn stdout_failed(&self) -> bool {
        self.lock()
            .out_error
            .is_some_and(|kind| kind != io::ErrorKind::BrokenPipe)
    }

    /// Shows these lines as the live display, in place of those before.
    pub(crate) fn set_live(&self, lines: &[String]) {
        self.lock().live.set(lines);
    }
    /// Takes the live display away for good.
    pub(crate) fn end_live(&self) {
        self.lock().live.end();
    }

    /// Takes the live display away until the guard is dropped: for prompts and for programs that
    /// write to the terminal themselves. Lines are written as ever. Guards may overlap.
    pub fn hold(&self) -> Hold {
        self.lock().live.hold();
        Hold {
            printer: self.clone(),
        }
    }
    /// Runs `f` with the live display taken away.
    pub fn suspend<R>(&self, f: impl FnOnce() -> R) -> R {
        let guard = self.hold();
        let result = f();
        drop(guard);
        result
    }

    /// What went to stdout of a captured printer; empty for a real one.
    #[must_use]
    pub fn captured_out(&self) -> String {
        self.lock().out.captured()
    }
    /// What went to stderr of a captured printer; empty for a real one.
    #[must_use]
    pub fn captured_err(&self) -> String {
        self.lock().err.captured()
    }
    /// The live display as it stands, of a captured printer; empty for a real one.
    #[must_use]
    pub fn captured_live(&self) -> Vec<String> {
        self.lock().live.shown()
    }

    // A panic while a line was being written leaves nothing inconsistent that matters here.
    fn lock(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes)?;
                out.flush()
            }
            Self::Stderr => {
                let mut err = io::stderr().lock();
                err.write_all(bytes)?;
                err.flush()
            }
            Self::Buffer(buffer) => {
                buffer.extend_from_slice(bytes);
                Ok(())
            }
            #[cfg(test)]
            Self::Broken(kind) => Err((*kind).into()),
        }
    }
    fn captured(&self) -> String {
        match self {
            Self::Buffer(buffer) => String::from_utf8_lossy(buffer).into_owned(),
            _ => String::new(),
        }
    }
}

/// The live display stays away until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Hold {
    printer: Printer,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.printer.lock().live.release();
    }
}

/// See [`Printer::err_writer`].
#[derive(Debug)]
pub struct ErrWriter {
    printer: Printer,
    line: Vec<u8>,
}

impl Write for ErrWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if let Some(end) = self.line.iter().rposition(|b| *b == b'\n') {
            let rest = self.line.split_off(end + 1);
            let lines = std::mem::replace(&mut self.line, rest);
            self.printer.raw_err(&lines);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for ErrWriter {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            self.line.push(b'\n');
            self.printer.raw_err(&self.line);
        }
    }
}

#[cfg(test)]
#[path = "printer_tests.rs"]
mod tests;
