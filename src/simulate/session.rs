//! An engine, a world and a record together: the driver's part, without its network and without async.
//! What an engine wants done reaches the world late, what happens there reaches the engine late, and the
//! driver can die before or after any of it. Pure: the clock is the world's, it moves from one thing that
//! is due to the next.
//!
//! The record is an object of the world (it owns everything), but its content stays here: writing it is
//! late and can be lost like any other write, only not conflict with another driver's.

mod step;
mod wire;

use std::collections::{BTreeMap, VecDeque};

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::api::{JobSet, JobSetStatus};
use crate::cluster::api::Status;
use crate::cluster::object::Kind;
use crate::cluster::world::World;
use crate::engine::{
    Action, ActionId, Command, Engine, Observation, Options, Outcome, Run, RunState,
};
use crate::simulate::entry::{Entry, What};
use crate::simulate::hands::{Hands, create_record};
use crate::simulate::trap::Trap;
use crate::simulate::watch::{Scope, Watch};

/// How long things take between a driver and the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    /// A change until a watch tells it.
    pub watch: SignedDuration,
    /// A request until it arrives, and its answer until it is back.
    pub api: SignedDuration,
    /// A record write until it is durable, and its answer until it is back.
    pub record: SignedDuration,
    /// The answer to a log request.
    pub logs: SignedDuration,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            watch: SignedDuration::from_millis(5),
            api: SignedDuration::from_millis(10),
            record: SignedDuration::from_millis(10),
            logs: SignedDuration::from_millis(10),
        }
    }
}

/// What survives the driver.
#[derive(Clone, Debug)]
pub struct Record {
    /// As admitted, and changed since.
    pub jobset: JobSet,
    /// The engine's.
    pub state: RunState,
}

/// Something that is on its way between driver and server.
#[derive(Debug)]
enum Due {
    /// A request of that driver reaches the server.
    Request(u32, ActionId, Action),
    /// An answer reaches that driver.
    Answer(u32, Box<Observation>),
    /// A write of the record by that driver reaches the server.
    Write(u32, u64, Box<Record>),
    /// Somebody's change of the record reaches its readers.
    Spec(Box<JobSet>),
}

/// What a session is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// As admitted.
    pub jobset: JobSet,
    /// Where it runs.
    pub namespace: String,
    /// Whose rights the driver has.
    pub user: String,
    /// The engine's settings.
    pub options: Options,
    /// How long calls take.
    pub delays: Delays,
}

/// See the module.
#[derive(Debug)]
pub struct Session {
    /// The cluster.
    pub world: World,
    /// The engine, while a driver lives.
    pub engine: Option<Engine>,
    /// What has happened; the reader drains it.
    pub log: Vec<Entry>,
    /// The end, once it is given.
    pub outcome: Option<Outcome>,
    /// Where the driver is to die.
    pub trap: Option<Trap>,
    /// What the driver sends.
    pub hands: Hands,
    /// Watch of the Jobs.
    pub jobs: Watch,
    /// Watch of the pods.
    pub pods: Watch,
    /// Which objects are the run's.
    pub scope: Scope,
    /// How long calls take.
    pub delays: Delays,
    /// Last lines of any container.
    pub log_lines: Vec<String>,
    /// Answers to writes are held back.
    pub hold_writes: bool,
    /// What survives the driver.
    pub record: Record,
    /// Every step is asked twice, one fact at a time: what an engine must bear. Off: all that is due at
    /// once, as fast as it goes.
    pub strict: bool,
    service: Watch,
    events: Watch,
    options: Options,
    run: Run,
    due: BTreeMap<(Timestamp, u64), Due>,
    answers: VecDeque<Observation>,
    serial: u64,
    /// Which driver is there, counted.
    driver: u32,
    soon: Option<Timestamp>,
    wake: Option<Timestamp>,
    version: u64,
    status: JobSetStatus,
}

impl Session {
    /// A run in that world: its record, and no driver yet.
    ///
    /// # Errors
    /// The API's, if the record can't be made.
    pub fn new(mut world: World, setup: Setup) -> Result<Self, Status> {
        let Setup {
            jobset,
            namespace,
            user,
            options,
            delays,
        } = setup;
        let owner = create_record(&mut world, &user, &namespace, &jobset)?;
        let run = Run {
            namespace: namespace.clone(),
            name: jobset.metadata.name.clone(),
            uid: owner.uid.clone(),
        };
        Ok(Self {
            hands: Hands::new(&user, &namespace, &jobset, owner),
            scope: Scope {
                namespace,
                run_uid: run.uid.clone(),
            },
            world,
            engine: None,
            log: Vec::new(),
            outcome: None,
            trap: None,
            jobs: Watch::new(Kind::Job),
            pods: Watch::new(Kind::Pod),
            service: Watch::new(Kind::Service),
            events: Watch::new(Kind::Event),
            delays,
            log_lines: Vec::new(),
            hold_writes: false,
            record: Record {
                jobset,
                state: RunState::default(),
            },
            strict: false,
            options,
            run,
            due: BTreeMap::new(),
            answers: VecDeque::new(),
            serial: 0,
            driver: 0,
            soon: None,
            wake: None,
            version: 0,
            status: JobSetStatus::default(),
        })
    }

