//! Failure policy (spec 7, traps D.3 and D.4): which rule decides about the failed Jobs, and what it
//! says. Pure: counting and carrying out is `restart`.

use k8s_openapi::jiff::Timestamp;

use crate::api::names::reason;
use crate::api::{FailureAction, FailurePolicy, FailureRule};
use crate::engine::pattern::GoPattern;

/// A failed Job of the current attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct FailedJob<'a> {
    /// Role.
    pub(super) role: &'a str,
    /// Job name.
    pub(super) name: &'a str,
    /// `lastTransitionTime` of the condition that counts.
    pub(super) at: Timestamp,
    /// Its reason.
    pub(super) reason: &'a str,
    /// Its message.
    pub(super) message: &'a str,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The set is Failed with that reason.
    Fail(&'static str),
    /// All Jobs anew.
    RestartSet { counts: bool },
    /// The Job that caused it anew.
    RestartJob { counts: bool },
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// Position of the Job that is the cause, in the list handed in.
    pub(super) cause: usize,
    /// Rule that matched; none: no rule did, or there is no policy.
    pub(super) rule: Option<usize>,
    /// The action that was asked for.
    pub(super) action: FailureAction,
    /// What comes of it: a restart at the limit is a failure.
    pub(super) verdict: Verdict,
}

/// Decides about `failed` (not empty). `used` restarts of the limit are spent.
///
/// Rule by rule over all Jobs: a later failure is the cause if an earlier rule matches it (trap
/// D.3.4). Ties in time go by name, so the answer doesn't depend on the order of a list (D.3.3).
pub(super) fn decide(
    policy: Option<&FailurePolicy>,
    failed: &[FailedJob<'_>],
    used: u32,
) -> Option<Decision> {
    let first = earliest(failed, |_| true)?;
    let Some(policy) = policy else {
        return Some(Decision {
            cause: first,
            rule: None,
            action: FailureAction::FailJobSet,
            verdict: Verdict::Fail(reason::FAILED_JOBS),
        });
    };
    let matched = policy.rules.iter().enumerate().find_map(|(at, rule)| {
        earliest(failed, |job| matches(rule, job)).map(|job| (at, rule, job))
    });
    let (rule, action, cause) = matched.map_or(
        (None, FailureAction::RestartJobSet, first),
        |(at, rule, job)| (Some(at), rule.action, job),
    );
    let limit = u32::try_from(policy.max_restarts.unwrap_or(0)).unwrap_or(0);
    let within = used < limit;
    let verdict = match action {
        FailureAction::FailJobSet => Verdict::Fail(reason::FAIL_JOBSET_ACTION),
        FailureAction::RestartJobSet if within => Verdict::RestartSet { counts: true },
        FailureAction::RestartJob if within => Verdict::RestartJob { counts: true },
        FailureAction::RestartJobSet | FailureAction::RestartJob => {
            Verdict::Fail(reason::REACHED_MAX_RESTARTS)
        }
        FailureAction::RestartJobSetAndIgnoreMaxRestarts => Verdict::RestartSet { counts: false },
        FailureAction::RestartJobAndIgnoreMaxRestarts => Verdict::RestartJob { counts: false },
    };
    Some(Decision {
        cause,
        rule,
        action,
        verdict,
    })
}

fn earliest(failed: &[FailedJob<'_>], wanted: impl Fn(&FailedJob<'_>) -> bool) -> Option<usize> {
    failed
        .iter()
        .enumerate()
        .filter(|(_, job)| wanted(job))
        .min_by(|(_, a), (_, b)| a.at.cmp(&b.at).then_with(|| a.name.cmp(b.name)))
        .map(|(at, _)| at)
}

/// A rule matches a Job; empty lists match everything (trap D.3.5).
fn matches(rule: &FailureRule, job: &FailedJob<'_>) -> bool {
    let any = |list: &[String], word: &str| list.is_empty() || list.iter().any(|w| w == word);
    any(&rule.on_job_failure_reasons, job.reason)
        && any(&rule.target_replicated_jobs, job.role)
        && (rule.on_job_failure_message_patterns.is_empty()
            || rule
                .on_job_failure_message_patterns
                .iter()
                .any(|pattern| pattern_matches(pattern, job.message)))
}

/// A pattern that doesn't compile matches nothing, as upstream (it was reported at validation).
fn pattern_matches(pattern: &str, text: &str) -> bool {
    GoPattern::compile(pattern).is_ok_and(|p| p.is_match(text))
}

/// The condition message of a failed set.
pub(super) fn failed_message(reason: &str, job: &str) -> String {
    let what = match reason {
        reason::FAILED_JOBS => "jobset failed due to one or more job failures",
        reason::REACHED_MAX_RESTARTS => "jobset failed due to reaching max number of restarts",
        _ => "applying FailJobSet failure policy action",
    };
    format!("{what} (first failed job: {job})")
}

/// The message of `RestartingJobSet=True`.
pub(super) fn applying_message(action: FailureAction, job: &str) -> String {
    format!(
        "applying {} failure policy action (first failed job: {job})",
        action.as_str()
    )
}

/// The reason of `RestartingJobSet=True`.
pub(super) fn restart_reason(rule: Option<&FailureRule>) -> String {
    rule.map_or_else(
        || reason::DEFAULT_FAILURE_POLICY.to_owned(),
        |r| format!("{}{}", reason::FAILURE_POLICY_PREFIX, r.name),
    )
}
