//! `pocket`: serves the pocket cluster, and perhaps runs a command on it.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use tokio::sync::oneshot;

use crate::cli::app::App;
use crate::cli::settings::PocketSettings;
use crate::cluster::api::rights::ADMIN;
use crate::cluster::front::{NAMESPACES, OTHER, Pocket, PocketOptions, USER};
use crate::driver::clock;
use crate::driver::session::{Signal, Signals};
use crate::error::{Error, Kind, Result};

/// First line of kubeconfigs that we write.
const MARK: &str = "# written by kubectl-jobset pocket";

/// Runs it: until a signal, or until the command has ended.
///
/// # Errors
/// The port is taken, a file can't be written, the command can't be started.
pub async fn run(settings: PocketSettings, app: &App) -> Result<ExitCode> {
    let mut signals = Signals::install()?;
    let seed = settings.seed.unwrap_or_else(|| fastrand::u64(..));
    let options = PocketOptions {
        port: settings.port,
        nodes: settings.nodes.count,
        capacity: settings.nodes.capacity,
        ..PocketOptions::new(clock::now(), seed)
    };
    let mut pocket = Pocket::bind(&options).await?;
    let folder = Folder::make()?;
    let mut config = |user: &str, namespace: &str, file: PathBuf| -> Result<PathBuf> {
        let text = format!("{MARK}\n{}", pocket.kubeconfig(user, namespace)?);
        write_private(&file, &text)?;
        Ok(file)
    };
    let place = match &app.connection.kubeconfig {
        Some(file) => not_somebody_elses(file)?,
        None => folder.0.join("admin.kubeconfig"),
    };
    let home = if settings.command.is_empty() {
        "default"
    } else {
        NAMESPACES[0]
    };
    let admin = config(ADMIN, home, place)?;
    let user = config(USER, NAMESPACES[0], folder.0.join("user.kubeconfig"))?;
    let other = config(OTHER, NAMESPACES[0], folder.0.join("other.kubeconfig"))?;
    let url = pocket.url();
    let serving = tokio::spawn(pocket.serve());
    let result = if settings.command.is_empty() {
        app.printer.err(&format!(
            "pocket cluster at {url}, seed {seed}; Ctrl-C ends it"
        ));
        app.printer.out(&admin.display().to_string());
        let signal = signals.next().await;
        Ok(crate::cli::ExitCode::from(signal).into())
    } else {
        app.printer
            .verbose(&format!("pocket cluster at {url}, seed {seed}"));
        let env = [
            ("KUBECONFIG", user.into_os_string()),
            ("KUBECTL_JOBSET_E2E_ADMIN", admin.into_os_string()),
            ("KUBECTL_JOBSET_E2E_OTHER", other.into_os_string()),
            ("KUBECTL_JOBSET_E2E_DIR", folder.0.clone().into_os_string()),
            ("KUBECTL_JOBSET_E2E_NODE", "fake".into()),
        ];
        command(&settings.command, env, &mut signals).await
    };
    serving.abort();
    result
}

/// A folder of our own that goes with us.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self> {
        let name = format!("kubectl-jobset-pocket-{:016x}", fastrand::u64(..));
        let path = std::env::temp_dir().join(name);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        builder
            .create(&path)
            .map_err(|e| Error::other(format!("{} can't be made", path.display())).caused_by(e))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can't be removed from a folder for temporary files is left there.
        let _left = std::fs::remove_dir_all(&self.0);
    }
}

/// The file, if it is not there or was written by us: clusters that somebody set up are not overwritten.
fn not_somebody_elses(file: &Path) -> Result<PathBuf> {
    match std::fs::read_to_string(file) {
        Ok(text) if !text.starts_with(MARK) => Err(Error::new(
            Kind::InTheWay,
            format!(
                "{} was not written by pocket, it stays as it is",
                file.display()
            ),
        )
        .hint("name another file with --kubeconfig")),
        _ => Ok(file.to_owned()),
    }
}

/// For nobody else to read: there is a token in it.
fn write_private(path: &Path, text: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
        .open(path)
        .and_then(|mut file| {
            // A file that was there keeps its mode otherwise.
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
            }
            file.write_all(text.as_bytes())
        })
        .map_err(|e| Error::other(format!("{} can't be written", path.display())).caused_by(e))
}

/// Runs a command to its end. Signals to us are for it; Ctrl-C at a terminal has reached it already.
async fn command(
    words: &[OsString],
    env: [(&str, OsString); 5],
    signals: &mut Signals,
) -> Result<ExitCode> {
    let Some((program, args)) = words.split_first() else {
        return Err(Error::usage("there is no command after --"));
    };
    let shown = program.display().to_string();
    let mut child = Command::new(program)
        .args(args)
        .envs(env)
        .spawn()
        .map_err(|e| Error::other(format!("{shown} can't be started")).caused_by(e))?;
    let id = child.id();
    let (tx, mut ended) = oneshot::channel();
    let waiter = std::thread::Builder::new()
        .name("command".to_owned())
        .spawn(move || {
            // The one who asks may have gone.
            let _gone = tx.send(child.wait());
        });
    waiter.map_err(|e| Error::other(format!("{shown} can't be waited for")).caused_by(e))?;
    loop {
        tokio::select! {
            status = &mut ended => {
                return match status {
                    Ok(Ok(status)) => Ok(code(status)),
                    Ok(Err(e)) => Err(Error::other(format!("{shown} can't be waited for")).caused_by(e)),
                    Err(_) => Err(Error::other(format!("{shown} can't be waited for"))),
                };
            }
            signal = signals.next() => pass_on(id, signal),
        }
    }
}

#[cfg(unix)]
fn pass_on(id: u32, signal: Signal) {
    use rustix::process::{Pid, Signal as Number, kill_process};
    let number = match signal {
        Signal::Term => Number::TERM,
        Signal::Hup => Number::HUP,
        _ => return,
    };
    if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // It may have ended by now.
        let _ended = kill_process(pid, number);
    }
}

#[cfg(not(unix))]
fn pass_on(_: u32, _: Signal) {}

/// The command's code; 128 and the number for a signal, as shells have it.
fn code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let signal = {
        use std::os::unix::process::ExitStatusExt as _;
        status.signal()
    };
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let number = status.code().or(signal.map(|n| 128 + n)).unwrap_or(1);
    ExitCode::from(u8::try_from(number).unwrap_or(1))
}
