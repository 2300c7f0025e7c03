//! Nodes that nobody hears of: after a while they are marked, and their pods too. They may come back; their
//! pods have gone on meanwhile.

use k8s_openapi::api::core::v1::{Node, Taint};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::SignedDuration;

use super::{CONDITIONS, Due};
use crate::cluster::kubelet::scripted;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::{self, World};

/// Silence after which a node counts as lost.
const PATIENCE: SignedDuration = SignedDuration::from_secs(50);
/// The mark.
pub(super) const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

impl World {
    /// Nobody hears of a node any more. Its pods go on, but nobody is told.
    pub fn lose_node(&mut self, name: &str) {
        self.kubelets.lose(name);
        let due = Due::Silent {
            node: name.to_owned(),
        };
        self.after(PATIENCE, world::Due::Node(due));
    }

    /// A lost node is back: it tells all that has happened.
    pub fn return_node(&mut self, name: &str) {
        if !self.kubelets.is_lost(name) {
            return;
        }
        scripted::heard_again(self, name);
        let now = self.second();
        change(self, name, |node| {
            let spec = node.spec.get_or_insert_default();
            let mut taints = spec.taints.take().unwrap_or_default();
            taints.retain(|t| t.key != UNREACHABLE);
            spec.taints = Some(taints).filter(|t| !t.is_empty());
            let conditions = node
                .status
                .get_or_insert_default()
                .conditions
                .iter_mut()
                .flatten();
            for condition in conditions {
                let healthy = CONDITIONS.iter().find(|c| c.0 == condition.type_);
                if let Some((_, status, reason, message)) = healthy
                    && condition.status == "Unknown"
                {
                    condition.status = (*status).to_owned();
                    condition.reason = Some((*reason).to_owned());
                    condition.message = Some((*message).to_owned());
                    condition.last_transition_time = Some(Time(now));
                }
            }
        });
    }
}

/// A node has been silent for long.
pub(super) fn silent(world: &mut World, name: &str) {
    if !world.kubelets.is_lost(name) {
        return;
    }
    let now = world.second();
    change(world, name, |node| {
        let conditions = node
            .status
            .get_or_insert_default()
            .conditions
            .iter_mut()
            .flatten();
        for condition in conditions.filter(|c| c.status != "Unknown") {
            condition.status = "Unknown".to_owned();
            condition.reason = Some("NodeStatusUnknown".to_owned());
            condition.message = Some("Kubelet stopped posting node status.".to_owned());
            condition.last_transition_time = Some(Time(now));
        }
        let taints = node
            .spec
            .get_or_insert_default()
            .taints
            .get_or_insert_default();
        for effect in ["NoSchedule", "NoExecute"] {
            if !taints
                .iter()
                .any(|t| t.key == UNREACHABLE && t.effect == effect)
            {
                taints.push(Taint {
                    key: UNREACHABLE.to_owned(),
                    effect: effect.to_owned(),
                    time_added: Some(Time(now)),
                    value: None,
                });
            }
        }
    });
    for key in super::pods_on(world, name) {
        let Some(mut pod) = world.store.get(&key).and_then(|o| o.as_pod()).cloned() else {
            continue;
        };
        let conditions = pod
            .status
            .get_or_insert_default()
            .conditions
            .iter_mut()
            .flatten();
        for condition in conditions.filter(|c| c.type_ == "Ready" && c.status != "False") {
            condition.status = "False".to_owned();
            condition.last_transition_time = Some(Time(now));
        }
        world.put(pod.into());
    }
}

fn change(world: &mut World, name: &str, change: impl FnOnce(&mut Node)) {
    let there = world.store.get(&Key::new(Kind::Node, "", name));
    let Some(Object::Node(mut node)) = there.map(|o| Object::clone(o)) else {
        return;
    };
    change(&mut node);
    world.put(node.into());
}
