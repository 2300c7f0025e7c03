//! An object that is asked to go and has dependents: it waits for them, or leaves them without an owner.

use super::{Due, dependents, enqueue, has_finalizer, is_going, owners, take_off};
use crate::cluster::api::delete::{FOREGROUND, ORPHAN};
use crate::cluster::object::Object;
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// It goes when no dependent is left that blocks it.
pub(super) fn wait(world: &mut World, key: &Key) {
    let Some(owner) = world.store.get(key).cloned() else {
        return;
    };
    if !is_going(&owner) || !has_finalizer(&owner, FOREGROUND) {
        return;
    }
    let mut blocked = false;
    for dependent in dependents(world, &owner) {
        let Some(there) = world.store.get(&dependent) else {
            continue;
        };
        let blocks = owners(there)
            .iter()
            .any(|o| o.uid == owner.uid() && o.block_owner_deletion == Some(true));
        blocked |= blocks;
        if blocks && !is_going(there) {
            enqueue(world, Due::Dependent(dependent));
        }
    }
    if !blocked {
        take_off(world, key, FOREGROUND);
    }
}

/// Its dependents stay, and name it no longer.
pub(super) fn orphan(world: &mut World, key: &Key) {
    let Some(owner) = world.store.get(key).cloned() else {
        return;
    };
    if !is_going(&owner) || !has_finalizer(&owner, ORPHAN) {
        return;
    }
    for dependent in dependents(world, &owner) {
        let Some(there) = world.store.get(&dependent) else {
            continue;
        };
        let mut new = Object::clone(there);
        let meta = new.meta_mut();
        let mut left = meta.owner_references.take().unwrap_or_default();
        left.retain(|o| o.uid != owner.uid());
        meta.owner_references = Some(left).filter(|owners| !owners.is_empty());
        world.put(new);
    }
    take_off(world, key, ORPHAN);
}
