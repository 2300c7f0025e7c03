//! Deleting a run: first nobody may drive it any more, then the record goes and takes all it owns with
//! it. Safe to be cut off and asked for again at any point: the wish stands in the record, and once the
//! record is gone the garbage collector ends what was begun.

use std::time::Duration;

use crate::driver::clock;
use crate::driver::kube::{Children, Connection, list_jobs, list_pods};
use crate::driver::lease::Leases;
use crate::driver::record::{Propagation, Record, Records};
use crate::engine::{JobSeen, PodSeen};
use crate::error::Result;

/// Pause between two looks at a driver that has been asked to leave: it sees the wish at once, its
/// answer takes two calls.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// Pause between two looks at what is still going away.
const LOOK_AT_CHILDREN: Duration = Duration::from_millis(500);

/// What is still there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Left {
    /// Jobs.
    pub jobs: Vec<JobSeen>,
    /// Pods.
    pub pods: Vec<PodSeen>,
}

/// Writes the wish to delete, waits until no driver acts on the run, and deletes the record.
/// `holder`: a driver that is ourselves needs no waiting for. `waiting` is told once who is waited for.
///
/// # Errors
///
/// No such run, no contact, no right.
pub async fn remove(
    conn: &Connection,
    record: &Record,
    by: &str,
    holder: Option<&str>,
    mut waiting: impl FnMut(&str),
) -> Result<()> {
    let records = Records::new(conn, &record.namespace);
    let leases = Leases::new(conn, &record.namespace);
    let record = records.request_delete(&record.name, by).await?;
    let mut told = false;
    // A driver that doesn't answer may be a closed laptop: its Lease runs out.
    while let Some(seen) = leases.read(&record.name).await? {
        let Some(driver) = seen
            .holder
            .as_deref()
            .filter(|h| seen.live && Some(*h) != holder)
        else {
            break;
        };
        if !std::mem::replace(&mut told, true) {
            waiting(driver);
        }
        clock::sleep_until(clock::instant().after(LOOK_AGAIN)).await;
    }
    records.delete(&record, Propagation::Background).await
}

/// Waits until no Job and no pod of the run is left. `still` is told each time what is.
///
/// # Errors
///
/// No contact, no right.
pub async fn wait_until_gone(
    conn: &Connection,
    record: &Record,
    mut still: impl FnMut(&Left),
) -> Result<()> {
    loop {
        let children = Children::OfRun {
            uid: record.uid.clone(),
        };
        let (jobs, pods) = futures::try_join!(
            list_jobs(conn, Some(&record.namespace), &children),
            list_pods(conn, Some(&record.namespace), &children),
        )
        .map_err(|failure| conn.error(&failure, "what is left can't be listed"))?;
        let left = Left {
            jobs: jobs.into_iter().map(|c| c.seen).collect(),
            pods: pods.into_iter().map(|c| c.seen).collect(),
        };
        if left.jobs.is_empty() && left.pods.is_empty() {
            return Ok(());
        }
        still(&left);
        clock::sleep_until(clock::instant().after(LOOK_AT_CHILDREN)).await;
    }
}
