//! First process of a pod: takes orders, starts containers, collects every process that ends, whoever started it. When
//! the orders end, the kubelet is gone, and nothing of the pod stays.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::mount::{MountFlags, mount};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, kill_process, kill_process_group,
    set_parent_process_death_signal,
};

use super::entry::CONTAINER;
use super::protocol::{self, Order, Told};
use super::{exec, members, sandbox, supervised};

/// Shared by all threads.
pub(super) struct Supervisor {
    /// To the kubelet; one line at a time.
    socket: Mutex<UnixStream>,
    children: Mutex<Children>,
    /// There is a child to wait for.
    started: Condvar,
    pub(super) isolated: bool,
}

#[derive(Default)]
struct Children {
    /// What waits for the end of each process that we started.
    waiting: BTreeMap<i32, Sender<i32>>,
    /// First process of each container and `Exec` that runs.
    by_id: BTreeMap<u64, Pid>,
}

pub(super) fn main(isolated: bool) -> io::Result<()> {
    let socket = protocol::socket()?;
    let supervisor = Arc::new(Supervisor {
        socket: Mutex::new(socket.try_clone()?),
        children: Mutex::default(),
        started: Condvar::new(),
        isolated,
    });
    if let Err(why) = settle(isolated) {
        supervisor.tell(&Told::Refused(why));
        return Ok(());
    }
    let reaper = Arc::clone(&supervisor);
    std::thread::Builder::new().spawn(move || reaper.reap())?;
    supervisor.tell(&Told::Ready);
    for order in protocol::lines(socket) {
        match order? {
            Order::Run(run) => supervised::run(&supervisor, *run),
            Order::Exec(order) => exec::run(&supervisor, order),
            Order::Signal { id, signal } => supervisor.signal(id, signal),
        }
    }
    // The end of the first process ends all others of its process namespace.
    if !isolated {
        members::kill_all(members::descendants);
    }
    Ok(())
}

/// Makes sure that nothing outlives us, and that `/proc` shows the pod's processes.
fn settle(isolated: bool) -> Result<(), String> {
    if isolated {
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(|e| e.to_string())?;
        mount(
            "proc",
            "/proc",
            "proc",
            MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC,
            None,
        )
        .map_err(|e| format!("/proc can't be mounted in a process namespace: {e}"))?;
    } else {
        // Orphans come to us, so that the end of the orders finds them. No signal at our parent's death: the end of
        // the orders tells us, and leaves time to kill.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(|e| e.to_string())?;
    }
    Ok(())
}

impl Supervisor {
    /// Tells the kubelet. If it is gone the orders end too, which is where that is dealt with.
    pub(super) fn tell(&self, told: &Told) {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = protocol::send(&socket, told);
    }

    fn children(&self) -> MutexGuard<'_, Children> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the first process of a container or of an `Exec`. Its exit code goes to `end`.
    pub(super) fn spawn(
        &self,
        id: u64,
        socket: UnixStream,
        out: impl Into<Stdio>,
        err: impl Into<Stdio>,
        end: Sender<i32>,
    ) -> io::Result<Pid> {
        // Held while the process starts: it may have ended before we know its number.
        let mut children = self.children();
        let child = sandbox::ourselves(CONTAINER)
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(socket)))
            .stdout(out)
            .stderr(err)
            .spawn()?;
        let pid = Pid::from_child(&child);
        children.waiting.insert(pid.as_raw_pid(), end);
        children.by_id.insert(id, pid);
        drop(children);
        self.started.notify_all();
        Ok(pid)
    }

    /// First process of a container that runs.
    pub(super) fn pid(&self, id: u64) -> Option<Pid> {
        self.children().by_id.get(&id).copied()
    }

    /// To the whole process group; to the one process if it has none yet.
    fn signal(&self, id: u64, signal: i32) {
        let (Some(pid), Some(signal)) = (self.pid(id), Signal::from_named_raw(signal)) else {
            return;
        };
        if kill_process_group(pid, signal).is_err() {
            let _ = kill_process(pid, signal);
        }
    }

    /// Collects whatever ends, for ever.
    fn reap(&self) {
        loop {
            match rustix::process::wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) => {
                    let mut children = self.children();
                    children.by_id.retain(|_, running| *running != pid);
                    if let Some(end) = children.waiting.remove(&pid.as_raw_pid()) {
                        let _ = end.send(exit_code(status));
                    }
                }
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                // No child at all.
                Err(_) => {
                    let children = self.children();
                    let _none = self
                        .started
                        .wait_while(children, |children| children.waiting.is_empty());
                }
            }
        }
    }
}

/// As a shell has it: 128 and the number of the signal.
fn exit_code(status: WaitStatus) -> i32 {
    status
        .exit_status()
        .or_else(|| status.terminating_signal().map(|signal| 128 + signal))
        .unwrap_or_default()
}
