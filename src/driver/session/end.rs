//! How a session ends: with a verdict about the workload, or with a word about ourselves.

use crate::driver::session::interrupt::Signal;
use crate::engine::Outcome;

/// Why the session is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The run has ended.
    Finished(Outcome),
    /// All that could be done now has been done (`run -d`, `suspend`, `resume` without a driver).
    Settled,
    /// We left on request or by a signal; the run goes on without a driver.
    Detached(Signal),
    /// We left at once; something may be half done.
    LeftAtOnce(Signal),
    /// A person asked to delete the run: the caller does it now.
    DeleteWanted(Signal),
    /// The record is gone or is being deleted.
    Deleted,
    /// Another driver has the seat.
    TakenOver {
        /// Who.
        holder: String,
    },
    /// `--timeout` ran out.
    TimedOut(OnTimeout),
    /// No contact for `lost_after`.
    NotReached {
        /// The last error.
        message: String,
    },
}

/// `--on-timeout`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnTimeout {
    /// Leave; the run goes on.
    #[default]
    Detach,
    /// Stop the run.
    Stop,
    /// Delete everything.
    Delete,
}
