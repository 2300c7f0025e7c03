//! What `logs` does around the log engine: checks, choices, what is said when, and how it ends.

use futures::{FutureExt as _, Stream, StreamExt as _};
use k8s_openapi::jiff::tz::TimeZone;

use crate::api::JobSet;
use crate::cli::ExitCode;
use crate::cli::logs::paper::Paper;
use crate::cli::settings::{Attempts, LogsSettings};
use crate::cli::words::LogOrder;
use crate::engine::{PodSeen, RunState};
use crate::error::{Error, Kind, Result};
use crate::logs::dump::dump;
use crate::logs::origin::{Item, Note};
use crate::logs::plan::{Plan, plan};
use crate::logs::pod::PodNow;
use crate::logs::select::{Containers, Selection};
use crate::logs::source::{LogSource, OpenError, Since, ago};
use crate::logs::stream::Start;
use crate::logs::{LogStreams, Options};
use crate::report::escape;
use crate::report::printer::Printer;
use crate::report::style::Styles;
use crate::report::words::count;

/// Pods above which a terminal gets only the last lines of each, if `--tail` says nothing (cli.md 3).
const MANY_PODS: usize = 50;
/// That many lines.
const MANY_PODS_TAIL: u64 = 10;
/// Pods that are named in one message; more would bury it.
const NAMED: usize = 4;
/// A run, as far as its logs are concerned.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) name: String,
    pub(super) jobset: JobSet,
    pub(super) state: RunState,
    /// Flags that a suggested command needs to find it.
    pub(super) flags: String,
    /// All of its pods, as they are now.
    pub(super) pods: Vec<PodNow>,
}

impl Run {
    /// `kubectl jobset logs NAME REST`, with the flags that find the run.
    fn suggest(&self, rest: &str) -> String {
        format!("kubectl jobset logs {} {rest} {}", self.name, self.flags)
            .trim_end()
            .to_owned()
    }
}

/// What is told while following.
#[derive(Clone, Debug)]
pub(super) enum Told {
    /// A pod was seen or has changed.
    Pod(Box<PodSeen>),
    /// The run has ended, or its record is gone.
    Ended,
    /// Something to say.
    Note(Note),
    /// The run may not be followed any more.
    Refused(String),
}

/// Where output goes and how it looks.
#[derive(Clone, Debug)]
pub(super) struct Desk {
    pub(super) printer: Printer,
    pub(super) styles: Styles,
    pub(super) zone: TimeZone,
}

/// Shows what `settings` ask for. `told`: the run's pods (first as they are), and its end; used only
/// while following.
///
/// # Errors
/// `Usage`: a target, container or attempt that the run doesn't have. `NotAllowed`: logs may not be
/// read. `Other`: too many logs, nothing to show.
pub(super) async fn show<S: LogSource + 'static>(
    settings: &LogsSettings,
    run: &Run,
    source: S,
    told: impl Stream<Item = Told> + Unpin,
    desk: &Desk,
) -> Result<ExitCode> {
    let selection = Selection::of_settings(settings);
    check(&selection, run)?;
    let current = run.state.status.restarts;
    let follow = settings.follow
        && run.state.outcome.is_none()
        && match selection.attempts {
            Attempts::Current | Attempts::All => true,
            // Nothing more can come of an attempt that is over.
            Attempts::Number(number) => number >= current,
            Attempts::Previous => false,
        };
    let mut plan = plan(
        &selection,
        &run.pods,
        &run.state,
        &run.name,
        kept_tail(settings),
    );
    let mut start = Start {
        tail: settings.tail.and_then(|tail| i64::try_from(tail).ok()),
        since: since(settings),
    };
    let limit = usize::try_from(settings.max_log_requests).unwrap_or(usize::MAX);
    if plan.picks.len() > limit && (follow || settings.order == LogOrder::Time) {
        return Err(too_many(plan.picks.len(), limit, run));
    }
    if !settings.tail_given && desk.printer.terminals().stdout && plan.picks.len() > MANY_PODS {
        start.tail = i64::try_from(MANY_PODS_TAIL).ok();
        desk.printer.err(&format!(
            "the last {MANY_PODS_TAIL} lines of each of {} logs (--tail=-1 for all)",
            plan.picks.len()
        ));
    }
    say_defaulted(&selection, run, &plan, desk);
    let mut paper = Paper::new(settings, run, &plan, follow, desk);
    paper.kept(&plan);
    for heading in &plan.empty {
        paper.heading(heading);
    }
    if follow {
        let options = Options {
            start,
            limit,
            by_time: settings.order == LogOrder::Time,
            attempt: current,
            skip: std::mem::take(&mut plan.skipped),
        };
        return follow_on(
            LogStreams::new(source, selection, options),
            told,
            paper,
            run,
        )
        .await;
    }
    say_not_started(&plan, desk);
    if plan.picks.is_empty() {
        return if plan.kept.is_empty() && plan.empty.is_empty() {
            Err(nothing(&plan, run, &selection))
        } else {
            Ok(ExitCode::Ok)
        };
    }
    let by_time = settings.order == LogOrder::Time;
    let dumped = dump(source, &plan.picks, start, by_time, |item| {
        paper.item(&item)
    })
    .await;
    paper.flush();
    match dumped {
        Ok(dumped) if dumped.failed > 0 => Ok(ExitCode::Other),
        Ok(_) => Ok(ExitCode::Ok),
        Err(error) => Err(not_allowed(&error, run)),
    }
}

