//! Follows one container of one pod, from its first line to its last, across dropped streams and its
//! own restarts. It asks the pod what became of the container; it never guesses from a closed stream,
//! because servers, proxies and kubelets close streams of containers that run on.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep};

use crate::logs::line::Stamped;
use crate::logs::order::SourceId;
use crate::logs::origin::{LogLine, Note, Origin};
use crate::logs::pod::{ContainerNow, PodNow, State};
use crate::logs::read::{Backoff, Got, Lines, Whole, from_now};
use crate::logs::resume::Position;
use crate::logs::source::{LogSource, OpenError, OpenLog, Since};

/// Failed calls in a row before it is said that a log can't be read (and is tried again): seconds of
/// trouble are nobody's concern.
const SILENT_TRIES: u32 = 4;

/// Refusals in a row after which a right that we had counts as taken away: half a minute. An API server
/// that has just started refuses everybody for some seconds, until it knows the roles.
pub(crate) const REFUSALS: u32 = 8;

/// How often a container that is to be started again is looked at if no change is told.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// What a stream gives to the engine that runs it.
#[derive(Debug)]
pub(crate) enum Fact {
    /// A line.
    Line(SourceId, LogLine),
    /// A note.
    Note(Note),
    /// Not allowed to read logs.
    Forbidden(String),
}

/// Where facts go. Waits while the reader is far behind.
#[derive(Clone, Debug)]
pub(crate) struct Out(pub(crate) mpsc::Sender<Fact>);

impl Out {
    /// Tells a fact.
    pub(crate) async fn tell(&self, fact: Fact) {
        // The receiver lives as long as the engine that polls the sender.
        drop(self.0.send(fact).await);
    }
    /// Tells a line.
    pub(crate) async fn line(&self, id: SourceId, from: &Arc<Origin>, line: Stamped) {
        let line = LogLine {
            from: Arc::clone(from),
            time: line.time,
            text: line.text,
        };
        self.tell(Fact::Line(id, line)).await;
    }
    /// Tells a warning.
    pub(crate) async fn warn(&self, text: String) {
        self.tell(Fact::Note(Note::Warning(text))).await;
    }
}

/// Where the reading of a container begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Last lines only.
    pub tail: Option<i64>,
    /// Lines from then on only.
    pub since: Option<Since>,
}

/// One container being followed.
pub(crate) struct Follower<S: LogSource> {
    pub(crate) source: Rc<S>,
    pub(crate) id: SourceId,
    pub(crate) from: Arc<Origin>,
    pub(crate) pod_uid: String,
    pub(crate) start: Start,
    /// Bumped when the pod has changed.
    pub(crate) changes: watch::Receiver<u64>,
    /// True once the run has ended.
    pub(crate) ended: watch::Receiver<bool>,
    pub(crate) out: Out,
    /// Some log could be read: a refusal may pass.
    pub(crate) allowed: Rc<Cell<bool>>,
    /// What was known of the container before the stream was last opened. Only a stream that was
    /// opened after the container had ended tells by its end that it has been read to the end: any
    /// other may have been closed by a server, a proxy or a kubelet that went away.
    pub(crate) known: Known,
}

/// See [`Follower::known`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It runs, or nothing is known.
    Runs,
    /// This instance has ended, another may come.
    Ended,
    /// It has ended for good.
    Over,
}

impl Known {
    /// As the pod tells.
    pub(crate) fn of(container: &ContainerNow) -> Self {
        match container.state {
            State::Running => Self::Runs,
            State::Ended(_) | State::Waiting(_) if container.over => Self::Over,
            State::Ended(_) | State::Waiting(_) => Self::Ended,
        }
    }
}

/// What is to be done next.
enum Next {
    /// Open the stream again.
    Reopen,
    /// Another instance of the container has begun.
    Instance(u32),
    /// No line can come any more.
    Over,
}

/// How the last stream ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Last {
    /// Properly, not by a broken connection or a call that failed.
    clean: bool,
    /// It brought new lines.
    new: bool,
}

/// The end of a stream: when, and whether the connection broke.
type Cut = (Instant, bool);

