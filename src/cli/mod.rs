//! Arguments, settings, one file per verb, exit codes.

pub mod app;
pub mod args;
pub mod attach;
mod audience;
mod candidates;
mod choose;
pub mod complete;
pub mod completion;
mod connect;
pub mod duration;
mod ending;
mod entry;
pub mod env;
pub mod exit;
pub mod files;
pub mod help;
pub mod invocation;
pub mod logs;
mod random;
mod remove;
pub mod render;
pub mod run;
pub mod select;
pub mod settings;
mod stay;
mod tap;
pub mod target;
pub mod validate;
pub mod version;
pub mod words;

pub use entry::{command, main};
pub use exit::ExitCode;
