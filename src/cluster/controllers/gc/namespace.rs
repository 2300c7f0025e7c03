//! A namespace that is asked to go: all that is in it goes first.

use super::is_going;
use crate::cluster::api::{DeleteOptions, Propagation};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::World;

pub(super) fn empty(world: &mut World, name: &str) {
    let key = Key::new(Kind::Namespace, "", name);
    let Some(namespace) = world.store.get(&key).cloned() else {
        return;
    };
    if !is_going(&namespace) {
        return;
    }
    let namespaced = Kind::ALL.iter().filter(|kind| kind.info().namespaced);
    let content: Vec<Key> = namespaced
        .flat_map(|kind| world.store.list(*kind, Some(name)))
        .filter(|object| !is_going(object))
        .map(|object| Key::of(object))
        .collect();
    let options = DeleteOptions {
        propagation: Some(Propagation::Background),
        ..DeleteOptions::default()
    };
    for key in &content {
        // One may have gone with another.
        let _ = world.delete(key, &options);
    }
    let namespaced = Kind::ALL.iter().filter(|kind| kind.info().namespaced);
    let left = namespaced
        .flat_map(|kind| world.store.list(*kind, Some(name)))
        .next()
        .is_some();
    // What is left has grace or finalizers: its end brings us back.
    if left {
        return;
    }
    let mut new = Object::clone(&namespace);
    let Object::Namespace(empty) = &mut new else {
        return;
    };
    if let Some(spec) = &mut empty.spec {
        spec.finalizers = None;
    }
    if empty.metadata.finalizers.iter().flatten().next().is_some() {
        world.put(new);
    } else {
        world.remove(&key);
    }
}
