//! Pods that do not bear a taint of their node (`NoExecute`), or bear it for some time only, are deleted.

use k8s_openapi::api::core::v1::{Pod, PodCondition, Taint};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::SignedDuration;

use super::Due;
use super::lost::UNREACHABLE;
use crate::cluster::api::DeleteOptions;
use crate::cluster::controllers::scheduler::bears;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::{self, World};

const NOT_READY: &str = "node.kubernetes.io/not-ready";
/// Every pod bears these marks of a node for so long, unless it says something else itself.
const USUAL_SECONDS: i64 = 300;

/// A pod is on a tainted node: how long it may stay. None: for ever.
fn stays(pod: &Pod, taints: &[Taint]) -> Option<SignedDuration> {
    let tolerations = pod
        .spec
        .as_ref()
        .and_then(|s| s.tolerations.as_deref())
        .unwrap_or_default();
    let mut least: Option<i64> = None;
    for taint in taints.iter().filter(|t| t.effect == "NoExecute") {
        let mut borne = tolerations.iter().filter(|t| bears(t, taint)).peekable();
        let seconds = match borne.peek() {
            None if matches!(taint.key.as_str(), UNREACHABLE | NOT_READY) => Some(USUAL_SECONDS),
            None => Some(0),
            Some(_) => borne.filter_map(|t| t.toleration_seconds).min(),
        };
        least = match (least, seconds) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    least.map(|seconds| SignedDuration::from_secs(seconds.max(0)))
}

/// A node's taints have changed: plans who has to go.
pub(super) fn plan(world: &mut World, node: &str, taints: &[Taint]) {
    for key in super::pods_on(world, node) {
        plan_pod(world, &key, taints);
    }
}

/// Plans when a pod has to go.
pub(super) fn plan_pod(world: &mut World, key: &Key, taints: &[Taint]) {
    let Some(object) = world.store.get(key) else {
        return;
    };
    if let Some(wait) = object.as_pod().and_then(|pod| stays(pod, taints)) {
        let due = Due::Evict {
            uid: object.uid().to_owned(),
            since: world.now(),
        };
        world.after(wait, world::Due::Node(due));
    }
}

/// A pod's time on its node may be over.
pub(super) fn evict(world: &mut World, uid: &str, since: k8s_openapi::jiff::Timestamp) {
    let Some(object) = world.store.by_uid(uid).cloned() else {
        return;
    };
    let Some(pod) = object
        .as_pod()
        .filter(|p| p.metadata.deletion_timestamp.is_none())
    else {
        return;
    };
    let node = pod
        .spec
        .as_ref()
        .and_then(|s| s.node_name.clone())
        .unwrap_or_default();
    let taints = match world
        .store
        .get(&Key::new(Kind::Node, "", &node))
        .map(|n| &**n)
    {
        Some(Object::Node(node)) => node.spec.as_ref().and_then(|s| s.taints.clone()),
        _ => None,
    };
    // The taint may have gone meanwhile, or have come anew.
    let over = stays(pod, &taints.unwrap_or_default())
        .is_some_and(|wait| world.now().duration_since(since) >= wait);
    if !over {
        return;
    }
    let mut marked = pod.clone();
    let conditions = marked
        .status
        .get_or_insert_default()
        .conditions
        .get_or_insert_default();
    conditions.retain(|c| c.type_ != "DisruptionTarget");
    conditions.push(PodCondition {
        type_: "DisruptionTarget".to_owned(),
        status: "True".to_owned(),
        reason: Some("DeletionByTaintManager".to_owned()),
        message: Some("Taint manager: deleting due to NoExecute taint".to_owned()),
        last_transition_time: Some(Time(world.second())),
        observed_generation: pod.metadata.generation,
        ..PodCondition::default()
    });
    let key = Key::of(&object);
    world.put(marked.into());
    // It is there: nothing can be refused.
    let _ = world.delete(&key, &DeleteOptions::default());
}
