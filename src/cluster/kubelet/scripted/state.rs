//! What the scripted kubelets remember: their pods with all containers. Statuses are written from this.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{Container, Pod};
use k8s_openapi::jiff::Timestamp;

use super::log::Log;
use super::play::Play;
use super::rule::Rules;
use crate::cluster::kubelet::backoff::Backoff;
use crate::cluster::store::Key;

/// See the module.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {
    pub(super) pods: BTreeMap<String, Run>,
    pub(super) rules: Rules,
    /// Nodes whose pods somebody else runs.
    pub(super) foreign: BTreeSet<String>,
    /// Nodes that nobody hears of: their pods go on, and nobody is told.
    pub(super) lost: BTreeSet<String>,
    /// Addresses given to pods so far.
    pub(super) addresses: u32,
}

impl State {
    /// Somebody else runs the pods of a node.
    pub(in crate::cluster) fn give_away(&mut self, node: &str) {
        self.foreign.insert(node.to_owned());
    }
}

/// A pod that a kubelet has taken.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) key: Key,
    pub(super) node: String,
    pub(super) host_ip: Option<String>,
    /// None while it has no sandbox.
    pub(super) ip: Option<String>,
    pub(super) sandbox: bool,
    pub(super) taken: Timestamp,
    pub(super) init: Vec<Held>,
    pub(super) main: Vec<Held>,
    pub(super) play: Play,
    /// What is due for an earlier number is void.
    pub(super) epoch: u32,
    /// Number of the last planned end of its containers.
    pub(super) plan: u32,
    /// Why it was ended as a whole.
    pub(super) verdict: Option<Verdict>,
    /// It is being stopped.
    pub(super) stopping: bool,
    /// Since when.
    pub(super) stop_asked: Option<Timestamp>,
    /// It has ended; nothing will change any more.
    pub(super) ended: bool,
    /// Image pulls that have failed.
    pub(super) pulls: u32,
}

/// The pod as a whole was ended by its kubelet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) reason: &'static str,
    pub(super) message: String,
    /// It gets the condition `DisruptionTarget`.
    pub(super) disruption: bool,
}

/// A container.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) name: String,
    pub(super) image: String,
    /// An init container that runs beside the others.
    pub(super) beside: bool,
    pub(super) stage: Stage,
    /// How its run before this one ended.
    pub(super) last: Option<Ended>,
    pub(super) restarts: i32,
    pub(super) ready: bool,
    pub(super) backoff: Backoff,
    /// What this run prints, and what the one before did.
    pub(super) log: Option<Log>,
    pub(super) previous_log: Option<Log>,
}

/// Where a container is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Waiting {
        reason: String,
        message: Option<String>,
    },
    Running {
        since: Timestamp,
        id: String,
    },
    Ended(Ended),
}

/// A run of a container that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) code: i32,
    pub(super) signal: Option<i32>,
    pub(super) reason: String,
    pub(super) message: Option<String>,
    pub(super) started: Option<Timestamp>,
    pub(super) finished: Option<Timestamp>,
    pub(super) id: Option<String>,
}

impl Held {
    pub(super) fn of(container: &Container, waits_for: &str) -> Self {
        Self {
            name: container.name.clone(),
            image: container.image.clone().unwrap_or_default(),
            beside: container.restart_policy.as_deref() == Some("Always"),
            stage: Stage::Waiting {
                reason: waits_for.to_owned(),
                message: None,
            },
            last: None,
            restarts: 0,
            ready: false,
            backoff: Backoff::default(),
            log: None,
            previous_log: None,
        }
    }

    pub(super) fn running(&self) -> bool {
        matches!(self.stage, Stage::Running { .. })
    }

    pub(super) fn ended(&self) -> Option<&Ended> {
        match &self.stage {
            Stage::Ended(ended) => Some(ended),
            _ => None,
        }
    }

    /// It has run at some time.
    pub(super) fn has_run(&self) -> bool {
        !matches!(self.stage, Stage::Waiting { .. }) || self.last.is_some()
    }
}

impl Run {
    pub(super) fn of(pod: &Pod, key: Key, node: &str, play: Play, now: Timestamp) -> Self {
        let spec = pod.spec.clone().unwrap_or_default();
        let init = spec.init_containers.unwrap_or_default();
        let waits_for = if init.is_empty() {
            "ContainerCreating"
        } else {
            "PodInitializing"
        };
        Self {
            key,
            node: node.to_owned(),
            host_ip: None,
            ip: None,
            sandbox: false,
            taken: now,
            init: init
                .iter()
                .map(|c| Held::of(c, "PodInitializing"))
                .collect(),
            main: spec
                .containers
                .iter()
                .map(|c| Held::of(c, waits_for))
                .collect(),
            play,
            epoch: 0,
            plan: 0,
            verdict: None,
            stopping: false,
            stop_asked: None,
            ended: false,
            pulls: 0,
        }
    }

    /// All containers, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Held> {
        self.init.iter().chain(&self.main)
    }

    /// The next init container that has to end, or to run beside the others.
    pub(super) fn next_init(&self) -> Option<usize> {
        self.init.iter().position(|c| match &c.stage {
            Stage::Ended(ended) => !c.beside && ended.code != 0,
            Stage::Running { .. } => !c.beside,
            Stage::Waiting { .. } => true,
        })
    }
}
