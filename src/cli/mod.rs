//! Arguments, settings, one file per verb, exit codes.

pub mod app;
pub mod args;
mod candidates;
pub mod complete;
pub mod completion;
pub mod duration;
mod entry;
pub mod env;
pub mod exit;
pub mod files;
pub mod help;
pub mod invocation;
pub mod render;
pub mod select;
pub mod settings;
pub mod target;
pub mod validate;
pub mod version;
pub mod words;

pub use entry::{command, main};
pub use exit::ExitCode;
