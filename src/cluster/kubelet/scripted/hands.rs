//! Things done to scripted pods by hand.

use super::play::{Exit, KILLED};
use super::{end, stop};
use crate::cluster::world::World;

impl World {
    /// Ends a container of a running pod now, whatever its script: the named one, or the first and the others
    /// well. Answers whether the pod ran.
    pub fn end_container(&mut self, pod_uid: &str, container: Option<&str>, exit: &Exit) -> bool {
        let runs = self.kubelets.pods.get(pod_uid).is_some_and(|run| {
            !run.stopping
                && run
                    .main
                    .iter()
                    .any(|c| c.running() && container.is_none_or(|name| name == c.name))
        });
        if runs {
            end::finish(self, pod_uid, container, exit);
        }
        runs
    }

    /// Whatever runs of a pod is killed by hand, also what does not stop when it is asked to. Answers whether
    /// anything ran.
    pub fn kill_containers(&mut self, pod_uid: &str) -> bool {
        let runs = self.kubelets.pods.get(pod_uid).is_some_and(|r| !r.ended);
        if runs {
            stop::stopped(self, pod_uid, KILLED);
        }
        runs
    }

    /// The kubelet evicts a pod, in these words. Answers whether it ran.
    pub fn evict_by_kubelet(&mut self, pod_uid: &str, message: &str) -> bool {
        stop::evict(self, pod_uid, message)
    }
}
