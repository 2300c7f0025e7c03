//! Logs of containers as streams.

use bytes::Bytes;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use crate::cluster::api::Status;
#[cfg(target_os = "linux")]
use crate::cluster::front::disk_log;
use crate::cluster::front::query::Query;
use crate::cluster::front::reply::{self, Reply};
use crate::cluster::front::shared::Shared;
use crate::cluster::kubelet::scripted::{LogCursor, LogOptions, LogPage};
use crate::driver::clock;

/// Longest sleep while nothing is known of the next line; the bell ends it earlier.
const IDLE: SignedDuration = SignedDuration::from_secs(60);

struct Stream {
    shared: Shared,
    bell: watch::Receiver<()>,
    namespace: String,
    pod: String,
    container: Option<String>,
    options: LogOptions,
    page: Option<LogPage>,
}

/// Opens a log.
///
/// # Errors
/// What the kubelet says against it.
pub(super) fn open(
    shared: &Shared,
    namespace: &str,
    pod: &str,
    query: &Query,
) -> Result<Reply, Status> {
    let count = |key: &str| -> Result<Option<usize>, Status> {
        Ok(query
            .number(key)?
            .map(|n| usize::try_from(n).unwrap_or_default()))
    };
    let options = LogOptions {
        previous: query.flag("previous"),
        tail: count("tailLines")?,
        since: since(shared, query)?,
        timestamps: query.flag("timestamps"),
        limit: count("limitBytes")?,
        after: None,
    };
    let container = query.get("container").map(str::to_owned);
    #[cfg(target_os = "linux")]
    if let Some(folder) = shared.disk()
        && shared.look(|world| !world.is_scripted(namespace, pod))
    {
        let since = options.since;
        return disk_log::open(shared, folder, namespace, pod, query, since);
    }
    // Whoever subscribes before the first look misses nothing after it.
    let bell = shared.bell();
    let first = shared.with(|world| world.logs(namespace, pod, container.as_deref(), &options))?;
    if !query.flag("follow") {
        return Ok(reply::text(200, first.text));
    }
    let stream = Stream {
        shared: shared.clone(),
        bell,
        namespace: namespace.to_owned(),
        pod: pod.to_owned(),
        container,
        options,
        page: Some(first),
    };
    Ok(reply::text_stream(futures::stream::unfold(
        stream,
        |mut stream| async move { Some((stream.next().await?, stream)) },
    )))
}

/// A moment, by its time or by its age.
fn since(shared: &Shared, query: &Query) -> Result<Option<Timestamp>, Status> {
    if let Some(text) = query.get("sinceTime") {
        let time = text
            .parse()
            .map_err(|e| Status::bad_request(format!("sinceTime {text:?} can't be read: {e}")))?;
        return Ok(Some(time));
    }
    let now = shared.look(|world| world.now());
    let age = query.number("sinceSeconds")?.map(SignedDuration::from_secs);
    Ok(age.and_then(|age| now.checked_sub(age).ok()))
}

impl Stream {
    /// The next lines; none once the container has ended, or its pod is gone.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let page = self.page.take()?;
            let text = page.text;
            if page.complete {
                return (!text.is_empty()).then(|| Bytes::from(text));
            }
            if text.is_empty() {
                self.wait(page.next).await?;
            }
            self.page = self.read(page.cursor, text.len());
            if !text.is_empty() {
                return Some(Bytes::from(text));
            }
        }
    }

    async fn wait(&mut self, next: Option<Timestamp>) -> Option<()> {
        let now = self.shared.look(|world| world.now());
        let wait = next.map_or(IDLE, |next| next.duration_since(now));
        tokio::select! {
            rung = self.bell.changed() => rung.ok(),
            () = clock::sleep(wait) => Some(()),
        }
    }

    fn read(&mut self, cursor: LogCursor, taken: usize) -> Option<LogPage> {
        self.options.after = Some(cursor);
        self.options.limit = self.options.limit.map(|limit| limit.saturating_sub(taken));
        let container = self.container.as_deref();
        self.shared
            .with(|world| world.logs(&self.namespace, &self.pod, container, &self.options))
            .ok()
    }
}