/// Goes on until the run has ended and everything has been read, or the reader of stdout has gone.
async fn follow_on<S: LogSource + 'static>(
    mut streams: LogStreams<S>,
    mut told: impl Stream<Item = Told> + Unpin,
    mut paper: Paper<'_>,
    run: &Run,
) -> Result<ExitCode> {
    let mut telling = true;
    loop {
        let item = tokio::select! {
            biased;
            told = told.next(), if telling => {
                match told {
                    Some(Told::Pod(pod)) => streams.pod_seen(&pod),
                    Some(Told::Note(note)) => {
                        let _still_read = paper.item(&Item::Note(note));
                    }
                    Some(Told::Refused(why)) => {
                        return Err(Error::new(Kind::NotAllowed, format!(
                            "jobset/{} can't be followed any more", run.name
                        )).caused_by(why));
                    }
                    Some(Told::Ended) | None => {
                        telling = false;
                        streams.run_ended();
                    }
                }
                continue;
            }
            item = streams.next() => item,
        };
        let mut next = item;
        loop {
            match next {
                Some(Item::Note(Note::TooMany { limit, target })) => {
                    paper.flush();
                    return Err(too_many(limit + 1, limit, run)
                        .caused_by(format!("{target} came when {limit} were open")));
                }
                Some(Item::Note(Note::Forbidden(text))) => {
                    paper.flush();
                    return Err(not_allowed(&OpenError::Forbidden(text), run));
                }
                Some(item) => {
                    if paper.item(&item).is_break() {
                        return Ok(ExitCode::Ok);
                    }
                }
                None => {
                    paper.flush();
                    return Ok(ExitCode::Ok);
                }
            }
            // What is there at once is written at once.
            match streams.next().now_or_never() {
                Some(more) => next = more,
                None => break,
            }
        }
        if paper.write().is_break() {
            return Ok(ExitCode::Ok);
        }
    }
}

fn check(selection: &Selection, run: &Run) -> Result<()> {
    selection.check(&run.jobset).map_err(Error::usage)?;
    let current = run.state.status.restarts;
    match selection.attempts {
        Attempts::Number(number) if number > current => Err(Error::usage(format!(
            "{} has no attempt {number}, the last one is {current}",
            run.name
        ))),
        _ => Ok(()),
    }
}

fn kept_tail(settings: &LogsSettings) -> Option<usize> {
    settings
        .tail
        .map(|tail| usize::try_from(tail).unwrap_or(usize::MAX))
}

fn since(settings: &LogsSettings) -> Option<Since> {
    settings
        .since
        .map(ago)
        .or_else(|| settings.since_time.map(Since::Time))
}

fn too_many(meant: usize, limit: usize, run: &Run) -> Error {
    let role = run
        .jobset
        .spec
        .replicated_jobs
        .first()
        .map_or("ROLE", |r| r.name.as_str());
    Error::other(format!(
        "{meant} logs are meant, more than the {limit} that may be open at once \
         (--max-log-requests)"
    ))
    .hint(run.suggest(&format!("{role}/0")))
}

fn not_allowed(error: &OpenError, run: &Run) -> Error {
    Error::new(
        Kind::NotAllowed,
        format!("the logs of jobset/{} may not be read", run.name),
    )
    .caused_by(error)
    .hint("the right needed is: get pods/log")
}

fn nothing(plan: &Plan, run: &Run, selection: &Selection) -> Error {
    let name = &run.name;
    let current = run.state.status.restarts;
    let message = if let Some((target, reason)) = plan.not_started.first() {
        format!("nothing to show: {target} has not started ({reason})")
    } else if selection.attempts == Attempts::Previous {
        format!("nothing to show: there is nothing before attempt {current} of jobset/{name}")
    } else {
        format!("nothing to show: no such pods in attempt {current} of jobset/{name}")
    };
    let error = Error::other(message);
    if run.state.outcome.is_none() {
        error.hint("-f waits for them")
    } else {
        error.hint(run.suggest("--attempt all"))
    }
}

/// As kubectl says which container it has chosen, where there are several.
fn say_defaulted(selection: &Selection, run: &Run, plan: &Plan, desk: &Desk) {
    if selection.containers != Containers::Default || selection.failed {
        return;
    }
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for pod in &run.pods {
        if pod.containers.len() < 2
            || plan.skipped.contains(&pod.uid)
            || !selection.wants(&pod.place())
        {
            continue;
        }
        let names: Vec<&str> = pod.containers.iter().map(|c| c.name.as_str()).collect();
        let choice = (pod.default_container.as_str(), names);
        if !said.contains(&choice) {
            desk.printer.err(&format!(
                "container {} of {} (--all-containers for all)",
                choice.0,
                choice.1.join(", ")
            ));
            said.push(choice);
        }
    }
}

/// Names pods that are left out because they have written nothing yet.
fn say_not_started(plan: &Plan, desk: &Desk) {
    // Where there is nothing else, that is the error.
    if plan.picks.is_empty() {
        return;
    }
    for (target, reason) in plan.not_started.iter().take(NAMED) {
        desk.printer.err(&format!(
            "{target} has not started ({})",
            escape::text(reason)
        ));
    }
    if let Some(more) = plan.not_started.len().checked_sub(NAMED).filter(|n| *n > 0) {
        desk.printer.err(&format!(
            "and {} more have not started",
            count(more as u64, "pod")
        ));
    }
}

#[cfg(test)]
#[path = "show_tests.rs"]
mod tests;
