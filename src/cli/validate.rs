//! `validate`: all findings of each manifest, offline.

use serde_json::{Value, json};

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::files;
use crate::cli::settings::ValidateSettings;
use crate::error::Result;
use crate::manifest::{self, LoadOptions, Loaded};

/// Name of the JSON format.
const SCHEMA: &str = "jobset.findings/v1";

/// Checks each file by itself. Findings are the result, so they go to stdout.
///
/// # Errors
/// Files can't be read; the others have been checked then.
pub async fn run(settings: ValidateSettings, app: &App) -> Result<ExitCode> {
    let (sources, unread): (Vec<_>, Vec<_>) = files::read_each(&settings.sources)?
        .into_iter()
        .partition(Result::is_ok);
    let options = LoadOptions {
        validate: settings.validate.into(),
        namespace: app.connection.namespace.clone(),
        ..LoadOptions::default()
    };
    let all: Vec<(String, Loaded)> = sources
        .into_iter()
        .flatten()
        .map(|source| {
            let name = source.name.clone();
            (name, manifest::load(&[source], &options))
        })
        .collect();
    let refused = all.iter().filter(|(_, l)| l.jobset.is_none()).count();
    if settings.json {
        let report = json!({
            "schema": SCHEMA,
            "valid": refused == 0 && unread.is_empty(),
            "files": all.iter().map(|(name, l)| to_json(name, l)).collect::<Vec<_>>(),
        });
        app.printer.out(&format!("{report:#}"));
    } else {
        let color = app.out_styles().is_colored();
        for (name, loaded) in &all {
            if !loaded.findings.is_empty() {
                let text = files::excerpts(app, &loaded.findings, &loaded.sources, color);
                app.printer.raw_out(text.as_bytes());
            }
            if let Some(jobset) = &loaded.jobset {
                app.printer
                    .out(&format!("{name}: jobset/{} is valid", jobset.metadata.name));
            }
        }
        let given = settings.sources.len();
        if given > 1 {
            let good = all.len() - refused;
            app.printer
                .out(&format!("{good} of {given} files are valid"));
        }
    }
    let mut errors: Vec<_> = unread.into_iter().filter_map(Result::err).collect();
    if let Some(last) = errors.pop() {
        for error in &errors {
            app.printer.error(&error.render());
        }
        return Err(last);
    }
    Ok(if refused == 0 {
        ExitCode::Ok
    } else {
        ExitCode::Manifest
    })
}

fn to_json(name: &str, loaded: &Loaded) -> Value {
    json!({
        "file": name,
        "jobset": loaded.jobset.as_ref().map(|j| &j.metadata.name),
        "valid": loaded.jobset.is_some(),
        "errors": loaded.errors(),
        "warnings": loaded.warnings(),
        "findings": loaded
            .findings
            .iter()
            .map(|f| f.to_json(&loaded.sources))
            .collect::<Vec<_>>(),
    })
}
