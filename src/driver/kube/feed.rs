//! List and watch of one kind, as one endless stream of changes that survives what happens to it:
//! dropped connections, servers that restart, versions that are too old (trap D.9.3).
//!
//! Own code because the client library's watcher decodes and keeps whole metadata (managed fields are
//! half of an object), hides Retry-After and can't be told to start from a known version.

use std::time::Duration;

use ::kube::client::Body;
use futures::stream::{self, Stream};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use tokio::sync::watch;

use crate::driver::clock::{self, Instant};
use crate::driver::kube::call::Call;
use crate::driver::kube::client::Connection;
use crate::driver::kube::contact;
use crate::driver::kube::error::{Failure, Trouble};
use crate::driver::kube::list;
use crate::driver::kube::resource::Resource;
use crate::driver::kube::retry::{Backoff, Patience};
use crate::driver::kube::slim::{Line, LineType, Watchable};

/// Asked of the server as the length of one watch: below the 5 minutes after which many load
/// balancers cut a connection.
const WATCH_SECONDS: u64 = 290;
/// Silence after which a watch is made again from where it was: servers send a bookmark about once a
/// minute, so twice that means that the connection is dead and nobody has told us.
const SILENCE: Duration = Duration::from_secs(130);
/// A watch that ends sooner than this without having told anything counts as trouble.
const TOO_SHORT: Duration = Duration::from_secs(1);

/// Where a feed begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// With a complete list.
    List,
    /// After that version, without a list; a list comes if the version is too old.
    After(String),
    /// With what there is, one by one, without a list and without telling what is missing.
    Any,
    /// With nothing: none can be there yet (the selector names what has just been made). The empty list
    /// is told once the watch is open, so that all that is made after it is seen. If the watch doesn't
    /// come about, a list is asked for as usual.
    New,
}

/// What to watch.
#[derive(Clone, Debug)]
pub struct Target {
    /// Kind.
    pub resource: Resource,
    /// Namespace; empty: all of them.
    pub namespace: String,
    /// `labelSelector` or `fieldSelector`, and its value.
    pub selector: (&'static str, String),
    /// Where it begins.
    pub start: Start,
}

impl Target {
    /// Namespace as calls take it.
    fn place(&self) -> Option<&str> {
        Some(self.namespace.as_str()).filter(|name| !name.is_empty())
    }
}

/// A change.
#[derive(Debug)]
pub enum Change<T> {
    /// A complete list: what is not in it is gone.
    Listed(Vec<T>),
    /// There, as it is now.
    Applied(T),
    /// Gone.
    Deleted(T),
    /// The server refuses (no right). It is asked again later.
    Refused(Failure),
    /// It no longer refuses.
    Allowed,
}

enum State {
    List,
    Connect(String),
    Read {
        version: String,
        lines: Lines,
        since: Instant,
        told: bool,
    },
}

struct Feed {
    conn: Connection,
    target: Target,
    state: State,
    backoff: Backoff,
    refused: bool,
    /// There can't be any yet.
    new: bool,
    contact: watch::Receiver<contact::State>,
}

/// The feed. It is as cheap as the objects that come; dropped, it ends.
pub fn feed<T: Watchable>(
    conn: &Connection,
    target: Target,
) -> impl Stream<Item = Change<T>> + use<T> {
    let state = match &target.start {
        Start::List => State::List,
        Start::After(version) => State::Connect(version.clone()),
        Start::Any | Start::New => State::Connect(String::new()),
    };
    let feed = Feed {
        contact: conn.shared.contact.subscribe(),
        conn: conn.patient(),
        new: target.start == Start::New,
        target,
        state,
        backoff: Backoff::new(Patience::Endless),
        refused: false,
    };
    stream::unfold(feed, |mut feed| async move {
        let change = feed.next().await;
        Some((change, feed))
    })
}

impl Feed {
    async fn next<T: Watchable>(&mut self) -> Change<T> {
        loop {
            let change = match &mut self.state {
                State::List => self.list().await,
                State::Connect(_) => self.connect().await,
                State::Read { .. } => self.read().await,
            };
            if let Some(change) = change {
                return change;
            }
        }
    }

    fn beginning(&self) -> State {
        match self.target.start {
            Start::Any => State::Connect(String::new()),
            Start::List | Start::After(_) | Start::New => State::List,
        }
    }

    /// Where to go on after a watch that had come so far. One that has told nothing yet may have missed
    /// what came and went.
    fn after(&self, version: String) -> State {
        if version.is_empty() {
            self.beginning()
        } else {
            State::Connect(version)
        }
    }

    async fn list<T: Watchable>(&mut self) -> Option<Change<T>> {
        let target = &self.target;
        let (key, value) = &target.selector;
        let call = Call::list(target.resource, target.place()).query(key, value);
        match list::all::<T>(&self.conn, &call).await {
            Ok(listed) => {
                self.backoff = Backoff::new(Patience::Endless);
                self.state = State::Connect(listed.resource_version);
                Some(Change::Listed(listed.items))
            }
            Err(failure) => self.trouble(failure).await,
        }
    }

