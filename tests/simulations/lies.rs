//! Deliberate breaks: of requests on their way, and of a driver's dealings with its cluster.

use std::cell::Cell;

use futures::StreamExt as _;
use futures::stream::LocalBoxStream;
use http::request::Parts;
use k8s_openapi::jiff::Timestamp;
use kubectl_jobset::api::names;
use kubectl_jobset::driver::kube::run::KubeRun;
use kubectl_jobset::driver::port::{Cluster, LeaseAnswer, Seen};
use kubectl_jobset::driver::record::{Record, RecordEvent, WriteError};
use kubectl_jobset::engine::input::ActionResult;
use kubectl_jobset::engine::{Action, Observation, Outcome};
use kubectl_jobset::error::Result;
use serde_json::Value;

/// Changes a request on its way.
pub(crate) type Wire = fn(&mut Parts, &mut Vec<u8>);

/// What a driver does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// The first role is created as the last one.
    LastRoleFirst,
    /// Pods are not seen.
    Blind,
    /// Deletions are not sent.
    NoDeletes,
    /// The record is not written.
    NoWrites,
    /// A restart is written as two.
    TwoForOne,
    /// A run that starts is written as completed.
    Completed,
    /// A restart is written without anything having failed.
    ForNothing,
    /// The seat is kept, whoever has it.
    KeepsTheSeat,
}

/// A cluster that a driver deals with wrongly.
pub(crate) struct Liar {
    run: KubeRun,
    lie: Option<Lie>,
    told: Cell<bool>,
}

impl Liar {
    pub(crate) fn new(run: KubeRun, lie: Option<Lie>) -> Self {
        Self {
            run,
            lie,
            told: Cell::new(false),
        }
    }

    fn is(&self, lie: Lie) -> bool {
        self.lie == Some(lie)
    }
}

impl Cluster for Liar {
    async fn perform(&self, action: &Action) -> ActionResult {
        match action {
            Action::CreateJob {
                role: 0,
                index,
                restarts,
                job_restarts,
                suspend,
            } if self.is(Lie::LastRoleFirst) => {
                let (index, restarts, job_restarts) = (*index, *restarts, *job_restarts);
                let last = Action::CreateJob {
                    role: 2,
                    index,
                    restarts,
                    job_restarts,
                    suspend: *suspend,
                };
                self.run.perform(&last).await
            }
            Action::DeleteJob { .. } if self.is(Lie::NoDeletes) => ActionResult::Ok { uid: None },
            _ => self.run.perform(action).await,
        }
    }

    fn trust(&self, until: Timestamp) {
        self.run.trust(until);
    }

    async fn last_lines(&self, pod: &str, container: &str, previous: bool, n: u32) -> Vec<String> {
        self.run.last_lines(pod, container, previous, n).await
    }

    fn watch(&self) -> LocalBoxStream<'_, Seen> {
        if !self.is(Lie::Blind) {
            return self.run.watch();
        }
        let seen = self.run.watch().filter_map(|seen| async {
            match seen {
                Seen::Fact(Observation::Pod(_)) => None,
                Seen::Fact(Observation::PodsListed(_)) => {
                    Some(Seen::Fact(Observation::PodsListed(Vec::new())))
                }
                other => Some(other),
            }
        });
        seen.boxed_local()
    }

    fn watch_record(&self) -> LocalBoxStream<'_, RecordEvent> {
        if self.is(Lie::KeepsTheSeat) {
            return Box::pin(futures::stream::pending());
        }
        self.run.watch_record()
    }

    async fn write_record(&self, record: &Record) -> std::result::Result<Record, WriteError> {
        let mut record = record.clone();
        let status = &mut record.state.status;
        match self.lie {
            Some(Lie::NoWrites) => return Ok(record),
            Some(Lie::TwoForOne) if status.restarts == 1 => status.restarts = 2,
            Some(Lie::ForNothing) if status.restarts == 0 && !self.told.replace(true) => {
                status.restarts = 1;
                status.restarts_count_towards_max = 1;
            }
            Some(Lie::Completed) => {
                status.terminal_state = Some("Completed".to_owned());
                record.state.outcome = Some(Outcome::Completed);
            }
            _ => {}
        }
        self.run.write_record(&record).await
    }

    async fn read_record(&self) -> Result<Option<Record>> {
        let read = self.run.read_record().await?;
        Ok(read.map(|mut record| {
            if self.is(Lie::KeepsTheSeat) {
                record.seat.epoch = 1;
            }
            record
        }))
    }

    async fn renew_lease(&self) -> LeaseAnswer {
        if self.is(Lie::KeepsTheSeat) {
            return LeaseAnswer::Held;
        }
        self.run.renew_lease().await
    }

    async fn release_lease(&self) {
        self.run.release_lease().await;
    }
}

/// Jobs are deleted without a propagation policy, as a plain DELETE does.
pub(crate) fn plain_deletes(head: &mut Parts, body: &mut Vec<u8>) {
    if head.method == http::Method::DELETE && head.uri.path().contains("/jobs/") {
        edit(body, |options| {
            options.remove("propagationPolicy");
        });
    }
}

/// Jobs are deleted in the background: gone at once, their pods live on.
pub(crate) fn background_deletes(head: &mut Parts, body: &mut Vec<u8>) {
    if head.method == http::Method::DELETE && head.uri.path().contains("/jobs/") {
        edit(body, |options| {
            options.insert("propagationPolicy".to_owned(), "Background".into());
        });
    }
}

/// What is made has no owner.
pub(crate) fn no_owners(head: &mut Parts, body: &mut Vec<u8>) {
    if head.method == http::Method::POST && head.uri.path().ends_with("/jobs") {
        edit(body, |object| {
            if let Some(Value::Object(meta)) = object.get_mut("metadata") {
                meta.remove("ownerReferences");
            }
        });
    }
}

/// The second Job of a role says that it is the first.
pub(crate) fn same_index(head: &mut Parts, body: &mut Vec<u8>) {
    if head.method == http::Method::POST && head.uri.path().ends_with("/jobs") {
        edit(body, |object| {
            let labels = object.get_mut("metadata").and_then(|m| m.get_mut("labels"));
            if let Some(Value::Object(labels)) = labels {
                labels.insert(names::JOB_INDEX.to_owned(), "0".into());
            }
        });
    }
}

fn edit(body: &mut Vec<u8>, change: impl FnOnce(&mut serde_json::Map<String, Value>)) {
    if let Ok(Value::Object(mut object)) = serde_json::from_slice(body) {
        change(&mut object);
        *body = Value::Object(object).to_string().into_bytes();
    }
}
