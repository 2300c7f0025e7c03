//! What changes mean to the scheduler.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::Due;
use crate::cluster::object::Object;
use crate::cluster::store::{Change, ChangeKind};
use crate::cluster::world::{self, World};

/// An object has changed.
pub(super) fn change(world: &mut World, change: &Change) {
    let helps = match &*change.object {
        Object::Pod(pod) => pod_changed(world, change, pod),
        Object::Node(node) => {
            let name = change.object.name();
            if change.kind == ChangeKind::Deleted {
                world.scheduler.unlearn(name);
                false
            } else {
                world.scheduler.learn(name, node)
            }
        }
        _ => false,
    };
    let state = &mut world.scheduler;
    state.try_again |= helps && !state.waiting.is_empty();
    if (state.try_again || !state.active.is_empty()) && !state.awake {
        state.awake = true;
        world.after(world.pace.schedule, world::Due::Scheduler(Due::Look));
    }
}

/// Answers whether others may fit now.
fn pod_changed(world: &mut World, change: &Change, pod: &Pod) -> bool {
    let uid = change.object.uid();
    let World {
        scheduler: state,
        store,
        ..
    } = world;
    if change.kind == ChangeKind::Deleted || ended(pod) {
        return state.forget(uid);
    }
    let node = node_of(pod);
    let mut again = true;
    if let Some(tracked) = state.pods.get_mut(uid) {
        let (old, new) = (tracked.object.as_pod(), &change.object);
        let same = old.is_some_and(|old| {
            old.metadata.labels == pod.metadata.labels
                && (tracked.node.is_some() || old.spec == pod.spec)
                && old.metadata.deletion_timestamp.is_some()
                    == pod.metadata.deletion_timestamp.is_some()
        });
        if tracked.node.as_deref() == node && (same || node.is_some() && state.groups.is_empty()) {
            tracked.object = Arc::clone(new);
            return false;
        }
        again = tracked.node.as_deref() != node || !same;
        // What it asks for or what others see of it is another one: as if it came anew.
        state.forget(uid);
    }
    state.track(&change.object, store);
    if let Some(node) = node {
        state.place(uid, node);
        return again && !state.groups.is_empty();
    }
    let gated = pod
        .spec
        .as_ref()
        .is_some_and(|s| s.scheduling_gates.as_ref().is_some_and(|g| !g.is_empty()));
    if !gated && pod.metadata.deletion_timestamp.is_none() && ours(pod) {
        let order = state.serial;
        state.active.insert(order, uid.to_owned());
    }
    false
}

fn ended(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref());
    matches!(phase, Some("Succeeded" | "Failed"))
}

fn node_of(pod: &Pod) -> Option<&str> {
    let node = pod.spec.as_ref()?.node_name.as_deref()?;
    Some(node).filter(|n| !n.is_empty())
}

/// Other schedulers' pods are left to them.
fn ours(pod: &Pod) -> bool {
    let name = pod.spec.as_ref().and_then(|s| s.scheduler_name.as_deref());
    matches!(name, None | Some("" | "default-scheduler"))
}
