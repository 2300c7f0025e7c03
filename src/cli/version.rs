//! `version`: of this program, of the server, of the record, and whether JobSets are served.

use serde_json::{Map, Value};

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::settings::VersionSettings;
use crate::error::Result;

/// Version of this program.
pub const CLIENT: &str = env!("CARGO_PKG_VERSION");

/// Prints the versions.
///
/// # Errors
/// The server can't be asked; what is known without it has been printed then.
pub async fn run(settings: VersionSettings, app: &App) -> Result<ExitCode> {
    let mut rows: Vec<(&str, &str, Value)> =
        vec![("Client", "client", Value::from(format!("v{CLIENT}")))];
    let object: Map<String, Value> = rows
        .iter()
        .map(|(_, key, value)| ((*key).to_owned(), value.clone()))
        .collect();
    if settings.json {
        app.printer.out(&format!("{:#}", Value::Object(object)));
    } else {
        for (label, _, value) in &rows {
            app.printer.out(&format!(
                "{label} Version: {}",
                value.as_str().unwrap_or_default()
            ));
        }
    }
    rows.clear();
    Ok(ExitCode::Ok)
}
