//! Which pods go first where there are too many: those that have come least far.

use std::cmp::Ordering;

use k8s_openapi::jiff::Timestamp;

use super::seen::{SeenPod, sidecars};
use super::spec::Spec;

/// Pods to remove: repetitions of an index and pods without one that counts, in any case; then as many more
/// as are asked for.
pub(super) fn choose(spec: &Spec, active: &[SeenPod], at_least: usize) -> Vec<SeenPod> {
    let (mut remove, mut left) = if spec.indexed {
        repeated(spec, active)
    } else {
        (Vec::new(), active.to_vec())
    };
    if remove.len() < at_least {
        left.sort_by(first_to_go);
        let more = at_least - remove.len();
        remove.extend(left.into_iter().take(more));
    }
    remove
}

fn repeated(spec: &Spec, active: &[SeenPod]) -> (Vec<SeenPod>, Vec<SeenPod>) {
    let mut by_index = active.to_vec();
    by_index.sort_by_key(|p| p.index);
    let (mut remove, mut left) = (Vec::new(), Vec::new());
    for same in by_index.chunk_by_mut(|a, b| a.index == b.index) {
        same.sort_by(first_to_go);
        let keep = usize::from(spec.counts(same[0].index));
        let (go, stay) = same.split_at(same.len() - keep);
        remove.extend_from_slice(go);
        left.extend_from_slice(stay);
    }
    (remove, left)
}

/// Unbound before bound, pending before running, not ready before ready, ready for a short time before a long
/// one, more restarts before fewer, younger before older.
fn first_to_go(a: &SeenPod, b: &SeenPod) -> Ordering {
    let bound = |p: &SeenPod| {
        let spec = p.pod().spec.as_ref();
        spec.is_some_and(|s| s.node_name.as_ref().is_some_and(|n| !n.is_empty()))
    };
    let created = |p: &SeenPod| p.pod().metadata.creation_timestamp.as_ref().map(|t| t.0);
    let ready_since = |p: &SeenPod| if p.ready { ready_time(p) } else { None };
    bound(a)
        .cmp(&bound(b))
        .then_with(|| a.phase.cmp(&b.phase))
        .then_with(|| a.ready.cmp(&b.ready))
        .then_with(|| later_first(ready_since(a), ready_since(b)))
        .then_with(|| restarts(b).cmp(&restarts(a)))
        .then_with(|| later_first(created(a), created(b)))
}

/// Unknown before later before earlier.
fn later_first(a: Option<Timestamp>, b: Option<Timestamp>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.cmp(&a),
        _ => a.is_some().cmp(&b.is_some()),
    }
}

fn ready_time(pod: &SeenPod) -> Option<Timestamp> {
    let conditions = pod.pod().status.as_ref()?.conditions.as_ref()?;
    let ready = conditions.iter().find(|c| c.type_ == "Ready")?;
    ready.last_transition_time.as_ref().map(|t| t.0)
}

/// Most restarts of a container, then of a sidecar.
fn restarts(pod: &SeenPod) -> (i32, i32) {
    let pod = pod.pod();
    let Some(status) = &pod.status else {
        return (0, 0);
    };
    let most = |counts: &mut dyn Iterator<Item = i32>| counts.max().unwrap_or_default();
    let containers = status.container_statuses.iter().flatten();
    let init = status.init_container_statuses.iter().flatten();
    let mut beside = init.filter(|c| sidecars(pod).any(|name| name == c.name));
    (
        most(&mut containers.map(|c| c.restart_count)),
        most(&mut beside.by_ref().map(|c| c.restart_count)),
    )
}
