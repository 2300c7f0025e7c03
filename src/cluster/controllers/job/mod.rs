//! The Job controller, as of Kubernetes 1.37, with the controller that deletes Jobs after their time.
//!
//! - `notice`, `queue`, `state`: changes, when a Job is looked at, what is remembered
//! - `sync`, `look`: one look at a Job, and what it works on
//! - `verdict`: whether its end is decided; `restarts`, `per_index`, `pod_failure_policy`, `success_policy`,
//!   `deadline` by one policy each
//! - `manage`, `removal`, `backoff`, `template`: how many pods, which go first, when, what they look like
//! - `account`, `finish`, `conditions`, `suspend`, `events`: what is told
//! - `adopt`, `ttl`, `requests`, `seen`, `spec`, `labels`, `indexes`: the rest
//!
//! What it does not do: workloads and pod groups (`spec.scheduling`), which are off by default.

use crate::cluster::object::Kind;
use crate::cluster::store::Change;
use crate::cluster::store::Key;
use crate::cluster::world::World;
use k8s_openapi::jiff::Timestamp;

mod account;
mod adopt;
mod backoff;
mod conditions;
mod deadline;
mod events;
mod finish;
mod indexes;
mod labels;
mod look;
mod manage;
mod notice;
mod per_index;
mod pod_failure_policy;
mod queue;
mod removal;
mod requests;
mod restarts;
mod seen;
mod spec;
mod state;
mod success_policy;
mod suspend;
mod sync;
mod template;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod ttl;
mod verdict;

pub(in crate::cluster) use state::State;

/// What it has to do at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) enum Due {
    /// Look at the Job of that UID: its spec is new.
    AtOnce(String),
    /// Look at it, unless that was brought forward.
    Waited(String, Timestamp),
    /// Delete it if its time after the end is over.
    Expired(String),
    /// Take the finalizer off a pod whose Job will not count it.
    Release(Key),
}

/// An object has changed.
pub(in crate::cluster) fn notice(world: &mut World, change: &Change) {
    match change.object.kind() {
        Kind::Job => notice::job(world, change),
        Kind::Pod => notice::pod(world, change),
        _ => {}
    }
}

/// Something is due.
pub(in crate::cluster) fn run(world: &mut World, due: Due) {
    match due {
        Due::AtOnce(uid) => {
            if queue::is_due(world, &uid, None) {
                sync::job(world, &uid);
            }
        }
        Due::Waited(uid, at) => {
            if queue::is_due(world, &uid, Some(at)) {
                sync::job(world, &uid);
            }
        }
        Due::Expired(uid) => ttl::run(world, &uid),
        Due::Release(key) => notice::release_now(world, &key),
    }
}
