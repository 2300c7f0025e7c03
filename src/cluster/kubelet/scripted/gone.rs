//! A deleted pod whose containers have ended is let go.

use crate::cluster::api::DeleteOptions;
use crate::cluster::world::World;

/// The kubelet's last word about a pod: it may go, if it is to.
pub(super) fn gone(world: &mut World, uid: &str) {
    let Some(run) = world.kubelets.pods.get(uid) else {
        return;
    };
    if world.kubelets.lost.contains(&run.node) {
        return;
    }
    let key = run.key.clone();
    let deleted = world
        .store
        .get(&key)
        .is_some_and(|o| o.uid() == uid && o.meta().deletion_timestamp.is_some());
    if deleted {
        let now = DeleteOptions {
            grace: Some(0),
            uid: Some(uid.to_owned()),
            ..DeleteOptions::default()
        };
        // It is there, and it is the one: nothing can be refused.
        let _ = world.delete(&key, &now);
    }
}
