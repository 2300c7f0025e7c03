//! Deleting one run, with words: for `delete`, `--rm`, and the choices of Ctrl-C and time-outs.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::runs::person;
use crate::driver::clock;
use crate::driver::kube::Connection;
use crate::driver::record::Record;
use crate::driver::remove::{self, Left};
use crate::driver::session::{Signal, Signals};
use crate::engine::PodSeen;
use crate::error::{Kind, Result};
use crate::report::time::human;
use crate::report::words::count;

/// Time after which waiting is worth a line.
const SAID_AFTER: SignedDuration = SignedDuration::from_secs(2);
/// Time after which what is still there is named: by then most pods are gone, and what is left is
/// worth a look.
const NAMED_AFTER: SignedDuration = SignedDuration::from_secs(10);
/// Pods named in such a line.
const NAMED: usize = 3;

/// Deletes a run and, with `wait`, waits until its pods are gone. `holder`: ours, if we drive it.
/// Gives the code of a signal that cut the waiting short.
///
/// # Errors
/// No contact, no right.
pub(super) async fn remove(
    app: &App,
    conn: &Connection,
    record: &Record,
    holder: Option<&str>,
    wait: bool,
    signals: &mut Signals,
) -> Result<Option<ExitCode>> {
    let name = format!("jobset/{}", record.name);
    let waiting = |driver: &str| {
        app.printer
            .err(&format!("waiting for {} to leave {name}", person(driver)));
    };
    let work = async {
        match remove::remove(conn, record, &app.who, holder, waiting).await {
            // Somebody was quicker.
            Err(error) if error.kind() == Kind::NoSuchRun => Ok(()),
            other => other,
        }
    };
    match or_signal(app, record, work, signals).await? {
        None if wait => wait_until_gone(app, conn, record, signals).await,
        cut_short => Ok(cut_short),
    }
}

/// Waits until the Jobs and pods of a run that was deleted are gone, and says what is slow. Gives the
/// code of a signal that cut the waiting short.
///
/// # Errors
/// No contact, no right.
pub(super) async fn wait_until_gone(
    app: &App,
    conn: &Connection,
    record: &Record,
    signals: &mut Signals,
) -> Result<Option<ExitCode>> {
    let start = clock::now();
    let mut told = 0;
    let work = remove::wait_until_gone(conn, record, |left| {
        let now = clock::now();
        let waited = now.duration_since(start);
        let due = [SAID_AFTER, NAMED_AFTER]
            .iter()
            .filter(|after| waited > **after)
            .count();
        if due > told {
            let name = format!("jobset/{}", record.name);
            app.printer
                .err(&format!("{name}: {}", still_there(left, due > 1, now)));
            told = due;
        }
    });
    or_signal(app, record, work, signals).await
}

/// Does the work unless a signal comes first.
async fn or_signal(
    app: &App,
    record: &Record,
    work: impl Future<Output = Result<()>>,
    signals: &mut Signals,
) -> Result<Option<ExitCode>> {
    tokio::select! {
        done = work => done.map(|()| None),
        signal = interrupted(signals) => {
            let again = app.suggest(&format!("delete {}", record.name), &record.namespace);
            app.printer.error(&format!(
                "jobset/{} may be half deleted; the cluster goes on with what it was told",
                record.name
            ));
            app.printer.err(&format!("hint: {again}"));
            Ok(Some(signal.into()))
        }
    }
}

/// The next signal that ends a process.
pub(super) async fn interrupted(signals: &mut Signals) -> Signal {
    loop {
        match signals.next().await {
            Signal::Tstp => {}
            signal => return signal,
        }
    }
}

/// `still going away: 4 jobs, 8 pods`; with names `…: train-worker-0-1-x7k2p on gpu-09 for 1m20s
/// (grace 30s)`.
fn still_there(left: &Left, names: bool, now: Timestamp) -> String {
    let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let mut text = "still going away:".to_owned();
    for (n, word) in [(left.jobs.len(), "job"), (left.pods.len(), "pod")] {
        if n > 0 {
            let comma = if text.ends_with(':') { "" } else { "," };
            text.push_str(&format!("{comma} {}", count(number(n), word)));
        }
    }
    if names && !left.pods.is_empty() {
        let named: Vec<String> = left
            .pods
            .iter()
            .take(NAMED)
            .map(|pod| slow(pod, now))
            .collect();
        text.push_str(&format!(" ({}", named.join("; ")));
        if left.pods.len() > NAMED {
            text.push_str(&format!("; and {} more", left.pods.len() - NAMED));
        }
        text.push(')');
    }
    text
}

fn slow(pod: &PodSeen, now: Timestamp) -> String {
    let node = pod
        .node
        .as_deref()
        .map_or(String::new(), |node| format!(" on {node}"));
    let since = pod.deleting.map_or(String::new(), |deleting| {
        let held = if deleting.held_by_finalizer {
            ", held by a finalizer"
        } else {
            ""
        };
        let age = human(now.duration_since(deleting.since).as_secs().max(0));
        format!(" for {age}, grace {}s{held}", deleting.grace_s)
    });
    format!("{}{node}{since}", pod.name)
}
