//! Where signals and typed answers come from. On other systems than Unix only Ctrl-C exists.

use std::io::BufRead as _;

use tokio::sync::mpsc;

use crate::driver::session::interrupt::Signal;
use crate::error::{Error, Result};

/// The process's signals, from the moment this is made: until then they end the process as usual.
#[derive(Debug)]
pub struct Signals {
    /// None: they end the process as usual.
    #[cfg(unix)]
    streams: Option<[(Signal, tokio::signal::unix::Signal); 4]>,
    #[cfg(not(unix))]
    taken: bool,
}

impl Signals {
    /// Takes over SIGINT, SIGTERM, SIGHUP and SIGTSTP.
    ///
    /// # Errors
    ///
    /// When the system refuses a handler.
    #[cfg(unix)]
    pub fn install() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let open = |kind: SignalKind| {
            signal(kind).map_err(|e| Error::other("signals can't be handled").with_chain(&e))
        };
        let tstp = SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw());
        Ok(Self {
            streams: Some([
                (Signal::Int, open(SignalKind::interrupt())?),
                (Signal::Term, open(SignalKind::terminate())?),
                (Signal::Hup, open(SignalKind::hangup())?),
                (Signal::Tstp, open(tstp)?),
            ]),
        })
    }

    /// Takes over Ctrl-C.
    ///
    /// # Errors
    ///
    /// Never.
    #[cfg(not(unix))]
    pub fn install() -> Result<Self> {
        Ok(Self { taken: true })
    }

    /// Leaves them to the process: for sessions of a program that isn't ours alone (tests).
    #[must_use]
    pub fn none() -> Self {
        Self {
            #[cfg(unix)]
            streams: None,
            #[cfg(not(unix))]
            taken: false,
        }
    }

    /// The next signal.
    #[cfg(unix)]
    pub async fn next(&mut self) -> Signal {
        let Some([a, b, c, d]) = &mut self.streams else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = a.1.recv() => a.0,
            _ = b.1.recv() => b.0,
            _ = c.1.recv() => c.0,
            _ = d.1.recv() => d.0,
        }
    }

    /// The next signal.
    #[cfg(not(unix))]
    pub async fn next(&mut self) -> Signal {
        if !self.taken {
            return std::future::pending().await;
        }
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Int,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Signals {
    /// The first signal that ends a process; Ctrl-Z is left to itself until there is something to stay
    /// for.
    pub async fn leaving(&mut self) -> Signal {
        loop {
            match self.next().await {
                Signal::Tstp => {}
                signal => return signal,
            }
        }
    }
}

/// Stops the process as the shell's Ctrl-Z would; returns when it goes on.
#[cfg(unix)]
pub(super) fn suspend_process() {
    let me = rustix::process::getpid();
    // SIGSTOP to ourselves can't fail; were it to, going on is the right thing.
    let _ = rustix::process::kill_process(me, rustix::process::Signal::STOP).ok();
}

/// There is no job control here.
#[cfg(not(unix))]
pub(super) fn suspend_process() {}

/// Lines typed at the prompt. The terminal stays in cooked mode; reading starts with the first
/// prompt, so that nothing typed before is taken.
#[derive(Debug, Default)]
pub struct TypedAnswers {
    lines: Option<mpsc::UnboundedReceiver<Signal>>,
}

impl TypedAnswers {
    /// Starts reading, once.
    pub fn open(&mut self) {
        if self.lines.is_some() {
            return;
        }
        let (tx, rx) = mpsc::unbounded_channel();
        // A thread of its own, not the runtime's: it may sit in a read for ever, and must not keep
        // the process from ending.
        let reader = std::thread::Builder::new()
            .name("stdin".to_owned())
            .spawn(move || {
                for line in std::io::stdin().lock().lines() {
                    let Ok(line) = line else { break };
                    let answer = if line.trim().eq_ignore_ascii_case("d") {
                        Signal::TypedDetach
                    } else {
                        Signal::TypedEnter
                    };
                    if tx.send(answer).is_err() {
                        break;
                    }
                }
            });
        if reader.is_ok() {
            self.lines = Some(rx);
        }
    }

    /// The next answer; pending for ever when nothing can be typed.
    pub async fn next(&mut self) -> Signal {
        let Some(lines) = &mut self.lines else {
            return std::future::pending().await;
        };
        match lines.recv().await {
            Some(answer) => answer,
            None => {
                self.lines = None;
                std::future::pending().await
            }
        }
    }
}
