//! One run in a real cluster: the [`Cluster`] that a session drives.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use futures::stream::LocalBoxStream;
use k8s_openapi::jiff::Timestamp;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::driver::kube::retry::IN_FLIGHT;
use crate::driver::kube::wanted::Wanted;
use crate::driver::kube::{Applier, Connection, Scope, logs, watch_run};
use crate::driver::lease::Leases;
use crate::driver::port::{Cluster, LeaseAnswer, Seen};
use crate::driver::record::{Record, RecordEvent, Records, WriteError};
use crate::engine::Action;
use crate::engine::build::{self, Identity, JobBuilder, OwnerRef};
use crate::engine::input::ActionResult;
use crate::error::Result;

/// Longest wait for the last lines of one container: shorter than the engine waits for them, so that
/// what was read in that time is still taken.
const LINES_WITHIN: Duration = Duration::from_millis(2_500);

/// Jobs that are built and wait for being sent, or are being sent.
const BUILT_AHEAD: usize = 2 * IN_FLIGHT;

/// A run, its record and its Lease in a namespace.
#[derive(Debug)]
pub struct KubeRun {
    conn: Connection,
    namespace: String,
    name: String,
    holder: String,
    records: Records,
    leases: Leases,
    applier: Applier,
    jobs: JobBuilder,
    service: Option<Value>,
    scope: Scope,
    owner: OwnerRef,
    building: Semaphore,
    wanted: RefCell<Wanted>,
    /// As it was taken up, until it is watched.
    record: RefCell<Option<Record>>,
    watched: Cell<bool>,
}

impl KubeRun {
    /// The run of `record`, driven by `holder`. Calls try again for as long as they are awaited.
    #[must_use]
    pub fn new(conn: &Connection, record: &Record, holder: &str) -> Self {
        let conn = conn.patient();
        let owner = record.owner();
        let identity = Identity {
            run_uid: record.uid.clone(),
            owner: owner.clone(),
        };
        let service = build::service(&record.jobset, &record.namespace, Some(&identity));
        Self {
            records: Records::new(&conn, &record.namespace),
            leases: Leases::new(&conn, &record.namespace),
            applier: Applier::new(&conn, &record.namespace),
            jobs: JobBuilder::new(&record.jobset, &record.namespace, Some(&identity)),
            scope: Scope {
                namespace: record.namespace.clone(),
                jobset: record.name.clone(),
                uid: record.uid.clone(),
                since: record.created,
                service: service
                    .as_ref()
                    .and_then(|s| s["metadata"]["name"].as_str().map(str::to_owned)),
                new: false,
            },
            service,
            owner,
            namespace: record.namespace.clone(),
            name: record.name.clone(),
            holder: holder.to_owned(),
            building: Semaphore::new(BUILT_AHEAD),
            wanted: RefCell::new(Wanted::of(&record.state, record.jobset.suspended())),
            record: RefCell::new(Some(record.clone())),
            watched: Cell::new(false),
            conn,
        }
    }

    /// The record has just been made, and nothing of the run yet: lists that can only be empty are not
    /// asked for.
    #[must_use]
    pub fn just_made(mut self) -> Self {
        self.scope.new = true;
        self
    }
}

/// The engine only asks for what the spec has.
fn impossible(what: &str) -> ActionResult {
    ActionResult::Refused {
        code: 0,
        reason: "Internal".to_owned(),
        message: format!("the spec has no such {what}"),
    }
}

impl Cluster for KubeRun {
    async fn perform(&self, action: &Action) -> ActionResult {
        match action {
            Action::CreateService => match &self.service {
                Some(service) => self.applier.create_service(service).await,
                None => impossible("service"),
            },
            Action::CreateJob {
                role,
                index,
                restarts,
                job_restarts,
                suspend,
            } => {
                let wanted = || {
                    let wanted = self.wanted.borrow();
                    wanted.job((*role, *index), (*restarts, *job_restarts), *suspend)
                };
                // Built when its turn has come, so that 1,000 of them don't wait in memory.
                let _turn = self.building.acquire().await;
                match self
                    .jobs
                    .job(*role, *index, *restarts, *job_restarts, *suspend)
                {
                    Some(job) => self.applier.create_job(&job, wanted).await,
                    None => impossible("job"),
                }
            }
            Action::DeleteJob { name, uid, .. } => self.applier.delete_job(name, uid).await,
            Action::SuspendJob { name, uid } => self.applier.suspend_job(name, uid).await,
            Action::ResumeJob {
                name,
                uid,
                clear_start_time,
                template,
            } => {
                self.applier
                    .resume_job(name, uid, *clear_start_time, template.as_ref())
                    .await
            }
            Action::KeepEvidence { .. } => impossible("call"),
        }
    }

    fn trust(&self, until: Timestamp) {
        self.applier.fence.open_until(until);
    }

    async fn last_lines(
        &self,
        pod: &str,
        container: &str,
        previous: bool,
        lines: u32,
    ) -> Vec<String> {
        logs::tail(
            &self.conn,
            &self.namespace,
            pod,
            container,
            previous,
            lines,
            LINES_WITHIN,
        )
        .await
    }

    fn watch(&self) -> LocalBoxStream<'_, Seen> {
        if self.watched.replace(true) {
            // We have been away: so may be the other ends of our connections.
            self.conn.leave_connections();
            let scope = Scope {
                new: false,
                ..self.scope.clone()
            };
            return watch_run(&self.conn, &scope);
        }
        watch_run(&self.conn, &self.scope)
    }

    fn watch_record(&self) -> LocalBoxStream<'_, RecordEvent> {
        match self.record.take() {
            Some(record) => self.records.watch_since(&record),
            None => self.records.watch(&self.name),
        }
    }

    async fn write_record(&self, record: &Record) -> std::result::Result<Record, WriteError> {
        *self.wanted.borrow_mut() = Wanted::of(&record.state, record.jobset.suspended());
        self.records.replace(record).await
    }

    async fn read_record(&self) -> Result<Option<Record>> {
        self.records.get(&self.name).await
    }

    async fn renew_lease(&self) -> LeaseAnswer {
        self.leases
            .renew(&self.name, &self.holder, &self.owner)
            .await
    }

    async fn release_lease(&self) {
        self.leases.release(&self.name, &self.holder).await;
    }
}
