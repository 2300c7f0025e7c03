//! What may change of a Job: how much of it runs at a time, and its template while it is suspended.

use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::{Affinity, Container, PodSpec, PodTemplateSpec};

use super::job;
use crate::cluster::api::problems::Problems;

pub(super) fn update(new: &Job, old: &Job, problems: &mut Problems) {
    let (Some(spec), Some(was)) = (&new.spec, &old.spec) else {
        return;
    };
    if spec == was && new.metadata.name == old.metadata.name {
        return;
    }
    job::whole_spec(spec, problems);
    completions(spec, was, problems);
    problems.immutable("spec.selector", &spec.selector, &was.selector);
    template(spec, was, old, problems);
    problems.immutable(
        "spec.completionMode",
        &spec.completion_mode,
        &was.completion_mode,
    );
    problems.immutable(
        "spec.podFailurePolicy",
        &spec.pod_failure_policy,
        &was.pod_failure_policy,
    );
    problems.immutable(
        "spec.backoffLimitPerIndex",
        &spec.backoff_limit_per_index,
        &was.backoff_limit_per_index,
    );
    problems.immutable("spec.managedBy", &spec.managed_by, &was.managed_by);
    problems.immutable(
        "spec.successPolicy",
        &spec.success_policy,
        &was.success_policy,
    );
    job::pod_names(new, spec, problems);
}

/// Those of an Indexed Job may change with its parallelism.
fn completions(new: &JobSpec, old: &JobSpec, problems: &mut Problems) {
    if new.completion_mode.as_deref() != Some("Indexed") {
        problems.immutable("spec.completions", &new.completions, &old.completions);
        return;
    }
    if new.completions == old.completions || new.completions.is_none() {
        return;
    }
    if new.completions != new.parallelism {
        problems.invalid(
            "spec.completions",
            new.completions,
            "can only be modified in tandem with spec.parallelism",
        );
    }
}

/// The template of a Job that is suspended and has no pods may change in where its pods go and in what
/// they ask for.
fn template(new: &JobSpec, old: &JobSpec, job: &Job, problems: &mut Problems) {
    let status = job.status.as_ref();
    let suspended = old.suspend == Some(true);
    let not_started = status.is_none_or(|s| s.start_time.is_none());
    let conditions = status.iter().flat_map(|s| s.conditions.iter().flatten());
    let told = conditions
        .filter(|c| c.type_ == "Suspended")
        .any(|c| c.status == "True");
    let idle = status.and_then(|s| s.active).unwrap_or_default() == 0;
    let open = suspended && (not_started || told) && idle;
    let mut was = old.template.clone();
    if open {
        take_directions(&mut was, &new.template);
    }
    if !open {
        problems.immutable("spec.template", &new.template, &was);
        return;
    }
    if let (Some(spec), Some(was)) = (&new.template.spec, &mut was.spec) {
        take_resources(was, spec);
    }
    problems.immutable("spec.template.spec", &new.template.spec, &was.spec);
}

/// Where pods go may be another: the old template takes it from the new one.
fn take_directions(old: &mut PodTemplateSpec, new: &PodTemplateSpec) {
    let meta = old.metadata.get_or_insert_default();
    let new_meta = new.metadata.clone().unwrap_or_default();
    meta.labels = new_meta.labels;
    meta.annotations = new_meta.annotations;
    let (Some(old), Some(new)) = (&mut old.spec, &new.spec) else {
        return;
    };
    let to_nodes = new.affinity.as_ref().and_then(|a| a.node_affinity.clone());
    let rest = old.affinity.take().unwrap_or_default();
    let affinity = Affinity {
        node_affinity: to_nodes,
        ..rest
    };
    old.affinity = Some(affinity).filter(|a| *a != Affinity::default() || new.affinity.is_some());
    old.node_selector.clone_from(&new.node_selector);
    old.tolerations.clone_from(&new.tolerations);
    old.scheduling_gates.clone_from(&new.scheduling_gates);
}

fn take_resources(old: &mut PodSpec, new: &PodSpec) {
    let take = |old: &mut [Container], new: &[Container]| {
        if old.len() != new.len() {
            return;
        }
        for (old, new) in old.iter_mut().zip(new) {
            if old.name == new.name {
                old.resources.clone_from(&new.resources);
            }
        }
    };
    take(&mut old.containers, &new.containers);
    take(
        old.init_containers.as_deref_mut().unwrap_or_default(),
        new.init_containers.as_deref().unwrap_or_default(),
    );
}
