//! JobSet `v1alpha2` as types. The Job template stays JSON ([`JobTemplate`]), so that a field which
//! this build doesn't know survives from the file to the API server.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A JobSet: what a user writes, and, after defaults, what the record holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobSet {
    /// Always [`crate::api::names::API_VERSION`].
    pub api_version: String,
    /// Always [`crate::api::names::KIND`].
    pub kind: String,
    /// Name, namespace, labels, annotations.
    pub metadata: Metadata,
    /// What to run.
    pub spec: JobSetSpec,
}

/// The part of ObjectMeta that a JobSet file may carry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    /// Empty only before `generateName` is resolved.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Prefix to make a name from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate_name: Option<String>,
    /// Namespace in the file, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Labels of the JobSet itself.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the JobSet itself.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// UID as given by a server; ignored on input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
}

/// `spec`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSetSpec {
    /// Roles, in order.
    pub replicated_jobs: Vec<ReplicatedJob>,
    /// DNS switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// When the set is Completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_policy: Option<SuccessPolicy>,
    /// What to do about failed Jobs; none: fail the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicy>,
    /// AnyOrder or InOrder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_policy: Option<StartupPolicy>,
    /// Create Jobs suspended, or suspend running ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
    /// The pod that all others are told about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinator: Option<Coordinator>,
    /// Which controller drives the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
    /// Seconds after the end until the set is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds_after_finished: Option<i32>,
    /// Shared volumes; kept as JSON (not carried out in this release).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_claim_policies: Option<Value>,
}

/// One role: `replicas` Jobs of one template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicatedJob {
    /// Role name.
    pub name: String,
    /// Group of roles that are counted together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_name: Option<String>,
    /// The Job to make.
    pub template: JobTemplate,
    /// How many Jobs; written even when 0 (trap D.8.1). Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Roles that must be ready or complete first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<DependsOn>,
}

impl ReplicatedJob {
    /// Number of Jobs, never negative.
    #[must_use]
    pub fn replicas(&self) -> u32 {
        self.replicas.unwrap_or(1).max(0).unsigned_abs()
    }
    /// Group name with its default.
    #[must_use]
    pub fn group_name(&self) -> &str {
        self.group_name
            .as_deref()
            .filter(|g| !g.is_empty())
            .unwrap_or("default")
    }
}

/// A Job template (`metadata` and `spec`) as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobTemplate(pub Value);

impl JobTemplate {
    /// `spec`, if it is an object.
    #[must_use]
    pub fn spec(&self) -> Option<&Map<String, Value>> {
        self.0.get("spec")?.as_object()
    }
    fn int(&self, key: &str) -> Option<i64> {
        self.spec()?.get(key)?.as_i64()
    }
    /// `spec.parallelism`, if given.
    #[must_use]
    pub fn parallelism(&self) -> Option<i64> {
        self.int("parallelism")
    }
    /// `spec.completions`, if given.
    #[must_use]
    pub fn completions(&self) -> Option<i64> {
        self.int("completions")
    }
    /// `spec.completionMode` is Indexed (JobSet's default).
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        self.spec()
            .and_then(|s| s.get("completionMode"))
            .and_then(Value::as_str)
            != Some("NonIndexed")
    }
    /// Pods of one Job that must be ready or succeeded for the Job to be ready (spec 6):
    /// `min(parallelism, completions)`, where parallelism defaults to 1.
    #[must_use]
    pub fn pods_expected(&self) -> i64 {
        let parallelism = self.parallelism().unwrap_or(1);
        self.completions()
            .map_or(parallelism, |c| c.min(parallelism))
    }
    /// `spec.template` (the pod template), if it is an object.
    #[must_use]
    pub fn pod_template(&self) -> Option<&Map<String, Value>> {
        self.spec()?.get("template")?.as_object()
    }
    /// `metadata.annotations[key]` of the Job template.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.0
            .get("metadata")?
            .get("annotations")?
            .get(key)?
            .as_str()
    }
}

/// One entry of `dependsOn`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependsOn {
    /// A role listed earlier.
    pub name: String,
    /// What it must have reached.
    pub status: DependsOnStatus,
}

/// What a dependency waits for (spec 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DependsOnStatus {
    /// Every Job ready, succeeded or failed.
    Ready,
    /// Every Job succeeded.
    Complete,
}

