//! What is in a record.

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::{JobSet, names};
use crate::engine::build::OwnerRef;
use crate::engine::{Engine, FailAt, Options, Run, RunState};
use crate::error::Error;

/// Who drives. The epoch is the fence: whoever takes the seat writes a greater one, guarded by the
/// resourceVersion, so that of two drivers one loses its next write and learns it (trap D.9.2). The
/// Lease beside it only says politely who sits there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Seat {
    /// `ada@laptop/4711-3f9a`.
    pub holder: String,
    /// Grows by one with each driver that takes the seat.
    pub epoch: u64,
}

/// Settings of the engine that a later driver must go on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// When a failing Job counts as failed.
    #[serde(with = "fail_at")]
    pub fail_at: FailAt,
    /// Last lines kept per failed container.
    pub evidence_lines: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fail_at: FailAt::default(),
            evidence_lines: crate::engine::state::EVIDENCE_LINES,
        }
    }
}

mod fail_at {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::engine::FailAt;

    pub(super) fn serialize<S: Serializer>(at: &FailAt, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(match at {
            FailAt::FailureTarget => "FailureTarget",
            FailAt::Failed => "Failed",
        })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<FailAt, D::Error> {
        match String::deserialize(d)?.as_str() {
            "FailureTarget" => Ok(FailAt::FailureTarget),
            "Failed" => Ok(FailAt::Failed),
            other => Err(D::Error::custom(format!("failAt `{other}`"))),
        }
    }
}

/// Wishes of other terminals. Suspension is `spec.suspend` of the JobSet in the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Control {
    /// Who asked to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Who asked to delete: an attached driver leaves before anything is deleted (trap D.1.8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete: Option<String>,
}

/// Where the JobSet came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// File name as given.
    pub file: String,
    /// SHA-256 of its text, hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A record as it was read or written.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Namespace.
    pub namespace: String,
    /// JobSet name.
    pub name: String,
    /// UID: the run's identity.
    pub uid: String,
    /// Version that the next write is guarded by.
    pub resource_version: String,
    /// When it was made.
    pub created: Timestamp,
    /// It is being deleted.
    pub deleting: bool,
    /// Where the JobSet came from.
    pub source: Option<Source>,
    /// The JobSet as admitted.
    pub jobset: JobSet,
    /// The engine's state.
    pub state: RunState,
    /// Who drives.
    pub seat: Seat,
    /// Settings of the engine.
    pub settings: Settings,
    /// Wishes of other terminals.
    pub control: Control,
}

impl Record {
    /// As owner of what the run makes.
    #[must_use]
    pub fn owner(&self) -> OwnerRef {
        owner(&self.name, &self.uid)
    }

    /// The engine that drives the run, as it was written down.
    #[must_use]
    pub fn engine(&self, now: Timestamp) -> Engine {
        self.engine_that_keeps(self.settings.evidence_lines, now)
    }

    /// The same for who only looks on: it fetches nothing.
    #[must_use]
    pub fn engine_of_an_onlooker(&self, now: Timestamp) -> Engine {
        self.engine_that_keeps(0, now)
    }

    fn engine_that_keeps(&self, evidence_lines: u32, now: Timestamp) -> Engine {
        let run = Run {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            uid: self.uid.clone(),
        };
        let options = Options {
            fail_at: self.settings.fail_at,
            evidence_lines,
            ..Options::default()
        };
        let (jobset, state) = (self.jobset.clone(), self.state.clone());
        Engine::new(run, jobset, state, options, now)
    }

    /// `configmap/train-run`.
    #[must_use]
    pub fn reference(&self) -> String {
        reference(&self.name)
    }
}

/// The record of that JobSet as owner of what the run makes.
#[must_use]
pub fn owner(jobset: &str, uid: &str) -> OwnerRef {
    OwnerRef {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: names::record_name(jobset),
        uid: uid.to_owned(),
    }
}

/// `configmap/train-run`.
#[must_use]
pub fn reference(jobset: &str) -> String {
    format!("configmap/{}", names::record_name(jobset))
}

/// A record that does not exist yet.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRecord {
    /// Namespace.
    pub namespace: String,
    /// The JobSet as admitted; its name is the run's.
    pub jobset: JobSet,
    /// Where it came from.
    pub source: Option<Source>,
    /// The engine's state.
    pub state: RunState,
    /// Who drives.
    pub seat: Seat,
    /// Settings of the engine.
    pub settings: Settings,
}

/// Why a record was not written. What passes is tried again before.
#[derive(Debug)]
pub enum WriteError {
    /// Somebody has written it meanwhile: read it again.
    Conflict,
    /// It is gone, or another one has its name.
    Gone,
    /// The server refuses.
    Refused(Error),
}

/// What a watch of a record tells.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordEvent {
    /// As it is now.
    Seen(Box<Record>),
    /// It is not there.
    Gone,
    /// It can't be read; the reason. (Contact as such is told by the watch of the run.)
    Lost(String),
    /// It can be read again.
    Back,
}
