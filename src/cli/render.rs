//! `render`: the Service and the Jobs of the first attempt, in the order in which they are made.

use serde_json::json;

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::files;
use crate::cli::settings::RenderSettings;
use crate::cli::words::RenderOutput;
use crate::engine::build::render_objects;
use crate::error::Result;
use crate::manifest::{LoadOptions, to_yaml};

/// Namespace where neither the command line nor the file names one: `render` reads no kubeconfig.
const DEFAULT_NAMESPACE: &str = "default";

/// Prints what would be made.
///
/// # Errors
/// The manifest can't be read, or is refused.
pub async fn run(settings: RenderSettings, app: &App) -> Result<ExitCode> {
    let options = LoadOptions {
        namespace: app.connection.namespace.clone(),
        ..LoadOptions::default()
    };
    let (jobset, _) = files::load(&settings.manifest, &options, app)?;
    let namespace = jobset
        .metadata
        .namespace
        .as_deref()
        .unwrap_or(DEFAULT_NAMESPACE);
    let objects = render_objects(&jobset, namespace);
    match settings.output {
        RenderOutput::Json => {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
            app.printer.out(&format!("{list:#}"));
        }
        RenderOutput::Yaml => {
            let documents: Vec<String> = objects.iter().map(to_yaml).collect();
            app.printer.raw_out(documents.join("---\n").as_bytes());
        }
    }
    Ok(ExitCode::Ok)
}
