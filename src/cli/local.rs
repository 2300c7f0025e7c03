//! `--local`: finds the process that hosts local runs, or starts it, and speaks to it as to any cluster.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::api::JobSet;
use crate::cli::app::App;
use crate::cli::args::{LocalArgs, Verb};
use crate::cli::env::{self, Env};
use crate::cluster::local::place::{Address, Place};
use crate::cluster::local::tether::Tether;
#[cfg(target_os = "linux")]
use crate::cluster::{kubelet::process, local::fit};
use crate::driver::clock;
use crate::driver::kube::ConnectOptions;
use crate::error::{Error, Kind, Result};

/// Longest wait for a host that was started: it has a file to read and a port to open.
const HOST_READY: Duration = Duration::from_secs(10);
/// Lines of the host's log that are shown when it could not start.
const LOG_LINES: usize = 5;

/// Local runs instead of a cluster.
#[derive(Clone, Debug)]
pub struct Local {
    /// Their folder.
    pub place: Place,
    /// The folder was named on the command line, so that suggested commands must name it too.
    pub named: bool,
    /// The verb makes runs: the folder need not be there.
    pub makes: bool,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    address: Option<Address>,
    tether: Option<Tether>,
}

impl Local {
    /// Runs in that folder.
    #[must_use]
    pub fn new(dir: PathBuf, named: bool, makes: bool) -> Self {
        Self {
            place: Place::new(dir),
            named,
            makes,
            state: Arc::default(),
        }
    }

    fn state<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Where the host is; starts it if there is none.
    ///
    /// # Errors
    /// There are no local runs, the folder can't be used, the host does not start.
    async fn find(&self) -> Result<Address> {
        let dir = self.place.dir().display();
        let unusable = |e: std::io::Error| {
            Error::other(format!("local runs can't be kept in {dir}")).caused_by(e)
        };
        if !self.makes && !self.place.journal().exists() {
            return Err(
                Error::new(Kind::NoSuchRun, format!("there are no local runs in {dir}"))
                    .hint("kubectl jobset run --local FILE"),
            );
        }
        self.place.make().map_err(unusable)?;
        let end = clock::instant().after(HOST_READY);
        loop {
            if let Some(address) = self.place.address().map_err(unusable)? {
                return Ok(address);
            }
            if let Some(address) = self.start_host().await? {
                return Ok(address);
            }
            // Another one is starting; it is not ready yet.
            if end.elapsed() > Duration::ZERO {
                return Err(Error::other("the local cluster does not answer")
                    .hint(format!("look at {}", self.place.host_log().display())));
            }
            clock::sleep_until(clock::instant().after(Duration::from_millis(10))).await;
        }
    }

    /// Starts a host. None: another one was quicker.
    async fn start_host(&self) -> Result<Option<Address>> {
        let failed =
            |e: std::io::Error| Error::other("the local cluster can't be started").caused_by(e);
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.place.host_log())
            .map_err(failed)?;
        let exe = std::env::current_exe().map_err(failed)?;
        let mut child = Command::new(exe)
            .arg("local-host")
            .arg(self.place.dir())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(failed)?;
        let Some(stdout) = child.stdout.take() else {
            return Ok(None);
        };
        // It answers with one line, or ends. Off the one thread: it may take its time.
        let answer = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            BufReader::new(stdout).read_line(&mut line).map(|_| line)
        });
        let answer = tokio::time::timeout(HOST_READY, answer).await;
        let line = match answer {
            Ok(Ok(Ok(line))) => line,
            _ => String::new(),
        };
        if let Ok(address) = serde_json::from_str(&line) {
            return Ok(Some(address));
        }
        match child.try_wait() {
            Ok(Some(status)) if !status.success() => {
                let text = std::fs::read_to_string(self.place.host_log()).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                let last = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
                Err(Error::other("the local cluster could not start").caused_by(last))
            }
            _ => Ok(None),
        }
    }

    /// How to reach it.
    ///
    /// # Errors
    /// As [`Local::find`].
    pub(super) async fn connection(&self, given: &ConnectOptions) -> Result<ConnectOptions> {
        let address = self.find().await?;
        let options = ConnectOptions {
            kubeconfig: Some(self.place.kubeconfig()),
            namespace: given.namespace.clone(),
            request_timeout: given.request_timeout,
            ..ConnectOptions::default()
        };
        self.state(|state| state.address = Some(address));
        Ok(options)
    }

    /// Says what is different from a cluster, and refuses what this machine can't hold.
    ///
    /// # Errors
    /// Kind `WouldNotFit`.
    pub(super) fn welcome(&self, app: &App, jobset: &JobSet) -> Result<()> {
        #[cfg(target_os = "linux")]
        if let Some(lacking) = fit::lacking(jobset, &process::machine("here")) {
            let (resource, there) = (&lacking.resource, &lacking.there);
            return Err(Error::new(
                Kind::WouldNotFit,
                format!(
                    "jobset/{} asks for {} {resource} at once ({}), this machine has {there}; nothing was made",
                    jobset.metadata.name,
                    lacking.wanted,
                    lacking.roles.join(", "),
                ),
            )
            .hint("fewer pods, or smaller requests: resources.requests of the pod template"));
        }
        app.printer.err(&format!(
            "note: images are not pulled, containers are processes of this machine; their logs are below {}",
            self.place.dir().join("runs").display()
        ));
        Ok(())
    }

    /// Flags that a suggested command needs.
    pub(super) fn flags(&self) -> String {
        if self.named {
            format!("--local --local-dir {}", self.place.dir().display())
        } else {
            "--local".to_owned()
        }
    }
}

