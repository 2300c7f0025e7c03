//! A child Job (spec 1 and 2): the user's template with our labels and annotations over it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use sha1::{Digest, Sha1};

use crate::api::JobSet;
use crate::api::names::{
    COORDINATOR, GLOBAL_REPLICAS, GROUP_NAME, GROUP_REPLICAS, JOB_GLOBAL_INDEX, JOB_GROUP_INDEX,
    JOB_INDEX, JOB_KEY, JOB_RESTART_ATTEMPT, JOBSET_NAME, JOBSET_UID, REPLICATED_JOB_NAME,
    REPLICATED_JOB_REPLICAS, RESTART_ATTEMPT, coordinator_endpoint, job_name, subdomain,
};
use crate::engine::build::{Identity, OwnerRef};

/// Builds the Jobs of one run. Made once per run; one Job then costs a copy of its role's template and
/// the six labels that differ.
#[derive(Clone, Debug)]
pub struct JobBuilder {
    jobset: String,
    namespace: String,
    owner: Option<Value>,
    roles: Vec<RoleBuilder>,
}

#[derive(Clone, Debug)]
struct RoleBuilder {
    name: String,
    replicas: u32,
    /// Index of the role's first Job over the whole set, and inside its group.
    first_global: u64,
    first_in_group: u64,
    /// Labels and annotations of the Job with those of ours that all Jobs of the role share.
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
    /// `spec` with the pod template labelled in the same way.
    spec: Map<String, Value>,
}

impl JobBuilder {
    /// Takes an admitted JobSet. Without an identity (for `render`) the Jobs have no owner and no
    /// `jobset-uid`.
    #[must_use]
    pub fn new(jobset: &JobSet, namespace: &str, identity: Option<&Identity>) -> Self {
        let roles = &jobset.spec.replicated_jobs;
        let total: u64 = roles.iter().map(|r| u64::from(r.replicas())).sum();
        let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
        for role in roles {
            *groups.entry(role.group_name()).or_default() += u64::from(role.replicas());
        }
        let coordinator = coordinator_endpoint(jobset);
        let mut first_global = 0;
        let mut first_in: BTreeMap<&str, u64> = BTreeMap::new();
        let roles = roles
            .iter()
            .map(|role| {
                let group = role.group_name();
                let mut shared = vec![
                    (JOBSET_NAME, jobset.metadata.name.clone()),
                    (REPLICATED_JOB_NAME, role.name.clone()),
                    (REPLICATED_JOB_REPLICAS, role.replicas().to_string()),
                    (GLOBAL_REPLICAS, total.to_string()),
                    (GROUP_NAME, group.to_owned()),
                    (
                        GROUP_REPLICAS,
                        groups.get(group).copied().unwrap_or(0).to_string(),
                    ),
                ];
                if let Some(identity) = identity {
                    shared.push((JOBSET_UID, identity.run_uid.clone()));
                }
                if let Some(endpoint) = &coordinator {
                    shared.push((COORDINATOR, endpoint.clone()));
                }
                let group_start = first_in.entry(group).or_default();
                let builder = RoleBuilder {
                    name: role.name.clone(),
                    replicas: role.replicas(),
                    first_global,
                    first_in_group: *group_start,
                    labels: with(role.template.0.pointer("/metadata/labels"), &shared),
                    annotations: with(role.template.0.pointer("/metadata/annotations"), &shared),
                    spec: job_spec(jobset, role.template.spec(), &shared),
                };
                first_global += u64::from(role.replicas());
                *group_start += u64::from(role.replicas());
                builder
            })
            .collect();
        Self {
            jobset: jobset.metadata.name.clone(),
            namespace: namespace.to_owned(),
            owner: identity.map(|i| json!([i.owner.to_json()])),
            roles,
        }
    }

