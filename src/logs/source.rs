//! What bytes come from: a trait, and the API server behind it. Tests put a script in its place.

use std::pin::Pin;
use std::time::Duration;

use futures::io::AsyncBufRead;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, ListParams, LogParams};

use crate::api::names;
use crate::logs::pod::PodNow;

/// Pods per page of a list: what kubectl takes, small enough for any server.
const PAGE: u32 = 500;

/// How long the server may take to begin answering. Later, it is asked again.
const OPENING: Duration = Duration::from_secs(30);

/// Where a log begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// That long ago, by the server's clock; seconds.
    Ago(i64),
    /// At that moment; cut to whole seconds.
    Time(Timestamp),
}

/// A log to open. Time stamps are always asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLog {
    /// Pod.
    pub pod: String,
    /// Container.
    pub container: String,
    /// Go on as it grows, until the container ends.
    pub follow: bool,
    /// The instance before the newest one.
    pub previous: bool,
    /// Last lines only.
    pub tail: Option<i64>,
    /// Lines from then on only.
    pub since: Option<Since>,
}

/// Why a log can't be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The container has not started, or has no such instance (400).
    NotStarted(String),
    /// No such pod (404).
    Gone,
    /// Not allowed (401, 403); the server's words.
    Forbidden(String),
    /// Trouble that may pass: no network, 429, 5xx, a node that doesn't answer.
    Passing(String),
    /// Refused for good.
    Refused(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gone => f.write_str("the pod is gone"),
            Self::NotStarted(text)
            | Self::Forbidden(text)
            | Self::Passing(text)
            | Self::Refused(text) => f.write_str(text),
        }
    }
}

/// Something logs can be read from.
pub trait LogSource {
    /// The bytes of one log.
    type Reader: AsyncBufRead + Unpin + 'static;

    /// Opens a log.
    fn open(&self, log: &OpenLog) -> impl Future<Output = Result<Self::Reader, OpenError>>;

    /// The pod of that name as it is now; none if there is none, or if it isn't one of a run.
    fn pod(&self, name: &str) -> impl Future<Output = Result<Option<PodNow>, OpenError>>;
}

/// The logs of a namespace in a cluster.
#[derive(Clone, Debug)]
pub struct KubeSource {
    pods: Api<Pod>,
}

impl KubeSource {
    /// Logs of the pods of that namespace.
    #[must_use]
    pub fn new(client: kube::Client, namespace: &str) -> Self {
        Self {
            pods: Api::namespaced(client, namespace),
        }
    }

    /// All pods of a run, by the UID of its record.
    ///
    /// # Errors
    /// Whatever the server says.
    pub async fn pods(&self, run_uid: &str) -> kube::Result<Vec<PodNow>> {
        let selector = format!("{}={run_uid}", names::JOBSET_UID);
        let mut params = ListParams::default().labels(&selector).limit(PAGE);
        let mut pods = Vec::new();
        loop {
            let page = self.pods.list(&params).await?;
            pods.extend(page.items.iter().filter_map(PodNow::read));
            match page.metadata.continue_ {
                Some(token) if !token.is_empty() => params.continue_token = Some(token),
                _ => return Ok(pods),
            }
        }
    }
}

impl LogSource for KubeSource {
    type Reader = Pin<Box<dyn AsyncBufRead>>;

    async fn open(&self, log: &OpenLog) -> Result<Self::Reader, OpenError> {
        let mut params = LogParams {
            container: Some(log.container.clone()),
            follow: log.follow,
            previous: log.previous,
            tail_lines: log.tail,
            timestamps: true,
            ..LogParams::default()
        };
        match log.since {
            None => {}
            Some(Since::Ago(seconds)) => params.since_seconds = Some(seconds),
            // The client would round up to the next second, which loses lines.
            Some(Since::Time(time)) => {
                let whole = Timestamp::from_second(time.as_second());
                params.since_time = Some(whole.unwrap_or(time));
            }
        }
        match tokio::time::timeout(OPENING, self.pods.log_stream(&log.pod, &params)).await {
            Ok(Ok(reader)) => Ok(Box::pin(reader)),
            Ok(Err(error)) => Err(open_error(error)),
            Err(_) => Err(OpenError::Passing(format!(
                "no answer for {}s",
                OPENING.as_secs()
            ))),
        }
    }

    async fn pod(&self, name: &str) -> Result<Option<PodNow>, OpenError> {
        match self.pods.get_opt(name).await {
            Ok(pod) => Ok(pod.as_ref().and_then(PodNow::read)),
            Err(error) => Err(open_error(error)),
        }
    }
}

fn open_error(error: kube::Error) -> OpenError {
    match error {
        kube::Error::Api(status) => {
            let text = status.message.clone();
            match status.code {
                400 => OpenError::NotStarted(text),
                404 => OpenError::Gone,
                401 | 403 => OpenError::Forbidden(text),
                429 | 500..=599 => OpenError::Passing(text),
                _ => OpenError::Refused(text),
            }
        }
        other => OpenError::Passing(other.to_string()),
    }
}

/// Whole seconds of a `--since`, rounded up as kubectl does, at least 1.
#[must_use]
pub fn ago(since: Duration) -> Since {
    let whole = since.as_secs() + u64::from(since.subsec_nanos() > 0);
    Since::Ago(i64::try_from(whole.max(1)).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_rounded_up_and_never_zero() {
        for (millis, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (90_000, 90)] {
            assert_eq!(ago(Duration::from_millis(millis)), Since::Ago(seconds));
        }
    }
}
