//! `spec.ttlSecondsAfterFinished`: a Job is deleted, its pods first, so long after its end.

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::{Due, conditions};
use crate::cluster::api::{DeleteOptions, Propagation};
use crate::cluster::object::Kind;
use crate::cluster::store::Key;
use crate::cluster::world::{self, World};

/// Puts down when a Job is to go.
pub(super) fn note(world: &mut World, job: &Job) {
    let Some(at) = expiry(job) else {
        return;
    };
    let uid = job.metadata.uid.as_deref().unwrap_or_default();
    let expires = &mut world.jobs.record(uid).expires;
    if *expires != Some(at) {
        *expires = Some(at);
        let at = at.max(world.now());
        world.at(at, world::Due::Job(Due::Expired(uid.to_owned())));
    }
}

/// Deletes a Job whose time is over.
pub(super) fn run(world: &mut World, uid: &str) {
    let Some(job) = world.store.by_uid(uid).and_then(|o| o.as_job()) else {
        return;
    };
    if expiry(job).is_none_or(|at| at > world.now()) {
        return;
    }
    let metadata = &job.metadata;
    let key = Key::new(
        Kind::Job,
        metadata.namespace.as_deref().unwrap_or_default(),
        metadata.name.as_deref().unwrap_or_default(),
    );
    let options = DeleteOptions {
        propagation: Some(Propagation::Foreground),
        uid: Some(uid.to_owned()),
        ..DeleteOptions::default()
    };
    // It was there a moment ago.
    let _ = world.delete(&key, &options);
}

/// None: it hasn't ended, has no time limit, or is being deleted.
fn expiry(job: &Job) -> Option<Timestamp> {
    let spec = job.spec.as_ref()?;
    let ttl = spec.ttl_seconds_after_finished?;
    let ended = conditions::finished(job)?.last_transition_time.as_ref()?.0;
    let alive = job.metadata.deletion_timestamp.is_none();
    ended
        .checked_add(SignedDuration::from_secs(ttl.into()))
        .ok()
        .filter(|_| alive)
}
