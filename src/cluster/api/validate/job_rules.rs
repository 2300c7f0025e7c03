//! The policies of a Job: what ends it early.

use std::collections::BTreeSet;

use k8s_openapi::api::batch::v1::{
    JobSpec, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule, SuccessPolicyRule,
};

use crate::cluster::api::names;
use crate::cluster::api::problems::Problems;

const RULES_MAX: usize = 20;
const EXIT_CODES_MAX: usize = 255;
const CONDITIONS_MAX: usize = 20;
/// Bytes of a list of indexes.
const INDEXES_MAX: usize = 64 * 1024;

pub(super) fn failure_policy(spec: &JobSpec, problems: &mut Problems) {
    let Some(policy) = &spec.pod_failure_policy else {
        return;
    };
    let field = "spec.podFailurePolicy.rules";
    if policy.rules.len() > RULES_MAX {
        problems.too_many(field, policy.rules.len(), RULES_MAX);
    }
    let pod = spec.template.spec.as_ref();
    let containers = pod.into_iter().flat_map(|pod| {
        let init = pod.init_containers.iter().flatten();
        pod.containers.iter().chain(init)
    });
    let containers: BTreeSet<&str> = containers.map(|c| c.name.as_str()).collect();
    for (at, rule) in policy.rules.iter().enumerate() {
        failure_rule(spec, rule, &format!("{field}[{at}]"), &containers, problems);
    }
}

fn failure_rule(
    spec: &JobSpec,
    rule: &PodFailurePolicyRule,
    field: &str,
    containers: &BTreeSet<&str>,
    problems: &mut Problems,
) {
    const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
    let action = rule.action.as_str();
    let at = format!("{field}.action");
    if action.is_empty() {
        problems.required(
            at,
            "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]",
        );
    } else if action == "FailIndex" {
        if spec.backoff_limit_per_index.is_none() {
            problems.invalid(at, action, "requires the backoffLimitPerIndex to be set");
        }
    } else if !ACTIONS.contains(&action) {
        problems.not_supported(at, action, &ACTIONS);
    }
    if let Some(codes) = &rule.on_exit_codes {
        exit_codes(codes, &format!("{field}.onExitCodes"), containers, problems);
    }
    let conditions = rule.on_pod_conditions.as_deref().unwrap_or_default();
    let at = format!("{field}.onPodConditions");
    if conditions.len() > CONDITIONS_MAX {
        problems.too_many(&at, conditions.len(), CONDITIONS_MAX);
    }
    for (number, pattern) in conditions.iter().enumerate() {
        const WORDS: [&str; 3] = ["False", "True", "Unknown"];
        problems.invalid_for_each(
            format!("{at}[{number}].type"),
            pattern.type_.as_str(),
            &names::qualified_name(&pattern.type_),
        );
        let status = pattern.status.as_deref().unwrap_or_default();
        if !WORDS.contains(&status) {
            problems.not_supported(format!("{at}[{number}].status"), status, &WORDS);
        }
    }
    match (rule.on_exit_codes.is_some(), conditions.is_empty()) {
        (true, false) => problems.invalid_here(
            field,
            "specifying both OnExitCodes and OnPodConditions is not supported",
        ),
        (false, true) => problems.invalid_here(
            field,
            "specifying one of OnExitCodes and OnPodConditions is required",
        ),
        _ => {}
    }
}

