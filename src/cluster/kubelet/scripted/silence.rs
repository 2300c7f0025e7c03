//! Kubelets that nobody hears: what happens on their nodes is told when they are heard again.

use super::state::State;
use super::{gone, status};
use crate::cluster::world::World;

impl State {
    /// Nobody hears of the node any more.
    pub(in crate::cluster) fn lose(&mut self, node: &str) {
        self.lost.insert(node.to_owned());
    }

    /// Whether nobody hears of it.
    pub(in crate::cluster) fn is_lost(&self, node: &str) -> bool {
        self.lost.contains(node)
    }
}

/// A node is heard again.
pub(in crate::cluster) fn heard_again(world: &mut World, node: &str) {
    world.kubelets.lost.remove(node);
    let pods: Vec<(String, bool)> = world
        .kubelets
        .pods
        .iter()
        .filter(|(_, run)| run.node == node && !run.play.manual)
        .map(|(uid, run)| (uid.clone(), run.ended))
        .collect();
    for (uid, ended) in pods {
        status::write(world, &uid);
        if ended {
            gone::gone(world, &uid);
        }
    }
}
