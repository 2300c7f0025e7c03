//! An engine, a world and a record together: the driver's part, without its network. Every step is
//! asked twice and must answer nothing the second time; what an engine wants done reaches the world
//! late, and the driver can die before or after any of it.

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::api::{Condition, JobSet, JobSetStatus};
use kubectl_jobset::engine::{
    Action, ActionId, Command, Engine, Event, EventKind, FailAt, Observation, Options, Outcome,
    Run, RunState, Step, Urgency,
};

use super::lines;
use super::server::Executed;
use super::world::{Due, Record, World};

/// The recorder's settling time: nothing has changed for this long.
const SETTLED: SignedDuration = SignedDuration::from_millis(2600);
/// A write that is not urgent is sent after this long.
const SOON: SignedDuration = SignedDuration::from_secs(1);
/// Turns of one settling; a world that needs more goes round in circles.
const TURNS: usize = 20_000;

/// One line of what happened, as data.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// The engine wanted this done.
    Did(Action),
    /// The engine wanted its state durable before it goes on.
    Wrote,
    /// The engine told this.
    Event(Event),
    /// A condition appeared or changed in the engine's state.
    Condition(Condition),
    /// A counter or word of the status changed (`restarts=1`).
    Status(String),
    /// The end.
    Outcome(Outcome),
    /// Said by the harness.
    Note(String),
}

/// An effect that a trap can wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Any,
    Write,
    Service,
    Create,
    Delete,
    Suspend,
    Resume,
    Evidence,
}

/// The driver dies at the `nth` effect of a kind (from 0).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trap {
    pub(crate) effect: Effect,
    pub(crate) nth: usize,
    /// After it has reached the server, without an answer; else before it was sent.
    pub(crate) after: bool,
}

/// What happened between the driver and its engine, in order, for invariants.
pub(crate) enum Happened {
    /// A new driver, with what the record held.
    Attached(Box<RunState>),
    /// A fact was told.
    Told(Box<Observation>),
    /// A step was made; the engine's state after it.
    Stepped(Box<Stepped>),
    /// An action met the world.
    Executed(Box<Executed>),
    /// The driver died.
    Died,
}

/// A step and the engine's state after it.
pub(crate) struct Stepped {
    pub(crate) step: Step,
    pub(crate) state: RunState,
    pub(crate) suspended: bool,
}

/// See the module.
pub(crate) struct Sim {
    pub(crate) world: World,
    pub(crate) engine: Option<Engine>,
    pub(crate) log: Vec<Entry>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) trap: Option<Trap>,
    /// Kept only on demand: the reader drains it.
    pub(crate) journal: Option<Vec<Happened>>,
    /// Breaks the engine's answers on purpose, to show that a check sees it.
    pub(crate) sabotage: Option<fn(&mut Step)>,
    /// One step for all that is due, instead of one for each fact.
    pub(crate) batch: bool,
    options: Options,
    run: Run,
    soon: Option<Timestamp>,
    wake: Option<Timestamp>,
    version: u64,
    status: JobSetStatus,
}

impl Sim {
    /// A world without anything in it, and no driver yet.
    pub(crate) fn new(jobset: JobSet, namespace: &str, options: Options) -> Self {
        let run_uid = "run-1";
        let run = Run {
            namespace: namespace.to_owned(),
            name: jobset.metadata.name.clone(),
            uid: run_uid.to_owned(),
        };
        Self {
            world: World::new(jobset, namespace, run_uid),
            engine: None,
            log: Vec::new(),
            outcome: None,
            trap: None,
            journal: None,
            sabotage: None,
            batch: false,
            options,
            run,
            soon: None,
            wake: None,
            version: 0,
            status: JobSetStatus::default(),
        }
    }

    /// Options as the command line has them, with the moment a failed Job is acted on.
    pub(crate) fn options(fail_at: FailAt, evidence_lines: u32) -> Options {
        Options {
            fail_at,
            evidence_lines,
            evidence_wait: SignedDuration::from_secs(5),
        }
    }

    /// A driver starts or takes over: an engine with what the record holds, and complete lists.
    pub(crate) fn attach(&mut self) {
        assert!(self.engine.is_none(), "a driver is attached already");
        let Record { jobset, state } = self.world.record.clone();
        self.status = state.status.clone();
        let attached = state.clone();
        self.engine = Some(Engine::new(
            self.run.clone(),
            jobset,
            state,
            self.options.clone(),
            self.world.now,
        ));
        self.note(|| Happened::Attached(Box::new(attached)));
        self.world.driver_connects();
    }

