//! `status`: the runs of a namespace, or one run, once or whenever something changes.

use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::labels::Selector;
use crate::cli::runs;
use crate::cli::settings::StatusSettings;
use crate::cli::watching::{Live, Scope};
use crate::cli::words::StatusOutput;
use crate::cli::{ExitCode, choose};
use crate::driver::kube::Connection;
use crate::driver::record::Record;
use crate::error::{Error, Result};
use crate::manifest::to_yaml;
use crate::report::printer::Level;
use crate::report::view::{RunId, RunView};
use crate::report::{ListLook, Page, status, status_json, status_list};

/// Shows runs. With `-w`, Ctrl-C ends it without a word (cli.md 4).
///
/// # Errors
/// No such run, no contact, no right.
pub async fn run(settings: StatusSettings, app: &App) -> Result<ExitCode> {
    let look = async {
        let conn = app.connect().await?;
        let result = match (&settings.name, settings.exit_code) {
            (None, false) => list(&settings, app, &conn).await,
            (name, _) => one(name.as_deref(), &settings, app, &conn).await,
        };
        app.tell_warnings(&conn);
        result
    };
    if !settings.watch {
        return look.await;
    }
    tokio::select! {
        biased;
        _pressed = tokio::signal::ctrl_c() => Ok(ExitCode::Interrupted),
        result = look => result,
    }
}

async fn one(
    name: Option<&str>,
    settings: &StatusSettings,
    app: &App,
    conn: &Connection,
) -> Result<ExitCode> {
    let record = choose::record(app, conn, name).await?;
    let (name, uid) = (record.name.clone(), record.uid.clone());
    let mut live = settings.watch.then(|| {
        let id = RunId {
            namespace: record.namespace.clone(),
            name: name.clone(),
            uid: uid.clone(),
        };
        Live::new(conn, &Scope::Run(id))
    });
    let mut said = String::new();
    loop {
        let parts = match &mut live {
            None => Some(runs::one(conn, record.clone()).await?),
            Some(live) => {
                let mut parts = live.next().await?;
                complain(app, live);
                parts.pop().filter(|parts| parts.record.uid == uid)
            }
        };
        let Some(parts) = parts else {
            app.printer.err(&format!("jobset/{name} was deleted"));
            return Ok(ExitCode::Ok);
        };
        let jobset = with_status(&parts.record)?;
        let now = runs::now(conn);
        let view = runs::view(app, parts, now);
        let page = match settings.output {
            None | Some(StatusOutput::Wide) => status::one(&view, now),
            Some(StatusOutput::Json) => data(status_json::one(&view).map_err(cannot_write)?),
            Some(StatusOutput::Yaml) => data(to_yaml(&jobset).trim_end().to_owned()),
            Some(StatusOutput::Name) => data(format!("jobset/{name}")),
        };
        // Ages alone are no change.
        let news = status_json::one(&view).map_err(cannot_write)?;
        if said != news {
            if !said.is_empty() && settings.output.is_none() {
                app.printer.out("");
            }
            if !(settings.exit_code && app.printer.level() == Level::Quiet) {
                print(app, &page);
            }
            said = news;
        }
        if settings.exit_code {
            return Ok(runs::exit_code(&view));
        }
        if live.is_none() || app.printer.stdout_closed() {
            return Ok(ExitCode::Ok);
        }
    }
}

