//! Objects as they come from the API, cut to what is read. Decoding skips everything else, managed
//! fields above all, without keeping it: a watch of 10,000 pods stays cheap.

use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;

/// Metadata.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Meta {
    /// Name.
    pub name: String,
    /// Namespace.
    pub namespace: String,
    /// UID.
    pub uid: String,
    /// resourceVersion.
    pub resource_version: String,
    /// Created.
    pub creation_timestamp: Option<Timestamp>,
    /// Deletion was asked for (a pod: plus its grace).
    pub deletion_timestamp: Option<Timestamp>,
    /// Grace of the deletion.
    pub deletion_grace_period_seconds: Option<i64>,
    /// Finalizers.
    pub finalizers: Vec<String>,
    /// The labels of a run.
    pub labels: RunLabels,
    /// Owners.
    pub owner_references: Vec<Owner>,
}

impl Meta {
    /// The owner that is the controller, as `kind/name`.
    #[must_use]
    pub fn controller(&self) -> Option<String> {
        let owner = self.owner_references.iter().find(|o| o.controller)?;
        Some(format!("{}/{}", owner.kind.to_lowercase(), owner.name))
    }
}

/// An owner reference.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Owner {
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
    /// It is the controller.
    pub controller: bool,
}

/// The labels that are read (the keys are tested against `api::names`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RunLabels {
    /// JobSet name.
    #[serde(rename = "jobset.sigs.k8s.io/jobset-name")]
    pub jobset_name: Option<String>,
    /// Run UID.
    #[serde(rename = "jobset.sigs.k8s.io/jobset-uid")]
    pub jobset_uid: Option<String>,
    /// Role.
    #[serde(rename = "jobset.sigs.k8s.io/replicatedjob-name")]
    pub role: Option<String>,
    /// Job index.
    #[serde(rename = "jobset.sigs.k8s.io/job-index")]
    pub job_index: Option<String>,
    /// Attempt.
    #[serde(rename = "jobset.sigs.k8s.io/restart-attempt")]
    pub restart_attempt: Option<String>,
    /// Restarts of the Job by itself.
    #[serde(rename = "jobset.sigs.k8s.io/job-restart-attempt")]
    pub job_restart_attempt: Option<String>,
    /// Job of a pod.
    #[serde(rename = "batch.kubernetes.io/job-name")]
    pub job_name: Option<String>,
    /// UID of the Job of a pod.
    #[serde(rename = "batch.kubernetes.io/controller-uid")]
    pub controller_uid: Option<String>,
    /// Completion index of a pod.
    #[serde(rename = "batch.kubernetes.io/job-completion-index")]
    pub completion_index: Option<String>,
    /// Format of a record.
    #[serde(rename = "kubectl-jobset/record")]
    pub record: Option<String>,
}

/// Any object, of which only the metadata matters.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Bare {
    /// Metadata.
    pub metadata: Meta,
}

/// A page of a list.
#[derive(Clone, Debug, Deserialize)]
pub struct Page<T> {
    /// Where to go on, and the version of the list.
    #[serde(default)]
    pub metadata: PageMeta,
    /// Objects (`null` for none, from some servers).
    #[serde(default = "none")]
    pub items: Option<Vec<T>>,
}

fn none<T>() -> Option<Vec<T>> {
    None
}

/// Metadata of a page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PageMeta {
    /// resourceVersion of the list.
    pub resource_version: String,
    /// Token of the next page; empty: the last one.
    #[serde(rename = "continue")]
    pub continue_: String,
    /// Objects after this page, if the server tells.
    pub remaining_item_count: Option<u64>,
}

/// A line of a watch.
#[derive(Clone, Debug, Deserialize)]
pub struct Line<T> {
    /// `ADDED`, `MODIFIED`, `DELETED` or `BOOKMARK`. An `ERROR` has another shape.
    #[serde(rename = "type")]
    pub type_: LineType,
    /// The object.
    pub object: T,
}

/// What a line of a watch tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum LineType {
    /// New.
    Added,
    /// Changed.
    Modified,
    /// Gone.
    Deleted,
    /// Nothing but a newer resourceVersion.
    Bookmark,
    /// The watch has failed; the object is a `Status`.
    Error,
}

/// Only the type of a line, to know how to read the rest.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct LineKind {
    /// Type.
    #[serde(rename = "type")]
    pub type_: LineType,
}

/// An object that a watch can deliver.
pub trait Watchable: serde::de::DeserializeOwned {
    /// Its metadata.
    fn meta(&self) -> &Meta;
}

impl Watchable for Bare {
    fn meta(&self) -> &Meta {
        &self.metadata
    }
}

/// A Job.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Job {
    /// Metadata.
    pub metadata: Meta,
    /// Spec.
    pub spec: JobSpec,
    /// Status.
    pub status: JobStatus,
}

impl Watchable for Job {
    fn meta(&self) -> &Meta {
        &self.metadata
    }
}

/// Spec of a Job.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct JobSpec {
    /// `suspend`.
    pub suspend: Option<bool>,
}

