//! What the controller remembers: for each Job its pods, its back-off, when it is looked at next and what
//! was said about it; and pods without an owner, which a Job may adopt.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::jiff::Timestamp;

use super::backoff::Backoff;
use super::events::Said;
use super::labels::controller_of;
use super::queue::Waiting;
use super::seen::SeenPod;
use crate::cluster::object::Object;

/// See the module.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {
    /// By the Job's UID.
    pub(super) records: BTreeMap<String, Record>,
    /// Names by namespace.
    pub(super) orphans: BTreeMap<String, BTreeSet<String>>,
    /// Events so far.
    pub(super) spoken: u32,
}

/// One Job. It lives as long as the Job or one of its pods.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// By name.
    pub(super) pods: BTreeMap<String, SeenPod>,
    pub(super) backoff: Backoff,
    pub(super) waiting: Waiting,
    pub(super) said: Said,
    /// When it is to be deleted because its time after the end is over.
    pub(super) expires: Option<Timestamp>,
}

/// UID of the Job that controls an object.
pub(super) fn job_of(object: &Object) -> Option<&str> {
    controller_of(object.meta().owner_references.as_ref())
        .filter(|owner| owner.kind == "Job")
        .map(|owner| owner.uid.as_str())
}

/// Nobody controls it.
fn is_orphan(object: &Object) -> bool {
    controller_of(object.meta().owner_references.as_ref()).is_none()
}

impl State {
    /// The record of a Job.
    pub(super) fn record(&mut self, uid: &str) -> &mut Record {
        self.records.entry(uid.to_owned()).or_default()
    }

    /// A pod came or changed.
    pub(super) fn keep_pod(&mut self, object: &Arc<Object>) {
        if let (Some(uid), Some(pod)) = (job_of(object), SeenPod::new(object)) {
            let name = object.name();
            let pods = &mut self.record(uid).pods;
            match pods.get_mut(name) {
                Some(known) => *known = pod,
                None => {
                    pods.insert(name.to_owned(), pod);
                }
            }
        } else if is_orphan(object) {
            let names = self.orphans.entry(object.namespace().to_owned());
            names.or_default().insert(object.name().to_owned());
        }
    }

    /// A pod went, or isn't that one's any more.
    pub(super) fn drop_pod(&mut self, object: &Object) {
        if let Some(record) = job_of(object).and_then(|uid| self.records.get_mut(uid)) {
            record.pods.remove(object.name());
        } else if is_orphan(object)
            && let Some(names) = self.orphans.get_mut(object.namespace())
        {
            names.remove(object.name());
        }
    }

    /// A Job is gone; its pods may stay.
    pub(super) fn forget(&mut self, uid: &str) {
        if let Some(record) = self.records.get_mut(uid) {
            *record = Record {
                pods: std::mem::take(&mut record.pods),
                ..Record::default()
            };
        }
        self.forget_if_idle(uid);
    }

    /// The last pod of a Job that is gone may be gone.
    pub(super) fn forget_if_idle(&mut self, uid: &str) {
        if self.records.get(uid).is_some_and(|r| r.pods.is_empty()) {
            self.records.remove(uid);
        }
    }
}
