//! Changes of Jobs and pods: whose turn they bring, and which pods nobody counts any more.

use std::sync::Arc;

use k8s_openapi::jiff::SignedDuration;

use super::labels::selects;
use super::seen::is_tracked;
use super::spec::managed_elsewhere;
use super::state::job_of;
use super::{Due, conditions, queue, requests, ttl};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Change, ChangeKind, Key};
use crate::cluster::world::{self, World};

/// A Job has changed.
pub(super) fn job(world: &mut World, change: &Change) {
    let Some(job) = change.object.as_job() else {
        return;
    };
    let uid = change.object.uid();
    if change.kind == ChangeKind::Deleted {
        // Pods that stay behind are nobody's to count.
        release_all(world, uid);
        world.jobs.forget(uid);
        return;
    }
    if conditions::finished(job).is_some() {
        release_all(world, uid);
        ttl::note(world, job);
        return;
    }
    let previous = change.previous.as_ref().filter(|p| p.uid() == uid);
    let same_spec = previous.is_some_and(|p| p.meta().generation == job.metadata.generation);
    if same_spec {
        queue::soon(world, uid);
    } else {
        queue::at_once(world, uid);
        new_deadline(world, change);
    }
}

/// A deadline that was changed is looked at when it is over.
fn new_deadline(world: &mut World, change: &Change) {
    let Some(job) = change.object.as_job() else {
        return;
    };
    let deadline = |o: &Object| o.as_job()?.spec.as_ref()?.active_deadline_seconds;
    let started = job.status.as_ref().and_then(|s| s.start_time.as_ref());
    let (Some(started), Some(seconds)) = (started, deadline(&change.object)) else {
        return;
    };
    if change.previous.as_ref().and_then(|p| deadline(p)) != Some(seconds) {
        let allowed = SignedDuration::from_secs(seconds);
        let left = allowed - world.now().duration_since(started.0);
        queue::later(world, change.object.uid(), left);
    }
}

/// A pod has changed.
pub(super) fn pod(world: &mut World, change: &Change) {
    let before = change.previous.as_deref();
    let (owner_before, owner) = (before.and_then(job_of), job_of(&change.object));
    if change.kind == ChangeKind::Deleted {
        world.jobs.drop_pod(&change.object);
        if let Some(uid) = owner.filter(|uid| !lives(world, uid)) {
            world.jobs.forget_if_idle(uid);
        }
    } else {
        if let Some(before) = before
            && (owner_before != owner || before.uid() != change.object.uid())
        {
            world.jobs.drop_pod(before);
        }
        world.jobs.keep_pod(&change.object);
    }
    if owner_before != owner
        && let Some(uid) = owner_before
        && lives(world, uid)
    {
        queue::soon(world, uid);
    }
    match owner {
        Some(uid) if unfinished(world, uid) => queue::soon(world, uid),
        // Nobody else will take its finalizer off; one that isn't being deleted may have its Job still to come.
        Some(_) => {
            if change.object.meta().deletion_timestamp.is_some() {
                release(world, &change.object);
            }
        }
        None => {
            release(world, &change.object);
            wake_adopters(world, change);
        }
    }
}

/// Jobs whose selector matches a pod without an owner.
fn wake_adopters(world: &mut World, change: &Change) {
    let pod = change.object.meta();
    if change.kind == ChangeKind::Deleted || pod.deletion_timestamp.is_some() {
        return;
    }
    let namespace = change.object.namespace();
    let matching: Vec<String> = world
        .store
        .list(Kind::Job, Some(namespace))
        .filter(|object| {
            let spec = object.as_job().and_then(|j| j.spec.as_ref());
            selects(spec.and_then(|s| s.selector.as_ref()), pod.labels.as_ref())
        })
        .map(|object| object.uid().to_owned())
        .collect();
    for uid in matching {
        queue::soon(world, &uid);
    }
}

fn lives(world: &World, uid: &str) -> bool {
    world
        .store
        .by_uid(uid)
        .is_some_and(|o| o.kind() == Kind::Job)
}

fn unfinished(world: &World, uid: &str) -> bool {
    let job = world.store.by_uid(uid).and_then(|o| o.as_job());
    job.is_some_and(|j| conditions::finished(j).is_none())
}

fn release_all(world: &mut World, uid: &str) {
    let Some(record) = world.jobs.records.get(uid) else {
        return;
    };
    let tracked = record.pods.values().filter(|p| p.tracked);
    let keys: Vec<Key> = tracked.map(super::seen::SeenPod::key).collect();
    for key in keys {
        release_later(world, key);
    }
}

fn release(world: &mut World, pod: &Arc<Object>) {
    if pod.as_pod().is_some_and(is_tracked) {
        release_later(world, Key::of(pod));
    }
}

fn release_later(world: &mut World, key: Key) {
    let wait = world.pace.job_first_sync;
    world.after(wait, world::Due::Job(Due::Release(key)));
}

/// Takes the finalizer off a pod whose Job is gone or has ended.
pub(super) fn release_now(world: &mut World, key: &Key) {
    let Some(pod) = world.store.get(key) else {
        return;
    };
    if let Some(uid) = job_of(pod)
        && let Some(job) = world.store.by_uid(uid).and_then(|o| o.as_job())
        && (managed_elsewhere(job) || conditions::finished(job).is_none())
    {
        return;
    }
    requests::untrack(world, key);
}
