//! Keeps the engine's state within what a ConfigMap may hold. Pure.

use std::borrow::Cow;

use crate::engine::RunState;

/// Bytes of the whole record: half of what a ConfigMap may hold, so that a large JobSet and somebody's
/// annotations fit beside it (200 roles with a long history).
pub const RECORD_BYTES: usize = 512 * 1024;
/// Bytes of the state in it; the other half is the JobSet's.
pub const STATE_BYTES: usize = RECORD_BYTES / 2;

/// The state, without what is oldest if it is too long: first the kept lines of the oldest attempts,
/// then their evidence and causes, then the attempts themselves. What decides anything (status,
/// succeeded Jobs, the current attempt, the first failure) stays.
#[must_use]
pub fn fit(state: &RunState, limit: usize) -> Cow<'_, RunState> {
    let mut over = length(state).saturating_sub(limit);
    if over == 0 {
        return Cow::Borrowed(state);
    }
    let mut state = state.clone();
    let old = state.attempts.len().saturating_sub(1);
    for attempt in &mut state.attempts[..old] {
        if over == 0 {
            break;
        }
        let before = length(attempt);
        for evidence in &mut attempt.evidence {
            evidence.lines.clear();
        }
        if let Some(cause) = &mut attempt.cause {
            cause.last_lines.clear();
        }
        over = over.saturating_sub(before - length(attempt));
    }
    for attempt in &mut state.attempts[..old] {
        if over == 0 {
            break;
        }
        let before = length(attempt);
        attempt.evidence.clear();
        attempt.cause = None;
        over = over.saturating_sub(before.saturating_sub(length(attempt)));
    }
    let mut drop = 0;
    while over > 0 && drop < old {
        over = over.saturating_sub(length(&state.attempts[drop]) + 1);
        drop += 1;
    }
    state.attempts.drain(..drop);
    state.attempts_dropped += u32::try_from(drop).unwrap_or(u32::MAX);
    Cow::Owned(state)
}

fn length(value: &impl serde::Serialize) -> usize {
    let mut count = Counter(0);
    // Only maps with keys that are no strings can't be written as JSON; there are none.
    serde_json::to_writer(&mut count, value).unwrap_or_default();
    count.0
}

/// Counts instead of writing.
struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{
        JobSet, JobSetSpec, JobTemplate, Metadata, ReplicatedJob, ReplicatedJobStatus, names,
    };
    use crate::driver::record::configmap;
    use crate::driver::record::{NewRecord, Seat, Settings};
    use crate::engine::outcome::FirstFailure;
    use crate::engine::state::{
        ATTEMPTS_KEPT, Attempt, EVIDENCE_LINE_BYTES, EVIDENCE_LINES, EVIDENCE_PER_ATTEMPT, Evidence,
    };

    fn attempt(number: u32) -> Attempt {
        let lines = vec!["x".repeat(EVIDENCE_LINE_BYTES); EVIDENCE_LINES as usize];
        Attempt {
            number,
            cause: Some(FirstFailure {
                role: format!("role-{number}"),
                message: "m".repeat(500),
                last_lines: lines.clone(),
                ..FirstFailure::default()
            }),
            evidence: vec![
                Evidence {
                    pod: format!("pod-of-attempt-{number}"),
                    lines,
                    ..Evidence::default()
                };
                EVIDENCE_PER_ATTEMPT
            ],
            ..Attempt::default()
        }
    }

    /// More than the engine's own bounds allow, all at once.
    fn long_history() -> RunState {
        let mut state = RunState {
            attempts: (0..u32::try_from(ATTEMPTS_KEPT).unwrap())
                .map(attempt)
                .collect(),
            seq: 9,
            ..RunState::default()
        };
        state.status.replicated_jobs_status = (0..200)
            .map(|n| ReplicatedJobStatus {
                name: format!("a-role-with-quite-a-long-name-{n}"),
                job_restarts: vec![1; 20],
                ..ReplicatedJobStatus::default()
            })
            .collect();
        for n in 0..200 {
            state.succeeded.insert(
                format!("a-role-with-quite-a-long-name-{n}"),
                "0-99".to_owned(),
            );
        }
        state
    }

    /// Issue: a 200-role set with a long history stays under 512 KiB.
    #[test]
    fn two_hundred_roles_with_a_long_history_fit() {
        let template = serde_json::json!({"spec": {"template": {"spec": {"containers": [{
            "name": "main", "image": "registry.example.com/team/train:2026-12-01",
            "args": vec!["--some-flag=some-value"; 20],
            "env": vec![serde_json::json!({"name": "A_VARIABLE", "value": "a value"}); 10],
        }]}}}});
        let roles = (0..200).map(|n| ReplicatedJob {
            name: format!("a-role-with-quite-a-long-name-{n}"),
            template: JobTemplate(template.clone()),
            ..ReplicatedJob::default()
        });
        let record = NewRecord {
            namespace: "ml".to_owned(),
            jobset: JobSet {
                api_version: names::API_VERSION.to_owned(),
                kind: names::KIND.to_owned(),
                metadata: Metadata {
                    name: "train".to_owned(),
                    ..Metadata::default()
                },
                spec: JobSetSpec {
                    replicated_jobs: roles.collect(),
                    ..JobSetSpec::default()
                },
            },
            source: None,
            state: long_history(),
            seat: Seat::default(),
            settings: Settings::default(),
        };
        let map = configmap::encode(&record);
        let data = map["data"].as_object().unwrap();
        let bytes: usize = data
            .iter()
            .map(|(k, v)| k.len() + v.as_str().unwrap().len())
            .sum();
        assert!(bytes < RECORD_BYTES, "{bytes}");
        assert!(data["state.json"].as_str().unwrap().len() <= STATE_BYTES);
    }

    #[test]
    fn what_fits_is_left_alone() {
        let state = RunState {
            attempts: vec![attempt(0)],
            ..RunState::default()
        };
        assert!(matches!(fit(&state, STATE_BYTES), Cow::Borrowed(_)));
    }

    #[test]
    fn the_oldest_lines_go_first() {
        let state = long_history();
        let limit = length(&state) - 100_000;
        let fitted = fit(&state, limit);
        assert!(length(&*fitted) <= limit);
        assert_eq!(fitted.attempts.len(), ATTEMPTS_KEPT);
        assert!(fitted.attempts[0].evidence[0].lines.is_empty());
        assert_eq!(fitted.attempts[0].evidence[0].pod, "pod-of-attempt-0");
        assert_eq!(
            fitted.attempts[ATTEMPTS_KEPT - 1],
            state.attempts[ATTEMPTS_KEPT - 1]
        );
    }

    /// However tight: what decides stays, and what was dropped is counted.
    #[test]
    fn what_decides_is_never_dropped() {
        let state = long_history();
        let fitted = fit(&state, 1);
        assert_eq!(fitted.status, state.status);
        assert_eq!(fitted.succeeded, state.succeeded);
        assert_eq!(fitted.seq, state.seq);
        assert_eq!(fitted.attempts.last(), state.attempts.last());
        let kept = u32::try_from(fitted.attempts.len()).unwrap();
        assert_eq!(
            kept + fitted.attempts_dropped,
            u32::try_from(ATTEMPTS_KEPT).unwrap()
        );
    }
}
