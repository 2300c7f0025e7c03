//! The pocket cluster: a small Kubernetes in memory, exact in the part that a JobSet uses. One world, three
//! fronts: in process under a virtual clock, over HTTP, and with a kubelet that runs real processes.
//!
//! - `object`, `store`: what there is, and its history
//! - `world`: the clock and what happens when; pure, seeded
//! - `quantity`: amounts of resources
//! - `journal`: the world on disk
//! - `api`: requests as the API server answers them
//! - `controllers`: Job controller, garbage collector, scheduler
//! - `kubelet`: pods by a script, or as processes
//! - `front`: how requests reach the world

pub mod api;
pub mod controllers;
pub mod front;
pub mod journal;
pub mod kubelet;
pub mod object;
pub mod pace;
pub mod quantity;
pub mod store;
pub mod world;
