//! Pods come to their kubelets and go.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::play::Play;
use super::state::Run;
use super::{Due, end, gone, start, status, stop};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Change, ChangeKind, Key};
use crate::cluster::world::{self, World};

/// An object has changed.
pub(super) fn notice(world: &mut World, change: &Change) {
    let uid = change.object.uid();
    match &*change.object {
        Object::Pod(_) if change.kind == ChangeKind::Deleted => {
            world.kubelets.pods.remove(uid);
        }
        Object::Pod(pod) => {
            if world.kubelets.pods.contains_key(uid) {
                changed(world, uid, pod, change.previous.as_ref());
            } else if let Some(node) = node_of(pod)
                && runs_here(world, node)
                && !has_ended(pod)
            {
                take(world, uid, pod, node);
            }
        }
        Object::Node(_) if change.kind == ChangeKind::Added => {
            // Pods may have been bound to it before it came.
            let name = change.object.name().to_owned();
            let waiting: Vec<Arc<Object>> = world
                .store
                .list(Kind::Pod, None)
                .filter(|o| o.as_pod().and_then(node_of) == Some(&name))
                .map(Arc::clone)
                .collect();
            for object in waiting {
                if let Some(pod) = object.as_pod()
                    && !has_ended(pod)
                    && !world.kubelets.pods.contains_key(object.uid())
                    && runs_here(world, &name)
                {
                    take(world, object.uid(), pod, &name);
                }
            }
        }
        _ => {}
    }
}

fn runs_here(world: &World, node: &str) -> bool {
    !world.kubelets.foreign.contains(node)
        && world.store.get(&Key::new(Kind::Node, "", node)).is_some()
}

/// A kubelet sees a pod for the first time.
fn take(world: &mut World, uid: &str, pod: &Pod, node: &str) {
    let play = world.kubelets.play(pod);
    let key = Key::new(
        Kind::Pod,
        pod.metadata.namespace.as_deref().unwrap_or_default(),
        pod.metadata.name.as_deref().unwrap_or_default(),
    );
    let mut run = Run::of(pod, key, node, play, world.now());
    run.host_ip = host_ip(world, node);
    world.kubelets.pods.insert(uid.to_owned(), run);
    due(world, uid, 0, |uid, epoch| Due::Take { uid, epoch });
    if pod.metadata.deletion_timestamp.is_some() {
        stop::asked(world, uid, pod);
    }
}

/// It says that it has taken the pod, and begins.
pub(super) fn begin(world: &mut World, uid: &str) {
    let Some(run) = world.kubelets.pods.get(uid) else {
        return;
    };
    if run.play.manual {
        return;
    }
    let wait = run.play.start_after.unwrap_or(world.pace.start);
    if wait.is_positive() {
        status::write(world, uid);
    }
    let epoch = world.kubelets.pods[uid].epoch;
    let due = Due::Start {
        uid: uid.to_owned(),
        epoch,
    };
    if wait.is_positive() {
        world.after(wait, world::Due::Kubelet(due));
    } else {
        start::sandbox(world, uid);
    }
    stop::watch_deadline(world, uid);
}

/// A pod that is known has changed.
fn changed(world: &mut World, uid: &str, pod: &Pod, previous: Option<&Arc<Object>>) {
    let before = previous.and_then(|p| p.as_pod());
    let meta = |pod: &Pod| {
        (
            pod.metadata.deletion_timestamp.clone(),
            pod.metadata.deletion_grace_period_seconds,
        )
    };
    if pod.metadata.deletion_timestamp.is_some() && before.map(meta) != Some(meta(pod)) {
        stop::asked(world, uid, pod);
    }
    // Whoever plays the kubelet of this pod has written its end.
    let manual = world
        .kubelets
        .pods
        .get(uid)
        .is_some_and(|run| run.play.manual);
    if manual && has_ended(pod) && before.is_some_and(|b| !has_ended(b)) {
        gone::gone(world, uid);
    }
    if before.is_some_and(|b| b.metadata.annotations != pod.metadata.annotations) {
        let new = world.kubelets.play(pod);
        rewritten(world, uid, new);
    }
    let deadline = |pod: &Pod| pod.spec.as_ref().and_then(|s| s.active_deadline_seconds);
    if before.is_some_and(|b| deadline(b) != deadline(pod)) {
        stop::watch_deadline(world, uid);
    }
}

/// Somebody has given the pod another script while it runs: what it has not done yet is done by the new one.
fn rewritten(world: &mut World, uid: &str, new: Play) {
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    let ends = run.play.end != new.end;
    run.play = new;
    if ends && !run.stopping && !run.ended && !run.play.manual {
        end::plan(world, uid);
    }
}

fn due(world: &mut World, uid: &str, epoch: u32, make: impl Fn(String, u32) -> Due) {
    let now = world.now();
    world.at(now, world::Due::Kubelet(make(uid.to_owned(), epoch)));
}

fn node_of(pod: &Pod) -> Option<&str> {
    let node = pod.spec.as_ref()?.node_name.as_deref()?;
    Some(node).filter(|n| !n.is_empty())
}

fn has_ended(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref());
    matches!(phase, Some("Succeeded" | "Failed"))
}

fn host_ip(world: &World, node: &str) -> Option<String> {
    let node = world.store.get(&Key::new(Kind::Node, "", node))?;
    let Object::Node(node) = &**node else {
        return None;
    };
    let addresses = node.status.as_ref()?.addresses.as_ref()?;
    let own = addresses.iter().find(|a| a.type_ == "InternalIP")?;
    Some(own.address.clone())
}
