//! kubectl-jobset runs JobSets from the client: see `README.md`.

pub mod api;
pub mod engine;
