//! The pod garbage collector: pods that nobody else can bring to an end. Those that are to be deleted and were
//! never on a node, and those whose node is gone. Each is made Failed first, so that its Job counts it.
//!
//! Not here: ended pods beyond a limit (12,500 in a real cluster) and nodes that are tainted as out of service.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Pod, PodCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::cluster::api::DeleteOptions;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Change, ChangeKind, Key};
use crate::cluster::world::{self, World};

/// Seconds between two looks.
const PERIOD: i64 = 20;
/// How long a node has to be missing.
const QUARANTINE: SignedDuration = SignedDuration::from_secs(40);

/// What it has to do at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) enum Due {
    /// Look at all pods.
    Look,
}

/// What it remembers.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {
    /// A look is put down.
    due: bool,
    /// Nodes that pods are bound to and that are not there, and since which look.
    missing: BTreeMap<String, Timestamp>,
}

/// An object has changed.
pub(in crate::cluster) fn notice(world: &mut World, change: &Change) {
    let concerns = match &*change.object {
        Object::Node(_) => change.kind == ChangeKind::Deleted,
        Object::Pod(pod) => {
            change.kind != ChangeKind::Deleted
                && (is_stranded(pod) || node(pod).is_some_and(|node| !has_node(world, node)))
        }
        _ => false,
    };
    if concerns {
        look_later(world);
    }
}

/// Something is due.
pub(in crate::cluster) fn run(world: &mut World, due: Due) {
    let Due::Look = due;
    world.podgc.due = false;
    let now = world.now();
    let (mut ending, mut missing) = (Vec::new(), BTreeMap::new());
    for object in world.store.list(Kind::Pod, None) {
        let Some(pod) = object.as_pod() else {
            continue;
        };
        if is_stranded(pod) {
            ending.push((Key::of(object), None));
        } else if let Some(node) = node(pod).filter(|node| !has_node(world, node)) {
            let since = *world.podgc.missing.get(node).unwrap_or(&now);
            missing.insert(node.to_owned(), since);
            if now.duration_since(since) >= QUARANTINE {
                ending.push((Key::of(object), Some(node_is_gone(world))));
            }
        }
    }
    missing.retain(|_, since| now.duration_since(*since) < QUARANTINE);
    let again = !missing.is_empty();
    world.podgc.missing = missing;
    if again {
        look_later(world);
    }
    for (key, condition) in ending {
        end(world, &key, condition);
    }
}

fn look_later(world: &mut World) {
    if !world.podgc.due {
        world.podgc.due = true;
        let second = world.now().as_second();
        let next = (second.div_euclid(PERIOD) + 1) * PERIOD;
        let at = Timestamp::from_second(next).unwrap_or(world.now());
        world.at(at, world::Due::PodGc(Due::Look));
    }
}

/// It is to be deleted and was never on a node.
fn is_stranded(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some() && node(pod).is_none()
}

fn node(pod: &Pod) -> Option<&str> {
    let name = pod.spec.as_ref()?.node_name.as_deref();
    name.filter(|name| !name.is_empty())
}

fn has_node(world: &World, name: &str) -> bool {
    world.store.get(&Key::new(Kind::Node, "", name)).is_some()
}

fn node_is_gone(world: &World) -> PodCondition {
    PodCondition {
        last_transition_time: Some(Time(world.second())),
        message: Some("PodGC: node no longer exists".to_owned()),
        reason: Some("DeletionByPodGC".to_owned()),
        status: "True".to_owned(),
        type_: "DisruptionTarget".to_owned(),
        ..PodCondition::default()
    }
}

/// Makes a pod Failed, unless it has ended, and deletes it without grace.
fn end(world: &mut World, key: &Key, condition: Option<PodCondition>) {
    let Some(pod) = world.store.get(key).and_then(|o| o.as_pod()) else {
        return;
    };
    let mut pod = pod.clone();
    let status = pod.status.get_or_insert_default();
    if !matches!(status.phase.as_deref(), Some("Succeeded" | "Failed")) {
        status.phase = Some("Failed".to_owned());
        if let Some(condition) = condition {
            let conditions = status.conditions.get_or_insert_default();
            conditions.retain(|c| c.type_ != condition.type_);
            conditions.push(condition);
        }
        world.put(pod.into());
    }
    let options = DeleteOptions {
        grace: Some(0),
        ..DeleteOptions::default()
    };
    // It was there a moment ago.
    let _ = world.delete(key, &options);
}
