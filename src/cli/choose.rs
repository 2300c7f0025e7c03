//! Asks the cluster for the runs that can be meant, only when no NAME was given.

use crate::cli::app::App;
use crate::cli::select::{Candidate, LATEST, choose};
use crate::driver::kube::Connection;
use crate::driver::record::{Record, Records};
use crate::error::{Error, Kind, Result};

/// Name of the run that is meant (cli.md 1.9). A choice is told on stderr.
///
/// # Errors
/// None can be meant, or several; no contact, no right.
pub(super) async fn name(app: &App, conn: &Connection, name: Option<&str>) -> Result<String> {
    if let Some(name) = name.filter(|n| *n != LATEST) {
        return Ok(name.strip_prefix("jobset/").unwrap_or(name).to_owned());
    }
    let candidates: Vec<Candidate> = Records::new(conn, conn.namespace())
        .list(false)
        .await?
        .into_iter()
        .map(|record| Candidate {
            finished: record.state.outcome.is_some(),
            started: Some(record.created),
            name: record.name,
        })
        .collect();
    let choice = choose(name, &candidates, conn.namespace())?;
    if let Some(why) = choice.why {
        app.printer.err(&format!("jobset/{} ({why})", choice.name));
    }
    Ok(choice.name)
}

/// The record of the run that is meant.
///
/// # Errors
/// As [`name`]; kind `NoSuchRun` where there is none of that name.
pub(super) async fn record(app: &App, conn: &Connection, wanted: Option<&str>) -> Result<Record> {
    let name = name(app, conn, wanted).await?;
    let namespace = conn.namespace();
    match Records::new(conn, namespace).get(&name).await? {
        Some(record) => Ok(record),
        None => Err(not_found(app, conn, &name)),
    }
}

/// There is no such run.
pub(super) fn not_found(app: &App, conn: &Connection, name: &str) -> Error {
    let namespace = conn.namespace();
    Error::new(
        Kind::NoSuchRun,
        format!("jobset/{name} not found in namespace {namespace}"),
    )
    .hint(app.suggest("status", namespace))
}
