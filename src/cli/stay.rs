//! What `run` and `attach` share: sit in the driver's seat with a reporter, and say how it ended.

use std::collections::BTreeSet;

use k8s_openapi::jiff::{SignedDuration, Timestamp, tz::TimeZone};

use crate::cli::app::App;
use crate::cli::ending::last_words;
use crate::cli::settings::{MAX_LOG_REQUESTS, StaySettings};
use crate::cli::tap::Tap;
use crate::cli::words::RemoveWhen;
use crate::cli::{ExitCode, remove};
use crate::driver::clock;
use crate::driver::kube::Connection;
use crate::driver::kube::run::KubeRun;
use crate::driver::onlooker::{self, Onlooker};
use crate::driver::record::Record;
use crate::driver::session::{
    End, OnInterrupt, OnTimeout, Options, Session, Signals, TypedAnswers, Until,
};
use crate::engine::Outcome;
use crate::error::Result;
use crate::logs::stream::Start;
use crate::logs::{KubeSource, LogStreams, Selection, Since, follow};
use crate::report::level::{Mode, ModeInputs, mode};
use crate::report::reporter::{LogLook, Reporter, Settings as ReporterSettings};
use crate::report::view::{RunFacts, RunId, gpus};

/// Time without any contact after which a session gives up with a code of its own: longer than the
/// upgrade of a control plane takes, shorter than a night.
const LOST_AFTER: SignedDuration = SignedDuration::from_mins(30);

/// The same for a local run: a host that doesn't answer is dead, and its processes with it.
const LOCAL_LOST_AFTER: SignedDuration = SignedDuration::from_secs(5);

/// What a stay is about.
pub(super) struct Stay<'a> {
    /// The record, in whose seat we are.
    pub(super) record: Record,
    /// Our name in the Lease.
    pub(super) holder: &'a str,
    /// How to stay.
    pub(super) settings: &'a StaySettings,
    /// `-o json`.
    pub(super) json: bool,
    /// Nothing is told but errors (`-o name`, verbs that only carry out a wish).
    pub(super) silent: bool,
    /// Until when.
    pub(super) until: Until,
    /// The run existed: who drove it, and for how many seconds nothing was heard of it.
    pub(super) attached: Option<(Option<String>, Option<i64>)>,
    /// Where each failure rule stands in the manifest (`train.yaml:41`).
    pub(super) rule_places: Vec<String>,
}

/// Drives the run until the end, or ours. Gives how it ended.
///
/// # Errors
/// The record can't be read or written any more.
pub(super) async fn stay(
    app: &App,
    conn: &Connection,
    stay: Stay<'_>,
    signals: &mut Signals,
) -> Result<(End, ExitCode)> {
    app.hold(&stay.record.namespace, &stay.record.name).await?;
    let ended = drive(app, conn, stay, signals).await;
    app.let_go().await;
    ended
}

async fn drive(
    app: &App,
    conn: &Connection,
    stay: Stay<'_>,
    signals: &mut Signals,
) -> Result<(End, ExitCode)> {
    let Stay {
        record,
        holder,
        settings,
        json,
        silent,
        until,
        attached,
        rule_places,
    } = stay;
    let now = clock::now();
    let mut cluster = KubeRun::new(conn, &record, holder);
    if attached.is_none() {
        cluster = cluster.just_made();
    }
    let engine = record.engine(now);
    let name = record.name.clone();
    let terminals = app.printer.terminals();
    let terminal = terminals.stdin && terminals.stderr;
    let on_interrupt = settings.on_interrupt.into();
    let mode = told_as(app, json, silent);
    let asks = terminal && on_interrupt == OnInterrupt::Ask;
    let mut reporter = reporter(app, &record, mode, heartbeat_s(settings), asks, rule_places);
    let mut tap = Tap::new(streams(
        conn,
        &record,
        settings,
        attached.is_some().then_some(now),
    ));
    let options = Options {
        until,
        on_interrupt,
        terminal,
        timeout_at: timeout_at(settings, now),
        on_timeout: settings.on_timeout.into(),
        lost_after: Some(if app.local.is_some() {
            LOCAL_LOST_AFTER
        } else {
            LOST_AFTER
        }),
        heartbeat: settings
            .heartbeat
            .filter(|_| settings.heartbeat_events)
            .and_then(|d| SignedDuration::try_from(d).ok()),
        who: app.who.clone(),
        attached,
    };
    let mut session = Session::new(
        &cluster,
        &mut reporter,
        &mut tap,
        engine,
        record.clone(),
        options,
    );
    let end = session.run(signals, &mut TypedAnswers::default()).await?;
    let code = ExitCode::from(&end);
    let snapshot = session.snapshot();
    let not_enforced = session.engine().roles_not_enforced();
    let attempts = session.engine().state().attempts.clone();
    let record = session.record().clone();
    drop(session);
    reporter.set_attempts(&attempts);
    reporter.finish(clock::now(), &snapshot, code.code());
    for warning in conn.take_warnings() {
        app.printer.err(&format!("warning: {warning}"));
    }
    if !matches!(mode, Mode::Json { .. }) {
        let attach = app.suggest(&format!("attach {name}"), &record.namespace);
        let status = app.suggest(&format!("status {name}"), &record.namespace);
        for line in last_words(&name, &end, &not_enforced, &attach, &status) {
            app.printer.err(&line);
        }
    }
    let completed = end == End::Finished(Outcome::Completed);
    let rm = match (&end, settings.rm) {
        (End::DeleteWanted(_) | End::TimedOut(OnTimeout::Delete), _) => true,
        (End::Finished(_) | End::TimedOut(OnTimeout::Stop), Some(RemoveWhen::Always)) => true,
        (End::Finished(_), Some(RemoveWhen::Success)) => completed,
        _ => false,
    };
    if rm
        && let Some(cut_short) =
            remove::remove(app, conn, &record, Some(holder), true, signals).await?
    {
        return Ok((end, cut_short));
    }
    Ok((end, code))
}