    /// One Job as it is sent to the API server. None if there is no such role or index.
    ///
    /// `restarts` and `job_restarts` are `status.restarts` and the Job's own restarts at this moment.
    #[must_use]
    pub fn job(
        &self,
        role: usize,
        index: u32,
        restarts: u32,
        job_restarts: u32,
        suspend: bool,
    ) -> Option<Value> {
        let role = self.roles.get(role).filter(|r| index < r.replicas)?;
        let name = job_name(&self.jobset, &role.name, index);
        let own = [
            (JOB_INDEX, index.to_string()),
            (
                JOB_GLOBAL_INDEX,
                (role.first_global + u64::from(index)).to_string(),
            ),
            (
                JOB_GROUP_INDEX,
                (role.first_in_group + u64::from(index)).to_string(),
            ),
            (JOB_KEY, job_key(&self.namespace, &name)),
            (RESTART_ATTEMPT, restarts.to_string()),
            (JOB_RESTART_ATTEMPT, job_restarts.to_string()),
        ];
        let mut spec = role.spec.clone();
        spec.insert("suspend".to_owned(), Value::Bool(suspend));
        if let Some(metadata) = spec
            .get_mut("template")
            .and_then(|t| t.get_mut("metadata"))
            .and_then(Value::as_object_mut)
        {
            for key in ["labels", "annotations"] {
                if let Some(Value::Object(map)) = metadata.get_mut(key) {
                    add(map, &own);
                }
            }
        }
        let mut labels = role.labels.clone();
        add(&mut labels, &own);
        let mut annotations = role.annotations.clone();
        add(&mut annotations, &own);
        let mut metadata = Map::new();
        metadata.insert("name".to_owned(), Value::String(name));
        metadata.insert(
            "namespace".to_owned(),
            Value::String(self.namespace.clone()),
        );
        metadata.insert("labels".to_owned(), Value::Object(labels));
        metadata.insert("annotations".to_owned(), Value::Object(annotations));
        if let Some(owner) = &self.owner {
            metadata.insert("ownerReferences".to_owned(), owner.clone());
        }
        let mut job = Map::new();
        job.insert(
            "apiVersion".to_owned(),
            Value::String("batch/v1".to_owned()),
        );
        job.insert("kind".to_owned(), Value::String("Job".to_owned()));
        job.insert("metadata".to_owned(), Value::Object(metadata));
        job.insert("spec".to_owned(), Value::Object(spec));
        Some(Value::Object(job))
    }
}

/// One Job, for callers that need a single one: see [`JobBuilder::job`].
#[must_use]
#[expect(
    clippy::too_many_arguments,
    reason = "each of them is a label or a field of the Job"
)]
pub fn job(
    jobset: &JobSet,
    namespace: &str,
    run_uid: &str,
    owner: &OwnerRef,
    role_index: usize,
    job_index: u32,
    restarts: u32,
    job_restarts: u32,
    suspend: bool,
) -> Option<Value> {
    let identity = Identity {
        run_uid: run_uid.to_owned(),
        owner: owner.clone(),
    };
    JobBuilder::new(jobset, namespace, Some(&identity)).job(
        role_index,
        job_index,
        restarts,
        job_restarts,
        suspend,
    )
}

/// Lower-case hex SHA-1 of `<namespace>/<job name>`: placement depends on exactly this (trap D.8.5).
fn job_key(namespace: &str, name: &str) -> String {
    let digest = Sha1::digest(format!("{namespace}/{name}").as_bytes());
    digest.iter().fold(String::with_capacity(40), |mut hex, b| {
        // Writing to a string can't fail.
        let _ = write!(hex, "{b:02x}");
        hex
    })
}

/// The user's `spec` with our labels on the pod template, and the subdomain.
fn job_spec(
    jobset: &JobSet,
    spec: Option<&Map<String, Value>>,
    shared: &[(&str, String)],
) -> Map<String, Value> {
    let mut spec = spec.cloned().unwrap_or_default();
    let template = child(&mut spec, "template");
    let metadata = child(template, "metadata");
    for key in ["labels", "annotations"] {
        let ours = with(metadata.get(key), shared);
        metadata.insert(key.to_owned(), Value::Object(ours));
    }
    if jobset.dns_hostnames() {
        child(template, "spec").insert(
            "subdomain".to_owned(),
            Value::String(subdomain(jobset).to_owned()),
        );
    }
    spec
}

/// The mapping at `key`, made if it is absent (or null).
fn child<'m>(map: &'m mut Map<String, Value>, key: &str) -> &'m mut Map<String, Value> {
    let value = map.entry(key.to_owned()).or_insert(Value::Null);
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        // Made an object just above.
        _ => unreachable!("an object was put there"),
    }
}

/// The user's labels or annotations with ours over them (trap D.8.9).
fn with(theirs: Option<&Value>, ours: &[(&str, String)]) -> Map<String, Value> {
    let mut map = theirs
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    add(&mut map, ours);
    map
}

fn add(map: &mut Map<String, Value>, ours: &[(&str, String)]) {
    for (key, value) in ours {
        map.insert((*key).to_owned(), Value::String(value.clone()));
    }
}
