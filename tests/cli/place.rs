//! A place to run the binary in: a folder of its own, an empty environment, no kubeconfig.

use std::ffi::OsStr;
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_kubectl-jobset");

/// A folder of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A folder that goes away with the value, and an environment.
pub(crate) struct Place {
    folder: PathBuf,
    env: Vec<(String, String)>,
}

/// What came of a command. Its `Display` shows all three, for messages and snapshots.
#[must_use]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("kubectl-jobset-cli-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self {
            folder,
            env: Vec::new(),
        }
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The command, ready to be changed or run.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(BINARY);
        command
            .args(args)
            .current_dir(&self.folder)
            .env_clear()
            .env("HOME", &self.folder)
            // The same widths everywhere.
            .env("COLUMNS", "100")
            .envs(self.env.iter().map(|(k, v)| (k, v)))
            .stdin(Stdio::null());
        command
    }

    /// Runs it with these words.
    pub(crate) fn run(&self, line: &str) -> Done {
        self.done(self.command(line.split_whitespace()).output().unwrap())
    }

    /// Runs it with these words and that standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: &str) -> Done {
        let mut child = self
            .command(line.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The child may refuse before it has read everything.
        let _written = child.stdin.take().unwrap().write_all(input.as_bytes());
        self.done(child.wait_with_output().unwrap())
    }

    pub(crate) fn done(&self, output: Output) -> Done {
        let folder = self.folder.to_string_lossy().into_owned();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&folder, "[HERE]");
        Done {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _removed = std::fs::remove_dir_all(&self.folder);
    }
}

impl Done {
    /// Its stdout, if that is all it said and the code is 0.
    pub(crate) fn good(self) -> String {
        assert!(self.code == 0 && self.err.is_empty(), "{self}");
        self.out
    }

    /// Its stderr, if that is all it said and the code is this.
    pub(crate) fn bad(self, code: i32) -> String {
        assert!(self.code == code && self.out.is_empty(), "{self}");
        self.err
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}--- stderr\n{}--- code {}",
            self.out, self.err, self.code
        )
    }
}
