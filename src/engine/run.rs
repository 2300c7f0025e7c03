//! The engine as its callers see it: what it is made of, and the way in and out. What it decides is in
//! `decide` and the policies.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::api::names::condition;
use crate::api::{DependsOnStatus, JobSet, JobSetStatus};
use crate::engine::action::{ActionId, Step, Urgency, Write};
use crate::engine::depends_on::Progress;
use crate::engine::event::{Event, EventKind};
use crate::engine::evidence::{self, Asking};
use crate::engine::explain::Timer;
use crate::engine::history::{self, Ending, Falls};
use crate::engine::input::{Command, JobSeen, Observation, PodSeen};
use crate::engine::ranges::Ranges;
use crate::engine::startup::Turn;
use crate::engine::state::{AttemptKind, EVIDENCE_LINES, RunState};
use crate::engine::status;
use crate::engine::view::{Call, Class, SlotId, View};

/// Which run this is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Namespace.
    pub namespace: String,
    /// Name of the JobSet.
    pub name: String,
    /// UID of the record, which owns everything.
    pub uid: String,
}

/// When a failing Job counts as failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailAt {
    /// As soon as the Job controller has decided so (trap D.3.1).
    #[default]
    FailureTarget,
    /// When all its pods have ended: upstream's timing.
    Failed,
}

/// Settings of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// When a failing Job counts as failed.
    pub fail_at: FailAt,
    /// Last lines kept per failed container; 0: none.
    pub evidence_lines: u32,
    /// How long a deletion, or the end, waits for lines that have been asked for.
    pub evidence_wait: SignedDuration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fail_at: FailAt::default(),
            evidence_lines: EVIDENCE_LINES,
            evidence_wait: SignedDuration::from_secs(3),
        }
    }
}

/// What nobody enforces while no driver is attached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotEnforced {
    /// Roles that aren't (fully) created and what each waits for (`leader ready`).
    pub waiting_roles: Vec<(String, String)>,
    /// Some role depends on the completion of another, or starts in order, in a later attempt as well.
    pub startup_order: bool,
    /// A failure policy with a rule or a restart limit above 0: nothing will be restarted.
    pub failure_policy: bool,
    /// Jobs go on running after the success policy is met, or after the set has failed.
    pub end_of_run: bool,
}

/// What an action in flight is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flight {
    Service,
    Job(SlotId, Call),
    Evidence,
}

/// What has been told about a role in this attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) ready: u32,
    pub(super) created: bool,
    pub(super) completed: bool,
    pub(super) waits_for: Option<String>,
    pub(super) created_at: Option<Timestamp>,
    /// Explanations already given: reason and message.
    pub(super) reasons: BTreeSet<(String, String)>,
}

/// Decides what one run needs next; see the module's head.
#[derive(Debug)]
pub struct Engine {
    pub(super) run: Run,
    pub(super) jobset: JobSet,
    pub(super) state: RunState,
    pub(super) options: Options,
    pub(super) view: View,
    pub(super) succeeded: Vec<Ranges>,
    pub(super) told: Vec<Told>,
    pub(super) turns: Vec<Turn>,
    /// As of the last pass.
    pub(super) progress: Vec<Progress>,
    pub(super) said_turn: Option<Option<usize>>,
    pub(super) falls: Falls,
    pub(super) ending: Option<Ending>,
    pub(super) asking: Asking,
    pub(super) flights: BTreeMap<ActionId, Flight>,
    pub(super) timers: BTreeSet<(Timestamp, Timer)>,
    pub(super) events: Vec<Event>,
    /// Jobs that failed and whose failure hasn't been told.
    pub(super) untold: BTreeSet<SlotId>,
    pub(super) live: bool,
    /// Nothing had happened when this engine took the run over.
    pub(super) fresh: bool,
    /// The first look at the whole world has been taken.
    pub(super) looked: bool,
    pub(super) stop: Option<String>,
    /// A create was refused for good at the first start.
    pub(super) refused: Option<(String, String)>,
    /// Since when creates are answered with 403.
    pub(super) forbidden_since: Option<Timestamp>,
    pub(super) service_retry: Option<(Timestamp, u32)>,
    pub(super) service_call: bool,
    /// Something that the startup order or the success policy looks at changed.
    pub(super) changed: bool,
    /// The verdict was given.
    pub(super) given: bool,
    /// The state in which the end was decided.
    pub(super) ended_version: u64,
    last_action: u64,
    version: u64,
    handed: u64,
    acked: u64,
    /// Actions wait until this version is durable.
    gate: u64,
    urgency: Urgency,
}

