//! `suspend` and `resume`: as `spec.suspend`; never counted.

use crate::cli::app::App;
use crate::cli::change::{self, By};
use crate::cli::settings::ChangeSettings;
use crate::cli::words::DryRun;
use crate::cli::{ExitCode, choose};
use crate::driver::record::Records;
use crate::driver::session::{End, Signals, Until};
use crate::error::{Error, Result};

/// Suspends or resumes a run. Without a driver we carry it out ourselves; what nobody enforces after a
/// resume is said.
///
/// # Errors
/// No such run, it has ended, no contact, no right.
pub async fn run(settings: ChangeSettings, suspend: bool, app: &App) -> Result<ExitCode> {
    let mut signals = Signals::install()?;
    let conn = app.connect().await?;
    let record = choose::record(app, &conn, settings.name.as_deref()).await?;
    let name = record.name.clone();
    let verbed = if suspend { "suspended" } else { "resumed" };
    if record.state.outcome.is_some() {
        return Err(Error::other(format!(
            "jobset/{name} has ended, it can't be {verbed}"
        )));
    }
    let mut code = ExitCode::Ok;
    match settings.dry_run {
        DryRun::Client => {}
        DryRun::Server => change::try_patch(&conn, &record).await?,
        DryRun::None => {
            let records = Records::new(&conn, &record.namespace);
            let record = records.set_suspend(&name, suspend).await?;
            let by = change::carry_out(app, &conn, record, Until::Settled, &mut signals).await?;
            if let By::Us(end, its_code) = by
                && !matches!(end, End::Settled | End::Finished(_) | End::TakenOver { .. })
            {
                code = its_code;
            }
        }
    }
    if code == ExitCode::Ok {
        change::say(app, &name, verbed, settings.dry_run, settings.name_only);
    }
    app.tell_warnings(&conn);
    Ok(code)
}
