//! `delete`: removes runs with everything that they made.

use std::io::BufRead as _;

use crate::cli::app::App;
use crate::cli::settings::DeleteSettings;
use crate::cli::words::DryRun;
use crate::cli::{ExitCode, change, choose, remove, runs};
use crate::driver::kube::Connection;
use crate::driver::record::{Record, Records};
use crate::driver::session::Signals;
use crate::error::Result;
use crate::report::status_list::empty;
use crate::report::{List, ListLook};

/// Deletes runs. What isn't there is said at the end, after the others have been deleted.
///
/// # Errors
/// No such run, no contact, no right.
pub async fn run(settings: DeleteSettings, app: &App) -> Result<ExitCode> {
    let mut signals = Signals::install()?;
    let conn = app.connect().await?;
    let (found, missing) = find(&settings, &conn).await?;
    if found.is_empty() && settings.names.is_empty() {
        app.printer.err(&empty(Some(conn.namespace())));
        return Ok(ExitCode::Ok);
    }
    if !found.is_empty() && !agreed(&settings, &found, app, &conn).await? {
        app.printer.error("nothing was deleted");
        return Ok(ExitCode::Other);
    }
    for record in &found {
        match settings.dry_run {
            DryRun::Client => {}
            DryRun::Server => change::try_delete(&conn, record).await?,
            DryRun::None => {
                let cut = remove::remove(app, &conn, record, None, false, &mut signals).await?;
                if let Some(code) = cut {
                    return Ok(code);
                }
            }
        }
        change::say(
            app,
            &record.name,
            "deleted",
            settings.dry_run,
            settings.name_only,
        );
    }
    if settings.wait && settings.dry_run == DryRun::None {
        for record in &found {
            let cut = remove::wait_until_gone(app, &conn, record, &mut signals).await?;
            if let Some(code) = cut {
                return Ok(code);
            }
        }
    }
    app.tell_warnings(&conn);
    match missing.first() {
        Some(name) if !settings.ignore_not_found => Err(choose::not_found(app, &conn, name)),
        _ => Ok(ExitCode::Ok),
    }
}

/// The runs that are there, and the names of those that aren't.
async fn find(settings: &DeleteSettings, conn: &Connection) -> Result<(Vec<Record>, Vec<String>)> {
    let records = Records::new(conn, conn.namespace());
    if settings.names.is_empty() {
        return Ok((records.list(false).await?, Vec::new()));
    }
    let mut found: Vec<Record> = Vec::new();
    let mut missing = Vec::new();
    for name in &settings.names {
        let name = name.strip_prefix("jobset/").unwrap_or(name);
        match records.get(name).await? {
            Some(record) if found.iter().any(|r| r.uid == record.uid) => {}
            Some(record) => found.push(record),
            None => missing.push(name.to_owned()),
        }
    }
    Ok((found, missing))
}

/// Somebody at a terminal is shown what would go, and asked.
async fn agreed(
    settings: &DeleteSettings,
    found: &[Record],
    app: &App,
    conn: &Connection,
) -> Result<bool> {
    let terminals = app.printer.terminals();
    let asks = terminals.stdin && terminals.stderr;
    if settings.yes || settings.dry_run != DryRun::None || !asks {
        return Ok(true);
    }
    let mut views = Vec::new();
    for record in found {
        let parts = runs::one(conn, record.clone()).await?;
        views.push(runs::view(app, parts, runs::now(conn)));
    }
    let page = List::new(ListLook::default()).page(&views, runs::now(conn));
    for line in page.out {
        app.printer.error(&line);
    }
    let what = match found {
        [_] => "this run".to_owned(),
        many => format!("these {} runs", many.len()),
    };
    app.printer.error(&format!(
        "delete {what} with all jobs, pods and kept logs? [y/N]"
    ));
    let mut answer = String::new();
    // No answer is no.
    let read = std::io::stdin().lock().read_line(&mut answer).unwrap_or(0);
    Ok(read > 0 && matches!(answer.trim(), "y" | "Y" | "yes"))
}
