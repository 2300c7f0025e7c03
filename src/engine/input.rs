//! What the engine is told: facts about the run's objects, answers to its actions, people's wishes.
//! The driver fills these from the API; only what a decision or a message needs is kept, so that
//! 10,000 pods stay small.

use k8s_openapi::jiff::Timestamp;

use crate::api::JobSet;
use crate::engine::action::ActionId;

/// A fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// A Job of the run as it is now.
    Job(JobSeen),
    /// That Job is no longer there.
    JobGone {
        /// Name.
        name: String,
        /// UID: a Job of the same name with another UID is another Job.
        uid: String,
    },
    /// A complete list: a Job of the run that is not in it is gone (also after a 410).
    JobsListed(Vec<JobSeen>),
    /// A pod of the run as it is now.
    Pod(PodSeen),
    /// That pod is no longer there.
    PodGone {
        /// Name.
        name: String,
        /// UID.
        uid: String,
    },
    /// A complete list of the run's pods.
    PodsListed(Vec<PodSeen>),
    /// The headless Service exists (or not), as ours.
    Service {
        /// It is there.
        present: bool,
    },
    /// A Warning event on one of the run's Jobs or pods (`FailedCreate`, `FailedMount`, …).
    /// Used for explanations only, never for decisions (trap D.10).
    Notice {
        /// Job or pod name.
        object: String,
        /// Event reason.
        reason: String,
        /// Event note.
        message: String,
        /// When it was last seen.
        at: Timestamp,
    },
    /// The last lines of a container that failed, asked for by `Action::KeepEvidence`.
    Evidence {
        /// Pod UID.
        pod_uid: String,
        /// Container.
        container: String,
        /// Oldest first; empty when the log could not be had.
        lines: Vec<String>,
    },
    /// The state of that version is durable.
    Written {
        /// As in [`crate::engine::Write`].
        version: u64,
    },
    /// An action was carried out, or not.
    Done {
        /// Which.
        id: ActionId,
        /// How it went.
        result: ActionResult,
    },
    /// The JobSet in the record was changed by somebody: `spec.suspend`, or template fields that may
    /// change while suspended (spec 4). Other differences are ignored by the engine.
    Spec(Box<JobSet>),
}

/// How an action ended. Trouble that passes (429, 5xx, no network) is retried by the driver and never
/// reaches the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionResult {
    /// Done; for a create, the new UID.
    Ok {
        /// UID of the created object, if one was created.
        uid: Option<String>,
    },
    /// Create: an object of that name stands there. `ours`: with our run UID and the attempt asked for
    /// (then it is the answer to an unclear earlier try).
    Exists {
        /// It is the one we wanted.
        ours: bool,
        /// Its UID.
        uid: String,
        /// It is being deleted.
        deleting: bool,
    },
    /// Delete or patch: it isn't there (any more), or not with that UID. Create: it was not made, as
    /// it is one of an attempt that is over.
    NotFound,
    /// The server refused for good (4xx other than the above).
    Refused {
        /// HTTP code.
        code: u16,
        /// `Status.reason`.
        reason: String,
        /// `Status.message`.
        message: String,
    },
}

/// What somebody wants of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// End for good, keep record and logs: Failed with reason `Stopped`.
    Stop {
        /// Who asked, for the message.
        by: String,
    },
    /// As `spec.suspend: true`.
    Suspend,
    /// As `spec.suspend: false`.
    Resume,
}

/// A Job, trimmed.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSeen {
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
    /// Label replicatedjob-name.
    pub role: String,
    /// Label job-index.
    pub index: u32,
    /// Label restart-attempt.
    pub restart_attempt: u32,
    /// Label job-restart-attempt (0 if absent).
    pub job_restart_attempt: u32,
    /// `metadata.creationTimestamp`.
    pub created: Timestamp,
    /// `metadata.deletionTimestamp`.
    pub deleting_since: Option<Timestamp>,
    /// `spec.suspend`.
    pub suspend: bool,
    /// `status.startTime` is set.
    pub started: bool,
    /// `status.active`.
    pub active: u32,
    /// `status.ready`.
    pub ready: u32,
    /// `status.succeeded`.
    pub succeeded: u32,
    /// `status.failed` (pods).
    pub failed: u32,
    /// `status.terminating`.
    pub terminating: u32,
    /// Condition `Complete` is True.
    pub complete: Option<JobEnd>,
    /// Condition `Failed` is True.
    pub failed_condition: Option<JobEnd>,
    /// Condition `FailureTarget` is True.
    pub failure_target: Option<JobEnd>,
    /// Condition `SuccessCriteriaMet` is True.
    pub success_criteria_met: bool,
}