impl<S: LogSource> Follower<S> {
    /// Follows the container from `instance` on, until no line can come any more.
    pub(crate) async fn follow(mut self, mut instance: u32) {
        let mut position = Position::default();
        let mut opened = false;
        let mut backoff = Backoff::default();
        let mut failures = 0;
        let mut rest = None;
        let mut cut: Option<Cut> = None;
        match self.start.tail {
            None => {}
            Some(0) => {
                position = self.behind_the_last_line().await;
                self.start.tail = None;
            }
            Some(_) => position = Position::tail(),
        }
        loop {
            let mut last = Last::default();
            match self.source.open(&self.request(&position, opened)).await {
                Ok(reader) => {
                    failures = 0;
                    self.allowed.set(true);
                    if position.since().is_some() {
                        position.reopened();
                    }
                    opened = true;
                    last = self.read(reader, &mut position, cut, &mut rest).await;
                    if last.new {
                        backoff.reset();
                    }
                    cut = Some((from_now(Duration::ZERO), !last.clean));
                }
                Err(OpenError::Gone) => break,
                Err(OpenError::Forbidden(text)) if !self.allowed.get() || failures >= REFUSALS => {
                    self.out.tell(Fact::Forbidden(text)).await;
                    break;
                }
                // Nothing to read yet, or not any more: the pod tells which.
                Err(OpenError::NotStarted(_)) => last.clean = true,
                Err(OpenError::Refused(text)) => {
                    self.cannot_read(&text, "").await;
                    break;
                }
                Err(OpenError::Passing(text) | OpenError::Forbidden(text)) => {
                    failures += 1;
                    if failures == SILENT_TRIES {
                        self.cannot_read(&text, ", trying on").await;
                    }
                }
            }
            if last.clean && self.known == Known::Over {
                break;
            }
            if !last.clean {
                sleep(backoff.next()).await;
            }
            match self.what_next(instance, last, &mut backoff).await {
                Next::Reopen => {}
                Next::Over => break,
                Next::Instance(now) => {
                    self.give(rest.take(), &mut position).await;
                    self.rest_of_previous(position, now - instance).await;
                    instance = now;
                    self.known = Known::Runs;
                    position = Position::default();
                    self.start = Start::default();
                    cut = None;
                    backoff.reset();
                }
            }
        }
        self.give(rest, &mut position).await;
    }

    /// The log of the instance before the one that is there, from `position` on.
    pub(crate) async fn previous(&self, position: Position, start: Start) {
        let log = OpenLog {
            follow: false,
            previous: true,
            tail: start.tail,
            since: start.since,
            ..self.request(&Position::default(), true)
        };
        let mut whole = Whole::new(Rc::clone(&self.source), log, position);
        // If it isn't there any more, there is nothing to say: it was gone before we could ask.
        while let Ok(Some(line)) = whole.next().await {
            self.line(line).await;
        }
    }

    fn request(&self, position: &Position, opened: bool) -> OpenLog {
        OpenLog {
            pod: self.from.pod.clone(),
            container: self.from.container.clone(),
            follow: true,
            previous: false,
            // Opened once, what was there then has been seen.
            tail: self.start.tail.filter(|_| !opened),
            since: position.since().map(Since::Time).or(self.start.since),
        }
    }

    /// `--tail 0`: the position behind the last line there is now. Following with a tail of 0 would
    /// lose what is written while a dropped stream is opened again.
    async fn behind_the_last_line(&self) -> Position {
        let log = OpenLog {
            follow: false,
            tail: Some(1),
            ..self.request(&Position::default(), false)
        };
        let mut whole = Whole::new(Rc::clone(&self.source), log, Position::default());
        let mut newest = None;
        while let Ok(Some(line)) = whole.next().await {
            newest = line.time.or(newest);
        }
        newest.map_or_else(Position::default, Position::after)
    }

