//! Deleting one run, with words: for `delete`, `--rm`, and the choices of Ctrl-C and time-outs.

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::driver::kube::Connection;
use crate::driver::record::Record;
use crate::driver::remove;
use crate::driver::session::{Signal, Signals};
use crate::error::{Error, Kind, Result};
use crate::report::words::count;

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
    let again = app.suggest(&format!("delete {}", record.name), &record.namespace);
    let work = async {
        let waiting = |driver: &str| {
            app.printer
                .err(&format!("waiting for {driver} to leave {name}"));
        };
        match remove::remove(conn, record, &app.who, holder, waiting).await {
            Err(error) if error.kind() == Kind::NoSuchRun => {} // Somebody was quicker.
            other => other?,
        }
        if wait {
            let mut told = (0, 0);
            remove::wait_until_gone(conn, record, |left| {
                let now = (left.jobs.len(), left.pods.len());
                // Said when it begins to last, and again when it is down to a few.
                if told == (0, 0) || (now.1 < told.1 && now.1 <= 3) {
                    let what = [
                        count(u32::try_from(now.0).unwrap_or(u32::MAX), "job"),
                        count(u32::try_from(now.1).unwrap_or(u32::MAX), "pod"),
                    ];
                    app.printer
                        .err(&format!("{name}: still going away: {}", what.join(", ")));
                    told = now;
                }
            })
            .await?;
        }
        Ok::<(), Error>(())
    };
    tokio::select! {
        done = work => done.map(|()| None),
        signal = interrupted(signals) => {
            app.printer.error(&format!("{name} may be half deleted; the cluster goes on with what it was told"));
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
