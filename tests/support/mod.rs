//! A small deterministic world for the engine's random tests: Jobs, pods and the record, with the Job
//! controller's behaviour as far as the recorded cases need it (Kubernetes 1.37), under a virtual clock.
//! Scenarios and recordings play on the pocket cluster instead.
//!
//! - `template`: a Job's spec as the API server completes it
//! - `pod`, `job`: objects and what the engine sees of them
//! - `verdict`: when a Job has failed or succeeded, and with which words
//! - `controller`: the Job controller and the garbage collector
//! - `stream`: watches that can be held, cut, doubled and listed anew
//! - `world`: the clock, the objects, what happens when
//! - `server`: requests: actions, deletions by others, what is refused
//! - `sim`: an engine, a world and a record together, as the driver joins them
//! - `steps`: the commands that the random tests use
//! - `lines`: one short stable line per action, event and status change

pub(crate) mod controller;
pub(crate) mod job;
pub(crate) mod lines;
pub(crate) mod pod;
pub(crate) mod server;
pub(crate) mod sim;
pub(crate) mod steps;
pub(crate) mod stream;
pub(crate) mod template;
pub(crate) mod verdict;
pub(crate) mod world;
