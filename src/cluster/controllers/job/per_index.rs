//! `spec.backoffLimitPerIndex`: each index has its own limit and its own back-off. The count travels in an
//! annotation from a failed pod to its replacement, so a failed pod keeps its finalizer until the
//! replacement exists.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::batch::v1::Job;

use super::indexes::Indexes;
use super::labels::{INDEX_FAILURES, INDEX_IGNORED};
use super::pod_failure_policy::{self, Meaning};
use super::seen::SeenPod;
use super::spec::Spec;

/// Indexes that have failed, with those of the status.
pub(super) fn failed_indexes(job: &Job, spec: &Spec, limit: i32, pods: &[SeenPod]) -> Indexes {
    let status = job.status.as_ref();
    let before = status.and_then(|s| s.failed_indexes.as_deref());
    let before = Indexes::parse(before.unwrap_or_default(), spec.indexes());
    let new: BTreeSet<i32> = pods
        .iter()
        .filter(|p| p.tracked && spec.counts(p.index) && has_failed_its_index(job, spec, limit, p))
        .filter_map(|p| p.index)
        .collect();
    before.union(&Indexes::of(new))
}

fn has_failed_its_index(job: &Job, spec: &Spec, limit: i32, pod: &SeenPod) -> bool {
    if !pod.failed(spec.replace_only_ended) {
        return false;
    }
    match pod_failure_policy::meaning(job, pod) {
        Meaning::FailIndex => true,
        Meaning::Ignore => false,
        Meaning::Count | Meaning::FailJob(_) => failures(pod, INDEX_FAILURES) >= limit,
    }
}

/// The failed pod of each index whose replacement is still to come: with the most failures, then the last.
pub(super) fn to_be_replaced(
    spec: &Spec,
    pods: &[SeenPod],
    succeeded: &Indexes,
    failed: &Indexes,
) -> BTreeMap<i32, SeenPod> {
    let active: BTreeSet<i32> = pods
        .iter()
        .filter(|p| p.active())
        .filter_map(|p| p.index)
        .collect();
    let mut last: BTreeMap<i32, SeenPod> = BTreeMap::new();
    for pod in pods {
        let Some(index) = pod.index.filter(|i| spec.counts(Some(*i))) else {
            continue;
        };
        let settled = succeeded.has(index) || failed.has(index) || active.contains(&index);
        if settled || !pod.tracked || !pod.failed(spec.replace_only_ended) {
            continue;
        }
        let later = last.get(&index).is_none_or(|other| {
            all_failures(other) <= all_failures(pod) && other.finished() <= pod.finished()
        });
        if later {
            last.insert(index, pod.clone());
        }
    }
    last
}

/// Annotations of a new pod, by the one that it replaces.
pub(super) fn annotations(job: &Job, replaced: Option<&SeenPod>) -> Vec<(&'static str, i32)> {
    let (mut counted, mut ignored) = (0, 0);
    if let Some(pod) = replaced {
        counted = failures(pod, INDEX_FAILURES);
        ignored = failures(pod, INDEX_IGNORED);
        if pod_failure_policy::meaning(job, pod).counts() {
            counted += 1;
        } else {
            ignored += 1;
        }
    }
    let mut all = vec![(INDEX_FAILURES, counted)];
    if ignored > 0 {
        all.push((INDEX_IGNORED, ignored));
    }
    all
}

/// Failures before this pod, counted or not: what the back-off goes by.
pub(super) fn all_failures(pod: &SeenPod) -> i32 {
    failures(pod, INDEX_FAILURES).saturating_add(failures(pod, INDEX_IGNORED))
}

/// 0 for what isn't a number or is negative.
fn failures(pod: &SeenPod, annotation: &str) -> i32 {
    let annotations = pod.pod().metadata.annotations.as_ref();
    annotations
        .and_then(|a| a.get(annotation))
        .and_then(|text| text.parse().ok())
        .filter(|n| *n >= 0)
        .unwrap_or_default()
}
