//! The pods of a Job: those that it controls, and those without a controller that its selector matches, which
//! it takes as its own. A pod that its selector no longer matches is let go.

use k8s_openapi::api::batch::v1::Job;

use super::labels::{TRACKING_FINALIZER, selects};
use super::seen::{SeenPod, is_tracked};
use super::{requests, template};
use crate::cluster::object::Kind;
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// Pods of a Job, by name.
pub(super) fn pods(world: &mut World, job: &Job) -> Vec<SeenPod> {
    let uid = job.metadata.uid.as_deref().unwrap_or_default();
    let being_deleted = job.metadata.deletion_timestamp.is_some();
    let selector = job.spec.as_ref().and_then(|s| s.selector.as_ref());
    if !being_deleted {
        adopt(world, job);
    }
    let all = world.jobs.record(uid).pods.values();
    let matches = |p: &&SeenPod| selects(selector, p.pod().metadata.labels.as_ref());
    let (ours, others): (Vec<&SeenPod>, Vec<&SeenPod>) = all.partition(matches);
    let ours = ours.into_iter().cloned().collect();
    let others: Vec<Key> = others.into_iter().map(SeenPod::key).collect();
    if !being_deleted {
        for key in others {
            requests::change_pod(world, &key, |pod| {
                let metadata = &mut pod.metadata;
                metadata.owner_references.iter_mut().for_each(|owners| {
                    owners.retain(|o| o.uid != uid);
                });
                if let Some(finalizers) = &mut metadata.finalizers {
                    finalizers.retain(|f| f != TRACKING_FINALIZER);
                }
            });
        }
    }
    ours
}

fn adopt(world: &mut World, job: &Job) {
    let namespace = job.metadata.namespace.as_deref().unwrap_or_default();
    let selector = job.spec.as_ref().and_then(|s| s.selector.as_ref());
    let names = world.jobs.orphans.get(namespace).into_iter().flatten();
    let keys: Vec<Key> = names
        .map(|name| Key::new(Kind::Pod, namespace, name))
        .filter(|key| {
            world.store.get(key).is_some_and(|pod| {
                let metadata = pod.meta();
                metadata.deletion_timestamp.is_none() && selects(selector, metadata.labels.as_ref())
            })
        })
        .collect();
    for key in keys {
        requests::change_pod(world, &key, |pod| {
            let tracked = is_tracked(pod);
            let metadata = &mut pod.metadata;
            let owners = metadata.owner_references.get_or_insert_default();
            owners.push(template::owner(job));
            if !tracked {
                let finalizers = metadata.finalizers.get_or_insert_default();
                finalizers.push(TRACKING_FINALIZER.to_owned());
            }
        });
    }
}
