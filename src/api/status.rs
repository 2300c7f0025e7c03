//! The status of a JobSet, as upstream writes it: conditions, counts per role, restarts.

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// `status`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSetStatus {
    /// In the order of their first appearance.
    pub conditions: Vec<Condition>,
    /// Whole-set restarts, counted and uncounted: the current attempt number.
    pub restarts: u32,
    /// Whole-set restarts that count towards `maxRestarts`.
    pub restarts_count_towards_max: u32,
    /// `Completed` or `Failed` at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_state: Option<String>,
    /// In manifest order (trap D.6.10).
    pub replicated_jobs_status: Vec<ReplicatedJobStatus>,
}

impl JobSetStatus {
    /// The condition of that type is there and True.
    #[must_use]
    pub fn is_true(&self, type_: &str) -> bool {
        self.conditions.iter().any(|c| c.type_ == type_ && c.status)
    }
}

/// One condition. `status` is `True` or `False`; JobSet never writes `Unknown`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// See [`crate::api::names::condition`].
    #[serde(rename = "type")]
    pub type_: String,
    /// Written `"True"` or `"False"`.
    #[serde(with = "true_false")]
    pub status: bool,
    /// See [`crate::api::names::reason`].
    pub reason: String,
    /// A sentence for people.
    pub message: String,
    /// When `status` last changed.
    pub last_transition_time: Timestamp,
}

mod true_false {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(v: &bool, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(if *v { "True" } else { "False" })
    }
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<bool, D::Error> {
        match String::deserialize(d)?.as_str() {
            "True" => Ok(true),
            "False" => Ok(false),
            other => Err(D::Error::custom(format!("condition status `{other}`"))),
        }
    }
}

/// Counts of one role (spec 6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicatedJobStatus {
    /// Role.
    pub name: String,
    /// Active Jobs whose pods are ready or succeeded.
    pub ready: u32,
    /// Jobs that are Complete.
    pub succeeded: u32,
    /// Jobs that are Failed.
    pub failed: u32,
    /// Jobs with pods.
    pub active: u32,
    /// Jobs with `spec.suspend`.
    pub suspended: u32,
    /// Restarts of each Job by itself, by index; empty: all 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub job_restarts: Vec<u32>,
    /// Those that count towards `maxRestarts`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub job_restarts_count_towards_max: Vec<u32>,
}
