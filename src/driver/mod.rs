//! The only async code: talks to the cluster and runs the loop that turns what it sees into calls of
//! the engine and carries out what the engine wants.

pub mod clock;
pub mod kube;
pub mod lease;
pub mod onlooker;
pub mod port;
pub mod preflight;
pub mod record;
pub mod remove;
pub mod seat;
pub mod session;
mod sight;
pub mod start;
