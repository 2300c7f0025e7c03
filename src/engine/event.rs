//! What happened, for reporters: the human lines, the live display and `jobset.events/v1` tell one
//! story because they all read these (cli.md 9). Fields are only ever added within `v1`.

use k8s_openapi::jiff::Timestamp;
use serde::Serialize;

use crate::engine::outcome::FirstFailure;

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Grows by one per run and survives re-attach.
    pub seq: u64,
    /// When (the caller's `now`, or the server's time of the fact where it has one).
    pub time: Timestamp,
    /// False while facts that are older than our attaching are being replayed.
    pub live: bool,
    /// What.
    pub kind: EventKind,
}

/// What happened. The serialised form carries the `type` of cli.md 9.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// The record, the Service and the first Jobs are being made.
    #[serde(rename = "run.created")]
    RunCreated {
        /// Jobs of all roles.
        jobs: u32,
        /// Pods of all roles.
        pods: u32,
    },
    /// A driver took the seat of a run that existed.
    #[serde(rename = "run.attached")]
    RunAttached {
        /// Who drove it before, if it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        previous: Option<String>,
        /// How long that driver had been silent, seconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        silent_s: Option<i64>,
    },
    /// We left; the run goes on without a driver.
    #[serde(rename = "run.detached")]
    RunDetached {
        /// Why, as a fragment (`on request`, `SIGTERM`, `time-out`).
        why: String,
    },
    /// Another driver took over.
    #[serde(rename = "run.driverLost")]
    RunDriverLost {
        /// Who.
        holder: String,
    },
    /// Every role is ready (or done) for the first time in this attempt.
    #[serde(rename = "run.running")]
    RunRunning {
        /// Attempt.
        attempt: u32,
        /// Seconds from the attempt's start.
        startup_s: i64,
    },
    /// Suspended.
    #[serde(rename = "run.suspended")]
    RunSuspended,
    /// Resumed.
    #[serde(rename = "run.resumed")]
    RunResumed,
    /// A whole-set restart was counted and is carried out.
    #[serde(rename = "run.restarting")]
    RunRestarting {
        /// The new attempt.
        attempt: u32,
        /// Restarts used of the limit.
        restarts: u32,
        /// The limit.
        max_restarts: u32,
    },
    /// Somebody asked to stop.
    #[serde(rename = "run.stopping")]
    RunStopping {
        /// Who.
        by: String,
    },
    /// The end. The exit code is filled in by the reporter's caller.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// `Completed` or `Failed`.
        state: String,
        /// Condition reason.
        reason: String,
        /// Condition message.
        message: String,
        /// Who failed first.
        #[serde(skip_serializing_if = "Option::is_none")]
        first_failure: Option<Box<FirstFailure>>,
    },
    /// A role is held back by the startup order.
    #[serde(rename = "role.waiting")]
    RoleWaiting {
        /// Role.
        role: String,
        /// Attempt.
        attempt: u32,
        /// What for (`leader ready`).
        waits_for: String,
    },
    /// All Jobs of a role were created.
    #[serde(rename = "role.created")]
    RoleCreated {
        /// Role.
        role: String,
        /// Attempt.
        attempt: u32,
        /// Jobs.
        replicas: u32,
    },
    /// The count of ready Jobs of a role changed (`ready == replicas`: all of them).
    #[serde(rename = "role.ready")]
    RoleReady {
        /// Role.
        role: String,
        /// Attempt.
        attempt: u32,
        /// Ready or succeeded.
        ready: u32,
        /// Wanted.
        replicas: u32,
        /// Seconds from the role's creation in this attempt, when all are ready.
        #[serde(skip_serializing_if = "Option::is_none")]
        after_s: Option<i64>,
    },
    /// All Jobs of a role succeeded.
    #[serde(rename = "role.completed")]
    RoleCompleted {
        /// Role.
        role: String,
        /// Attempt.
        attempt: u32,
    },
    /// A Job was created.
    #[serde(rename = "job.created")]
    JobCreated {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Attempt.
        attempt: u32,
        /// Restarts of the Job by itself.
        job_restarts: u32,
    },
    /// A Job became ready.
    #[serde(rename = "job.ready")]
    JobReady {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Attempt.
        attempt: u32,
    },
    /// A Job failed (at `FailureTarget`, or at `Failed` when so configured).
    #[serde(rename = "job.failed")]
    JobFailed {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Attempt.
        attempt: u32,
        /// Reason.
        reason: String,
        /// Message.
        message: String,
        /// The pod behind it.
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<PodCause>,
    },
    /// A Job succeeded.
    #[serde(rename = "job.succeeded")]
    JobSucceeded {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Attempt.
        attempt: u32,
    },
    /// A Job of ours is gone (deleted by us, or by someone: then `by_someone`).
    #[serde(rename = "job.deleted")]
    JobDeleted {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Attempt it belonged to.
        attempt: u32,
        /// We had not asked for it.
        by_someone: bool,
    },
    /// A Job or its pods don't go away or don't come up: named once, again when it changes.
    #[serde(rename = "job.stuck")]
    JobStuck {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// One word.
        reason: String,
        /// Sentence with pod, node and seconds.
        message: String,
    },
    /// A pod isn't starting, and why.
    #[serde(rename = "pod.pending")]
    PodPending {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Completion index.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u32>,
        /// One word.
        reason: String,
        /// Sentence.
        message: String,
    },
    /// A pod runs.
    #[serde(rename = "pod.running")]
    PodRunning {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Completion index.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u32>,
        /// Pod.
        pod: String,
        /// Node.
        #[serde(skip_serializing_if = "Option::is_none")]
        node: Option<String>,
    },
    /// A pod failed, or one of its containers ended badly and was restarted.
    #[serde(rename = "pod.failed")]
    PodFailed {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Attempt.
        attempt: u32,
        /// What and how.
        cause: PodCause,
    },
    /// Last lines of a failed container were kept.
    #[serde(rename = "pod.evidence")]
    PodEvidence {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Completion index.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u32>,
        /// Pod.
        pod: String,
        /// Container.
        container: String,
        /// Number of lines.
        lines: u32,
    },
    /// The failure policy decided.
    #[serde(rename = "policy.decided")]
    PolicyDecided {
        /// Rule name; none: default or no policy.
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// Rule position.
        #[serde(skip_serializing_if = "Option::is_none")]
        rule_index: Option<u32>,
        /// Action.
        action: String,
        /// It counts towards the limit.
        counts: bool,
        /// Restarts used of the limit, after this decision.
        restarts: u32,
        /// The limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_restarts: Option<u32>,
        /// The limit was used up, so the set fails.
        limit_reached: bool,
        /// The failed Job.
        role: String,
        /// Its index.
        job: u32,
    },
    /// InOrder start-up ended (or one role's turn began).
    #[serde(rename = "startup.decided")]
    StartupDecided {
        /// Role whose turn it is; none: all have started.
        #[serde(skip_serializing_if = "Option::is_none")]
        role: Option<String>,
        /// Attempt.
        attempt: u32,
    },
    /// The success policy is met.
    #[serde(rename = "success.decided")]
    SuccessDecided {
        /// Operator.
        operator: String,
        /// Jobs still running that are deleted now.
        stopped: u32,
    },
    /// The API server can't be reached.
    #[serde(rename = "cluster.unreachable")]
    ClusterUnreachable {
        /// The last error.
        message: String,
    },
    /// It can be reached again.
    #[serde(rename = "cluster.back")]
    ClusterBack {
        /// Seconds without contact.
        after_s: i64,
    },
    /// Something the user should know.
    #[serde(rename = "warning")]
    Warning {
        /// Sentence.
        message: String,
    },
    /// A log line (only with `--logs`).
    #[serde(rename = "log")]
    Log {
        /// Role.
        role: String,
        /// Job index.
        job: u32,
        /// Completion index.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u32>,
        /// Attempt.
        attempt: u32,
        /// Pod.
        pod: String,
        /// Container.
        container: String,
        /// Line without its end.
        line: String,
    },
    /// Everything after this is live.
    #[serde(rename = "stream.live")]
    StreamLive,
    /// Still there (only with `--heartbeat`).
    #[serde(rename = "heartbeat")]
    Heartbeat {
        /// State word.
        state: String,
        /// Pods ready or done.
        pods: u32,
        /// Pods wanted.
        pods_wanted: u32,
    },
}

/// The pod and container behind a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodCause {
    /// Completion index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Pod.
    pub pod: String,
    /// Node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// `OOMKilled`, `Error`, `Evicted`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_reason: Option<String>,
}
