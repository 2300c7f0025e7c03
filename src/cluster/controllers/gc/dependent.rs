//! An object whose owners may be gone: it loses those, and goes with the last of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{dependents, has_finalizer, is_going, owner_key, owners};
use crate::cluster::api::delete::{FOREGROUND, ORPHAN};
use crate::cluster::api::{DeleteOptions, Propagation};
use crate::cluster::object::Object;
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// How an owner is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// It is there and stays.
    Solid,
    /// It waits for its dependents to go.
    Waiting,
    /// It is gone.
    Gone,
}

pub(super) fn look(world: &mut World, key: &Key) {
    let Some(object) = world.store.get(key).cloned() else {
        return;
    };
    if is_going(&object) && !has_finalizer(&object, FOREGROUND) {
        return;
    }
    let mut found = Vec::new();
    for owner in owners(&object) {
        let Some(at) = owner_key(&key.namespace, owner) else {
            // Nobody knows whether it is there.
            return;
        };
        let there = world
            .store
            .get(&at)
            .filter(|there| there.uid() == owner.uid);
        let state = match there {
            None => Owner::Gone,
            Some(there) if is_going(there) && has_finalizer(there, FOREGROUND) => Owner::Waiting,
            Some(_) => Owner::Solid,
        };
        found.push((owner.uid.clone(), state));
    }
    let of = |state: Owner| found.iter().any(|(_, s)| *s == state);
    if found.is_empty() || !of(Owner::Gone) && !of(Owner::Waiting) {
        return;
    }
    if of(Owner::Solid) {
        let lost: BTreeSet<&String> = found
            .iter()
            .filter(|(_, state)| *state != Owner::Solid)
            .map(|(uid, _)| uid)
            .collect();
        let mut new = Object::clone(&object);
        if let Some(owners) = &mut new.meta_mut().owner_references {
            owners.retain(|owner| !lost.contains(&owner.uid));
        }
        world.put(new);
        return;
    }
    let propagation = if of(Owner::Waiting) && !dependents(world, &object).is_empty() {
        free_of_circles(world, &object);
        Propagation::Foreground
    } else if has_finalizer(&object, ORPHAN) {
        Propagation::Orphan
    } else if has_finalizer(&object, FOREGROUND) {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    let options = DeleteOptions {
        uid: Some(object.uid().to_owned()),
        propagation: Some(propagation),
        ..DeleteOptions::default()
    };
    // It was there a moment ago, with that UID: nothing is refused.
    let _ = world.delete(key, &options);
}

/// One that goes with its dependents may itself be waited for by them: it stops to block its owners.
fn free_of_circles(world: &mut World, object: &Arc<Object>) {
    let circle = dependents(world, object).iter().any(|key| {
        let there = world.store.get(key);
        there.is_some_and(|there| is_going(there) && has_finalizer(there, FOREGROUND))
    });
    if !circle {
        return;
    }
    let mut new = Object::clone(object);
    for owner in new.meta_mut().owner_references.iter_mut().flatten() {
        if owner.block_owner_deletion == Some(true) {
            owner.block_owner_deletion = Some(false);
        }
    }
    world.put(new);
}
