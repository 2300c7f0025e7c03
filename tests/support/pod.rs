//! A pod and its fake kubelet: it stays Pending on its node until told.

use k8s_openapi::jiff::Timestamp;
use kubectl_jobset::engine::input::{Deleting, PodPhase, Waiting};
use kubectl_jobset::engine::{ContainerEnd, PodSeen};

use super::job::Job;

/// A pod.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) job: String,
    pub(crate) job_uid: String,
    role: String,
    job_index: u32,
    pub(crate) index: Option<u32>,
    pub(crate) restart_attempt: u32,
    job_restart_attempt: u32,
    container: String,
    pub(crate) node: Option<String>,
    pub(crate) phase: PodPhase,
    pub(crate) ready: bool,
    created: Timestamp,
    started: Option<Timestamp>,
    pub(crate) deleting: Option<Deleting>,
    pub(crate) waiting: Option<Waiting>,
    pub(crate) ends: Vec<ContainerEnd>,
    pub(crate) restarts: u32,
    pub(crate) reason: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) disruption: Option<String>,
    /// The Job controller has counted its end.
    pub(crate) counted: bool,
    /// Deleted because its Job is suspended: not a failure.
    pub(crate) by_suspend: bool,
}

/// What the fake kubelet is told to do with a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PodChange {
    Running,
    Ready,
    NotReady,
    Succeeded,
    /// All containers ended; exit code and container reason.
    Failed(i32, String),
    /// The container ended badly and was started again.
    Restarted(i32),
    /// Failed with reason Evicted and a DisruptionTarget condition.
    Evicted,
    /// Not running, with that reason and message.
    Waiting(String, String),
    /// The DisruptionTarget condition alone.
    Disrupted(String),
}

impl Pod {
    /// A new pod of a Job, Pending on a node.
    pub(crate) fn new(job: &Job, index: Option<u32>, serial: u64, now: Timestamp) -> Self {
        let suffix = suffix(serial);
        Self {
            name: match index {
                Some(i) => format!("{}-{i}-{suffix}", job.name),
                None => format!("{}-{suffix}", job.name),
            },
            uid: format!("pod-{serial}"),
            job: job.name.clone(),
            job_uid: job.uid.clone(),
            role: job.role.clone(),
            job_index: job.index,
            index,
            restart_attempt: job.restart_attempt,
            job_restart_attempt: job.job_restart_attempt,
            container: job.spec.container.clone(),
            node: Some(format!("node-{}", serial % 20)),
            phase: PodPhase::Pending,
            ready: false,
            created: now,
            started: None,
            deleting: None,
            waiting: None,
            ends: Vec::new(),
            restarts: 0,
            reason: None,
            message: None,
            disruption: None,
            counted: false,
            by_suspend: false,
        }
    }

    /// All containers have ended.
    pub(crate) fn ended(&self) -> bool {
        matches!(self.phase, PodPhase::Succeeded | PodPhase::Failed)
    }

    /// Not being deleted, Pending or Running: what a step's `pod` command means.
    pub(crate) fn live(&self) -> bool {
        self.deleting.is_none() && !self.ended()
    }

    /// Carries out what the kubelet is told. `Ready` from a Running pod that is not ready does
    /// nothing, as in the recordings (the fake kubelet has no such stage). False: nothing changed.
    pub(crate) fn change(&mut self, change: &PodChange, now: Timestamp) -> bool {
        let before = self.seen();
        match change {
            PodChange::Running if self.phase == PodPhase::Pending => self.run(now),
            PodChange::Ready if self.phase == PodPhase::Pending => {
                self.run(now);
                self.ready = true;
            }
            PodChange::NotReady => self.ready = false,
            PodChange::Succeeded => self.end(PodPhase::Succeeded, 0, "Completed", now),
            PodChange::Failed(code, reason) => self.end(PodPhase::Failed, *code, reason, now),
            PodChange::Restarted(code) => {
                self.run(now);
                self.restarts += 1;
                self.push_end(*code, "Error", now);
                if let Some(end) = self.ends.last_mut() {
                    end.restarted = true;
                }
            }
            PodChange::Evicted => {
                self.reason = Some("Evicted".to_owned());
                self.message = Some("the node had not enough memory".to_owned());
                self.disruption = Some("TerminationByKubelet".to_owned());
                self.end(PodPhase::Failed, 137, "Error", now);
            }
            PodChange::Waiting(reason, message) => {
                if reason == "Unschedulable" {
                    self.node = None;
                }
                self.waiting = Some(Waiting {
                    reason: reason.clone(),
                    message: message.clone(),
                    since: Some(now),
                });
            }
            PodChange::Disrupted(reason) => self.disruption = Some(reason.clone()),
            PodChange::Running | PodChange::Ready => {}
        }
        self.seen() != before
    }

    fn run(&mut self, now: Timestamp) {
        self.phase = PodPhase::Running;
        self.started = self.started.or(Some(now));
        self.waiting = None;
    }

    fn end(&mut self, phase: PodPhase, code: i32, reason: &str, now: Timestamp) {
        self.phase = phase;
        self.ready = false;
        self.waiting = None;
        self.push_end(code, reason, now);
    }

    fn push_end(&mut self, exit_code: i32, reason: &str, now: Timestamp) {
        self.ends.retain(|e| e.container != self.container);
        self.ends.push(ContainerEnd {
            container: self.container.clone(),
            init: false,
            exit_code,
            signal: None,
            reason: Some(reason.to_owned()),
            message: None,
            started: self.started,
            finished: Some(now),
            restarted: false,
        });
    }

    /// The pod as a watch tells it.
    pub(crate) fn seen(&self) -> PodSeen {
        PodSeen {
            name: self.name.clone(),
            uid: self.uid.clone(),
            job: self.job.clone(),
            job_uid: self.job_uid.clone(),
            role: self.role.clone(),
            job_index: self.job_index,
            completion_index: self.index,
            restart_attempt: self.restart_attempt,
            job_restart_attempt: self.job_restart_attempt,
            node: self.node.clone(),
            phase: self.phase,
            ready: self.ready,
            created: self.created,
            started: self.started,
            deleting: self.deleting,
            waiting: self.waiting.clone(),
            ends: self.ends.clone(),
            restarts: self.restarts,
            reason: self.reason.clone(),
            message: self.message.clone(),
            disruption: self.disruption.clone(),
        }
    }
}

/// Five letters from a number, so that names are stable from run to run.
fn suffix(mut serial: u64) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz";
    let mut out = String::new();
    for _ in 0..5 {
        let digit = usize::try_from(serial % 20).unwrap();
        out.insert(0, char::from(LETTERS[digit]));
        serial /= 20;
    }
    out
}
