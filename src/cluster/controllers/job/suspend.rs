//! `spec.suspend`: the condition that says it, the events, and the start time, which a suspension clears and a
//! resumption sets anew.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::conditions::{self, SUSPENDED};
use super::events::{Tone, say};
use super::look::Look;
use crate::cluster::world::World;

/// Notes that the Job is suspended or no longer so. True: that is new.
pub(super) fn note(world: &mut World, look: &mut Look) -> bool {
    let now = world.second();
    let suspended = look.spec.suspended;
    let (reason, message, event, start) = if suspended {
        ("JobSuspended", "Job suspended", "Suspended", None)
    } else {
        ("JobResumed", "Job resumed", "Resumed", Some(Time(now)))
    };
    let condition = conditions::new(SUSPENDED, suspended, reason, message, now);
    let new = conditions::ensure(look.status_mut(), condition);
    if new {
        say(world, &look.job, Tone::Normal, event, message);
        look.status_mut().start_time = start;
    }
    new
}
