//! Looking on (`attach --read-only`): tells a run that somebody else drives, or nobody. Nothing is
//! written and nothing is carried out: the engine is asked only for what the facts mean, and every
//! decision is taken from the record, where the driver has written it.

use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::api::names::condition;
use crate::driver::clock;
use crate::driver::port::{Audience, Cluster, LogTap, Seen};
use crate::driver::record::{Record, RecordEvent};
use crate::driver::session::{End, OnTimeout, Signal, Signals};
use crate::driver::sight::Sight;
use crate::engine::{Engine, EventKind, Observation, RunState, Snapshot};

/// Facts taken at a time.
const BATCH: usize = 1024;
/// Pause between two looks of the audience.
const TICK: SignedDuration = SignedDuration::from_secs(1);

/// Looks on a run.
pub struct Onlooker<'a, C, A, L> {
    cluster: &'a C,
    audience: &'a mut A,
    logs: &'a mut L,
    record: Record,
    engine: Engine,
    sight: Sight,
    live: bool,
    logs_done: bool,
}

impl<'a, C: Cluster, A: Audience, L: LogTap> Onlooker<'a, C, A, L> {
    /// An onlooker at the run of `record`.
    pub fn new(cluster: &'a C, audience: &'a mut A, logs: &'a mut L, record: Record) -> Self {
        let engine = record.engine_of_an_onlooker(clock::now());
        Self {
            cluster,
            audience,
            logs,
            record,
            engine,
            sight: Sight::default(),
            live: false,
            logs_done: false,
        }
    }

    /// The run as it is now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.engine.snapshot(clock::now())
    }

    /// The record as last seen.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Looks on until the run has ended, `timeout_at`, or a signal.
    pub async fn run(&mut self, signals: &mut Signals, timeout_at: Option<Timestamp>) -> End {
        let cluster = self.cluster;
        let mut seen = cluster.watch();
        let mut records = cluster.watch_record();
        let mut tick_at = clock::now();
        self.emit(
            EventKind::RunAttached {
                previous: None,
                silent_s: None,
            },
            clock::now(),
        );
        loop {
            let now = clock::now();
            self.tell(now);
            if now >= tick_at {
                let snapshot = self.engine.snapshot(now);
                self.audience.tick(now, &snapshot);
                tick_at = now.saturating_add(TICK).unwrap_or(now);
            }
            if timeout_at.is_some_and(|at| now >= at) {
                return End::TimedOut(OnTimeout::Detach);
            }
            if let Some(outcome) = &self.record.state.outcome
                && self.logs_done
            {
                return End::Finished(outcome.clone());
            }
            let wait = timeout_at
                .map_or(tick_at, |at| at.min(tick_at))
                .duration_since(now);
            tokio::select! {
                biased;
                signal = signals.next() => {
                    if signal != Signal::Tstp {
                        return End::Detached(signal);
                    }
                }
                Some(event) = records.next() => match event {
                    RecordEvent::Seen(record) => {
                        if record.uid != self.record.uid || record.deleting {
                            return End::Deleted;
                        }
                        self.record_changed(*record, clock::now());
                    }
                    RecordEvent::Gone => return End::Deleted,
                    RecordEvent::Lost(message) => self.warn(message),
                    RecordEvent::Back => {}
                },
                Some(first) = seen.next() => {
                    self.seen(first);
                    for _ in 1..BATCH {
                        let Some(Some(more)) = seen.next().now_or_never() else { break };
                        self.seen(more);
                    }
                }
                line = self.logs.next(), if !self.logs_done => match line {
                    Some(kind) => self.emit(kind, clock::now()),
                    None => self.logs_done = true,
                },
                () = clock::sleep(wait) => {}
            }
        }
    }

    fn seen(&mut self, seen: Seen) {
        let now = clock::now();
        match seen {
            Seen::Fact(fact) => {
                self.sight.fact(&fact, self.logs);
                self.engine.observe(fact, now);
            }
            Seen::Lost(message) => {
                if let Some(kind) = self.sight.lost(message, now) {
                    self.emit(kind, now);
                }
            }
            Seen::Back => {
                if let Some(kind) = self.sight.back(now) {
                    self.emit(kind, now);
                }
            }
            Seen::Warning(message) => self.warn(message),
        }
    }

    /// What the facts mean, without what the engine would do about them.
    fn tell(&mut self, now: Timestamp) {
        if !self.sight.is_complete() {
            return;
        }
        let step = self.engine.step(now);
        for event in step.events.iter().filter(|event| is_fact(&event.kind)) {
            self.audience.event(event);
        }
        if !std::mem::replace(&mut self.live, true) {
            self.emit(EventKind::StreamLive, now);
        }
    }

    /// The driver has written: its decisions are told, and the engine starts anew from its state.
    fn record_changed(&mut self, record: Record, now: Timestamp) {
        if record.resource_version == self.record.resource_version {
            return;
        }
        let told = decisions(&self.record, &record);
        let mut engine = record.engine_of_an_onlooker(now);
        let jobs = self.engine.jobs().cloned().collect();
        let pods = self.engine.pods().cloned().collect();
        if self.sight.jobs_listed {
            engine.observe(Observation::JobsListed(jobs), now);
        }
        if self.sight.pods_listed {
            engine.observe(Observation::PodsListed(pods), now);
        }
        if self.live {
            // What it makes of the same facts has been told before.
            let _known = engine.step(now);
            let _marker = engine.emit(EventKind::StreamLive, now);
        }
        self.engine = engine;
        self.record = record;
        for kind in told {
            self.emit(kind, now);
        }
        if self.record.state.outcome.is_some() {
            self.logs.run_ended();
        }
    }

    fn warn(&mut self, message: String) {
        self.emit(EventKind::Warning { message }, clock::now());
    }

    fn emit(&mut self, kind: EventKind, now: Timestamp) {
        let event = self.engine.emit(kind, now);
        self.audience.event(&event);
    }
}