    /// The moment it is.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.world.now()
    }

    /// Name of the JobSet.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.run.name
    }

    /// A driver starts or takes over: an engine with what the record holds, and complete lists. Nothing if
    /// there is one.
    pub fn attach(&mut self) {
        if self.engine.is_some() {
            return;
        }
        let Record { jobset, state } = self.record.clone();
        self.status = state.status.clone();
        self.engine = Some(Engine::new(
            self.run.clone(),
            jobset,
            state,
            self.options.clone(),
            self.now(),
        ));
        // Every write is guarded by the version that was read: a dead driver's comes too late now.
        let driver = self.driver;
        self.due
            .retain(|_, d| !matches!(d, Due::Write(by, ..) if *by != driver));
        for watch in [
            &mut self.jobs,
            &mut self.pods,
            &mut self.service,
            &mut self.events,
        ] {
            watch.list(&self.world, &self.scope, self.delays.watch);
        }
    }

    /// The driver is killed. Requests that have not arrived are lost, or arrive all the same.
    pub fn crash(&mut self, requests_arrive: bool) {
        self.engine = None;
        self.soon = None;
        self.wake = None;
        self.outcome = None;
        self.answers.clear();
        self.hold_writes = false;
        self.driver += 1;
        self.due
            .retain(|_, d| requests_arrive || !matches!(d, Due::Request(..) | Due::Write(..)));
        for (watch, kind) in [
            (&mut self.jobs, Kind::Job),
            (&mut self.pods, Kind::Pod),
            (&mut self.service, Kind::Service),
            (&mut self.events, Kind::Event),
        ] {
            *watch = Watch::new(kind);
        }
        self.note(What::Note("the driver died".to_owned()));
    }

    /// A person's wish.
    pub fn command(&mut self, command: Command) {
        let now = self.now();
        if let Some(engine) = &mut self.engine {
            engine.command(command, now);
            self.step();
        }
    }

    /// Somebody changes the JobSet in the record.
    pub fn change_spec(&mut self, change: impl FnOnce(&mut JobSet)) {
        if let Some(engine) = &self.engine {
            self.record.jobset = engine.jobset().clone();
        }
        change(&mut self.record.jobset);
        self.hands.rebuild(&self.record.jobset);
        let told = Box::new(self.record.jobset.clone());
        self.after(self.delays.watch, Due::Spec(told));
    }

    /// When something happens next, if anything is under way.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        if !self.answers.is_empty() {
            return Some(self.now());
        }
        let watches = [&self.jobs, &self.pods, &self.service, &self.events];
        let first = self
            .due
            .iter()
            .find(|(_, due)| !self.is_held(due))
            .map(|((at, _), _)| *at);
        [self.world.next_due(), first, self.wake, self.soon]
            .into_iter()
            .chain(watches.map(Watch::next_due))
            .flatten()
            .min()
            .map(|at| at.max(self.now()))
    }

    /// Moves to `to`, tells the engine what is due, lets it step. True: something changed for the engine.
    pub fn turn(&mut self, to: Timestamp) -> bool {
        self.world.advance(to);
        self.arrive();
        self.poll();
        let now = self.now();
        let mut changed = false;
        if self.soon.is_some_and(|at| at <= now) {
            self.write();
            changed = true;
        }
        if self.wake.is_some_and(|at| at <= now) {
            self.wake = None;
            changed |= self.step();
        }
        let mut told = false;
        loop {
            let facts = self.deliver();
            if facts.is_empty() {
                break;
            }
            changed = true;
            told = true;
            if let Some(engine) = &mut self.engine {
                for fact in facts {
                    engine.observe(fact, now);
                }
            }
            if self.strict {
                self.step();
            }
        }
        if told && !self.strict {
            self.step();
        }
        changed
    }

    /// Looks at what has changed in the world, for the watches.
    pub fn poll(&mut self) {
        let late = self.delays.watch;
        for watch in [
            &mut self.jobs,
            &mut self.pods,
            &mut self.service,
            &mut self.events,
        ] {
            watch.poll(&self.world, &self.scope, late);
        }
    }

    /// Forgets changes that have been told to the driver and that somebody else has seen up to a version: in a
    /// large world they are most of what it holds.
    pub fn forget(&mut self, seen: u64) {
        let watches = [&self.jobs, &self.pods, &self.service, &self.events];
        let told = watches.map(Watch::taken).into_iter().min();
        self.world.forget(told.unwrap_or(0).min(seen));
    }

    /// Adds to what has happened.
    pub fn note(&mut self, what: What) {
        let at = self.now();
        self.log.push(Entry { at, what });
    }

    fn after(&mut self, wait: SignedDuration, due: Due) {
        self.serial += 1;
        let at = self.now().saturating_add(wait).unwrap_or(self.now());
        self.due.insert((at, self.serial), due);
    }

    fn is_held(&self, due: &Due) -> bool {
        self.hold_writes && matches!(due, Due::Write(..))
    }
}
