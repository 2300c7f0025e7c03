//! The API server of the pocket cluster, without a network: requests in, answers out. Pure.
//!
//! - `request`: what can be asked, and what comes back
//! - `status`: errors in the words of the API

pub mod request;
pub mod status;

pub use request::{
    Answer, Body, DeleteOptions, FieldValidation, List, ListOptions, Patch, Propagation, Request,
    Subresource, Verb, WatchEvent, WriteOptions,
};
pub use status::Status;
