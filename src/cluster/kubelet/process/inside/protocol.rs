//! What the kubelet and the far side say to each other. Paths are text: a run folder whose path isn't UTF-8 is refused
//! before it comes to this.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// First line to a sandbox.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in super::super) struct Sandbox {
    /// What `hostname` prints inside.
    pub(in super::super) hostname: String,
    /// Make namespaces; without, the processes run on the bare machine.
    pub(in super::super) isolate: bool,
}

/// Something to do.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in super::super) enum Order {
    /// Starts a container.
    Run(Box<Run>),
    /// Starts a process inside a running container; its output comes back.
    Exec(Exec),
    /// Sends a signal to the process group of a container or of an `Exec`.
    Signal {
        /// Which.
        id: u64,
        /// Its number.
        signal: i32,
    },
}

/// A container.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in super::super) struct Run {
    /// Chosen by the kubelet, never used twice in a pod.
    pub(in super::super) id: u64,
    /// Program, environment, directory.
    pub(in super::super) program: Program,
    /// What it sees of the file system.
    pub(in super::super) root: Root,
    /// File that its output goes to.
    pub(in super::super) log: String,
    /// Bytes of memory that all its processes may use together.
    pub(in super::super) memory_limit: Option<u64>,
}

/// A program and what it is started with.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in super::super) struct Program {
    /// Words; the first is looked up in `PATH`.
    pub(in super::super) argv: Vec<String>,
    /// The whole environment.
    pub(in super::super) env: Vec<(String, String)>,
    /// Directory that it starts in.
    pub(in super::super) directory: String,
    /// User that it sees itself as.
    pub(in super::super) user: Option<u32>,
    /// Group likewise.
    pub(in super::super) group: Option<u32>,
}

/// What a container sees that the machine doesn't have, or has otherwise.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(in super::super) struct Root {
    /// An empty directory of the machine that the new root can be built on.
    pub(in super::super) staging: String,
    /// In any order.
    pub(in super::super) mounts: Vec<Mount>,
    /// Directories that must be there.
    pub(in super::super) directories: Vec<String>,
}

/// A path of the machine under another name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(in super::super) struct Mount {
    /// Where it is on the machine.
    pub(in super::super) source: String,
    /// Where the container sees it.
    pub(in super::super) target: String,
    /// Writes are refused.
    pub(in super::super) read_only: bool,
    /// Only a comfort: left out silently where nothing can be mounted.
    pub(in super::super) optional: bool,
}

/// A process beside a container.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in super::super) struct Exec {
    /// As of [`Run::id`].
    pub(in super::super) id: u64,
    /// Container that it joins.
    pub(in super::super) container: u64,
    /// What to run.
    pub(in super::super) program: Program,
}

/// What the far side tells.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(in super::super) enum Told {
    /// The sandbox stands.
    Ready,
    /// It doesn't, and why.
    Refused(String),
    /// The program of a container runs.
    Started(u64),
    /// A container could not be started; nothing follows for it.
    NotStarted {
        /// Which.
        id: u64,
        /// Why.
        message: String,
    },
    /// All processes of a container have ended and its log is complete.
    Ended {
        /// Which.
        id: u64,
        /// Exit code of the first process; 128 and the number of the signal that killed it.
        code: i32,
        /// Killed for using more memory than its limit.
        out_of_memory: bool,
    },
    /// An `Exec` has ended.
    ExecEnded {
        /// Which.
        id: u64,
        /// As of `Ended`; `None` if it could not be started.
        code: Option<i32>,
        /// Beginning of what it printed, or why it could not be started.
        output: String,
    },
}

/// What the supervisor tells a container's first process, once.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) enum Become {
    /// A container.
    Container {
        program: Program,
        /// None: no namespaces.
        root: Option<Root>,
        /// Mounts that are asked for, to be refused where there are no namespaces.
        wanted: Vec<Mount>,
    },
    /// A process beside the one with that number, whose namespaces it joins.
    Beside { program: Program, pid: Option<i32> },
}

/// What a container's first process tells on its way.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) enum Stage {
    /// Its mount namespace, as `/proc` names it.
    Namespace(String),
    /// It goes no further.
    Failed(String),
}

/// The socket that we were started with.
pub(super) fn socket() -> std::io::Result<UnixStream> {
    std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map(UnixStream::from)
}

/// Writes one line.
pub(in super::super) fn send(mut to: &UnixStream, what: &impl Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Reads one line and not a byte more: what follows is for a process that we start. `None` at the end.
pub(super) fn first<T: DeserializeOwned>(mut from: &UnixStream) -> std::io::Result<Option<T>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while from.read(&mut byte)? == 1 {
        if byte == *b"\n" {
            return Ok(Some(serde_json::from_slice(&line)?));
        }
        line.push(byte[0]);
    }
    Ok(None)
}

/// All lines, to the end of the socket. A line that isn't understood is an error: both sides are one program.
pub(super) fn lines<T: DeserializeOwned>(
    from: UnixStream,
) -> impl Iterator<Item = std::io::Result<T>> {
    BufReader::new(from)
        .lines()
        .map(|line| Ok(serde_json::from_str(&line?)?))
}
