//! Changes of objects: a whole one by `PUT`, and what a patch makes of it.

use std::sync::Arc;

use serde_json::Value;

use crate::cluster::api::create::Creation;
use crate::cluster::api::problems::Problems;
use crate::cluster::api::request::{Answer, Request, Subresource, WriteOptions};
use crate::cluster::api::status::Status;
use crate::cluster::api::{decode, get, meta, prepare, rights, validate};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::World;

pub(super) fn put(
    world: &mut World,
    request: &Request,
    options: &WriteOptions,
    value: &Value,
) -> Result<Answer, Status> {
    let mut warnings = Vec::new();
    let new = decode::body(
        request.kind,
        value.clone(),
        options.validation,
        &mut warnings,
    )?;
    check_name(&new, request)?;
    let key = get::key(request);
    let Some(old) = world.store.get(&key).cloned() else {
        if creates_on_update(request.kind) && request.subresource.is_none() {
            let made = Creation::of(request, options).create(world, new, &mut warnings)?;
            return Ok(Answer::object(201, made, warnings));
        }
        return Err(Status::not_found(request.kind, request.called()));
    };
    let object = replace(world, request, options, new, &old, &mut warnings)?;
    Ok(Answer::object(200, object, warnings))
}

/// `PUT` of one that isn't there makes it.
fn creates_on_update(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Lease
            | Kind::Service
            | Kind::Event
            | Kind::ResourceQuota
            | Kind::Role
            | Kind::RoleBinding
    )
}

/// A `PUT` has to say which version it changes.
fn needs_version(kind: Kind) -> bool {
    matches!(kind, Kind::Lease)
}

/// What is written is what the path names.
pub(super) fn check_name(new: &Object, request: &Request) -> Result<(), Status> {
    let (name, called) = (new.name(), request.called());
    if name == called {
        return Ok(());
    }
    Err(Status::bad_request(if name.is_empty() {
        format!(
            "the name of the object ({called} based on URL) was undeterminable: name must be provided"
        )
    } else {
        format!("the name of the object ({name}) does not match the name on the URL ({called})")
    }))
}

/// Puts a new state in the place of an old one, as far as that may be changed.
pub(super) fn replace(
    world: &mut World,
    request: &Request,
    options: &WriteOptions,
    mut new: Object,
    old: &Arc<Object>,
    warnings: &mut Vec<String>,
) -> Result<Arc<Object>, Status> {
    let kind = request.kind;
    check_version(kind, &mut new, old)?;
    meta::place(kind, new.meta_mut(), request.place())?;
    meta::keep(new.meta_mut(), old.meta());
    let status = request.subresource == Some(Subresource::Status);
    prepare::for_update(world, &mut new, old, status);
    let problems = validate::update(&new, old, status);
    if !problems.is_empty() {
        return Err(Status::invalid(kind, new.name(), problems));
    }
    meta::tidy(new.meta_mut());
    if !status {
        rights::may_block_owners(world, &request.user, &new, Some(old))?;
    }
    if new == **old {
        return Ok(Arc::clone(old));
    }
    if !status {
        warnings.extend(validate::update_warnings(&new, old));
    }
    if options.dry_run {
        return Ok(Arc::new(new));
    }
    Ok(world.settle(new, old))
}

impl World {
    /// Puts an object in its place, or takes it away where that was asked for and the last finalizer that
    /// held it is gone.
    pub(in crate::cluster) fn settle(&mut self, new: Object, old: &Object) -> Arc<Object> {
        if !leaves(&new, old) {
            return self.put(new);
        }
        self.remove(&Key::of(&new));
        Arc::new(new)
    }
}

/// Whether a change was the last thing that a deletion waited for.
fn leaves(new: &Object, old: &Object) -> bool {
    let meta = old.meta();
    meta.deletion_timestamp.is_some()
        && meta.deletion_grace_period_seconds.unwrap_or_default() == 0
        && new.meta().finalizers.as_ref().is_none_or(Vec::is_empty)
}

/// UID and version have to be those that are there, where they are given.
fn check_version(kind: Kind, new: &mut Object, old: &Object) -> Result<(), Status> {
    let name = old.name().to_owned();
    let (want, have) = (new.uid(), old.uid());
    if !want.is_empty() && want != have {
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {want}, UID in object meta: {have}",
            stored_at(kind, old)
        );
        return Err(Status::conflict(kind, &name, &why));
    }
    let there = old.meta().resource_version.clone();
    let given = new.meta().resource_version.as_deref().unwrap_or_default();
    if matches!(given, "" | "0") {
        if needs_version(kind) {
            let mut problems = Problems::default();
            problems.invalid(
                "metadata.resourceVersion",
                0,
                "must be specified for an update",
            );
            // The real one names the resource where a kind belongs.
            let resource = kind.info().resource();
            let message = format!("{resource} \"{name}\" is invalid: {}", problems.text());
            let mut status = Status::new(422, "Invalid", message).about(kind, &name);
            status.causes = problems.into_causes();
            return Err(status);
        }
        new.meta_mut().resource_version = there;
        return Ok(());
    }
    if Some(given) != there.as_deref() {
        return Err(Status::conflict(
            kind,
            &name,
            "the object has been modified; please apply your changes to the latest version and try again",
        ));
    }
    Ok(())
}

/// Where a real API server keeps it: a few kinds are kept under another word.
fn stored_at(kind: Kind, object: &Object) -> String {
    let place = match kind {
        Kind::Node => "minions",
        Kind::Service => "services/specs",
        _ => kind.info().plural,
    };
    let name = object.name();
    match object.namespace() {
        "" => format!("/registry/{place}/{name}"),
        namespace => format!("/registry/{place}/{namespace}/{name}"),
    }
}
