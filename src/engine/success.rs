//! Success policy (spec 8, traps D.6).

use crate::api::{JobSet, Operator};

/// The policy's operator; All is the default.
pub(super) fn operator(jobset: &JobSet) -> Operator {
    jobset
        .spec
        .success_policy
        .as_ref()
        .map_or(Operator::All, |p| p.operator)
}

/// The policy is met. `roles`: name, replicas and succeeded Jobs of every role. Looked at only when
/// at least one Job of the set succeeded (trap D.6.1), so a set of nothing but `replicas: 0` never
/// completes (D.6.3).
pub(super) fn met<'a>(jobset: &JobSet, roles: impl Iterator<Item = (&'a str, u32, u32)>) -> bool {
    let targets: &[String] = jobset
        .spec
        .success_policy
        .as_ref()
        .map_or(&[], |p| &p.target_replicated_jobs);
    let (mut any, mut wanted, mut done) = (false, 0_u64, 0_u64);
    for (name, replicas, succeeded) in roles {
        any |= succeeded > 0;
        if targets.is_empty() || targets.iter().any(|t| t == name) {
            wanted += u64::from(replicas);
            done += u64::from(succeeded);
        }
    }
    any && match operator(jobset) {
        Operator::All => done >= wanted,
        Operator::Any => done > 0,
    }
}
