//! The API server as it is: every request that this tool sends is built below this module.
//!
//! [`config`] finds the server, [`transport`] speaks HTTP with it, [`client`] holds the connection,
//! [`call`] sends one request, [`error`] sorts what goes wrong, [`retry`] waits and bounds what is in
//! flight, [`contact`] knows whether the server answers.
//!
//! [`slim`] is what is decoded, [`list`] and [`feed`] read it, [`convert`] makes the engine's facts of
//! it, [`watch`] puts a run's facts together. [`apply`], [`delete`] and [`logs`] carry out what the
//! engine wants.

pub mod apply;
pub mod call;
pub mod client;
pub mod config;
pub mod contact;
pub mod convert;
mod credential;
pub mod delete;
pub mod error;
#[cfg(test)]
pub(crate) mod fake;
pub mod feed;
mod fence;
pub mod list;
pub mod logs;
pub mod resource;
pub mod retry;
pub mod rights;
pub mod run;
pub mod slim;
pub mod transport;
mod typed;
mod wanted;
pub mod watch;

pub use apply::Applier;
pub use call::{Answer, Call};
pub use client::{CallDone, CallLog, Connection, connect};
pub use config::ConnectOptions;
pub use error::{Failure, Trouble};
pub use list::{Child, Children, list_jobs, list_pods};
pub use resource::Resource;
pub use watch::{Scope, watch_run};
