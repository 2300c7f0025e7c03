//! Reads one log: lines out of a stream of bytes ([`Lines`]), and a whole log to its end across dropped
//! connections ([`Whole`]).

use std::rc::Rc;
use std::time::Duration;

use futures::io::{AsyncBufRead, AsyncBufReadExt as _};
use tokio::time::{Instant, sleep};

use crate::logs::line::{Cutter, Stamped};
use crate::logs::resume::Position;
use crate::logs::source::{LogSource, OpenError, OpenLog, Since};

/// First pause before a call is repeated; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Longest pause: a node that comes back is noticed within that.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How often a log that is read to its end is tried again without a line in between: about 15 s, as
/// long as an API server needs to restart.
const TRIES: u32 = 7;

/// Pauses that grow.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

impl Default for Backoff {
    fn default() -> Self {
        Self(FIRST_PAUSE)
    }
}

impl Backoff {
    /// How long to wait now.
    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST_PAUSE);
        pause
    }
    /// Something went well.
    pub(crate) fn reset(&mut self) {
        self.0 = FIRST_PAUSE;
    }
}

/// The instant in `time` from now, by the runtime's clock (which tests may pause).
pub(crate) fn from_now(time: Duration) -> Instant {
    sleep(time).deadline()
}

/// What a stream gives.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Got {
    /// A whole line.
    Line(Stamped),
    /// The end, with what stood there without a line end.
    End(Option<Stamped>),
    /// The connection broke.
    Broken {
        /// How.
        error: String,
        /// Half a line: it comes again, whole, when the stream is opened again.
        rest: Option<Stamped>,
    },
}

/// Lines of one open stream.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    cutter: Cutter,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            cutter: Cutter::default(),
        }
    }

    /// The next line. Nothing is lost if the future is dropped.
    pub(crate) async fn next(&mut self) -> Got {
        loop {
            let chunk = match self.reader.fill_buf().await {
                Ok(chunk) => chunk,
                Err(error) => {
                    return Got::Broken {
                        error: error.to_string(),
                        rest: self.rest(),
                    };
                }
            };
            if chunk.is_empty() {
                return Got::End(self.rest());
            }
            let (taken, line) = self.cutter.take(chunk);
            self.reader.consume_unpin(taken);
            if let Some(line) = line {
                return Got::Line(Stamped::parse(&line));
            }
        }
    }

    fn rest(&mut self) -> Option<Stamped> {
        self.cutter.rest().map(|line| Stamped::parse(&line))
    }
}

/// A log that is read to its end: of a container that has ended, or as far as it has come.
pub(crate) struct Whole<S: LogSource> {
    source: Rc<S>,
    log: OpenLog,
    position: Position,
    lines: Option<Lines<S::Reader>>,
    opened: bool,
    backoff: Backoff,
    tries: u32,
    ended: bool,
}

impl<S: LogSource> Whole<S> {
    /// Reads `log` (which doesn't follow), going on from `position`.
    pub(crate) fn new(source: Rc<S>, log: OpenLog, position: Position) -> Self {
        Self {
            source,
            log,
            position,
            lines: None,
            opened: false,
            backoff: Backoff::default(),
            tries: 0,
            ended: false,
        }
    }

    /// The next line; none at the end.
    ///
    /// # Errors
    /// Trouble that does not pass. Nothing comes after it.
    pub(crate) async fn next(&mut self) -> Result<Option<Stamped>, OpenError> {
        while !self.ended {
            let Some(lines) = &mut self.lines else {
                self.open().await?;
                continue;
            };
            match lines.next().await {
                Got::Line(line) if line.log_is_gone() => return self.gone(&line),
                Got::End(Some(line)) if line.log_is_gone() => return self.gone(&line),
                Got::Line(line) => {
                    if self.position.admit(line.time) {
                        self.backoff.reset();
                        self.tries = 0;
                        return Ok(Some(line));
                    }
                }
                Got::End(rest) => {
                    self.ended = true;
                    return Ok(rest.filter(|line| self.position.admit(line.time)));
                }
                Got::Broken { error, .. } => {
                    self.lines = None;
                    self.try_again(OpenError::Passing(error)).await?;
                }
            }
        }
        Ok(None)
    }

    fn gone(&mut self, line: &Stamped) -> Result<Option<Stamped>, OpenError> {
        self.ended = true;
        let text = String::from_utf8_lossy(&line.text);
        Err(OpenError::Refused(text.into_owned()))
    }

    async fn open(&mut self) -> Result<(), OpenError> {
        let mut log = self.log.clone();
        if let Some(since) = self.position.since() {
            log.since = Some(Since::Time(since));
        }
        if self.opened {
            log.tail = None;
        }
        match self.source.open(&log).await {
            Ok(reader) => {
                // After a drop, and where another stream was here before.
                if self.position.since().is_some() {
                    self.position.reopened();
                }
                self.opened = true;
                self.lines = Some(Lines::new(reader));
                Ok(())
            }
            Err(error @ OpenError::Passing(_)) => self.try_again(error).await,
            // It was allowed before: a server that has just started doesn't know the roles yet.
            Err(error @ OpenError::Forbidden(_)) if self.opened => self.try_again(error).await,
            Err(error) => {
                self.ended = true;
                Err(error)
            }
        }
    }

    async fn try_again(&mut self, error: OpenError) -> Result<(), OpenError> {
        self.tries += 1;
        if self.tries >= TRIES {
            self.ended = true;
            return Err(error);
        }
        sleep(self.backoff.next()).await;
        Ok(())
    }
}
