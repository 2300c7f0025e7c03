//! Counting pods that have ended, so that none is counted twice: first their UIDs are written to the status,
//! then their finalizers are taken off, then the counts are raised. The status is written before and after,
//! so watchers see both; the end of the Job is written with the second.

use std::collections::BTreeSet;

use k8s_openapi::api::batch::v1::{Job, JobStatus};

use super::conditions::{self, FAILURE_TARGET, SUCCESS_CRITERIA_MET};
use super::indexes::Indexes;
use super::look::{Look, StoredJob, count};
use super::pod_failure_policy;
use super::seen::{Phase, SeenPod};
use super::verdict::End;
use super::{finish, requests};
use crate::cluster::object::Object;
use crate::cluster::world::World;

/// UIDs in the status at most, and finalizers taken off in one look.
const MOST_UNCOUNTED: usize = 500;

/// Counts what has ended and writes the status. `changed`: the status differs already.
pub(super) fn pods(world: &mut World, look: &mut Look, end: Option<End>, mut changed: bool) {
    let mut held: BTreeSet<String> = look
        .pods
        .iter()
        .filter(|p| p.tracked)
        .map(|p| p.uid().to_owned())
        .collect();
    changed |= raise_counts(look.status_mut(), &held);
    if look.spec.indexed {
        look.pods.sort_by_key(|p| p.index);
    }
    let counted = count_ended(look, end.as_ref());
    changed |= counted.changed;
    if look.spec.indexed {
        changed |= write_indexes(look, &counted.succeeded);
    }
    if let Some(end) = end.as_ref().filter(|e| !e.known) {
        let kind = if end.failed {
            FAILURE_TARGET
        } else {
            SUCCESS_CRITERIA_MET
        };
        let condition = conditions::new(kind, true, &end.reason, &end.message, world.second());
        let conditions = look.status_mut().conditions.get_or_insert_default();
        conditions.push(condition);
        changed = true;
    }
    if changed {
        write(world, look);
        let backoff = look.backoff;
        world.jobs.record(&look.uid).backoff = backoff;
    }
    for pod in &counted.done {
        requests::untrack(world, &pod.key());
        held.remove(pod.uid());
    }
    let mut changed = raise_counts(look.status_mut(), &held);
    let end = end.filter(|_| !counted.more && finish::may(look));
    if let Some(end) = &end {
        finish::note(world, look, end);
        changed = true;
    }
    if changed {
        write(world, look);
    }
    if let Some(end) = &end {
        finish::tell(world, look, end);
    }
}

/// What came of counting.
struct Counted {
    /// Pods whose finalizer can go.
    done: Vec<SeenPod>,
    /// Indexes that have newly succeeded, in order.
    succeeded: Vec<i32>,
    changed: bool,
    /// There are more than one look counts.
    more: bool,
}

fn count_ended(look: &mut Look, end: Option<&End>) -> Counted {
    let mut counted = Counted {
        done: Vec::new(),
        succeeded: Vec::new(),
        changed: false,
        more: false,
    };
    let mut uncounted = look
        .status_mut()
        .uncounted_terminated_pods
        .take()
        .unwrap_or_default();
    let (mut succeeded, mut failed) = (
        uncounted.succeeded.take().unwrap_or_default(),
        uncounted.failed.take().unwrap_or_default(),
    );
    let were = |list: &[String]| list.iter().cloned().collect::<BTreeSet<String>>();
    let (succeeded_before, failed_before) = (were(&succeeded), were(&failed));
    for pod in look.pods.iter().filter(|p| p.tracked) {
        let pod_failed = pod.failed(look.spec.replace_only_ended);
        if !may_be_released(look, end, pod, pod_failed) {
            continue;
        }
        counted.done.push(pod.clone());
        let uid = pod.uid();
        if pod.phase == Phase::Succeeded && !failed_before.contains(uid) {
            match pod.index.filter(|_| look.spec.indexed) {
                Some(index) => {
                    if look.spec.counts(Some(index)) && !look.succeeded_before.has(index) {
                        counted.succeeded.push(index);
                        counted.changed = true;
                    }
                }
                None if look.spec.indexed => {}
                None => {
                    if !succeeded_before.contains(uid) {
                        succeeded.push(uid.to_owned());
                        counted.changed = true;
                    }
                }
            }
        // In a Job that has failed, every pod that had not ended counts as failed.
        } else if (pod_failed || end.is_some_and(|e| e.failed))
            && !failed_before.contains(uid)
            && look.spec.counts(pod.index)
            && pod_failure_policy::meaning(&look.job, pod).counts()
        {
            failed.push(uid.to_owned());
            counted.changed = true;
        }
        if counted.succeeded.len() + succeeded.len() + failed.len() >= MOST_UNCOUNTED {
            counted.more = true;
            break;
        }
    }
    uncounted.succeeded = Some(succeeded).filter(|l| !l.is_empty());
    uncounted.failed = Some(failed).filter(|l| !l.is_empty());
    look.status_mut().uncounted_terminated_pods = Some(uncounted);
    counted
}

fn may_be_released(look: &Look, end: Option<&End>, pod: &SeenPod, pod_failed: bool) -> bool {
    let job_ends = look.job.metadata.deletion_timestamp.is_some() || end.is_some();
    if job_ends || pod.phase == Phase::Succeeded {
        return true;
    }
    let kept = || {
        let kept = pod.index.and_then(|i| look.to_be_replaced.get(&i));
        kept.is_some_and(|p| p.uid() == pod.uid())
    };
    pod_failed && !kept()
}

/// True: they are new in the status.
fn write_indexes(look: &mut Look, new: &[i32]) -> bool {
    look.succeeded_indexes = look
        .succeeded_indexes
        .union(&Indexes::of(new.iter().copied()));
    let completed = Some(look.succeeded_indexes.to_string()).filter(|t| !t.is_empty());
    let failed = look.failed_indexes.as_ref().map(ToString::to_string);
    let total = look.succeeded_indexes.total();
    let status = look.status_mut();
    let changed = status.completed_indexes != completed || status.failed_indexes != failed;
    status.succeeded = some(total);
    status.completed_indexes = completed;
    status.failed_indexes = failed;
    changed
}

/// Counts the UIDs whose pods have no finalizer any more. True: there were some.
fn raise_counts(status: &mut JobStatus, held: &BTreeSet<String>) -> bool {
    let uncounted = status.uncounted_terminated_pods.get_or_insert_default();
    let mut changed = false;
    let lists = [
        (&mut uncounted.succeeded, &mut status.succeeded),
        (&mut uncounted.failed, &mut status.failed),
    ];
    for (list, sum) in lists {
        let uids = list.take().unwrap_or_default();
        let (waiting, gone): (Vec<_>, Vec<_>) = uids.into_iter().partition(|u| held.contains(u));
        if !gone.is_empty() {
            *sum = some(sum.unwrap_or_default() + count(gone.len()));
            changed = true;
        }
        *list = Some(waiting).filter(|l| !l.is_empty());
    }
    changed
}

/// 0 is not written.
pub(super) fn some(n: i32) -> Option<i32> {
    Some(n).filter(|n| *n != 0)
}

/// Writes the status, unless the Job is gone or has been replaced.
fn write(world: &mut World, look: &mut Look) {
    let there = world.store.by_uid(&look.uid);
    if there.is_none() {
        return;
    }
    let mut job = Job::clone(&look.job);
    job.status = Some(look.status().clone());
    let written = world.put(Object::Job(job));
    if let Some(job) = StoredJob::new(&written) {
        look.job = job;
    }
}
