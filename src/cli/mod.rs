//! Arguments, settings, one file per verb, exit codes.

pub mod app;
pub mod args;
pub mod attach;
mod audience;
mod candidates;
mod change;
mod choose;
pub mod complete;
pub mod completion;
mod connect;
pub mod delete;
pub mod duration;
mod ending;
mod entry;
pub mod env;
pub mod exit;
pub mod files;
pub mod help;
pub mod invocation;
pub mod labels;
pub mod local;
#[cfg(target_os = "linux")]
pub mod local_host;

pub mod logs;
mod meaning;
pub mod pocket;
mod random;
mod remove;
pub mod render;
pub mod run;
mod runs;
pub mod select;
pub mod settings;
pub mod simulate;
pub mod status;
mod stay;
pub mod stop;
pub mod suspend;
mod tap;
pub mod target;
pub mod validate;
pub mod version;
mod watching;
pub mod words;

pub use entry::{command, main};
pub use exit::ExitCode;
