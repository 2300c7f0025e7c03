//! What must outlive the process: the part of the record that the engine owns. The driver writes it
//! as it is; its size is bounded here (512 KiB for 200 roles), so every list has a limit.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::JobSetStatus;
use crate::engine::outcome::{FirstFailure, Outcome};

/// Newest attempts kept in full; older ones are dropped, their number is in `attempts_dropped`.
pub const ATTEMPTS_KEPT: usize = 64;
/// Failed containers per attempt whose last lines are kept.
pub const EVIDENCE_PER_ATTEMPT: usize = 8;
/// Default of `--keep-evidence`: last lines per failed container.
pub const EVIDENCE_LINES: u32 = 20;
/// Bytes of one kept line; longer ones are cut with a mark.
pub const EVIDENCE_LINE_BYTES: usize = 512;
/// Bytes of all kept lines in the record; the oldest attempts' lines go first.
pub const EVIDENCE_TOTAL_BYTES: usize = 128 * 1024;

/// The engine's durable state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunState {
    /// JobSet status as upstream has it.
    pub status: JobSetStatus,
    /// When the run was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<Timestamp>,
    /// How it ended; set with the terminal condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// First failure of the attempt that ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<FirstFailure>,
    /// Attempts, oldest first, at most [`ATTEMPTS_KEPT`]. The last one is the current one.
    pub attempts: Vec<Attempt>,
    /// Attempts that were dropped from `attempts`.
    pub attempts_dropped: u32,
    /// Jobs of the current attempt known to have succeeded, per role: index ranges (`0-3,7`). A Job
    /// that is missing and stands here is done, not lost (trap D.1.9).
    pub succeeded: BTreeMap<String, String>,
    /// Pods replaced since the start of the current attempt without a Job failing (C01).
    pub pods_replaced: u32,
    /// Pod-template fields were changed while suspended: Jobs are patched when they are resumed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub template_changed: bool,
    /// Keys that were taken out of a role's pod template since (`spec|nodeSelector|zone`), to be
    /// taken out of its Jobs as well.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stale_template_keys: BTreeMap<String, BTreeSet<String>>,
    /// Somebody asked to stop, and who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Sequence number of the last event (cli.md 9).
    pub seq: u64,
}

/// How an attempt began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AttemptKind {
    /// First start.
    #[default]
    Start,
    /// Whole-set restart.
    Restart,
    /// One Job restarted by itself.
    RestartJob,
    /// Resume after a suspension.
    Resume,
}

/// One entry of the history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Attempt {
    /// `status.restarts` during it.
    pub number: u32,
    /// How it began.
    pub kind: AttemptKind,
    /// When it began (for a restart: when it was counted).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// When everything was ready the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// It counted towards `maxRestarts`.
    pub counted: bool,
    /// What ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<FirstFailure>,
    /// Failed containers whose lines were kept before their pods were deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// Last words of a failed container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evidence {
    /// Role.
    pub role: String,
    /// Job index.
    pub job: u32,
    /// Restarts of that Job by itself.
    pub job_restarts: u32,
    /// Completion index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Pod.
    pub pod: String,
    /// Pod UID.
    pub pod_uid: String,
    /// Node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Container.
    pub container: String,
    /// Exit code.
    pub exit_code: i32,
    /// `OOMKilled`, `Error`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// Oldest first.
    pub lines: Vec<String>,
}