/// `spec.network`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Network {
    /// Make the Service and set each pod's subdomain (default true).
    #[serde(rename = "enableDNSHostnames", skip_serializing_if = "Option::is_none")]
    pub enable_dns_hostnames: Option<bool>,
    /// Name of the Service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subdomain: Option<String>,
    /// Names resolve before pods are ready (default true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_not_ready_addresses: Option<bool>,
}

impl JobSet {
    /// `network.enableDNSHostnames` with its default.
    #[must_use]
    pub fn dns_hostnames(&self) -> bool {
        self.spec
            .network
            .as_ref()
            .and_then(|n| n.enable_dns_hostnames)
            .unwrap_or(true)
    }
    /// `network.publishNotReadyAddresses` with its default.
    #[must_use]
    pub fn publish_not_ready(&self) -> bool {
        self.spec
            .network
            .as_ref()
            .and_then(|n| n.publish_not_ready_addresses)
            .unwrap_or(true)
    }
    /// `spec.suspend` with its default.
    #[must_use]
    pub fn suspended(&self) -> bool {
        self.spec.suspend.unwrap_or(false)
    }
    /// Position and role of that name.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<(usize, &ReplicatedJob)> {
        self.spec
            .replicated_jobs
            .iter()
            .enumerate()
            .find(|(_, r)| r.name == name)
    }
    /// Startup order with its default.
    #[must_use]
    pub fn startup_order(&self) -> StartupOrder {
        self.spec
            .startup_policy
            .as_ref()
            .map_or(StartupOrder::AnyOrder, |p| p.startup_policy_order)
    }
}

/// `spec.successPolicy`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuccessPolicy {
    /// All or Any.
    pub operator: Operator,
    /// Roles that count; empty: all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_replicated_jobs: Vec<String>,
}

/// `successPolicy.operator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    /// Every Job of the targets.
    All,
    /// One Job of them.
    Any,
}

/// `spec.failurePolicy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FailurePolicy {
    /// Restarts that count before the set is Failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_restarts: Option<i32>,
    /// How a whole-set restart goes (default Recreate).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_strategy: Option<RestartStrategy>,
    /// Rules, first match wins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<FailureRule>,
}

/// `failurePolicy.restartStrategy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RestartStrategy {
    /// Each Job is recreated as soon as its own predecessor is gone.
    #[default]
    Recreate,
    /// No Job is recreated before all old ones are gone.
    BlockingRecreate,
    /// Agents in the pods restart them in place (not supported here).
    InPlaceRestart,
}

/// One rule of the failure policy. Empty lists match everything (trap D.3.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureRule {
    /// Default `failurePolicyRule<N>`.
    #[serde(default)]
    pub name: String,
    /// What to do.
    pub action: FailureAction,
    /// Reasons of the Job's failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_job_failure_reasons: Vec<String>,
    /// Go RE2 patterns, one must match the failure message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_job_failure_message_patterns: Vec<String>,
    /// Roles the rule looks at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_replicated_jobs: Vec<String>,
}

/// `rules[].action` (spec 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureAction {
    /// Failed at once.
    FailJobSet,
    /// All Jobs recreated, counts.
    RestartJobSet,
    /// All Jobs recreated, does not count.
    RestartJobSetAndIgnoreMaxRestarts,
    /// Only the failed Job recreated, counts.
    RestartJob,
    /// Only the failed Job recreated, does not count.
    RestartJobAndIgnoreMaxRestarts,
}

impl FailureAction {
    /// The word in manifests, messages and events.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FailJobSet => "FailJobSet",
            Self::RestartJobSet => "RestartJobSet",
            Self::RestartJobSetAndIgnoreMaxRestarts => "RestartJobSetAndIgnoreMaxRestarts",
            Self::RestartJob => "RestartJob",
            Self::RestartJobAndIgnoreMaxRestarts => "RestartJobAndIgnoreMaxRestarts",
        }
    }
}

/// `spec.startupPolicy`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartupPolicy {
    /// AnyOrder or InOrder.
    pub startup_policy_order: StartupOrder,
}

/// `startupPolicy.startupPolicyOrder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartupOrder {
    /// All roles at once.
    AnyOrder,
    /// A role starts when the one before it has started.
    InOrder,
}

/// `spec.coordinator`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Coordinator {
    /// Its role.
    pub replicated_job: String,
    /// Its Job (default 0).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_index: Option<i32>,
    /// Its pod (default 0).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_index: Option<i32>,
}
