//! Metadata as every write treats it: what a client may set, what the server keeps.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::cluster::api::status::Status;
use crate::cluster::object::Kind;

/// The object belongs into the namespace of the path.
pub(super) fn place(kind: Kind, meta: &mut ObjectMeta, namespace: &str) -> Result<(), Status> {
    let own = meta.namespace.as_deref().unwrap_or_default();
    if !kind.info().namespaced {
        meta.namespace = None;
    } else if own.is_empty() {
        meta.namespace = Some(namespace.to_owned());
    } else if own != namespace {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    Ok(())
}

/// What a client can't say of a new object.
pub(super) fn wipe(meta: &mut ObjectMeta) {
    meta.uid = None;
    meta.creation_timestamp = None;
    meta.deletion_timestamp = None;
    meta.deletion_grace_period_seconds = None;
    meta.generation = None;
    meta.self_link = None;
    meta.managed_fields = None;
}

/// What an update can't change.
pub(super) fn keep(meta: &mut ObjectMeta, old: &ObjectMeta) {
    meta.generation = old.generation;
    if meta.uid.as_deref().unwrap_or_default().is_empty() {
        meta.uid.clone_from(&old.uid);
    }
    if old.creation_timestamp.is_some() {
        meta.creation_timestamp.clone_from(&old.creation_timestamp);
    }
    if old.deletion_timestamp.is_some() {
        meta.deletion_timestamp.clone_from(&old.deletion_timestamp);
    }
    if meta.deletion_grace_period_seconds.is_none() {
        meta.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
    }
    meta.self_link = None;
    meta.managed_fields = None;
}

/// Empty maps and lists are not there: so two objects that mean the same are equal.
pub(super) fn tidy(meta: &mut ObjectMeta) {
    for map in [&mut meta.labels, &mut meta.annotations] {
        if map
            .as_ref()
            .is_some_and(std::collections::BTreeMap::is_empty)
        {
            *map = None;
        }
    }
    for list in [&mut meta.finalizers] {
        if list.as_ref().is_some_and(Vec::is_empty) {
            *list = None;
        }
    }
    if meta.owner_references.as_ref().is_some_and(Vec::is_empty) {
        meta.owner_references = None;
    }
    for text in [&mut meta.generate_name, &mut meta.namespace] {
        if text.as_ref().is_some_and(String::is_empty) {
            *text = None;
        }
    }
}

/// A prefix as names are generated from: what is too long for five more characters is cut.
pub(super) fn prefix(generate_name: &str) -> &str {
    const MAX: usize = 63 - 5;
    match generate_name.char_indices().nth(MAX) {
        Some((at, _)) => &generate_name[..at],
        None => generate_name,
    }
}
