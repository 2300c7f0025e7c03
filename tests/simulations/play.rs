//! One run: a world, its drivers, what is done to them, what must hold.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::cluster::api::DeleteOptions;
use kubectl_jobset::cluster::controllers::node::NodeShape;
use kubectl_jobset::cluster::front::Shared;
use kubectl_jobset::cluster::front::faults::{Faults, Plan as FaultPlan};
use kubectl_jobset::cluster::kubelet::scripted::Exit;
use kubectl_jobset::cluster::object::{Kind, Object};
use kubectl_jobset::cluster::store::Key;
use kubectl_jobset::cluster::world::{World, WorldOptions};
use kubectl_jobset::driver::record::{NewRecord, Records, Seat, Settings};
use kubectl_jobset::driver::remove;
use kubectl_jobset::driver::session::End;
use kubectl_jobset::engine::{Outcome, RunState};
use kubectl_jobset::error::Result as DriverResult;
use tokio::task::JoinHandle;

use crate::driver;
use crate::invariants::{Checker, ENDS, Held, broken};
use crate::lies::{Lie, Wire};
use crate::machine::{Control, Machine, start_time, true_now};
use crate::network::{Book, NAMESPACE, Network, Who};
use crate::plan::{Event, NODES, Plan};

/// How often the world is looked at.
const LOOK: SignedDuration = SignedDuration::from_secs(5);
/// Any run has ended that long after the faults.
const ENDS_WITHIN: SignedDuration = SignedDuration::from_hours(2);
/// No pod of a plan works for so long.
const OLDEST: SignedDuration = SignedDuration::from_mins(10);
/// What was asked to go has gone by then.
const REST: SignedDuration = SignedDuration::from_secs(150);
/// Somebody who only wishes.
const PERSON: Who = 1_000;

/// What is wrong with the drivers of a run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Break {
    pub(crate) lie: Option<Lie>,
    pub(crate) wire: Option<Wire>,
}

/// What happened, to see that runs get anywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runs: u64,
    pub(crate) restarts: u64,
    pub(crate) job_restarts: u64,
    pub(crate) drivers: u64,
    pub(crate) killed: u64,
    pub(crate) taken_over: u64,
    pub(crate) requests: u64,
    pub(crate) virtual_s: u64,
    pub(crate) faults: BTreeMap<String, u64>,
    pub(crate) outcomes: BTreeMap<String, u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, o: Self) {
        self.runs += o.runs;
        self.restarts += o.restarts;
        self.job_restarts += o.job_restarts;
        self.drivers += o.drivers;
        self.killed += o.killed;
        self.taken_over += o.taken_over;
        self.requests += o.requests;
        self.virtual_s += o.virtual_s;
        for (k, n) in o.faults {
            *self.faults.entry(k).or_default() += n;
        }
        for (k, n) in o.outcomes {
            *self.outcomes.entry(k).or_default() += n;
        }
    }
}

struct Running {
    control: Rc<Control>,
    task: JoinHandle<Option<DriverResult<End>>>,
    who: Who,
    /// Wakes up then.
    until: Option<Timestamp>,
}

struct Play<'a> {
    plan: &'a Plan,
    broken: Break,
    network: Network,
    drivers: Vec<Running>,
    started: Who,
    checker: Checker,
    tally: Tally,
    deleting: bool,
}

async fn sleep(wait: SignedDuration) {
    tokio::time::sleep(Duration::try_from(wait).unwrap_or_default()).await;
}

