//! Runs as `status` shows them: records, Leases, Jobs and pods put together by the engine that would
//! drive them, so that every command says the same.

use std::collections::BTreeMap;

use k8s_openapi::jiff::Timestamp;

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::driver::clock;
use crate::driver::kube::list::{Child, Children, list_job_warnings, list_jobs, list_pods};
use crate::driver::kube::{Connection, Failure};
use crate::driver::lease::{LeaseSeen, Leases};
use crate::driver::record::{Record, Records};
use crate::engine::Observation;
use crate::engine::input::{JobSeen, PodSeen};
use crate::engine::snapshot::StateWord;
use crate::error::Result;
use crate::report::view::{DriverView, RunId, RunView};

/// What the server has of one run.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// Record.
    pub(super) record: Record,
    /// Lease, if there is one.
    pub(super) lease: Option<LeaseSeen>,
    /// Jobs.
    pub(super) jobs: Vec<JobSeen>,
    /// Pods.
    pub(super) pods: Vec<PodSeen>,
    /// Why Jobs have no pods, where that was asked.
    pub(super) notices: Vec<Observation>,
}

/// All runs of the namespace, or of all. Four lists, at the same time.
///
/// # Errors
/// No contact, no right.
pub(super) async fn all(conn: &Connection, all_namespaces: bool) -> Result<Vec<Parts>> {
    let namespace = (!all_namespaces).then(|| conn.namespace());
    let records = Records::new(conn, conn.namespace());
    let leases = Leases::new(conn, conn.namespace());
    let which = Children::OfAllRuns;
    let (records, leases, jobs, pods) = futures::join!(
        records.list(all_namespaces),
        leases.list(all_namespaces),
        list_jobs(conn, namespace, &which),
        list_pods(conn, namespace, &which),
    );
    let records = records?;
    let mut jobs = by_run(jobs.map_err(|f| cannot_list(conn, &f, "jobs"))?);
    let mut pods = by_run(pods.map_err(|f| cannot_list(conn, &f, "pods"))?);
    let leases = leases?;
    Ok(records
        .into_iter()
        .map(|record| Parts {
            lease: leases
                .iter()
                .find(|l| l.namespace == record.namespace && l.jobset == record.name)
                .cloned(),
            jobs: jobs.remove(&record.uid).unwrap_or_default(),
            pods: pods.remove(&record.uid).unwrap_or_default(),
            notices: Vec::new(),
            record,
        })
        .collect())
}

/// What there is of one run: three requests at the same time, and one more where a Job has no pods and
/// should have some.
///
/// # Errors
/// No contact, no right.
pub(super) async fn one(conn: &Connection, record: Record) -> Result<Parts> {
    let leases = Leases::new(conn, &record.namespace);
    let which = Children::OfRun {
        uid: record.uid.clone(),
    };
    let namespace = Some(record.namespace.as_str());
    let (lease, jobs, pods) = futures::join!(
        leases.read(&record.name),
        list_jobs(conn, namespace, &which),
        list_pods(conn, namespace, &which),
    );
    let jobs: Vec<JobSeen> = seen(jobs.map_err(|f| cannot_list(conn, &f, "jobs"))?);
    let pods: Vec<PodSeen> = seen(pods.map_err(|f| cannot_list(conn, &f, "pods"))?);
    let notices = if jobs.iter().any(|job| lacks_pods(job, &pods)) {
        let warnings =
            list_job_warnings(conn, &record.namespace, &record.name, record.created).await;
        // No must: without the right to read events there is no reason to show.
        warnings.unwrap_or_default()
    } else {
        Vec::new()
    };
    Ok(Parts {
        lease: lease?,
        jobs,
        pods,
        notices,
        record,
    })
}

/// It should run, and has no pod.
fn lacks_pods(job: &JobSeen, pods: &[PodSeen]) -> bool {
    let goes_on = !job.suspend
        && job.deleting_since.is_none()
        && job.complete.is_none()
        && job.failed_condition.is_none()
        && job.failure_target.is_none();
    goes_on
        && !pods
            .iter()
            .any(|pod| pod.role == job.role && pod.job_index == job.index)
}

fn cannot_list(conn: &Connection, failure: &Failure, what: &str) -> crate::Error {
    conn.error(failure, &format!("{what} can't be listed"))
}

