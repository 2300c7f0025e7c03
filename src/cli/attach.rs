//! `attach`: take the driver's seat of a run that exists, or look on.

use crate::cli::app::App;
use crate::cli::runs::person;
use crate::cli::settings::{AttachSettings, StaySettings};
use crate::cli::stay::{Stay, look_on, stay, tell_finished};
use crate::cli::words::AttachOutput;
use crate::cli::{ExitCode, choose};
use crate::driver::kube::Connection;
use crate::driver::lease::{LONGEST_SILENCE, LeaseSeen, Leases, Silence};
use crate::driver::record::Record;
use crate::driver::seat;
use crate::driver::session::{Signals, Until};
use crate::error::Result;

/// Attaches.
///
/// # Errors
/// No such run, the seat is taken, no contact.
pub async fn run(settings: AttachSettings, app: &App) -> Result<ExitCode> {
    let mut signals = Signals::install()?;
    let conn = app.connect().await?;
    let name = choose::name(app, &conn, settings.name.as_deref()).await?;
    let json = settings.output == Some(AttachOutput::Json);
    if settings.read_only {
        let record = choose::record(app, &conn, Some(&name)).await?;
        if record.state.outcome.is_some() {
            return Ok(tell_finished(app, &record, json));
        }
        return Ok(look_on(app, &conn, record, &settings.stay, json, &mut signals).await);
    }
    attach_to(app, &conn, &name, &settings.stay, false, json, &mut signals).await
}

/// Takes the seat of that run and drives it. A run that has ended is only told about.
///
/// # Errors
/// As [`run`].
pub(super) async fn attach_to(
    app: &App,
    conn: &Connection,
    name: &str,
    settings: &StaySettings,
    detach: bool,
    json: bool,
    signals: &mut Signals,
) -> Result<ExitCode> {
    let mut record = choose::record(app, conn, Some(name)).await?;
    if record.state.outcome.is_some() {
        return Ok(tell_finished(app, &record, json));
    }
    let mut take_over = settings.take_over;
    if !take_over {
        let wait = tokio::select! {
            wait = wait_for_the_seat(app, conn, &record) => wait?,
            signal = signals.leaving() => return Ok(signal.into()),
        };
        take_over = wait.take_over;
        if wait.waited {
            // Much may have happened meanwhile.
            record = choose::record(app, conn, Some(name)).await?;
            if record.state.outcome.is_some() {
                return Ok(tell_finished(app, &record, json));
            }
        }
    }
    let holder = app.holder();
    let taken = seat::take(conn, record, &holder, take_over).await?;
    let (_, code) = stay(
        app,
        conn,
        Stay {
            record: taken.record,
            holder: &holder,
            settings,
            json,
            silent: false,
            until: if detach {
                Until::Settled
            } else {
                Until::Finished
            },
            attached: Some((taken.previous, taken.silent_s)),
            rule_places: Vec::new(),
        },
        signals,
    )
    .await?;
    Ok(code)
}

/// How it went to wait for an empty seat.
#[derive(Debug)]
struct Wait {
    /// Somebody was waited for.
    waited: bool,
    /// The Lease doesn't say that it has run out, but its holder was silent for long enough.
    take_over: bool,
}

/// A driver that was killed can't give its Lease back: it is waited for until the Lease runs out. One
/// that turns out to be alive keeps the seat.
async fn wait_for_the_seat(app: &App, conn: &Connection, record: &Record) -> Result<Wait> {
    let leases = Leases::new(conn, &record.namespace);
    let mut waited = false;
    let silence = leases.silence(&record.name, |seen| {
        waited = true;
        app.printer.err(&waiting(seen));
    });
    match silence.await? {
        Silence::Free => Ok(Wait {
            waited,
            take_over: false,
        }),
        Silence::Kept => Ok(Wait {
            waited,
            take_over: true,
        }),
        Silence::Broken(seen) => Err(seat::taken(record, &seen)),
    }
}

/// `waiting for ada@laptop to be silent for 27s`.
fn waiting(seen: &LeaseSeen) -> String {
    let holder = seen.holder.as_deref().map_or_else(String::new, person);
    let rest = seen.expires_in.min(LONGEST_SILENCE).as_secs();
    format!("waiting for {holder} to be silent for {rest}s (--take-over doesn't wait)")
}
