//! A pod starts: its sandbox, its init containers one after the other, then all others.

use std::sync::Arc;

use k8s_openapi::jiff::SignedDuration;

use super::log::Log;
use super::state::{Held, Run, Stage};
use super::{Due, end, ids, image, status};
use crate::cluster::world::{self, World};

/// Pods get addresses of this network, one after the other.
const POD_NETWORK: [u8; 2] = [10, 244];

/// The sandbox is there: containers can start.
pub(super) fn sandbox(world: &mut World, uid: &str) {
    world.kubelets.addresses = world.kubelets.addresses.wrapping_add(1);
    let [_, _, c, d] = world.kubelets.addresses.to_be_bytes();
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    run.sandbox = true;
    let [a, b] = POD_NETWORK;
    run.ip = Some(format!("{a}.{b}.{c}.{d}"));
    let counts = std::mem::take(&mut run.play.counts.start);
    let key = run.key.clone();
    if let Some(object) = world.store.get(&key).cloned()
        && let Some(pod) = object.as_pod()
    {
        for rule in counts {
            world.kubelets.count(rule, pod);
        }
    }
    go_on(world, uid);
}

/// Starts whatever comes next: an init container, or all others.
pub(super) fn go_on(world: &mut World, uid: &str) {
    let now = world.now();
    let uid = uid.to_owned();
    loop {
        let World { kubelets, rng, .. } = &mut *world;
        let Some(run) = kubelets.pods.get_mut(&uid) else {
            return;
        };
        if let Some(trouble) = run.play.image.clone() {
            return image::trouble(world, &uid, &trouble);
        }
        let Some(next) = run.next_init() else {
            break;
        };
        let (lines, every) = printed(run);
        let name = run.init[next].name.clone();
        begin(&mut run.init[next], now, ids::container(rng), lines, every);
        if run.init[next].beside {
            run.init[next].ready = true;
            continue;
        }
        // Its end may be scripted; without a script it takes no time, or as long as init containers do.
        let scripted = run
            .play
            .end
            .as_ref()
            .filter(|e| e.container.as_deref() == Some(&name));
        let lasts = scripted
            .map(|e| e.after)
            .or(run.play.init_for)
            .unwrap_or_default();
        if !lasts.is_positive() && scripted.is_none_or(|e| e.exit.code == 0) {
            end::init_done(run, next, now);
            continue;
        }
        let epoch = run.epoch;
        status::write(world, &uid);
        let due = Due::InitEnd {
            uid,
            epoch,
            container: next,
        };
        world.after(lasts, world::Due::Kubelet(due));
        return;
    }
    main(world, &uid);
}

fn main(world: &mut World, uid: &str) {
    let now = world.now();
    let World { kubelets, rng, .. } = &mut *world;
    let Some(run) = kubelets.pods.get_mut(uid) else {
        return;
    };
    let (lines, every) = printed(run);
    let wait = readiness(run);
    for held in &mut run.main {
        begin(held, now, ids::container(rng), Arc::clone(&lines), every);
        held.ready = wait.is_some_and(|wait| !wait.is_positive());
    }
    let epoch = run.epoch;
    if let Some(wait) = wait.filter(SignedDuration::is_positive) {
        let due = Due::Ready {
            uid: uid.to_owned(),
            epoch,
        };
        world.after(wait, world::Due::Kubelet(due));
    }
    status::write(world, uid);
    end::plan(world, uid);
    end::plan_eviction(world, uid);
    lines_due(world, uid);
}

/// One container starts again.
pub(super) fn again(world: &mut World, uid: &str, container: usize) {
    let now = world.now();
    let World {
        kubelets,
        rng,
        store,
        ..
    } = &mut *world;
    let Some(run) = kubelets.pods.get(uid) else {
        return;
    };
    // What it does this time may be something else.
    let play = store
        .get(&run.key)
        .and_then(|o| o.as_pod().map(|pod| kubelets.play(pod)));
    let Some(run) = kubelets.pods.get_mut(uid) else {
        return;
    };
    if let Some(play) = play {
        run.play = play;
    }
    let (lines, every) = printed(run);
    let wait = readiness(run);
    let Some(held) = run.main.get_mut(container) else {
        return;
    };
    held.restarts += 1;
    begin(held, now, ids::container(rng), lines, every);
    held.ready = wait.is_some_and(|wait| !wait.is_positive());
    let epoch = run.epoch;
    if let Some(wait) = wait.filter(SignedDuration::is_positive) {
        let due = Due::Ready {
            uid: uid.to_owned(),
            epoch,
        };
        world.after(wait, world::Due::Kubelet(due));
    }
    status::write(world, uid);
    end::plan(world, uid);
    lines_due(world, uid);
}

/// All containers that run are ready now.
pub(super) fn ready(world: &mut World, uid: &str) {
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    for held in &mut run.main {
        held.ready = held.running();
    }
    status::write(world, uid);
}

fn begin(
    held: &mut Held,
    now: k8s_openapi::jiff::Timestamp,
    id: String,
    lines: Arc<[String]>,
    every: SignedDuration,
) {
    if let Stage::Ended(ended) =
        std::mem::replace(&mut held.stage, Stage::Running { since: now, id })
    {
        held.last = Some(ended);
    }
    held.previous_log = held.log.take();
    held.log = Some(Log::new(now, lines, every));
}

/// From running to ready; none: never.
fn readiness(run: &Run) -> Option<SignedDuration> {
    if run.play.never_ready == Some(true) {
        return None;
    }
    Some(run.play.ready_after.unwrap_or_default())
}

/// What a container prints; where nothing is said, two lines with the pod's name.
fn printed(run: &Run) -> (Arc<[String]>, SignedDuration) {
    let name = &run.key.name;
    let lines =
        run.play.lines.clone().unwrap_or_else(|| {
            [format!("{name}: first line"), format!("{name}: last line")].into()
        });
    (lines, run.play.line_every.unwrap_or_default())
}

/// Who follows a log is woken at each line.
pub(super) fn lines_due(world: &mut World, uid: &str) {
    let now = world.now();
    let Some(run) = world.kubelets.pods.get(uid) else {
        return;
    };
    let next = run
        .all()
        .filter(|c| c.running())
        .filter_map(|c| c.log.as_ref()?.next(now))
        .min();
    if let Some(at) = next {
        let due = Due::Line {
            uid: uid.to_owned(),
            epoch: run.epoch,
        };
        world.at(at, world::Due::Kubelet(due));
    }
}
