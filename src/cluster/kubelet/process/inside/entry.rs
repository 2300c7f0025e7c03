//! The hidden first argument.

use std::process::ExitCode;

use super::{container, sandbox, supervise};

/// First argument of a program that is started for a pod.
pub const WORD: &str = "pod-init";

/// Step: makes namespaces and starts the supervisor.
pub(super) const SANDBOX: &str = "sandbox";
/// Step: starts containers, collects what ends.
pub(super) const SUPERVISOR: &str = "supervisor";
/// The same without namespaces around it.
pub(super) const BARE_SUPERVISOR: &str = "bare-supervisor";
/// Step: becomes the container's program.
pub(super) const CONTAINER: &str = "container";

/// Runs one step of a pod's start; `step` is the word after [`WORD`]. What goes wrong is told over the socket; what
/// can't be told any more is an exit code that nobody waits for.
#[must_use]
pub fn main(step: Option<&str>) -> ExitCode {
    let result = match step {
        Some(SANDBOX) => sandbox::main(),
        Some(SUPERVISOR) => supervise::main(true),
        Some(BARE_SUPERVISOR) => supervise::main(false),
        Some(CONTAINER) => container::main(),
        _ => return ExitCode::from(2),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
