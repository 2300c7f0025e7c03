//! A session whose pods do what a script says: a kubelet without a will of its own, that ends what was
//! deleted after as long as it is told to. Pure.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::api::JobSet;
use crate::cluster::api::rights::ADMIN;
use crate::cluster::api::{DeleteOptions, Request, Verb};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::ChangeKind;
use crate::cluster::world::{World, WorldOptions};
use crate::engine::Options;
use crate::simulate::cluster;
use crate::simulate::pod_state;
use crate::simulate::session::{Delays, Session, Setup};

/// The first moment of every script.
const START: Timestamp = Timestamp::constant(1_772_452_800, 0);
/// From the deletion of a pod that runs nothing to its being gone.
const AT_ONCE: SignedDuration = SignedDuration::from_millis(1);

/// See the module.
#[derive(Debug)]
pub struct Stage {
    /// Driver and world.
    pub session: Session,
    /// From the deletion of a running pod to its end.
    pub(super) terminate: SignedDuration,
    /// Pods that end, by UID.
    ends: BTreeMap<(Timestamp, u64), String>,
    ending: BTreeSet<String>,
    serial: u64,
    /// Version up to which pods have been looked at.
    seen: u64,
}

impl Stage {
    /// A run of that JobSet on a world of its own, without a driver yet.
    ///
    /// # Errors
    /// The world refuses the run.
    pub fn open(
        jobset: &JobSet,
        namespace: &str,
        options: Options,
        seed: u64,
    ) -> Result<Self, String> {
        let mut world = World::new(WorldOptions::new(START, seed));
        cluster::furnish_by_hand(&mut world, namespace);
        let setup = Setup {
            jobset: jobset.clone(),
            namespace: namespace.to_owned(),
            user: cluster::DRIVER.to_owned(),
            options,
            delays: Delays::default(),
        };
        let mut session = Session::new(world, setup).map_err(|status| status.message)?;
        session.strict = true;
        Ok(Self {
            session,
            terminate: SignedDuration::ZERO,
            ends: BTreeMap::new(),
            ending: BTreeSet::new(),
            serial: 0,
            seen: 0,
        })
    }

    /// When something happens next, if anything is under way.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let end = self.ends.keys().next().map(|(at, _)| *at);
        [self.session.next_due(), end].into_iter().flatten().min()
    }

    /// Moves to `to`. True: something changed for the engine.
    pub(super) fn turn(&mut self, to: Timestamp) -> bool {
        let changed = self.session.turn(to);
        self.look();
        self.end_what_is_due();
        changed
    }

    /// Looks for pods that have been deleted and still run.
    pub(super) fn look(&mut self) {
        let world = &self.session.world;
        let Ok(changes) = world.store().changes_after(Kind::Pod, self.seen) else {
            return;
        };
        for change in changes {
            let uid = change.object.uid();
            let Object::Pod(pod) = &*change.object else {
                continue;
            };
            if change.kind == ChangeKind::Deleted {
                self.ending.remove(uid);
                continue;
            }
            if pod.metadata.deletion_timestamp.is_none() || !self.ending.insert(uid.to_owned()) {
                continue;
            }
            let bound = pod.spec.as_ref().is_some_and(|s| s.node_name.is_some());
            let wait = if bound && !pod_state::has_ended(pod) {
                self.terminate.max(AT_ONCE)
            } else {
                AT_ONCE
            };
            self.serial += 1;
            let at = world.now().saturating_add(wait).unwrap_or(world.now());
            self.ends.insert((at, self.serial), uid.to_owned());
        }
        self.seen = world.version();
    }

    /// Nothing of a pod runs any more: its kubelet lets the server take it away.
    fn end_what_is_due(&mut self) {
        let mut some = false;
        while let Some(first) = self.ends.first_entry()
            && first.key().0 <= self.session.now()
        {
            let uid = first.remove();
            let Some(pod) = self.session.world.store().by_uid(&uid).cloned() else {
                continue;
            };
            let request = Request {
                user: ADMIN.to_owned(),
                kind: Kind::Pod,
                namespace: Some(pod.namespace().to_owned()),
                name: Some(pod.name().to_owned()),
                subresource: None,
                verb: Verb::Delete(DeleteOptions {
                    grace: Some(0),
                    uid: Some(uid),
                    ..DeleteOptions::default()
                }),
            };
            // It may be gone, or held by a finalizer: then it goes when that does.
            some |= self.session.world.call(&request).is_ok();
        }
        if some {
            self.session.poll();
        }
    }
}