/// A condition of a Job that ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEnd {
    /// `lastTransitionTime`.
    pub at: Timestamp,
    /// `reason`.
    pub reason: String,
    /// `message`.
    pub message: String,
}

/// Pod phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodPhase {
    /// Not all containers have been started.
    Pending,
    /// Bound to a node, at least one container runs.
    Running,
    /// All containers ended with 0.
    Succeeded,
    /// All ended, at least one not with 0.
    Failed,
    /// The node can't be reached.
    Unknown,
}

/// A pod, trimmed.
#[derive(Clone, Debug, PartialEq)]
pub struct PodSeen {
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
    /// Label job-name.
    pub job: String,
    /// Label controller-uid (UID of its Job).
    pub job_uid: String,
    /// Label replicatedjob-name.
    pub role: String,
    /// Label job-index.
    pub job_index: u32,
    /// Completion index; none for NonIndexed Jobs.
    pub completion_index: Option<u32>,
    /// Label restart-attempt.
    pub restart_attempt: u32,
    /// Label job-restart-attempt.
    pub job_restart_attempt: u32,
    /// `spec.nodeName`.
    pub node: Option<String>,
    /// `status.phase`.
    pub phase: PodPhase,
    /// Condition Ready is True.
    pub ready: bool,
    /// `metadata.creationTimestamp`.
    pub created: Timestamp,
    /// `status.startTime`.
    pub started: Option<Timestamp>,
    /// `metadata.deletionTimestamp` (it lies the grace period in the future when set) and the grace.
    pub deleting: Option<Deleting>,
    /// Why it isn't running: the most telling of `PodScheduled=False`, scheduling gates, waiting
    /// containers, unbound volumes.
    pub waiting: Option<Waiting>,
    /// Containers that ended (state or last state), in order of their end.
    pub ends: Vec<ContainerEnd>,
    /// Sum of container restarts.
    pub restarts: u32,
    /// `status.reason` (`Evicted`, `DeadlineExceeded`, …).
    pub reason: Option<String>,
    /// `status.message`.
    pub message: Option<String>,
    /// Condition DisruptionTarget is True: its reason (`PreemptionByScheduler`, `EvictionByEvictionAPI`, …).
    pub disruption: Option<String>,
}

/// A pod that is being deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleting {
    /// When deletion was asked for (deletionTimestamp minus grace).
    pub since: Timestamp,
    /// Grace in seconds.
    pub grace_s: i64,
    /// It carries finalizers besides the Job controller's own.
    pub held_by_finalizer: bool,
}

/// Why a pod is not running yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// One word: `Unschedulable`, `SchedulingGated`, `ImagePullBackOff`, `ErrImagePull`,
    /// `ContainerCreating`, `CrashLoopBackOff`, `CreateContainerConfigError`, `PodInitializing`, …
    pub reason: String,
    /// The server's sentence.
    pub message: String,
    /// Since when, as far as the object tells.
    pub since: Option<Timestamp>,
}

/// A container that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerEnd {
    /// Container name.
    pub container: String,
    /// An init container.
    pub init: bool,
    /// Exit code.
    pub exit_code: i32,
    /// Signal, if the runtime tells one.
    pub signal: Option<i32>,
    /// `OOMKilled`, `Error`, `Completed`, `StartError`, …
    pub reason: Option<String>,
    /// Termination message.
    pub message: Option<String>,
    /// Started.
    pub started: Option<Timestamp>,
    /// Ended.
    pub finished: Option<Timestamp>,
    /// From `lastState`: the container has been started again since.
    pub restarted: bool,
}
