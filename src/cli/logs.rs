//! `logs`: the logs of a run, across roles, pods, restarts and attempts. Lines go to stdout, all talk to
//! stderr. What is read and how is the log engine's matter (`crate::logs`); here is what the API tells
//! meanwhile, in `show` what a command does around it, in `paper` how it comes out.

mod paper;
mod show;

use futures::StreamExt as _;
use futures::stream::{self, LocalBoxStream};
use k8s_openapi::jiff::tz::TimeZone;

use crate::cli::app::App;
use crate::cli::logs::show::{Desk, Run, Told, show};
use crate::cli::select::LATEST;
use crate::cli::settings::LogsSettings;
use crate::cli::{ExitCode, choose};
use crate::driver::kube::contact::State;
use crate::driver::kube::feed::{self, Change, Target};
use crate::driver::kube::list::{self, Children};
use crate::driver::kube::{Connection, Resource, convert, slim};
use crate::driver::record::{Record, RecordEvent, Records};
use crate::error::{Kind, Result};
use crate::logs::{KubeSource, Note};

/// Shows logs. Ctrl-C ends it without a word (cli.md 4).
///
/// # Errors
/// No such run, no contact, no right, and as [`show`].
pub async fn run(settings: LogsSettings, app: &App) -> Result<ExitCode> {
    tokio::select! {
        biased;
        _pressed = tokio::signal::ctrl_c() => Ok(ExitCode::Interrupted),
        result = work(&settings, app) => result,
    }
}

async fn work(settings: &LogsSettings, app: &App) -> Result<ExitCode> {
    let conn = app.connect().await?;
    let record = choose::record(app, &conn, settings.name.as_deref())
        .await
        .map_err(|error| match &settings.name {
            Some(name) if error.kind() == Kind::NoSuchRun && name != LATEST => {
                error.hint(format!("--role {name}, if a role of the only run is meant"))
            }
            _ => error,
        })?;
    let name = &record.name;
    let source = KubeSource::new(&conn, &record.namespace);
    let pods = source.pods(&record.uid).await.map_err(|failure| {
        conn.error(
            &failure,
            &format!("the pods of jobset/{name} can't be listed"),
        )
    })?;
    let told = told(&conn.patient(), &record);
    let run = Run {
        flags: app.run_flags(&record.namespace),
        name: record.name,
        jobset: record.jobset,
        state: record.state,
        pods,
    };
    let desk = Desk {
        printer: app.printer.clone(),
        styles: app.out_styles(),
        zone: TimeZone::system(),
    };
    show(settings, &run, source, told, &desk).await
}

/// Pods, contact and the end of a run, as the API tells them.
fn told(conn: &Connection, record: &Record) -> LocalBoxStream<'static, Told> {
    let children = Children::OfRun {
        uid: record.uid.clone(),
    };
    let target = Target {
        resource: Resource::Pods,
        namespace: record.namespace.clone(),
        selector: ("labelSelector", children.selector()),
        start: feed::Start::List,
    };
    let mut allowed = false;
    let pods = feed::feed::<slim::Pod>(conn, target).flat_map(move |change| {
        stream::iter(match change {
            Change::Listed(all) => {
                allowed = true;
                all.into_iter()
                    .filter_map(convert::pod)
                    .map(|pod| Told::Pod(Box::new(pod)))
                    .collect()
            }
            Change::Applied(pod) => convert::pod(pod)
                .map(|pod| Told::Pod(Box::new(pod)))
                .into_iter()
                .collect(),
            // A stream finds out by itself.
            Change::Deleted(_) | Change::Allowed => Vec::new(),
            Change::Refused(failure) => vec![refused(failure.to_string(), allowed)],
        })
    });
    let contact_told = contact(conn);
    let (conn, uid) = (conn.clone(), record.uid.clone());
    let namespace = record.namespace.clone();
    let name = record.name.clone();
    let ends = Records::new(&conn, &namespace)
        .watch(&name)
        .then(move |event| {
            let (conn, children, namespace) = (conn.clone(), children.clone(), namespace.clone());
            let (name, uid) = (name.clone(), uid.clone());
            async move {
                let deleted = match event {
                    RecordEvent::Seen(record) if record.uid == uid => {
                        if record.state.outcome.is_none() {
                            return Vec::new();
                        }
                        false
                    }
                    RecordEvent::Seen(_) | RecordEvent::Gone => true,
                    // We have just read it.
                    RecordEvent::Lost(why) => return vec![refused(why, true)],
                    RecordEvent::Back => return Vec::new(),
                };
                // The end may be told before the last pods are: look once more.
                let last = list::list_pods(&conn, Some(&namespace), &children).await;
                let pods = last.unwrap_or_default().into_iter();
                let mut told: Vec<Told> = pods.map(|pod| Told::Pod(Box::new(pod.seen))).collect();
                if deleted {
                    let text = format!("jobset/{name} was deleted");
                    told.push(Told::Note(Note::Mark(text)));
                }
                told.push(Told::Ended);
                told
            }
        })
        .flat_map(stream::iter);
    stream::select_all([pods.boxed_local(), ends.boxed_local(), contact_told]).boxed_local()
}

/// A refusal. Of what was allowed before it may pass (a server that has just started doesn't know the
/// roles yet), and is asked for again.
fn refused(why: String, allowed: bool) -> Told {
    if allowed {
        Told::Note(Note::Warning(format!("{why}, trying on")))
    } else {
        Told::Refused(why)
    }
}

/// Contact lost and found again.
fn contact(conn: &Connection) -> LocalBoxStream<'static, Told> {
    let state = conn.shared.contact.subscribe();
    stream::unfold(state, |mut state| async move {
        state.changed().await.ok()?;
        let note = match &*state.borrow_and_update() {
            State::Lost(why) => {
                Note::Warning(format!("the API server can't be reached, waiting: {why}"))
            }
            State::There => Note::Mark("the API server is back".to_owned()),
        };
        Some((Told::Note(note), state))
    })
    .boxed_local()
}