    /// Reads one stream to its end.
    async fn read(
        &self,
        reader: S::Reader,
        position: &mut Position,
        cut: Option<Cut>,
        rest: &mut Option<Stamped>,
    ) -> Last {
        let mut mark = cut.and_then(|(when, broken)| {
            let outage = from_now(Duration::ZERO) - when;
            (broken || outage >= Duration::from_secs(1)).then_some(outage)
        });
        let mut lines = Lines::new(reader);
        let mut new = false;
        loop {
            match lines.next().await {
                Got::End(Some(line)) | Got::Line(line) if line.log_is_gone() => {
                    // Read before, it has gone after its container: nobody misses anything.
                    if position.since().is_some() {
                        return Last { clean: true, new };
                    }
                    self.cannot_read(&String::from_utf8_lossy(&line.text), "")
                        .await;
                    return Last { clean: true, new };
                }
                Got::Line(line) => {
                    *rest = None;
                    if !position.admit(line.time) {
                        continue;
                    }
                    if let Some(outage) = mark.take() {
                        let after = match outage.as_secs() {
                            0 => String::new(),
                            seconds => format!(" after {seconds}s"),
                        };
                        let text = format!("stream of {} resumed{after}", self.name());
                        self.out.tell(Fact::Note(Note::Mark(text))).await;
                    }
                    new = true;
                    self.line(line).await;
                }
                Got::End(left) => {
                    *rest = left;
                    return Last { clean: true, new };
                }
                Got::Broken { rest: left, .. } => {
                    // Half a time stamp is no line.
                    *rest = left.filter(|line| line.time.is_some());
                    return Last { clean: false, new };
                }
            }
        }
    }

    /// Asks the pod what became of the container, and waits if nothing can be done now.
    async fn what_next(&mut self, instance: u32, last: Last, backoff: &mut Backoff) -> Next {
        loop {
            let pod = match self.source.pod(&self.from.pod).await {
                Ok(pod) => pod,
                Err(OpenError::Gone) => None,
                // Opening the log tells whether that is meant.
                Err(OpenError::Forbidden(_)) if !last.clean => return Next::Reopen,
                Err(_) => {
                    if *self.ended.borrow() && last.clean {
                        return Next::Over;
                    }
                    sleep(backoff.next()).await;
                    continue;
                }
            };
            let Some(container) = self.mine(pod.as_ref()) else {
                return Next::Over;
            };
            if container.instance > instance && container.readable() {
                return Next::Instance(container.instance);
            }
            let before = self.known;
            self.known = Known::of(container);
            let running = self.known == Known::Runs;
            // Read to its end since it has ended, or since nothing has changed.
            let read = last.clean
                && if running {
                    !last.new
                } else {
                    before != Known::Runs
                };
            if container.readable() && !read {
                return Next::Reopen;
            }
            if !running && (container.over || *self.ended.borrow()) {
                return Next::Over;
            }
            // It runs: its status may be late. It doesn't: it may be started again.
            let pause = if running { backoff.next() } else { LOOK_AGAIN };
            if self.changed_within(pause).await {
                continue;
            }
            if running {
                return Next::Reopen;
            }
        }
    }

    /// The container, if that pod is still ours.
    fn mine<'a>(&self, pod: Option<&'a PodNow>) -> Option<&'a ContainerNow> {
        pod.filter(|pod| pod.uid == self.pod_uid)?
            .container(&self.from.container)
    }

    /// Waits until the pod has changed or the run has ended; false if neither happened in time.
    async fn changed_within(&mut self, pause: Duration) -> bool {
        let had_ended = *self.ended.borrow();
        tokio::select! {
            () = changed(&mut self.changes) => true,
            () = changed(&mut self.ended), if !had_ended => true,
            () = sleep(pause) => false,
        }
    }

    /// What the instance before wrote after we last read it. `steps`: how many restarts there were.
    async fn rest_of_previous(&self, position: Position, steps: u32) {
        // What was there at the start has been seen, so no tail is cut off it.
        let start = Start {
            tail: None,
            since: self.start.since,
        };
        if steps == 1 {
            self.previous(position, start).await;
            return;
        }
        let text = format!(
            "{} was restarted {steps} times at once: only the last of the logs in between is there",
            self.name()
        );
        self.out.warn(text).await;
        self.previous(Position::default(), start).await;
    }

    async fn give(&self, rest: Option<Stamped>, position: &mut Position) {
        if let Some(line) = rest
            && position.admit(line.time)
        {
            self.line(line).await;
        }
    }

    async fn line(&self, line: Stamped) {
        self.out.line(self.id, &self.from, line).await;
    }

    async fn cannot_read(&self, why: &str, and: &str) {
        let text = format!("the log of {} can't be read: {why}{and}", self.name());
        self.out.warn(text).await;
    }

    fn name(&self) -> String {
        self.from.name()
    }
}

/// Resolves when the value has changed; never, if nobody can change it any more.
pub(crate) async fn changed<T>(receiver: &mut watch::Receiver<T>) {
    if receiver.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}
