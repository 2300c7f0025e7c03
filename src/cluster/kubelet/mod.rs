//! Who runs pods.

#[cfg(target_os = "linux")]
pub mod process;
pub mod scripted;
