//! What runs on the far side of a `fork`: our own program, started again with [`WORD`] as its first argument.
//!
//! ```text
//! kubelet -> sandbox (unshares, then waits) -> supervisor (pid 1 of the pod) -> container (builds its root) = exec
//! ```
//!
//! Each is started with one socket as its standard input: orders come in, answers go out, one JSON object per line, and
//! the end of the socket means that the parent is gone. Nothing here knows what a pod is; it is told paths, words and
//! numbers. No step needs `unsafe`: what others do between `fork` and `exec` is done after an `exec` of ourselves.

mod container;
mod entry;
mod exec;
mod members;
mod memory;
pub(super) mod protocol;
mod root;
mod sandbox;
mod supervise;
mod supervised;

pub use entry::{WORD, main};