impl Play<'_> {
    fn note(&mut self, what: impl std::fmt::Display) {
        self.checker.story.push(format!("> {} {what}", true_now()));
    }

    fn look(&mut self) -> Held {
        let shared = self.network.shared.clone();
        shared.look(|world| self.checker.follow(world))?;
        let now = true_now();
        for driver in &mut self.drivers {
            if driver.until.is_some_and(|until| now >= until) {
                driver.until = None;
                driver.control.sleep(false);
            }
        }
        let (done, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.drivers)
            .into_iter()
            .partition(|d| d.task.is_finished());
        self.drivers = rest;
        for driver in done {
            let Some(Ok(end)) = futures::FutureExt::now_or_never(driver.task) else {
                return broken(ENDS, ("a driver panicked", driver.who));
            };
            match &end {
                None => self.tally.killed += 1,
                Some(Ok(End::TakenOver { .. })) => self.tally.taken_over += 1,
                Some(_) => {}
            }
            self.note(format!("driver {} has ended: {end:?}", driver.who));
        }
        Ok(())
    }

    async fn wait(&mut self, wait: SignedDuration) -> Held {
        let end = true_now() + wait;
        loop {
            self.look()?;
            let left = end.duration_since(true_now());
            if !left.is_positive() {
                return Ok(());
            }
            sleep(left.min(LOOK)).await;
        }
    }

    fn start(&mut self, first: bool, take_over: bool) {
        let who = self.started;
        self.started += 1;
        self.tally.drivers += 1;
        self.note(format!("driver {who} starts, take over: {take_over}"));
        let skew = self.plan.skews[who % self.plan.skews.len()];
        let control = Control::new(skew);
        let conn = self.network.driver(who);
        let holder = format!("user@machine-{who}/1");
        let lie = self.broken.lie;
        let jobset = self.plan.jobset.clone();
        let fail_at = self.plan.fail_at;
        let program = async move {
            if !first {
                let name = jobset.metadata.name.clone();
                return driver::attach(conn, name, holder, take_over, lie).await;
            }
            let new = NewRecord {
                namespace: NAMESPACE.to_owned(),
                jobset,
                source: None,
                state: RunState::default(),
                seat: Seat { holder, epoch: 1 },
                settings: Settings {
                    fail_at,
                    ..Settings::default()
                },
            };
            driver::run(conn, new, lie).await
        };
        let task = tokio::task::spawn_local(Machine::new(&control, program));
        self.drivers.push(Running {
            control,
            task,
            who,
            until: None,
        });
    }

    fn live_pods(&self) -> Vec<(Key, String)> {
        self.network.shared.look(|world| {
            let pods = world.store().list(Kind::Pod, Some(NAMESPACE));
            pods.map(|pod| (Key::of(pod), pod.uid().to_owned()))
                .collect()
        })
    }

    async fn apply(&mut self, event: &Event) {
        self.note(format!("{event:?}"));
        if self.drivers.is_empty() && !self.checker.had_record {
            self.start(true, false);
        }
        let shared = self.network.shared.clone();
        let node = |n: usize| format!("node-{n}");
        let pods = self.live_pods();
        let pod = |n: usize| pods.get(n % pods.len().max(1)).map(|(_, uid)| uid.clone());
        match event {
            Event::Kill(steps) => {
                if let Some(driver) = self.drivers.last() {
                    driver.control.die_in(*steps);
                }
            }
            Event::Attach(take_over) => {
                if self.checker.record.is_some() {
                    self.start(false, *take_over);
                }
            }
            Event::Sleep(seconds) => {
                if let Some(driver) = self.drivers.last_mut()
                    && !driver.control.asleep()
                {
                    driver.until = Some(true_now() + SignedDuration::from_secs(*seconds));
                    driver.control.sleep(true);
                }
            }
            Event::Clock(skew) => {
                if let Some(driver) = self.drivers.last() {
                    driver.control.set_clock(*skew);
                }
            }
            Event::Suspend(on) => self.suspend(*on).await,
            Event::Stop => self.stop().await,
            Event::Delete => self.delete().await,
            Event::Faults(plan) => self.network.faults.set(plan.clone()),
            Event::LoseNode(n) => shared.with(|world| world.lose_node(&node(*n))),
            Event::ReturnNode(n) => shared.with(|world| world.return_node(&node(*n))),
            Event::Evict(n) => {
                if let Some(uid) = pod(*n) {
                    shared.with(|world| {
                        world.evict_by_kubelet(&uid, "The node was low on resource: memory.")
                    });
                }
            }
            Event::Fail(n, code) => {
                if let Some(uid) = pod(*n) {
                    shared.with(|world| world.end_container(&uid, None, &Exit::code(*code)));
                }
            }
            Event::Gone => self.network.faults.set(FaultPlan {
                gone: 1000,
                cut: 1000,
                ..FaultPlan::default()
            }),
        }
    }

    fn records(&self) -> Option<Records> {
        self.checker.record.as_ref()?;
        Some(Records::new(&self.network.person(PERSON), NAMESPACE))
    }

    /// A wish of a person; one that comes too late is refused.
    async fn suspend(&self, on: bool) {
        if let Some(records) = self.records() {
            let _ = records
                .set_suspend(&self.plan.jobset.metadata.name, on)
                .await;
        }
    }

    async fn stop(&self) {
        if let Some(records) = self.records() {
            let _ = records
                .request_stop(&self.plan.jobset.metadata.name, "ada")
                .await;
        }
    }

    /// `delete NAME`, beside all others.
    async fn delete(&mut self) {
        let conn = self.network.person(PERSON);
        let name = self.plan.jobset.metadata.name.clone();
        if let Ok(Some(record)) = Records::new(&conn, NAMESPACE).get(&name).await {
            self.deleting = true;
            tokio::task::spawn_local(async move {
                let _ = remove::remove(&conn, &record, "ada", None, |_| ()).await;
            });
        }
    }

    /// No more faults: all wake up, nodes come back, nobody suspends.
    async fn calm(&mut self) {
        self.note("faults off");
        self.network.faults.set(FaultPlan::default());
        for driver in &mut self.drivers {
            driver.until = None;
            driver.control.sleep(false);
        }
        self.network.shared.with(|world| {
            for n in 0..NODES {
                world.return_node(&format!("node-{n}"));
            }
        });
    }

    /// An administrator helps pods that are stuck.
    fn unstick(&self) {
        self.network.shared.with(|world| {
            let now = world.now();
            // Asked to go and still there; or evicted, and its containers do not stop.
            let stuck = |o: &Object| {
                let meta = o.meta();
                let asked = meta.deletion_timestamp.as_ref();
                let old = |made: Timestamp| now.duration_since(made) > OLDEST;
                asked.is_some_and(|t| t.0 < now)
                    || meta.creation_timestamp.as_ref().is_some_and(|t| old(t.0))
            };
            let pods = world.store().list(Kind::Pod, Some(NAMESPACE));
            let stuck: Vec<Key> = pods.filter(|o| stuck(o)).map(|o| Key::of(o)).collect();
            for key in stuck {
                // Its finalizer holds it, and its Job counts it only once its containers have ended.
                if let Some(pod) = world.store().get(&key) {
                    let uid = pod.uid().to_owned();
                    world.kill_containers(&uid);
                }
                let options = DeleteOptions {
                    grace: Some(0),
                    ..DeleteOptions::default()
                };
                let _ = world.delete(&key, &options);
            }
        });
    }

    fn over(&self) -> bool {
        match &self.checker.record {
            Some(record) => record.state.outcome.is_some() && !self.deleting,
            None => self.checker.had_record,
        }
    }

    async fn finish(&mut self) -> Held {
        self.calm().await;
        let by = true_now() + ENDS_WITHIN;
        let mut turns = 0;
        while !self.over() || !self.drivers.is_empty() {
            if true_now() > by {
                return broken(ENDS, ("not by now", self.drivers.len(), self.deleting));
            }
            if self.drivers.is_empty() && !self.deleting {
                self.start(self.checker.record.is_none(), false);
            }
            let record = self.checker.record.as_ref();
            if record.is_some_and(|r| r.jobset.suspended() && r.state.outcome.is_none()) {
                self.suspend(false).await;
            }
            turns += 1;
            if turns % 20 == 0 {
                self.unstick();
            }
            self.wait(LOOK).await?;
        }
        self.wait(REST).await?;
        self.unstick();
        self.wait(LOOK).await?;
        let shared = self.network.shared.clone();
        shared.look(|world| self.checker.at_rest(world))?;
        let record = self.checker.record.clone();
        if let Some(record) = record {
            let outcome = record.state.outcome.clone();
            self.tally.restarts += u64::from(record.state.status.restarts);
            let own = record.state.status.replicated_jobs_status.iter();
            self.tally.job_restarts += own
                .flat_map(|r| &r.job_restarts)
                .map(|n| u64::from(*n))
                .sum::<u64>();
            let word = outcome.map_or("none", |o| match o {
                Outcome::Completed => "completed",
                Outcome::FailedByPolicy { .. } => "failed by policy",
                Outcome::RestartLimit => "restart limit",
                Outcome::CouldNotStart { .. } => "could not start",
                Outcome::Stopped { .. } => "stopped",
            });
            if word == "could not start" {
                return Err(format!(
                    "the verdict is the model's: {:?}",
                    record.state.outcome
                ));
            }
            *self.tally.outcomes.entry(word.to_owned()).or_default() += 1;
            self.delete().await;
            self.wait(LOOK).await?;
        } else {
            *self.tally.outcomes.entry("deleted".to_owned()).or_default() += 1;
        }
        for _ in 0..2 {
            self.wait(SignedDuration::from_secs(45)).await?;
            self.unstick();
        }
        shared.look(|world| self.checker.nothing_left(world))
    }

    async fn play(&mut self) -> Held {
        self.start(true, false);
        for (wait, event) in &self.plan.events {
            self.wait(*wait).await?;
            self.apply(event).await;
        }
        self.wait(SignedDuration::from_secs(10)).await?;
        self.finish().await
    }
}