async fn list(settings: &StatusSettings, app: &App, conn: &Connection) -> Result<ExitCode> {
    let selector = settings
        .selector
        .as_deref()
        .map(|text| {
            text.parse::<Selector>()
                .map_err(|e| Error::usage(format!("-l: {e}")))
        })
        .transpose()?
        .unwrap_or_default();
    let mut list = status_list::List::new(ListLook {
        namespaces: settings.all_namespaces,
        wide: settings.output == Some(StatusOutput::Wide),
        no_headers: settings.no_headers,
    });
    let mut live = settings.watch.then(|| {
        let scope = if settings.all_namespaces {
            Scope::Everywhere
        } else {
            Scope::Namespace(conn.namespace().to_owned())
        };
        Live::new(conn, &scope)
    });
    let mut said: Option<Vec<String>> = None;
    loop {
        let mut parts = match &mut live {
            None => runs::all(conn, settings.all_namespaces).await?,
            Some(live) => {
                let parts = live.next().await?;
                complain(app, live);
                parts
            }
        };
        parts.retain(|parts| selector.matches(&parts.record.jobset.metadata.labels));
        let jobsets = parts
            .iter()
            .map(|parts| with_status(&parts.record))
            .collect::<Result<Vec<_>>>()?;
        let now = runs::now(conn);
        let all: Vec<RunView> = parts.into_iter().map(|p| runs::view(app, p, now)).collect();
        let news = all
            .iter()
            .map(|run| status_json::one(run).map_err(cannot_write))
            .collect::<Result<Vec<_>>>()?;
        let is_new = |i: &usize| said.as_ref().is_none_or(|said| !said.contains(&news[*i]));
        let new: Vec<usize> = (0..all.len()).filter(is_new).collect();
        let views: Vec<RunView> = new.iter().map(|i| all[*i].clone()).collect();
        let page = match settings.output {
            _ if views.is_empty() => Page::default(),
            None | Some(StatusOutput::Wide) => list.page(&views, now),
            Some(StatusOutput::Json) => data(status_json::list(&views).map_err(cannot_write)?),
            Some(StatusOutput::Yaml) => {
                let items: Vec<Value> = new.iter().map(|i| jobsets[*i].clone()).collect();
                let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
                data(to_yaml(&list).trim_end().to_owned())
            }
            Some(StatusOutput::Name) => Page {
                out: status_list::names(&views),
                ..Page::default()
            },
        };
        print(app, &page);
        if all.is_empty() && said.is_none() {
            empty(settings, app, conn)?;
        }
        said = Some(news);
        if live.is_none() || app.printer.stdout_closed() {
            return Ok(ExitCode::Ok);
        }
    }
}

/// What can't be seen while watching.
fn complain(app: &App, live: &mut Live) {
    for complaint in live.take_complaints() {
        app.printer.err(&format!("warning: {complaint}"));
    }
}

/// Programs get an empty list, people what kubectl says.
fn empty(settings: &StatusSettings, app: &App, conn: &Connection) -> Result<()> {
    match settings.output {
        Some(StatusOutput::Json) => {
            app.printer
                .out(&status_json::list(&[]).map_err(cannot_write)?);
        }
        Some(StatusOutput::Yaml) => {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": []});
            app.printer.out(to_yaml(&list).trim_end());
        }
        _ => {
            let namespace = (!settings.all_namespaces).then(|| conn.namespace());
            app.printer.err(&status_list::empty(namespace));
        }
    }
    Ok(())
}

/// The JobSet as admitted, with its status: what `kubectl get -o yaml` would show of a JobSet.
fn with_status(record: &Record) -> Result<Value> {
    let mut jobset = serde_json::to_value(&record.jobset).map_err(cannot_write)?;
    jobset["metadata"]["namespace"] = record.namespace.clone().into();
    jobset["status"] = serde_json::to_value(&record.state.status).map_err(cannot_write)?;
    Ok(jobset)
}

fn cannot_write(error: serde_json::Error) -> Error {
    Error::other("the status can't be written down").caused_by(error)
}

fn data(text: String) -> Page {
    Page {
        out: vec![text],
        ..Page::default()
    }
}

fn print(app: &App, page: &Page) {
    app.printer.out_lines(&page.out);
    for warning in &page.warnings {
        app.printer.err(warning);
    }
    if app.printer.terminals().stderr {
        for hint in &page.hints {
            app.printer.err(&format!("hint: {hint}"));
        }
    }
}
