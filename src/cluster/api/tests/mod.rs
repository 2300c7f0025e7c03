//! Requests to a whole world.

mod basics;
mod deleting;
mod watching;

use std::sync::Arc;

use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use crate::cluster::api::rights::ADMIN;
use crate::cluster::api::{
    Answer, Body, DeleteOptions, FieldValidation, List, ListOptions, Patch, Request, Status,
    Subresource, Verb, WriteOptions,
};
use crate::cluster::object::{Kind, Object};
use crate::cluster::world::{World, WorldOptions};

pub(super) const NS: &str = "default";

pub(super) fn world() -> World {
    World::new(WorldOptions::new(Timestamp::UNIX_EPOCH, 7))
}

/// Asks as the administrator.
pub(super) fn ask(world: &mut World, kind: Kind, path: &str, verb: Verb) -> Result<Answer, Status> {
    let (name, subresource) = match path.split_once('/') {
        Some((name, "status")) => (name, Some(Subresource::Status)),
        Some((name, "binding")) => (name, Some(Subresource::Binding)),
        Some((name, _)) => (name, Some(Subresource::Eviction)),
        None => (path, None),
    };
    world.call(&Request {
        user: ADMIN.to_owned(),
        kind,
        namespace: kind.info().namespaced.then(|| NS.to_owned()),
        name: Some(name.to_owned()).filter(|name| !name.is_empty()),
        subresource,
        verb,
    })
}

pub(super) fn strict() -> WriteOptions {
    WriteOptions {
        validation: FieldValidation::Strict,
        manager: Some("test".to_owned()),
        dry_run: false,
    }
}

pub(super) fn create(world: &mut World, kind: Kind, value: Value) -> Result<Value, Status> {
    ask(world, kind, "", Verb::Create(strict(), value)).map(value_of)
}

pub(super) fn patch(
    world: &mut World,
    kind: Kind,
    path: &str,
    patch: Value,
) -> Result<Value, Status> {
    let verb = Verb::Patch(strict(), Patch::Merge(patch));
    ask(world, kind, path, verb).map(value_of)
}

pub(super) fn put(
    world: &mut World,
    kind: Kind,
    path: &str,
    value: Value,
) -> Result<Value, Status> {
    ask(world, kind, path, Verb::Update(strict(), value)).map(value_of)
}

pub(super) fn get(world: &mut World, kind: Kind, name: &str) -> Result<Value, Status> {
    ask(world, kind, name, Verb::Get).map(value_of)
}

pub(super) fn list(world: &mut World, kind: Kind, options: ListOptions) -> Result<List, Status> {
    let answer = ask(world, kind, "", Verb::List(options))?;
    match answer.body {
        Body::List(list) => Ok(list),
        other => panic!("{other:?}"),
    }
}

pub(super) fn delete(
    world: &mut World,
    kind: Kind,
    name: &str,
    options: DeleteOptions,
) -> Result<Value, Status> {
    ask(world, kind, name, Verb::Delete(options)).map(value_of)
}

pub(super) fn value_of(answer: Answer) -> Value {
    match answer.body {
        Body::Object(object) => object.to_json().unwrap(),
        Body::Value(value) => value,
        Body::List(list) => json!(names(&list.items)),
    }
}

pub(super) fn names(objects: &[Arc<Object>]) -> Vec<String> {
    objects.iter().map(|o| o.name().to_owned()).collect()
}

pub(super) fn map(name: &str, data: Value) -> Value {
    json!({"metadata": {"name": name}, "data": data})
}

pub(super) fn job(name: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"suspend": true, "template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "main", "image": "test.local/busybox:1"}]}}}})
}

pub(super) fn pod(name: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"containers": [
        {"name": "main", "image": "test.local/busybox:1"}]}})
}

/// `code message`.
pub(super) fn refusal<T: std::fmt::Debug>(result: Result<T, Status>) -> String {
    let status = result.unwrap_err();
    format!("{} {}", status.code, status.message)
}