/// Status of a Job.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobStatus {
    /// Set once the Job runs; cleared by a suspension.
    pub start_time: Option<Timestamp>,
    /// Pods.
    pub active: u32,
    /// Pods that are ready.
    pub ready: Option<u32>,
    /// Pods that succeeded.
    pub succeeded: u32,
    /// Pods that failed.
    pub failed: u32,
    /// Pods that are terminating.
    pub terminating: Option<u32>,
    /// Conditions.
    pub conditions: Vec<Condition>,
}

/// A condition of a Job or a pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// Type.
    #[serde(rename = "type")]
    pub type_: String,
    /// `True`, `False`, `Unknown`.
    pub status: String,
    /// Reason.
    pub reason: Option<String>,
    /// Message.
    pub message: Option<String>,
    /// When the status changed.
    pub last_transition_time: Option<Timestamp>,
}

/// A pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Pod {
    /// Metadata.
    pub metadata: Meta,
    /// Spec.
    pub spec: PodSpec,
    /// Status.
    pub status: PodStatus,
}

impl Watchable for Pod {
    fn meta(&self) -> &Meta {
        &self.metadata
    }
}

/// Spec of a pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpec {
    /// Node.
    pub node_name: Option<String>,
}

/// Status of a pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// Phase.
    pub phase: String,
    /// Reason (`Evicted`).
    pub reason: Option<String>,
    /// Message.
    pub message: Option<String>,
    /// When the kubelet took it.
    pub start_time: Option<Timestamp>,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// Init containers (sidecars too).
    pub init_container_statuses: Vec<ContainerStatus>,
    /// Containers.
    pub container_statuses: Vec<ContainerStatus>,
}

/// A container.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// Name.
    pub name: String,
    /// Restarts.
    pub restart_count: u32,
    /// Now.
    pub state: ContainerState,
    /// The instance before.
    pub last_state: ContainerState,
}

/// State of a container.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ContainerState {
    /// Waits.
    pub waiting: Option<ContainerWaiting>,
    /// Has ended.
    pub terminated: Option<Terminated>,
}

/// A container that waits.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ContainerWaiting {
    /// Reason.
    pub reason: Option<String>,
    /// Message.
    pub message: Option<String>,
}

/// A container that has ended.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Terminated {
    /// Exit code.
    pub exit_code: i32,
    /// Signal.
    pub signal: Option<i32>,
    /// Reason.
    pub reason: Option<String>,
    /// Termination message.
    pub message: Option<String>,
    /// Started.
    pub started_at: Option<Timestamp>,
    /// Ended.
    pub finished_at: Option<Timestamp>,
}

/// An event (core/v1).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// Metadata.
    pub metadata: Meta,
    /// What it is about.
    pub involved_object: Involved,
    /// Reason.
    pub reason: Option<String>,
    /// Note.
    pub message: Option<String>,
    /// Last seen (old way).
    pub last_timestamp: Option<Timestamp>,
    /// First seen (old way).
    pub first_timestamp: Option<Timestamp>,
    /// First seen (new way).
    pub event_time: Option<Timestamp>,
    /// Repetitions (new way).
    pub series: Option<Series>,
}

impl Watchable for Event {
    fn meta(&self) -> &Meta {
        &self.metadata
    }
}

/// Object of an event.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Involved {
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}

/// Repetitions of an event.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Series {
    /// Last seen.
    pub last_observed_time: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::names;

    /// The label keys above are literals, as derive needs them; they must be those of `names`.
    #[test]
    fn label_keys_are_those_of_the_api() {
        let mut labels = serde_json::Map::new();
        for key in [
            names::JOBSET_NAME,
            names::JOBSET_UID,
            names::REPLICATED_JOB_NAME,
            names::JOB_INDEX,
            names::RESTART_ATTEMPT,
            names::JOB_RESTART_ATTEMPT,
            names::JOB_NAME,
            names::CONTROLLER_UID,
            names::COMPLETION_INDEX,
            names::RECORD_LABEL,
        ] {
            labels.insert(key.to_owned(), key.into());
        }
        let read: RunLabels = serde_json::from_value(labels.into()).unwrap();
        assert_eq!(read.jobset_name.as_deref(), Some(names::JOBSET_NAME));
        assert_eq!(read.jobset_uid.as_deref(), Some(names::JOBSET_UID));
        assert_eq!(read.role.as_deref(), Some(names::REPLICATED_JOB_NAME));
        assert_eq!(read.job_index.as_deref(), Some(names::JOB_INDEX));
        assert_eq!(
            read.restart_attempt.as_deref(),
            Some(names::RESTART_ATTEMPT)
        );
        assert_eq!(
            read.job_restart_attempt.as_deref(),
            Some(names::JOB_RESTART_ATTEMPT)
        );
        assert_eq!(read.job_name.as_deref(), Some(names::JOB_NAME));
        assert_eq!(read.controller_uid.as_deref(), Some(names::CONTROLLER_UID));
        assert_eq!(
            read.completion_index.as_deref(),
            Some(names::COMPLETION_INDEX)
        );
        assert_eq!(read.record.as_deref(), Some(names::RECORD_LABEL));
    }

    #[test]
    fn an_empty_list_may_be_null() {
        let page: Page<Bare> =
            serde_json::from_str(r#"{"metadata":{"resourceVersion":"7"},"items":null}"#).unwrap();
        assert!(page.items.is_none());
        assert_eq!(page.metadata.resource_version, "7");
    }
}