    /// The driver is killed.
    pub(crate) fn crash(&mut self, requests_arrive: bool) {
        self.engine = None;
        self.soon = None;
        self.wake = None;
        self.outcome = None;
        self.world.driver_died(requests_arrive);
        self.note(|| Happened::Died);
        self.log.push(Entry::Note("the driver died".to_owned()));
    }

    /// A person's wish.
    pub(crate) fn command(&mut self, command: Command) {
        if let Some(engine) = &mut self.engine {
            engine.command(command, self.world.now);
            self.step();
        }
    }

    /// Somebody changes the JobSet in the record.
    pub(crate) fn change_spec(&mut self, change: impl FnOnce(&mut JobSet)) {
        if let Some(engine) = &self.engine {
            self.world.record.jobset = engine.jobset().clone();
        }
        change(&mut self.world.record.jobset);
        let told = Observation::Spec(Box::new(self.world.record.jobset.clone()));
        let due = self.world.now + self.world.pace.watch;
        self.world.other_watch.push(due, told);
    }

    /// Lets time pass until nothing has changed for the settling time.
    pub(crate) fn settle(&mut self) {
        let mut quiet = self.world.now;
        for _ in 0..TURNS {
            match self.next_due().filter(|t| *t <= quiet + SETTLED) {
                Some(t) => {
                    if self.turn(t) {
                        quiet = self.world.now;
                    }
                }
                None => {
                    self.world.run_until(quiet + SETTLED);
                    return;
                }
            }
        }
        self.stuck()
    }

    /// Lets that much time pass.
    pub(crate) fn wait(&mut self, span: SignedDuration) {
        let end = self.world.now + span;
        for _ in 0..TURNS {
            match self.next_due().filter(|t| *t <= end) {
                Some(t) => {
                    self.turn(t);
                }
                None => {
                    self.world.run_until(end);
                    return;
                }
            }
        }
        panic!(
            "the world does not settle: now {}, the engine wakes at {:?}, the world at {:?}, writes at {:?}",
            self.world.now,
            self.wake,
            self.world.next_due(),
            self.soon,
        );
    }

    fn stuck(&self) -> ! {
        let last: Vec<String> = self
            .log
            .iter()
            .rev()
            .take(12)
            .map(|e| lines::entry(e, &self.world))
            .collect();
        panic!(
            "the world does not settle: now {}, the engine wakes at {:?}, the world at {:?}, last {last:#?}",
            self.world.now,
            self.wake,
            self.world.next_due(),
        );
    }

    /// Lets the next thing happen that is due within `span`. False: there was none.
    pub(crate) fn advance(&mut self, span: SignedDuration) -> bool {
        let end = self.world.now + span;
        match self.next_due().filter(|t| *t <= end) {
            Some(t) => {
                self.turn(t);
                true
            }
            None => {
                self.world.run_until(end);
                false
            }
        }
    }

    fn next_due(&mut self) -> Option<Timestamp> {
        let wake = self.wake;
        [self.world.next_due(), wake, self.soon]
            .into_iter()
            .flatten()
            .min()
    }

    /// Moves to `to`, tells the engine what is due, lets it step. True: something changed.
    fn turn(&mut self, to: Timestamp) -> bool {
        self.world.run_until(to);
        for executed in std::mem::take(&mut self.world.executed) {
            self.note(|| Happened::Executed(Box::new(executed)));
        }
        let now = self.world.now;
        let mut changed = false;
        if self.soon.is_some_and(|t| t <= now) {
            self.write();
            changed = true;
        }
        if self.wake.is_some_and(|t| t <= now) {
            self.wake = None;
            changed |= self.step();
        }
        loop {
            let facts = self.world.deliver();
            if facts.is_empty() {
                break;
            }
            changed = true;
            for fact in facts {
                if let Some(engine) = &mut self.engine {
                    engine.observe(fact.clone(), now);
                    self.note(|| Happened::Told(Box::new(fact)));
                }
            }
            if !self.batch {
                self.step();
            }
        }
        if self.batch && changed {
            self.step();
        }
        changed
    }

