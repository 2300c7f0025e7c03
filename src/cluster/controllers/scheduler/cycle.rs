//! One look at all pods that want a node: each goes to the emptiest that it fits.

use std::sync::Arc;

use k8s_openapi::api::core::v1::PodCondition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::events::{self, Tone};
use super::fit::{Candidate, message};
use super::state::{OWN_LABELS, State};
use crate::cluster::object::Object;
use crate::cluster::world::World;

/// Labels of a node that its pods get.
const TOPOLOGY_LABELS: [&str; 2] = [
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];
/// Longest message in an event, as the real one cuts it.
const LONGEST_EVENT: usize = 1024;

/// Looks at who is new, and at who waits if something has changed.
pub(super) fn run(world: &mut World) {
    world.scheduler.awake = false;
    if std::mem::take(&mut world.scheduler.try_again) {
        again(world);
    }
    while let Some((_, uid)) = world.scheduler.active.pop_first() {
        // Alike pods are known not to fit: nothing has changed for the better since.
        let known = known_message(&world.scheduler, &uid);
        if let Some(message) = known {
            wait(world, &uid, message);
        } else {
            one(world, &uid);
        }
    }
}

/// Alike pods wait together: the first that doesn't fit speaks for those behind it.
fn again(world: &mut World) {
    let by_index = world.scheduler.groups.look_at(&OWN_LABELS);
    let mut turns: Vec<(u64, Arc<str>)> = world
        .scheduler
        .waiting
        .iter()
        .filter_map(|(alike, waiting)| Some((*waiting.pods.keys().next()?, Arc::clone(alike))))
        .collect();
    turns.sort();
    for (_, alike) in turns {
        let Some(waiting) = world.scheduler.waiting.remove(&alike) else {
            continue;
        };
        let mut pods = waiting.pods.into_iter();
        while let Some((order, uid)) = pods.next() {
            if one(world, &uid) || by_index {
                continue;
            }
            let new = world
                .scheduler
                .waiting
                .entry(Arc::clone(&alike))
                .or_default();
            if new.message == waiting.message {
                new.pods.extend(pods);
                break;
            }
            // Each is told that the reason is another one now.
            let message = new.message.clone();
            let _ = order;
            for (_, uid) in pods {
                wait(world, &uid, message.clone());
            }
            break;
        }
    }
}

fn known_message(state: &State, uid: &str) -> Option<String> {
    let tracked = state.pods.get(uid)?;
    if state.groups.look_at(&OWN_LABELS) {
        return None;
    }
    Some(state.waiting.get(&tracked.alike)?.message.clone())
}

/// Finds a node for a pod. Answers whether it need not wait.
fn one(world: &mut World, uid: &str) -> bool {
    let state = &world.scheduler;
    let Some(tracked) = state.pods.get(uid).filter(|t| t.node.is_none()) else {
        return true;
    };
    let candidate = Candidate {
        pod: tracked.pod(),
        requests: &tracked.requests,
        wants: &tracked.wants,
        against: state.groups.against(tracked.pod()),
    };
    let mut refusals = Vec::new();
    for (_, name) in &state.by_load {
        let Some(node) = state.nodes.get(name) else {
            continue;
        };
        match candidate.fits(name, node, &state.groups) {
            Ok(()) => {
                let name = name.clone();
                bind(world, uid, &name);
                return true;
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    let message = message(&refusals);
    wait(world, uid, message);
    false
}

fn bind(world: &mut World, uid: &str, node: &str) {
    let Some(tracked) = world.scheduler.pods.get(uid) else {
        return;
    };
    let mut pod = tracked.pod().clone();
    pod.spec.get_or_insert_default().node_name = Some(node.to_owned());
    if let Some(known) = world.scheduler.nodes.get(node) {
        for key in TOPOLOGY_LABELS {
            if let Some(value) = known.labels.get(key) {
                let labels = pod.metadata.labels.get_or_insert_default();
                labels
                    .entry(key.to_owned())
                    .or_insert_with(|| value.clone());
            }
        }
    }
    set_scheduled(&mut pod, world, "True", None);
    let text = format!(
        "Successfully assigned {}/{} to {node}",
        pod.metadata.namespace.as_deref().unwrap_or_default(),
        pod.metadata.name.as_deref().unwrap_or_default()
    );
    world.put(pod.clone().into());
    events::say(world, &pod, Tone::Normal, "Scheduled", "Binding", &text);
}

/// A pod fits nowhere: it is told so, and waits for a change.
fn wait(world: &mut World, uid: &str, message: String) {
    let state = &mut world.scheduler;
    let Some(tracked) = state.pods.get(uid) else {
        return;
    };
    let waiting = state.waiting.entry(Arc::clone(&tracked.alike)).or_default();
    waiting.pods.insert(tracked.order, uid.to_owned());
    waiting.message.clone_from(&message);
    let mut pod = tracked.pod().clone();
    let told = pod.clone();
    set_scheduled(&mut pod, world, "False", Some(&message));
    if pod == told {
        return;
    }
    world.put(Object::Pod(pod));
    let mut end = message.len().min(LONGEST_EVENT);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    events::say(
        world,
        &told,
        Tone::Warning,
        "FailedScheduling",
        "Scheduling",
        &message[..end],
    );
}

fn set_scheduled(
    pod: &mut k8s_openapi::api::core::v1::Pod,
    world: &World,
    status: &str,
    message: Option<&str>,
) {
    let generation = pod.metadata.generation;
    let conditions = pod
        .status
        .get_or_insert_default()
        .conditions
        .get_or_insert_default();
    let now = Time(world.second());
    let there = conditions.iter().position(|c| c.type_ == "PodScheduled");
    let since = there
        .filter(|at| conditions[*at].status == status)
        .and_then(|at| conditions[at].last_transition_time.clone());
    let condition = PodCondition {
        type_: "PodScheduled".to_owned(),
        status: status.to_owned(),
        reason: message.map(|_| "Unschedulable".to_owned()),
        message: message.map(str::to_owned),
        last_transition_time: Some(since.unwrap_or(now)),
        observed_generation: generation,
        ..PodCondition::default()
    };
    match there {
        Some(at) => conditions[at] = condition,
        None => conditions.push(condition),
    }
}
