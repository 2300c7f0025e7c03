//! `status -o json`: `jobset.status/v1` (cli.md 9). Fields are only ever added within `v1`; a value that
//! isn't there is `null`, so that the set of fields never depends on the run.

use k8s_openapi::jiff::Timestamp;
use serde::Serialize;
use serde_json::Error;

use crate::engine::snapshot::Note;
use crate::engine::state::Attempt;
use crate::engine::{FirstFailure, RoleSnapshot};
use crate::report::time::{utc_millis, utc_seconds};
use crate::report::view::RunView;

/// The name of the format.
pub const SCHEMA: &str = "jobset.status/v1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    schema: &'static str,
    namespace: &'a str,
    name: &'a str,
    uid: &'a str,
    record: &'a str,
    created: String,
    started: Option<String>,
    finished: Option<String>,
    state: &'static str,
    reason: Option<&'a str>,
    attempt: u32,
    restarts: u32,
    restarts_counted: u32,
    max_restarts: Option<u32>,
    pods_replaced: u32,
    driver: Driver<'a>,
    roles: Vec<Role<'a>>,
    attempts: &'a [Attempt],
    attempts_dropped: u32,
    first_failure: Option<&'a FirstFailure>,
}

#[derive(Serialize)]
struct Driver<'a> {
    holder: Option<&'a str>,
    renewed: Option<String>,
    live: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Role<'a> {
    name: &'a str,
    replicas: u32,
    ready: u32,
    starting: u32,
    failing: u32,
    succeeded: u32,
    failed: u32,
    suspended: u32,
    waiting: u32,
    terminating: u32,
    pods: u32,
    pods_wanted: u32,
    pods_terminating: u32,
    waits_for: Option<&'a str>,
    notes: Vec<NoteOut<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NoteOut<'a> {
    target: &'a str,
    reason: &'a str,
    message: &'a str,
    since: Option<String>,
    and_more: u32,
}

#[derive(Serialize)]
struct List<'a> {
    schema: &'static str,
    items: Vec<Status<'a>>,
}

/// One run, as indented JSON without a final line end.
///
/// # Errors
/// None in practice: the types have no maps with odd keys and no failing serialisers.
pub fn one(run: &RunView) -> Result<String, Error> {
    serde_json::to_string_pretty(&status(run))
}

/// Several runs, as `{schema, items}`.
///
/// # Errors
/// As [`one`].
pub fn list(runs: &[RunView]) -> Result<String, Error> {
    serde_json::to_string_pretty(&List {
        schema: SCHEMA,
        items: runs.iter().map(status).collect(),
    })
}

fn status(run: &RunView) -> Status<'_> {
    let s = &run.snapshot;
    let time = |t: Option<Timestamp>| t.map(utc_seconds);
    Status {
        schema: SCHEMA,
        namespace: &run.id.namespace,
        name: &run.id.name,
        uid: &run.id.uid,
        record: &run.record,
        created: utc_seconds(run.created),
        started: time(s.started),
        finished: time(s.finished),
        state: s.state.as_str(),
        reason: s.reason.as_deref(),
        attempt: s.attempt,
        restarts: s.restarts,
        restarts_counted: s.restarts_counted,
        max_restarts: s.max_restarts,
        pods_replaced: s.pods_replaced,
        driver: Driver {
            holder: run.driver.holder.as_deref(),
            renewed: run.driver.renewed.map(utc_millis),
            live: run.driver.live,
        },
        roles: s.roles.iter().map(role).collect(),
        attempts: &run.state.attempts,
        attempts_dropped: run.state.attempts_dropped,
        first_failure: run.first_failure(),
    }
}

fn role(r: &RoleSnapshot) -> Role<'_> {
    Role {
        name: &r.name,
        replicas: r.replicas,
        ready: r.ready,
        starting: r.starting,
        failing: r.failing,
        succeeded: r.succeeded,
        failed: r.failed,
        suspended: r.suspended,
        waiting: r.waiting,
        terminating: r.terminating,
        pods: r.pods,
        pods_wanted: r.pods_wanted,
        pods_terminating: r.pods_terminating,
        waits_for: r.waits_for.as_deref(),
        notes: r.notes.iter().map(note).collect(),
    }
}

fn note(n: &Note) -> NoteOut<'_> {
    NoteOut {
        target: &n.target,
        reason: &n.reason,
        message: &n.message,
        since: n.since.map(utc_seconds),
        and_more: n.and_more,
    }
}

#[cfg(test)]
#[path = "status_json_tests.rs"]
mod tests;
