//! Owners, dependents, namespaces.

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::cluster::api::rights::ADMIN;
use crate::cluster::api::{
    Answer, Body, DeleteOptions, FieldValidation, Patch, Propagation, Request, Status, Verb,
    WriteOptions,
};
use crate::cluster::object::Kind;
use crate::cluster::store::Key;
use crate::cluster::world::{World, WorldOptions};

fn world() -> World {
    World::new(WorldOptions::new(Timestamp::UNIX_EPOCH, 7))
}

fn ask(world: &mut World, kind: Kind, name: &str, verb: Verb) -> Result<Answer, Status> {
    let create = matches!(verb, Verb::Create(..));
    world.call(&Request {
        user: ADMIN.to_owned(),
        kind,
        namespace: kind.info().namespaced.then(|| "n".to_owned()),
        name: (!create).then(|| name.to_owned()),
        subresource: None,
        verb,
    })
}

fn strict() -> WriteOptions {
    WriteOptions {
        validation: FieldValidation::Strict,
        ..WriteOptions::default()
    }
}

/// Makes a ConfigMap that depends on others.
fn make(world: &mut World, name: &str, owners: &[(&str, bool)], finalizers: &[&str]) {
    let owners: Vec<Value> = owners
        .iter()
        .map(|(owner, block)| {
            let there = world.store.get(&key(owner));
            let uid = there.map_or_else(|| "none".to_owned(), |o| o.uid().to_owned());
            json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": uid, "blockOwnerDeletion": block})
        })
        .collect();
    let map =
        json!({"metadata": {"name": name, "ownerReferences": owners, "finalizers": finalizers}});
    ask(world, Kind::ConfigMap, name, Verb::Create(strict(), map)).unwrap();
}

fn key(name: &str) -> Key {
    Key::new(Kind::ConfigMap, "n", name)
}

fn delete(world: &mut World, name: &str, propagation: Propagation) {
    let options = DeleteOptions {
        propagation: Some(propagation),
        ..DeleteOptions::default()
    };
    ask(world, Kind::ConfigMap, name, Verb::Delete(options)).unwrap();
}

fn patch(world: &mut World, name: &str, value: Value) {
    let verb = Verb::Patch(strict(), Patch::Merge(value));
    ask(world, Kind::ConfigMap, name, verb).unwrap();
}

/// Lets what is due happen; names of what is there then, with `-` where it is going.
fn after(world: &mut World) -> String {
    let later = world.now() + SignedDuration::from_secs(5);
    world.advance(later);
    let all = world.store.list(Kind::ConfigMap, Some("n"));
    let names: Vec<String> = all
        .map(|o| {
            let going = if o.meta().deletion_timestamp.is_some() {
                "-"
            } else {
                ""
            };
            format!("{}{going}", o.name())
        })
        .collect();
    names.join(" ")
}

fn with_chain() -> World {
    let mut world = world();
    world.add_namespace("n");
    make(&mut world, "a", &[], &[]);
    make(&mut world, "b", &[("a", true)], &[]);
    make(&mut world, "c", &[("b", true)], &[]);
    world
}

#[test]
fn background_takes_the_chain_after() {
    let mut world = with_chain();
    delete(&mut world, "a", Propagation::Background);
    assert!(world.store.get(&key("a")).is_none());
    assert!(world.store.get(&key("b")).is_some());
    assert_eq!(after(&mut world), "");
}

#[test]
fn foreground_takes_the_chain_before() {
    let mut world = with_chain();
    make(&mut world, "d", &[("c", true)], &["test.io/held"]);
    delete(&mut world, "a", Propagation::Foreground);
    assert_eq!(after(&mut world), "a- b- c- d-");
    patch(&mut world, "d", json!({"metadata": {"finalizers": null}}));
    assert_eq!(after(&mut world), "");
}

#[test]
fn a_dependent_that_does_not_block_goes_after() {
    let mut world = world();
    world.add_namespace("n");
    make(&mut world, "a", &[], &[]);
    make(&mut world, "b", &[("a", false)], &["test.io/held"]);
    delete(&mut world, "a", Propagation::Foreground);
    assert_eq!(after(&mut world), "b-");
}

#[test]
fn orphans_stay_without_owner() {
    let mut world = with_chain();
    delete(&mut world, "a", Propagation::Orphan);
    assert_eq!(after(&mut world), "b c");
    let b = world.store.get(&key("b")).unwrap();
    assert_eq!(b.meta().owner_references, None);
}

#[test]
fn one_owner_that_stays_is_enough() {
    let mut world = world();
    world.add_namespace("n");
    make(&mut world, "a", &[], &[]);
    make(&mut world, "b", &[], &[]);
    make(&mut world, "c", &[("a", true), ("b", true)], &[]);
    delete(&mut world, "a", Propagation::Background);
    assert_eq!(after(&mut world), "b c");
    assert_eq!(
        world
            .store
            .get(&key("c"))
            .unwrap()
            .meta()
            .owner_references
            .as_ref()
            .unwrap()
            .len(),
        1
    );
    delete(&mut world, "b", Propagation::Background);
    assert_eq!(after(&mut world), "");
}

#[test]
fn who_names_an_owner_that_never_was_goes() {
    let mut world = world();
    world.add_namespace("n");
    make(&mut world, "a", &[("none", false)], &[]);
    assert_eq!(after(&mut world), "");
}

#[test]
fn a_namespace_goes_when_it_is_empty() {
    let mut world = with_chain();
    make(&mut world, "held", &[], &["test.io/held"]);
    ask(
        &mut world,
        Kind::Namespace,
        "n",
        Verb::Delete(DeleteOptions::default()),
    )
    .unwrap();
    assert_eq!(after(&mut world), "held-");
    let refused = ask(
        &mut world,
        Kind::ConfigMap,
        "x",
        Verb::Create(strict(), json!({"metadata": {"name": "x"}})),
    );
    assert_eq!(
        refused.unwrap_err().message,
        "configmaps \"x\" is forbidden: unable to create new content in namespace n because it is being terminated"
    );
    let namespace = ask(&mut world, Kind::Namespace, "n", Verb::Get).unwrap();
    let Body::Object(namespace) = namespace.body else {
        panic!("{namespace:?}");
    };
    assert_eq!(
        namespace.to_json().unwrap()["status"]["phase"],
        "Terminating"
    );
    patch(
        &mut world,
        "held",
        json!({"metadata": {"finalizers": null}}),
    );
    after(&mut world);
    assert!(
        world
            .store
            .get(&Key::new(Kind::Namespace, "", "n"))
            .is_none()
    );
}
