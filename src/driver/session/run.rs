//! The loop.

use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::driver::clock;
use crate::driver::port::{Audience, Cluster, LeaseAnswer, LogTap, Seen};
use crate::driver::record::{Record, RecordEvent, WriteError};
use crate::driver::session::end::{End, OnTimeout};
use crate::driver::session::interrupt::{
    DETACH_S, Decision, Interrupts, OnInterrupt, PROMPT_S, Phase, Signal,
};
use crate::driver::session::seat::SeatClaim;
use crate::driver::session::signals::{Signals, TypedAnswers, suspend_process};
use crate::driver::session::writer::Writer;
use crate::engine::input::ActionResult;
use crate::engine::{
    Action, ActionId, Command, Engine, Event, EventKind, Observation, Outcome, Snapshot,
};
use crate::error::{Error, Kind, Result};

/// Facts taken from the watches before the engine is asked again: a burst of 10,000 pod events is
/// decided on in batches, not one by one.
const BATCH: usize = 1024;
/// Pause between two looks of the audience when nothing happens.
const TICK: SignedDuration = SignedDuration::from_secs(1);
/// The same while things happen.
const BUSY_TICK: SignedDuration = SignedDuration::from_millis(100);
/// Longest sleep of the loop, so that a jump of the wall clock is noticed.
const LONGEST_SLEEP: SignedDuration = SignedDuration::from_secs(10);
/// A gap between two turns that is longer than this was a sleep of the machine or a stopped process:
/// connections may be dead without knowing it.
const GAP: SignedDuration = SignedDuration::from_secs(30);
/// A gap longer than this is enough for somebody to have taken the seat with `--take-over` unseen; the
/// loop turns once a second.
const UNSEEN: SignedDuration = SignedDuration::from_secs(5);
/// An API server that has just started answers 403 until it has read the Roles, which takes seconds.
/// So a right that we had counts as taken away only after this long.
const REFUSED_FOR: SignedDuration = SignedDuration::from_secs(60);
/// Pause between two tries of what was refused.
const ASK_AGAIN: SignedDuration = SignedDuration::from_secs(2);

/// When the session is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// At the end of the run.
    Finished,
    /// When all that can be done now has been done (`run -d`, `suspend` without a driver).
    Settled,
}

/// Settings of a session.
#[derive(Clone, Debug)]
pub struct Options {
    /// When it is done.
    pub until: Until,
    /// `--on-interrupt`.
    pub on_interrupt: OnInterrupt,
    /// A person can be asked.
    pub terminal: bool,
    /// `--timeout`, as a moment.
    pub timeout_at: Option<Timestamp>,
    /// `--on-timeout`.
    pub on_timeout: OnTimeout,
    /// Time without any contact after which the session gives up; `None`: never.
    pub lost_after: Option<SignedDuration>,
    /// Pause between `heartbeat` events; `None`: none.
    pub heartbeat: Option<SignedDuration>,
    /// Who we are, for the message of a stop.
    pub who: String,
    /// The run existed: who drove it and for how many seconds nothing was heard of it.
    pub attached: Option<(Option<String>, Option<i64>)>,
}

/// What comes back from work that was started.
enum Input {
    Done(ActionId, ActionResult),
    Lines {
        id: ActionId,
        pod_uid: String,
        container: String,
        lines: Vec<String>,
    },
    Wrote {
        version: u64,
        result: std::result::Result<Box<Record>, WriteError>,
    },
    Checked {
        sent: Timestamp,
        result: Result<Option<Box<Record>>>,
    },
    Renewed {
        sent: Timestamp,
        answer: LeaseAnswer,
    },
}

