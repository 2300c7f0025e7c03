//! Jobs.

use std::collections::BTreeMap;

use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::{job_rules, pod};
use crate::cluster::api::names;
use crate::cluster::api::problems::Problems;

/// Pods of an Indexed Job at a time: what its list of indexes is allowed to grow to.
const PARALLELISM_MAX: i32 = 100_000;
const FAILED_INDEXES_MAX: i32 = 100_000;
/// From here on, limits for each index allow less at a time.
const MANY: i32 = 100_000;
const WITH_MANY: i32 = 10_000;
const MANAGED_BY_MAX: usize = 63;

pub(super) fn create(job: &Job, problems: &mut Problems) {
    let empty = JobSpec::default();
    let spec = job.spec.as_ref().unwrap_or(&empty);
    generated(job, spec, problems);
    whole_spec(spec, problems);
    pod_names(job, spec, problems);
}

/// Labels that the server has set where the author has not.
fn generated(job: &Job, spec: &JobSpec, problems: &mut Problems) {
    let Some(selector) = spec
        .selector
        .as_ref()
        .filter(|_| spec.manual_selector != Some(true))
    else {
        return;
    };
    let name = job.metadata.name.as_deref().unwrap_or_default();
    let uid = job.metadata.uid.as_deref().unwrap_or_default();
    let meta = spec.template.metadata.as_ref();
    let labels = meta.and_then(|meta| meta.labels.as_ref());
    let expected = [
        ("controller-uid", uid),
        ("job-name", name),
        ("batch.kubernetes.io/controller-uid", uid),
        ("batch.kubernetes.io/job-name", name),
    ];
    for (key, value) in expected {
        let field = format!("spec.template.metadata.labels[{key}]");
        match labels.and_then(|labels| labels.get(key)) {
            None => problems.required(field, format!("must be '{value}'")),
            Some(there) if there != value => {
                problems.invalid(field, labels, format!("must be '{value}'"));
            }
            Some(_) => {}
        }
    }
    let expected: BTreeMap<String, String> = expected
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    if !selects(selector, Some(&expected)) {
        problems.invalid("spec.selector", selector, "`selector` not auto-generated");
    }
}

/// Whether a selector selects labels.
fn selects(selector: &LabelSelector, labels: Option<&BTreeMap<String, String>>) -> bool {
    let value = |key: &str| labels.and_then(|labels| labels.get(key));
    selector
        .match_labels
        .iter()
        .flatten()
        .all(|(key, wanted)| value(key) == Some(wanted))
        && selector.match_expressions.iter().flatten().all(|term| {
            let value = value(&term.key);
            let named = value.is_some_and(|v| term.values.iter().flatten().any(|w| w == v));
            match term.operator.as_str() {
                "In" => named,
                "NotIn" => !named,
                "Exists" => value.is_some(),
                _ => value.is_none(),
            }
        })
}

pub(super) fn whole_spec(spec: &JobSpec, problems: &mut Problems) {
    job_spec(spec, problems);
    if spec.selector.is_none() {
        problems.required("spec.selector", "");
    }
    let meta = spec.template.metadata.as_ref();
    let labels = meta.and_then(|meta| meta.labels.as_ref());
    // No selector selects nothing.
    let matches = spec.selector.as_ref().is_some_and(|s| selects(s, labels));
    if !matches {
        problems.invalid(
            "spec.template.metadata.labels",
            labels,
            "`selector` does not match template `labels`",
        );
    }
}

fn job_spec(spec: &JobSpec, problems: &mut Problems) {
    problems.negative("spec.parallelism", spec.parallelism);
    problems.negative("spec.completions", spec.completions);
    problems.negative("spec.activeDeadlineSeconds", spec.active_deadline_seconds);
    problems.negative("spec.backoffLimit", spec.backoff_limit);
    problems.negative(
        "spec.ttlSecondsAfterFinished",
        spec.ttl_seconds_after_finished,
    );
    problems.negative("spec.backoffLimitPerIndex", spec.backoff_limit_per_index);
    problems.negative("spec.maxFailedIndexes", spec.max_failed_indexes);
    if spec.max_failed_indexes.is_some() && spec.backoff_limit_per_index.is_none() {
        problems.required(
            "spec.backoffLimitPerIndex",
            "when maxFailedIndexes is specified",
        );
    }
    if let Some(manager) = &spec.managed_by {
        managed_by(manager, problems);
    }
    let mode = spec.completion_mode.as_deref().unwrap_or("NonIndexed");
    match mode {
        "Indexed" => indexed(spec, problems),
        "NonIndexed" => {
            for (field, value) in [
                ("spec.backoffLimitPerIndex", spec.backoff_limit_per_index),
                ("spec.maxFailedIndexes", spec.max_failed_indexes),
            ] {
                if let Some(value) = value {
                    problems.invalid(field, value, "requires indexed completion mode");
                }
            }
        }
        _ => problems.not_supported("spec.completionMode", mode, &["NonIndexed", "Indexed"]),
    }
    job_rules::failure_policy(spec, problems);
    job_rules::success_policy(spec, problems);
    replacement(spec, problems);
    pod::template(&spec.template, "spec.template", problems);
    restart_policy(spec, problems);
}