impl<C, A, L> std::fmt::Debug for Onlooker<'_, C, A, L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Onlooker")
            .field("record", &self.record.name)
            .finish_non_exhaustive()
    }
}

/// Events that say what was seen, as against what was decided or done.
fn is_fact(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::RoleReady { .. }
            | EventKind::RoleCompleted { .. }
            | EventKind::RoleWaiting { .. }
            | EventKind::JobReady { .. }
            | EventKind::JobFailed { .. }
            | EventKind::JobSucceeded { .. }
            | EventKind::JobStuck { .. }
            | EventKind::PodPending { .. }
            | EventKind::PodRunning { .. }
            | EventKind::PodFailed { .. }
            | EventKind::RunRunning { .. }
    )
}

/// What the driver decided between two versions of the record.
fn decisions(before: &Record, after: &Record) -> Vec<EventKind> {
    let mut told = Vec::new();
    let (old, new) = (&before.state, &after.state);
    if after.seat.epoch > before.seat.epoch {
        let message = format!("now driven by {}", after.seat.holder);
        told.push(EventKind::Warning { message });
    }
    let max_restarts = after
        .jobset
        .spec
        .failure_policy
        .as_ref()
        .and_then(|p| u32::try_from(p.max_restarts.unwrap_or(0)).ok());
    if new.status.restarts > old.status.restarts {
        told.push(EventKind::RunRestarting {
            attempt: new.status.restarts,
            restarts: counted(new),
            max_restarts: max_restarts.unwrap_or(0),
        });
    }
    let suspended = |state: &RunState| state.status.is_true(condition::SUSPENDED);
    match (suspended(old), suspended(new)) {
        (false, true) => told.push(EventKind::RunSuspended),
        (true, false) => told.push(EventKind::RunResumed),
        _ => {}
    }
    if let (None, Some(by)) = (&old.stop, &new.stop) {
        told.push(EventKind::RunStopping { by: by.clone() });
    }
    if let (None, Some(_)) = (&old.outcome, &new.outcome) {
        told.push(finished(new));
    }
    told
}

/// The end of a run, as its record has it.
#[must_use]
pub fn finished(state: &RunState) -> EventKind {
    let terminal = state.status.terminal_state.clone().unwrap_or_default();
    let condition = state
        .status
        .conditions
        .iter()
        .find(|c| c.status && c.type_ == terminal);
    EventKind::RunFinished {
        reason: condition.map(|c| c.reason.clone()).unwrap_or_default(),
        message: condition.map(|c| c.message.clone()).unwrap_or_default(),
        state: terminal,
        first_failure: state.first_failure.clone().map(Box::new),
    }
}

/// Restarts used of the limit (spec 7).
fn counted(state: &RunState) -> u32 {
    let single: u32 = state
        .status
        .replicated_jobs_status
        .iter()
        .flat_map(|role| &role.job_restarts_count_towards_max)
        .sum();
    state.status.restarts_count_towards_max + single
}
