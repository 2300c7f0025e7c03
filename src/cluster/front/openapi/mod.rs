//! OpenAPI v3.
//!
//! - `document`: paths and schemas
//! - `trace`: a type's schema, read off its decoder

mod document;
mod trace;

pub(super) use document::{document, index};
