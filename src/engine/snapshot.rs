//! What the run looks like now: one computation for `status`, the live display and the exit code of
//! `status --exit-code`, so that no two commands disagree (cli.md 1.6).

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The one state word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateWord {
    /// Nothing exists yet.
    Pending,
    /// Some role is not started or not ready for the first time in this attempt.
    Starting,
    /// All roles that should run are ready.
    Running,
    /// A restart was counted and is being carried out.
    Restarting,
    /// Suspended.
    Suspended,
    /// Somebody asked to stop, Jobs are going away.
    Stopping,
    /// Ended well.
    Completed,
    /// Ended badly.
    Failed,
}

impl StateWord {
    /// The word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Starting => "Starting",
            Self::Running => "Running",
            Self::Restarting => "Restarting",
            Self::Suspended => "Suspended",
            Self::Stopping => "Stopping",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
        }
    }
}

/// A run at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// State word.
    pub state: StateWord,
    /// Condition reason behind it, if any (`ReachedMaxRestarts`, …).
    pub reason: Option<String>,
    /// `status.restarts`.
    pub attempt: u32,
    /// Restarts used of the limit (spec 7: global counted + per-Job counted).
    pub restarts_counted: u32,
    /// All restarts, whole-set and single-Job, counted or not.
    pub restarts: u32,
    /// `maxRestarts`; none without a failure policy.
    pub max_restarts: Option<u32>,
    /// When the run was made.
    pub started: Option<Timestamp>,
    /// When the current attempt began.
    pub attempt_started: Option<Timestamp>,
    /// When it ended.
    pub finished: Option<Timestamp>,
    /// Roles in manifest order.
    pub roles: Vec<RoleSnapshot>,
    /// Pods replaced since the attempt began without a Job failing (C01).
    pub pods_replaced: u32,
}

/// One role. `ready + starting + failing + succeeded + failed + suspended + waiting == replicas`
/// (cli.md 6.8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleSnapshot {
    /// Role.
    pub name: String,
    /// Jobs wanted.
    pub replicas: u32,
    /// Ready, not ended.
    pub ready: u32,
    /// Exist (in this attempt) or are about to, not ready yet, not ended.
    pub starting: u32,
    /// `FailureTarget` seen, not Failed yet.
    pub failing: u32,
    /// Succeeded (also those that are remembered).
    pub succeeded: u32,
    /// Failed.
    pub failed: u32,
    /// Suspended.
    pub suspended: u32,
    /// Not created: startup order, or the set has ended before they were.
    pub waiting: u32,
    /// Jobs of an earlier attempt that still stand.
    pub terminating: u32,
    /// Pods that are ready or succeeded.
    pub pods: u32,
    /// Pods wanted: replicas × min(parallelism, completions).
    pub pods_wanted: u32,
    /// Pods of earlier attempts, or of ended Jobs, that are terminating.
    pub pods_terminating: u32,
    /// What it waits for (`leader ready`), if startup order holds it back.
    pub waits_for: Option<String>,
    /// Why pods are not running or not going away, most telling first, at most
    /// [`NOTES_PER_ROLE`].
    pub notes: Vec<Note>,
}

/// Notes kept per role in a snapshot: more would not fit a screen.
pub const NOTES_PER_ROLE: usize = 4;

/// One explanation (`worker/1: no node with 2 free gpus, 2m10s`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// `worker/1` or `worker/1/0`.
    pub target: String,
    /// One word (`Unschedulable`, `ImagePullBackOff`, `FailedCreate`, `Terminating`, …).
    pub reason: String,
    /// A short sentence.
    pub message: String,
    /// Since when.
    pub since: Option<Timestamp>,
    /// Others with the same reason and message in this role.
    pub and_more: u32,
}
