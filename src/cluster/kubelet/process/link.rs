//! The kubelet's end of the socket to a pod's first process.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};

use super::inside::WORD;
use super::inside::protocol::{self, Exec, Order, Program, Sandbox, Told};

/// Signal that can't be caught.
pub(super) const KILL: i32 = 9;

/// What an `Exec` came to.
pub(super) struct ExecResult {
    /// `None`: it could not be started.
    pub(super) code: Option<i32>,
    pub(super) output: String,
}

type Waiting = Arc<Mutex<BTreeMap<u64, oneshot::Sender<ExecResult>>>>;

/// Sends orders; clones go to the same pod.
#[derive(Clone)]
pub(super) struct Link {
    orders: mpsc::UnboundedSender<Option<Order>>,
    execs: Waiting,
}

impl Link {
    /// Starts the first process of a pod. What it tells goes to `hear`, at the end `None`, when no process of the pod
    /// is left.
    pub(super) fn start(
        program: &Path,
        sandbox: &Sandbox,
        diary: &Path,
        hear: impl Fn(Option<Told>) + Send + 'static,
    ) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let diary = File::create(diary)?;
        // Its own process group: Ctrl-C in a terminal is for us alone.
        let child = Command::new(program)
            .arg0("kubectl-jobset")
            .args([WORD, "sandbox"])
            .env_clear()
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(diary.try_clone()?)
            .stderr(diary)
            .spawn()?;
        // A new socket has room for the first line, so this doesn't wait.
        protocol::send(&ours, sandbox)?;
        ours.set_nonblocking(true)?;
        let (read, write) = tokio::net::UnixStream::from_std(ours)?.into_split();
        let (orders, queue) = mpsc::unbounded_channel();
        let execs = Waiting::default();
        tokio::spawn(send_orders(queue, write));
        tokio::spawn(hear_all(read, child, Arc::clone(&execs), hear));
        Ok(Self { orders, execs })
    }

    /// Gives an order. One to a pod that is gone is lost.
    pub(super) fn order(&self, order: Order) {
        let _ = self.orders.send(Some(order));
    }

    /// Ends the pod: every process of it is killed.
    pub(super) fn close(&self) {
        let _ = self.orders.send(None);
    }

    /// Runs a program beside a container; `None` if it took too long and was killed.
    pub(super) async fn exec(
        &self,
        id: u64,
        container: u64,
        program: Program,
        timeout: Duration,
    ) -> Option<ExecResult> {
        let (sender, result) = oneshot::channel();
        self.execs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, sender);
        self.order(Order::Exec(Exec {
            id,
            container,
            program,
        }));
        if let Ok(result) = tokio::time::timeout(timeout, result).await {
            return result.ok();
        }
        self.order(Order::Signal { id, signal: KILL });
        None
    }
}

async fn send_orders(
    mut queue: mpsc::UnboundedReceiver<Option<Order>>,
    mut socket: tokio::net::unix::OwnedWriteHalf,
) {
    while let Some(Some(order)) = queue.recv().await {
        let Ok(mut line) = serde_json::to_vec(&order) else {
            return;
        };
        line.push(b'\n');
        if socket.write_all(&line).await.is_err() {
            return;
        }
    }
    // Dropping this half ends the orders, and so the pod; answers are still heard.
}

async fn hear_all(
    socket: tokio::net::unix::OwnedReadHalf,
    mut child: Child,
    execs: Waiting,
    hear: impl Fn(Option<Told>) + Send + 'static,
) {
    let mut lines = BufReader::new(socket).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(told) = serde_json::from_str(&line) else {
            break;
        };
        if let Told::ExecEnded { id, code, output } = told {
            let waiting = execs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&id);
            if let Some(waiting) = waiting {
                let _ = waiting.send(ExecResult { code, output });
            }
        } else {
            hear(Some(told));
        }
    }
    // The process that waits for the pod's first one ends after it.
    let _ = tokio::task::spawn_blocking(move || child.wait()).await;
    hear(None);
}
