//! The streams of one pod: started when its containers have been, counted, closed some time after the
//! end of the run.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::cli::settings::Attempts;
use crate::logs::dump::beginning;
use crate::logs::follow::Options;
use crate::logs::order::SourceId;
use crate::logs::origin::{Note, Origin};
use crate::logs::plan::origin;
use crate::logs::pod::{PodNow, State};
use crate::logs::read::{Backoff, Whole, from_now};
use crate::logs::select::Selection;
use crate::logs::source::{LogSource, OpenError, OpenLog};
use crate::logs::stream::{Fact, Follower, Known, Out, REFUSALS, changed};

/// How long a stream may go on after the run has ended (cli.md 7).
pub const DRAIN: Duration = Duration::from_secs(10);

/// What all streams share.
pub(super) struct Context<S: LogSource> {
    pub(super) source: Rc<S>,
    pub(super) selection: Selection,
    pub(super) options: Options,
    pub(super) out: Out,
    pub(super) ended: watch::Receiver<bool>,
    pub(super) open: Rc<Cell<usize>>,
    pub(super) over_limit: Cell<bool>,
    /// Some log could be read.
    pub(super) allowed: Rc<Cell<bool>>,
    pub(super) next_id: Cell<SourceId>,
}

/// One of the streams that may be open at once.
struct Permit(Rc<Cell<usize>>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl<S: LogSource + 'static> Context<S> {
    /// Follows the wanted containers of one pod, each from the moment it has been started.
    pub(super) async fn follow_pod(
        &self,
        name: &str,
        uid: &str,
        mut changes: watch::Receiver<u64>,
    ) {
        let mut ended = self.ended.clone();
        let mut backoff = Backoff::default();
        let mut started: BTreeSet<String> = BTreeSet::new();
        let mut streams = FuturesUnordered::new();
        loop {
            let had_ended = *ended.borrow();
            let mut again = None;
            match self.source.pod(name).await {
                Ok(Some(pod)) if pod.uid == uid => {
                    backoff.reset();
                    if self.start_streams(&pod, &mut started, &mut streams, &changes) {
                        break;
                    }
                }
                Ok(_) | Err(OpenError::Gone) => break,
                Err(OpenError::Forbidden(text)) if !self.allowed.get() => {
                    self.out.tell(Fact::Forbidden(text)).await;
                    break;
                }
                Err(_) => again = Some(from_now(backoff.next())),
            }
            if had_ended {
                break;
            }
            tokio::select! {
                () = changed(&mut changes) => {}
                () = changed(&mut ended) => {}
                () = until(again), if again.is_some() => {}
                () = run_dry(&mut streams) => {}
            }
        }
        while streams.next().await.is_some() {}
    }

    /// Starts what can be read and isn't being read yet. True if nothing is left to start.
    fn start_streams(
        &self,
        pod: &PodNow,
        started: &mut BTreeSet<String>,
        streams: &mut FuturesUnordered<LocalBoxFuture<'static, ()>>,
        changes: &watch::Receiver<u64>,
    ) -> bool {
        let names = self.selection.containers(pod);
        let several = names.len() > 1;
        let mut all = true;
        for name in names {
            let Some(container) = pod.container(name) else {
                continue;
            };
            if started.contains(name) || (container.over && !container.readable()) {
                continue;
            }
            if !container.readable() {
                all = false;
                continue;
            }
            started.insert(name.to_owned());
            let from = Arc::new(origin(pod, container, several));
            let Some(permit) = self.permit() else {
                self.too_many(&from, streams);
                continue;
            };
            let follower = Follower {
                source: Rc::clone(&self.source),
                id: self.id(),
                from: Arc::clone(&from),
                pod_uid: pod.uid.clone(),
                start: self.options.start,
                changes: changes.clone(),
                ended: self.ended.clone(),
                out: self.out.clone(),
                allowed: Rc::clone(&self.allowed),
                known: Known::of(container),
            };
            let instance = container.instance;
            let earlier = self.selection.attempts == Attempts::All && container.has_previous();
            let mut ended = self.ended.clone();
            let out = self.out.clone();
            streams.push(Box::pin(async move {
                let _permit = permit;
                let work = async move {
                    if earlier {
                        let start = follower.start;
                        follower.previous(beginning(start), start).await;
                    }
                    follower.follow(instance).await;
                };
                let too_late = async move {
                    if ended.wait_for(|ended| *ended).await.is_err() {
                        std::future::pending::<()>().await;
                    }
                    sleep(DRAIN).await;
                };
                tokio::select! {
                    () = work => {}
                    () = too_late => {
                        let text = format!(
                            "stream of {} closed: it goes on {}s after the end of the run",
                            from.name(),
                            DRAIN.as_secs()
                        );
                        out.tell(Fact::Note(Note::Mark(text))).await;
                    }
                }
            }));
        }
        all
    }

    /// Prints the log of a container that has failed.
    pub(super) async fn print(&self, from: Arc<Origin>, restarted: bool) {
        let Some(_permit) = self.permit() else {
            if let Some(fact) = self.limit_note(&from) {
                self.out.tell(fact).await;
            }
            return;
        };
        let id = self.id();
        let mut previous = restarted;
        if !previous && let Ok(Some(pod)) = self.source.pod(&from.pod).await {
            // Started again since it was seen: what failed is the instance before.
            previous = pod
                .container(&from.container)
                .is_some_and(|c| c.state == State::Running && c.has_previous());
        }
        let mut backoff = Backoff::default();
        let mut refusals = 0;
        loop {
            let log = OpenLog {
                pod: from.pod.clone(),
                container: from.container.clone(),
                follow: false,
                previous,
                tail: self.options.start.tail,
                since: self.options.start.since,
            };
            let mut whole = Whole::new(Rc::clone(&self.source), log, beginning(self.options.start));
            let error = loop {
                match whole.next().await {
                    Ok(Some(line)) => self.out.line(id, &from, line).await,
                    Ok(None) => {
                        self.allowed.set(true);
                        return;
                    }
                    Err(error) => break error,
                }
            };
            match error {
                // Started again just now.
                OpenError::NotStarted(_) if !previous => previous = true,
                OpenError::Forbidden(_) if self.allowed.get() && refusals < REFUSALS => {
                    refusals += 1;
                    sleep(backoff.next()).await;
                }
                OpenError::Forbidden(text) => {
                    self.out.tell(Fact::Forbidden(text)).await;
                    return;
                }
                error => {
                    let text = format!("the log of {} can't be read: {error}", from.name());
                    self.out.warn(text).await;
                    return;
                }
            }
        }
    }

    fn id(&self) -> SourceId {
        let id = self.next_id.get();
        self.next_id.set(id + 1);
        id
    }

    fn permit(&self) -> Option<Permit> {
        let open = self.open.get();
        (open < self.options.limit).then(|| {
            self.open.set(open + 1);
            Permit(Rc::clone(&self.open))
        })
    }

    /// The note about the limit, the first time.
    fn limit_note(&self, from: &Origin) -> Option<Fact> {
        (!self.over_limit.replace(true)).then(|| {
            Fact::Note(Note::TooMany {
                limit: self.options.limit,
                target: from.target(),
            })
        })
    }

    fn too_many(&self, from: &Origin, streams: &mut FuturesUnordered<LocalBoxFuture<'static, ()>>) {
        if let Some(fact) = self.limit_note(from) {
            let out = self.out.clone();
            streams.push(Box::pin(async move {
                out.tell(fact).await;
            }));
        }
    }
}

/// Polls the streams; resolves when the last of them has ended, never if there are none.
async fn run_dry(streams: &mut FuturesUnordered<LocalBoxFuture<'static, ()>>) {
    if streams.is_empty() {
        std::future::pending::<()>().await;
    }
    while streams.next().await.is_some() {}
}

/// Resolves at that instant; never without one.
pub(super) async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}
