//! How long things take in the pocket cluster.

use k8s_openapi::jiff::SignedDuration;

/// Waits of the controllers. Kubelets have theirs in the script of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pace {
    /// A pod's change until the Job controller looks at its Job: it collects changes for a second
    /// (measured on a real one).
    pub job_sync: SignedDuration,
    /// A change of the Job itself until the controller looks at it.
    pub job_first_sync: SignedDuration,
    /// A new pod until the scheduler has looked at it.
    pub schedule: SignedDuration,
    /// An object whose owner is gone until the garbage collector takes it.
    pub gc: SignedDuration,
    /// A bound pod until its containers run, where nothing else is said.
    pub start: SignedDuration,
    /// A deleted pod's containers until they have ended, where nothing else is said.
    pub terminate: SignedDuration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            job_sync: SignedDuration::from_secs(1),
            job_first_sync: SignedDuration::from_millis(5),
            schedule: SignedDuration::from_millis(5),
            gc: SignedDuration::from_millis(10),
            start: SignedDuration::from_millis(500),
            terminate: SignedDuration::from_millis(20),
        }
    }
}
