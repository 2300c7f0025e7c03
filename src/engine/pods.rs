//! The pods of a run: a slab with an index by UID, and their share in the slots they belong to. Pods
//! of strangers never get here; pods of roles that the spec doesn't have are left out.

use std::collections::BTreeMap;

use k8s_openapi::jiff::Timestamp;

use crate::engine::input::{PodPhase, PodSeen};
use crate::engine::view::{Notice, SlotId, View};

/// A pod and what we remember about it.
#[derive(Debug)]
pub(super) struct Pod {
    pub(super) seen: PodSeen,
    pub(super) slot: SlotId,
    /// Position in the slot's list.
    place: u32,
    /// It was orphaned after its end: nobody will take it away, so nobody waits for it.
    pub(super) ignored: bool,
    /// Its present explanation has been told.
    pub(super) said_pending: bool,
    pub(super) said_stuck: bool,
    pub(super) said_running: bool,
    /// Counted as lost (NonIndexed Jobs, C01).
    pub(super) lost: bool,
    /// When its present way of waiting was first seen.
    pub(super) waiting_since: Option<Timestamp>,
    pub(super) notice: Option<Box<Notice>>,
}

/// All pods.
#[derive(Debug, Default)]
pub(super) struct Pods {
    slab: Vec<Option<Box<Pod>>>,
    free: Vec<u32>,
    by_uid: BTreeMap<Box<str>, u32>,
}

impl Pods {
    pub(super) fn get(&self, id: u32) -> Option<&Pod> {
        self.slab.get(id as usize)?.as_deref()
    }
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Pod> {
        self.slab.get_mut(id as usize)?.as_deref_mut()
    }
    pub(super) fn find(&self, uid: &str) -> Option<u32> {
        self.by_uid.get(uid).copied()
    }
    pub(super) fn iter(&self) -> impl Iterator<Item = &Pod> {
        self.by_uid.values().filter_map(|id| self.get(*id))
    }
}

/// A pod that no longer runs.
pub(super) fn over(pod: &PodSeen) -> bool {
    matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed)
}

impl View {
    /// Takes a pod in or brings it up to date; the pod as it was before.
    pub(super) fn put_pod(&mut self, seen: PodSeen) -> Option<(u32, Option<PodSeen>)> {
        let slot = self.slot_of(&seen.role, seen.job_index)?;
        if let Some(id) = self.pods.find(&seen.uid) {
            self.share_pod(id, false);
            let pod = self.pods.get_mut(id)?;
            let old = std::mem::replace(&mut pod.seen, seen);
            self.share_pod(id, true);
            self.settle(slot);
            return Some((id, Some(old)));
        }
        let place = self.slots[slot].pods.len();
        let uid: Box<str> = seen.uid.as_str().into();
        let pod = Box::new(Pod {
            seen,
            slot,
            place: u32::try_from(place).unwrap_or(u32::MAX),
            ignored: false,
            said_pending: false,
            said_stuck: false,
            said_running: false,
            lost: false,
            waiting_since: None,
            notice: None,
        });
        let id = if let Some(id) = self.pods.free.pop() {
            self.pods.slab[id as usize] = Some(pod);
            id
        } else {
            self.pods.slab.push(Some(pod));
            u32::try_from(self.pods.slab.len() - 1).unwrap_or(u32::MAX)
        };
        self.pods.by_uid.insert(uid, id);
        self.slots[slot].pods.push(id);
        self.share_pod(id, true);
        self.settle(slot);
        Some((id, None))
    }

    /// Takes a pod out.
    pub(super) fn drop_pod(&mut self, uid: &str) -> Option<Box<Pod>> {
        let id = self.pods.by_uid.remove(uid)?;
        self.share_pod(id, false);
        let pod = self.pods.slab[id as usize].take()?;
        self.pods.free.push(id);
        let slot = &mut self.slots[pod.slot];
        slot.pods.swap_remove(pod.place as usize);
        if let Some(moved) = slot.pods.get(pod.place as usize).copied()
            && let Some(other) = self.pods.get_mut(moved)
        {
            other.place = pod.place;
        }
        self.settle(pod.slot);
        Some(pod)
    }

    /// An ended pod without an owner: stops being waited for.
    pub(super) fn ignore_pod(&mut self, id: u32) {
        self.share_pod(id, false);
        let Some(pod) = self.pods.get_mut(id) else {
            return;
        };
        pod.ignored = true;
        let slot = pod.slot;
        self.share_pod(id, true);
        self.settle(slot);
    }

    fn share_pod(&mut self, id: u32, add: bool) {
        let Some(pod) = self.pods.get(id) else { return };
        let slot = &self.slots[pod.slot];
        let old = self.is_old(slot, pod.seen.restart_attempt, pod.seen.job_restart_attempt);
        let ok = !old
            && pod.seen.deleting.is_none()
            && (pod.seen.phase == PodPhase::Succeeded || pod.seen.ready);
        let waits = !old && pod.seen.deleting.is_none() && pod.seen.phase == PodPhase::Pending;
        let leaves = !pod.ignored && (pod.seen.deleting.is_some() || old);
        let (position, blocks) = (slot.role, !pod.ignored);
        let slot = &mut self.slots[pod.slot];
        let count = |n: &mut u32, yes: bool| {
            if yes && add {
                *n += 1;
            } else if yes {
                *n = n.saturating_sub(1);
            }
        };
        count(&mut slot.blockers, blocks);
        count(&mut slot.old_pods, blocks && old);
        count(&mut slot.pods_ok, ok);
        let role = &mut self.roles[position];
        let mut list = |waiting: bool, yes: bool| {
            let set = if waiting {
                &mut role.pending
            } else {
                &mut role.leaving
            };
            if yes && add {
                set.insert(id);
            } else {
                set.remove(&id);
            }
        };
        list(true, waits);
        list(false, leaves);
    }

    /// Counts a slot's pods afresh, after its attempt changed.
    pub(super) fn count_pods(&mut self, id: SlotId) {
        let slot = &mut self.slots[id];
        (slot.blockers, slot.old_pods, slot.pods_ok) = (0, 0, 0);
        for at in 0..self.slots[id].pods.len() {
            let pod = self.slots[id].pods[at];
            self.share_pod(pod, true);
        }
    }
}
