//! Who runs pods: by a script, or as processes; `backoff` is how long both wait before a container starts again.

mod backoff;
#[cfg(target_os = "linux")]
pub mod process;
pub mod scripted;
