//! The event stream `jobset.events/v1` (cli.md 9): one JSON object per line. Fields are only ever added
//! within `v1`; they stand in the order schema, seq, time, live, run, type, and then the event's own.

use serde::Serialize;
use serde_json::Error;

use crate::engine::Event;
use crate::report::time::utc_millis;
use crate::report::view::RunId;

/// The name of the format.
pub const SCHEMA: &str = "jobset.events/v1";

#[derive(Serialize)]
struct Head<'a> {
    schema: &'static str,
    seq: u64,
    time: String,
    live: bool,
    run: Run<'a>,
}

#[derive(Serialize)]
struct Run<'a> {
    namespace: &'a str,
    name: &'a str,
    uid: &'a str,
}

#[derive(Serialize)]
struct Tail {
    #[serde(rename = "exitCode")]
    exit_code: u8,
}

/// The line for an event, without its line end. `exit_code`: what the process will return, for
/// `run.finished`.
///
/// # Errors
/// None in practice: the types have no maps with odd keys and no failing serialisers.
pub fn line(event: &Event, run: &RunId, exit_code: Option<u8>) -> Result<String, Error> {
    let head = Head {
        schema: SCHEMA,
        seq: event.seq,
        time: utc_millis(event.time),
        live: event.live,
        run: Run {
            namespace: &run.namespace,
            name: &run.name,
            uid: &run.uid,
        },
    };
    let mut objects = vec![
        serde_json::to_string(&head)?,
        serde_json::to_string(&event.kind)?,
    ];
    if let Some(exit_code) = exit_code {
        objects.push(serde_json::to_string(&Tail { exit_code })?);
    }
    // Each is an object with at least one field; put together they are one, in this order, which
    // neither a map (sorted) nor a flattened struct (not used in this project) would give.
    let fields: Vec<&str> = objects
        .iter()
        .map(|o| o.strip_prefix('{').unwrap_or(o))
        .map(|o| o.strip_suffix('}').unwrap_or(o))
        .collect();
    Ok(format!("{{{}}}", fields.join(",")))
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
