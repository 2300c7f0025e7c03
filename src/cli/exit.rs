//! The exit-code table (cli.md 4): one enum from which the README's table, `help exit-codes` and the
//! tests are made. 22-99 are reserved for us, 100-123 kept free, 125-127 belong to shells.

use crate::driver::session::{End, Signal};
use crate::engine::Outcome;

/// What the process returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitCode {
    /// Done.
    Ok,
    /// Any other error.
    Other,
    /// Unknown flag, ambiguous run.
    Usage,
    /// Manifest refused; nothing was made.
    Manifest,
    /// No such run.
    NoSuchRun,
    /// Something is in the way.
    InTheWay,
    /// Not allowed or not logged in.
    NotAllowed,
    /// Cluster not reached: state of the workload unknown.
    NotReached,
    /// It would not fit (`run --local`).
    WouldNotFit,
    /// Expectation not met (`simulate --expect`, `--script`).
    Unexpected,
    /// JobSet failed by rule or for want of a policy.
    Failed,
    /// JobSet failed, restart limit reached.
    RestartLimit,
    /// Given up: could not start.
    CouldNotStart,
    /// Stopped or suspended by somebody.
    Stopped,
    /// Deleted while we watched.
    Deleted,
    /// Another driver took over.
    TakenOver,
    /// Detached on request.
    Detached,
    /// Not finished (`status --exit-code`).
    NotFinished,
    /// Time-out.
    TimedOut,
    /// Ended by SIGHUP.
    Hangup,
    /// Ended by SIGINT.
    Interrupted,
    /// Ended by SIGTERM.
    Terminated,
}

impl ExitCode {
    /// Every code, in order of its number.
    pub const ALL: [Self; 22] = [
        Self::Ok,
        Self::Other,
        Self::Usage,
        Self::Manifest,
        Self::NoSuchRun,
        Self::InTheWay,
        Self::NotAllowed,
        Self::NotReached,
        Self::WouldNotFit,
        Self::Unexpected,
        Self::Failed,
        Self::RestartLimit,
        Self::CouldNotStart,
        Self::Stopped,
        Self::Deleted,
        Self::TakenOver,
        Self::Detached,
        Self::NotFinished,
        Self::TimedOut,
        Self::Hangup,
        Self::Interrupted,
        Self::Terminated,
    ];

    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Other => 1,
            Self::Usage => 2,
            Self::Manifest => 3,
            Self::NoSuchRun => 4,
            Self::InTheWay => 5,
            Self::NotAllowed => 6,
            Self::NotReached => 7,
            Self::WouldNotFit => 8,
            Self::Unexpected => 9,
            Self::Failed => 10,
            Self::RestartLimit => 11,
            Self::CouldNotStart => 12,
            Self::Stopped => 13,
            Self::Deleted => 14,
            Self::TakenOver => 15,
            Self::Detached => 20,
            Self::NotFinished => 21,
            Self::TimedOut => 124,
            Self::Hangup => 129,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }

    /// What it means, one line.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "done: the run completed, or the command did what it was asked",
            Self::Other => "any other error",
            Self::Usage => "usage: unknown flag, ambiguous run",
            Self::Manifest => "manifest refused (findings listed); nothing was made",
            Self::NoSuchRun => "no such run",
            Self::InTheWay => {
                "something is in the way: foreign object, other spec, driver's seat taken"
            }
            Self::NotAllowed => {
                "not allowed or not logged in; the missing verb and resource are named"
            }
            Self::NotReached => {
                "cluster not reached or contact lost: state of the workload unknown"
            }
            Self::WouldNotFit => "would not fit on this machine; nothing was made",
            Self::Unexpected => "expectation not met (--expect, --script)",
            Self::Failed => "JobSet failed: by rule or for want of a policy",
            Self::RestartLimit => "JobSet failed: restart limit reached",
            Self::CouldNotStart => "given up: could not start",
            Self::Stopped => "stopped or suspended by somebody",
            Self::Deleted => "deleted while we watched",
            Self::TakenOver => "another driver took over; the run goes on",
            Self::Detached => "detached on request; the run goes on",
            Self::NotFinished => "not finished",
            Self::TimedOut => "time-out; what became of the run is said",
            Self::Hangup => "ended by SIGHUP; what became of the run is said",
            Self::Interrupted => "ended by SIGINT; what became of the run is said",
            Self::Terminated => "ended by SIGTERM; what became of the run is said",
        }
    }

    /// Commands that may return it, as in the README's table.
    #[must_use]
    pub fn of_whom(self) -> &'static str {
        match self {
            Self::Ok | Self::Other | Self::Usage | Self::NotAllowed | Self::NotReached => "all",
            Self::Manifest => "run, validate, render, simulate",
            Self::Unexpected => "simulate",
            Self::NoSuchRun => "all that take a run",
            Self::WouldNotFit => "run --local",
            Self::InTheWay | Self::TakenOver | Self::Detached => "run, attach",
            Self::Failed
            | Self::RestartLimit
            | Self::CouldNotStart
            | Self::Stopped
            | Self::Deleted => "run, attach, status --exit-code",
            Self::NotFinished => "status --exit-code",
            Self::TimedOut | Self::Hangup | Self::Terminated => "run, attach",
            Self::Interrupted => "run, attach, logs -f, status -w",
        }
    }

    /// A verdict about the workload, safe to act on: a CI job may submit the work again.
    #[must_use]
    pub fn is_verdict(self) -> bool {
        matches!(
            self,
            Self::Failed | Self::RestartLimit | Self::CouldNotStart | Self::Stopped | Self::Deleted
        )
    }
}

impl From<&Outcome> for ExitCode {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Completed => Self::Ok,
            Outcome::FailedByPolicy { .. } => Self::Failed,
            Outcome::RestartLimit => Self::RestartLimit,
            Outcome::CouldNotStart { .. } => Self::CouldNotStart,
            Outcome::Stopped { .. } => Self::Stopped,
        }
    }
}

impl From<&End> for ExitCode {
    fn from(end: &End) -> Self {
        match end {
            End::Finished(outcome) => outcome.into(),
            End::Settled => Self::Ok,
            End::Detached(signal) | End::LeftAtOnce(signal) => (*signal).into(),
            End::DeleteWanted(_) | End::Deleted => Self::Deleted,
            End::TakenOver { .. } => Self::TakenOver,
            End::TimedOut(_) => Self::TimedOut,
            End::NotReached { .. } => Self::NotReached,
        }
    }
}

/// 130, 143, 129; what was typed at the prompt is a request: 20.
impl From<Signal> for ExitCode {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Int => Self::Interrupted,
            Signal::Term => Self::Terminated,
            Signal::Hup => Self::Hangup,
            Signal::Tstp | Signal::TypedDetach | Signal::TypedEnter | Signal::PromptTimeout => {
                Self::Detached
            }
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// cli.md 4, number by number.
    #[test]
    fn numbers_are_the_published_ones() {
        let codes: Vec<u8> = ExitCode::ALL.iter().map(|c| c.code()).collect();
        assert_eq!(
            codes,
            [
                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 124, 129, 130, 143
            ]
        );
    }

    /// cli.md 4, first note: 10-14 are verdicts, nothing else is.
    #[test]
    fn verdicts_are_10_to_14() {
        for code in ExitCode::ALL {
            assert_eq!(
                code.is_verdict(),
                (10..=14).contains(&code.code()),
                "{code:?}"
            );
        }
    }
}