fn exit_codes(
    codes: &PodFailurePolicyOnExitCodesRequirement,
    field: &str,
    containers: &BTreeSet<&str>,
    problems: &mut Problems,
) {
    let at = format!("{field}.operator");
    match codes.operator.as_str() {
        "" => problems.required(at, "valid values: [\"In\" \"NotIn\"]"),
        "In" | "NotIn" => {}
        other => problems.not_supported(at, other, &["In", "NotIn"]),
    }
    if let Some(name) = &codes.container_name
        && !containers.contains(name.as_str())
    {
        problems.invalid(
            format!("{field}.containerName"),
            name,
            "must be one of the container or initContainer names in the pod template",
        );
    }
    let at = format!("{field}.values");
    let values = &codes.values;
    if values.is_empty() {
        problems.invalid(&at, values, "at least one value is required");
    } else if values.len() > EXIT_CODES_MAX {
        problems.too_many(&at, values.len(), EXIT_CODES_MAX);
    }
    let mut seen = BTreeSet::new();
    for (number, value) in values.iter().enumerate() {
        let at = format!("{at}[{number}]");
        if codes.operator == "In" && *value == 0 {
            problems.invalid(&at, value, "must not be 0 for the In operator");
        }
        if !seen.insert(value) {
            problems.duplicate(&at, value);
        }
    }
    if !values.is_sorted() {
        problems.invalid(&at, values, "must be ordered");
    }
}

pub(super) fn success_policy(spec: &JobSpec, problems: &mut Problems) {
    let Some(policy) = &spec.success_policy else {
        return;
    };
    let field = "spec.successPolicy";
    if spec.completion_mode.as_deref() != Some("Indexed") {
        problems.invalid(field, policy, "requires indexed completion mode");
        return;
    }
    let field = format!("{field}.rules");
    if policy.rules.is_empty() {
        problems.required(
            &field,
            "at least one rules must be specified when the successPolicy is specified",
        );
    }
    if policy.rules.len() > RULES_MAX {
        problems.too_many(&field, policy.rules.len(), RULES_MAX);
    }
    let completions = spec.completions.unwrap_or_default();
    for (at, rule) in policy.rules.iter().enumerate() {
        success_rule(rule, completions, &format!("{field}[{at}]"), problems);
    }
}

fn success_rule(rule: &SuccessPolicyRule, completions: i32, field: &str, problems: &mut Problems) {
    if rule.succeeded_count.is_none() && rule.succeeded_indexes.is_none() {
        problems.required(
            field,
            "at least one of succeededCount or succeededIndexes must be specified",
        );
    }
    let mut listed = None;
    if let Some(text) = &rule.succeeded_indexes {
        let at = format!("{field}.succeededIndexes");
        if text.len() > INDEXES_MAX {
            problems.too_long(&at, INDEXES_MAX);
        }
        listed = Some(match indexes(text, completions) {
            Ok(count) => count,
            Err(why) => {
                problems.invalid(&at, text, format!("error parsing succeededIndexes: {why}"));
                0
            }
        });
    }
    let Some(count) = rule.succeeded_count else {
        return;
    };
    let at = format!("{field}.succeededCount");
    problems.negative(&at, Some(count));
    if count > completions {
        problems.invalid(
            &at,
            count,
            format!(
                "must be less than or equal to {completions} (the number of specified completions)"
            ),
        );
    }
    if let Some(listed) = listed.filter(|listed| count > *listed) {
        problems.invalid(
            &at,
            count,
            format!(
                "must be less than or equal to {listed} (the number of indexes in the specified succeededIndexes field)"
            ),
        );
    }
}

/// How many indexes `0,2-4` names.
fn indexes(text: &str, completions: i32) -> Result<i32, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let number = |part: &str| {
        let number: i32 = part
            .parse()
            .map_err(|_| format!("cannot convert string to integer for index: \"{part}\""))?;
        if number >= completions {
            return Err(format!("too large index: \"{part}\""));
        }
        Ok(number)
    };
    let (mut total, mut last) = (0, None);
    for interval in text.split(',') {
        let parts: Vec<&str> = interval.split('-').collect();
        let (first, end) = match parts.as_slice() {
            [one] => (number(one)?, number(one)?),
            [first, end] => {
                let (first, end) = (number(first)?, number(end)?);
                if first >= end {
                    return Err(format!(
                        "non-increasing order, previous: {first}, current: {end}"
                    ));
                }
                (first, end)
            }
            _ => {
                return Err(format!(
                    "the fragment \"{interval}\" violates the requirement that an index interval can have at most two parts separated by '-'"
                ));
            }
        };
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(format!(
                "non-increasing order, previous: {last}, current: {first}"
            ));
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}