fn seen<T>(children: Vec<Child<T>>) -> Vec<T> {
    children.into_iter().map(|child| child.seen).collect()
}

fn by_run<T>(children: Vec<Child<T>>) -> BTreeMap<String, Vec<T>> {
    let mut runs: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for child in children {
        runs.entry(child.run).or_default().push(child.seen);
    }
    runs
}

/// The server's time, as far as it is known: ages and Leases are measured by it.
#[must_use]
pub(super) fn now(conn: &Connection) -> Timestamp {
    conn.server_now().unwrap_or_else(clock::now)
}

/// The run as it is shown.
#[must_use]
pub(super) fn view(app: &App, parts: Parts, now: Timestamp) -> RunView {
    let Parts {
        record,
        lease,
        jobs,
        pods,
        notices,
    } = parts;
    let flags = app.run_flags(&record.namespace);
    let id = RunId {
        namespace: record.namespace.clone(),
        name: record.name.clone(),
        uid: record.uid.clone(),
    };
    let reference = record.reference();
    let mut engine = record.engine_of_an_onlooker(now);
    engine.observe(Observation::JobsListed(jobs), now);
    engine.observe(Observation::PodsListed(pods), now);
    for notice in notices {
        engine.observe(notice, now);
    }
    RunView {
        id,
        record: reference,
        created: record.created,
        snapshot: engine.snapshot(now),
        failure_policy: engine.roles_not_enforced().failure_policy,
        state: record.state,
        driver: driver(lease),
        flags,
    }
}

/// The Lease as people read it: without what tells one process from another.
#[must_use]
pub(super) fn driver(lease: Option<LeaseSeen>) -> DriverView {
    let Some(lease) = lease else {
        return DriverView::default();
    };
    DriverView {
        holder: lease.holder.as_deref().map(person),
        renewed: lease.renewed,
        live: lease.live,
    }
}

/// `ada@laptop` of `ada@laptop/4711`.
#[must_use]
pub(super) fn person(holder: &str) -> String {
    holder.split('/').next().unwrap_or_default().to_owned()
}

/// What `status --exit-code` returns: the code of the outcome, of a suspension, or "not finished".
#[must_use]
pub(super) fn exit_code(run: &RunView) -> ExitCode {
    match (&run.state.outcome, run.snapshot.state) {
        (Some(outcome), _) => outcome.into(),
        (None, StateWord::Suspended) => ExitCode::Stopped,
        (None, _) => ExitCode::NotFinished,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Outcome, RunState, Snapshot};

    fn run(state: StateWord, outcome: Option<Outcome>) -> RunView {
        RunView {
            id: RunId::default(),
            record: String::new(),
            created: Timestamp::UNIX_EPOCH,
            snapshot: Snapshot {
                state,
                reason: None,
                attempt: 0,
                restarts_counted: 0,
                restarts: 0,
                max_restarts: None,
                started: None,
                attempt_started: None,
                finished: None,
                roles: Vec::new(),
                pods_replaced: 0,
            },
            state: RunState {
                outcome,
                ..RunState::default()
            },
            failure_policy: false,
            driver: DriverView::default(),
            flags: String::new(),
        }
    }

    /// cli.md 4: the code of the outcome, 13 while suspended, 21 while it is not finished.
    #[test]
    fn exit_codes_of_status() {
        let stopped = Outcome::Stopped {
            by: "ada".to_owned(),
        };
        for (state, outcome, code) in [
            (StateWord::Completed, Some(Outcome::Completed), 0),
            (StateWord::Failed, Some(Outcome::RestartLimit), 11),
            (StateWord::Stopping, Some(stopped), 13),
            (StateWord::Suspended, None, 13),
            (StateWord::Running, None, 21),
            (StateWord::Restarting, None, 21),
        ] {
            let run = run(state, outcome);
            assert_eq!(exit_code(&run).code(), code, "{state:?}");
        }
    }

    #[test]
    fn holders_are_shown_as_people() {
        assert_eq!(person("ada@laptop/4711-x7k2p"), "ada@laptop");
        assert_eq!(person("ada@laptop"), "ada@laptop");
        assert_eq!(driver(None), DriverView::default());
    }
}
