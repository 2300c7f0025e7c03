//! Containers end, are started again or not; and with them the pod.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::play::{End, Exit};
use super::state::{Ended, Held, Run, Stage};
use super::{Due, start, status};
use crate::cluster::world::{self, World};

/// How often a kubelet looks at its containers.
const LOOK: SignedDuration = SignedDuration::from_secs(1);

/// Plans the end of containers that run, in place of what was planned before. A script that came while they
/// ran counts from their start as well.
pub(super) fn plan(world: &mut World, uid: &str) {
    let now = world.now();
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    run.plan += 1;
    let (epoch, plan) = (run.epoch, run.plan);
    let Some(end) = &run.play.end else { return };
    let named = end.container.as_deref();
    let Some(since) = run
        .main
        .iter()
        .filter(|c| named.is_none_or(|name| c.name == name))
        .filter_map(|c| match &c.stage {
            Stage::Running { since, .. } => Some(*since),
            _ => None,
        })
        .max()
    else {
        return;
    };
    // Not before it is ready, if it is to become ready.
    let ready = match run.play.never_ready {
        Some(true) => SignedDuration::ZERO,
        _ => run.play.ready_after.unwrap_or_default(),
    };
    let at = since.saturating_add(end.after.max(ready)).unwrap_or(now);
    let due = Due::End {
        uid: uid.to_owned(),
        epoch,
        plan,
    };
    world.at(at.max(now), world::Due::Kubelet(due));
}

/// Plans its eviction.
pub(super) fn plan_eviction(world: &mut World, uid: &str) {
    let Some(run) = world.kubelets.pods.get(uid) else {
        return;
    };
    if let Some(after) = run.play.evict_after {
        let due = Due::Evict {
            uid: uid.to_owned(),
            epoch: run.epoch,
        };
        world.after(after, world::Due::Kubelet(due));
    }
}

/// The planned end has come, if it is the last that was planned.
pub(super) fn planned(world: &mut World, uid: &str, plan: u32) {
    let Some(run) = world.kubelets.pods.get_mut(uid).filter(|r| r.plan == plan) else {
        return;
    };
    let Some(end) = run.play.end.clone() else {
        return;
    };
    if let Some(rule) = run.play.counts.end.take() {
        let key = run.key.clone();
        if let Some(object) = world.store.get(&key).cloned()
            && let Some(pod) = object.as_pod()
        {
            world.kubelets.count(rule, pod);
        }
    }
    let End {
        exit, container, ..
    } = end;
    finish(world, uid, container.as_deref(), &exit);
}

/// Containers end now: one of them by name, or the first one and the others well.
pub(super) fn finish(world: &mut World, uid: &str, container: Option<&str>, exit: &Exit) {
    let now = world.now();
    let policy = policy(world, uid);
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    let epoch = run.epoch;
    let mut restarts = Vec::new();
    for (number, held) in run.main.iter_mut().enumerate() {
        let well = Exit::code(0);
        let exit = match container {
            Some(name) if name == held.name => exit,
            Some(_) => continue,
            None if number == 0 => exit,
            None => &well,
        };
        let Stage::Running { since, id } = held.stage.clone() else {
            continue;
        };
        ended(held, now, since, id, exit);
        if !run.play.no_restarts && policy.restarts(exit.code) {
            let wait = held.backoff.ended(now.duration_since(since));
            restarts.push((number, wait));
        }
    }
    if run.main.iter().all(|c| c.ended().is_some()) && restarts.is_empty() {
        close(run, now);
    }
    status::write(world, uid);
    for (container, wait) in restarts {
        // A kubelet sees it with its next look.
        let due = Due::Restart {
            uid: uid.to_owned(),
            epoch,
            container,
            wait,
        };
        world.after(LOOK, world::Due::Kubelet(due));
    }
}

/// A container that ended is to be started again after `wait` from its end.
pub(super) fn restart(world: &mut World, uid: &str, container: usize, wait: SignedDuration) {
    if !wait.is_positive() {
        return start::again(world, uid, container);
    }
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    let place = format!("{}_{}({uid})", run.key.name, run.key.namespace);
    let epoch = run.epoch;
    let Some(held) = run.main.get_mut(container) else {
        return;
    };
    waits(held, wait, &place);
    status::write(world, uid);
    let due = Due::Restart {
        uid: uid.to_owned(),
        epoch,
        container,
        wait: SignedDuration::ZERO,
    };
    world.after(wait - LOOK, world::Due::Kubelet(due));
}

