//! Defaults of Jobs.

use k8s_openapi::api::batch::v1::Job;

use crate::cluster::api::defaults::{or, pod};

/// Restarts of pods before a Job fails.
const BACKOFF_LIMIT: i32 = 6;

pub(super) fn apply(job: &mut Job) {
    let spec = job.spec.get_or_insert_default();
    if spec.completions.is_none() && spec.parallelism.is_none() {
        spec.completions = Some(1);
    }
    spec.parallelism.get_or_insert(1);
    if spec.backoff_limit.is_none() {
        // Failures are limited for each index: not for all together.
        let limited = spec.backoff_limit_per_index.is_some();
        spec.backoff_limit = Some(if limited { i32::MAX } else { BACKOFF_LIMIT });
    }
    or(&mut spec.completion_mode, "NonIndexed");
    spec.suspend.get_or_insert(false);
    spec.manual_selector.get_or_insert(false);
    if spec.pod_replacement_policy.is_none() {
        let policy = if spec.pod_failure_policy.is_some() {
            "Failed"
        } else {
            "TerminatingOrFailed"
        };
        spec.pod_replacement_policy = Some(policy.to_owned());
    }
    let rules = spec
        .pod_failure_policy
        .iter_mut()
        .flat_map(|p| &mut p.rules);
    for condition in rules.flat_map(|rule| rule.on_pod_conditions.iter_mut().flatten()) {
        if condition.status.as_deref().unwrap_or_default().is_empty() {
            condition.status = Some("True".to_owned());
        }
    }
    pod::spec(spec.template.spec.get_or_insert_default());
    labels(job);
}

/// A Job without labels of its own has its pods'.
pub(in crate::cluster::api) fn labels(job: &mut Job) {
    let template = job.spec.as_ref().map(|spec| &spec.template);
    let template = template.and_then(|template| template.metadata.as_ref());
    let labels = template.and_then(|meta| meta.labels.clone());
    let own = &mut job.metadata.labels;
    if let Some(labels) = labels.filter(|labels| !labels.is_empty())
        && own
            .as_ref()
            .is_none_or(std::collections::BTreeMap::is_empty)
    {
        *own = Some(labels);
    }
}
