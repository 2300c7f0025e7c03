//! Label and annotation keys, condition types, reasons and messages: JobSet's own words (spec 2, 7)
//! and the few of ours. Every other module takes them from here.

use crate::api::jobset::JobSet;

/// The API version this tool reads and writes.
pub const API_VERSION: &str = "jobset.x-k8s.io/v1alpha2";
/// The only kind that is run.
pub const KIND: &str = "JobSet";

/// Name of the JobSet, on every child.
pub const JOBSET_NAME: &str = "jobset.sigs.k8s.io/jobset-name";
/// UID of the record that owns the run (spec 2): what children are selected by.
pub const JOBSET_UID: &str = "jobset.sigs.k8s.io/jobset-uid";
/// Name of the replicated job.
pub const REPLICATED_JOB_NAME: &str = "jobset.sigs.k8s.io/replicatedjob-name";
/// `replicas` of the replicated job.
pub const REPLICATED_JOB_REPLICAS: &str = "jobset.sigs.k8s.io/replicatedjob-replicas";
/// Sum of all `replicas`.
pub const GLOBAL_REPLICAS: &str = "jobset.sigs.k8s.io/global-replicas";
/// Index of the Job inside its replicated job, 0-based.
pub const JOB_INDEX: &str = "jobset.sigs.k8s.io/job-index";
/// Running index over all replicated jobs in spec order.
pub const JOB_GLOBAL_INDEX: &str = "jobset.sigs.k8s.io/job-global-index";
/// Lower-case hex SHA-1 of `<namespace>/<job name>`.
pub const JOB_KEY: &str = "jobset.sigs.k8s.io/job-key";
/// `status.restarts` when the Job was created.
pub const RESTART_ATTEMPT: &str = "jobset.sigs.k8s.io/restart-attempt";
/// `status.replicatedJobsStatus[].jobRestarts[index]` when the Job was created.
pub const JOB_RESTART_ATTEMPT: &str = "jobset.sigs.k8s.io/job-restart-attempt";
/// Group of the replicated job.
pub const GROUP_NAME: &str = "jobset.sigs.k8s.io/group-name";
/// Sum of `replicas` over the group.
pub const GROUP_REPLICAS: &str = "jobset.sigs.k8s.io/group-replicas";
/// Running index inside the group, spec order.
pub const JOB_GROUP_INDEX: &str = "jobset.sigs.k8s.io/job-group-index";
/// Coordinator endpoint, where the spec names one.
pub const COORDINATOR: &str = "jobset.sigs.k8s.io/coordinator";
/// Exclusive placement per topology domain (annotation).
pub const EXCLUSIVE_TOPOLOGY: &str = "alpha.jobset.sigs.k8s.io/exclusive-topology";
/// Node-selector strategy of exclusive placement (annotation).
pub const NODE_SELECTOR_STRATEGY: &str = "alpha.jobset.sigs.k8s.io/node-selector";
/// Completion index of a pod of an Indexed Job (set by the Job controller, label and annotation).
pub const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// Name of the Job that a pod belongs to (set by the Job controller).
pub const JOB_NAME: &str = "batch.kubernetes.io/job-name";
/// UID of the Job that a pod belongs to (set by the Job controller).
pub const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";

/// Label on the record and the Lease; the value is the record's format version.
pub const RECORD_LABEL: &str = "kubectl-jobset/record";
/// `app.kubernetes.io/managed-by` of the record, the Lease and the Service.
pub const MANAGED_BY_LABEL: &str = "app.kubernetes.io/managed-by";
/// Value of [`MANAGED_BY_LABEL`].
pub const MANAGED_BY: &str = "kubectl-jobset";
/// `spec.managedBy` of a JobSet that this tool drives.
pub const MANAGED_BY_CLIENT: &str = "kubectl-jobset/client";
/// `spec.managedBy` of the in-cluster controller.
pub const MANAGED_BY_CONTROLLER: &str = "jobset.sigs.k8s.io/jobset-controller";

/// Condition types of a JobSet.
pub mod condition {
    /// The success policy was met.
    pub const COMPLETED: &str = "Completed";
    /// The failure policy ended the set, or somebody stopped it.
    pub const FAILED: &str = "Failed";
    /// `spec.suspend` is true and carried out.
    pub const SUSPENDED: &str = "Suspended";
    /// An InOrder set is starting.
    pub const STARTUP_POLICY_IN_PROGRESS: &str = "StartupPolicyInProgress";
    /// An InOrder set has started.
    pub const STARTUP_POLICY_COMPLETED: &str = "StartupPolicyCompleted";
    /// A whole-set restart is under way.
    pub const RESTARTING: &str = "RestartingJobSet";
}

/// Reasons of conditions and events.
pub mod reason {
    /// A Job failed and there is no failure policy.
    pub const FAILED_JOBS: &str = "FailedJobs";
    /// The restart limit is used up.
    pub const REACHED_MAX_RESTARTS: &str = "ReachedMaxRestarts";
    /// A rule said FailJobSet.
    pub const FAIL_JOBSET_ACTION: &str = "FailJobSetFailurePolicyAction";
    /// Somebody ran `stop` (ours; cli.md).
    pub const STOPPED: &str = "Stopped";
    /// Success policy met.
    pub const ALL_JOBS_COMPLETED: &str = "AllJobsCompleted";
    /// Suspended.
    pub const SUSPENDED_JOBS: &str = "SuspendedJobs";
    /// Resumed.
    pub const RESUME_JOBS: &str = "ResumeJobs";
    /// InOrder start-up is going on.
    pub const IN_ORDER_IN_PROGRESS: &str = "InOrderStartupPolicyInProgress";
    /// InOrder start-up is done.
    pub const IN_ORDER_COMPLETED: &str = "InOrderStartupPolicyCompleted";
    /// No rule matched: the default action.
    pub const DEFAULT_FAILURE_POLICY: &str = "DefaultFailurePolicy";
    /// Prefix before a rule's name.
    pub const FAILURE_POLICY_PREFIX: &str = "FailurePolicy_";
    /// The restarted set is ready again.
    pub const JOBS_READY: &str = "JobsReady";
}

/// Name of a child Job: `<jobset>-<replicatedJob>-<jobIndex>`.
#[must_use]
pub fn job_name(jobset: &str, role: &str, index: u32) -> String {
    format!("{jobset}-{role}-{index}")
}

/// Name of the record (a ConfigMap) and of the Lease.
#[must_use]
pub fn record_name(jobset: &str) -> String {
    format!("{jobset}-run")
}

/// Name of the headless Service: `spec.network.subdomain`, else the JobSet's name.
#[must_use]
pub fn subdomain(jobset: &JobSet) -> &str {
    jobset
        .spec
        .network
        .as_ref()
        .and_then(|n| n.subdomain.as_deref())
        .filter(|s| !s.is_empty())
        .unwrap_or(&jobset.metadata.name)
}

/// Endpoint of the coordinator pod, if the spec names one (spec 1).
#[must_use]
pub fn coordinator_endpoint(jobset: &JobSet) -> Option<String> {
    let c = jobset.spec.coordinator.as_ref()?;
    Some(format!(
        "{}-{}-{}-{}.{}",
        jobset.metadata.name,
        c.replicated_job,
        c.job_index.unwrap_or(0),
        c.pod_index.unwrap_or(0),
        subdomain(jobset)
    ))
}
