//! What-if in virtual time: the real engine on the pocket cluster, without a network and without async.
//! Pure: the same JobSet, wishes and seed give the same story.
//!
//! - `wishes` (`fault`, `capacity`): what is asked for, as it is typed
//! - `session` (`hands`, `watch`, `trap`, `entry`): an engine and a world joined as the driver joins them
//! - `what_if` (`cluster`, `faults`, `hurt`, `pod_state`, `usage`): plays a JobSet with wishes
//! - `script`: plays commands and expectations from a file
//! - `story` (`text`, `json`, `expectation`): what it has shown, and how it is told
//!
//! It refuses to guess what a program does: how long pods take to start and to run, and how they fail, is
//! said or assumed, and what was assumed is told. Two drivers at once, lost Leases and clocks that
//! disagree are the simulation tests' business, not its.

mod capacity;
mod cluster;
pub mod entry;
mod expectation;
mod fault;
mod faults;
pub mod hands;
mod hurt;
mod json;
pub mod pod_state;
pub mod script;
pub mod session;
mod story;
mod text;
pub mod trap;
mod usage;
pub mod watch;
mod what_if;
mod wishes;

pub use capacity::Nodes;
pub use expectation::Expectation;
pub use fault::{Evict, Fail, How};
pub use json::{SCHEMA, document};
pub use script::Script;
pub use story::{End, Story};
pub use text::{Detail, lines};
pub use what_if::play;
pub use wishes::Wishes;

#[cfg(test)]
mod tests;
