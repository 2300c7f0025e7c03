//! One look at a Job: what has ended, whether that decides the Job's end, which pods are to come or go, and
//! the status that follows.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::indexes::Indexes;
use super::look::{Look, StoredJob};
use super::seen::Phase;
use super::spec::managed_elsewhere;
use super::verdict::{self, End};
use super::{account, adopt, conditions, manage, per_index, queue, suspend};
use crate::cluster::world::World;

/// Looks at a Job.
pub(super) fn job(world: &mut World, uid: &str) {
    let Some(job) = world.store.by_uid(uid).and_then(|o| o.as_job()) else {
        return;
    };
    if managed_elsewhere(job) || conditions::finished(job).is_some() {
        world.jobs.record(uid).backoff = Default::default();
        return;
    }
    let Some(job) = world.store.by_uid(uid).and_then(StoredJob::new) else {
        return;
    };
    let pods = adopt::pods(world, &job);
    let backoff = world.jobs.record(uid).backoff;
    let mut look = Look::new(job, uid, pods, backoff);
    let all_done = sync(world, &mut look);
    queue::looked(world, uid, all_done);
}

fn sync(world: &mut World, look: &mut Look) -> bool {
    if look.status().start_time.is_none() && !look.spec.suspended {
        look.status_mut().start_time = Some(Time(world.second()));
    }
    let mut end = verdict::of_job(world, look);
    if look.spec.indexed {
        see_indexes(look);
        end = end.or_else(|| verdict::of_indexes(look));
    }
    let (mut all_done, mut changed) = (true, false);
    if end.is_some() {
        manage::delete_active(world, look);
    } else {
        let manages = look.job.metadata.deletion_timestamp.is_none();
        if manages {
            all_done = manage::pods(world, look);
        }
        if manage::complete(look) {
            end = Some(End::completed());
        } else if manages {
            changed = suspend::note(world, look);
        }
    }
    changed |= write_counts(look);
    account::pods(world, look, end, changed);
    all_done
}

/// Succeeded and failed indexes, with those of pods that are not yet counted.
fn see_indexes(look: &mut Look) {
    let completions = look.spec.indexes();
    let before = look.status().completed_indexes.as_deref();
    look.succeeded_before = Indexes::parse(before.unwrap_or_default(), completions);
    let new: BTreeSet<i32> = look
        .pods
        .iter()
        .filter(|p| p.phase == Phase::Succeeded && p.tracked && look.spec.counts(p.index))
        .filter_map(|p| p.index)
        .collect();
    look.succeeded_indexes = look.succeeded_before.union(&Indexes::of(new));
    look.succeeded = look.succeeded_indexes.total();
    if let Some(limit) = look.spec.per_index {
        let failed = per_index::failed_indexes(&look.job, &look.spec, limit, &look.pods);
        look.to_be_replaced =
            per_index::to_be_replaced(&look.spec, &look.pods, &look.succeeded_indexes, &failed);
        look.failed_indexes = Some(failed);
    }
}

/// True: they are new in the status.
fn write_counts(look: &mut Look) -> bool {
    let counts = (
        account::some(look.active),
        Some(look.ready),
        Some(look.terminating),
    );
    let status = look.status_mut();
    let before = (status.active, status.ready, status.terminating);
    (status.active, status.ready, status.terminating) = counts;
    before != counts
}
