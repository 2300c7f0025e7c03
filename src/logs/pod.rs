//! A pod as the log engine sees it: which containers there are, what they have written so far, and
//! whether more can come. Pure.

use k8s_openapi::api::core::v1::{Container, ContainerStatus, Pod};
use k8s_openapi::jiff::Timestamp;

use crate::api::names;
use crate::cli::target::Place;

/// Annotation that names the container kubectl reads by default.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// A pod of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodNow {
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
    /// Role.
    pub role: String,
    /// Job index.
    pub job: u32,
    /// Name of the Job.
    pub job_name: String,
    /// Completion index; none for NonIndexed Jobs.
    pub index: Option<u32>,
    /// Attempt.
    pub attempt: u32,
    /// Restarts of its Job by itself.
    pub job_restarts: u32,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// It is being deleted.
    pub deleting: bool,
    /// Containers in order: init containers, containers, ephemeral ones.
    pub containers: Vec<ContainerNow>,
    /// The container that is read if none is named.
    pub default_container: String,
}

/// A container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerNow {
    /// Name.
    pub name: String,
    /// State.
    pub state: State,
    /// Which instance that is: the restarts before it.
    pub instance: u32,
    /// Exit code of the instance before (or, while it waits, of the last one).
    pub last_exit: Option<i32>,
    /// Its state can't change any more.
    pub over: bool,
}

/// What a container does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It isn't running, for that reason.
    Waiting(String),
    /// It runs.
    Running,
    /// It ended with that code.
    Ended(i32),
}

impl Default for State {
    fn default() -> Self {
        Self::Waiting("Pending".to_owned())
    }
}

impl ContainerNow {
    /// It has a log: it runs, or has run.
    #[must_use]
    pub fn readable(&self) -> bool {
        !matches!(self.state, State::Waiting(_)) || self.last_exit.is_some()
    }
    /// The instance before the readable one has a log of its own.
    #[must_use]
    pub fn has_previous(&self) -> bool {
        !matches!(self.state, State::Waiting(_)) && self.last_exit.is_some()
    }
    /// The readable instance ended badly.
    #[must_use]
    pub fn failed(&self) -> bool {
        match self.state {
            State::Ended(code) => code != 0,
            State::Waiting(_) => self.last_exit.is_some_and(|code| code != 0),
            State::Running => false,
        }
    }
}

