//! Watches as streams: one JSON document a line, until the time that was asked for is over, or the
//! history no longer reaches back.

use bytes::Bytes;
use k8s_openapi::jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::cluster::api::{Request, Status, Verb, Watch, WatchEvent};
use crate::cluster::front::accept::Form;
use crate::cluster::front::objects::Shape;
use crate::cluster::front::query::Query;
use crate::cluster::front::reply::{self, Reply};
use crate::cluster::front::shared::Shared;
use crate::cluster::object::Kind;
use crate::cluster::store::ChangeKind;
use crate::cluster::world::World;
use crate::driver::clock::{self, Instant};

/// How long a watch lasts that doesn't say: the shortest that the API server picks.
const USUAL: i64 = 30 * 60;
/// How often a watch without news is looked at, so that bookmarks are told in time.
const LOOK: SignedDuration = SignedDuration::from_secs(20);

struct Stream {
    shared: Shared,
    bell: watch::Receiver<()>,
    watch: Watch,
    kind: Kind,
    shape: Shape,
    /// Nothing has been sent yet.
    first: bool,
    ended: bool,
    /// They are told, so one more before it ends in time: whoever comes back can go on from there.
    bookmarks: bool,
    until: Instant,
}

/// Opens a watch.
///
/// # Errors
/// What the world says against it.
pub(super) fn open(
    shared: &Shared,
    request: &Request,
    query: &Query,
    shape: Shape,
) -> Result<Reply, Status> {
    let Verb::List(options) = &request.verb else {
        return Err(Status::no_such_method());
    };
    let seconds = query.number("timeoutSeconds")?.unwrap_or(USUAL);
    let lasts = std::time::Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    // Whoever subscribes before the first look misses nothing after it.
    let bell = shared.bell();
    let watch =
        shared.with(|world| world.watch(request.kind, request.namespace.as_deref(), options));
    let watch = match watch {
        // The watch is granted, and this is all that it tells.
        Err(status) if status.code == 410 => {
            let line = Bytes::from(gone(&status));
            return Ok(reply::json_stream(futures::stream::iter([line])));
        }
        other => other?,
    };
    let stream = Stream {
        shared: shared.clone(),
        bell,
        watch,
        kind: request.kind,
        shape,
        first: true,
        ended: false,
        bookmarks: options.bookmarks,
        until: clock::instant().after(lasts),
    };
    Ok(reply::json_stream(futures::stream::unfold(
        stream,
        |mut stream| async move { Some((stream.next().await?, stream)) },
    )))
}

/// The line of a watch that can't go on.
fn gone(status: &Status) -> String {
    format!("{}\n", json!({"type": "ERROR", "object": status.to_json()}))
}

impl Stream {
    /// The next lines; none at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.ended {
            let text = self.poll();
            if !text.is_empty() {
                return Some(Bytes::from(text));
            }
            tokio::select! {
                biased;
                rung = self.bell.changed() => rung.ok()?,
                () = clock::sleep_until(self.until) => {
                    self.ended = true;
                    if self.bookmarks {
                        return Some(Bytes::from(self.last()));
                    }
                }
                () = clock::sleep(LOOK) => {}
            }
        }
        None
    }

    fn poll(&mut self) -> String {
        let shared = self.shared.clone();
        shared.look(|world| match self.watch.poll(world) {
            Ok(events) => {
                let mut lines = String::new();
                for event in events {
                    match self.line(&event, world) {
                        Ok(line) => lines.push_str(&line),
                        Err(e) => {
                            return self.fail(&Status::new(500, "InternalError", e.to_string()));
                        }
                    }
                }
                lines
            }
            Err(status) => self.fail(&status),
        })
    }

    /// The last lines of a watch that ends in time.
    fn last(&mut self) -> String {
        let mut lines = self.poll();
        let bookmark = self.bookmark(self.watch.version(), false);
        lines.push_str(&format!(
            "{{\"type\":\"BOOKMARK\",\"object\":{bookmark}}}\n"
        ));
        lines
    }

    /// The last line of a watch that can't go on.
    fn fail(&mut self, status: &Status) -> String {
        self.ended = true;
        gone(status)
    }

    fn line(&mut self, event: &WatchEvent, world: &World) -> serde_json::Result<String> {
        let (word, object) = match event {
            WatchEvent::Change(change, object) => {
                let word = match change {
                    ChangeKind::Added => "ADDED",
                    ChangeKind::Modified => "MODIFIED",
                    ChangeKind::Deleted => "DELETED",
                };
                let text = self.shape.one(object, self.first, world)?;
                self.first = false;
                (word, text)
            }
            WatchEvent::Bookmark { version, initial } => {
                ("BOOKMARK", self.bookmark(*version, *initial).to_string())
            }
        };
        Ok(format!("{{\"type\":\"{word}\",\"object\":{object}}}\n"))
    }

    fn bookmark(&self, version: u64, initial: bool) -> Value {
        let mut metadata = json!({"resourceVersion": version.to_string()});
        if initial {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let info = self.kind.info();
        match self.shape.form {
            Form::Plain | Form::Discovery => json!({
                "kind": info.kind, "apiVersion": info.api_version(), "metadata": metadata,
            }),
            Form::Metadata => json!({
                "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
            }),
            Form::Table => json!({
                "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
                "columnDefinitions": null, "rows": [],
            }),
        }
    }
}
