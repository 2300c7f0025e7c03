//! Nodes: how they come (`shape`), what becomes of those that nobody hears of (`lost`), and of pods that do
//! not bear a taint (`evict`).
//!
//! What it does not do: a limit to how many pods are evicted at once when many nodes are lost.

mod evict;
mod lost;
mod shape;
#[cfg(test)]
mod tests;

use shape::CONDITIONS;
pub use shape::NodeShape;

use k8s_openapi::jiff::Timestamp;

use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Change, ChangeKind, Key};
use crate::cluster::world::World;

/// What is remembered of nodes.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {
    /// Nodes that have come so far.
    came: u32,
    /// Nodes have taints that pods may have to go for.
    tainted: bool,
}

/// What it has to do at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) enum Due {
    /// A node may have been silent for too long.
    Silent {
        /// Its name.
        node: String,
    },
    /// A pod may have to go.
    Evict {
        /// Its UID.
        uid: String,
        /// Since when it is on a tainted node.
        since: Timestamp,
    },
}

/// An object has changed.
pub(in crate::cluster) fn notice(world: &mut World, change: &Change) {
    if change.kind == ChangeKind::Deleted {
        return;
    }
    match (&*change.object, change.previous.as_deref()) {
        (Object::Node(node), previous) => {
            let taints = |node: &k8s_openapi::api::core::v1::Node| {
                node.spec
                    .as_ref()
                    .and_then(|s| s.taints.clone())
                    .unwrap_or_default()
            };
            let new = taints(node);
            let old = match previous {
                Some(Object::Node(old)) => taints(old),
                _ => Vec::new(),
            };
            if new != old && new.iter().any(|t| t.effect == "NoExecute") {
                world.nodes.tainted = true;
                evict::plan(world, change.object.name(), &new);
            }
        }
        (Object::Pod(pod), previous) if world.nodes.tainted => {
            let bound = |pod: &k8s_openapi::api::core::v1::Pod| {
                pod.spec.as_ref().and_then(|s| s.node_name.clone())
            };
            let Some(node) = bound(pod) else { return };
            if previous.and_then(|o| o.as_pod()).and_then(bound).is_some() {
                return;
            }
            let taints = match world
                .store
                .get(&Key::new(Kind::Node, "", &node))
                .map(|n| &**n)
            {
                Some(Object::Node(node)) => node.spec.as_ref().and_then(|s| s.taints.clone()),
                _ => None,
            };
            evict::plan_pod(world, &Key::of(&change.object), &taints.unwrap_or_default());
        }
        _ => {}
    }
}

/// Something is due.
pub(in crate::cluster) fn run(world: &mut World, due: Due) {
    match due {
        Due::Silent { node } => lost::silent(world, &node),
        Due::Evict { uid, since } => evict::evict(world, &uid, since),
    }
}

/// Pods of a node.
fn pods_on(world: &World, node: &str) -> Vec<Key> {
    world
        .store
        .list(Kind::Pod, None)
        .filter(|o| {
            let pod = o.as_pod();
            pod.and_then(|p| p.spec.as_ref()?.node_name.as_deref()) == Some(node)
        })
        .map(|o| Key::of(o))
        .collect()
}
