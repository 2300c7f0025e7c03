//! End to end, on a real control plane: `tests/cluster/up -- cargo test --test e2e -- --ignored`.
//! Each test has a namespace of its own and runs as a user with just the Role of
//! `examples/role.yaml`. Tests of `node` want real containers (`tests/cluster/up --node real`).

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests wait in real time, read where the cluster is, and fail by panicking"
)]

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