/// Looks on until the run has ended. Gives the code of its outcome, or of what ended the looking.
pub(super) async fn look_on(
    app: &App,
    conn: &Connection,
    record: Record,
    settings: &StaySettings,
    json: bool,
    signals: &mut Signals,
) -> ExitCode {
    let now = clock::now();
    let cluster = KubeRun::new(conn, &record, "");
    let mode = told_as(app, json, false);
    let mut tap = Tap::new(streams(conn, &record, settings, Some(now)));
    let mut reporter = reporter(app, &record, mode, heartbeat_s(settings), false, Vec::new());
    let mut onlooker = Onlooker::new(&cluster, &mut reporter, &mut tap, record.clone());
    let end = onlooker.run(signals, timeout_at(settings, now)).await;
    let code = ExitCode::from(&end);
    let snapshot = onlooker.snapshot();
    let attempts = onlooker.record().state.attempts.clone();
    reporter.set_attempts(&attempts);
    if matches!(end, End::Finished(_) | End::Deleted) {
        reporter.finish(clock::now(), &snapshot, code.code());
    } else {
        app.printer.end_live();
    }
    code
}

fn heartbeat_s(settings: &StaySettings) -> i64 {
    settings
        .heartbeat
        .map_or(0, |d| i64::try_from(d.as_secs()).unwrap_or(0))
}

fn timeout_at(settings: &StaySettings, now: Timestamp) -> Option<Timestamp> {
    now.checked_add(SignedDuration::try_from(settings.timeout?).ok()?)
        .ok()
}

/// The logs that were asked for; `since`: only lines after that moment.
fn streams(
    conn: &Connection,
    record: &Record,
    settings: &StaySettings,
    since: Option<Timestamp>,
) -> Option<LogStreams<KubeSource>> {
    let selection = Selection::of_choice(&settings.logs)?;
    let options = follow::Options {
        start: Start {
            tail: None,
            since: since.map(Since::Time),
        },
        limit: usize::try_from(MAX_LOG_REQUESTS).unwrap_or(usize::MAX),
        by_time: true,
        attempt: record.state.status.restarts,
        skip: BTreeSet::new(),
    };
    let source = KubeSource::new(conn, &record.namespace);
    Some(LogStreams::new(source, selection, options))
}

/// How the run is told.
fn told_as(app: &App, json: bool, silent: bool) -> Mode {
    if silent {
        return Mode::Quiet;
    }
    mode(&ModeInputs {
        progress: app.progress(),
        json,
        level: app.printer.level(),
        stderr_terminal: app.printer.terminals().stderr,
        dumb: app.talk.dumb(),
        ci: app.talk.ci,
    })
}

fn reporter(
    app: &App,
    record: &Record,
    mode: Mode,
    heartbeat_s: i64,
    asks_on_interrupt: bool,
    rule_places: Vec<String>,
) -> Reporter {
    Reporter::new(ReporterSettings {
        mode,
        printer: app.printer.clone(),
        out_styles: app.out_styles(),
        err_styles: app.err_styles(),
        glyphs: app.glyphs(),
        zone: TimeZone::system(),
        run: RunId {
            namespace: record.namespace.clone(),
            name: record.name.clone(),
            uid: record.uid.clone(),
        },
        facts: RunFacts {
            record: Some(record.reference()),
            gpus: gpus(&record.jobset),
            rule_places,
            flags: app.run_flags(&record.namespace),
        },
        heartbeat_s,
        logs: LogLook {
            prefix: true,
            containers: several_containers(record),
            raw: false,
        },
        asks_on_interrupt,
    })
}

/// Tells the end of a run that had ended before we came; nobody needs to drive it. Gives the code of
/// its outcome.
pub(super) fn tell_finished(app: &App, record: &Record, json: bool) -> ExitCode {
    let now = clock::now();
    let mut engine = record.engine_of_an_onlooker(now);
    let mut reporter = reporter(app, record, told_as(app, json, false), 0, false, Vec::new());
    let snapshot = engine.snapshot(now);
    let state = &record.state;
    let code = state
        .outcome
        .as_ref()
        .map_or(ExitCode::NotFinished, ExitCode::from);
    let kind = onlooker::finished(state);
    let event = engine.emit(kind, state.finished.unwrap_or(now));
    reporter.event(&event);
    reporter.set_attempts(&state.attempts);
    reporter.finish(now, &snapshot, code.code());
    code
}

fn several_containers(record: &Record) -> bool {
    record.jobset.spec.replicated_jobs.iter().any(|role| {
        let spec = role.template.pod_template().and_then(|t| t.get("spec"));
        let count = |key: &str| {
            spec.and_then(|s| s.get(key)?.as_array())
                .map_or(0, Vec::len)
        };
        count("containers") + count("initContainers") > 1
    })
}