/// One run, driven to its end, or to ours.
pub struct Session<'a, C, A, L> {
    cluster: &'a C,
    audience: &'a mut A,
    logs: &'a mut L,
    engine: Engine,
    record: Record,
    options: Options,
    interrupts: Interrupts,
    work: FuturesUnordered<LocalBoxFuture<'a, Input>>,
    /// Actions that wait for the seat to be confirmed.
    held: Vec<(ActionId, Action)>,
    acting: usize,
    writer: Writer,
    seat: SeatClaim,
    jobs_listed: bool,
    pods_listed: bool,
    live: bool,
    wake_at: Option<Timestamp>,
    prompt_until: Option<Timestamp>,
    lost: Option<(Timestamp, String)>,
    outcome: Option<Outcome>,
    logs_done: bool,
    timed_out: bool,
    /// We are leaving: how it ends, and when we stop waiting for calls in flight.
    leaving: Option<(End, Timestamp)>,
    tick_at: Timestamp,
    heartbeat_at: Option<Timestamp>,
    last_turn: Timestamp,
    rewatch: bool,
}

impl<'a, C: Cluster, A: Audience, L: LogTap> Session<'a, C, A, L> {
    /// A session in the seat that `record` says is ours. `engine` is made from that record.
    pub fn new(
        cluster: &'a C,
        audience: &'a mut A,
        logs: &'a mut L,
        engine: Engine,
        record: Record,
        options: Options,
    ) -> Self {
        let now = clock::now();
        let mut session = Self {
            cluster,
            audience,
            logs,
            engine,
            record,
            interrupts: Interrupts::new(options.on_interrupt, options.terminal),
            work: FuturesUnordered::new(),
            held: Vec::new(),
            acting: 0,
            writer: Writer::default(),
            seat: SeatClaim::taken(now),
            jobs_listed: false,
            pods_listed: false,
            live: options.attached.is_none(),
            wake_at: None,
            prompt_until: None,
            lost: None,
            outcome: None,
            logs_done: false,
            timed_out: false,
            leaving: None,
            tick_at: now,
            heartbeat_at: options.heartbeat.map(|pause| later(now, pause)),
            last_turn: now,
            rewatch: false,
            options,
        };
        if let Some((previous, silent_s)) = session.options.attached.clone() {
            session.emit(EventKind::RunAttached { previous, silent_s }, now);
        }
        if let Some(by) = session.record.control.stop.clone() {
            session.engine.command(Command::Stop { by }, now);
        }
        session
    }

    /// Drives until the end.
    ///
    /// # Errors
    ///
    /// When the record can't be written or read for good (rights taken away, a broken record). The
    /// run then has no driver.
    pub async fn run(&mut self, signals: &mut Signals, answers: &mut TypedAnswers) -> Result<End> {
        let cluster = self.cluster;
        let mut seen = cluster.watch();
        let mut records = cluster.watch_record();
        loop {
            let now = clock::now();
            if let Some(end) = self.turn(now) {
                return Ok(self.leave(end).await);
            }
            if std::mem::take(&mut self.rewatch) {
                seen = cluster.watch();
                records = cluster.watch_record();
            }
            if self.interrupts.prompting() {
                answers.open();
            }
            let wait = self.next_turn(now);
            let end = tokio::select! {
                biased;
                signal = signals.next() => self.signal(signal, clock::now()),
                answer = answers.next(), if self.interrupts.prompting() => {
                    self.signal(answer, clock::now())
                }
                Some(input) = self.work.next() => self.answers(input, clock::now())?,
                Some(event) = records.next() => self.record_event(event, clock::now()),
                Some(first) = seen.next() => {
                    let now = clock::now();
                    self.seen(first, now);
                    for _ in 1..BATCH {
                        let Some(Some(more)) = seen.next().now_or_never() else { break };
                        self.seen(more, now);
                    }
                    None
                }
                line = self.logs.next(), if !self.logs_done => {
                    match line {
                        Some(kind) => self.emit(kind, clock::now()),
                        None => self.logs_done = true,
                    }
                    None
                }
                () = clock::sleep(wait) => {
                    let now = clock::now();
                    let over = self.prompt_until.is_some_and(|until| now >= until);
                    if over { self.signal(Signal::PromptTimeout, now) } else { None }
                }
            };
            if let Some(end) = end {
                return Ok(self.leave(end).await);
            }
        }
    }

