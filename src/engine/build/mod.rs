//! The objects of a run as JSON: desired child Jobs and the headless Service, built from an admitted
//! JobSet. Pure; what is the same for all Jobs of a role is worked out once.

mod job;
mod service;

use serde_json::{Value, json};

use crate::api::JobSet;

pub use job::{JobBuilder, job};
pub use service::service;

/// Who owns what the run makes: the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerRef {
    /// `apiVersion` of the owner.
    pub api_version: String,
    /// `kind` of the owner.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its UID.
    pub uid: String,
}

impl OwnerRef {
    /// An entry of `metadata.ownerReferences`. `blockOwnerDeletion` is false: clusters that enforce owner
    /// permissions refuse it for users who may not change finalizers of a ConfigMap.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "apiVersion": self.api_version,
            "kind": self.kind,
            "name": self.name,
            "uid": self.uid,
            "controller": true,
            "blockOwnerDeletion": false,
        })
    }
}

/// What ties an object to its run. None of it is known before the record exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Value of the label and annotation `jobset-uid`.
    pub run_uid: String,
    /// Owner of all objects.
    pub owner: OwnerRef,
}

/// All objects of the first attempt in the order in which they are made: the Service (if any), then the
/// Jobs role by role. For `render`: without owner and `jobset-uid`, which exist only once a run
/// does, so that `kubectl apply` takes the result as it is. Built one by one: there may be more than
/// memory holds.
///
/// ```
/// # let jobset = kubectl_jobset::manifest::load(
/// #     &[kubectl_jobset::manifest::Source::new("a.yaml", r#"
/// # apiVersion: jobset.x-k8s.io/v1alpha2
/// # kind: JobSet
/// # metadata: {name: a}
/// # spec:
/// #   replicatedJobs:
/// #   - name: w
/// #     template: {spec: {template: {spec: {containers: [{name: c, image: busybox}]}}}}
/// # "#)],
/// #     &Default::default(),
/// # ).jobset.unwrap();
/// let objects = kubectl_jobset::engine::build::render_objects(&jobset, "default");
/// let kinds: Vec<_> = objects.map(|o| o["kind"].as_str().unwrap().to_owned()).collect();
/// assert_eq!(kinds, ["Service", "Job"]);
/// ```
pub fn render_objects<'j>(
    jobset: &'j JobSet,
    namespace: &str,
) -> impl Iterator<Item = Value> + use<'j> {
    let builder = JobBuilder::new(jobset, namespace, None);
    let jobs = jobset
        .spec
        .replicated_jobs
        .iter()
        .enumerate()
        .flat_map(|(role, spec)| (0..spec.replicas()).map(move |index| (role, index)))
        .filter_map(move |(role, index)| builder.job(role, index, 0, 0, jobset.suspended()));
    service(jobset, namespace, None).into_iter().chain(jobs)
}

#[cfg(test)]
mod tests;