fn waits(held: &mut Held, wait: SignedDuration, place: &str) {
    let words = duration(wait);
    let stage = Stage::Waiting {
        reason: "CrashLoopBackOff".to_owned(),
        message: Some(format!(
            "back-off {words} restarting failed container={} pod={place}",
            held.name
        )),
    };
    if let Stage::Ended(ended) = std::mem::replace(&mut held.stage, stage) {
        held.last = Some(ended);
    }
}

/// `10s`, `1m20s`, as Go writes durations.
fn duration(wait: SignedDuration) -> String {
    let (minutes, seconds) = (wait.as_secs() / 60, wait.as_secs() % 60);
    if minutes > 0 {
        format!("{minutes}m{seconds}s")
    } else {
        format!("{seconds}s")
    }
}

/// An init container has ended well, or without a script.
pub(super) fn init_done(run: &mut Run, container: usize, now: Timestamp) {
    let Some(held) = run.init.get_mut(container) else {
        return;
    };
    if let Stage::Running { since, id } = held.stage.clone() {
        ended(held, now, since, id, &Exit::code(0));
        held.ready = true;
    }
}

/// An init container has come to its end.
pub(super) fn init(world: &mut World, uid: &str, container: usize) {
    let now = world.now();
    let policy = policy(world, uid);
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    let name = run.init.get(container).map(|c| c.name.clone());
    let scripted = run
        .play
        .end
        .clone()
        .filter(|e| e.container.is_some() && e.container == name)
        .filter(|e| e.exit.code != 0);
    let Some(End { exit, .. }) = scripted else {
        init_done(run, container, now);
        return start::go_on(world, uid);
    };
    let rule = run.play.counts.end.take();
    let (key, epoch) = (run.key.clone(), run.epoch);
    let place = format!("{}_{}({uid})", key.name, key.namespace);
    let Some(held) = run.init.get_mut(container) else {
        return;
    };
    let Stage::Running { since, id } = held.stage.clone() else {
        return;
    };
    ended(held, now, since, id, &exit);
    if run.play.no_restarts || policy == Policy::Never {
        close(run, now);
    } else {
        let wait = held.backoff.ended(now.duration_since(since));
        if wait.is_positive() {
            waits(held, wait, &place);
        }
        let due = Due::InitAgain {
            uid: uid.to_owned(),
            epoch,
            container,
        };
        world.after(wait.max(LOOK), world::Due::Kubelet(due));
    }
    status::write(world, uid);
    if let (Some(rule), Some(object)) = (rule, world.store.get(&key).cloned())
        && let Some(pod) = object.as_pod()
    {
        world.kubelets.count(rule, pod);
    }
}

/// An init container that failed is started again.
pub(super) fn init_again(world: &mut World, uid: &str, container: usize) {
    let play = world.kubelets.pods.get(uid).and_then(|run| {
        let object = world.store.get(&run.key)?;
        Some(world.kubelets.play(object.as_pod()?))
    });
    if let (Some(run), Some(play)) = (world.kubelets.pods.get_mut(uid), play) {
        run.play = play;
        if let Some(held) = run.init.get_mut(container) {
            held.restarts += 1;
        }
    }
    start::go_on(world, uid);
}

pub(super) fn ended(held: &mut Held, now: Timestamp, since: Timestamp, id: String, exit: &Exit) {
    let reason = exit.reason.clone().unwrap_or_else(|| {
        let word = if exit.code == 0 { "Completed" } else { "Error" };
        word.to_owned()
    });
    held.stage = Stage::Ended(Ended {
        code: exit.code,
        signal: exit.signal,
        reason,
        message: exit.message.clone(),
        started: Some(since),
        finished: Some(now),
        id: Some(id),
    });
    held.ready = false;
    if let Some(log) = &mut held.log {
        log.end(now);
    }
}

/// The pod is over: what runs beside its containers ends too.
pub(super) fn close(run: &mut Run, now: Timestamp) {
    run.ended = true;
    run.sandbox = false;
    run.epoch += 1;
    for held in &mut run.init {
        if let Stage::Running { since, id } = held.stage.clone() {
            ended(held, now, since, id, &Exit::code(0));
        }
    }
}

/// `restartPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Always,
    OnFailure,
    Never,
}

impl Policy {
    fn restarts(self, code: i32) -> bool {
        match self {
            Self::Always => true,
            Self::OnFailure => code != 0,
            Self::Never => false,
        }
    }
}

fn policy(world: &World, uid: &str) -> Policy {
    let word = world.kubelets.pods.get(uid).and_then(|run| {
        let pod = world.store.get(&run.key)?.as_pod()?;
        pod.spec.as_ref()?.restart_policy.as_deref()
    });
    match word {
        Some("Never") => Policy::Never,
        Some("OnFailure") => Policy::OnFailure,
        _ => Policy::Always,
    }
}
