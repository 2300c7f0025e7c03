//! What the controller asks of the API: pods made, pods deleted, finalizers taken off.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::SignedDuration;

use super::labels::TRACKING_FINALIZER;
use super::seen::is_tracked;
use super::template::MAX_PREFIX;
use crate::cluster::api::Status;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// Makes a pod with a name of its `generateName`.
///
/// # Errors
/// The API refuses it.
pub(super) fn create_pod(world: &mut World, mut pod: Pod) -> Result<Arc<Object>, Status> {
    let prefix = pod.metadata.generate_name.clone().unwrap_or_default();
    let room = prefix.len().min(MAX_PREFIX);
    let name = format!("{}{}", &prefix[..room], world.suffix());
    let namespace = pod.metadata.namespace.clone().unwrap_or_default();
    if world
        .store
        .get(&Key::new(Kind::Pod, &namespace, &name))
        .is_some()
    {
        return Err(Status::already_exists(Kind::Pod, &name));
    }
    pod.metadata.name = Some(name);
    pod.metadata.generation = Some(1);
    pod.status.get_or_insert_default().phase = Some("Pending".to_owned());
    world.stamp(&mut pod.metadata);
    Ok(world.put(pod.into()))
}

/// Asks for the deletion of a pod, with its own grace period. False: there is no such pod.
pub(super) fn delete_pod(world: &mut World, key: &Key) -> bool {
    let Some(pod) = world.store.get(key).and_then(|o| o.as_pod()) else {
        return false;
    };
    if pod.metadata.deletion_timestamp.is_some() {
        return true;
    }
    let mut pod = pod.clone();
    let spec = pod.spec.as_ref();
    let status = pod.status.as_ref();
    let ended = matches!(
        status.and_then(|s| s.phase.as_deref()),
        Some("Succeeded" | "Failed")
    );
    let bound = spec.is_some_and(|s| s.node_name.as_ref().is_some_and(|n| !n.is_empty()));
    let own = spec.and_then(|s| s.termination_grace_period_seconds);
    let grace = if ended || !bound {
        0
    } else {
        own.unwrap_or(30)
    };
    if grace == 0 && pod.metadata.finalizers.iter().flatten().next().is_none() {
        world.remove(key);
        return true;
    }
    let at = world
        .second()
        .saturating_add(SignedDuration::from_secs(grace));
    pod.metadata.deletion_timestamp = Some(Time(at.unwrap_or(world.second())));
    pod.metadata.deletion_grace_period_seconds = Some(grace);
    world.put(pod.into());
    true
}

/// Takes the tracking finalizer off a pod; one that is being deleted and waited for it alone goes.
pub(super) fn untrack(world: &mut World, key: &Key) {
    change_pod(world, key, |pod| {
        if is_tracked(pod)
            && let Some(finalizers) = &mut pod.metadata.finalizers
        {
            finalizers.retain(|f| f != TRACKING_FINALIZER);
        }
    });
}

/// Changes a pod's metadata; does what the API does with the last finalizer.
pub(super) fn change_pod(world: &mut World, key: &Key, change: impl FnOnce(&mut Pod)) {
    let Some(pod) = world.store.get(key).and_then(|o| o.as_pod()) else {
        return;
    };
    let mut pod = pod.clone();
    change(&mut pod);
    let metadata = &mut pod.metadata;
    if metadata.finalizers.as_ref().is_some_and(Vec::is_empty) {
        metadata.finalizers = None;
    }
    let gone = metadata.deletion_timestamp.is_some()
        && metadata.deletion_grace_period_seconds.unwrap_or_default() == 0
        && metadata.finalizers.is_none();
    if gone {
        world.remove(key);
    } else {
        world.put(pod.into());
    }
}
