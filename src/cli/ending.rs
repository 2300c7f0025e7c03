//! What is added when `run` or `attach` ends without a verdict: what nobody does from now on, and the
//! next command to type. The rest is said by the reporter.

use crate::driver::session::{End, OnTimeout};
use crate::engine::NotEnforced;

/// Lines for stderr. `attach` and `status` are the commands to suggest.
#[must_use]
pub(super) fn last_words(
    name: &str,
    end: &End,
    not_enforced: &NotEnforced,
    attach: &str,
    status: &str,
) -> Vec<String> {
    match end {
        End::Settled | End::Detached(_) | End::TimedOut(OnTimeout::Detach) => {
            nobody(not_enforced).into_iter().collect()
        }
        End::NotReached { message } => vec![
            format!("lost contact with the cluster: {message}"),
            format!("the state of jobset/{name} is not known; it may well be running"),
            format!("hint: {attach}"),
        ],
        End::TimedOut(OnTimeout::Stop) => vec![format!("time-out: jobset/{name} was stopped")],
        End::TakenOver { .. } => vec![format!("hint: {status}")],
        End::Finished(_) | End::LeftAtOnce(_) | End::DeleteWanted(_) | End::Deleted => Vec::new(),
        End::TimedOut(OnTimeout::Delete) => vec![format!("time-out: deleting jobset/{name}")],
    }
}

/// One line that names what nobody enforces without a driver; none if that is nothing.
#[must_use]
pub(super) fn nobody(not_enforced: &NotEnforced) -> Option<String> {
    let mut parts: Vec<String> = not_enforced
        .waiting_roles
        .iter()
        .map(|(role, waits_for)| format!("the start of {role} ({waits_for})"))
        .collect();
    if parts.is_empty() && not_enforced.startup_order {
        parts.push("the startup order".to_owned());
    }
    if not_enforced.failure_policy {
        parts.push("the failure policy".to_owned());
    }
    if not_enforced.end_of_run {
        parts.push("the end of the run".to_owned());
    }
    let text = match parts.as_slice() {
        [] => return None,
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    };
    Some(format!("until somebody attaches, nobody enforces {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::session::Signal;

    /// cli.md 1.7: only the workload is ever said to have failed.
    #[test]
    fn trouble_of_ours_is_never_called_a_failure() {
        let ends = [
            End::Detached(Signal::Term),
            End::TakenOver {
                holder: "bob@desk".to_owned(),
            },
            End::TimedOut(OnTimeout::Detach),
            End::NotReached {
                message: "connection refused".to_owned(),
            },
        ];
        let open = NotEnforced {
            end_of_run: true,
            ..NotEnforced::default()
        };
        for end in ends {
            let lines = last_words("train", &end, &open, "ATTACH", "STATUS");
            assert!(!lines.is_empty(), "{end:?}");
            assert!(lines.iter().all(|l| !l.contains("failed")), "{lines:?}");
        }
    }

    #[test]
    fn what_nobody_enforces_is_named() {
        let all = NotEnforced {
            waiting_roles: vec![("eval".to_owned(), "worker complete".to_owned())],
            startup_order: true,
            failure_policy: true,
            end_of_run: false,
        };
        assert_eq!(
            nobody(&all).as_deref(),
            Some(
                "until somebody attaches, nobody enforces the start of eval (worker complete) and \
                 the failure policy"
            )
        );
        assert_eq!(nobody(&NotEnforced::default()), None);
    }
}
