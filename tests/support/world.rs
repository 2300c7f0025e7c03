//! The clock, the objects, and what happens when.

use std::collections::{BTreeMap, VecDeque};

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::api::JobSet;
use kubectl_jobset::engine::input::Deleting;
use kubectl_jobset::engine::{Action, ActionId, Observation, RunState};

use super::job::Job;
use super::pod::Pod;
use super::server::{Executed, Rules};
use super::stream::Stream;

/// What survives the driver: the record's content.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) jobset: JobSet,
    pub(crate) state: RunState,
}

/// How long things take.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    /// A change until a watch tells it.
    pub(crate) watch: SignedDuration,
    /// A pod's change until its Job's (about a second in the recordings).
    pub(crate) controller: SignedDuration,
    /// A request until it arrives, and its answer until it is back.
    pub(crate) api: SignedDuration,
    /// A record write until it is durable, and its answer until it is back.
    pub(crate) record: SignedDuration,
    /// A deleted running pod until it is gone.
    pub(crate) terminate: SignedDuration,
    /// The answer to a log request.
    pub(crate) logs: SignedDuration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            watch: SignedDuration::from_millis(5),
            controller: SignedDuration::from_secs(1),
            api: SignedDuration::from_millis(10),
            record: SignedDuration::from_millis(10),
            terminate: SignedDuration::ZERO,
            logs: SignedDuration::from_millis(10),
        }
    }
}

/// Something that will happen.
#[derive(Debug)]
pub(crate) enum Due {
    /// The Job controller looks at a Job (by UID).
    Sync(String),
    /// A deleted pod's containers have ended (by UID).
    PodEnds(String),
    /// A request of that driver reaches the server.
    Request(u32, ActionId, Action),
    /// An answer reaches that driver.
    Answer(u32, Box<Observation>),
    /// A write of the record by that driver reaches the server.
    Write(u32, u64, Box<Record>),
}

/// The world outside of the engine.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) now: Timestamp,
    pub(crate) namespace: String,
    /// As in the file, for building Jobs.
    pub(crate) jobset: JobSet,
    pub(crate) run_uid: String,
    pub(crate) jobs: BTreeMap<String, Job>,
    /// By UID.
    pub(crate) pods: BTreeMap<String, Pod>,
    pub(crate) service: bool,
    pub(crate) record: Record,
    pub(crate) pace: Pace,
    pub(crate) rules: Rules,
    pub(crate) job_watch: Stream,
    pub(crate) pod_watch: Stream,
    /// Service and notices.
    pub(crate) other_watch: Stream,
    /// Answers to writes are held back.
    pub(crate) hold_writes: bool,
    /// Which driver is there, counted.
    pub(crate) driver: u32,
    /// What happened to the objects, in the words of the recordings.
    pub(crate) history: Vec<String>,
    /// Actions as they were carried out, for invariants; the reader drains it.
    pub(crate) executed: Vec<Executed>,
    due: BTreeMap<(Timestamp, u64), Due>,
    answers: VecDeque<Observation>,
    serial: u64,
}

impl World {
    /// An empty namespace at noon.
    pub(crate) fn new(jobset: JobSet, namespace: &str, run_uid: &str) -> Self {
        Self {
            now: "2026-03-02T12:00:00Z".parse().unwrap(),
            namespace: namespace.to_owned(),
            record: Record {
                jobset: jobset.clone(),
                state: RunState::default(),
            },
            jobset,
            run_uid: run_uid.to_owned(),
            jobs: BTreeMap::new(),
            pods: BTreeMap::new(),
            service: false,
            pace: Pace::default(),
            rules: Rules::default(),
            job_watch: Stream::default(),
            pod_watch: Stream::default(),
            other_watch: Stream::default(),
            hold_writes: false,
            driver: 0,
            history: Vec::new(),
            executed: Vec::new(),
            due: BTreeMap::new(),
            answers: VecDeque::new(),
            serial: 0,
        }
    }

    /// A number that was not used before.
    pub(crate) fn serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// Lets something happen after a while.
    pub(crate) fn after(&mut self, wait: SignedDuration, what: Due) {
        let serial = self.serial();
        self.due.insert((self.now + wait, serial), what);
    }

    /// An answer to a driver, dropped if it dies before.
    pub(crate) fn answer(&mut self, driver: u32, wait: SignedDuration, what: Observation) {
        self.after(wait, Due::Answer(driver, Box::new(what)));
    }