impl Engine {
    /// An engine for `run`. `jobset` is the admitted one from the record, `state` the record's (the
    /// default for a new run). Nothing is done before both lists have been observed.
    #[must_use]
    pub fn new(
        run: Run,
        jobset: JobSet,
        state: RunState,
        options: Options,
        now: Timestamp,
    ) -> Self {
        let mut view = View::new(&jobset, options.fail_at);
        view.restarts = state.status.restarts;
        view.finished = state.outcome.is_some();
        let fresh = state.attempts.is_empty();
        let succeeded: Vec<Ranges> = view
            .roles
            .iter()
            .map(|r| {
                state
                    .succeeded
                    .get(&r.name)
                    .map_or_else(Ranges::default, |t| Ranges::parse(t))
            })
            .collect();
        let roles = view.roles.len();
        let mut engine = Self {
            run,
            jobset,
            options,
            view,
            succeeded,
            told: vec![Told::default(); roles],
            turns: vec![Turn::Open; roles],
            progress: vec![Progress::default(); roles],
            said_turn: None,
            falls: Falls::default(),
            ending: None,
            asking: Asking::default(),
            flights: BTreeMap::new(),
            timers: BTreeSet::new(),
            events: Vec::new(),
            untold: BTreeSet::new(),
            live: fresh,
            fresh,
            looked: false,
            stop: state.stop.clone().filter(|_| state.outcome.is_none()),
            refused: None,
            forbidden_since: None,
            service_retry: None,
            service_call: false,
            changed: true,
            given: false,
            ended_version: 0,
            last_action: 0,
            version: 0,
            handed: 0,
            acked: 0,
            gate: 0,
            urgency: Urgency::Soon,
            state,
        };
        status::ensure(&mut engine.state.status, &engine.view);
        // What the template was when suspended Jobs were made is not known to a driver that comes later.
        engine.state.template_changed |= !fresh && engine.is_suspended();
        engine.load_slots();
        if fresh {
            engine.state.started.get_or_insert(now);
            history::begin(&mut engine.state, AttemptKind::Start, false, now);
            engine.touch(Urgency::Soon);
            let jobs = engine.view.replicas();
            let pods = engine
                .view
                .roles
                .iter()
                .map(|r| r.replicas.saturating_mul(r.expected))
                .sum();
            engine.say(now, EventKind::RunCreated { jobs, pods });
        }
        engine
    }

    /// What the record knows about single Jobs.
    fn load_slots(&mut self) {
        for (position, role) in self.view.roles.iter().enumerate() {
            let restarts = &self.state.status.replicated_jobs_status[position].job_restarts;
            for id in role.first..role.first + role.replicas as usize {
                let slot = &mut self.view.slots[id];
                slot.job_restarts = restarts.get(slot.index as usize).copied().unwrap_or(0);
                slot.remembered = self.succeeded[position].contains(slot.index);
            }
        }
        self.view.settle_all();
    }

    /// Takes a fact in. Never acts. `now` must not go backwards.
    pub fn observe(&mut self, o: Observation, now: Timestamp) {
        match o {
            Observation::Job(seen) => self.job_seen(seen, now),
            Observation::JobGone { name, uid } => self.job_gone_news(&name, &uid, now),
            Observation::JobsListed(list) => self.jobs_listed(list, now),
            Observation::Pod(seen) => self.pod_seen(seen, now),
            Observation::PodGone { name: _, uid } => self.pod_gone(&uid, now),
            Observation::PodsListed(list) => self.pods_listed(list, now),
            Observation::Service { present } => self.view.service = Some(present),
            Observation::Notice {
                object,
                reason,
                message,
                at,
            } => {
                self.notice(&object, &reason, &message, at, now);
            }
            Observation::Evidence {
                pod_uid,
                container,
                lines,
            } => {
                self.keep_evidence(&pod_uid, &container, lines, now);
            }
            Observation::Written { version } => {
                self.acked = self.acked.max(version.min(self.version));
                self.handed = self.handed.max(self.acked);
            }
            Observation::Done { id, result } => self.action_done(id, result, now),
            Observation::Spec(jobset) => self.spec_changed(*jobset),
        }
    }

