//! Pods that are ended from outside: deleted, past their deadline, evicted.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::play::{Exit, KILLED, TERMINATED, Terminate};
use super::state::{Ended, Stage, Verdict};
use super::{Due, end, gone, status};
use crate::cluster::world::{self, World};

/// Grace that a pod has where it says nothing.
const USUAL_GRACE: i64 = 30;

/// Somebody has deleted the pod, or wants it sooner.
pub(super) fn asked(world: &mut World, uid: &str, pod: &Pod) {
    let now = world.now();
    let grace = pod
        .metadata
        .deletion_grace_period_seconds
        .unwrap_or_default();
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    if run.ended {
        return gone::gone(world, uid);
    }
    if grace == 0 && run.stopping {
        // Its finalizers hold it; its end is on its way.
        return;
    }
    run.stopping = true;
    let asked = *run.stop_asked.get_or_insert(now);
    let until = asked
        .saturating_add(SignedDuration::from_secs(grace))
        .unwrap_or(now);
    plan(world, uid, asked, until);
}

/// Plans the end of what runs: when it likes to, but not after `until`.
fn plan(world: &mut World, uid: &str, asked: Timestamp, until: Timestamp) {
    let (now, usual) = (world.now(), world.pace.terminate);
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    run.epoch += 1;
    let terminate = run.play.terminate.unwrap_or({
        // Annotated pods end at once.
        let wait = if run.play.manual {
            SignedDuration::ZERO
        } else {
            usual
        };
        Terminate::After(wait)
    });
    let after = |wait| asked.saturating_add(wait).unwrap_or(now);
    let (at, code) = match terminate {
        Terminate::Never => return,
        Terminate::Stubborn(wait) => (after(wait), TERMINATED),
        Terminate::After(wait) if after(wait) > until => (until, KILLED),
        Terminate::After(wait) => (after(wait), TERMINATED),
    };
    let due = Due::Stopped {
        uid: uid.to_owned(),
        epoch: run.epoch,
        code,
    };
    world.at(at.max(now), world::Due::Kubelet(due));
}

/// Nothing runs any more.
pub(super) fn stopped(world: &mut World, uid: &str, code: i32) {
    let now = world.now();
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    let exit = Exit::code(code);
    let initialized = run.next_init().is_none();
    let manual = run.play.manual;
    for (held, main) in run
        .init
        .iter_mut()
        .map(|c| (c, false))
        .chain(run.main.iter_mut().map(|c| (c, true)))
    {
        match held.stage.clone() {
            Stage::Running { since, id } => end::ended(held, now, since, id, &exit),
            Stage::Ended(_) => {}
            // It waited to be started again: what is left of it is how it ended.
            Stage::Waiting { .. } if held.last.is_some() => {
                if let Some(last) = held.last.take() {
                    held.stage = Stage::Ended(last);
                }
            }
            Stage::Waiting { .. } if main && manual => {
                held.stage = Stage::Ended(Ended {
                    code,
                    signal: None,
                    reason: "Error".to_owned(),
                    message: None,
                    started: None,
                    finished: Some(now),
                    id: None,
                });
            }
            Stage::Waiting { .. } if main && initialized => held.stage = Stage::Ended(unknown()),
            Stage::Waiting { .. } => {}
        }
    }
    end::close(run, now);
    status::write(world, uid);
    gone::gone(world, uid);
}

/// What a kubelet says of a container that it never started.
fn unknown() -> Ended {
    Ended {
        code: KILLED,
        signal: None,
        reason: "ContainerStatusUnknown".to_owned(),
        message: Some("The container could not be located when the pod was terminated".to_owned()),
        started: None,
        finished: None,
        id: None,
    }
}

/// Plans the end of a pod's time on its node.
pub(super) fn watch_deadline(world: &mut World, uid: &str) {
    if let Some(at) = deadline(world, uid) {
        let due = Due::Deadline {
            uid: uid.to_owned(),
        };
        world.at(at.max(world.now()), world::Due::Kubelet(due));
    }
}

fn deadline(world: &World, uid: &str) -> Option<Timestamp> {
    let run = world.kubelets.pods.get(uid)?;
    let pod = world.store.get(&run.key)?.as_pod()?;
    let seconds = pod.spec.as_ref()?.active_deadline_seconds?;
    run.taken
        .checked_add(SignedDuration::from_secs(seconds))
        .ok()
}

/// A pod's time may be over.
pub(super) fn deadline_passed(world: &mut World, uid: &str) {
    if deadline(world, uid).is_some_and(|at| at <= world.now()) {
        let verdict = Verdict {
            reason: "DeadlineExceeded",
            message: "Pod was active on the node longer than the specified deadline".to_owned(),
            disruption: false,
        };
        kill(world, uid, verdict, None);
    }
}

/// The kubelet ends a pod as a whole; `grace` in seconds, the pod's own where none is given. Answers whether
/// it ran.
pub(super) fn kill(world: &mut World, uid: &str, verdict: Verdict, grace: Option<i64>) -> bool {
    let now = world.now();
    let own = world.kubelets.pods.get(uid).and_then(|run| {
        let pod = world.store.get(&run.key)?.as_pod()?;
        pod.spec.as_ref()?.termination_grace_period_seconds
    });
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return false;
    };
    if run.ended || run.stopping {
        return false;
    }
    run.verdict = Some(verdict);
    run.stopping = true;
    run.stop_asked = Some(now);
    let grace = grace.or(own).unwrap_or(USUAL_GRACE);
    let until = now
        .saturating_add(SignedDuration::from_secs(grace))
        .unwrap_or(now);
    plan(world, uid, now, until);
    true
}

/// The kubelet evicts a pod: its node is short of something.
pub(super) fn evict(world: &mut World, uid: &str, message: &str) -> bool {
    let verdict = Verdict {
        reason: "Evicted",
        message: message.to_owned(),
        disruption: true,
    };
    kill(world, uid, verdict, None)
}

/// The planned eviction has come.
pub(super) fn evict_planned(world: &mut World, uid: &str) {
    let counts = world
        .kubelets
        .pods
        .get_mut(uid)
        .and_then(|run| Some((run.play.counts.evict.take()?, run.key.clone())));
    if evict(world, uid, LOW_MEMORY)
        && let Some((rule, key)) = counts
        && let Some(object) = world.store.get(&key).cloned()
        && let Some(pod) = object.as_pod()
    {
        world.kubelets.count(rule, pod);
    }
}

/// A kubelet's words where memory ran short.
pub const LOW_MEMORY: &str = "The node was low on resource: memory. ";
