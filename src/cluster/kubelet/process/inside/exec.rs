//! A process beside the ones of a container, for probes and hooks.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::channel;

use super::members;
use super::protocol::{Become, Exec, Told};
use super::supervise::Supervisor;
use super::supervised::brief;

/// Bytes of output that are kept, as the kubelet does for a probe.
const MOST_OUTPUT: u64 = 10 * 1024;

/// Starts it; returns at once.
pub(super) fn run(supervisor: &Arc<Supervisor>, order: Exec) {
    let id = order.id;
    let keeper = Arc::clone(supervisor);
    let started = std::thread::Builder::new().spawn(move || {
        let told = run_to_end(&keeper, order).unwrap_or_else(|message| Told::ExecEnded {
            id,
            code: None,
            output: message,
        });
        keeper.tell(&told);
    });
    if let Err(e) = started {
        supervisor.tell(&Told::ExecEnded {
            id,
            code: None,
            output: e.to_string(),
        });
    }
}

fn run_to_end(supervisor: &Supervisor, order: Exec) -> Result<Told, String> {
    let container = supervisor
        .pid(order.container)
        .ok_or_else(|| "the container doesn't run".to_owned())?;
    let what = Become::Beside {
        program: order.program,
        pid: supervisor.isolated.then_some(container.as_raw_pid()),
    };
    let text = |e: io::Error| e.to_string();
    let (socket, theirs) = UnixStream::pair().map_err(text)?;
    let (mut out, out_end) = io::pipe().map_err(text)?;
    let err_end = out_end.try_clone().map_err(text)?;
    let (sender, end) = channel();
    let pid = supervisor
        .spawn(order.id, theirs, out_end, err_end, sender)
        .map_err(text)?;
    let (_, failure) = brief(socket, &what, pid);
    let mut output = Vec::new();
    if failure.is_none() {
        // The rest is read too: a full pipe would stop the process.
        let _ = out.by_ref().take(MOST_OUTPUT).read_to_end(&mut output);
        let _ = io::copy(&mut out, &mut io::sink());
    }
    let code = end.recv().map_err(|e| e.to_string())?;
    members::kill_all(|| members::of(&members::Mark::Session(pid)));
    match failure {
        Some(message) => Err(message),
        None => Ok(Told::ExecEnded {
            id: order.id,
            code: Some(code),
            output: String::from_utf8_lossy(&output).into_owned(),
        }),
    }
}
