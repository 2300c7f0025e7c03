//! A folder of local runs, the binary in a hermetic environment, and a look at which processes are there.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longest wait for anything: reached only when something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of local runs. Ends what is left of them when dropped.
pub(crate) struct Local {
    dir: tempfile::TempDir,
    /// In the environment of every container of its manifests.
    pub(crate) mark: String,
}

/// A process that has ended.
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }
}

impl Local {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            mark: format!("{name}-{}", std::process::id()),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The folder of runs.
    pub(crate) fn runs(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-jobset"));
        command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("LC_ALL", "C.UTF-8")
            // Neither is there: a local run needs none.
            .env("HOME", self.dir.path().join("home"))
            .env("KUBECONFIG", self.dir.path().join("no-kubeconfig"))
            .env("KUBECTL_JOBSET_LOCAL_DIR", self.runs())
            .current_dir(self.dir.path())
            .args(args)
            .arg("--local");
        command
    }

    pub(crate) fn jobset(&self, args: &[&str]) -> Output {
        let out = self.command(args).stdin(Stdio::null()).output().unwrap();
        Output {
            code: out.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Running {
        let mut child = self
            .command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (tx, lines) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if tx.send(line).is_err() {
                    break;
                }
            }
        });
        Running {
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// A manifest with one role of `pods` pods, each of which runs `script`.
    pub(crate) fn manifest(&self, name: &str, pods: u32, policy: &str, script: &str) -> String {
        let script = serde_json::to_string(script).unwrap();
        let text = format!(
            "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: {name}}}\nspec:\n  {policy}\n  \
             replicatedJobs:\n  - name: w\n    replicas: 1\n    template: {{spec: {{completions: {pods}, parallelism: {pods}, \
             backoffLimit: 0, template: {{spec: {{restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: \
             [{{name: main, image: none, env: [{{name: MARK, value: {}}}], command: [sh, -c, {script}]}}]}}}}}}}}\n",
            self.mark
        );
        let path = self.dir.path().join(format!("{name}.yaml"));
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn status(&self, name: &str) -> Value {
        let out = self.jobset(&["status", name, "-o", "json"]).expect(0);
        serde_json::from_str(&out.stdout).unwrap()
    }

    /// Processes of our manifests' containers.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mark = format!("MARK={}", self.mark);
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse() else {
                continue;
            };
            let Ok(environ) = std::fs::read(entry.path().join("environ")) else {
                continue;
            };
            if environ.split(|b| *b == 0).any(|v| v == mark.as_bytes()) {
                found.push(pid);
            }
        }
        found
    }

    /// Process ID of the host.
    pub(crate) fn host(&self) -> u32 {
        let text = std::fs::read_to_string(self.runs().join("host.json")).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        u32::try_from(value["pid"].as_u64().unwrap()).unwrap()
    }

    #[track_caller]
    pub(crate) fn eventually(&self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(self) {
            assert!(Instant::now() < end, "never: {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        // A host that outlives its folder would write into nothing.
        if let Ok(text) = std::fs::read_to_string(self.runs().join("host.json"))
            && let Ok(value) = serde_json::from_str::<Value>(&text)
        {
            kill(
                "KILL",
                u32::try_from(value["pid"].as_u64().unwrap()).unwrap(),
            );
        }
    }
}

/// The binary while it runs.
pub(crate) struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
    seen: Vec<String>,
}

impl Running {
    /// Waits for a line of stderr that contains `part`.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, part: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    let found = line.contains(part);
                    self.seen.push(line);
                    if found {
                        return;
                    }
                }
                Err(_) => panic!("no `{part}` in {:#?}", self.seen),
            }
        }
    }

    pub(crate) fn signal(&self, signal: &str) {
        kill(signal, self.child.id());
    }

    #[track_caller]
    pub(crate) fn expect(mut self, code: i32) -> String {
        let status = self.child.wait().unwrap();
        self.seen.extend(self.lines.iter());
        assert_eq!(status.code(), Some(code), "{:#?}", self.seen);
        self.seen.join("\n")
    }

    /// Kills it as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

pub(crate) fn kill(signal: &str, pid: u32) {
    let _ = Command::new("kill")
        .args(["-s", signal, &pid.to_string()])
        .stderr(Stdio::null())
        .status();
}
