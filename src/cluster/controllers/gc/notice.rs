//! Who depends on whom, and what a change makes due.

use super::{Due, claim, enqueue, has_finalizer, is_going, owner_key, owners};
use crate::cluster::api::delete::{FOREGROUND, ORPHAN};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Change, ChangeKind, Key};
use crate::cluster::world::World;

/// An object has changed.
pub(in crate::cluster) fn notice(world: &mut World, change: &Change) {
    let object = &*change.object;
    let before = change.previous.as_deref();
    let gone = change.kind == ChangeKind::Deleted;
    let moved = gone || before.is_none_or(|before| owners(before) != owners(object));
    if moved {
        remember(world, object, before, gone);
    }
    claim::notice(world, change);
    if gone {
        went(world, object);
        return;
    }
    if moved
        && owners(object)
            .iter()
            .any(|owner| absent(world, object, owner))
    {
        enqueue(world, Due::Dependent(Key::of(object)));
    }
    if moved {
        tell_owners(world, object);
    }
    if is_going(object) {
        starts_to_go(world, object, before);
    }
}

fn remember(world: &mut World, object: &Object, before: Option<&Object>, gone: bool) {
    let dependents = &mut world.gc.dependents;
    let key = Key::of(object);
    for owner in before.map(owners).unwrap_or_default() {
        if let Some(keys) = dependents.get_mut(&owner.uid) {
            keys.remove(&key);
            if keys.is_empty() {
                dependents.remove(&owner.uid);
            }
        }
    }
    if gone {
        return;
    }
    for owner in owners(object) {
        let keys = dependents.entry(owner.uid.clone()).or_default();
        keys.insert(key.clone());
    }
}

fn absent(
    world: &World,
    object: &Object,
    owner: &k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference,
) -> bool {
    let Some(key) = owner_key(object.namespace(), owner) else {
        return false;
    };
    let there = world.store.get(&key);
    there.is_none_or(|there| there.uid() != owner.uid || is_going(there))
}

/// Its dependents have lost an owner, and its owners a dependent.
fn went(world: &mut World, object: &Object) {
    let all = world.gc.dependents.get(object.uid());
    let all: Vec<Key> = all.into_iter().flatten().cloned().collect();
    for key in all {
        enqueue(world, Due::Dependent(key));
    }
    tell_owners(world, object);
    let namespace = object.namespace();
    let home = world.store.get(&Key::new(Kind::Namespace, "", namespace));
    if home.is_some_and(|home| is_going(home)) {
        enqueue(world, Due::Namespace(namespace.to_owned()));
    }
}

/// Owners that wait for dependents look again.
fn tell_owners(world: &mut World, object: &Object) {
    let waiting: Vec<Key> = owners(object)
        .iter()
        .filter_map(|owner| {
            let there = world.store.by_uid(&owner.uid)?;
            (is_going(there) && has_finalizer(there, FOREGROUND)).then(|| Key::of(there))
        })
        .collect();
    for key in waiting {
        enqueue(world, Due::Foreground(key));
    }
}

/// It has just begun to go, or waits for something else now.
fn starts_to_go(world: &mut World, object: &Object, before: Option<&Object>) {
    let new = |finalizer: &str| {
        has_finalizer(object, finalizer)
            && before.is_none_or(|before| !is_going(before) || !has_finalizer(before, finalizer))
    };
    if new(FOREGROUND) {
        let all = world.gc.dependents.get(object.uid());
        let all: Vec<Key> = all.into_iter().flatten().cloned().collect();
        for key in all {
            enqueue(world, Due::Dependent(key));
        }
        enqueue(world, Due::Foreground(Key::of(object)));
    }
    if new(ORPHAN) {
        enqueue(world, Due::Orphan(Key::of(object)));
    }
    if object.kind() == Kind::Namespace && before.is_none_or(|before| !is_going(before)) {
        enqueue(world, Due::Namespace(object.name().to_owned()));
    }
}
