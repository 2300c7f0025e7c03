//! Pods as real processes: what a kubelet must report of them, and what they must see. Needs `sh` and a few of its
//! usual companions; what needs namespaces says so loudly where the system refuses them.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test ends at what it did not expect")]
#![expect(
    clippy::disallowed_methods,
    reason = "pods get the PATH of the test, and a process that is killed its folder"
)]

mod support;

mod ends;
mod leftovers;
mod logs;
mod names;
mod probes;
mod restarts;
mod sees;
mod volumes;
