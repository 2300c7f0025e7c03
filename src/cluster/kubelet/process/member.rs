//! One container of a pod: what it is now, and how it got there.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Container, ContainerStateTerminated};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::task::AbortHandle;

use super::probe::{Kind, Row, Target};
use super::status::{Role, Seen, State};
use crate::cluster::kubelet::backoff::Backoff;
use crate::driver::clock::Instant;

/// Exit code of a container whose program could not be started, as containerd has it.
const START_ERROR: i32 = 128;
/// Exit code of a container that was lost.
const LOST: i32 = 137;

/// A container.
pub(super) struct Member {
    pub(super) spec: Container,
    pub(super) role: Role,
    pub(super) state: State,
    last: Option<ContainerStateTerminated>,
    restarts: i32,
    ready: bool,
    backoff: Backoff,
    /// Not started before that.
    pub(super) not_before: Option<Instant>,
    /// Its processes, from the order to start them to the news that all have ended.
    pub(super) run: Option<Running>,
}

/// Processes of a container.
pub(super) struct Running {
    /// Number by which the pod's first process knows it.
    pub(super) id: u64,
    /// How many times it ran before.
    pub(super) number: i32,
    pub(super) container_id: String,
    pub(super) target: Target,
    /// Since its program runs.
    pub(super) since: Option<(Timestamp, Instant)>,
    pub(super) started: bool,
    pub(super) rows: [Row; 3],
    /// Probes and hooks.
    pub(super) tasks: Vec<AbortHandle>,
    pub(super) killing: Option<Killing>,
}

/// It is being ended.
pub(super) struct Killing {
    /// When it is killed if it hasn't ended.
    pub(super) at: Instant,
    /// A hook runs before it is told.
    pub(super) hook: bool,
    pub(super) killed: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Member {
    pub(super) fn new(spec: Container, role: Role, first: &'static str) -> Self {
        Self {
            spec,
            role,
            state: State::Waiting {
                reason: first,
                message: None,
            },
            last: None,
            restarts: 0,
            ready: false,
            backoff: Backoff::default(),
            not_before: None,
            run: None,
        }
    }

    /// How many times it would have run before, if it were started now.
    pub(super) fn number(&self) -> i32 {
        if self.ran() { self.restarts + 1 } else { 0 }
    }

    fn ran(&self) -> bool {
        self.last.is_some() || matches!(self.state, State::Terminated(_))
    }

    /// It can't be started for now, and why.
    pub(super) fn wait(&mut self, reason: &'static str, message: Option<String>) {
        if let State::Terminated(terminated) = &self.state {
            self.last = Some(terminated.clone());
        }
        self.state = State::Waiting { reason, message };
    }

    /// Its program runs.
    pub(super) fn started(&mut self, now: Timestamp, instant: Instant) {
        if let State::Terminated(terminated) = &self.state {
            self.last = Some(terminated.clone());
        }
        self.state = State::Running(now);
        let Some(run) = &mut self.run else { return };
        self.restarts = run.number;
        run.since = Some((now, instant));
        run.started = self.spec.startup_probe.is_none();
        self.ready = self.role != Role::Init && run.started && self.spec.readiness_probe.is_none();
    }

    /// What a probe says now; true if something has changed.
    pub(super) fn probed(&mut self, kind: Kind, good: bool) -> bool {
        let Some(run) = &mut self.run else {
            return false;
        };
        match kind {
            Kind::Startup if good && !run.started => {
                run.started = true;
                self.ready = self.spec.readiness_probe.is_none();
                true
            }
            Kind::Readiness if self.ready != good => {
                self.ready = good;
                true
            }
            _ => false,
        }
    }

    /// All its processes have ended; `reason` and `message` as the status has them.
    pub(super) fn ended(
        &mut self,
        code: i32,
        reason: &str,
        message: Option<String>,
        now: Timestamp,
    ) {
        let run = self.run.take();
        let since = run.as_ref().and_then(|run| run.since);
        if since.is_none() && self.ran() {
            // It never ran this time, and yet this was a try.
            self.restarts += 1;
        }
        if let State::Terminated(terminated) = &self.state {
            self.last = Some(terminated.clone());
        }
        self.ready = self.role == Role::Init && code == 0;
        self.state = State::Terminated(ContainerStateTerminated {
            container_id: run.as_ref().map(|run| run.container_id.clone()),
            exit_code: code,
            reason: Some(reason.to_owned()),
            message: message.filter(|m| !m.is_empty()),
            signal: None,
            started_at: Some(Time(since.map_or(Timestamp::UNIX_EPOCH, |(at, _)| at))),
            finished_at: Some(Time(now)),
        });
    }

    /// It could not be started.
    pub(super) fn not_started(&mut self, message: String, now: Timestamp) {
        self.ended(START_ERROR, "StartError", Some(message), now);
    }

    /// The pod ends while it waits: it is as its last run left it, or was never seen.
    pub(super) fn give_up(&mut self, now: Timestamp) {
        self.not_before = None;
        if let Some(last) = &self.last {
            self.state = State::Terminated(last.clone());
        } else if self.role == Role::Main {
            let message = "The container could not be located when the pod was terminated";
            self.ended(
                LOST,
                "ContainerStatusUnknown",
                Some(message.to_owned()),
                now,
            );
        }
    }

    /// Exit code of a container that has ended.
    pub(super) fn code(&self) -> Option<i32> {
        match &self.state {
            State::Terminated(terminated) => Some(terminated.exit_code),
            _ => None,
        }
    }

    /// It starts again after it ended like that.
    pub(super) fn starts_again(&self, policy: &str) -> bool {
        let Some(code) = self.code() else {
            return false;
        };
        match (self.role, policy) {
            (Role::Sidecar, _) | (Role::Main, "Always") => true,
            (Role::Main | Role::Init, "OnFailure") | (Role::Init, "Always") => code != 0,
            _ => false,
        }
    }

    /// How long it waits before it starts again.
    pub(super) fn back_off(&mut self, ran: Duration) -> Duration {
        let ran = SignedDuration::try_from(ran).unwrap_or(SignedDuration::MAX);
        // It is never negative.
        Duration::try_from(self.backoff.ended(ran)).unwrap_or_default()
    }

    /// It is doing what it is there for: a sidecar has started, any other one has ended well.
    pub(super) fn lets_others_start(&self) -> bool {
        match self.role {
            Role::Init => self.code() == Some(0),
            _ => self.has_started(),
        }
    }

    fn has_started(&self) -> bool {
        matches!(self.state, State::Running(_)) && self.run.as_ref().is_some_and(|r| r.started)
    }

    /// As the status has it.
    pub(super) fn seen(&self) -> Seen {
        let id = match (&self.run, &self.state, &self.last) {
            (Some(run), ..) if run.since.is_some() => Some(run.container_id.clone()),
            (_, State::Terminated(ended), _) => ended.container_id.clone(),
            (.., Some(ended)) => ended.container_id.clone(),
            _ => None,
        };
        Seen {
            name: self.spec.name.clone(),
            image: self.spec.image.clone().unwrap_or_default(),
            role: self.role,
            state: self.state.clone(),
            last: self.last.clone(),
            restarts: self.restarts,
            ready: self.ready,
            started: self.has_started(),
            container_id: id,
        }
    }
}
