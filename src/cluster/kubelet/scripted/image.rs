//! Images that can't be had: the pod waits, and says why.

use k8s_openapi::jiff::SignedDuration;

use super::play::ImageTrouble;
use super::state::Stage;
use super::{Due, status};
use crate::cluster::world::{self, World};

/// From one state of waiting to the other.
const SAY_AGAIN: SignedDuration = SignedDuration::from_secs(1);
/// Pulls are tried again after this, doubling.
const FIRST: SignedDuration = SignedDuration::from_secs(10);
const MOST: SignedDuration = SignedDuration::from_secs(300);

/// A pull has failed, or nothing was even tried.
pub(super) fn trouble(world: &mut World, uid: &str, trouble: &ImageTrouble) {
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    run.pulls += 1;
    let epoch = run.epoch;
    say(run, |image| match trouble {
        ImageTrouble::Pull(words) => ("ErrImagePull".to_owned(), words.clone()),
        ImageTrouble::InvalidName => (
            "InvalidImageName".to_owned(),
            format!(
                "Failed to apply default image tag \"{image}\": couldn't parse image name \"{image}\": invalid reference format"
            ),
        ),
        ImageTrouble::NeverPull => (
            "ErrImageNeverPull".to_owned(),
            format!("Container image \"{image}\" is not present with pull policy of Never"),
        ),
    });
    status::write(world, uid);
    if matches!(trouble, ImageTrouble::Pull(_)) {
        let due = Due::PullBackOff {
            uid: uid.to_owned(),
            epoch,
        };
        world.after(SAY_AGAIN, world::Due::Kubelet(due));
    }
}

/// It waits before the next pull.
pub(super) fn back_off(world: &mut World, uid: &str) {
    let Some(run) = world.kubelets.pods.get_mut(uid) else {
        return;
    };
    let (epoch, pulls) = (run.epoch, run.pulls);
    let words = match &run.play.image {
        Some(ImageTrouble::Pull(words)) => words.clone(),
        _ => return,
    };
    say(run, |image| {
        (
            "ImagePullBackOff".to_owned(),
            format!("Back-off pulling image \"{image}\": ErrImagePull: {words}"),
        )
    });
    status::write(world, uid);
    let doubled = i32::checked_pow(2, pulls.saturating_sub(1)).unwrap_or(i32::MAX);
    let wait = FIRST.checked_mul(doubled).unwrap_or(MOST).min(MOST);
    let due = Due::Pull {
        uid: uid.to_owned(),
        epoch,
    };
    world.after(wait, world::Due::Kubelet(due));
}

/// Containers that wait for their image; those behind an init container only wait for that.
fn say(run: &mut super::state::Run, words: impl Fn(&str) -> (String, String)) {
    let first = run.init.iter_mut().find(|c| !c.has_run());
    let waiting: Vec<_> = match first {
        Some(first) => vec![first],
        None => run.main.iter_mut().filter(|c| !c.running()).collect(),
    };
    for held in waiting {
        let (reason, message) = words(&held.image);
        held.stage = Stage::Waiting {
            reason,
            message: Some(message),
        };
    }
}
