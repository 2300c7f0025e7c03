//! When a Job is looked at: at once after a change of its spec, a second after a change of a pod or of its
//! status (changes within that second share the look), later for a back-off or a deadline, and again after
//! 1, 2, 4, … seconds where a look could not do all it wanted. The earliest wish counts.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::Due;
use crate::cluster::world::{self, World};

/// After the first look that went wrong.
const RETRY_FIRST: SignedDuration = SignedDuration::from_secs(1);
/// Not more.
const RETRY_MOST: SignedDuration = SignedDuration::from_mins(1);

/// What a Job waits for.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    at_once: bool,
    at: Option<Timestamp>,
    failed_looks: u32,
}

/// Looks at the Job at once.
pub(super) fn at_once(world: &mut World, uid: &str) {
    let waiting = &mut world.jobs.record(uid).waiting;
    if !waiting.at_once {
        waiting.at_once = true;
        let wait = world.pace.job_first_sync;
        world.after(wait, world::Due::Job(Due::AtOnce(uid.to_owned())));
    }
}

/// Looks at the Job when changes have been collected.
pub(super) fn soon(world: &mut World, uid: &str) {
    later(world, uid, world.pace.job_sync);
}

/// Looks at the Job after a while, unless it does so earlier.
pub(super) fn later(world: &mut World, uid: &str, wait: SignedDuration) {
    if !wait.is_positive() {
        return at_once(world, uid);
    }
    let at = world.now().saturating_add(wait).unwrap_or(world.now());
    let waiting = &mut world.jobs.record(uid).waiting;
    if waiting.at.is_none_or(|other| at < other) {
        waiting.at = Some(at);
        world.at(at, world::Due::Job(Due::Waited(uid.to_owned(), at)));
    }
}

/// As `later`, but not before changes have been collected.
pub(super) fn delayed(world: &mut World, uid: &str, wait: SignedDuration) {
    later(world, uid, wait.max(world.pace.job_sync));
}

/// A look has ended; one that could not do all is repeated.
pub(super) fn looked(world: &mut World, uid: &str, all_done: bool) {
    let Some(record) = world.jobs.records.get_mut(uid) else {
        return;
    };
    let failed = &mut record.waiting.failed_looks;
    if all_done {
        *failed = 0;
        return;
    }
    let wait = (RETRY_FIRST * (1 << (*failed).min(6))).min(RETRY_MOST);
    *failed += 1;
    later(world, uid, wait);
}

/// The Job's turn has come. False: it was looked at earlier for another reason.
pub(super) fn is_due(world: &mut World, uid: &str, at: Option<Timestamp>) -> bool {
    let Some(record) = world.jobs.records.get_mut(uid) else {
        return false;
    };
    let waiting = &mut record.waiting;
    match at {
        None => std::mem::take(&mut waiting.at_once),
        Some(_) if waiting.at == at => waiting.at.take().is_some(),
        Some(_) => false,
    }
}