    async fn connect<T: Watchable>(&mut self) -> Option<Change<T>> {
        let State::Connect(version) = &self.state else {
            return None;
        };
        let target = &self.target;
        let (key, value) = &target.selector;
        let mut call = Call::watch(target.resource, target.place())
            .query(key, value)
            .query("allowWatchBookmarks", "true")
            .query("timeoutSeconds", WATCH_SECONDS.to_string());
        if !version.is_empty() {
            call = call.query("resourceVersion", version);
        }
        match self.conn.open(&call).await {
            Ok(body) => {
                self.contact.mark_unchanged();
                self.state = State::Read {
                    version: version.clone(),
                    lines: Lines::new(body),
                    since: clock::instant(),
                    told: false,
                };
                if std::mem::take(&mut self.new) {
                    return Some(Change::Listed(Vec::new()));
                }
                let was_refused = std::mem::take(&mut self.refused);
                was_refused.then_some(Change::Allowed)
            }
            Err(failure) if failure.trouble == Trouble::Gone => {
                self.new = false;
                self.state = self.beginning();
                None
            }
            Err(failure) => {
                self.new = false;
                self.state = self.after(version.clone());
                self.trouble(failure).await
            }
        }
    }

    async fn read<T: Watchable>(&mut self) -> Option<Change<T>> {
        let State::Read {
            version,
            lines,
            since,
            told,
        } = &mut self.state
        else {
            return None;
        };
        let line = tokio::select! {
            biased;
            line = lines.next() => line,
            () = back(&mut self.contact) => None,
            () = clock::sleep_until(clock::instant().after(SILENCE)) => None,
        };
        let Some(line) = line else {
            // Ended, broken, silent, or contact was lost and is back, so that the connection may be
            // dead: go on from the last version.
            let hasty = !*told && since.elapsed() < TOO_SHORT;
            let version = std::mem::take(version);
            self.state = self.after(version);
            if hasty {
                self.backoff.wait(Trouble::Unreachable).await;
            }
            return None;
        };
        let parsed = serde_json::from_slice::<Line<T>>(line).ok();
        // The `Status` of an error is no T, and where T has a structure named status it can't be read
        // as one: a line that can't be read is asked for its type alone.
        let is_error = match &parsed {
            Some(read) => read.type_ == LineType::Error,
            None => serde_json::from_slice::<AnyLine>(line)
                .is_ok_and(|any| any.type_ == LineType::Error),
        };
        if is_error {
            let failure = watch_error(line, &self.target);
            let version = std::mem::take(version);
            self.state = if failure.trouble.passes() {
                self.after(version)
            } else {
                self.beginning()
            };
            self.backoff
                .wait(Trouble::Server {
                    retry_after: failure.trouble.retry_after(),
                })
                .await;
            return None;
        }
        let Some(read) = parsed else {
            // The last line before a cut connection may be half a line.
            let version = std::mem::take(version);
            self.state = self.after(version);
            self.backoff.wait(Trouble::Unreachable).await;
            return None;
        };
        version.clone_from(&read.object.meta().resource_version);
        if !*told {
            *told = true;
            self.backoff = Backoff::new(Patience::Endless);
        }
        match read.type_ {
            LineType::Added | LineType::Modified => Some(Change::Applied(read.object)),
            LineType::Deleted => Some(Change::Deleted(read.object)),
            LineType::Bookmark | LineType::Error => None,
        }
    }

    /// Waits; tells of a refusal once.
    async fn trouble<T>(&mut self, failure: Failure) -> Option<Change<T>> {
        if failure.trouble.passes() {
            self.backoff.wait(failure.trouble).await;
            return None;
        }
        let first = !std::mem::replace(&mut self.refused, true);
        if first {
            return Some(Change::Refused(failure));
        }
        self.backoff
            .wait(Trouble::Server { retry_after: None })
            .await;
        None
    }
}

/// Returns when contact was lost and is back.
async fn back(contact: &mut watch::Receiver<contact::State>) {
    loop {
        if contact.changed().await.is_err() {
            // The connection is gone, and with it everybody who could ask.
            std::future::pending::<()>().await;
        }
        if *contact.borrow_and_update() == contact::State::There {
            return;
        }
    }
}

/// A line of a watch, whatever its object is.
#[derive(Deserialize)]
struct AnyLine {
    #[serde(rename = "type")]
    type_: LineType,
}

/// The `Status` in an ERROR line.
fn watch_error(line: &[u8], target: &Target) -> Failure {
    let call = Call::watch(target.resource, target.place());
    let line: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
    let status = line["object"].to_string();
    Failure::from_answer(200, status.as_bytes(), None, call.asked())
}

/// Cuts a body into lines without copying each.
struct Lines {
    body: Body,
    buffer: Vec<u8>,
    start: usize,
    /// Up to here there is no line end.
    searched: usize,
}

impl Lines {
    fn new(body: Body) -> Self {
        Self {
            body,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
        }
    }

    /// The next line; `None` at the end, whether clean or not: both are answered by another watch.
    /// Dropping the future loses nothing.
    async fn next(&mut self) -> Option<&[u8]> {
        loop {
            if let Some(at) = self.buffer[self.searched..]
                .iter()
                .position(|b| *b == b'\n')
            {
                let end = self.searched + at;
                let line = self.start..end;
                self.start = end + 1;
                self.searched = self.start;
                if line.is_empty() {
                    continue;
                }
                return Some(&self.buffer[line]);
            }
            self.searched = self.buffer.len();
            let data = match self.body.frame().await {
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
                Some(Err(_)) | None => return None,
            };
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
            self.buffer.extend_from_slice(&data);
        }
    }
}

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;
