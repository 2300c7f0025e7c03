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
pub(super) fn turns(jobset: &JobSet, progress: &[Progress], suspended: bool) -> Vec<Turn> {
    let roles = &jobset.spec.replicated_jobs;
    let in_order = in_order(jobset) && !suspended;
    let mut before: Option<usize> = None;
    let by_name = |name: &str| {
        let at = roles.iter().position(|r| r.name == name)?;
        progress.get(at).copied()
    };
    roles
        .iter()
        .enumerate()
        .map(|(at, role)| {
            if let Some(first) = before {
                return Turn::Held(format!("{} ready", roles[first].name));
            }
            if in_order && progress[at].started {
                return Turn::Started;
            }
            if let Some(d) = depends_on::unmet(&role.depends_on, by_name) {
                return Turn::Held(depends_on::words(d));
            }
            if in_order {
                before = Some(at);
            }
            Turn::Open
        })
        .collect()
}

/// The set starts role by role.
pub(super) fn in_order(jobset: &JobSet) -> bool {
    jobset.startup_order() == StartupOrder::InOrder
}
