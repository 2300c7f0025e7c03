//! The lines that the record kept of failed containers before their pods were deleted: which of them
//! are wanted, and how they are announced. Pure.

use std::sync::Arc;

use crate::cli::settings::Attempts;
use crate::engine::RunState;
use crate::engine::state::Evidence;
use crate::logs::origin::{LogLine, Origin};
use crate::logs::select::{Containers, Selection};
use crate::report::words::is_telling;

/// Kept lines of one container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// `attempt 0, worker/2/1, kept before restart (20 lines), OOMKilled 137`.
    pub heading: String,
    /// The lines.
    pub lines: Vec<LogLine>,
    /// Where they come from.
    pub from: Arc<Origin>,
    /// UID of the pod that wrote them.
    pub pod_uid: String,
}

/// Everything that was kept of wanted places, containers and attempts, oldest attempt first. With
/// `Attempts::Current` and `Previous` the caller chooses among them. `jobset`: name of the run.
/// `tail`: last lines of each at most.
#[must_use]
pub fn kept(
    selection: &Selection,
    state: &RunState,
    jobset: &str,
    tail: Option<usize>,
) -> Vec<Kept> {
    let mut out = Vec::new();
    for attempt in &state.attempts {
        if let Attempts::Number(number) = selection.attempts
            && attempt.number != number
        {
            continue;
        }
        for evidence in &attempt.evidence {
            let from = origin(evidence, attempt.number, jobset);
            let named = match &selection.containers {
                Containers::Named(name) => *name == evidence.container,
                // It failed: that is why it was kept, whichever container it is.
                Containers::All | Containers::Default => true,
            };
            if !named || !selection.wants(&from.place()) {
                continue;
            }
            let from = Arc::new(from);
            let skip = tail.map_or(0, |tail| evidence.lines.len().saturating_sub(tail));
            out.push(Kept {
                heading: heading(evidence, &from),
                lines: evidence.lines[skip..]
                    .iter()
                    .map(|text| LogLine {
                        from: Arc::clone(&from),
                        time: None,
                        text: text.clone().into_bytes(),
                    })
                    .collect(),
                from,
                pod_uid: evidence.pod_uid.clone(),
            });
        }
    }
    out
}

fn origin(evidence: &Evidence, attempt: u32, jobset: &str) -> Origin {
    Origin {
        role: evidence.role.clone(),
        job: evidence.job,
        job_name: crate::api::names::job_name(jobset, &evidence.role, evidence.job),
        index: evidence.index,
        attempt,
        job_restarts: evidence.job_restarts,
        pod: evidence.pod.clone(),
        container: evidence.container.clone(),
        several: false,
        kept: true,
    }
}

fn heading(evidence: &Evidence, from: &Origin) -> String {
    let count = evidence.lines.len();
    let lines = if count == 1 { "line" } else { "lines" };
    let how = match evidence.reason.as_deref().filter(|r| is_telling(r)) {
        Some(reason) => format!("{reason} {}", evidence.exit_code),
        None => format!("exit code {}", evidence.exit_code),
    };
    format!(
        "attempt {}, {}, kept before restart ({count} {lines}), {how}",
        from.attempt,
        from.target()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::state::Attempt;

    fn evidence(role: &str, job: u32, container: &str, lines: &[&str]) -> Evidence {
        Evidence {
            role: role.to_owned(),
            job,
            index: Some(1),
            pod: format!("train-{role}-{job}-1-x7k2p"),
            pod_uid: format!("uid-{role}-{job}"),
            container: container.to_owned(),
            exit_code: 137,
            reason: Some("OOMKilled".to_owned()),
            lines: lines.iter().map(|l| (*l).to_owned()).collect(),
            ..Evidence::default()
        }
    }

    fn state() -> RunState {
        RunState {
            attempts: vec![
                Attempt {
                    number: 0,
                    evidence: vec![evidence(
                        "worker",
                        2,
                        "main",
                        &["a", "step 8100", "shard 31"],
                    )],
                    ..Attempt::default()
                },
                Attempt {
                    number: 1,
                    evidence: vec![evidence("leader", 0, "proxy", &["bye"])],
                    ..Attempt::default()
                },
            ],
            ..RunState::default()
        }
    }

    fn texts(kept: &[Kept]) -> Vec<String> {
        kept.iter()
            .flat_map(|k| &k.lines)
            .map(|l| String::from_utf8(l.text.clone()).unwrap())
            .collect()
    }

    /// The mock-up of cli.md 8.
    #[test]
    fn announced_and_cut_to_the_tail() {
        let selection = Selection {
            roles: vec!["worker".to_owned()],
            attempts: Attempts::All,
            ..Selection::default()
        };
        let kept = kept(&selection, &state(), "train", Some(2));
        assert_eq!(kept.len(), 1);
        assert_eq!(
            kept[0].heading,
            "attempt 0, worker/2/1, kept before restart (3 lines), OOMKilled 137"
        );
        assert_eq!(texts(&kept), ["step 8100", "shard 31"]);
        assert!(kept[0].from.kept);
    }

    /// `Error` is what the kubelet says of every exit code but 0.
    #[test]
    fn a_reason_that_says_nothing_is_left_out() {
        let mut lines = evidence("worker", 2, "main", &["a"]);
        (lines.reason, lines.exit_code) = (Some("Error".to_owned()), 3);
        let heading = heading(&lines, &origin(&lines, 0, "train"));
        assert!(heading.ends_with("(1 line), exit code 3"), "{heading}");
    }

    #[test]
    fn by_attempt_target_and_container() {
        let all = Selection {
            attempts: Attempts::All,
            ..Selection::default()
        };
        let count = |selection: &Selection| kept(selection, &state(), "train", None).len();
        assert_eq!(count(&all), 2);
        let number = |n| Selection {
            attempts: Attempts::Number(n),
            ..all.clone()
        };
        assert_eq!(count(&number(0)), 1);
        assert_eq!(count(&number(2)), 0);
        let named = |name: &str| Selection {
            containers: Containers::Named(name.to_owned()),
            ..all.clone()
        };
        assert_eq!(count(&named("proxy")), 1);
        let target = |text: &str| Selection {
            targets: vec![text.parse().unwrap()],
            ..all.clone()
        };
        assert_eq!(count(&target("train-worker-2")), 1);
        assert_eq!(count(&target("train-worker-2-1-x7k2p")), 1);
        assert_eq!(count(&target("worker/2/0")), 0);
    }
}
