//! `attach`: take the driver's seat of a run that exists, or look on.

use crate::cli::app::App;
use crate::cli::settings::{AttachSettings, StaySettings};
use crate::cli::stay::{Stay, look_on, stay, tell_finished};
use crate::cli::words::AttachOutput;
use crate::cli::{ExitCode, choose};
use crate::driver::kube::Connection;
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
    let record = choose::record(app, conn, Some(name)).await?;
    if record.state.outcome.is_some() {
        return Ok(tell_finished(app, &record, json));
    }
    let holder = app.holder();
    let taken = seat::take(conn, record, &holder, settings.take_over).await?;
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
