//! Taking the driver's seat of a run that exists. The record's epoch is the fence, the Lease beside it
//! a courtesy: whoever writes a greater epoch drives, and the one before learns it with its next write.

use k8s_openapi::jiff::SignedDuration;

use crate::driver::clock;
use crate::driver::kube::Connection;
use crate::driver::lease::{Acquired, LeaseSeen, Leases};
use crate::driver::record::{Record, Records, Seat, WriteError};
use crate::error::{Error, Kind, Result};

/// The seat is ours.
#[derive(Debug)]
pub struct Taken {
    /// The record with our epoch.
    pub record: Record,
    /// Who drove before and did not give the Lease back.
    pub previous: Option<String>,
    /// Seconds since that driver was last heard of.
    pub silent_s: Option<i64>,
}

/// Takes the seat: the Lease first (refused while somebody drives, unless `take_over`), then the
/// record's epoch. A run that has ended needs no Lease.
///
/// # Errors
///
/// Kind `InTheWay` while somebody drives; kind `NoSuchRun` when the record vanishes; no contact, no
/// right.
pub async fn take(
    conn: &Connection,
    mut record: Record,
    holder: &str,
    take_over: bool,
) -> Result<Taken> {
    let leases = Leases::new(conn, &record.namespace);
    let records = Records::new(conn, &record.namespace);
    let name = record.name.clone();
    let previous = match leases
        .acquire(&name, holder, &record.owner(), take_over)
        .await?
    {
        Acquired::Held { previous } => previous,
        Acquired::HeldBy(seen) => return Err(taken(&record, &seen)),
    };
    loop {
        if record.control.delete.is_some() || record.deleting {
            leases.release(&name, holder).await;
            return Err(Error::new(
                Kind::NoSuchRun,
                format!("jobset/{name} is being deleted"),
            ));
        }
        record.seat = Seat {
            holder: holder.to_owned(),
            epoch: record.seat.epoch + 1,
        };
        match records.replace(&record).await {
            Ok(written) => {
                let silent_s = previous.as_ref().and_then(silence);
                let previous = previous.and_then(|seen| seen.holder);
                return Ok(Taken {
                    record: written,
                    previous,
                    silent_s,
                });
            }
            Err(WriteError::Conflict) => match records.get(&name).await? {
                // Somebody took the seat between: whoever holds the Lease now is right.
                Some(fresh) if fresh.seat.epoch > record.seat.epoch - 1 && !take_over => {
                    let seen = leases.read(&name).await?;
                    return match seen {
                        Some(seen) if seen.holder.as_deref() != Some(holder) => {
                            Err(taken(&fresh, &seen))
                        }
                        _ => {
                            record = fresh;
                            continue;
                        }
                    };
                }
                Some(fresh) => record = fresh,
                None => return Err(gone(&name)),
            },
            Err(WriteError::Gone) => return Err(gone(&name)),
            Err(WriteError::Refused(error)) => return Err(error),
        }
    }
}

fn silence(seen: &LeaseSeen) -> Option<i64> {
    let silent: SignedDuration = clock::now().duration_since(seen.renewed?);
    Some(silent.as_secs().max(0))
}

fn gone(name: &str) -> Error {
    Error::new(Kind::NoSuchRun, format!("jobset/{name} is gone"))
}

/// Who drives, and what can be done about it.
#[must_use]
pub fn taken(record: &Record, seen: &LeaseSeen) -> Error {
    let name = &record.name;
    let holder = seen.holder.as_deref().unwrap_or("somebody");
    let ago = silence(seen).map_or_else(String::new, |s| format!(", heard of {s}s ago"));
    Error::new(
        Kind::InTheWay,
        format!("jobset/{name} is driven by {holder}{ago}"),
    )
    .hint(format!(
        "to look on: kubectl jobset attach {name} --read-only"
    ))
    .hint(format!(
        "to drive it instead: kubectl jobset attach {name} --take-over"
    ))
}
