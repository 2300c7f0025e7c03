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
//! - `local`: runs as processes of this machine
//! - `front`: how requests reach the world
//!
//! It is held to a real control plane by `tests/conformance`. Where it answers otherwise, a check there is
//! listed as a difference; these are all that are known:
//! - no managed fields: server-side apply merges as a strategic patch, finds no conflict, removes nothing
//! - a key that is there twice in a body is not told
//! - quantities are not read before they are used, so a wrong one is stored
//! - admission gives pods no tolerations and no priority
//! - volumes do not matter to the scheduler: a claim that isn't there holds nobody up
//! - a value that may not change is shown as the API writes it, not with the names of Go fields
//! - the log of a pod without a node is refused, not empty
//! - not served: `events.k8s.io`, the old paths with `/watch/`; a list may be asked for as if it were one object

pub mod api;
pub mod controllers;
pub mod front;
pub mod journal;
pub mod kubelet;
pub mod local;
pub mod object;
pub mod pace;
pub mod quantity;
pub mod store;
pub mod world;
