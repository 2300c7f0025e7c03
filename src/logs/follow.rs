//! Follows the logs of a run: every wanted container of every pod, those that come later included,
//! until the run has ended and what is there has been read (cli.md 7).
//!
//! [`LogStreams`] runs inside its caller's select loop: it is told of pods and of the end, and gives
//! lines and notes one by one. It makes no tasks of its own; dropping it closes every stream.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::cli::settings::{Attempts, MAX_LOG_REQUESTS};
use crate::cli::target::Place;
use crate::engine::PodSeen;
use crate::engine::input::{ContainerEnd, PodPhase};
use crate::logs::order::{WINDOW, Window};
use crate::logs::origin::{Item, LogLine, Note, Origin};
use crate::logs::pod_streams::{Context, until};
use crate::logs::read::from_now;
use crate::logs::select::{Containers, Selection};
use crate::logs::source::LogSource;
use crate::logs::stream::{Fact, Out, Start};

pub use crate::logs::pod_streams::DRAIN;

/// Lines that streams may be ahead of their reader, all together.
const AHEAD: usize = 256;

/// How to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where the logs of pods begin.
    pub start: Start,
    /// Streams at once at most (`--max-log-requests`).
    pub limit: usize,
    /// Order lines by time within [`WINDOW`]; else as they arrive.
    pub by_time: bool,
    /// The attempt that runs now: with `Attempts::Current`, pods of earlier ones are left out.
    pub attempt: u32,
    /// Pods (UIDs) that are left out.
    pub skip: BTreeSet<String>,
}

impl Options {
    /// For `--logs` of `run` and `attach`: as lines arrive, from where `start` says; `attempt` is the
    /// one that runs now.
    #[must_use]
    pub fn live(attempt: u32, start: Start) -> Self {
        Self {
            start,
            limit: usize::try_from(MAX_LOG_REQUESTS).unwrap_or(usize::MAX),
            by_time: false,
            attempt,
            skip: BTreeSet::new(),
        }
    }
}

/// The streams of a run.
pub struct LogStreams<S: LogSource> {
    context: Rc<Context<S>>,
    pods: BTreeMap<String, KnownPod>,
    tasks: FuturesUnordered<LocalBoxFuture<'static, ()>>,
    facts: mpsc::Receiver<Fact>,
    ended: watch::Sender<bool>,
    window: Window<Instant, LogLine>,
    ready: VecDeque<Item>,
    /// Logs may not be read.
    off: bool,
}

/// A pod that was seen.
struct KnownPod {
    changes: watch::Sender<u64>,
    /// The parts of it that can make a difference to its logs.
    face: Face,
    /// Ends that have been printed, with `failed`.
    printed: BTreeSet<(String, String)>,
}

/// See [`KnownPod::face`].
type Face = (bool, u32, usize, bool, Option<String>);

