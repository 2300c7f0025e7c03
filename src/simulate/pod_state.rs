//! A pod's status when somebody says what becomes of it: as a kubelet would write it. Pure.

use std::str::FromStr;

use k8s_openapi::api::core::v1::{
    Container, ContainerState, ContainerStateRunning, ContainerStateTerminated,
    ContainerStateWaiting, ContainerStatus, Pod, PodCondition, PodStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

/// What becomes of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodChange {
    /// It runs, and is not ready.
    Running,
    /// It runs and is ready. Of a pod that runs already nothing: it has been said when it started.
    Ready,
    /// It is no longer ready.
    NotReady,
    /// All containers ended with 0.
    Succeeded,
    /// All containers ended, the first one like this.
    Failed(Ended),
    /// The first container ended like this and was started again.
    Restarted(Ended),
    /// The kubelet took it off its node.
    Evicted,
    /// Its containers wait, with that reason and message.
    Waiting(String, String),
    /// It is about to be disrupted, with that reason.
    Disrupted(String),
}

/// How a container ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Exit code.
    pub exit: i32,
    /// Signal, if the runtime tells one.
    pub signal: Option<i32>,
    /// `Error`, `OOMKilled`, …
    pub reason: String,
    /// Termination message.
    pub message: Option<String>,
}

impl Ended {
    fn new(exit: i32, reason: &str) -> Self {
        Self {
            exit,
            signal: None,
            reason: reason.to_owned(),
            message: None,
        }
    }
}

/// `STATE [exit=N] [reason=R]`, or `waiting REASON MESSAGE`.
impl FromStr for PodChange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (state, rest) = text.split_once(' ').unwrap_or((text, ""));
        let option = |key: &str| rest.split(' ').find_map(|o| o.strip_prefix(key));
        let ended = || {
            let exit = option("exit=").unwrap_or("1");
            let exit = exit.parse::<i32>().map_err(|_| "exit=NUMBER".to_owned())?;
            Ok::<_, String>(Ended::new(exit, option("reason=").unwrap_or("Error")))
        };
        Ok(match state {
            "running" => Self::Running,
            "ready" => Self::Ready,
            "unready" => Self::NotReady,
            "succeeded" => Self::Succeeded,
            "failed" => Self::Failed(ended()?),
            "restarted" => Self::Restarted(ended()?),
            "evicted" => Self::Evicted,
            "disrupted" => Self::Disrupted("EvictionByEvictionAPI".to_owned()),
            "waiting" => {
                let (reason, message) = rest
                    .split_once(' ')
                    .ok_or_else(|| "waiting REASON MESSAGE".to_owned())?;
                Self::Waiting(reason.to_owned(), message.to_owned())
            }
            _ => return Err(format!("there is no state {state}")),
        })
    }
}

/// All containers have ended.
#[must_use]
pub fn has_ended(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Not being deleted, Pending or Running.
#[must_use]
pub fn is_live(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_none() && !has_ended(pod)
}

fn phase(pod: &Pod) -> &str {
    let status = pod.status.as_ref();
    status.and_then(|s| s.phase.as_deref()).unwrap_or("Pending")
}

/// Carries it out. A pod that has ended stays as it is.
pub fn change(pod: &mut Pod, change: &PodChange, now: Timestamp) {
    if has_ended(pod) {
        return;
    }
    let pending = phase(pod) == "Pending";
    let containers: Vec<Container> = pod
        .spec
        .as_ref()
        .map(|spec| spec.containers.clone())
        .unwrap_or_default();
    let status = pod.status.get_or_insert_default();
    let mut state = State {
        status,
        containers: &containers,
        now: Time(now),
    };
    match change {
        PodChange::Running if pending => state.run(false),
        PodChange::Ready if pending => state.run(true),
        PodChange::Running | PodChange::Ready => {}
        PodChange::NotReady => state.ready(false),
        PodChange::Succeeded => state.end("Succeeded", &Ended::new(0, "Completed")),
        PodChange::Failed(ended) => state.end("Failed", ended),
        PodChange::Restarted(ended) => state.restart(pending, ended),
        PodChange::Evicted => {
            state.status.reason = Some("Evicted".to_owned());
            state.status.message = Some("the node had not enough memory".to_owned());
            state.condition("DisruptionTarget", true, Some("TerminationByKubelet"));
            state.end("Failed", &Ended::new(137, "Error"));
        }
        PodChange::Waiting(reason, message) => state.wait(reason, message),
        PodChange::Disrupted(reason) => state.condition("DisruptionTarget", true, Some(reason)),
    }
}

struct State<'a> {
    status: &'a mut PodStatus,
    containers: &'a [Container],
    now: Time,
}

