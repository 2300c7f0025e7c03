//! What bytes come from: a trait, and the API server behind it. Tests put a script in its place.

use std::time::Duration;

use futures::io::AsyncBufRead;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::Timestamp;

use crate::api::names;
use crate::driver::kube::logs::{self, LogQuery, LogReader};
use crate::driver::kube::{Call, Connection, Failure, Resource, Trouble, list};
use crate::logs::pod::PodNow;

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
    /// Not allowed (403); the server's words.
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
    conn: Connection,
    namespace: String,
}

impl KubeSource {
    /// Logs of the pods of that namespace.
    #[must_use]
    pub fn new(conn: &Connection, namespace: &str) -> Self {
        Self {
            conn: conn.clone(),
            namespace: namespace.to_owned(),
        }
    }

    /// All pods of a run, by the UID of its record.
    ///
    /// # Errors
    /// No contact, no right.
    pub async fn pods(&self, run_uid: &str) -> Result<Vec<PodNow>, Failure> {
        let selector = format!("{}={run_uid}", names::JOBSET_UID);
        let call =
            Call::list(Resource::Pods, Some(&self.namespace)).query("labelSelector", selector);
        let listed = list::all::<Pod>(&self.conn, &call).await?;
        Ok(listed.items.iter().filter_map(PodNow::read).collect())
    }
}

impl LogSource for KubeSource {
    type Reader = LogReader;

    async fn open(&self, log: &OpenLog) -> Result<LogReader, OpenError> {
        let mut query = LogQuery {
            container: log.container.clone(),
            follow: log.follow,
            previous: log.previous,
            tail: log.tail.map(|tail| u32::try_from(tail).unwrap_or(u32::MAX)),
            timestamps: true,
            ..LogQuery::default()
        };
        match log.since {
            None => {}
            Some(Since::Ago(seconds)) => {
                query.since_seconds = Some(u32::try_from(seconds).unwrap_or(u32::MAX));
            }
            Some(Since::Time(time)) => query.since_time = Some(time),
        }
        logs::open(&self.conn, &self.namespace, &log.pod, &query)
            .await
            .map_err(open_error)
    }

    async fn pod(&self, name: &str) -> Result<Option<PodNow>, OpenError> {
        let call = Call::get(Resource::Pods, &self.namespace, name);
        match self
            .conn
            .send_once(&call)
            .await
            .and_then(|answer| answer.json::<Pod>())
        {
            Ok(pod) => Ok(PodNow::read(&pod)),
            Err(failure) if failure.trouble == Trouble::NotFound => Ok(None),
            Err(failure) => Err(open_error(failure)),
        }
    }
}

fn open_error(failure: Failure) -> OpenError {
    let text = failure.message;
    match failure.trouble {
        Trouble::Invalid => OpenError::NotStarted(text),
        Trouble::NotFound => OpenError::Gone,
        Trouble::Forbidden => OpenError::Forbidden(text),
        trouble if trouble.passes() => OpenError::Passing(text),
        Trouble::Garbled => OpenError::Passing(text),
        _ => OpenError::Refused(text),
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