    /// When something happens next, if anything is under way.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        if !self.answers.is_empty() {
            return Some(self.now);
        }
        let watches = [&self.job_watch, &self.pod_watch, &self.other_watch];
        let held = |d: &Due| self.hold_writes && matches!(d, Due::Write(..));
        let first = self
            .due
            .iter()
            .find(|(_, d)| !held(d))
            .map(|((t, _), _)| *t);
        watches
            .iter()
            .filter_map(|w| w.next_due())
            .chain(first)
            .min()
            .map(|t| t.max(self.now))
    }

    /// Moves the clock to `to` and lets everything happen that is due by then, in order.
    pub(crate) fn run_until(&mut self, to: Timestamp) {
        while let Some(key) = self.first_due(to) {
            let what = self.due.remove(&key).unwrap();
            self.now = self.now.max(key.0);
            match what {
                Due::Sync(uid) => self.sync_job(&uid),
                Due::PodEnds(uid) => self.pod_ends(&uid),
                Due::Request(driver, id, action) => self.carry_out(driver, id, action),
                Due::Answer(driver, answer) => {
                    if driver == self.driver {
                        self.answers.push_back(*answer);
                    }
                }
                Due::Write(driver, version, record) => {
                    self.record = *record;
                    self.answer(driver, self.pace.record, Observation::Written { version });
                }
            }
        }
        self.now = self.now.max(to);
    }

    fn first_due(&self, to: Timestamp) -> Option<(Timestamp, u64)> {
        let held = |d: &Due| self.hold_writes && matches!(d, Due::Write(..));
        self.due
            .iter()
            .find(|(_, d)| !held(d))
            .map(|(k, _)| *k)
            .filter(|(t, _)| *t <= to)
    }

    /// The next facts for the driver that are due, answers first; empty when there are none.
    pub(crate) fn deliver(&mut self) -> Vec<Observation> {
        if let Some(answer) = self.answers.pop_front() {
            return vec![answer];
        }
        let now = self.now;
        let mut out = self.job_watch.pop(now);
        if out.is_empty() {
            out = self.pod_watch.pop(now);
        }
        if out.is_empty() {
            out = self.other_watch.pop(now);
        }
        out
    }

    /// The driver is gone. Requests that have not arrived are lost, or arrive all the same.
    pub(crate) fn driver_died(&mut self, requests_arrive: bool) {
        self.answers.clear();
        self.hold_writes = false;
        self.driver += 1;
        self.due
            .retain(|_, d| requests_arrive || !matches!(d, Due::Request(..) | Due::Write(..)));
        for watch in [
            &mut self.job_watch,
            &mut self.pod_watch,
            &mut self.other_watch,
        ] {
            *watch = Stream::default();
            watch.cut();
        }
    }

    /// A driver connects: complete lists, then changes.
    pub(crate) fn driver_connects(&mut self) {
        // Every write is guarded by the version that was read: a dead driver's comes too late now.
        let driver = self.driver;
        self.due
            .retain(|_, d| !matches!(d, Due::Write(by, ..) if *by != driver));
        self.list_jobs();
        self.list_pods();
        let due = self.now + self.pace.watch;
        self.other_watch.list(
            due,
            Observation::Service {
                present: self.service,
            },
        );
    }

    /// Lists the run's Jobs.
    pub(crate) fn list_jobs(&mut self) {
        let jobs = self
            .jobs
            .values()
            .filter(|j| !j.foreign)
            .map(Job::seen)
            .collect();
        self.job_watch
            .list(self.now + self.pace.watch, Observation::JobsListed(jobs));
    }

    /// Lists the run's pods.
    pub(crate) fn list_pods(&mut self) {
        let pods = self.pods.values().map(Pod::seen).collect();
        self.pod_watch
            .list(self.now + self.pace.watch, Observation::PodsListed(pods));
    }

    /// Tells the watch of a Job's change.
    pub(crate) fn tell_job(&mut self, name: &str) {
        if let Some(job) = self.jobs.get(name).filter(|j| !j.foreign) {
            self.job_watch
                .push(self.now + self.pace.watch, Observation::Job(job.seen()));
        }
    }

    /// Tells the watch of a pod's change, and lets its Job's controller look.
    pub(crate) fn tell_pod(&mut self, uid: &str) {
        if let Some(pod) = self.pods.get(uid) {
            self.pod_watch
                .push(self.now + self.pace.watch, Observation::Pod(pod.seen()));
            let job_uid = pod.job_uid.clone();
            self.after(self.pace.controller, Due::Sync(job_uid));
        }
    }

    /// Asks a pod to end; it is gone after its grace, at once if nothing runs in it.
    pub(crate) fn delete_pod(&mut self, uid: &str, by_suspend: bool) {
        let (now, terminate) = (self.now, self.pace.terminate);
        let Some(pod) = self.pods.get_mut(uid).filter(|p| p.deleting.is_none()) else {
            return;
        };
        let runs = !pod.ended() && pod.node.is_some();
        pod.deleting = Some(Deleting {
            since: now,
            grace_s: if runs { 30 } else { 0 },
            held_by_finalizer: false,
        });
        pod.by_suspend = by_suspend;
        pod.ready = false;
        self.tell_pod(uid);
        let wait = if runs {
            terminate
        } else {
            SignedDuration::ZERO
        };
        self.after(
            wait.max(SignedDuration::from_millis(1)),
            Due::PodEnds(uid.to_owned()),
        );
    }
}