    /// Takes a wish in. Never acts. Wishes about a run that has ended are ignored.
    pub fn command(&mut self, c: Command, now: Timestamp) {
        if self.state.outcome.is_some() {
            return;
        }
        match c {
            Command::Stop { by } => {
                if self.stop.is_none() {
                    self.say(now, EventKind::RunStopping { by: by.clone() });
                    self.stop = Some(by);
                }
            }
            Command::Suspend => self.want_suspended(true),
            Command::Resume => self.want_suspended(false),
        }
    }

    /// The one decision: what must be done now. With nothing new since the last call, nothing.
    pub fn step(&mut self, now: Timestamp) -> Step {
        let mut step = Step::default();
        if self.view.jobs_listed && self.view.pods_listed {
            self.fire_timers(now);
            self.tell(now);
            self.decide(now, &mut step);
            // Before both lists are there no timer can be answered: the missing list brings the next step.
            step.wake_at = self.timers.first().map(|(at, _)| *at);
        }
        step.write = self.hand_out(false);
        step.events = std::mem::take(&mut self.events);
        step
    }

    /// What isn't durable yet, whether or not it is urgent: for before detaching.
    pub fn flush(&mut self) -> Option<Write> {
        self.hand_out(true)
    }

    /// An event of the driver's own (attached, unreachable, a warning), with its number.
    pub fn emit(&mut self, kind: EventKind, now: Timestamp) -> Event {
        self.state.seq += 1;
        if kind == EventKind::StreamLive {
            self.live = true;
        }
        Event {
            seq: self.state.seq,
            time: now,
            live: self.live,
            kind,
        }
    }

    /// What must be written down. Its counts are as of the last [`Write`] that was handed out.
    #[must_use]
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// The status with the counts of this moment; those in [`Engine::state`] are as old as its last write.
    #[must_use]
    pub fn status(&self) -> JobSetStatus {
        let mut status = self.state.status.clone();
        status::fill(&mut status, &self.view);
        status
    }

    /// The JobSet as it is now (`spec.suspend` follows the commands).
    #[must_use]
    pub fn jobset(&self) -> &JobSet {
        &self.jobset
    }

    /// All pods seen, in the order of their UIDs.
    pub fn pods(&self) -> impl Iterator<Item = &PodSeen> {
        self.view.pods.iter().map(|p| &p.seen)
    }

    /// Pods of the current attempt.
    pub fn live_pods(&self) -> impl Iterator<Item = &PodSeen> {
        self.pods().filter(|p| {
            self.view.slot_of(&p.role, p.job_index).is_some_and(|id| {
                let slot = &self.view.slots[id];
                !self
                    .view
                    .is_old(slot, p.restart_attempt, p.job_restart_attempt)
            })
        })
    }

    /// All Jobs seen, in the order of the spec.
    pub fn jobs(&self) -> impl Iterator<Item = &JobSeen> {
        self.view
            .slots
            .iter()
            .filter_map(|s| s.job.as_deref())
            .filter(|e| !e.expected)
            .map(|e| &e.seen)
    }

    /// What nobody enforces once this driver is gone.
    #[must_use]
    pub fn roles_not_enforced(&self) -> NotEnforced {
        if self.state.outcome.is_some() {
            return NotEnforced::default();
        }
        let spec = &self.jobset.spec;
        let waiting_roles = self
            .view
            .roles
            .iter()
            .zip(&self.turns)
            .filter(|(role, _)| role.made < role.replicas)
            .filter_map(|(role, turn)| match turn {
                Turn::Held(what) => Some((role.name.clone(), what.clone())),
                Turn::Open | Turn::Started => None,
            })
            .collect();
        NotEnforced {
            waiting_roles,
            startup_order: super::startup::in_order(&self.jobset)
                || spec
                    .replicated_jobs
                    .iter()
                    .any(|r| !r.depends_on.is_empty()),
            failure_policy: spec
                .failure_policy
                .as_ref()
                .is_some_and(|p| !p.rules.is_empty() || p.max_restarts.unwrap_or(0) > 0),
            end_of_run: self.view.replicas() > 1,
        }
    }