impl State<'_> {
    fn condition(&mut self, type_: &str, value: bool, reason: Option<&str>) {
        let word = if value { "True" } else { "False" };
        let conditions = self.status.conditions.get_or_insert_default();
        let found = conditions.iter_mut().find(|c| c.type_ == type_);
        if let Some(found) = found {
            if found.status != word {
                found.last_transition_time = Some(self.now.clone());
            }
            found.status = word.to_owned();
            found.reason = reason.map(str::to_owned);
        } else {
            conditions.push(PodCondition {
                type_: type_.to_owned(),
                status: word.to_owned(),
                reason: reason.map(str::to_owned),
                last_transition_time: Some(self.now.clone()),
                ..PodCondition::default()
            });
        }
    }

    fn ready(&mut self, ready: bool) {
        self.condition("Ready", ready, None);
        self.condition("ContainersReady", ready, None);
        for container in self.status.container_statuses.iter_mut().flatten() {
            container.ready = ready;
        }
    }

    /// A status for each container, as it was or new.
    fn statuses(&mut self) -> &mut Vec<ContainerStatus> {
        let statuses = self.status.container_statuses.get_or_insert_default();
        for container in self.containers {
            if statuses.iter().all(|s| s.name != container.name) {
                statuses.push(ContainerStatus {
                    name: container.name.clone(),
                    image: container.image.clone().unwrap_or_default(),
                    ..ContainerStatus::default()
                });
            }
        }
        statuses
    }

    fn running(&self) -> ContainerState {
        ContainerState {
            running: Some(ContainerStateRunning {
                started_at: Some(self.now.clone()),
            }),
            ..ContainerState::default()
        }
    }

    fn run(&mut self, ready: bool) {
        self.status.phase = Some("Running".to_owned());
        let now = self.now.clone();
        self.status.start_time.get_or_insert(now);
        self.condition("Initialized", true, None);
        let running = self.running();
        for container in self.statuses() {
            container.state = Some(running.clone());
            container.started = Some(true);
        }
        self.ready(ready);
    }

    fn terminated(&self, container: &ContainerStatus, ended: &Ended) -> ContainerStateTerminated {
        let started = container
            .state
            .as_ref()
            .and_then(|s| s.running.as_ref()?.started_at.clone());
        ContainerStateTerminated {
            exit_code: ended.exit,
            signal: ended.signal,
            reason: Some(ended.reason.clone()),
            message: ended.message.clone(),
            started_at: started.or_else(|| self.status.start_time.clone()),
            finished_at: Some(self.now.clone()),
            ..ContainerStateTerminated::default()
        }
    }

    fn end(&mut self, phase: &str, first: &Ended) {
        self.status.phase = Some(phase.to_owned());
        let now = self.now.clone();
        self.status.start_time.get_or_insert(now);
        let mut statuses = std::mem::take(self.statuses());
        let rest = Ended::new(0, "Completed");
        for (at, container) in statuses.iter_mut().enumerate() {
            let ended = if at == 0 { first } else { &rest };
            container.state = Some(ContainerState {
                terminated: Some(self.terminated(container, ended)),
                ..ContainerState::default()
            });
            container.started = Some(false);
        }
        self.status.container_statuses = Some(statuses);
        self.ready(false);
    }

    fn restart(&mut self, pending: bool, ended: &Ended) {
        if pending {
            self.run(false);
        }
        let mut statuses = std::mem::take(self.statuses());
        if let Some(first) = statuses.first_mut() {
            first.last_state = Some(ContainerState {
                terminated: Some(self.terminated(first, ended)),
                ..ContainerState::default()
            });
            first.state = Some(self.running());
            first.restart_count += 1;
        }
        self.status.container_statuses = Some(statuses);
    }

    fn wait(&mut self, reason: &str, message: &str) {
        if reason == "Unschedulable" {
            self.condition("PodScheduled", false, Some(reason));
            let conditions = self.status.conditions.iter_mut().flatten();
            for condition in conditions.filter(|c| c.type_ == "PodScheduled") {
                condition.message = Some(message.to_owned());
            }
            return;
        }
        for container in self.statuses() {
            container.state = Some(ContainerState {
                waiting: Some(ContainerStateWaiting {
                    reason: Some(reason.to_owned()),
                    message: Some(message.to_owned()),
                }),
                ..ContainerState::default()
            });
        }
    }
}
