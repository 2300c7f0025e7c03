//! Deletions: preconditions, grace, finalizers. What waits for dependents is finished by the garbage
//! collector, what waits for a pod's end by its kubelet.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::cluster::api::request::{
    Answer, Body, DeleteOptions, ListOptions, Propagation, Request,
};
use crate::cluster::api::status::Status;
use crate::cluster::api::{get, list};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// Holds an object until its dependents have no owner.
pub(in crate::cluster) const ORPHAN: &str = "orphan";
/// Holds an object until its dependents are gone.
pub(in crate::cluster) const FOREGROUND: &str = "foregroundDeletion";

/// What a deletion has come to.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) enum Deleted {
    /// It is gone; as it was last.
    Gone(Arc<Object>),
    /// It waits.
    Waits(Arc<Object>),
}

impl World {
    /// Deletes an object as a request does, without asking who may.
    ///
    /// # Errors
    /// 404, or a precondition that doesn't hold.
    pub fn delete(&mut self, key: &Key, options: &DeleteOptions) -> Result<Arc<Object>, Status> {
        match delete(self, key, options)? {
            Deleted::Gone(object) | Deleted::Waits(object) => Ok(object),
        }
    }
}

pub(super) fn one(
    world: &mut World,
    request: &Request,
    options: &DeleteOptions,
) -> Result<Answer, Status> {
    let key = get::key(request);
    let deleted = delete(world, &key, options)?;
    let (code, object, gone) = match deleted {
        Deleted::Gone(object) => (200, object, true),
        Deleted::Waits(object) => (200, object, false),
    };
    let body = if gone && !returns_object(key.kind) {
        let info = key.kind.info();
        let mut details = json!({"name": key.name, "kind": info.plural, "uid": object.uid()});
        if !info.group.is_empty() {
            details["group"] = json!(info.group);
        }
        Body::Value(json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
            "details": details,
        }))
    } else {
        Body::Object(object)
    };
    Ok(Answer {
        code,
        body,
        warnings: orphans(key.kind, options),
    })
}

/// Somebody who deletes a Job may not expect what becomes of its pods.
fn orphans(kind: Kind, options: &DeleteOptions) -> Vec<String> {
    if kind != Kind::Job || options.propagation.is_some() {
        return Vec::new();
    }
    vec![
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"
            .to_owned(),
    ]
}

pub(super) fn many(
    world: &mut World,
    request: &Request,
    options: &DeleteOptions,
    which: &ListOptions,
) -> Result<Answer, Status> {
    let list = list::objects(world, request.kind, request.namespace.as_deref(), which)?;
    for object in &list.items {
        match delete(world, &Key::of(object), options) {
            Err(status) if status.code != 404 => return Err(status),
            _ => {}
        }
    }
    Ok(Answer {
        code: 200,
        body: Body::List(list),
        warnings: orphans(request.kind, options),
    })
}

/// Kinds whose removal is answered with the object; others with a `Status`.
fn returns_object(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Pod
            | Kind::Service
            | Kind::PersistentVolumeClaim
            | Kind::ResourceQuota
            | Kind::Namespace
    )
}

pub(in crate::cluster) fn delete(
    world: &mut World,
    key: &Key,
    options: &DeleteOptions,
) -> Result<Deleted, Status> {
    let old = get::there(world, key)?;
    if key.kind == Kind::Namespace
        && matches!(key.name.as_str(), "default" | "kube-system" | "kube-public")
    {
        return Err(Status::forbidden(
            key.kind,
            &key.name,
            "this namespace may not be deleted",
        ));
    }
    check(key, &old, options)?;
    let mut new = Object::clone(&old);
    let now = world.second();
    let grace = match grace(&mut new, options, now) {
        Grace::Pending => return Ok(Deleted::Waits(old)),
        Grace::Of(seconds) => Some(seconds),
        Grace::None => None,
    };
    set_finalizers(key.kind, new.meta_mut(), options);
    let held = new
        .meta()
        .finalizers
        .as_ref()
        .is_some_and(|f| !f.is_empty());
    if let Object::Namespace(namespace) = &mut new
        && namespace
            .spec
            .as_ref()
            .and_then(|s| s.finalizers.as_ref())
            .is_some_and(|f| !f.is_empty())
    {
        // What is in it goes first: it waits for the namespace controller.
        if old.meta().deletion_timestamp.is_some() {
            return Ok(Deleted::Waits(old));
        }
        namespace.metadata.deletion_timestamp = Some(Time(now));
        namespace.status.get_or_insert_default().phase = Some("Terminating".to_owned());
        return Ok(Deleted::Waits(write(world, new, options)));
    }
    if held && grace.is_none() {
        mark(new.meta_mut(), now);
    }
    if held || grace.is_some_and(|seconds| seconds > 0) {
        if new == *old {
            return Ok(Deleted::Waits(old));
        }
        return Ok(Deleted::Waits(write(world, new, options)));
    }
    // A pod without grace is seen to be deleted before it goes.
    let last = if grace.is_some() && new != *old {
        write(world, new, options)
    } else {
        old
    };
    if !options.dry_run {
        world.remove(key);
    }
    Ok(Deleted::Gone(last))
}