/// Plays a plan. An error tells the invariant and the story.
pub(crate) async fn play(plan: &Plan, how: Break) -> Result<Tally, String> {
    let start: Timestamp = "2026-12-01T09:00:00Z".parse().unwrap();
    start_time(start);
    fastrand::seed(plan.seed);
    let mut world = World::new(WorldOptions::new(start, plan.seed));
    for n in 0..NODES {
        world.add_node(&format!("node-{n}"), NodeShape::default());
    }
    for rule in &plan.rules {
        world.script(rule.clone());
    }
    let shared = Shared::new(world);
    let pump = tokio::spawn(shared.clone().pump());
    let network = Network {
        shared,
        faults: Faults::new(plan.seed),
        book: Book::default(),
        wire: how.wire,
    };
    let mut play = Play {
        checker: Checker::new(&plan.jobset, plan.fail_at, &network.book),
        plan,
        broken: how,
        network,
        drivers: Vec::new(),
        started: 0,
        tally: Tally::default(),
        deleting: false,
    };
    play.checker.skips = plan.skips();
    let held = play.play().await;
    if pump.is_finished() {
        return Err(format!(
            "the world broke\n{}",
            play.checker.story.join("\n")
        ));
    }
    let mut tally = std::mem::take(&mut play.tally);
    tally.runs = 1;
    tally.requests = play.network.book.requests();
    tally.virtual_s = true_now().duration_since(start).as_secs().unsigned_abs();
    for line in play.network.faults.log() {
        let word = line.split(' ').next().unwrap_or_default().to_owned();
        *tally.faults.entry(word).or_default() += 1;
    }
    match held {
        Ok(()) => Ok(tally),
        Err(why) => Err(format!("{why}\n{}\n{why}", play.checker.story.join("\n"))),
    }
}