impl<S: LogSource + 'static> LogStreams<S> {
    /// Streams of the wanted containers, read from `source`. Pods come by [`Self::pod_seen`].
    pub fn new(source: S, selection: Selection, options: Options) -> Self {
        let (out, facts) = mpsc::channel(AHEAD);
        let (ended, ended_seen) = watch::channel(false);
        Self {
            context: Rc::new(Context {
                source: Rc::new(source),
                selection,
                options,
                out: Out(out),
                ended: ended_seen,
                open: Rc::default(),
                over_limit: Cell::new(false),
                allowed: Rc::default(),
                next_id: Cell::new(0),
            }),
            pods: BTreeMap::new(),
            tasks: FuturesUnordered::new(),
            facts,
            ended,
            window: Window::default(),
            ready: VecDeque::new(),
            off: false,
        }
    }

    /// A pod was seen or has changed. Pods are told apart by UID: another pod of the same index is
    /// another source.
    pub fn pod_seen(&mut self, pod: &PodSeen) {
        if self.off {
            return;
        }
        let face = face(pod);
        if let Some(known) = self.pods.get_mut(&pod.uid) {
            // An init container that starts doesn't show in what we are told.
            if known.face != face || pod.phase == PodPhase::Pending {
                known.face = face;
                known.changes.send_modify(|n| *n += 1);
            }
        } else {
            if *self.ended.borrow() || !self.wants(pod) {
                return;
            }
            let (changes, changes_seen) = watch::channel(0);
            let known = KnownPod {
                changes,
                face,
                printed: BTreeSet::new(),
            };
            self.pods.insert(pod.uid.clone(), known);
            if !self.context.selection.failed {
                let context = Rc::clone(&self.context);
                let (name, uid) = (pod.name.clone(), pod.uid.clone());
                self.tasks.push(Box::pin(async move {
                    context.follow_pod(&name, &uid, changes_seen).await;
                }));
            }
        }
        if self.context.selection.failed {
            self.print_failed(pod);
        }
    }

    /// The run has ended: what is there is read to its end, within [`DRAIN`] per stream; nothing new is
    /// waited for.
    pub fn run_ended(&mut self) {
        self.ended.send_replace(true);
    }

    /// The next line or note; none when everything has been read after [`Self::run_ended`], or logs
    /// are off. Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if self.off {
                return None;
            }
            let due = self.window.next_due();
            if due.is_some_and(|due| due <= from_now(Duration::ZERO)) {
                let lines = self.window.release(from_now(Duration::ZERO));
                self.ready.extend(lines.into_iter().map(Item::Line));
                continue;
            }
            if self.tasks.is_empty() && *self.ended.borrow() {
                match self.facts.try_recv() {
                    Ok(fact) => self.take(fact),
                    Err(_) => {
                        let lines = self.window.flush();
                        self.ready.extend(lines.into_iter().map(Item::Line));
                        if self.ready.is_empty() {
                            return None;
                        }
                    }
                }
                continue;
            }
            tokio::select! {
                biased;
                Some(fact) = self.facts.recv() => self.take(fact),
                Some(()) = self.tasks.next(), if !self.tasks.is_empty() => {}
                () = until(due), if due.is_some() => {}
            }
        }
    }

    fn take(&mut self, fact: Fact) {
        match fact {
            Fact::Line(id, line) => {
                if self.context.options.by_time
                    && (self.context.open.get() > 1 || self.window.next_due().is_some())
                {
                    let (time, bytes) = (line.time, line.text.len());
                    self.window.hold(from_now(WINDOW), id, time, bytes, line);
                } else {
                    self.ready.push_back(Item::Line(line));
                }
            }
            Fact::Note(note) => self.ready.push_back(Item::Note(note)),
            Fact::Forbidden(text) => {
                self.off = true;
                self.tasks.clear();
                self.ready.push_back(Item::Note(Note::Forbidden(text)));
            }
        }
    }

    fn wants(&self, pod: &PodSeen) -> bool {
        let options = &self.context.options;
        let attempt = match self.context.selection.attempts {
            Attempts::Current => pod.restart_attempt >= options.attempt,
            Attempts::Number(number) => pod.restart_attempt == number,
            Attempts::All => true,
            Attempts::Previous => false,
        };
        attempt && !options.skip.contains(&pod.uid) && self.context.selection.wants(&place(pod))
    }

    /// Prints the logs of containers that have failed since the pod was last seen.
    fn print_failed(&mut self, pod: &PodSeen) {
        let Some(known) = self.pods.get_mut(&pod.uid) else {
            return;
        };
        let names: BTreeSet<&str> = pod.ends.iter().map(|end| end.container.as_str()).collect();
        for end in &pod.ends {
            let named = match &self.context.selection.containers {
                Containers::Named(name) => *name == end.container,
                Containers::All | Containers::Default => true,
            };
            let when = end.finished.map(|t| t.to_string()).unwrap_or_default();
            if end.exit_code == 0 || !named || !known.printed.insert((end.container.clone(), when))
            {
                continue;
            }
            let from = failed_origin(pod, end, names.len() > 1);
            let context = Rc::clone(&self.context);
            let restarted = end.restarted;
            self.tasks.push(Box::pin(async move {
                context.print(from, restarted).await;
            }));
        }
    }
}

fn face(pod: &PodSeen) -> Face {
    (
        has_started(pod),
        pod.restarts,
        pod.ends.len(),
        pod.deleting.is_some() || pod.phase == PodPhase::Succeeded || pod.phase == PodPhase::Failed,
        pod.waiting.as_ref().map(|w| w.reason.clone()),
    )
}

fn has_started(pod: &PodSeen) -> bool {
    pod.phase != PodPhase::Pending || !pod.ends.is_empty() || pod.restarts > 0
}

fn place(pod: &PodSeen) -> Place<'_> {
    Place {
        role: &pod.role,
        job: pod.job_index,
        job_name: &pod.job,
        index: pod.completion_index,
        pod: &pod.name,
    }
}

fn failed_origin(pod: &PodSeen, end: &ContainerEnd, several: bool) -> Arc<Origin> {
    Arc::new(Origin {
        role: pod.role.clone(),
        job: pod.job_index,
        job_name: pod.job.clone(),
        index: pod.completion_index,
        attempt: pod.restart_attempt,
        job_restarts: pod.job_restart_attempt,
        pod: pod.name.clone(),
        container: end.container.clone(),
        several,
        kept: false,
    })
}

#[cfg(test)]
#[path = "follow_tests.rs"]
mod tests;
