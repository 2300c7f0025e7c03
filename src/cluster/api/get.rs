//! One object.

use std::sync::Arc;

use crate::cluster::api::request::{Answer, Request};
use crate::cluster::api::status::Status;
use crate::cluster::object::Object;
use crate::cluster::store::Key;
use crate::cluster::world::World;

pub(super) fn get(world: &World, request: &Request) -> Result<Answer, Status> {
    let object = there(world, &key(request))?;
    Ok(Answer::object(200, object, Vec::new()))
}

/// Where the object of a path is.
pub(super) fn key(request: &Request) -> Key {
    let namespace = if request.kind.info().namespaced {
        request.place()
    } else {
        ""
    };
    Key::new(request.kind, namespace, request.called())
}

/// An object, or 404.
pub(super) fn there(world: &World, key: &Key) -> Result<Arc<Object>, Status> {
    world
        .store
        .get(key)
        .cloned()
        .ok_or_else(|| Status::not_found(key.kind, &key.name))
}
