//! Runs as they change: the same parts that one look gives, kept up to date by watches.

use std::collections::BTreeMap;

use futures::StreamExt as _;
use futures::stream::{self, LocalBoxStream};
use k8s_openapi::jiff::SignedDuration;

use crate::api::names;
use crate::cli::runs::Parts;
use crate::driver::clock;
use crate::driver::kube::feed::{Change, Start, Target, feed};
use crate::driver::kube::list::Children;
use crate::driver::kube::{Connection, Resource, convert, slim};
use crate::driver::lease::Leases;
use crate::driver::record::Record;
use crate::driver::record::configmap::{self, ConfigMap};
use crate::engine::input::{JobSeen, PodSeen};
use crate::error::Result;
use crate::report::view::RunId;

/// Changes that come within this time are shown together: a Job of 100 pods that starts is not 100
/// lines.
const TOGETHER: SignedDuration = SignedDuration::from_millis(500);

/// What is watched.
#[derive(Clone, Debug)]
pub(super) enum Scope {
    /// One run.
    Run(RunId),
    /// Every run of a namespace.
    Namespace(String),
    /// Every run.
    Everywhere,
}

/// A change of any kind.
enum Any {
    Record(Change<ConfigMap>),
    Job(Change<slim::Job>),
    Pod(Change<slim::Pod>),
}

/// Objects of one kind by UID, with the UID of the run that each belongs to.
struct Kept<T> {
    objects: BTreeMap<String, (String, T)>,
    listed: bool,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            listed: false,
        }
    }
}

/// Runs, kept up to date.
pub(super) struct Live {
    conn: Connection,
    everywhere: bool,
    changes: LocalBoxStream<'static, Any>,
    records: Kept<Record>,
    jobs: Kept<JobSeen>,
    pods: Kept<PodSeen>,
    /// What the server refuses, or what can't be read; to be told.
    complaints: Vec<String>,
}

impl Live {
    /// Begins to watch.
    #[must_use]
    pub(super) fn new(conn: &Connection, scope: &Scope) -> Self {
        let namespace = match scope {
            Scope::Run(run) => run.namespace.clone(),
            Scope::Namespace(namespace) => namespace.clone(),
            Scope::Everywhere => String::new(),
        };
        let (children, records) = match scope {
            Scope::Run(run) => (
                Children::OfRun {
                    uid: run.uid.clone(),
                },
                (
                    "fieldSelector",
                    format!("metadata.name={}", names::record_name(&run.name)),
                ),
            ),
            Scope::Namespace(_) | Scope::Everywhere => (
                Children::OfAllRuns,
                ("labelSelector", names::RECORD_LABEL.to_owned()),
            ),
        };
        let target = |resource, selector| Target {
            resource,
            namespace: namespace.clone(),
            selector,
            start: Start::List,
        };
        let children = || ("labelSelector", children.selector());
        let changes = [
            feed::<ConfigMap>(conn, target(Resource::ConfigMaps, records))
                .map(Any::Record)
                .boxed_local(),
            feed::<slim::Job>(conn, target(Resource::Jobs, children()))
                .map(Any::Job)
                .boxed_local(),
            feed::<slim::Pod>(conn, target(Resource::Pods, children()))
                .map(Any::Pod)
                .boxed_local(),
        ];
        Self {
            conn: conn.clone(),
            everywhere: matches!(scope, Scope::Everywhere),
            changes: stream::select_all(changes).boxed_local(),
            records: Kept::default(),
            jobs: Kept::default(),
            pods: Kept::default(),
            complaints: Vec::new(),
        }
    }

    /// The runs, first as they are, then whenever something has changed and no more has for a moment.
    ///
    /// # Errors
    /// Leases can't be listed.
    pub(super) async fn next(&mut self) -> Result<Vec<Parts>> {
        if let Some(change) = self.changes.next().await {
            self.take(change);
        }
        while !(self.records.listed && self.jobs.listed && self.pods.listed) {
            match self.changes.next().await {
                Some(change) => self.take(change),
                None => break,
            }
        }
        let quiet = clock::sleep(TOGETHER);
        tokio::pin!(quiet);
        loop {
            tokio::select! {
                () = &mut quiet => break,
                change = self.changes.next() => match change {
                    Some(change) => self.take(change),
                    None => break,
                },
            }
        }
        let leases = Leases::new(&self.conn, self.conn.namespace());
        let leases = leases.list(self.everywhere).await?;
        let records = self.records.objects.values();
        Ok(records
            .map(|(uid, record)| Parts {
                notices: Vec::new(),
                record: record.clone(),
                lease: leases
                    .iter()
                    .find(|l| l.namespace == record.namespace && l.jobset == record.name)
                    .cloned(),
                jobs: self.jobs.of(uid),
                pods: self.pods.of(uid),
            })
            .collect())
    }

    /// What could not be seen since the last time, to be told.
    pub(super) fn take_complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.complaints)
    }

    fn take(&mut self, change: Any) {
        let complaints = &mut self.complaints;
        match change {
            Any::Record(change) => self.records.take(change, complaints, |map| {
                let uid = map.metadata.uid.clone();
                match configmap::decode(map) {
                    Ok(record) => Ok((uid.clone(), uid, record)),
                    Err(error) => Err((uid, Some(error.to_string()))),
                }
            }),
            Any::Job(change) => self.jobs.take(change, complaints, |job| {
                let (uid, run) = (job.metadata.uid.clone(), run_of(&job.metadata));
                match convert::job(job) {
                    Some(job) => Ok((uid, run, job)),
                    None => Err((uid, None)),
                }
            }),
            Any::Pod(change) => self.pods.take(change, complaints, |pod| {
                let (uid, run) = (pod.metadata.uid.clone(), run_of(&pod.metadata));
                match convert::pod(pod) {
                    Some(pod) => Ok((uid, run, pod)),
                    None => Err((uid, None)),
                }
            }),
        }
    }
}

fn run_of(meta: &slim::Meta) -> String {
    meta.labels.jobset_uid.clone().unwrap_or_default()
}

/// UID, UID of the run, object; or UID and what is wrong, if anybody should know.
type Read<T> = std::result::Result<(String, String, T), (String, Option<String>)>;

impl<T: Clone> Kept<T> {
    fn of(&self, run: &str) -> Vec<T> {
        let mine = self.objects.values().filter(|(r, _)| r == run);
        mine.map(|(_, object)| object.clone()).collect()
    }

    fn take<W>(
        &mut self,
        change: Change<W>,
        complaints: &mut Vec<String>,
        read: impl Fn(W) -> Read<T>,
    ) {
        let mut keep = |kept: &mut BTreeMap<String, (String, T)>, object| match read(object) {
            Ok((uid, run, object)) => {
                kept.insert(uid, (run, object));
            }
            Err((uid, complaint)) => {
                kept.remove(&uid);
                complaints.extend(complaint);
            }
        };
        match change {
            Change::Listed(all) => {
                self.listed = true;
                self.objects.clear();
                for object in all {
                    keep(&mut self.objects, object);
                }
            }
            Change::Applied(object) => keep(&mut self.objects, object),
            Change::Deleted(object) => match read(object) {
                Ok((uid, ..)) | Err((uid, _)) => {
                    self.objects.remove(&uid);
                }
            },
            // A list that is refused is as complete as it gets.
            Change::Refused(failure) => {
                self.listed = true;
                complaints.push(failure.to_string());
            }
            Change::Allowed => {}
        }
    }
}
