//! The API server of the pocket cluster, without a network: requests in, answers out. Pure. Semantics and
//! words are those of Kubernetes 1.37.
//!
//! - `request`: what can be asked, and what comes back; `status`: errors in the words of the API
//! - `call`: which file answers what; `get`, `list` (`page`, `selector`, `fields`), `watch`, `create`,
//!   `update`, `patch`, `delete`, `pod` (binding, eviction): the verbs
//! - `decode` (`gotype`): a body to an object; `defaults`: what is left open; `prepare`: what the server
//!   decides; `validate` (`problems`, `names`): what is refused
//! - `rights`, `roles`: who may do what; `quota`: how much there may be
//!
//! What it does not do:
//! - `metadata.managedFields` is never there. So server-side apply merges as a strategic merge does, never
//!   finds a conflict, and does not remove what an earlier apply of the same manager had set.
//! - The same key twice in a body is not seen: JSON arrives here as a value.
//! - Pods get no service account volume, no tolerations and no priority from admission.

pub mod request;
pub mod status;

mod call;
mod create;
mod decode;
mod defaults;
pub(in crate::cluster) mod delete;
pub mod fields;
mod get;
mod gotype;
mod list;
mod meta;
pub mod names;
mod page;
mod patch;
mod pod;
pub(in crate::cluster) mod prepare;
pub mod problems;
pub(in crate::cluster) mod quota;
pub mod rights;
mod roles;
pub mod selector;
mod update;
mod validate;
mod watch;

#[cfg(test)]
mod tests;

pub use request::{
    Answer, Body, DeleteOptions, FieldValidation, List, ListOptions, Patch, Propagation, Request,
    Subresource, Verb, WatchEvent, WriteOptions,
};
pub use status::Status;
pub use watch::Watch;
