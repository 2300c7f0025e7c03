//! How a run ended, and who failed first.

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A verdict about the workload. Detaching, losing contact and the like are the driver's words, not
/// verdicts (cli.md 1.7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Outcome {
    /// The success policy was met.
    Completed,
    /// Failed by rule or for want of a policy (`FailedJobs`, `FailJobSetFailurePolicyAction`).
    FailedByPolicy {
        /// Condition reason.
        reason: String,
    },
    /// The restart limit is used up (`ReachedMaxRestarts`).
    RestartLimit,
    /// Could not start (a Job was refused by the server for good).
    CouldNotStart {
        /// The server's words.
        message: String,
    },
    /// Stopped by somebody.
    Stopped {
        /// Who asked.
        by: String,
    },
}

/// Who failed first, how, and what it took down (cli.md 8, "end of a failed run").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FirstFailure {
    /// Role.
    pub role: String,
    /// Job index.
    pub job: u32,
    /// Job name.
    pub job_name: String,
    /// Attempt (`status.restarts`) in which it happened.
    pub attempt: u32,
    /// Reason of the Job's failure (`BackoffLimitExceeded`, …).
    pub reason: String,
    /// Message of the Job's failure.
    pub message: String,
    /// When the Job failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Completion index of the pod that failed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Its node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Its container that failed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Signal, told by the runtime or read from exit code 128+n.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Container or pod reason (`OOMKilled`, `Evicted`, …).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// Termination message or pod message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_message: Option<String>,
    /// When the container ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_ended: Option<Timestamp>,
    /// Seconds from the attempt's start to the container's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into_attempt_s: Option<i64>,
    /// Memory limit of that container, as written, if it was OOMKilled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<String>,
    /// Last lines kept, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
    /// Pods that failed after it, within the same attempt.
    pub fell_after: u32,
    /// Rule that decided, `None`: no rule matched or no policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Position of that rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<u32>,
    /// What it said (`RestartJobSet`, …, or `FailJobSet` where there is no policy).
    pub action: String,
}
