//! A Job's end: Complete or Failed, once every pod has ended and been counted.

use super::conditions::{self, COMPLETE, FAILED};
use super::events::{Tone, say};
use super::look::Look;
use super::verdict::End;
use crate::cluster::world::World;

/// No pod is still ending, and none is still to be counted.
pub(super) fn may(look: &Look) -> bool {
    let uncounted = look.status().uncounted_terminated_pods.as_ref();
    let none = |list: &Option<Vec<String>>| list.as_ref().is_none_or(Vec::is_empty);
    look.terminating == 0 && uncounted.is_none_or(|u| none(&u.succeeded) && none(&u.failed))
}

/// Writes the end to the status.
pub(super) fn note(world: &World, look: &mut Look, end: &End) {
    let now = world.second();
    let kind = if end.failed { FAILED } else { COMPLETE };
    let condition = conditions::new(kind, true, &end.reason, &end.message, now);
    if !end.failed {
        look.status_mut()
            .completion_time
            .clone_from(&condition.last_transition_time);
    }
    conditions::ensure(look.status_mut(), condition);
}

/// Tells of it.
pub(super) fn tell(world: &mut World, look: &Look, end: &End) {
    let job = &look.job;
    if end.failed {
        return say(world, job, Tone::Warning, &end.reason, &end.message);
    }
    let succeeded = look.status().succeeded.unwrap_or_default();
    if look
        .spec
        .completions
        .is_some_and(|wanted| succeeded > wanted)
    {
        say(
            world,
            job,
            Tone::Warning,
            "TooManySucceededPods",
            "Too many succeeded pods running after completion count reached",
        );
    }
    say(world, job, Tone::Normal, "Completed", "Job completed");
}
