//! A pod of a Job's template.

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Container, EnvVar, EnvVarSource, ObjectFieldSelector, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::labels::{COMPLETION_INDEX, TRACKING_FINALIZER};

/// Longest prefix to which the API appends five letters.
const MAX_PREFIX: usize = 58;
/// Variable that tells a container its index.
const INDEX_VARIABLE: &str = "JOB_COMPLETION_INDEX";

/// A pod without a name, of an index where the Job has them.
pub(super) fn pod(job: &Job, index: Option<i32>, annotations: &[(&str, i32)]) -> Pod {
    let template = job.spec.as_ref().map(|s| &s.template);
    let metadata = template.and_then(|t| t.metadata.as_ref());
    let job_name = job.metadata.name.as_deref().unwrap_or_default();
    let mut pod = Pod::default();
    if let Some(metadata) = metadata {
        pod.metadata.labels.clone_from(&metadata.labels);
        pod.metadata.annotations.clone_from(&metadata.annotations);
        pod.metadata.finalizers.clone_from(&metadata.finalizers);
    }
    pod.metadata.namespace.clone_from(&job.metadata.namespace);
    pod.metadata.owner_references = Some(vec![owner(job)]);
    let finalizers = pod.metadata.finalizers.get_or_insert_default();
    if !finalizers.iter().any(|f| f == TRACKING_FINALIZER) {
        finalizers.push(TRACKING_FINALIZER.to_owned());
    }
    let mut spec = template.and_then(|t| t.spec.clone()).unwrap_or_default();
    match index {
        None => pod.metadata.generate_name = Some(format!("{job_name}-")),
        Some(index) => {
            pod.metadata.generate_name = Some(prefix(job_name, index));
            let labels = pod.metadata.labels.get_or_insert_default();
            labels.insert(COMPLETION_INDEX.to_owned(), index.to_string());
            let kept = pod.metadata.annotations.get_or_insert_default();
            kept.insert(COMPLETION_INDEX.to_owned(), index.to_string());
            kept.extend(
                annotations
                    .iter()
                    .map(|(k, n)| ((*k).to_owned(), n.to_string())),
            );
            spec.hostname = Some(format!("{job_name}-{index}"));
            let init = spec.init_containers.iter_mut().flatten();
            init.chain(&mut spec.containers).for_each(tell_index);
        }
    }
    pod.spec = Some(spec);
    pod
}

/// A long name is cut, so that the index stays.
fn prefix(job_name: &str, index: i32) -> String {
    let end = format!("-{index}-");
    let room = MAX_PREFIX.saturating_sub(end.len()).min(job_name.len());
    format!("{}{end}", &job_name[..room])
}

/// The reference from a pod to its Job.
pub(super) fn owner(job: &Job) -> OwnerReference {
    OwnerReference {
        api_version: "batch/v1".to_owned(),
        block_owner_deletion: Some(true),
        controller: Some(true),
        kind: "Job".to_owned(),
        name: job.metadata.name.clone().unwrap_or_default(),
        uid: job.metadata.uid.clone().unwrap_or_default(),
    }
}

/// A variable of that name that the user gave stays.
fn tell_index(container: &mut Container) {
    let env = container.env.get_or_insert_default();
    if env.iter().any(|v| v.name == INDEX_VARIABLE) {
        return;
    }
    env.push(EnvVar {
        name: INDEX_VARIABLE.to_owned(),
        value: None,
        value_from: Some(EnvVarSource {
            field_ref: Some(ObjectFieldSelector {
                api_version: Some("v1".to_owned()),
                field_path: format!("metadata.labels['{COMPLETION_INDEX}']"),
            }),
            ..Default::default()
        }),
    });
}
