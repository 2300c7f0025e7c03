//! Arguments, settings, one file per verb, exit codes.

pub mod exit;

pub use exit::ExitCode;