    /// One step of the engine and all it asks for. True: it asked for something.
    pub(crate) fn step(&mut self) -> bool {
        let now = self.world.now;
        let Some(engine) = &mut self.engine else {
            return false;
        };
        let mut step = engine.step(now);
        let again = engine.step(now);
        let nothing = |s: &Step| {
            s.write.is_none() && s.actions.is_empty() && s.events.is_empty() && s.outcome.is_none()
        };
        assert!(
            nothing(&again),
            "asked again with nothing new, the engine answers {again:?} after {step:?}"
        );
        if let Some(sabotage) = self.sabotage {
            sabotage(&mut step);
        }
        let (state, suspended) = (engine.state().clone(), engine.jobset().suspended());
        self.wake = step.wake_at;
        self.log_step(&step, &state.status);
        let quiet = nothing(&step);
        self.note(|| {
            Happened::Stepped(Box::new(Stepped {
                step: step.clone(),
                state,
                suspended,
            }))
        });
        self.perform(step);
        !quiet
    }

    fn note(&mut self, what: impl FnOnce() -> Happened) {
        if let Some(journal) = &mut self.journal {
            journal.push(what());
        }
    }

    fn log_step(&mut self, step: &Step, status: &JobSetStatus) {
        self.log
            .extend(step.events.iter().cloned().map(Entry::Event));
        self.log.extend(lines::status_changes(&self.status, status));
        self.status = status.clone();
        if step.write.is_some_and(|w| w.urgency == Urgency::Now) {
            self.log.push(Entry::Wrote);
        }
        self.log
            .extend(step.actions.iter().map(|(_, a)| Entry::Did(a.clone())));
        if let Some(outcome) = &step.outcome {
            self.log.push(Entry::Outcome(outcome.clone()));
            self.outcome = Some(outcome.clone());
        }
    }

    fn perform(&mut self, step: Step) {
        if let Some(write) = step.write {
            self.version = write.version;
            if write.urgency == Urgency::Soon {
                self.soon = self.soon.or(Some(self.world.now + SOON));
            } else {
                if self.trapped(Effect::Write, false) {
                    return;
                }
                if self.trap.is_some_and(|t| {
                    t.after && t.nth == 0 && matches!(t.effect, Effect::Any | Effect::Write)
                }) {
                    self.world.record = self.record();
                }
                if self.trapped(Effect::Write, true) {
                    return;
                }
                self.write();
            }
        }
        for (id, action) in step.actions {
            let effect = effect(&action);
            if self.trapped(effect, false) {
                return;
            }
            if self.trap.is_some_and(|t| {
                t.after && t.nth == 0 && (t.effect == Effect::Any || t.effect == effect)
            }) {
                self.world.carry_out(self.world.driver, id, action.clone());
            }
            if self.trapped(effect, true) {
                return;
            }
            self.request(id, action);
        }
    }

    fn request(&mut self, id: ActionId, action: Action) {
        self.world.after(
            self.world.pace.api,
            Due::Request(self.world.driver, id, action),
        );
    }

    /// The trap's moment has come: the driver dies. Counts down otherwise.
    fn trapped(&mut self, effect: Effect, after: bool) -> bool {
        let Some(trap) = self
            .trap
            .as_mut()
            .filter(|t| t.effect == Effect::Any || t.effect == effect)
        else {
            return false;
        };
        if trap.after != after {
            return false;
        }
        if trap.nth > 0 {
            trap.nth -= 1;
            return false;
        }
        self.trap = None;
        self.crash(true);
        true
    }

    fn record(&self) -> Record {
        let engine = self.engine.as_ref().expect("only an engine writes");
        Record {
            jobset: engine.jobset().clone(),
            state: engine.state().clone(),
        }
    }

    /// Sends the state as it is now.
    fn write(&mut self) {
        self.soon = None;
        if self.engine.is_some() {
            let due = Due::Write(self.world.driver, self.version, Box::new(self.record()));
            self.world.after(self.world.pace.record, due);
        }
    }

    /// Tells of something that the driver knows and the engine does not.
    pub(crate) fn emit(&mut self, kind: EventKind) {
        if let Some(engine) = &mut self.engine {
            let event = engine.emit(kind, self.world.now);
            self.log.push(Entry::Event(event));
        }
    }
}

fn effect(action: &Action) -> Effect {
    match action {
        Action::CreateService => Effect::Service,
        Action::CreateJob { .. } => Effect::Create,
        Action::DeleteJob { .. } => Effect::Delete,
        Action::SuspendJob { .. } => Effect::Suspend,
        Action::ResumeJob { .. } => Effect::Resume,
        Action::KeepEvidence { .. } => Effect::Evidence,
    }
}
