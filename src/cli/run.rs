//! `run`: validate, check, create, stay, enforce, return the outcome.

use serde_json::Value;

use crate::api::JobSet;
use crate::cli::app::App;
use crate::cli::settings::RunSettings;
use crate::cli::stay::{Stay, stay};
use crate::cli::words::{DryRun, OnConflict, RunOutput};
use crate::cli::{ExitCode, attach, files, random};
use crate::driver::kube::Connection;
use crate::driver::preflight::Checked;
use crate::driver::record::{
    CreateError, NewRecord, Record, Records, Seat, Settings, Source as RecordSource,
};
use crate::driver::session::{Signals, Until};
use crate::driver::start;
use crate::engine::RunState;
use crate::error::{Error, Kind, Result};
use crate::manifest::{self, FieldPath, LoadOptions, Loaded};

/// Runs a JobSet.
///
/// # Errors
/// The manifest is refused, rights are missing, something is in the way, the cluster can't be reached,
/// or the record can't be written any more. Until the record exists nothing has been made.
pub async fn run(settings: RunSettings, app: &App) -> Result<ExitCode> {
    let options = LoadOptions {
        namespace: app.connection.namespace.clone(),
        name_override: settings.name.clone(),
        generate_suffix: Some(random::suffix(5)),
        ..LoadOptions::default()
    };
    let (jobset, loaded) = files::load(&settings.manifest, &options, app)?;
    if settings.dry_run == DryRun::Client {
        let namespace = app.offline_namespace(&jobset)?;
        return print_dry_run(&jobset, &namespace, &settings, app);
    }
    let places = rule_places(&jobset, &loaded);
    // From here on a signal is answered with a word about what was made.
    let mut signals = Signals::install()?;
    let prepared = tokio::select! {
        prepared = prepare(&settings, app, jobset) => prepared?,
        signal = signals.leaving() => {
            app.printer.error("nothing was created");
            return Ok(signal.into());
        }
    };
    match prepared {
        Prepared::DryRun { jobset, namespace } => {
            print_dry_run(&jobset, &namespace, &settings, app)
        }
        Prepared::Exists { conn, name } => {
            let said = format!("jobset/{name}");
            let code = attach::attach_to(
                app,
                &conn,
                &name,
                &settings.stay,
                settings.detach,
                json(&settings),
                &mut signals,
            )
            .await?;
            if settings.output == Some(RunOutput::Name) {
                app.printer.out(&said);
            }
            Ok(code)
        }
        Prepared::New { conn, record } => {
            // Not under the signals: the one write that decides whether anything exists is awaited.
            let holder = record.seat.holder.clone();
            let record = create(&conn, *record).await?;
            let detached = settings.detach;
            let name = format!("jobset/{}", record.name);
            let admitted = record.jobset.clone();
            let (_, code) = stay(
                app,
                &conn,
                Stay {
                    record,
                    holder: &holder,
                    settings: &settings.stay,
                    json: json(&settings),
                    silent: settings.output == Some(RunOutput::Name),
                    until: if detached {
                        Until::Settled
                    } else {
                        Until::Finished
                    },
                    attached: None,
                    rule_places: places,
                },
                &mut signals,
            )
            .await?;
            match settings.output {
                Some(RunOutput::Name) => app.printer.out(&name),
                Some(RunOutput::Yaml) => {
                    app.printer
                        .out(manifest::to_yaml(&to_value(&admitted)?).trim_end());
                }
                None if detached => app.printer.out(&format!("{name} created")),
                _ => {}
            }
            Ok(code)
        }
    }
}

fn json(settings: &RunSettings) -> bool {
    settings.output == Some(RunOutput::Json)
}

/// What there is to do after the checks.
enum Prepared {
    /// Nothing: the server would take it.
    DryRun {
        jobset: Box<JobSet>,
        namespace: String,
    },
    /// A run of that name and spec exists, and is to be attached to.
    Exists { conn: Connection, name: String },
    /// A new run.
    New {
        conn: Connection,
        record: Box<NewRecord>,
    },
}

