//! `simulate`: what a JobSet would do if something went wrong, in virtual time and without a cluster.

use serde_json::json;

use crate::api::JobSet;
use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::files;
use crate::cli::settings::{ManifestSettings, SimulateSettings, Source};
use crate::cli::words::Validate;
use crate::error::{Error, Result};
use crate::manifest::{self, LoadOptions};
use crate::report::printer::Level;
use crate::report::words::count;
use crate::simulate::script::Told;
use crate::simulate::{self, Detail, SCHEMA, Script};

/// Plays a manifest with what was asked for, or a script, and tells on stdout what has happened.
///
/// # Errors
/// A file can't be read or is refused; a target that the JobSet doesn't have; the world refuses the run.
pub async fn run(settings: SimulateSettings, app: &App) -> Result<ExitCode> {
    match (&settings.script, &settings.manifest) {
        (Some(script), manifest) => play_script(script, manifest.as_ref(), &settings, app),
        (None, Some(manifest)) => what_if(manifest, &settings, app),
        // The parser takes neither without the other.
        (None, None) => Err(Error::usage("a manifest or --script FILE is missing")),
    }
}

fn options(app: &App) -> LoadOptions {
    LoadOptions {
        namespace: app.connection.namespace.clone(),
        ..LoadOptions::default()
    }
}

fn what_if(
    manifest: &ManifestSettings,
    settings: &SimulateSettings,
    app: &App,
) -> Result<ExitCode> {
    let (jobset, _) = files::load(manifest, &options(app), app)?;
    let namespace = app.offline_namespace(&jobset)?;
    settings.wishes.check(&jobset).map_err(Error::usage)?;
    let story = simulate::play(&jobset, &namespace, &settings.wishes).map_err(|status| {
        Error::other(format!(
            "jobset/{} can't be simulated",
            jobset.metadata.name
        ))
        .caused_by(status.message)
    })?;
    let expected = settings.expect.as_ref();
    if settings.json {
        let document = simulate::document(&story, expected);
        app.printer.out(&format!("{document:#}"));
    } else {
        let level = app.printer.level();
        let detail = Detail {
            all: level >= Level::Verbose,
            verdict_only: level == Level::Quiet,
        };
        let lines = simulate::lines(&story, expected, detail);
        app.printer.out_lines(&lines);
    }
    Ok(match expected {
        Some(expected) if !expected.is_met(&story) => ExitCode::Unexpected,
        _ => ExitCode::Ok,
    })
}

fn play_script(
    source: &Source,
    manifest: Option<&ManifestSettings>,
    settings: &SimulateSettings,
    app: &App,
) -> Result<ExitCode> {
    let text = files::read_text(source)?;
    let script = Script::parse(&text).map_err(|why| Error::usage(format!("{source}: {why}")))?;
    let jobset = jobset_of(&script, source, manifest, app)?;
    let told = script
        .play(&jobset, settings.wishes.seed, None)
        .map_err(|why| Error::usage(format!("{source}: {why}")))?;
    show(&told, &jobset, settings, app);
    for unmet in &told.unmet {
        app.printer.error(&format!("{source}:{unmet}"));
    }
    Ok(if told.unmet.is_empty() {
        ExitCode::Ok
    } else {
        ExitCode::Unexpected
    })
}

/// The script's own JobSet, or the one beside it.
fn jobset_of(
    script: &Script,
    source: &Source,
    manifest: Option<&ManifestSettings>,
    app: &App,
) -> Result<JobSet> {
    let (jobset, _) = match (&script.manifest, manifest) {
        (None, Some(manifest)) => files::load(manifest, &options(app), app)?,
        (Some(yaml), None) => {
            let one = manifest::Source::new(source.to_string(), yaml.as_str());
            files::load_sources(&[one], Validate::default(), &options(app), app)?
        }
        (Some(_), Some(_)) => {
            return Err(Error::usage(format!(
                "{source} brings its own JobSet, so there must be no manifest beside it"
            )));
        }
        (None, None) => {
            return Err(Error::usage(format!("{source} has no JobSet (jobset:)"))
                .hint("kubectl jobset simulate MANIFEST --script FILE plays it on a manifest"));
        }
    };
    Ok(jobset)
}

fn show(told: &Told, jobset: &JobSet, settings: &SimulateSettings, app: &App) {
    if settings.json {
        let document = json!({
            "schema": SCHEMA,
            "jobset": jobset.metadata.name,
            "seed": settings.wishes.seed,
            "script": {
                "expectations": told.expected,
                "unmet": told.unmet,
                "log": told.text.lines().collect::<Vec<_>>(),
            },
        });
        app.printer.out(&format!("{document:#}"));
        return;
    }
    if app.printer.level() > Level::Quiet {
        app.printer.raw_out(told.text.as_bytes());
    }
    let expected = count(
        u64::try_from(told.expected).unwrap_or(u64::MAX),
        "expectation",
    );
    let met = told.expected - told.unmet.len();
    app.printer.out(&format!("result: {met} of {expected} met"));
}
