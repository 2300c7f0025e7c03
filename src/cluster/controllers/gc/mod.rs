//! The garbage collector and the controllers of namespaces and of claims: what goes because something else goes.
//!
//! - `notice`: who depends on whom, and what a change makes due
//! - `dependent`: an object whose owners may be gone
//! - `owner`: an object that waits for its dependents, or leaves them without an owner
//! - `claim`: a claim that no pod uses any more
//! - `namespace`: a namespace with all that is in it
//!
//! Owners of kinds that aren't served are taken to be there. A namespace tells no conditions while it goes.

mod claim;
mod dependent;
mod namespace;
mod notice;
mod owner;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::{Due as WorldDue, World};

pub(in crate::cluster) use notice::notice;

/// What it has to do at a moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cluster) enum Due {
    /// An object's owners may be gone.
    Dependent(Key),
    /// An object waits for its dependents to go.
    Foreground(Key),
    /// An object waits for its dependents to be without an owner.
    Orphan(Key),
    /// A claim is to go when no pod uses it.
    Claim(Key),
    /// A namespace is to be emptied.
    Namespace(String),
}

/// What it remembers.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {
    /// UID of an owner: who depends on it.
    dependents: BTreeMap<String, BTreeSet<Key>>,
    /// What is due already: it needs no second time.
    queued: BTreeSet<Due>,
}

/// Something is due.
pub(in crate::cluster) fn run(world: &mut World, due: Due) {
    world.gc.queued.remove(&due);
    match due {
        Due::Dependent(key) => dependent::look(world, &key),
        Due::Foreground(key) => owner::wait(world, &key),
        Due::Orphan(key) => owner::orphan(world, &key),
        Due::Claim(key) => claim::look(world, &key),
        Due::Namespace(name) => namespace::empty(world, &name),
    }
}

fn enqueue(world: &mut World, due: Due) {
    if world.gc.queued.insert(due.clone()) {
        world.after(world.pace.gc, WorldDue::Gc(due));
    }
}

fn dependents(world: &World, owner: &Object) -> Vec<Key> {
    let all = world.gc.dependents.get(owner.uid());
    all.into_iter().flatten().cloned().collect()
}

fn owners(object: &Object) -> &[OwnerReference] {
    object
        .meta()
        .owner_references
        .as_deref()
        .unwrap_or_default()
}

fn has_finalizer(object: &Object, name: &str) -> bool {
    let finalizers = object.meta().finalizers.as_deref().unwrap_or_default();
    finalizers.iter().any(|f| f == name)
}

fn is_going(object: &Object) -> bool {
    object.meta().deletion_timestamp.is_some()
}

/// Takes a finalizer off; the object goes if that was the last thing it waited for.
fn take_off(world: &mut World, key: &Key, finalizer: &str) {
    let Some(old) = world.store.get(key).cloned() else {
        return;
    };
    let mut new = Object::clone(&old);
    let meta = new.meta_mut();
    let mut left = meta.finalizers.take().unwrap_or_default();
    left.retain(|f| f != finalizer);
    meta.finalizers = Some(left).filter(|f| !f.is_empty());
    world.settle(new, &old);
}

/// Where an owner is; none: its kind isn't served.
fn owner_key(namespace: &str, owner: &OwnerReference) -> Option<Key> {
    let (group, version) = owner
        .api_version
        .split_once('/')
        .unwrap_or(("", owner.api_version.as_str()));
    let kind = Kind::ALL.iter().copied().find(|kind| {
        let info = kind.info();
        info.group == group && info.version == version && info.kind == owner.kind
    })?;
    let namespace = if kind.info().namespaced {
        namespace
    } else {
        ""
    };
    Some(Key::new(kind, namespace, &owner.name))
}
