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

/// Why a rule doesn't match a failed Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Its reasons don't name the Job's.
    Reason,
    /// Its targets don't name the Job's role.
    Role,
    /// None of its patterns matches the message.
    Message,
}

/// A rule matches a Job; empty lists match everything (trap D.3.5).
fn matches(rule: &FailureRule, job: &FailedJob<'_>) -> bool {
    mismatch(rule, job.role, job.reason, job.message).is_none()
}

/// Why a rule doesn't match a Job of that role that failed with that reason and message; none: it does.
#[must_use]
pub fn mismatch(rule: &FailureRule, role: &str, reason: &str, message: &str) -> Option<Mismatch> {
    let any = |list: &[String], word: &str| list.is_empty() || list.iter().any(|w| w == word);
    let patterns = &rule.on_job_failure_message_patterns;
    if !any(&rule.on_job_failure_reasons, reason) {
        Some(Mismatch::Reason)
    } else if !any(&rule.target_replicated_jobs, role) {
        Some(Mismatch::Role)
    } else if !(patterns.is_empty() || patterns.iter().any(|p| pattern_matches(p, message))) {
        Some(Mismatch::Message)
    } else {
        None
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::testing::t0;

    fn policy(value: serde_json::Value) -> FailurePolicy {
        serde_json::from_value(value).unwrap()
    }

    fn failed<'a>(role: &'a str, name: &'a str, second: i64, reason: &'a str) -> FailedJob<'a> {
        let at = Timestamp::from_second(t0().as_second() + second).unwrap();
        FailedJob {
            role,
            name,
            at,
            reason,
            message: "Container main failed with exit code 7 here",
        }
    }

    #[test]
    fn max_restarts_arithmetic_d4() {
        use FailureAction as A;
        let fail = Verdict::Fail;
        // Action, limit, used before, verdict.
        let table = [
            (A::FailJobSet, 5, 0, fail(reason::FAIL_JOBSET_ACTION)),
            (A::FailJobSet, 0, 0, fail(reason::FAIL_JOBSET_ACTION)),
            (A::RestartJobSet, 0, 0, fail(reason::REACHED_MAX_RESTARTS)),
            (A::RestartJobSet, 1, 0, Verdict::RestartSet { counts: true }),
            (A::RestartJobSet, 1, 1, fail(reason::REACHED_MAX_RESTARTS)),
            (A::RestartJobSet, 3, 2, Verdict::RestartSet { counts: true }),
            (A::RestartJobSet, 3, 4, fail(reason::REACHED_MAX_RESTARTS)),
            (
                A::RestartJobSetAndIgnoreMaxRestarts,
                0,
                9,
                Verdict::RestartSet { counts: false },
            ),
            (A::RestartJob, 2, 1, Verdict::RestartJob { counts: true }),
            (A::RestartJob, 2, 2, fail(reason::REACHED_MAX_RESTARTS)),
            (
                A::RestartJobAndIgnoreMaxRestarts,
                0,
                0,
                Verdict::RestartJob { counts: false },
            ),
        ];
        for (action, limit, used, verdict) in table {
            let policy = policy(json!({"maxRestarts": limit,
                "rules": [{"name": "r", "action": action.as_str()}]}));
            let jobs = [failed("a", "set-a-0", 0, "BackoffLimitExceeded")];
            let d = decide(Some(&policy), &jobs, used).unwrap();
            assert_eq!(d.verdict, verdict, "{action:?} limit {limit} used {used}");
            assert_eq!((d.rule, d.action, d.cause), (Some(0), action, 0));
        }
    }

    #[test]
    fn no_policy_is_not_a_limit_of_zero_d4_8() {
        let jobs = [failed("a", "set-a-0", 0, "BackoffLimitExceeded")];
        let verdict = |p: Option<&FailurePolicy>| decide(p, &jobs, 0).unwrap().verdict;
        assert_eq!(verdict(None), Verdict::Fail(reason::FAILED_JOBS));
        let zero = policy(json!({}));
        assert_eq!(
            verdict(Some(&zero)),
            Verdict::Fail(reason::REACHED_MAX_RESTARTS)
        );
    }

    #[test]
    fn rules_come_before_time_and_names_break_ties_d3() {
        let rules = policy(json!({"maxRestarts": 9, "rules": [
            {"name": "first", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]},
            {"name": "second", "action": "RestartJobSet", "targetReplicatedJobs": ["b"]},
        ]}));
        let early = failed("a", "set-a-1", 0, "BackoffLimitExceeded");
        let tied = failed("a", "set-a-0", 0, "BackoffLimitExceeded");
        let of_b = failed("b", "set-b-0", 5, "BackoffLimitExceeded");
        let late = failed("a", "set-a-2", 9, "DeadlineExceeded");
        // Failed Jobs, and what must come out: cause, rule.
        let table: [(&[FailedJob<'_>], &str, Option<usize>); 4] = [
            (&[early, of_b, late], "set-a-2", Some(0)),
            (&[early, of_b], "set-b-0", Some(1)),
            (&[early, tied], "set-a-0", None),
            (&[tied, early], "set-a-0", None),
        ];
        for (jobs, cause, rule) in table {
            let d = decide(Some(&rules), jobs, 0).unwrap();
            assert_eq!((jobs[d.cause].name, d.rule), (cause, rule));
        }
        assert!(decide(Some(&rules), &[], 0).is_none());
    }

    #[test]
    fn all_conditions_of_a_rule_must_hold_and_empty_ones_do() {
        // reasons, patterns, targets, matches a BackoffLimitExceeded of role a with exit code 7.
        type Words = &'static [&'static str];
        let table: [(Words, Words, Words, bool); 8] = [
            (&[], &[], &[], true),
            (&["BackoffLimitExceeded"], &[], &[], true),
            (&["PodFailurePolicy"], &[], &[], false),
            (
                &["PodFailurePolicy", "BackoffLimitExceeded"],
                &[],
                &["a"],
                true,
            ),
            (&[], &[], &["b"], false),
            (&[], &["nothing", "code [6-8] "], &[], true),
            (&[], &["^exit code"], &[], false),
            (&[], &["(unclosed"], &[], false),
        ];
        for (reasons, patterns, targets, expected) in table {
            let rules = policy(json!({"maxRestarts": 9, "rules": [{"name": "r",
                "action": "FailJobSet", "onJobFailureReasons": reasons,
                "onJobFailureMessagePatterns": patterns, "targetReplicatedJobs": targets}]}));
            let jobs = [failed("a", "set-a-0", 0, "BackoffLimitExceeded")];
            let d = decide(Some(&rules), &jobs, 0).unwrap();
            assert_eq!(
                d.rule.is_some(),
                expected,
                "{reasons:?} {patterns:?} {targets:?}"
            );
        }
    }

    #[test]
    fn messages_are_upstreams() {
        let said = |reason| failed_message(reason, "x");
        assert_eq!(
            said(reason::FAILED_JOBS),
            "jobset failed due to one or more job failures (first failed job: x)"
        );
        assert_eq!(
            said(reason::REACHED_MAX_RESTARTS),
            "jobset failed due to reaching max number of restarts (first failed job: x)"
        );
        assert_eq!(
            said(reason::FAIL_JOBSET_ACTION),
            "applying FailJobSet failure policy action (first failed job: x)"
        );
        assert_eq!(
            applying_message(FailureAction::RestartJobSetAndIgnoreMaxRestarts, "x"),
            "applying RestartJobSetAndIgnoreMaxRestarts failure policy action (first failed job: x)"
        );
        let rules = policy(json!({"rules": [{"name": "oom", "action": "RestartJobSet"}]}));
        assert_eq!(restart_reason(rules.rules.first()), "FailurePolicy_oom");
        assert_eq!(restart_reason(None), "DefaultFailurePolicy");
    }
}
