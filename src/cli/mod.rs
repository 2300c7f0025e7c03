//! Arguments, settings, one file per verb, exit codes.

pub mod args;
pub mod duration;
pub mod env;
pub mod exit;
pub mod select;
pub mod settings;
pub mod target;
pub mod words;

pub use exit::ExitCode;
