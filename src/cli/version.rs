//! `version`: of this program, of the server, of the record, and whether JobSets are served.

use serde_json::{Value, json};

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::settings::VersionSettings;
use crate::driver::kube::{Call, Connection, Resource, Trouble};
use crate::driver::record::configmap::FORMAT;
use crate::error::Result;

/// Version of this program.
pub const CLIENT: &str = env!("CARGO_PKG_VERSION");

/// Prints the versions.
///
/// # Errors
/// The server can't be asked; what is known without it has been printed then.
pub async fn run(settings: VersionSettings, app: &App) -> Result<ExitCode> {
    let mut known = json!({"client": format!("v{CLIENT}"), "recordFormat": FORMAT});
    let asked = if settings.client {
        Ok(())
    } else {
        ask(app, &mut known).await
    };
    if settings.json {
        app.printer.out(&format!("{known:#}"));
    } else {
        for line in lines(&known) {
            app.printer.out(&line);
        }
    }
    asked.map(|()| ExitCode::Ok)
}

async fn ask(app: &App, known: &mut Value) -> Result<()> {
    let conn = app.connect().await?;
    let (server, served) = futures::join!(server(&conn), jobset_served(&conn));
    known["server"] = server?.into();
    known["jobsetServed"] = served?.into();
    Ok(())
}

async fn server(conn: &Connection) -> Result<String> {
    let answer = conn.send(&Call::read(Resource::Version)).await;
    let version: Value = answer
        .and_then(|answer| answer.json())
        .map_err(|failure| conn.error(&failure, "the server's version can't be read"))?;
    Ok(version["gitVersion"]
        .as_str()
        .unwrap_or("<unknown>")
        .to_owned())
}

/// Whether the JobSet CRD is there: then an in-cluster controller may be as well.
async fn jobset_served(conn: &Connection) -> Result<bool> {
    match conn.send(&Call::read(Resource::JobSetGroup)).await {
        Ok(_) => Ok(true),
        Err(failure) if failure.trouble == Trouble::NotFound => Ok(false),
        Err(failure) => Err(conn.error(&failure, "the server's API groups can't be read")),
    }
}

/// One line each, in kubectl's words.
fn lines(known: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, label) in [("client", "Client Version"), ("server", "Server Version")] {
        if let Some(text) = known[key].as_str() {
            lines.push(format!("{label}: {text}"));
        }
    }
    lines.push(format!("Record Format: {}", known["recordFormat"]));
    if let Some(served) = known["jobsetServed"].as_bool() {
        let word = if served { "served" } else { "not served" };
        lines.push(format!("JobSet API: {word}"));
    }
    lines
}
