//! One container from its start to the last byte of its log.

use std::io::{self, PipeReader};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::Pid;

use super::members::{self, Mark};
use super::memory;
use super::protocol::{self, Become, Run, Stage, Told};
use super::supervise::Supervisor;
use crate::cluster::kubelet::process::logs::{LogWriter, Stream};

/// How long the end of a container waits for the end of its output: without namespaces a daemon that left its session
/// can hold it open.
const DRAIN: Duration = Duration::from_secs(2);

/// Starts the container; returns at once.
pub(super) fn run(supervisor: &Arc<Supervisor>, run: Run) {
    let id = run.id;
    let keeper = Arc::clone(supervisor);
    let started = Started::new(supervisor, &run).and_then(|started| {
        std::thread::Builder::new()
            .spawn(move || started.keep(&keeper, run))
            .map(drop)
    });
    if let Err(e) = started {
        supervisor.tell(&Told::NotStarted {
            id,
            message: format!("its first process can't be started: {e}"),
        });
    }
}

struct Started {
    pid: Pid,
    socket: UnixStream,
    end: Receiver<i32>,
    outputs: [(Stream, PipeReader); 2],
    log: LogWriter,
}

impl Started {
    fn new(supervisor: &Supervisor, run: &Run) -> io::Result<Self> {
        let log = LogWriter::create(run.log.as_ref())?;
        let (socket, theirs) = UnixStream::pair()?;
        let (out, out_end) = io::pipe()?;
        let (err, err_end) = io::pipe()?;
        let (sender, end) = channel();
        let pid = supervisor.spawn(run.id, theirs, out_end, err_end, sender)?;
        Ok(Self {
            pid,
            socket,
            end,
            outputs: [(Stream::Out, out), (Stream::Err, err)],
            log,
        })
    }

    fn keep(self, supervisor: &Supervisor, run: Run) {
        let Self {
            pid,
            socket,
            end,
            outputs,
            log,
        } = self;
        let (drained, all_drained) = channel::<()>();
        for (stream, pipe) in outputs {
            let (log, drained) = (log.clone(), drained.clone());
            // Without its thread a pipe closes, and the container's writes fail: seen, not silent.
            let _ = std::thread::Builder::new().spawn(move || {
                log.copy(stream, pipe);
                drop(drained);
            });
        }
        drop(drained);

        let root = supervisor.isolated.then(|| run.root.clone());
        let become_ = Become::Container {
            program: run.program,
            root,
            wanted: run.root.mounts,
        };
        let (mark, failure) = brief(socket, &become_, pid);
        if failure.is_none() {
            supervisor.tell(&Told::Started(run.id));
        }
        let watched = run.memory_limit.map(|limit| {
            let (stop, stopped) = channel::<()>();
            let mark = mark.clone();
            let thread =
                std::thread::Builder::new().spawn(move || memory::watch(&mark, limit, &stopped));
            (stop, thread)
        });
        let code = end.recv().unwrap_or(255);
        let out_of_memory = watched.is_some_and(|(stop, thread)| {
            drop(stop);
            thread.is_ok_and(|thread| thread.join().unwrap_or(false))
        });
        members::kill_all(|| members::of(&mark));
        // Ends with an error when both threads are through: nothing is ever sent.
        let _ = all_drained.recv_timeout(DRAIN);
        supervisor.tell(&match failure {
            Some(message) => Told::NotStarted {
                id: run.id,
                message,
            },
            None => Told::Ended {
                id: run.id,
                code,
                out_of_memory,
            },
        });
    }
}

/// Tells the process what to become and hears how that goes, until it has become that.
pub(super) fn brief(socket: UnixStream, what: &Become, pid: Pid) -> (Mark, Option<String>) {
    let mut mark = Mark::Session(pid);
    let told = protocol::send(&socket, what);
    if let Err(e) = told {
        return (mark, Some(format!("its first process doesn't listen: {e}")));
    }
    for stage in protocol::lines(socket) {
        match stage {
            Ok(Stage::Namespace(name)) => mark = Mark::Namespace(name),
            Ok(Stage::Failed(message)) => return (mark, Some(message)),
            Err(e) => return (mark, Some(format!("its first process can't be heard: {e}"))),
        }
    }
    (mark, None)
}
