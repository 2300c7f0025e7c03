//! What the reporters are told about a run beyond events and snapshots: plain structs that `cli` fills.

use k8s_openapi::jiff::Timestamp;

use crate::api::JobSet;
use crate::engine::snapshot::StateWord;
use crate::engine::{FirstFailure, RunState, Snapshot};

/// Which run a report is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunId {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID of the record.
    pub uid: String,
}

/// What is known of a run besides its identity; everything may be left empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// The object that holds the record (`configmap/train-run`).
    pub record: Option<String>,
    /// GPUs of all pods together, see [`gpus`].
    pub gpus: u64,
    /// Where each failure rule stands (`train.yaml:41`), by its position.
    pub rule_places: Vec<String>,
    /// Flags that a suggested command needs to find the run again (`-n ml`), or empty.
    pub flags: String,
}

impl RunFacts {
    /// `kubectl jobset REST` with the flags that find the run.
    #[must_use]
    pub fn command(&self, rest: &str) -> String {
        command(rest, &self.flags)
    }
}

fn command(rest: &str, flags: &str) -> String {
    if flags.is_empty() {
        format!("kubectl jobset {rest}")
    } else {
        format!("kubectl jobset {rest} {flags}")
    }
}

/// Who drives a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriverView {
    /// Last holder of the lease, if it was not given back.
    pub holder: Option<String>,
    /// When the lease was last renewed.
    pub renewed: Option<Timestamp>,
    /// The lease has not run out: somebody is there.
    pub live: bool,
}

/// One run as `status` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// Which.
    pub id: RunId,
    /// The object that holds the record (`configmap/train-run`).
    pub record: String,
    /// When that object was made.
    pub created: Timestamp,
    /// The run now.
    pub snapshot: Snapshot,
    /// Its durable state: attempts and first failure.
    pub state: RunState,
    /// It goes on and its JobSet has a failure policy that says to do something.
    pub failure_policy: bool,
    /// Who drives it.
    pub driver: DriverView,
    /// Flags that a suggested command needs to find the run again (`-n ml`), or empty.
    pub flags: String,
}

impl RunView {
    /// The run has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        is_finished(self.snapshot.state)
    }
    /// Who failed first: in the attempt that ended the run, else in the newest attempt that failed.
    #[must_use]
    pub fn first_failure(&self) -> Option<&FirstFailure> {
        let newest = || {
            self.state
                .attempts
                .iter()
                .rev()
                .find_map(|a| a.cause.as_ref())
        };
        self.state.first_failure.as_ref().or_else(newest)
    }
    /// `kubectl jobset REST` with the flags that find the run.
    #[must_use]
    pub fn command(&self, rest: &str) -> String {
        command(rest, &self.flags)
    }
    /// It goes on and nobody drives it: nothing that the JobSet asks for is being seen to.
    #[must_use]
    pub fn is_driverless(&self) -> bool {
        !self.is_finished() && !self.driver.live
    }
}

/// That state word is an end.
#[must_use]
pub fn is_finished(state: StateWord) -> bool {
    matches!(state, StateWord::Completed | StateWord::Failed)
}

/// GPUs of all pods of a set: limits of extended resources whose name ends in `gpu`
/// (`nvidia.com/gpu`, `amd.com/gpu`), for the line that says what was created.
#[must_use]
pub fn gpus(jobset: &JobSet) -> u64 {
    jobset
        .spec
        .replicated_jobs
        .iter()
        .map(|role| {
            let pods = u64::from(role.replicas())
                .saturating_mul(u64::try_from(role.template.pods_expected()).unwrap_or(0));
            let containers = role
                .template
                .pod_template()
                .and_then(|t| t.get("spec")?.get("containers")?.as_array());
            let per_pod: u64 = containers.into_iter().flatten().map(container_gpus).sum();
            pods.saturating_mul(per_pod)
        })
        .sum()
}

fn container_gpus(container: &serde_json::Value) -> u64 {
    let limits = container
        .get("resources")
        .and_then(|r| r.get("limits")?.as_object());
    limits
        .into_iter()
        .flatten()
        .filter(|(name, _)| name.ends_with("/gpu"))
        .filter_map(|(_, n)| n.as_u64().or_else(|| n.as_str()?.parse().ok()))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_added_up() {
        let jobset: JobSet = serde_json::from_value(serde_json::json!({
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": "train"},
            "spec": {"replicatedJobs": [
                {"name": "leader", "template": {"spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}}},
                {"name": "worker", "replicas": 4, "template": {"spec": {
                    "parallelism": 2, "completions": 2,
                    "template": {"spec": {"containers": [
                        {"name": "a", "resources": {"limits": {"nvidia.com/gpu": "2", "cpu": "8"}}},
                        {"name": "b", "resources": {"limits": {"amd.com/gpu": 1}}}
                    ]}}}}}
            ]}
        }))
        .unwrap();
        assert_eq!(gpus(&jobset), 4 * 2 * 3);
    }

    #[test]
    fn commands_carry_the_flags() {
        let mut facts = RunFacts::default();
        assert_eq!(facts.command("attach train"), "kubectl jobset attach train");
        facts.flags = "-n ml".to_owned();
        assert_eq!(
            facts.command("attach train"),
            "kubectl jobset attach train -n ml"
        );
    }
}
