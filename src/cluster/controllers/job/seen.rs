//! A pod as the controller looks at it: what it asks again and again is read once, when the pod changes.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::labels::{COMPLETION_INDEX, TRACKING_FINALIZER};
use crate::cluster::object::Object;
use crate::cluster::store::Key;

/// `status.phase`; in the order in which pods are chosen for removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Pending,
    Unknown,
    Running,
    Succeeded,
    Failed,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct SeenPod {
    object: Arc<Object>,
    pub(super) phase: Phase,
    /// It has a deletion timestamp.
    pub(super) deleting: bool,
    /// Its Ready condition is True.
    pub(super) ready: bool,
    /// It has the tracking finalizer: its end has not been counted.
    pub(super) tracked: bool,
    /// Its completion index, from the annotation.
    pub(super) index: Option<i32>,
}

impl SeenPod {
    /// None: not a pod.
    pub(super) fn new(object: &Arc<Object>) -> Option<Self> {
        let pod = object.as_pod()?;
        let status = pod.status.as_ref();
        let phase = match status.and_then(|s| s.phase.as_deref()) {
            Some("Running") => Phase::Running,
            Some("Succeeded") => Phase::Succeeded,
            Some("Failed") => Phase::Failed,
            Some("Unknown") => Phase::Unknown,
            _ => Phase::Pending,
        };
        let annotations = pod.metadata.annotations.as_ref();
        Some(Self {
            phase,
            deleting: pod.metadata.deletion_timestamp.is_some(),
            ready: condition_is(pod, "Ready", "True"),
            tracked: is_tracked(pod),
            index: annotations
                .and_then(|a| a.get(COMPLETION_INDEX))
                .and_then(|text| text.parse().ok())
                .filter(|index| *index >= 0),
            object: Arc::clone(object),
        })
    }

    /// The pod.
    pub(super) fn pod(&self) -> &Pod {
        match &*self.object {
            Object::Pod(pod) => pod,
            other => unreachable!("{:?} is not a pod", other.kind()),
        }
    }
    pub(super) fn uid(&self) -> &str {
        self.object.uid()
    }
    pub(super) fn name(&self) -> &str {
        self.object.name()
    }
    pub(super) fn key(&self) -> Key {
        Key::of(&self.object)
    }

    /// All its containers have ended.
    pub(super) fn ended(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }
    /// Neither ended nor being deleted.
    pub(super) fn active(&self) -> bool {
        !self.ended() && !self.deleting
    }
    /// Being deleted, not yet ended.
    pub(super) fn terminating(&self) -> bool {
        !self.ended() && self.deleting
    }
    /// It failed; also by being deleted, unless only pods that have ended are replaced.
    pub(super) fn failed(&self, only_ended: bool) -> bool {
        self.phase == Phase::Failed
            || (!only_ended && self.deleting && self.phase != Phase::Succeeded)
    }

    /// When it ended: its last container, else when it stopped being ready, else when its deletion was
    /// asked for, else its creation.
    pub(super) fn finished(&self) -> Timestamp {
        let pod = self.pod();
        let metadata = &pod.metadata;
        let deleted = || {
            let at = metadata.deletion_timestamp.as_ref()?.0;
            let grace = metadata.deletion_grace_period_seconds.unwrap_or_default();
            at.checked_sub(SignedDuration::from_secs(grace)).ok()
        };
        containers_ended(pod)
            .or_else(|| stopped_being_ready(pod))
            .or_else(deleted)
            .or_else(|| metadata.creation_timestamp.as_ref().map(|t| t.0))
            .unwrap_or_default()
    }
}

/// It has the tracking finalizer.
pub(super) fn is_tracked(pod: &Pod) -> bool {
    let finalizers = pod.metadata.finalizers.iter().flatten();
    finalizers.into_iter().any(|f| f == TRACKING_FINALIZER)
}

fn condition_is(pod: &Pod, kind: &str, status: &str) -> bool {
    let conditions = pod
        .status
        .iter()
        .flat_map(|s| s.conditions.iter().flatten());
    conditions
        .into_iter()
        .any(|c| c.type_ == kind && c.status == status)
}

fn stopped_being_ready(pod: &Pod) -> Option<Timestamp> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    let ready = conditions.iter().find(|c| c.type_ == "Ready")?;
    let since = ready.last_transition_time.as_ref()?.0;
    (ready.status == "False").then_some(since)
}

/// The end of the last container. A sidecar that still runs makes it unknown, a container as well.
fn containers_ended(pod: &Pod) -> Option<Timestamp> {
    let status = pod.status.as_ref()?;
    let is_sidecar = |status: &ContainerStatus| sidecars(pod).any(|name| name == status.name);
    let sidecars = status.init_container_statuses.iter().flatten();
    let containers = status.container_statuses.iter().flatten();
    let mut latest = None;
    for container in containers.chain(sidecars.filter(|s| is_sidecar(s))) {
        let end = container.state.as_ref()?.terminated.as_ref()?;
        latest = latest.max(Some(end.finished_at.as_ref()?.0));
    }
    latest
}

/// Names of the init containers that run beside the others.
pub(super) fn sidecars(pod: &Pod) -> impl Iterator<Item = &str> {
    let init = pod
        .spec
        .iter()
        .flat_map(|s| s.init_containers.iter().flatten());
    init.filter(|c| c.restart_policy.as_deref() == Some("Always"))
        .map(|c| c.name.as_str())
}
