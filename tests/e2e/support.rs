//! What every end-to-end test needs: a namespace of its own in which an ordinary user has just the
//! Role of `examples/role.yaml`, and the real binary.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::api;
use crate::cluster::cluster;

/// Longest wait for anything: a test that waits longer has found a hang.
pub(crate) const PATIENCE: Duration = Duration::from_secs(150);

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// Held by every test; alone by one that takes the API server away from all of them.
static CLUSTER: RwLock<()> = RwLock::new(());

#[derive(Debug)]
enum Share {
    Shared {
        _guard: RwLockReadGuard<'static, ()>,
    },
    Alone {
        _guard: RwLockWriteGuard<'static, ()>,
    },
}

/// The binary under test.
pub(crate) fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_kubectl-jobset"))
}

/// Whether the cluster has a real kubelet.
pub(crate) fn real_node() -> bool {
    cluster().real_node
}

/// The cluster's folder (logs, kubeconfigs, audit log).
pub(crate) fn cluster_dir() -> &'static Path {
    let dir = cluster().dir.as_deref();
    dir.expect("KUBECTL_JOBSET_E2E_DIR is not set: run this under tests/cluster/up")
}

/// What a process said.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Exit code; a signal counts as 128+n.
    pub(crate) fn code(&self) -> i32 {
        use std::os::unix::process::ExitStatusExt as _;
        self.status
            .code()
            .unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }

    /// Asserts the exit code, showing everything otherwise.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code(),
            code,
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }
}

/// A namespace for one test, in which `jobset-user` has the Role. Deleted at the end; if the test
/// fails, its state is printed first. One per test: it also holds the cluster.
pub(crate) struct Namespace {
    pub(crate) name: String,
    files: PathBuf,
    _share: Share,
}

impl Namespace {
    pub(crate) fn new(test: &str) -> Self {
        let guard = CLUSTER.read().unwrap_or_else(PoisonError::into_inner);
        Self::make(test, Share::Shared { _guard: guard })
    }

    /// For a test that no other may run beside.
    pub(crate) fn alone(test: &str) -> Self {
        let guard = CLUSTER.write().unwrap_or_else(PoisonError::into_inner);
        Self::make(test, Share::Alone { _guard: guard })
    }

