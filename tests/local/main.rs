//! Local runs by the binary: real processes, their results, and that nothing is left behind. Linux only:
//! names and process trees need its namespaces.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests wait for processes in real time, and fail by panicking"
)]

mod deaths;
mod examples;
mod support;
mod verbs;
