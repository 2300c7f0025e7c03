//! Logs of containers: the last lines as evidence, and streams.

use std::pin::Pin;
use std::time::Duration;

use futures::TryStreamExt as _;
use futures::io::AsyncBufRead;
use http_body_util::BodyExt as _;
use k8s_openapi::jiff::Timestamp;

use crate::driver::kube::call::Call;
use crate::driver::kube::client::Connection;
use crate::driver::kube::error::Failure;
use crate::driver::kube::resource::Resource;

/// What to read of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Container.
    pub container: String,
    /// Go on as it grows, until the container ends.
    pub follow: bool,
    /// The instance before the newest one.
    pub previous: bool,
    /// Last lines only.
    pub tail: Option<u32>,
    /// Lines of the last seconds only.
    pub since_seconds: Option<u32>,
    /// Lines from that moment on only; the server takes whole seconds, fractions are cut.
    pub since_time: Option<Timestamp>,
    /// Each line begins with its time.
    pub timestamps: bool,
    /// Bytes at most, counted from where it begins.
    pub limit_bytes: Option<u64>,
}

impl LogQuery {
    fn call(&self, namespace: &str, pod: &str) -> Call {
        let mut call = Call::get(Resource::PodLog, namespace, pod)
            .any_answer()
            .query("container", &self.container);
        for (key, on) in [
            ("follow", self.follow),
            ("previous", self.previous),
            ("timestamps", self.timestamps),
        ] {
            if on {
                call = call.query(key, "true");
            }
        }
        if let Some(lines) = self.tail {
            call = call.query("tailLines", lines.to_string());
        }
        if let Some(seconds) = self.since_seconds {
            call = call.query("sinceSeconds", seconds.to_string());
        }
        if let Some(time) = self.since_time {
            let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
            call = call.query("sinceTime", whole.to_string());
        }
        if let Some(bytes) = self.limit_bytes {
            call = call.query("limitBytes", bytes.to_string());
        }
        call
    }
}

/// The bytes of a log.
pub type LogReader = Pin<Box<dyn AsyncBufRead + Send>>;

/// Opens a log: one try. Reading has no time limit.
///
/// # Errors
///
/// 400 ([`crate::driver::kube::Trouble::Invalid`]): the container has not started, or has no such
/// instance; 404: no such pod; others as for any call.
pub async fn open(
    conn: &Connection,
    namespace: &str,
    pod: &str,
    query: &LogQuery,
) -> Result<LogReader, Failure> {
    let body = conn.open(&query.call(namespace, pod)).await?;
    let stream = body.into_data_stream().map_err(std::io::Error::other);
    Ok(Box::pin(stream.into_async_read()))
}

/// Bytes of a log that are read as evidence: 20 lines of stack traces fit, 20 lines of progress bars
/// without line ends don't fill the memory.
const TAIL_BYTES: usize = 256 * 1024;

/// Last lines of a container, oldest first; empty when they can't be had in time. For evidence: one
/// try, what was read when time ran out is kept.
pub async fn tail(
    conn: &Connection,
    namespace: &str,
    pod: &str,
    container: &str,
    previous: bool,
    lines: u32,
    within: Duration,
) -> Vec<String> {
    let query = LogQuery {
        container: container.to_owned(),
        previous,
        tail: Some(lines),
        ..LogQuery::default()
    };
    let mut text = Vec::new();
    let read = async {
        let Ok(mut body) = conn.open(&query.call(namespace, pod)).await else {
            return;
        };
        while let Some(Ok(frame)) = body.frame().await {
            if let Ok(data) = frame.into_data() {
                text.extend_from_slice(&data);
                // The newest lines come last.
                if text.len() > 2 * TAIL_BYTES {
                    text.drain(..text.len() - TAIL_BYTES);
                }
            }
        }
    };
    // Cut short, what there is will do.
    tokio::time::timeout(within, read).await.unwrap_or_default();
    let text = &text[text.len().saturating_sub(TAIL_BYTES)..];
    let text = String::from_utf8_lossy(text);
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    let keep = usize::try_from(lines).unwrap_or(usize::MAX);
    all.drain(..all.len().saturating_sub(keep));
    all
}
