//! `spec.activeDeadlineSeconds`: counted from the start time, which a resumption sets anew; a suspended Job
//! has no deadline.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::spec::Spec;

/// Time left; none: there is no deadline at the moment.
pub(super) fn left(
    spec: &Spec,
    started: Option<Timestamp>,
    now: Timestamp,
) -> Option<SignedDuration> {
    let allowed = SignedDuration::from_secs(spec.active_deadline?);
    let started = started.filter(|_| !spec.suspended)?;
    Some((allowed - now.duration_since(started)).max(SignedDuration::ZERO))
}
