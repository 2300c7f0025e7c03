//! `failurePolicy` (spec 4.6-4.8): rules that are refused, and rules that can never matter.

use std::collections::BTreeMap;

use crate::api::{FailureAction, FailureRule, ReplicatedJob};
use crate::engine::pattern::GoPattern;
use crate::manifest::decode::nearest;
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::validate::Checked;
use crate::manifest::validate::success::targets;

/// Longest rule name.
const NAME_MAX: usize = 128;
/// Most Jobs of a role where single Jobs may be restarted: upstream keeps a number per Job in the status.
const RESTART_JOB_MAX_REPLICAS: u32 = 1024;
/// Why a Job can fail.
const REASONS: [&str; 5] = [
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
];

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let Some(policy) = &checked.jobset.spec.failure_policy else {
        return;
    };
    let path = FieldPath::spec().key("failurePolicy");
    let max_restarts = policy.max_restarts.unwrap_or(0);
    if max_restarts < 0 {
        findings.push(Finding::warning(
            "max-restarts-negative",
            path.clone().key("maxRestarts"),
            "a negative maxRestarts is the same as 0",
        ));
    }
    let roles = &checked.jobset.spec.replicated_jobs;
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut catch_all = None;
    for (n, rule) in policy.rules.iter().enumerate() {
        let at = path.clone().key("rules").index(n);
        name(rule, &at, findings);
        match names.get(rule.name.as_str()) {
            Some(first) => findings.push(
                Finding::error(
                    "rule-name-twice",
                    at.clone().key("name"),
                    format!("there are two rules named {}", rule.name),
                )
                .see(
                    Place::Value(path.clone().key("rules").index(*first).key("name")),
                    "first here",
                ),
            ),
            None => {
                names.insert(&rule.name, n);
            }
        }
        reasons(rule, &at, roles, findings);
        patterns(rule, &at, findings);
        let list = at.clone().key("targetReplicatedJobs");
        targets(
            &rule.target_replicated_jobs,
            &list,
            "rule-target",
            roles,
            findings,
        );
        restart_job(rule, &at, roles, findings);
        if let Some(first) = catch_all {
            findings.push(
                Finding::warning(
                    "rule-unreachable",
                    at.clone(),
                    format!("rule {} is never looked at", rule.name),
                )
                .see(
                    Place::Value(path.clone().key("rules").index(first)),
                    "this rule matches every failure",
                ),
            );
        } else if matches_all(rule) {
            catch_all = Some(n);
        }
        if max_restarts <= 0
            && matches!(
                rule.action,
                FailureAction::RestartJobSet | FailureAction::RestartJob
            )
        {
            findings.push(
                Finding::warning(
                    "restart-never",
                    at.key("action"),
                    "maxRestarts is 0, so this rule fails the set instead of restarting anything",
                )
                .see(Place::Key(path.clone().key("maxRestarts")), ""),
            );
        }
    }
}

/// Trap D.3.5: empty lists match everything.
fn matches_all(rule: &FailureRule) -> bool {
    rule.on_job_failure_reasons.is_empty()
        && rule.on_job_failure_message_patterns.is_empty()
        && rule.target_replicated_jobs.is_empty()
}

/// `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`, 1 to 128 characters. It becomes part of a condition's reason.
fn name(rule: &FailureRule, at: &FieldPath, findings: &mut Vec<Finding>) {
    let name = &rule.name;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.ends_with(word)
        && name.chars().all(|c| word(c) || matches!(c, ',' | ':'));
    if name.len() > NAME_MAX {
        findings.push(Finding::error(
            "rule-name",
            at.clone().key("name"),
            format!(
                "the rule's name is {} characters long, at most {NAME_MAX} are allowed",
                name.len()
            ),
        ));
    } else if !good {
        findings.push(Finding::error(
            "rule-name",
            at.clone().key("name"),
            format!(
                "{name:?} is no name for a rule: first a letter, then letters, digits and _ , : \
                 (the last two not at the end)"
            ),
        ));
    }
}

fn reasons(
    rule: &FailureRule,
    at: &FieldPath,
    roles: &[ReplicatedJob],
    findings: &mut Vec<Finding>,
) {
    let list = at.clone().key("onJobFailureReasons");
    let mut can_happen = false;
    let mut all_known = true;
    for (m, reason) in rule.on_job_failure_reasons.iter().enumerate() {
        if !REASONS.contains(&reason.as_str()) {
            all_known = false;
            let finding = Finding::error(
                "rule-reason",
                list.clone().index(m),
                format!("{reason:?} is not one of {}", REASONS.join(", ")),
            );
            findings.push(match nearest(reason, &REASONS) {
                Some(near) => finding.help(format!("did you mean {near}?")),
                None => finding,
            });
        } else if rule.on_job_failure_reasons[..m].contains(reason) {
            findings.push(Finding::warning(
                "rule-reason-twice",
                list.clone().index(m),
                format!("{reason} is given twice"),
            ));
        }
        let targets = &rule.target_replicated_jobs;
        can_happen |= roles
            .iter()
            .filter(|r| targets.is_empty() || targets.contains(&r.name))
            .any(|r| may_fail_with(r, reason));
    }
    if !rule.on_job_failure_reasons.is_empty() && all_known && !can_happen {
        findings.push(
            Finding::warning(
                "rule-never-matches",
                list,
                format!(
                    "rule {} can never match: no Job that it looks at can fail with {}",
                    rule.name,
                    rule.on_job_failure_reasons.join(" or ")
                ),
            )
            .at_key(),
        );
    }
}

/// The Job has the field without which this reason doesn't occur.
fn may_fail_with(role: &ReplicatedJob, reason: &str) -> bool {
    let needs = match reason {
        "DeadlineExceeded" => "activeDeadlineSeconds",
        "FailedIndexes" => "backoffLimitPerIndex",
        "MaxFailedIndexesExceeded" => "maxFailedIndexes",
        "PodFailurePolicy" => "podFailurePolicy",
        _ => return true,
    };
    role.template
        .spec()
        .is_some_and(|s| s.get(needs).is_some_and(|v| !v.is_null()))
}

/// Spec 13: a pattern that doesn't compile is a trap, since upstream skips it without a word.
fn patterns(rule: &FailureRule, at: &FieldPath, findings: &mut Vec<Finding>) {
    for (m, pattern) in rule.on_job_failure_message_patterns.iter().enumerate() {
        if let Err(error) = GoPattern::compile(pattern) {
            findings.push(
                Finding::error(
                    "rule-pattern",
                    at.clone().key("onJobFailureMessagePatterns").index(m),
                    format!(
                        "the pattern doesn't compile: {error} (at byte {})",
                        error.offset
                    ),
                )
                .help("patterns are Go (RE2) regular expressions"),
            );
        }
    }
}

fn restart_job(
    rule: &FailureRule,
    at: &FieldPath,
    roles: &[ReplicatedJob],
    findings: &mut Vec<Finding>,
) {
    if !matches!(
        rule.action,
        FailureAction::RestartJob | FailureAction::RestartJobAndIgnoreMaxRestarts
    ) {
        return;
    }
    for (n, role) in roles.iter().enumerate() {
        if role.replicas() > RESTART_JOB_MAX_REPLICAS {
            findings.push(
                Finding::error(
                    "restart-job-replicas",
                    FieldPath::role(n).key("replicas"),
                    format!(
                        "with a {} rule no replicated job may have more than {RESTART_JOB_MAX_REPLICAS} replicas",
                        rule.action.as_str()
                    ),
                )
                .see(Place::Value(at.clone().key("action")), "the rule"),
            );
        }
    }
}