    /// The run as it is now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.engine.snapshot(clock::now())
    }

    /// The engine, for what must be said after the end.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The record as last read or written.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// One turn: ask the engine, start what it wants, see to the seat, the clock and the audience.
    fn turn(&mut self, now: Timestamp) -> Option<End> {
        let gap = now.duration_since(self.last_turn);
        if gap > GAP {
            self.rewatch = true;
        }
        // A clock that was set back would make us trust the seat, and not renew the Lease, for too long.
        if gap > UNSEEN || gap < -TICK {
            self.seat.doubt(now);
        }
        self.last_turn = now;
        let mut busy = false;
        let mut quiet = false;
        if self.leaving.is_none() {
            let step = self.engine.step(now);
            quiet = step.actions.is_empty() && step.write.is_none();
            busy = !step.events.is_empty();
            if let Some(write) = step.write {
                self.writer.wanted(write, now);
            }
            for event in &step.events {
                self.audience.event(event);
            }
            self.held.extend(step.actions);
            self.wake_at = step.wake_at;
            if let Some(outcome) = step.outcome {
                self.outcome = Some(outcome);
                self.logs.run_ended();
            }
            if !self.live && self.jobs_listed && self.pods_listed {
                self.live = true;
                self.emit(EventKind::StreamLive, now);
            }
        }
        self.keep_the_seat(now);
        if self.seat.trusted(now) {
            if self.leaving.is_none() {
                for (id, action) in std::mem::take(&mut self.held) {
                    self.start(id, action);
                }
            }
            if let Some(version) = self.writer.start(now) {
                self.write(version);
            }
        }
        self.show(now, busy);
        self.ended(now, quiet)
    }

    /// Whether the session is over.
    fn ended(&mut self, now: Timestamp, quiet: bool) -> Option<End> {
        if let Some((end, until)) = &self.leaving {
            let done = self.acting == 0 && self.writer.clean();
            return (done || now >= *until).then(|| end.clone());
        }
        if let Some((since, message)) = &self.lost
            && self
                .options
                .lost_after
                .is_some_and(|after| now >= later(*since, after))
        {
            return Some(End::NotReached {
                message: message.clone(),
            });
        }
        if let Some(outcome) = &self.outcome {
            if !self.logs_done {
                return None;
            }
            let end = if self.timed_out {
                End::TimedOut(self.options.on_timeout)
            } else {
                End::Finished(outcome.clone())
            };
            return self.start_leaving(end, now);
        }
        if self.options.timeout_at.is_some_and(|at| now >= at) && !self.timed_out {
            self.timed_out = true;
            match self.options.on_timeout {
                OnTimeout::Detach => {
                    self.emit(
                        EventKind::RunDetached {
                            why: "time-out".to_owned(),
                        },
                        now,
                    );
                    return self.start_leaving(End::TimedOut(OnTimeout::Detach), now);
                }
                OnTimeout::Stop => {
                    let by = format!("{} (time-out)", self.options.who);
                    self.engine.command(Command::Stop { by }, now);
                }
                OnTimeout::Delete => return Some(End::TimedOut(OnTimeout::Delete)),
            }
        }
        let settled = quiet
            && self.jobs_listed
            && self.pods_listed
            && self.held.is_empty()
            && self.acting == 0
            && !self.writer.busy(now);
        if self.options.until == Until::Settled && settled {
            return self.start_leaving(End::Settled, now);
        }
        None
    }

    fn start_leaving(&mut self, end: End, now: Timestamp) -> Option<End> {
        self.held.clear();
        if let Some(write) = self.engine.flush() {
            self.writer.wanted(write, now);
        }
        if !self.writer.clean() {
            self.writer.now(now);
        }
        if let Some(version) = self.writer.start(now) {
            self.write(version);
        }
        // A second is left for giving back the Lease.
        let until = later(now, SignedDuration::from_secs(DETACH_S - 1));
        self.leaving = Some((end, until));
        None
    }

    /// The last thing: give the Lease back, if it is ours to give.
    async fn leave(&mut self, end: End) -> End {
        let ours = match &end {
            End::Finished(_) | End::Settled | End::Detached(_) | End::Deleted => true,
            End::TimedOut(what) => *what != OnTimeout::Delete,
            End::LeftAtOnce(_)
            | End::DeleteWanted(_)
            | End::TakenOver { .. }
            | End::NotReached { .. } => false,
        };
        if let End::TakenOver { holder } = &end {
            let holder = holder.clone();
            self.emit(EventKind::RunDriverLost { holder }, clock::now());
        }
        if ours {
            // Who attaches next sees an expired Lease at worst.
            tokio::select! {
                () = self.cluster.release_lease() => {}
                () = clock::sleep(SignedDuration::from_secs(1)) => {}
            }
        }
        end
    }

    fn emit(&mut self, kind: EventKind, now: Timestamp) {
        let event: Event = self.engine.emit(kind, now);
        self.audience.event(&event);
    }

    fn show(&mut self, now: Timestamp, busy: bool) {
        if busy {
            self.tick_at = self.tick_at.min(later(now, BUSY_TICK));
        }
        if now >= self.tick_at {
            let snapshot = self.engine.snapshot(now);
            self.audience.tick(now, &snapshot);
            self.tick_at = later(now, TICK);
        }
        if let (Some(at), Some(pause)) = (self.heartbeat_at, self.options.heartbeat)
            && now >= at
        {
            self.heartbeat_at = Some(later(now, pause));
            let snapshot = self.engine.snapshot(now);
            let kind = EventKind::Heartbeat {
                state: snapshot.state.as_str().to_owned(),
                pods: snapshot.roles.iter().map(|r| r.pods).sum(),
                pods_wanted: snapshot.roles.iter().map(|r| r.pods_wanted).sum(),
            };
            self.emit(kind, now);
        }
    }

    /// Time until the next turn is due even if nothing comes in.
    fn next_turn(&self, now: Timestamp) -> SignedDuration {
        let lost = self
            .lost
            .as_ref()
            .and_then(|(since, _)| Some(later(*since, self.options.lost_after?)));
        [
            Some(self.tick_at),
            self.wake_at,
            self.writer.due(),
            self.seat.next(),
            self.prompt_until,
            self.options.timeout_at.filter(|_| !self.timed_out),
            self.leaving.as_ref().map(|(_, until)| *until),
            self.heartbeat_at,
            lost,
        ]
        .into_iter()
        .flatten()
        .map(|at| at.duration_since(now))
        .chain([LONGEST_SLEEP])
        .min()
        .unwrap_or(LONGEST_SLEEP)
        .max(SignedDuration::ZERO)
    }

    fn start(&mut self, id: ActionId, action: Action) {
        let cluster = self.cluster;
        self.acting += 1;
        let work = async move {
            if let Action::KeepEvidence {
                pod,
                pod_uid,
                container,
                previous,
                lines,
            } = &action
            {
                let lines = cluster.last_lines(pod, container, *previous, *lines).await;
                let (pod_uid, container) = (pod_uid.clone(), container.clone());
                return Input::Lines {
                    id,
                    pod_uid,
                    container,
                    lines,
                };
            }
            Input::Done(id, cluster.perform(&action).await)
        };
        self.work.push(work.boxed_local());
    }

    fn write(&mut self, version: u64) {
        let cluster = self.cluster;
        let mut record = self.record.clone();
        record.state = self.engine.state().clone();
        let work = async move {
            let since = clock::now();
            let result = loop {
                match cluster.write_record(&record).await {
                    Err(WriteError::Refused(error)) if may_pass(&error, since) => {
                        clock::sleep(ASK_AGAIN).await;
                    }
                    result => break result.map(Box::new),
                }
            };
            Input::Wrote { version, result }
        };
        self.work.push(work.boxed_local());
    }

    fn keep_the_seat(&mut self, now: Timestamp) {
        if !self.seat.trusted(now) {
            self.check_the_seat(now);
        } else if self.seat.start_renewal(now) {
            let cluster = self.cluster;
            let work = async move {
                let answer = cluster.renew_lease().await;
                Input::Renewed { sent: now, answer }
            };
            self.work.push(work.boxed_local());
        }
    }

    fn check_the_seat(&mut self, now: Timestamp) {
        if self.seat.start_check(now) {
            let cluster = self.cluster;
            let work = async move {
                let since = clock::now();
                loop {
                    // The time is read when the call goes out, which may be after a long sleep.
                    let sent = clock::now();
                    match cluster.read_record().await {
                        Err(error) if may_pass(&error, since) => clock::sleep(ASK_AGAIN).await,
                        result => {
                            let result = result.map(|record| record.map(Box::new));
                            return Input::Checked { sent, result };
                        }
                    }
                }
            };
            self.work.push(work.boxed_local());
        }
    }

    fn answers(&mut self, first: Input, now: Timestamp) -> Result<Option<End>> {
        if let Some(end) = self.answer(first, now)? {
            return Ok(Some(end));
        }
        for _ in 1..BATCH {
            let Some(Some(more)) = self.work.next().now_or_never() else {
                break;
            };
            if let Some(end) = self.answer(more, now)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    fn answer(&mut self, input: Input, now: Timestamp) -> Result<Option<End>> {
        match input {
            Input::Done(id, result) => {
                self.acting -= 1;
                self.engine.observe(Observation::Done { id, result }, now);
            }
            Input::Lines {
                id,
                pod_uid,
                container,
                lines,
            } => {
                self.acting -= 1;
                self.engine.observe(
                    Observation::Evidence {
                        pod_uid,
                        container,
                        lines,
                    },
                    now,
                );
                let result = ActionResult::Ok { uid: None };
                self.engine.observe(Observation::Done { id, result }, now);
            }
            Input::Wrote { version, result } => {
                self.writer.ended();
                match result {
                    Ok(record) => {
                        self.record.resource_version = record.resource_version;
                        self.record.state = record.state;
                        self.engine.observe(Observation::Written { version }, now);
                    }
                    Err(WriteError::Conflict) => {
                        self.writer.now(now);
                        self.check_the_seat(now);
                    }
                    Err(WriteError::Gone) => return Ok(Some(End::Deleted)),
                    Err(WriteError::Refused(error)) => return Err(undriven(&self.record, error)),
                }
            }
            Input::Checked { sent, result } => match result {
                Ok(Some(record)) => {
                    if let Some(end) = self.adopt(*record, true, now) {
                        return Ok(Some(end));
                    }
                    self.seat.confirmed(sent);
                }
                Ok(None) => return Ok(Some(End::Deleted)),
                Err(error) => return Err(undriven(&self.record, error)),
            },
            Input::Renewed {
                sent,
                answer: LeaseAnswer::Held,
            } => self.seat.renewed(sent),
            Input::Renewed {
                answer: LeaseAnswer::HeldBy(_),
                ..
            } => self.check_the_seat(now),
        }
        Ok(None)
    }

    fn record_event(&mut self, event: RecordEvent, now: Timestamp) -> Option<End> {
        match event {
            RecordEvent::Seen(record) => self.adopt(*record, false, now),
            RecordEvent::Gone => Some(End::Deleted),
            RecordEvent::Lost(message) => {
                self.contact_lost(message, now);
                None
            }
            RecordEvent::Back => {
                self.contact_back(now);
                None
            }
        }
    }

    /// Takes from a record what others may have written: the seat, wishes, `spec.suspend` and the
    /// template fields that may change. `fresh`: it was read after our last write ended, so its
    /// resourceVersion is the one to write at.
    fn adopt(&mut self, record: Record, fresh: bool, now: Timestamp) -> Option<End> {
        if record.uid != self.record.uid || record.deleting || record.control.delete.is_some() {
            return Some(End::Deleted);
        }
        if record.seat.epoch > self.record.seat.epoch {
            return Some(End::TakenOver {
                holder: record.seat.holder,
            });
        }
        if record.seat.epoch < self.record.seat.epoch {
            return None; // Older than our taking the seat.
        }
        let mut changed = false;
        if record.jobset != self.record.jobset {
            changed = true;
            self.record.jobset = record.jobset.clone();
            self.engine
                .observe(Observation::Spec(Box::new(record.jobset)), now);
        }
        if record.control != self.record.control {
            changed = true;
            if let (Some(by), None) = (&record.control.stop, &self.record.control.stop) {
                self.engine.command(Command::Stop { by: by.clone() }, now);
            }
            self.record.control = record.control;
        }
        if fresh || (changed && self.writer.due().is_some()) || (changed && self.writer.clean()) {
            self.record.resource_version = record.resource_version;
        }
        None
    }

    fn seen(&mut self, seen: Seen, now: Timestamp) {
        match seen {
            Seen::Fact(fact) => {
                match &fact {
                    Observation::JobsListed(_) => self.jobs_listed = true,
                    Observation::PodsListed(pods) => {
                        self.pods_listed = true;
                        pods.iter().for_each(|pod| self.logs.pod_seen(pod));
                    }
                    Observation::Pod(pod) => self.logs.pod_seen(pod),
                    _ => {}
                }
                self.engine.observe(fact, now);
            }
            Seen::Lost(message) => self.contact_lost(message, now),
            Seen::Back => self.contact_back(now),
            Seen::Warning(message) => self.emit(EventKind::Warning { message }, now),
        }
    }

    fn contact_lost(&mut self, message: String, now: Timestamp) {
        if self.lost.is_none() {
            self.lost = Some((now, message.clone()));
            self.emit(EventKind::ClusterUnreachable { message }, now);
        }
    }

    fn contact_back(&mut self, now: Timestamp) {
        if let Some((since, _)) = self.lost.take() {
            let after_s = now.duration_since(since).as_secs();
            self.emit(EventKind::ClusterBack { after_s }, now);
        }
    }

    fn signal(&mut self, signal: Signal, now: Timestamp) -> Option<End> {
        let decision = self.interrupts.handle(Phase::Attached, signal);
        if !self.interrupts.prompting() && self.prompt_until.take().is_some() {
            self.audience.prompt_over();
        }
        match decision {
            Decision::Nothing | Decision::GoOn => None,
            Decision::Prompt => {
                self.prompt_until = Some(later(now, SignedDuration::from_secs(PROMPT_S)));
                let snapshot = self.engine.snapshot(now);
                self.audience.prompt(now, &snapshot);
                None
            }
            Decision::Detach(by) => {
                let why = match by {
                    Signal::Int => "SIGINT",
                    Signal::Term => "SIGTERM",
                    Signal::Hup => "SIGHUP",
                    _ => "on request",
                };
                self.emit(
                    EventKind::RunDetached {
                        why: why.to_owned(),
                    },
                    now,
                );
                self.start_leaving(End::Detached(by), now)
            }
            Decision::Stop(_) => {
                let by = self.options.who.clone();
                self.engine.command(Command::Stop { by }, now);
                None
            }
            Decision::Delete(by) => Some(End::DeleteWanted(by)),
            Decision::LeaveNow(by) | Decision::LeaveNothingCreated(by) => Some(End::LeftAtOnce(by)),
            Decision::SuspendProcess => {
                suspend_process();
                let back = clock::now();
                self.audience
                    .back_from_suspension(back.duration_since(now).as_secs());
                self.seat.doubt(back);
                self.rewatch = true;
                None
            }
        }
    }
}

impl<C, A, L> std::fmt::Debug for Session<'_, C, A, L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("record", &self.record.name)
            .finish_non_exhaustive()
    }
}

fn undriven(record: &Record, error: Error) -> Error {
    let name = &record.name;
    error.hint(format!(
        "the run goes on without a driver; take it up again with: kubectl jobset attach {name}"
    ))
}

/// Whether a refusal that has lasted since then may be one of a server that has just started.
fn may_pass(error: &Error, since: Timestamp) -> bool {
    error.kind() == Kind::NotAllowed && clock::now() < later(since, REFUSED_FOR)
}

fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(at)
}
