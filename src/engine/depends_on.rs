//! `dependsOn` (spec 9): what a role waits for.

use crate::api::{DependsOn, DependsOnStatus};

/// How far a role is: all that a pass looks at, so that a pass is needed only when one of these flips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// Every Job is ready, succeeded or failed; at once for `replicas: 0` (trap D.5.6).
    pub(super) started: bool,
    /// Every Job succeeded.
    pub(super) complete: bool,
    /// Some Job succeeded.
    pub(super) succeeded: bool,
    /// Some Job was made.
    pub(super) begun: bool,
    /// Every Job was made.
    pub(super) made: bool,
}

/// The first dependency that is not there yet. A name that the spec doesn't have never comes true.
pub(super) fn unmet<'a>(
    depends_on: &'a [DependsOn],
    progress: &impl Fn(&str) -> Option<Progress>,
) -> Option<&'a DependsOn> {
    depends_on.iter().find(|d| {
        let p = progress(&d.name).unwrap_or_default();
        !match d.status {
            DependsOnStatus::Ready => p.started,
            DependsOnStatus::Complete => p.complete,
        }
    })
}

/// As shown to people (`leader ready`).
pub(super) fn words(d: &DependsOn) -> String {
    let what = match d.status {
        DependsOnStatus::Ready => "ready",
        DependsOnStatus::Complete => "complete",
    };
    format!("{} {what}", d.name)
}
