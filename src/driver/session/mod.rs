//! One run, driven: the only loop of the tool. It turns watches, answers, timers, signals and keys
//! into calls of the engine, writes the record before it acts, and tells the audience.
//!
//! It refuses to decide anything about the workload (that is the engine's) and to know what a
//! cluster is (that is [`crate::driver::port::Cluster`]).

mod end;
pub mod interrupt;
mod news;
mod run;
mod seat;
mod signals;
mod work;
mod writer;

#[cfg(test)]
mod tests;

pub use end::{End, OnTimeout};
pub use interrupt::{OnInterrupt, Signal};
pub use run::{Options, Session, Until};
pub use signals::{Signals, TypedAnswers};
