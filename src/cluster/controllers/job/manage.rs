//! How many pods a Job is to have, and what is done about it: too many are deleted, missing ones are made,
//! first one, then two, then four, as long as none is refused; never both in one look.

use k8s_openapi::jiff::SignedDuration;

use super::events::{Tone, say};
use super::look::{Look, count};
use super::seen::SeenPod;
use super::{backoff, per_index, queue, removal, requests, template};
use crate::cluster::object::Kind;
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// Pods that are made or deleted in one look.
const MOST_AT_ONCE: usize = 500;
/// Size of the first batch of new pods.
const FIRST_BATCH: usize = 1;

/// Makes and deletes pods. False: a pod was refused, the look is to be repeated.
pub(super) fn pods(world: &mut World, look: &mut Look) -> bool {
    if look.spec.suspended {
        let all = removal::choose(&look.spec, &look.active_pods, look.active_pods.len());
        delete(world, look, &all);
        return true;
    }
    let wanted = wanted(look);
    let too_many = usize::try_from(look.active - wanted).unwrap_or_default();
    let mut remove = removal::choose(&look.spec, &look.active_pods, too_many);
    remove.truncate(MOST_AT_ONCE);
    if !remove.is_empty() {
        delete(world, look, &remove);
        return true;
    }
    let standing = if look.spec.replace_only_ended {
        look.terminating
    } else {
        0
    };
    let missing = usize::try_from(wanted - standing - look.active).unwrap_or_default();
    if missing == 0 {
        return true;
    }
    match to_create(world, look, missing.min(MOST_AT_ONCE)) {
        Ok(indexes) => create(world, look, &indexes),
        Err(wait) => {
            queue::delayed(world, &look.uid, wait);
            true
        }
    }
}

fn wanted(look: &Look) -> i32 {
    match look.spec.completions {
        Some(completions) => (completions - look.succeeded).clamp(0, look.spec.parallelism),
        // A work queue: after the first success nothing is added, what runs may end.
        None if look.succeeded > 0 => look.active,
        None => look.spec.parallelism,
    }
}

/// Indexes of the pods to make, none each where the Job has no indexes.
///
/// # Errors
/// None yet: the time that is left to wait.
fn to_create(
    world: &World,
    look: &Look,
    missing: usize,
) -> Result<Vec<Option<i32>>, SignedDuration> {
    let now = world.now();
    if look.spec.per_index.is_none() {
        let left = look.backoff.left(now);
        if left.is_positive() {
            return Err(left);
        }
    }
    if !look.spec.indexed {
        return Ok(vec![None; missing]);
    }
    let candidates = missing_indexes(look, missing);
    if look.spec.per_index.is_none() {
        return Ok(candidates.into_iter().map(Some).collect());
    }
    let waits: Vec<(i32, SignedDuration)> = candidates
        .into_iter()
        .map(|index| {
            let failed = look.to_be_replaced.get(&index);
            let left = failed.map(|p| backoff::left_for_index(p, per_index::all_failures(p), now));
            (index, left.unwrap_or_default())
        })
        .collect();
    let ready: Vec<Option<i32>> = waits
        .iter()
        .filter(|(_, left)| left.is_zero())
        .map(|(index, _)| Some(*index))
        .collect();
    match waits.into_iter().map(|(_, left)| left).min() {
        Some(left) if ready.is_empty() => Err(left),
        _ => Ok(ready),
    }
}

/// The lowest indexes that have neither a pod nor an end.
fn missing_indexes(look: &Look, most: usize) -> Vec<i32> {
    let standing = |p: &&SeenPod| p.active() || (look.spec.replace_only_ended && p.terminating());
    let taken = look.pods.iter().filter(standing).filter_map(|p| p.index);
    let taken: std::collections::BTreeSet<i32> = taken.collect();
    let mut taken = look
        .succeeded_indexes
        .union(&super::indexes::Indexes::of(taken));
    if let Some(failed) = &look.failed_indexes {
        taken = taken.union(failed);
    }
    taken.first_missing(most, look.spec.indexes())
}

fn create(world: &mut World, look: &mut Look, indexes: &[Option<i32>]) -> bool {
    let mut rest = indexes;
    let mut size = FIRST_BATCH;
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(size.min(rest.len()));
        let mut refused = false;
        for index in batch {
            refused |= !create_one(world, look, *index);
        }
        if refused {
            return false;
        }
        rest = after;
        size *= 2;
    }
    true
}

/// False: the API refused it.
fn create_one(world: &mut World, look: &mut Look, index: Option<i32>) -> bool {
    let annotations = match (look.spec.per_index, index) {
        (Some(_), Some(i)) => per_index::annotations(&look.job, look.to_be_replaced.get(&i)),
        _ => Vec::new(),
    };
    let pod = template::pod(&look.job, index, &annotations);
    match requests::create_pod(world, pod) {
        Ok(pod) => {
            look.active += 1;
            let message = format!("Created pod: {}", pod.name());
            say(world, &look.job, Tone::Normal, "SuccessfulCreate", &message);
            true
        }
        // Nothing can be made any more, and nobody wants to hear of it.
        Err(_) if namespace_ends(world, look) => true,
        Err(status) => {
            let message = format!("Error creating: {}", status.message);
            say(world, &look.job, Tone::Warning, "FailedCreate", &message);
            false
        }
    }
}

fn namespace_ends(world: &World, look: &Look) -> bool {
    let name = look.job.metadata.namespace.as_deref().unwrap_or_default();
    let namespace = world.store.get(&Key::new(Kind::Namespace, "", name));
    namespace.is_none_or(|n| n.meta().deletion_timestamp.is_some())
}

/// Deletes pods that are not to be counted: their finalizer goes first.
fn delete(world: &mut World, look: &mut Look, pods: &[SeenPod]) {
    for pod in pods {
        requests::untrack(world, &pod.key());
        delete_one(world, look, pod);
    }
}

/// Deletes all active pods of a Job that has ended; they keep their finalizer and are counted.
pub(super) fn delete_active(world: &mut World, look: &mut Look) {
    for pod in std::mem::take(&mut look.active_pods) {
        delete_one(world, look, &pod);
    }
}

fn delete_one(world: &mut World, look: &mut Look, pod: &SeenPod) {
    // A pod that is gone is as good as deleted.
    if requests::delete_pod(world, &pod.key()).is_ok() {
        let message = format!("Deleted pod: {}", pod.name());
        say(world, &look.job, Tone::Normal, "SuccessfulDelete", &message);
    }
    look.active -= 1;
    look.terminating += 1;
    look.ready -= count(usize::from(pod.ready));
}

/// A work queue is complete when one pod has succeeded and none is left, any other Job when enough have.
pub(super) fn complete(look: &Look) -> bool {
    let enough = match look.spec.completions {
        Some(completions) => look.succeeded >= completions,
        None => look.succeeded > 0,
    };
    enough && look.active == 0
}