fn write(world: &mut World, new: Object, options: &DeleteOptions) -> Arc<Object> {
    if options.dry_run {
        Arc::new(new)
    } else {
        world.put(new)
    }
}

pub(super) fn check(key: &Key, object: &Object, options: &DeleteOptions) -> Result<(), Status> {
    if let Some(want) = &options.uid
        && want != object.uid()
    {
        let why = format!(
            "the UID in the precondition ({want}) does not match the UID in record ({}). The object might have been deleted and then recreated",
            object.uid()
        );
        return Err(Status::precondition(key.kind, &key.name, &why));
    }
    let have = object
        .meta()
        .resource_version
        .as_deref()
        .unwrap_or_default();
    if let Some(want) = &options.version
        && want != have
    {
        let why = format!(
            "the ResourceVersion in the precondition ({want}) does not match the ResourceVersion in record ({have}). The object might have been modified"
        );
        return Err(Status::precondition(key.kind, &key.name, &why));
    }
    Ok(())
}

enum Grace {
    /// The kind has none, or it is over.
    None,
    /// It was asked for before, and for no longer than now.
    Pending,
    /// The object has so long from now on.
    Of(i64),
}

/// Only pods end gracefully.
fn grace(object: &mut Object, options: &DeleteOptions, now: Timestamp) -> Grace {
    let asked = options
        .grace
        .map(|seconds| if seconds < 0 { 1 } else { seconds });
    let Object::Pod(pod) = object else {
        return Grace::None;
    };
    let meta = &mut pod.metadata;
    if let Some(Time(deleted)) = &meta.deletion_timestamp {
        let had = meta.deletion_grace_period_seconds.unwrap_or_default();
        if had == 0 {
            return Grace::None;
        }
        let Some(mut seconds) = asked.filter(|seconds| *seconds < had) else {
            return Grace::Pending;
        };
        let start = *deleted - SignedDuration::from_secs(had);
        let mut until = start + SignedDuration::from_secs(seconds);
        if until < now {
            until = now;
            // Somebody has asked for grace, and its time is over: as little as can be.
            seconds = seconds.min(1);
        }
        meta.deletion_timestamp = Some(Time(until));
        meta.deletion_grace_period_seconds = Some(seconds);
        return Grace::Of(seconds);
    }
    let spec = pod.spec.as_ref();
    let bound = spec
        .and_then(|s| s.node_name.as_deref())
        .is_some_and(|n| !n.is_empty());
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref());
    let ended = matches!(phase, Some("Succeeded" | "Failed"));
    let own = spec.and_then(|s| s.termination_grace_period_seconds);
    let seconds = if !bound || ended {
        0
    } else {
        asked.or(own).unwrap_or_default()
    };
    let seconds = if seconds < 0 { 1 } else { seconds };
    meta.deletion_timestamp = Some(Time(now + SignedDuration::from_secs(seconds)));
    meta.deletion_grace_period_seconds = Some(seconds);
    count(meta);
    Grace::Of(seconds)
}

/// A deletion is a change of what is wanted.
fn count(meta: &mut ObjectMeta) {
    if let Some(generation) = meta.generation.filter(|g| *g > 0) {
        meta.generation = Some(generation + 1);
    }
}

/// It waits for its finalizers, without grace.
fn mark(meta: &mut ObjectMeta, now: Timestamp) {
    if meta.deletion_timestamp.is_none() {
        count(meta);
    }
    if meta
        .deletion_timestamp
        .as_ref()
        .is_none_or(|Time(at)| *at > now)
    {
        meta.deletion_timestamp = Some(Time(now));
    }
    meta.deletion_grace_period_seconds = Some(0);
}

/// The finalizer of how its dependents go.
fn set_finalizers(kind: Kind, meta: &mut ObjectMeta, options: &DeleteOptions) {
    let mut finalizers = meta.finalizers.clone().unwrap_or_default();
    let has = |word: &str| finalizers.iter().any(|f| f == word);
    let propagation = options.propagation.unwrap_or_else(|| {
        let first = finalizers
            .iter()
            .find(|f| matches!(f.as_str(), ORPHAN | FOREGROUND));
        match first.map(String::as_str) {
            Some(ORPHAN) => Propagation::Orphan,
            Some(_) => Propagation::Foreground,
            None if kind == Kind::Job => Propagation::Orphan,
            None => Propagation::Background,
        }
    });
    let (orphan, foreground) = match propagation {
        // Events have no dependents.
        _ if kind == Kind::Event => (false, false),
        Propagation::Orphan => (true, false),
        Propagation::Foreground => (false, true),
        Propagation::Background => (false, false),
    };
    if has(ORPHAN) == orphan && has(FOREGROUND) == foreground {
        return;
    }
    finalizers.retain(|f| !matches!(f.as_str(), ORPHAN | FOREGROUND));
    if orphan {
        finalizers.push(ORPHAN.to_owned());
    }
    if foreground {
        finalizers.push(FOREGROUND.to_owned());
    }
    meta.finalizers = Some(finalizers).filter(|f| !f.is_empty());
}
