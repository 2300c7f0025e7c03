//! The heart: decides what a run needs next. Pure and deterministic: no clock, no I/O, no randomness,
//! no async. Time is a parameter; effects are data.
//!
//! One [`Engine`] per run. Its methods come in four families:
//!
//! 1. `observe`: record facts (a Job was seen, a pod is gone, a write was done). Never acts.
//! 2. `command`: record a person's wish (suspend, resume, stop). Never acts.
//! 3. `step(now)`: the one decision. Level-triggered: from any state of the world it yields what must
//!    be done now, so start, re-attach and recovery are one code path. Asked again with nothing new,
//!    it answers with nothing.
//! 4. getters (`state`, `snapshot`): what to write down, what to show.
//!
//! Write before act: a decision that must outlive the process (a restart, an end, a suspension) is
//! first handed out as [`Step::write`]; its actions come only after [`Observation::Written`] for that
//! version (trap D.4.5). `now` must not go backwards between calls.
//!
//! The engine refuses to: talk to a cluster, build objects beyond `build`, format text for people.

pub mod action;
pub mod build;
mod decide;
mod depends_on;
pub mod event;
mod evidence;
mod explain;
mod facts;
mod failure;
mod flight;
mod history;
pub mod input;
pub mod outcome;
pub mod pattern;
mod pods;
mod ranges;
mod restart;
pub mod run;
mod show;
pub mod snapshot;
mod startup;
pub mod state;
mod status;
mod success;
mod suspend;
mod tell;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod view;

pub use action::{Action, ActionId, Step, Urgency, Write};
pub use event::{Event, EventKind};
pub use failure::{Mismatch, mismatch};
pub use input::{Command, ContainerEnd, JobSeen, Observation, PodSeen};
pub use outcome::{FirstFailure, Outcome};
pub use run::{Engine, FailAt, NotEnforced, Options, Run};
pub use snapshot::{RoleSnapshot, Snapshot, StateWord};
pub use state::RunState;
