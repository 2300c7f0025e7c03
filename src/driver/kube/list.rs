//! Complete lists, page by page.

use k8s_openapi::jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::api::names;
use crate::driver::kube::call::Call;
use crate::driver::kube::client::Connection;
use crate::driver::kube::convert;
use crate::driver::kube::error::{Failure, Trouble};
use crate::driver::kube::resource::Resource;
use crate::driver::kube::slim::{self, Page};
use crate::engine::input::{JobSeen, Observation, PodSeen};

/// Objects per page, as kubectl has it: an API server and its etcd stay responsive.
pub const PAGE: u32 = 500;
/// Lists that are begun anew because their continue token ran out, before that is an error: a list
/// that takes longer than the server keeps versions for (5 minutes) will not be quicker next time.
const RESTARTS: u32 = 3;

/// A whole list and its version.
#[derive(Debug)]
pub struct Listed<T> {
    /// Objects.
    pub items: Vec<T>,
    /// Where a watch goes on.
    pub resource_version: String,
}

/// Follows a list call to its end.
///
/// # Errors
///
/// As [`Connection::send`].
pub async fn all<T: DeserializeOwned>(
    conn: &Connection,
    call: &Call,
) -> Result<Listed<T>, Failure> {
    let call = call.clone().query("limit", PAGE.to_string());
    let mut restarts = 0;
    'list: loop {
        let mut items = Vec::new();
        let mut token = String::new();
        loop {
            let page = if token.is_empty() {
                call.clone()
            } else {
                call.clone().query("continue", token)
            };
            let page: Page<T> = match conn.send(&page).await {
                Ok(answer) => answer.json()?,
                Err(failure) if failure.trouble == Trouble::Gone && restarts < RESTARTS => {
                    restarts += 1;
                    continue 'list;
                }
                Err(failure) => return Err(failure),
            };
            items.extend(page.items.unwrap_or_default());
            if page.metadata.continue_.is_empty() {
                return Ok(Listed {
                    items,
                    resource_version: page.metadata.resource_version,
                });
            }
            token = page.metadata.continue_;
        }
    }
}

/// Which children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Children {
    /// Those of one run.
    OfRun {
        /// UID of its record.
        uid: String,
    },
    /// Those of every run, and of other JobSet controllers: compare [`Child::run`].
    OfAllRuns,
}

/// A child and the run it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Child<T> {
    /// Namespace.
    pub namespace: String,
    /// Label jobset-uid.
    pub run: String,
    /// The child.
    pub seen: T,
}

impl Children {
    /// The label selector.
    #[must_use]
    pub fn selector(&self) -> String {
        match self {
            Self::OfRun { uid } => format!("{}={uid}", names::JOBSET_UID),
            Self::OfAllRuns => names::JOBSET_UID.to_owned(),
        }
    }
}

/// Lists Jobs once; without a namespace: in all of them.
///
/// # Errors
///
/// As [`Connection::send`].
pub async fn list_jobs(
    conn: &Connection,
    namespace: Option<&str>,
    which: &Children,
) -> Result<Vec<Child<JobSeen>>, Failure> {
    let call = Call::list(Resource::Jobs, namespace).query("labelSelector", which.selector());
    let listed = all::<slim::Job>(conn, &call).await?;
    Ok(listed
        .items
        .into_iter()
        .filter_map(|job| {
            let (namespace, run) = home(&job.metadata)?;
            Some(Child {
                namespace,
                run,
                seen: convert::job(job)?,
            })
        })
        .collect())
}

/// Lists pods once; without a namespace: in all of them.
///
/// # Errors
///
/// As [`Connection::send`].
pub async fn list_pods(
    conn: &Connection,
    namespace: Option<&str>,
    which: &Children,
) -> Result<Vec<Child<PodSeen>>, Failure> {
    let call = Call::list(Resource::Pods, namespace).query("labelSelector", which.selector());
    let listed = all::<slim::Pod>(conn, &call).await?;
    Ok(listed
        .items
        .into_iter()
        .filter_map(|pod| {
            let (namespace, run) = home(&pod.metadata)?;
            Some(Child {
                namespace,
                run,
                seen: convert::pod(pod)?,
            })
        })
        .collect())
}

/// Warnings about the Jobs of a run, whose name and beginning are given: why a Job has no pods.
///
/// # Errors
///
/// As [`Connection::send`].
pub async fn list_job_warnings(
    conn: &Connection,
    namespace: &str,
    jobset: &str,
    since: Timestamp,
) -> Result<Vec<Observation>, Failure> {
    let call = Call::list(Resource::Events, Some(namespace))
        .query("fieldSelector", "type=Warning,involvedObject.kind=Job");
    let listed = all::<slim::Event>(conn, &call).await?;
    Ok(listed
        .items
        .into_iter()
        .filter_map(|event| convert::notice_of_run(event, jobset, since))
        .collect())
}

fn home(meta: &slim::Meta) -> Option<(String, String)> {
    Some((meta.namespace.clone(), meta.labels.jobset_uid.clone()?))
}
