//! How requests reach the world: over HTTPS, or as a `tower` service in the same process. Answers are
//! JSON always; bodies may be protobuf where kubectl sends it (`protobuf`). Not served: OpenAPI v2, `exec`,
//! `attach`, `port-forward`, `scale`, the API of admission, CRDs.
//!
//! - `shared`: the world behind a lock, its clock, a bell for watchers
//! - `pocket`: a whole cluster, furnished and served
//! - `service`: in process; `http`: over TLS on loopback, with `certificate`, `kubeconfig`, `users`
//! - `handle`: a request to an answer, with `route`, `query`, `accept`, `objects`, `review`,
//!   `discovery`, `openapi`, `table`
//! - `faults`: a bad network and a busy server before it, for tests
//! - `watching`, `logging` (`disk_log`): answers that go on
//! - `reply`: answers as HTTP

mod accept;
mod certificate;
mod discovery;
#[cfg(target_os = "linux")]
mod disk_log;
pub mod faults;
mod handle;
mod http;
mod kubeconfig;
mod logging;
mod objects;
mod openapi;
mod pocket;
mod protobuf;
mod query;
mod reply;
mod review;
mod route;
mod service;
pub(in crate::cluster) mod shared;
mod table;
mod users;
mod watching;

pub use http::{Connections, Server};
pub use pocket::{NAMESPACES, OTHER, Pocket, PocketOptions, USER};
pub use reply::{Reply, ReplyBody};
pub use service::InProcess;
pub use shared::Shared;
pub use users::Users;

#[cfg(test)]
mod tests;
