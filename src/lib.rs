//! kubectl-jobset runs JobSets from the client: see `README.md`.

pub mod api;
pub mod cli;
pub mod cluster;
pub mod driver;
pub mod engine;
pub mod error;
pub mod logs;
pub mod manifest;
pub mod report;
pub mod simulate;

pub use error::{Error, Result};