fn managed_by(manager: &str, problems: &mut Problems) {
    let field = "spec.managedBy";
    if manager.is_empty() {
        problems.required(field, "");
    } else {
        match manager.split_once('/') {
            Some((host, path)) if !host.is_empty() && !path.is_empty() => {
                for why in names::dns_subdomain(host) {
                    problems.invalid(field, host, why);
                }
            }
            _ => problems.invalid(
                field,
                manager,
                "must be a domain-prefixed path (such as \"acme.io/foo\")",
            ),
        }
    }
    if manager.len() > MANAGED_BY_MAX {
        problems.too_long(field, MANAGED_BY_MAX);
    }
}

fn indexed(spec: &JobSpec, problems: &mut Problems) {
    let at_most =
        |problems: &mut Problems, field: &str, value: Option<i32>, max: i32, when: &str| {
            if let Some(value) = value.filter(|value| *value > max) {
                problems.invalid(
                    field,
                    value,
                    format!("must be less than or equal to {max}{when}"),
                );
            }
        };
    if spec.completions.is_none() {
        problems.required("spec.completions", "when completion mode is Indexed");
    }
    at_most(
        problems,
        "spec.parallelism",
        spec.parallelism,
        PARALLELISM_MAX,
        " when completion mode is Indexed",
    );
    if let (Some(completions), Some(failed)) = (spec.completions, spec.max_failed_indexes)
        && failed > completions
    {
        problems.invalid(
            "spec.maxFailedIndexes",
            failed,
            "must be less than or equal to completions",
        );
    }
    at_most(
        problems,
        "spec.maxFailedIndexes",
        spec.max_failed_indexes,
        FAILED_INDEXES_MAX,
        "",
    );
    if spec.completions.is_some_and(|c| c > MANY) && spec.backoff_limit_per_index.is_some() {
        if spec.max_failed_indexes.is_none() {
            problems.required(
                "spec.maxFailedIndexes",
                format!("must be specified when completions is above {MANY}"),
            );
        }
        let when =
            format!(" when completions are above {MANY} and used with backoff limit per index");
        at_most(
            problems,
            "spec.parallelism",
            spec.parallelism,
            WITH_MANY,
            &when,
        );
        at_most(
            problems,
            "spec.maxFailedIndexes",
            spec.max_failed_indexes,
            WITH_MANY,
            &when,
        );
    }
}

fn replacement(spec: &JobSpec, problems: &mut Problems) {
    let Some(policy) = spec.pod_replacement_policy.as_deref() else {
        return;
    };
    let field = "spec.podReplacementPolicy";
    let words: &[&str] = if spec.pod_failure_policy.is_some() {
        &["Failed"]
    } else {
        &["Failed", "TerminatingOrFailed"]
    };
    if !words.contains(&policy) {
        problems.not_supported(field, policy, words);
    }
}

fn restart_policy(spec: &JobSpec, problems: &mut Problems) {
    let field = "spec.template.spec.restartPolicy";
    let pod = spec.template.spec.as_ref();
    let policy = pod.and_then(|spec| spec.restart_policy.as_deref());
    match policy.unwrap_or_default() {
        "" | "Always" => {
            problems.required(field, "valid values: \"OnFailure\", \"Never\"");
        }
        "Never" => {}
        "OnFailure" if spec.pod_failure_policy.is_none() => {}
        policy @ "OnFailure" => problems.invalid(
            field,
            policy,
            "only \"Never\" is supported when podFailurePolicy is specified",
        ),
        other => problems.not_supported(field, other, &["OnFailure", "Never"]),
    }
}

/// The pod of the highest index has a name that is a label of DNS.
pub(super) fn pod_names(job: &Job, spec: &JobSpec, problems: &mut Problems) {
    let completions = spec.completions.unwrap_or_default();
    if spec.completion_mode.as_deref() != Some("Indexed") || completions <= 0 {
        return;
    }
    let name = job.metadata.name.as_deref().unwrap_or_default();
    let last = format!("{name}-{}", completions - 1);
    if !names::dns_label(&last).is_empty() {
        problems.invalid(
            "metadata.name",
            name,
            format!("will not able to create pod with invalid DNS label: {last}"),
        );
    }
}

/// What is worth a warning.
pub(super) fn warnings(job: &Job) -> Vec<String> {
    let Some(spec) = &job.spec else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    if spec.completion_mode.as_deref() == Some("Indexed") {
        let completions = spec.completions.unwrap_or_default();
        let parallelism = spec.parallelism.unwrap_or_default();
        if completions > MANY && parallelism > WITH_MANY {
            warnings.push(
                "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
                    .to_owned(),
            );
        }
    }
    warnings
}