    fn make(test: &str, share: Share) -> Self {
        let n = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{test}-{}-{n}", std::process::id());
        let _ = api::create(
            "/api/v1/namespaces",
            &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        );
        let role = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/role.yaml");
        let role = std::fs::read_to_string(role).unwrap();
        let _ = api::create(
            &api::path(&name, "roles"),
            &serde_saphyr::from_str(&role).unwrap(),
        );
        let group = "rbac.authorization.k8s.io";
        let _ = api::create(
            &api::path(&name, "rolebindings"),
            &json!({
                "apiVersion": format!("{group}/v1"), "kind": "RoleBinding", "metadata": {"name": "e2e"},
                "roleRef": {"apiGroup": group, "kind": "Role", "name": "kubectl-jobset"},
                "subjects": [{"apiGroup": group, "kind": "User", "name": "jobset-user"}],
            }),
        );
        // The API server learns of new Roles a moment after it has stored them.
        eventually("the Role", || may_get_jobs(&name));
        // Pods are refused until the namespace has its service account (real node only).
        if real_node() {
            let account = format!("{}/default", api::path(&name, "serviceaccounts"));
            eventually("the default service account", || {
                api::read(&account).is_some()
            });
        }
        let files = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&files).unwrap();
        Self {
            name,
            files,
            _share: share,
        }
    }

    /// An object; none: it is not there.
    #[track_caller]
    pub(crate) fn find(&self, plural: &str, name: &str) -> Option<Value> {
        api::read(&format!("{}/{name}", api::path(&self.name, plural)))
    }

    /// An object that is there.
    #[track_caller]
    pub(crate) fn get(&self, plural: &str, name: &str) -> Value {
        self.find(plural, name)
            .unwrap_or_else(|| panic!("there is no {plural}/{name}"))
    }

    /// Items of a list.
    #[track_caller]
    pub(crate) fn items(&self, plural: &str, selector: &str) -> Vec<Value> {
        let query: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("labelSelector", selector)
            .finish();
        let list = api::read(&format!("{}?{query}", api::path(&self.name, plural)));
        list.unwrap_or_default()["items"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }

    /// Makes an object as the administrator.
    #[track_caller]
    pub(crate) fn create(&self, plural: &str, object: &Value) -> Value {
        api::create(&api::path(&self.name, plural), object)
    }

    /// Deletes an object as the administrator.
    #[track_caller]
    pub(crate) fn delete(&self, plural: &str, name: &str) {
        let path = format!("{}/{name}", api::path(&self.name, plural));
        api::delete(&path).unwrap_or_else(|(code, status)| panic!("{path}: {code} {status}"));
    }

    /// Changes an object, or a part of one (`name/status`), by a merge patch as the administrator.
    #[track_caller]
    pub(crate) fn merge(&self, plural: &str, name: &str, patch: &Value) {
        api::merge(&format!("{}/{name}", api::path(&self.name, plural)), patch);
    }

    /// Writes a manifest, gives its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.files.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The binary as the ordinary user.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.env_clear();
        for keep in ["PATH", "HOME", "TMPDIR"] {
            if let Ok(value) = std::env::var(keep) {
                command.env(keep, value);
            }
        }
        command
            .env("KUBECONFIG", &cluster().user)
            .env("LC_ALL", "C.UTF-8")
            .args(args)
            .args(["-n", &self.name]);
        command
    }

    /// Runs the binary to its end.
    #[track_caller]
    pub(crate) fn jobset(&self, args: &[&str]) -> Output {
        self.spawn(args).wait()
    }

    /// Starts the binary.
    pub(crate) fn spawn(&self, args: &[&str]) -> Running {
        Running::start(self.command(args))
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("state of {} at the failure:", self.name);
            for plural in ["jobs", "pods", "services", "configmaps", "leases", "events"] {
                for object in self.items(plural, "") {
                    let (name, message) = (&object["metadata"]["name"], &object["message"]);
                    eprintln!("  {plural} {name} {} {message}", object["status"]);
                }
            }
        }
        let _ = api::delete(&format!("/api/v1/namespaces/{}", self.name));
        let _ = std::fs::remove_dir_all(&self.files);
    }
}

/// `jobset-user` has the Role in a namespace.
fn may_get_jobs(namespace: &str) -> bool {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "get", "group": "batch", "resource": "jobs", "namespace": namespace}},
    });
    let request = http::Request::post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        .header("content-type", "application/json")
        .header("impersonate-user", "jobset-user")
        .body(kube::client::Body::from(review.to_string().into_bytes()))
        .unwrap();
    api::send(request).is_ok_and(|answer| answer["status"]["allowed"] == true)
}

/// A running process whose lines can be waited for.
pub(crate) struct Running {
    child: Child,
    lines: mpsc::Receiver<(bool, String)>,
    pub(crate) seen: Vec<String>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (tx, lines) = mpsc::channel();
        let out = child.stdout.take().unwrap();
        let err = child.stderr.take().unwrap();
        let tx_out = tx.clone();
        std::thread::spawn(move || pump(out, true, &tx_out));
        std::thread::spawn(move || pump(err, false, &tx));
        Self {
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// Waits for a line (stdout or stderr) that contains `part`.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, part: &str) -> String {
        if let Some(line) = self.seen.iter().find(|l| l.contains(part)) {
            return line.clone();
        }
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok((_, line)) => {
                    let found = line.contains(part);
                    self.seen.push(line.clone());
                    if found {
                        return line;
                    }
                }
                Err(e) => panic!(
                    "no line with `{part}` ({e}); seen:\n{}",
                    self.seen.join("\n")
                ),
            }
        }
    }

    /// Process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([format!("-{name}"), self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// SIGKILL, and waits for it.
    pub(crate) fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> Output {
        let end = Instant::now() + PATIENCE;
        let mut stdout = String::new();
        let mut stderr = self.seen.join("\n");
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok((true, line)) => {
                    stdout.push_str(&line);
                    stdout.push('\n');
                }
                Ok((false, line)) => {
                    stderr.push('\n');
                    stderr.push_str(&line);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    panic!("still running; stdout:\n{stdout}\nstderr:\n{stderr}");
                }
            }
        }
        let status = self.child.wait().unwrap();
        Output {
            status,
            stdout,
            stderr,
        }
    }
}