impl PodNow {
    /// As targets see it.
    #[must_use]
    pub fn place(&self) -> Place<'_> {
        Place {
            role: &self.role,
            job: self.job,
            job_name: &self.job_name,
            index: self.index,
            pod: &self.name,
        }
    }

    /// That container.
    #[must_use]
    pub fn container(&self, name: &str) -> Option<&ContainerNow> {
        self.containers.iter().find(|c| c.name == name)
    }

    /// The newest of an index comes last: by attempt, by restarts of its Job, those being deleted
    /// before the others, by age (traps D.1.6).
    #[must_use]
    pub fn rank(&self) -> (u32, u32, bool, Option<Timestamp>, &str) {
        (
            self.attempt,
            self.job_restarts,
            !self.deleting,
            self.created,
            &self.name,
        )
    }

    /// Reads the API's object. None if it carries no labels of a run.
    #[must_use]
    pub fn read(pod: &Pod) -> Option<Self> {
        let labels = pod.metadata.labels.as_ref()?;
        let number = |key: &str| labels.get(key).and_then(|v| v.parse::<u32>().ok());
        let spec = pod.spec.as_ref()?;
        let ended = pod
            .status
            .as_ref()
            .and_then(|s| s.phase.as_deref())
            .is_some_and(|phase| phase == "Succeeded" || phase == "Failed");
        let deleting = pod.metadata.deletion_timestamp.is_some();
        let status = pod.status.as_ref();
        let pod_policy = spec.restart_policy.as_deref().unwrap_or("Always");

        let mut containers = Vec::new();
        let mut add = |name: &str, restart: Restart, statuses: Option<&Vec<ContainerStatus>>| {
            let status = statuses
                .into_iter()
                .flatten()
                .find(|status| status.name == name);
            let mut container = ContainerNow {
                name: name.to_owned(),
                ..ContainerNow::default()
            };
            if let Some(status) = status {
                read_status(&mut container, status);
            }
            container.over = ended
                || match container.state {
                    State::Ended(code) => deleting || !restart.after(code),
                    State::Waiting(_) | State::Running => false,
                };
            containers.push(container);
        };
        for c in spec.init_containers.iter().flatten() {
            // An init container with a restart policy of its own is a sidecar.
            let restart = match (c.restart_policy.as_deref(), pod_policy) {
                (Some("Always"), _) => Restart::Always,
                (Some("Never"), _) | (None, "Never") => Restart::Never,
                _ => Restart::OnFailure,
            };
            add(
                &c.name,
                with_rules(c, restart),
                status.and_then(|s| s.init_container_statuses.as_ref()),
            );
        }
        for c in &spec.containers {
            let restart = match c.restart_policy.as_deref().unwrap_or(pod_policy) {
                "Never" => Restart::Never,
                "OnFailure" => Restart::OnFailure,
                _ => Restart::Always,
            };
            add(
                &c.name,
                with_rules(c, restart),
                status.and_then(|s| s.container_statuses.as_ref()),
            );
        }
        for c in spec.ephemeral_containers.iter().flatten() {
            add(
                &c.name,
                Restart::Never,
                status.and_then(|s| s.ephemeral_container_statuses.as_ref()),
            );
        }

        let default_container = pod
            .metadata
            .annotations
            .as_ref()
            .and_then(|a| a.get(DEFAULT_CONTAINER))
            .filter(|name| containers.iter().any(|c| c.name == **name))
            .or_else(|| spec.containers.first().map(|c| &c.name))
            .cloned()
            .unwrap_or_default();
        Some(Self {
            name: pod.metadata.name.clone()?,
            uid: pod.metadata.uid.clone()?,
            role: labels.get(names::REPLICATED_JOB_NAME)?.clone(),
            job: number(names::JOB_INDEX)?,
            job_name: labels.get(names::JOB_NAME).cloned().unwrap_or_default(),
            index: number(names::COMPLETION_INDEX).or_else(|| {
                pod.metadata
                    .annotations
                    .as_ref()?
                    .get(names::COMPLETION_INDEX)?
                    .parse()
                    .ok()
            }),
            attempt: number(names::RESTART_ATTEMPT).unwrap_or(0),
            job_restarts: number(names::JOB_RESTART_ATTEMPT).unwrap_or(0),
            created: pod.metadata.creation_timestamp.as_ref().map(|t| t.0),
            deleting,
            containers,
            default_container,
        })
    }
}

/// Whether a container that ended is started again.
#[derive(Clone, Copy)]
enum Restart {
    Never,
    OnFailure,
    Always,
}

impl Restart {
    fn after(self, code: i32) -> bool {
        match self {
            Self::Never => false,
            Self::OnFailure => code != 0,
            Self::Always => true,
        }
    }
}

/// Rules per exit code may restart what the policy would not.
fn with_rules(container: &Container, restart: Restart) -> Restart {
    let rules = container
        .restart_policy_rules
        .as_ref()
        .is_some_and(|rules| !rules.is_empty());
    if rules { Restart::Always } else { restart }
}

