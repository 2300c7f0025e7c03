//! `render`: the Service and the Jobs of the first attempt, in the order in which they are made.

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::files;
use crate::cli::settings::RenderSettings;
use crate::cli::words::RenderOutput;
use crate::engine::build::render_objects;
use crate::error::Result;
use crate::manifest::{LoadOptions, to_yaml};

/// What stands around the objects as a List, in JSON as `serde_json` lays it out.
const LIST_HEAD: &str = "{\n  \"apiVersion\": \"v1\",\n  \"items\": [";
const LIST_TAIL: &str = "\n  ],\n  \"kind\": \"List\"\n}";

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
    let namespace = app.offline_namespace(&jobset)?;
    // One by one: there may be more than memory holds, and the reader may want only the first.
    let objects = render_objects(&jobset, &namespace).enumerate();
    match settings.output {
        RenderOutput::Json => {
            app.printer.out(LIST_HEAD);
            for (n, object) in objects {
                let lead = if n == 0 { "" } else { ",\n" };
                let text = format!("{object:#}").replace('\n', "\n    ");
                app.printer.raw_out(format!("{lead}    {text}").as_bytes());
                if app.printer.stdout_closed() {
                    break;
                }
            }
            app.printer.out(LIST_TAIL);
        }
        RenderOutput::Yaml => {
            for (n, object) in objects {
                let lead = if n == 0 { "" } else { "---\n" };
                app.printer
                    .raw_out(format!("{lead}{}", to_yaml(&object)).as_bytes());
                if app.printer.stdout_closed() {
                    break;
                }
            }
        }
    }
    Ok(ExitCode::Ok)
}
