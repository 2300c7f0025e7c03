//! The loop: what is done when. What it starts is in [`work`](super::work), what it hears in
//! [`news`](super::news).

use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::driver::clock;
use crate::driver::port::{Audience, Cluster, LogTap};
use crate::driver::record::Record;
use crate::driver::session::end::{End, OnTimeout};
use crate::driver::session::interrupt::{DETACH_S, Interrupts, OnInterrupt, Signal};
use crate::driver::session::seat::SeatClaim;
use crate::driver::session::signals::{Signals, TypedAnswers};
use crate::driver::session::work::Input;
use crate::driver::session::writer::Writer;
use crate::driver::sight::Sight;
use crate::engine::{Action, ActionId, Command, Engine, Event, EventKind, Outcome, Snapshot};
use crate::error::Result;

/// Facts taken from the watches before the engine is asked again: a burst of 10,000 pod events is
/// decided on in batches, not one by one.
pub(super) const BATCH: usize = 1024;
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

/// One run, driven to its end, or to ours.
pub struct Session<'a, C, A, L> {
    pub(super) cluster: &'a C,
    pub(super) audience: &'a mut A,
    pub(super) logs: &'a mut L,
    pub(super) engine: Engine,
    pub(super) record: Record,
    pub(super) options: Options,
    pub(super) interrupts: Interrupts,
    pub(super) work: FuturesUnordered<LocalBoxFuture<'a, Input>>,
    /// Actions that wait for the seat to be confirmed.
    pub(super) held: Vec<(ActionId, Action)>,
    pub(super) acting: usize,
    pub(super) writer: Writer,
    pub(super) seat: SeatClaim,
    pub(super) sight: Sight,
    pub(super) live: bool,
    pub(super) wake_at: Option<Timestamp>,
    pub(super) prompt_until: Option<Timestamp>,
    pub(super) outcome: Option<Outcome>,
    pub(super) logs_done: bool,
    pub(super) timed_out: bool,
    /// We are leaving: how it ends, and when we stop waiting for calls in flight.
    pub(super) leaving: Option<(End, Timestamp)>,
    pub(super) tick_at: Timestamp,
    pub(super) heartbeat_at: Option<Timestamp>,
    pub(super) last_turn: Timestamp,
    pub(super) rewatch: bool,
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
            sight: Sight::default(),
            live: options.attached.is_none(),
            wake_at: None,
            prompt_until: None,
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
            // Jobs of now are deleted by a driver that has taken over, who has written the record before: nothing
            // may be made in their place before it has been read.
            let vanished = |e: &Event| {
                matches!(
                    e.kind,
                    EventKind::JobDeleted {
                        by_someone: true,
                        ..
                    }
                )
            };
            if step.events.iter().any(vanished) {
                self.check_the_seat(now);
            }
            self.held.extend(step.actions);
            self.wake_at = step.wake_at;
            if let Some(outcome) = step.outcome {
                self.outcome = Some(outcome);
                self.logs.run_ended();
            }
            if !self.live && self.sight.is_complete() {
                self.live = true;
                self.emit(EventKind::StreamLive, now);
            }
        }
        self.keep_the_seat(now);
        self.cluster.trust(self.seat.trusted_until(now));
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
        if let Some((since, message)) = self.sight.lost_since()
            && self
                .options
                .lost_after
                .is_some_and(|after| now >= later(since, after))
        {
            return Some(End::NotReached {
                message: message.to_owned(),
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
            && self.sight.is_complete()
            && self.held.is_empty()
            && self.acting == 0
            && !self.writer.busy(now);
        if self.options.until == Until::Settled && settled {
            return self.start_leaving(End::Settled, now);
        }
        None
    }

    pub(super) fn start_leaving(&mut self, end: End, now: Timestamp) -> Option<End> {
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
                biased;
                () = self.cluster.release_lease() => {}
                () = clock::sleep(SignedDuration::from_secs(1)) => {}
            }
        }
        end
    }

    pub(super) fn emit(&mut self, kind: EventKind, now: Timestamp) {
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
            .sight
            .lost_since()
            .and_then(|(since, _)| Some(later(since, self.options.lost_after?)));
        [
            Some(self.tick_at),
            // What the engine waits for is nothing to us once we leave, and a write that may not go out is
            // started by the answer about the seat: neither may keep the loop turning.
            self.wake_at.filter(|_| self.leaving.is_none()),
            self.writer.due().filter(|_| self.seat.trusted(now)),
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
}

impl<C, A, L> std::fmt::Debug for Session<'_, C, A, L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("record", &self.record.name)
            .finish_non_exhaustive()
    }
}

/// That much later.
pub(super) fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(at)
}