fn read_status(container: &mut ContainerNow, status: &ContainerStatus) {
    container.instance = u32::try_from(status.restart_count).unwrap_or(0);
    container.last_exit = status
        .last_state
        .as_ref()
        .and_then(|state| state.terminated.as_ref())
        .map(|ended| ended.exit_code);
    if let Some(state) = &status.state {
        if let Some(ended) = &state.terminated {
            container.state = State::Ended(ended.exit_code);
        } else if state.running.is_some() {
            container.state = State::Running;
        } else if let Some(waiting) = &state.waiting {
            container.state = State::Waiting(waiting.reason.clone().unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(spec: serde_json::Value, status: serde_json::Value) -> PodNow {
        let pod: Pod = serde_json::from_value(serde_json::json!({
            "metadata": {
                "name": "train-worker-2-1-x7k2p", "uid": "u1",
                "labels": {
                    "jobset.sigs.k8s.io/replicatedjob-name": "worker",
                    "jobset.sigs.k8s.io/job-index": "2",
                    "jobset.sigs.k8s.io/restart-attempt": "3",
                    "batch.kubernetes.io/job-name": "train-worker-2",
                    "batch.kubernetes.io/job-completion-index": "1",
                },
            },
            "spec": spec, "status": status,
        }))
        .unwrap();
        PodNow::read(&pod).unwrap()
    }

    fn state(state: serde_json::Value, last: serde_json::Value, policy: &str) -> ContainerNow {
        pod(
            serde_json::json!({"restartPolicy": policy, "containers": [{"name": "main"}]}),
            serde_json::json!({"phase": "Running", "containerStatuses": [{
                "name": "main", "image": "", "imageID": "", "ready": false, "restartCount": 2,
                "state": state, "lastState": last,
            }]}),
        )
        .containers
        .remove(0)
    }

    #[test]
    fn reads_labels_and_containers() {
        let pod = pod(
            serde_json::json!({
                "restartPolicy": "Never",
                "initContainers": [{"name": "fetch"}, {"name": "proxy", "restartPolicy": "Always"}],
                "containers": [{"name": "main"}, {"name": "tail"}],
            }),
            serde_json::json!({"phase": "Pending"}),
        );
        assert_eq!(
            (pod.role.as_str(), pod.job, pod.index, pod.attempt),
            ("worker", 2, Some(1), 3)
        );
        let names: Vec<&str> = pod.containers.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["fetch", "proxy", "main", "tail"]);
        assert_eq!(pod.default_container, "main");
        assert!(pod.containers.iter().all(|c| !c.readable() && !c.over));
    }

    #[test]
    fn what_can_be_read_and_what_can_still_come() {
        let running = serde_json::json!({"running": {}});
        let waiting = serde_json::json!({"waiting": {"reason": "CrashLoopBackOff"}});
        let ended = |code: i32| serde_json::json!({"terminated": {"exitCode": code}});
        let none = serde_json::json!({});
        // state, last state, policy -> readable, has previous, failed, over
        for (now, last, policy, expected) in [
            (&running, &none, "Never", [true, false, false, false]),
            (&running, &ended(1), "OnFailure", [true, true, false, false]),
            (&waiting, &none, "OnFailure", [false, false, false, false]),
            (&waiting, &ended(1), "OnFailure", [true, false, true, false]),
            (&ended(1), &none, "OnFailure", [true, false, true, false]),
            (&ended(0), &none, "OnFailure", [true, false, false, true]),
            (&ended(1), &none, "Never", [true, false, true, true]),
            (&ended(0), &ended(1), "Never", [true, true, false, true]),
        ] {
            let c = state(now.clone(), last.clone(), policy);
            assert_eq!(
                [c.readable(), c.has_previous(), c.failed(), c.over],
                expected,
                "{now} {last} {policy}"
            );
        }
    }

    #[test]
    fn a_pod_that_has_ended_writes_no_more() {
        let pod = pod(
            serde_json::json!({"restartPolicy": "OnFailure", "containers": [{"name": "main"}]}),
            serde_json::json!({"phase": "Failed", "containerStatuses": [{
                "name": "main", "image": "", "imageID": "", "ready": false, "restartCount": 0,
                "state": {"terminated": {"exitCode": 1}},
            }]}),
        );
        assert!(pod.containers[0].over);
    }
}
