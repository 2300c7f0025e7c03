//! Local runs: a pocket cluster in a process of its own, whose kubelet runs real processes on this machine.
//! The verbs are ordinary clients of it, as of any cluster.
//!
//! - `place`: the folder, and where the host is to be found
//! - `fit`: whether the machine is large enough
//! - `holds`: which runs may have processes
//! - `tether`: how a driver says that it is there, and is missed when it dies
//! - `duty`: what a pod wants of its machine
//! - `pods`: from bound pods to processes, and back to their status
//! - `host`: all of it together

pub mod duty;
pub mod fit;
pub mod holds;
#[cfg(target_os = "linux")]
pub mod host;
pub mod place;
#[cfg(target_os = "linux")]
mod pods;
pub mod tether;
