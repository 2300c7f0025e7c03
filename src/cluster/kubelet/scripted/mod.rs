//! Kubelets that follow a script: statuses are those of a real kubelet, what runs is nothing.
//!
//! - `play`: what a pod does; `notes`: as its annotations say; `rule`: as code says
//! - `take`: pods come and go; `start`, `end` (`backoff`), `image`, `stop`, `gone`: their lives; `hands`: by hand
//! - `state`: what is remembered; `status`, `conditions`, `ids`: how it is written
//! - `log`, `logs`: what they print
//!
//! What it does not do: probes are not asked (a script says when a pod is ready), volumes are not waited for,
//! restart rules of single containers are not read, and no events are written.

mod conditions;
mod end;
mod gone;
mod hands;
mod ids;
mod image;
mod log;
mod logs;
mod notes;
mod play;
mod rule;
mod silence;
mod start;
mod state;
mod status;
mod stop;
mod take;
#[cfg(test)]
mod tests;

pub use logs::{LogCursor, LogOptions, LogPage};
pub use play::{End, Exit, ImageTrouble, Play, Terminate};
pub use rule::{Rule, Which};
pub(in crate::cluster) use silence::heard_again;
pub(in crate::cluster) use state::State;
pub use stop::LOW_MEMORY;

use k8s_openapi::jiff::SignedDuration;

use crate::cluster::store::Change;
use crate::cluster::world::World;

/// What it has to do at a moment. What was planned in an earlier epoch of a pod is void.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) enum Due {
    /// It sees the pod.
    Take { uid: String, epoch: u32 },
    /// Containers can start.
    Start { uid: String, epoch: u32 },
    /// An init container ends.
    InitEnd {
        uid: String,
        epoch: u32,
        container: usize,
    },
    /// An init container starts again.
    InitAgain {
        uid: String,
        epoch: u32,
        container: usize,
    },
    /// What runs becomes ready.
    Ready { uid: String, epoch: u32 },
    /// The scripted end.
    End { uid: String, epoch: u32, plan: u32 },
    /// A container starts again, that long after it was seen to have ended.
    Restart {
        uid: String,
        epoch: u32,
        container: usize,
        wait: SignedDuration,
    },
    /// It waits between two pulls.
    PullBackOff { uid: String, epoch: u32 },
    /// It pulls again.
    Pull { uid: String, epoch: u32 },
    /// The scripted eviction.
    Evict { uid: String, epoch: u32 },
    /// Nothing of a pod runs any more.
    Stopped { uid: String, epoch: u32, code: i32 },
    /// A line is printed.
    Line { uid: String, epoch: u32 },
    /// A pod's time may be over.
    Deadline { uid: String },
}

/// An object has changed.
pub(in crate::cluster) fn notice(world: &mut World, change: &Change) {
    take::notice(world, change);
}

/// Something is due.
pub(in crate::cluster) fn run(world: &mut World, due: Due) {
    let current = |world: &World, uid: &str, epoch: u32| {
        let run = world.kubelets.pods.get(uid);
        run.is_some_and(|run| run.epoch == epoch)
    };
    match due {
        Due::Deadline { uid } => stop::deadline_passed(world, &uid),
        Due::Take { uid, epoch } if current(world, &uid, epoch) => take::begin(world, &uid),
        Due::Start { uid, epoch } if current(world, &uid, epoch) => start::sandbox(world, &uid),
        Due::InitEnd {
            uid,
            epoch,
            container,
        } if current(world, &uid, epoch) => {
            end::init(world, &uid, container);
        }
        Due::InitAgain {
            uid,
            epoch,
            container,
        } if current(world, &uid, epoch) => {
            end::init_again(world, &uid, container);
        }
        Due::Ready { uid, epoch } if current(world, &uid, epoch) => start::ready(world, &uid),
        Due::End { uid, epoch, plan } if current(world, &uid, epoch) => {
            end::planned(world, &uid, plan);
        }
        Due::Restart {
            uid,
            epoch,
            container,
            wait,
        } if current(world, &uid, epoch) => {
            end::restart(world, &uid, container, wait);
        }
        Due::PullBackOff { uid, epoch } if current(world, &uid, epoch) => {
            image::back_off(world, &uid);
        }
        Due::Pull { uid, epoch } if current(world, &uid, epoch) => start::go_on(world, &uid),
        Due::Evict { uid, epoch } if current(world, &uid, epoch) => {
            stop::evict_planned(world, &uid)
        }
        Due::Stopped { uid, epoch, code } if current(world, &uid, epoch) => {
            stop::stopped(world, &uid, code);
        }
        Due::Line { uid, epoch } if current(world, &uid, epoch) => start::lines_due(world, &uid),
        _ => {}
    }
}