/// Everything before the first write.
async fn prepare(settings: &RunSettings, app: &App, mut jobset: JobSet) -> Result<Prepared> {
    if let Some(local) = &app.local {
        local.welcome(app, &jobset)?;
    }
    let conn = app.connect().await?;
    let namespace = jobset
        .metadata
        .namespace
        .clone()
        .unwrap_or_else(|| conn.namespace().to_owned());
    jobset.metadata.namespace = Some(namespace.clone());
    let record = NewRecord {
        namespace: namespace.clone(),
        source: settings
            .manifest
            .sources
            .first()
            .map(|source| RecordSource {
                file: source.to_string(),
                sha256: None,
            }),
        jobset,
        state: RunState::default(),
        seat: Seat {
            holder: app.holder(),
            epoch: 1,
        },
        settings: Settings {
            fail_at: settings.fail_at.into(),
            evidence_lines: settings.keep_evidence,
        },
    };
    let checked = loop {
        match start::check(&conn, &record, settings.manifest.validate.into()).await? {
            Checked::Clear(checked) => break checked,
            Checked::RecordStands => {
                if let Some(there) = standing(&conn, &record).await? {
                    return exists(settings, app, conn, &there, &record.jobset);
                }
                // It has gone meanwhile.
            }
        }
    };
    for note in checked.notes {
        app.printer.err(&note);
    }
    if settings.dry_run == DryRun::Server {
        return Ok(Prepared::DryRun {
            jobset: Box::new(record.jobset),
            namespace,
        });
    }
    Ok(Prepared::New {
        conn,
        record: Box::new(record),
    })
}

/// What stands under the record's name.
async fn standing(conn: &Connection, new: &NewRecord) -> Result<Option<Record>> {
    let records = Records::new(conn, &new.namespace);
    records.get(&new.jobset.metadata.name).await
}

/// A run of that name exists: it is attached to if that was asked for and it is the same work.
fn exists(
    settings: &RunSettings,
    app: &App,
    conn: Connection,
    there: &Record,
    wanted: &JobSet,
) -> Result<Prepared> {
    let name = there.name.clone();
    let command = |verb: &str| app.suggest(&format!("{verb} {name}"), &there.namespace);
    if settings.on_conflict != OnConflict::Attach {
        return Err(Error::new(
            Kind::InTheWay,
            format!("jobset/{name} exists; nothing was made"),
        )
        .hint(command("attach"))
        .hint(command("delete")));
    }
    if !same_work(&there.jobset, wanted) {
        return Err(Error::new(
            Kind::InTheWay,
            format!("jobset/{name} exists with another spec; nothing was made"),
        )
        .hint("give the new run another name: --name NAME")
        .hint(command("delete")));
    }
    Ok(Prepared::Exists { conn, name })
}

/// The write after which a run exists.
async fn create(conn: &Connection, record: NewRecord) -> Result<Record> {
    let name = record.jobset.metadata.name.clone();
    match Records::new(conn, &record.namespace).create(&record).await {
        Ok(record) => Ok(record),
        Err(CreateError::Exists) => Err(Error::new(
            Kind::InTheWay,
            format!("jobset/{name} was made by somebody else a moment ago; nothing was made by us"),
        )),
        Err(CreateError::Refused(error)) => Err(error),
    }
}

/// Whether two manifests ask for the same; who wishes to suspend is not part of that.
fn same_work(a: &JobSet, b: &JobSet) -> bool {
    let mut a = a.spec.clone();
    a.suspend = b.spec.suspend;
    a == b.spec
}

/// The JobSet as it is written down.
fn to_value(jobset: &JobSet) -> Result<Value> {
    serde_json::to_value(jobset)
        .map_err(|e| Error::other("the JobSet can't be written").with_chain(&e))
}

fn print_dry_run(
    jobset: &JobSet,
    namespace: &str,
    settings: &RunSettings,
    app: &App,
) -> Result<ExitCode> {
    let name = format!("jobset/{}", jobset.metadata.name);
    let mut admitted = jobset.clone();
    admitted.metadata.namespace = Some(namespace.to_owned());
    let value = || to_value(&admitted);
    match settings.output {
        None => app
            .printer
            .out(&format!("{name} created{}", settings.dry_run.suffix())),
        Some(RunOutput::Name) => app.printer.out(&name),
        Some(RunOutput::Json) => app.printer.out(&format!("{:#}", value()?)),
        Some(RunOutput::Yaml) => app.printer.out(manifest::to_yaml(&value()?).trim_end()),
    }
    Ok(ExitCode::Ok)
}

/// Where each failure rule stands in the files (`train.yaml:41`).
fn rule_places(jobset: &JobSet, loaded: &Loaded) -> Vec<String> {
    let rules = jobset
        .spec
        .failure_policy
        .as_ref()
        .map_or(0, |p| p.rules.len());
    (0..rules)
        .map(|i| {
            let rule = FieldPath::spec().keys(&["failurePolicy", "rules"]).index(i);
            let place = loaded.sources.file_line(&rule);
            place.map_or_else(String::new, |(file, line)| format!("{file}:{line}"))
        })
        .collect()
}