impl App {
    /// Says that we drive that run, until [`App::let_go`] or our death. Of a cluster nobody needs to know.
    ///
    /// # Errors
    /// The host is gone.
    pub(super) async fn hold(&self, namespace: &str, name: &str) -> Result<()> {
        let Some(local) = &self.local else {
            return Ok(());
        };
        let Some(address) = local.state(|state| state.address.clone()) else {
            return Ok(());
        };
        let here = std::env::current_dir()
            .map_err(|e| Error::other("there is no current directory").caused_by(e))?;
        let tether = Tether::hold(&address, namespace, name, &here).await?;
        if let Some(note) = &tether.note {
            self.printer.err(&format!("warning: {note}"));
        }
        let before = local.state(|state| state.tether.replace(tether));
        if let Some(before) = before {
            before.release().await;
        }
        Ok(())
    }

    /// We leave in good order: processes that run go on.
    pub(super) async fn let_go(&self) {
        let Some(local) = &self.local else { return };
        if let Some(tether) = local.state(|state| state.tether.take()) {
            tether.release().await;
        }
    }
}

/// `--local` and its folder.
///
/// # Errors
/// The verb asks no cluster; the folder has no absolute path.
pub(super) fn asked_for(args: LocalArgs, verb: &Verb, env: &Env) -> Result<Option<Local>> {
    if !args.local {
        return Ok(None);
    }
    let asks = matches!(
        verb,
        Verb::Run(_)
            | Verb::Attach(_)
            | Verb::Status(_)
            | Verb::Logs(_)
            | Verb::Suspend(_)
            | Verb::Resume(_)
            | Verb::Stop(_)
            | Verb::Delete(_)
    );
    if !asks {
        return Err(Error::new(
            Kind::Usage,
            "--local is for verbs that make runs or look at them; this one asks no cluster",
        ));
    }
    if !cfg!(target_os = "linux") {
        return Err(Error::other("local runs need Linux")
            .hint("a cluster of your own does as well: kind, minikube, Docker Desktop"));
    }
    let named = args.local_dir.is_some();
    let dir = args
        .local_dir
        .or_else(|| {
            env.os(env::LOCAL_DIR)
                .filter(|d| !d.is_empty())
                .map(Into::into)
        })
        .unwrap_or_else(|| default_dir(env));
    // The host works elsewhere; what it is told must not depend on where we are.
    let dir = std::path::absolute(&dir).map_err(|e| {
        Error::other(format!(
            "{} can't be the folder of local runs",
            dir.display()
        ))
        .caused_by(e)
    })?;
    Ok(Some(Local::new(dir, named, matches!(verb, Verb::Run(_)))))
}

/// The folder of local runs where none is named: below the user's state folder, else a folder of the user's
/// own in the system's temporary one.
#[must_use]
pub fn default_dir(env: &Env) -> PathBuf {
    let state = env
        .os(env::XDG_STATE_HOME)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(env.home()?.join(".local").join("state")));
    match state {
        Some(state) => state.join("kubectl-jobset"),
        None => std::env::temp_dir().join(format!("kubectl-jobset-{}", user(env))),
    }
}

/// What tells users apart.
#[cfg(unix)]
fn user(_: &Env) -> String {
    rustix::process::geteuid().as_raw().to_string()
}

/// What tells users apart.
#[cfg(not(unix))]
fn user(env: &Env) -> String {
    env.user().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_users() {
        let of = |pairs: &[(&str, &str)]| default_dir(&Env::of(pairs.iter().copied()));
        assert_eq!(
            of(&[("XDG_STATE_HOME", "/s"), ("HOME", "/h")]),
            PathBuf::from("/s/kubectl-jobset")
        );
        assert_eq!(
            of(&[("XDG_STATE_HOME", "relative"), ("HOME", "/h")]),
            PathBuf::from("/h/.local/state/kubectl-jobset")
        );
        let without_home = of(&[]);
        let name = without_home.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("kubectl-jobset-"), "{name}");
    }
}
