//! End to end: the real binary against an API server. `cargo test` runs these on a pocket cluster of their
//! own; on a real control plane they are run by
//!
//! ```text
//! tests/cluster/up -- cargo test --test e2e -- --include-ignored --skip node::
//! ```
//!
//! Each test has a namespace of its own and runs as a user with just the Role of `examples/role.yaml`.
//! Tests of `node` want real containers (`tests/cluster/up --node real`); others that are ignored want a
//! real control plane, kubectl, or much time.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests wait in real time, read where the cluster is, and fail by panicking"
)]

#[path = "../support/pocket.rs"]
mod pocket;

mod api;
mod cluster;
mod support;

mod crash;
mod examples;
mod front;
mod in_the_way;
mod node;
mod plugin;
mod policies;
mod scale;
mod seat;
mod signals;
mod suspend;
mod trouble;
mod verbs;
