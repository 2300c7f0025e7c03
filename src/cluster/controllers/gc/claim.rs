//! A claim that is asked to go goes when no pod uses it that has not ended.

use k8s_openapi::api::core::v1::Pod;

use super::{Due, enqueue, has_finalizer, is_going, take_off};
use crate::cluster::api::prepare::CLAIM_IN_USE;
use crate::cluster::api::quota::has_ended;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Change, ChangeKind, Key};
use crate::cluster::world::World;

fn claims(pod: &Pod) -> impl Iterator<Item = &str> {
    let volumes = pod.spec.iter().flat_map(|s| s.volumes.iter().flatten());
    volumes.filter_map(|v| Some(v.persistent_volume_claim.as_ref()?.claim_name.as_str()))
}

/// Claims that are going look again when they were asked to, and when a pod that uses them has ended.
pub(super) fn notice(world: &mut World, change: &Change) {
    match &*change.object {
        Object::PersistentVolumeClaim(_) if is_going(&change.object) => {
            enqueue(world, Due::Claim(Key::of(&change.object)));
        }
        Object::Pod(pod) if change.kind == ChangeKind::Deleted || has_ended(pod) => {
            for name in claims(pod) {
                let key = Key::new(Kind::PersistentVolumeClaim, change.object.namespace(), name);
                if world.store.get(&key).is_some_and(|claim| is_going(claim)) {
                    enqueue(world, Due::Claim(key));
                }
            }
        }
        _ => {}
    }
}

pub(super) fn look(world: &mut World, key: &Key) {
    let there = world.store.get(key);
    if !there.is_some_and(|claim| is_going(claim) && has_finalizer(claim, CLAIM_IN_USE)) {
        return;
    }
    let used = world
        .store
        .list(Kind::Pod, Some(&key.namespace))
        .filter_map(|object| object.as_pod())
        .any(|pod| !has_ended(pod) && claims(pod).any(|name| name == key.name));
    if !used {
        take_off(world, key, CLAIM_IN_USE);
    }
}
