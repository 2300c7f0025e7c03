//! Startup order (spec 9, traps D.5): whose turn it is. Readiness is looked at live, as upstream
//! does: a role that stops being ready puts the roles behind it on hold again.

use crate::api::{JobSet, StartupOrder};
use crate::engine::depends_on::{self, Progress};

/// A role's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Its missing Jobs may be created, its suspended ones resumed.
    Open,
    /// It has started, nothing to do in this order.
    Started,
    /// It waits for that (`leader ready`).
    Held(String),
}

/// The turns of all roles, in manifest order. While the set is suspended the order doesn't matter,
/// since nothing runs; `dependsOn` still holds back (spec 10).
/// `position`: of a role by its name.
pub(super) fn turns(
    jobset: &JobSet,
    progress: &[Progress],
    suspended: bool,
    position: impl Fn(&str) -> Option<usize>,
) -> Vec<Turn> {
    let roles = &jobset.spec.replicated_jobs;
    let in_order = in_order(jobset) && !suspended;
    // A role before has not started.
    let mut before = false;
    let by_name = |name: &str| progress.get(position(name)?).copied();
    roles
        .iter()
        .enumerate()
        .map(|(at, role)| {
            if before {
                let waits_for = (0..at).rev().find(|r| !progress[*r].started).unwrap_or(0);
                return Turn::Held(format!("{} ready", roles[waits_for].name));
            }
            if in_order && progress[at].started {
                return Turn::Started;
            }
            if let Some(d) = depends_on::unmet(&role.depends_on, &by_name) {
                return Turn::Held(depends_on::words(d));
            }
            before |= in_order;
            Turn::Open
        })
        .collect()
}

/// The set starts role by role.
pub(super) fn in_order(jobset: &JobSet) -> bool {
    jobset.startup_order() == StartupOrder::InOrder
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::testing::{depends, jobset};

    const NOT: Progress = Progress {
        started: false,
        complete: false,
        succeeded: false,
        begun: false,
        made: false,
    };
    const STARTED: Progress = Progress {
        started: true,
        ..NOT
    };
    const COMPLETE: Progress = Progress {
        complete: true,
        ..STARTED
    };

    fn turns(set: &JobSet, progress: &[Progress], suspended: bool) -> Vec<Turn> {
        super::turns(set, progress, suspended, |n| Some(set.role(n)?.0))
    }

    fn held(what: &str) -> Turn {
        Turn::Held(what.to_owned())
    }

    fn in_order_set() -> JobSet {
        let order = json!({"startupPolicy": {"startupPolicyOrder": "InOrder"}});
        jobset(&[("a", 1), ("b", 1), ("c", 1)], order)
    }

    #[test]
    fn in_order_one_role_at_a_time() {
        let set = in_order_set();
        let table = [
            (
                [NOT, NOT, NOT],
                [Turn::Open, held("a ready"), held("b ready")],
            ),
            (
                [STARTED, NOT, NOT],
                [Turn::Started, Turn::Open, held("b ready")],
            ),
            (
                [STARTED, STARTED, NOT],
                [Turn::Started, Turn::Started, Turn::Open],
            ),
            // Looked at live (trap D.5.2): a flickers, c waits again.
            (
                [NOT, STARTED, NOT],
                [Turn::Open, held("a ready"), held("a ready")],
            ),
            (
                [COMPLETE, STARTED, STARTED],
                [Turn::Started, Turn::Started, Turn::Started],
            ),
        ];
        for (progress, expected) in table {
            assert_eq!(turns(&set, &progress, false), expected, "{progress:?}");
        }
    }

    #[test]
    fn order_does_not_matter_while_suspended() {
        let open = [Turn::Open, Turn::Open, Turn::Open];
        assert_eq!(turns(&in_order_set(), &[NOT, NOT, NOT], true), open);
    }

    #[test]
    fn dependencies_hold_back_only_who_has_them() {
        let set = jobset(
            &[("init", 1), ("server", 1), ("client", 1), ("free", 1)],
            json!({}),
        );
        let set = depends(set, "server", &[("init", "Complete")]);
        let set = depends(set, "client", &[("init", "Complete"), ("server", "Ready")]);
        let table = [
            ([NOT; 4], ["init complete", "init complete"]),
            ([STARTED, NOT, NOT, NOT], ["init complete", "init complete"]),
            ([COMPLETE, NOT, NOT, NOT], ["", "server ready"]),
            ([COMPLETE, STARTED, NOT, NOT], ["", ""]),
        ];
        for (progress, expected) in table {
            for suspended in [false, true] {
                let found = turns(&set, &progress, suspended);
                let words = |t: &Turn| match t {
                    Turn::Held(w) => w.clone(),
                    _ => String::new(),
                };
                assert_eq!(
                    [words(&found[1]), words(&found[2])],
                    expected,
                    "{progress:?}"
                );
                assert_eq!([&found[0], &found[3]], [&Turn::Open, &Turn::Open]);
            }
        }
    }

    #[test]
    fn a_dependency_on_nobody_never_comes_true() {
        let set = depends(
            jobset(&[("a", 1), ("b", 1)], json!({})),
            "b",
            &[("x", "Ready")],
        );
        assert_eq!(turns(&set, &[COMPLETE, NOT], false)[1], held("x ready"));
    }
}
