//! `stop`: ends a run for good, keeps its record and logs.

use futures::StreamExt as _;
use k8s_openapi::jiff::SignedDuration;

use crate::cli::app::App;
use crate::cli::change::{self, By};
use crate::cli::settings::ChangeSettings;
use crate::cli::words::DryRun;
use crate::cli::{ExitCode, choose, remove};
use crate::driver::clock;
use crate::driver::kube::{Children, Connection, list_pods};
use crate::driver::record::{Record, RecordEvent, Records};
use crate::driver::session::{End, Signals, Until};
use crate::engine::PodSeen;
use crate::engine::input::PodPhase;
use crate::error::Result;

/// Pause between two looks at pods that are going away.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_millis(500);

/// Stops a run. Its attached driver carries it out; without one we do.
///
/// # Errors
/// No such run, no contact, no right.
pub async fn run(settings: ChangeSettings, app: &App) -> Result<ExitCode> {
    let mut signals = Signals::install()?;
    let conn = app.connect().await?;
    let record = choose::record(app, &conn, settings.name.as_deref()).await?;
    let name = record.name.clone();
    if record.state.outcome.is_some() {
        app.printer.err(&format!("jobset/{name} has ended already"));
        return Ok(ExitCode::Ok);
    }
    let mut code = ExitCode::Ok;
    match settings.dry_run {
        DryRun::Client => {}
        DryRun::Server => change::try_patch(&conn, &record).await?,
        DryRun::None => {
            let records = Records::new(&conn, &record.namespace);
            let record = records.request_stop(&name, &app.who).await?;
            code = carry_out(&settings, &conn, record, app, &mut signals).await?;
        }
    }
    if code == ExitCode::Ok {
        change::say(app, &name, "stopped", settings.dry_run, settings.name_only);
    }
    app.tell_warnings(&conn);
    Ok(code)
}

async fn carry_out(
    settings: &ChangeSettings,
    conn: &Connection,
    record: Record,
    app: &App,
    signals: &mut Signals,
) -> Result<ExitCode> {
    let by = change::carry_out(app, conn, record.clone(), Until::Finished, signals).await?;
    match by {
        By::Us(End::Finished(_) | End::TakenOver { .. }, _) => {}
        By::Us(_, code) => return Ok(code),
        By::Driver if settings.wait => tokio::select! {
            () = until_ended(conn, &record) => {}
            signal = remove::interrupted(signals) => return Ok(signal.into()),
        },
        By::Driver => return Ok(ExitCode::Ok),
    }
    if settings.wait {
        tokio::select! {
            idle = until_idle(conn, &record) => idle?,
            signal = remove::interrupted(signals) => return Ok(signal.into()),
        }
    }
    Ok(ExitCode::Ok)
}

/// Waits until the record holds an outcome, or is gone.
async fn until_ended(conn: &Connection, record: &Record) {
    let mut events = Records::new(conn, &record.namespace).watch(&record.name);
    while let Some(event) = events.next().await {
        match event {
            RecordEvent::Seen(now) if now.uid == record.uid && now.state.outcome.is_none() => {}
            RecordEvent::Lost(_) | RecordEvent::Back => {}
            RecordEvent::Seen(_) | RecordEvent::Gone => return,
        }
    }
}

/// Waits until no pod of the run is going on. What has ended stays, with its logs.
async fn until_idle(conn: &Connection, record: &Record) -> Result<()> {
    let children = Children::OfRun {
        uid: record.uid.clone(),
    };
    loop {
        let pods = list_pods(conn, Some(&record.namespace), &children)
            .await
            .map_err(|failure| conn.error(&failure, "pods can't be listed"))?;
        let goes_on = |pod: &PodSeen| {
            pod.deleting.is_some() || !matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed)
        };
        if !pods.iter().any(|pod| goes_on(&pod.seen)) {
            return Ok(());
        }
        clock::sleep(LOOK_AGAIN).await;
    }
}
