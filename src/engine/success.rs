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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::testing::jobset;

    #[test]
    fn spec_8_and_traps_d6() {
        // Operator, targets, succeeded of a (2 Jobs), b (1) and none (0 Jobs), met.
        let table = [
            ("All", &[][..], (2, 1), true),
            ("All", &[], (2, 0), false),
            ("All", &["a"], (2, 0), true),
            ("All", &["b"], (2, 0), false),
            ("Any", &[], (0, 1), true),
            ("Any", &[], (0, 0), false),
            ("Any", &["a"], (0, 1), false),
            ("Any", &["a"], (1, 0), true),
            // D.6.3: a sum of nothing completes on any other success, and only then.
            ("All", &["none"], (1, 0), true),
            ("All", &["none"], (0, 0), false),
        ];
        for (operator, targets, (a, b), expected) in table {
            let policy = json!({"successPolicy":
                {"operator": operator, "targetReplicatedJobs": targets}});
            let set = jobset(&[("a", 2), ("b", 1), ("none", 0)], policy);
            let roles = [("a", 2, a), ("b", 1, b), ("none", 0, 0)];
            assert_eq!(
                met(&set, roles.into_iter()),
                expected,
                "{operator} {targets:?} {a} {b}"
            );
        }
    }

    #[test]
    fn a_set_of_empty_roles_never_completes() {
        let set = jobset(&[("none", 0)], json!({}));
        assert!(!met(&set, [("none", 0, 0)].into_iter()));
    }
}
