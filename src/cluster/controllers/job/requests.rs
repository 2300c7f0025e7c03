//! What the controller asks of the API: pods made, pods deleted, finalizers taken off.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::labels::TRACKING_FINALIZER;
use super::seen::is_tracked;
use crate::cluster::api::{DeleteOptions, Status};
use crate::cluster::object::Object;
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// Makes a pod with a name of its `generateName`.
///
/// # Errors
/// The API refuses it.
pub(super) fn create_pod(world: &mut World, pod: Pod) -> Result<Arc<Object>, Status> {
    world.create(pod.into())
}

/// Asks for the deletion of a pod, with its own grace period.
///
/// # Errors
/// The API refuses it, as for a pod that is gone.
pub(super) fn delete_pod(world: &mut World, key: &Key) -> Result<Arc<Object>, Status> {
    world.delete(key, &DeleteOptions::default())
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
    let Some(old) = world.store.get(key).cloned() else {
        return;
    };
    let Some(mut pod) = old.as_pod().cloned() else {
        return;
    };
    change(&mut pod);
    // What is empty isn't kept.
    let metadata = &mut pod.metadata;
    metadata.finalizers = metadata.finalizers.take().filter(|l| !l.is_empty());
    metadata.owner_references = metadata.owner_references.take().filter(|l| !l.is_empty());
    world.settle(pod.into(), &old);
}
