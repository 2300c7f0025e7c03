//! What `suspend`, `resume`, `stop` and `delete` have in common: dry runs, what is printed, and who
//! carries the wish out once it stands in the record.

use serde_json::json;

use crate::api::names;
use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::runs::person;
use crate::cli::settings::{LogChoice, StaySettings};
use crate::cli::stay::{Stay, stay};
use crate::cli::words::{DryRun, OnInterrupt, OnTimeout};
use crate::driver::kube::{Call, Connection, Resource};
use crate::driver::lease::Leases;
use crate::driver::record::Record;
use crate::driver::seat;
use crate::driver::session::{End, Signals, Until};
use crate::error::{Kind, Result};

/// Asks the server whether the record might be changed: a patch that changes nothing.
///
/// # Errors
/// No contact, no right.
pub(super) async fn try_patch(conn: &Connection, record: &Record) -> Result<()> {
    let patch = json!({"metadata": {"resourceVersion": record.resource_version}});
    let name = names::record_name(&record.name);
    let call =
        Call::patch(Resource::ConfigMaps, &record.namespace, &name, &patch).query("dryRun", "All");
    match conn.send(&call).await {
        Ok(_) => Ok(()),
        Err(failure) => Err(conn.error(
            &failure,
            &format!("{} can't be written", record.reference()),
        )),
    }
}

/// Prints `jobset/NAME verbed`, with what kubectl adds for a dry run; with `-o name` the name alone.
pub(super) fn say(app: &App, name: &str, verbed: &str, dry_run: DryRun, name_only: bool) {
    if name_only {
        app.printer.out(&format!("jobset/{name}"));
    } else {
        app.printer
            .out(&format!("jobset/{name} {verbed}{}", dry_run.suffix()));
    }
}

/// Who drives the run now, if somebody does.
///
/// # Errors
/// No contact, no right.
async fn live_driver(conn: &Connection, record: &Record) -> Result<Option<String>> {
    let lease = Leases::new(conn, &record.namespace)
        .read(&record.name)
        .await?;
    Ok(lease
        .filter(|l| l.live)
        .and_then(|l| l.holder)
        .as_deref()
        .map(person))
}

/// Who carried a wish out, or will.
pub(super) enum By {
    /// An attached driver, which sees it in the record.
    Driver,
    /// Ourselves, in the empty seat; how that ended.
    Us(End, ExitCode),
}

/// Sees to it that the wish in the record is carried out: by the driver that is attached, else by
/// sitting in its empty seat until all is done that can be done now (or until the run has ended).
///
/// # Errors
/// No contact, no right.
pub(super) async fn carry_out(
    app: &App,
    conn: &Connection,
    record: Record,
    until: Until,
    signals: &mut Signals,
) -> Result<By> {
    if let Some(who) = live_driver(conn, &record).await? {
        app.printer.err(&format!(
            "{who} drives jobset/{} and carries it out",
            record.name
        ));
        return Ok(By::Driver);
    }
    let holder = app.holder();
    let taken = match seat::take(conn, record.clone(), &holder, false).await {
        Ok(taken) => taken,
        // Somebody sat down a moment ago, and sees the wish.
        Err(error) if error.kind() == Kind::InTheWay => return Ok(By::Driver),
        Err(error) => return Err(error),
    };
    let settings = StaySettings {
        logs: LogChoice::None,
        timeout: None,
        on_timeout: OnTimeout::Detach,
        on_interrupt: OnInterrupt::Detach,
        rm: None,
        take_over: false,
        heartbeat: None,
        heartbeat_events: false,
    };
    let stay_here = Stay {
        record: taken.record,
        holder: &holder,
        settings: &settings,
        json: false,
        silent: true,
        until,
        attached: Some((taken.previous, taken.silent_s)),
        rule_places: Vec::new(),
    };
    let (end, code) = stay(app, conn, stay_here, signals).await?;
    Ok(By::Us(end, code))
}

/// Asks the server whether the record might be deleted.
///
/// # Errors
/// No contact, no right.
pub(super) async fn try_delete(conn: &Connection, record: &Record) -> Result<()> {
    let options = json!({
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": {"uid": record.uid},
        "dryRun": ["All"],
    });
    let name = names::record_name(&record.name);
    let call = Call::delete(Resource::ConfigMaps, &record.namespace, &name, &options);
    match conn.send(&call).await {
        Ok(_) => Ok(()),
        Err(failure) => Err(conn.error(
            &failure,
            &format!("{} can't be deleted", record.reference()),
        )),
    }
}
