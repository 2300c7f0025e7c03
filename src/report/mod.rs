//! Tells people and programs what happens. It consumes the engine's events and snapshots and nothing
//! else, so the live display, the plain log and the event stream tell one story; it decides nothing
//! about a run.
//!
//! - [`Reporter`]: the listener of one run. [`human`] makes lines of events ([`sentence`] the text,
//!   `merge` the timing), [`progress`] the live display, [`json`] the event stream, [`failure`] the
//!   last words, [`prompt`] what Ctrl-C shows.
//! - [`printer`]: the only code that touches stdout and stderr; `live` is its indicatif part.
//! - [`level`]: what is shown when. [`style`]: colour and characters. [`escape`]: the cluster's text
//!   made harmless. [`time`]: ages and times. [`words`], [`prefix`]: phrases that recur.
//! - [`status`], [`status_list`], [`status_json`]: the status command, on [`table`].
//! - [`view`]: what `cli` tells us beyond events.

pub mod escape;
pub mod failure;
pub mod human;
pub mod json;
pub mod level;
mod live;
mod merge;
pub mod prefix;
pub mod printer;
pub mod progress;
pub mod prompt;
pub mod reporter;
pub mod sentence;
mod sentence_parts;
pub mod status;
pub mod status_json;
pub mod status_list;
pub mod style;
pub mod table;
#[cfg(test)]
mod testing;
pub mod time;
pub mod view;
pub mod words;

pub use level::{Mode, ModeInputs, Progress};
pub use printer::{Level, Printer, Terminals};
pub use reporter::{LogLook, Reporter, Settings};
pub use status::Page;
pub use status_list::{List, ListLook};
pub use style::{ColorFlag, ColorInputs, Glyphs, Styles};
pub use view::{DriverView, RunFacts, RunId, RunView};