    /// Marks the state as changed.
    pub(super) fn touch(&mut self, urgency: Urgency) {
        self.version += 1;
        // After the end the driver is about to leave: nothing may be left behind.
        let urgency = if self.state.outcome.is_some() {
            Urgency::Now
        } else {
            urgency
        };
        self.urgency = self.urgency.max(urgency);
        if urgency == Urgency::Now {
            self.gate = self.version;
        }
    }

    /// Every decision so far is durable, so its actions may be carried out.
    pub(super) fn gate_open(&self) -> bool {
        self.acked >= self.gate
    }
    /// The state as it is now is durable.
    pub(super) fn all_written(&self) -> bool {
        self.acked >= self.version
    }
    /// Number of the present state.
    pub(super) fn version(&self) -> u64 {
        self.version
    }
    /// That state is durable.
    pub(super) fn written(&self, version: u64) -> bool {
        self.acked >= version
    }

    /// The write that is due: urgent ones at once, others when the one before is durable.
    fn hand_out(&mut self, all: bool) -> Option<Write> {
        let due = self.version > self.handed
            && (self.urgency == Urgency::Now || self.handed <= self.acked);
        if !(due || (all && self.version > self.acked)) {
            return None;
        }
        self.render();
        self.handed = self.version;
        let urgency = std::mem::replace(&mut self.urgency, Urgency::Soon);
        Some(Write {
            version: self.version,
            urgency: if all { Urgency::Now } else { urgency },
        })
    }

    /// Puts what is kept in indexes into the state.
    fn render(&mut self) {
        status::fill(&mut self.state.status, &self.view);
        self.state.succeeded = self
            .view
            .roles
            .iter()
            .zip(&self.succeeded)
            .filter(|(_, set)| !set.is_empty())
            .map(|(role, set)| (role.name.clone(), set.to_string()))
            .collect();
        evidence::bound(&mut self.state);
    }

    pub(super) fn next_id(&mut self, flight: Flight) -> ActionId {
        self.last_action += 1;
        let id = ActionId(self.last_action);
        self.flights.insert(id, flight);
        id
    }

    /// Queues an event.
    pub(super) fn say(&mut self, time: Timestamp, kind: EventKind) {
        self.state.seq += 1;
        self.events.push(Event {
            seq: self.state.seq,
            time,
            live: self.live,
            kind,
        });
    }

    /// Role and index of a slot, for messages.
    pub(super) fn place(&self, id: SlotId) -> (String, u32) {
        let slot = &self.view.slots[id];
        (self.view.roles[slot.role].name.clone(), slot.index)
    }

    pub(super) fn wake(&mut self, at: Timestamp, timer: Timer) {
        self.timers.insert((at, timer));
    }

    /// The set waits for others than `dependsOn: Complete` allows to run (for the word Running).
    pub(super) fn settled_roles(&self) -> bool {
        // A role that waits for another's completion is not expected to run yet, nor is one behind it.
        let mut later: BTreeSet<&str> = BTreeSet::new();
        for (position, role) in self.jobset.spec.replicated_jobs.iter().enumerate() {
            let waits = role.depends_on.iter().any(|d| {
                later.contains(d.name.as_str())
                    || (d.status == DependsOnStatus::Complete
                        && self.view.role_of(&d.name).is_none_or(|r| {
                            let r = &self.view.roles[r];
                            r.count(Class::Succeeded) < r.replicas
                        }))
            });
            if waits && self.view.roles[position].made == 0 {
                later.insert(&role.name);
            } else if !self.view.started(position) {
                return false;
            }
        }
        true
    }

    /// The `Suspended` condition is True.
    pub(super) fn is_suspended(&self) -> bool {
        self.state.status.is_true(condition::SUSPENDED)
    }
}