fn pump(source: impl std::io::Read, stdout: bool, tx: &mpsc::Sender<(bool, String)>) {
    let mut reader = BufReader::new(source);
    loop {
        let mut bytes = Vec::new();
        match reader.by_ref().read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let line = String::from_utf8_lossy(&bytes)
                    .trim_end_matches('\n')
                    .to_owned();
                if tx.send((stdout, line)).is_err() {
                    return;
                }
            }
        }
    }
}

/// Polls until it is so.
#[track_caller]
pub(crate) fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !check() {
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// `status NAME -o json`.
#[track_caller]
pub(crate) fn status(ns: &Namespace, name: &str) -> Value {
    let out = ns.jobset(&["status", name, "-o", "json"]).expect(0);
    serde_json::from_str(&out.stdout).unwrap()
}

/// Its state word; empty while there is no such run.
pub(crate) fn state(ns: &Namespace, name: &str) -> String {
    let out = ns.jobset(&["status", name, "-o", "json"]);
    let value: Value = serde_json::from_str(&out.stdout).unwrap_or_default();
    value["state"].as_str().unwrap_or("").to_owned()
}

/// Waits for that state.
#[track_caller]
pub(crate) fn wait_state(ns: &Namespace, name: &str, want: &str) {
    eventually(want, || state(ns, name) == want);
}

/// Pods that exist, terminating ones too.
pub(crate) fn pods(ns: &Namespace, name: &str) -> usize {
    ns.items("pods", &format!("jobset.sigs.k8s.io/jobset-name={name}"))
        .len()
}

/// One role of a generated manifest.
pub(crate) struct Role<'a> {
    pub(crate) name: &'a str,
    pub(crate) replicas: u32,
    pub(crate) pods: u32,
    /// Lines under the pod template's `annotations:` (`key: "value"`): what the fake kubelet does.
    pub(crate) annotations: &'a [(&'a str, &'a str)],
    /// Lines of the replicated job, indented by four.
    pub(crate) extra: &'a str,
}

impl Default for Role<'_> {
    fn default() -> Self {
        Self {
            name: "worker",
            replicas: 1,
            pods: 1,
            annotations: &[],
            extra: "",
        }
    }
}

/// A JobSet manifest; `spec` are lines under `spec:`, indented by two.
pub(crate) fn manifest(name: &str, spec: &str, roles: &[Role<'_>]) -> String {
    use std::fmt::Write as _;
    let mut out = format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: {name}}}\nspec:\n{spec}  replicatedJobs:\n"
    );
    for role in roles {
        let Role {
            name,
            replicas,
            pods,
            annotations,
            extra,
        } = role;
        let mut notes = String::new();
        for (key, value) in *annotations {
            let _ = write!(notes, "kubectl-jobset.test/{key}: \"{value}\", ");
        }
        let _ = write!(
            out,
            "  - name: {name}\n    replicas: {replicas}\n{extra}    template:\n      spec:\n        \
             backoffLimit: 0\n        parallelism: {pods}\n        completions: {pods}\n        \
             template:\n          metadata: {{annotations: {{{notes}}}}}\n          spec:\n            \
             restartPolicy: Never\n            containers:\n            - {{name: main, image: \
             busybox, command: [sleep, \"600\"]}}\n"
        );
    }
    out
}
