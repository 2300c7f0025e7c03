//! Signals, Ctrl-C at a terminal, time-outs: what becomes of the run, and the exit code (cli.md 5).

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::cluster::cluster;
use crate::front::{Fate, Front};
use crate::support::{
    Namespace, PATIENCE, Role, eventually, manifest, pods, state, status, wait_state,
};

fn stay(name: &str) -> String {
    manifest(
        name,
        "",
        &[Role {
            replicas: 2,
            ..Role::default()
        }],
    )
}

/// The run of `name` goes on with nobody in the seat.
fn runs_on(ns: &Namespace, name: &str) {
    assert_eq!(state(ns, name), "Running");
    assert_eq!(pods(ns, name), 2);
    assert_ne!(status(ns, name)["driver"]["live"], true);
}

fn is_gone(ns: &Namespace) {
    for kind in ["jobs", "pods", "services", "leases"] {
        eventually(kind, || ns.items(kind, "").is_empty());
    }
}

/// Without a terminal each of the three detaches, says so, and gives back the seat.
#[test]
fn each_signal_detaches() {
    let ns = Namespace::new("signals");
    let file = ns.file("s.yaml", &stay("s"));
    let mut run = ns.spawn(&["run", &file]);
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        run.wait_for("ready 2/2");
        run.signal(signal);
        let out = run.wait().expect(code);
        assert!(
            out.stderr.contains("kubectl jobset attach s"),
            "{}",
            out.stderr
        );
        runs_on(&ns, "s");
        // No --take-over and no waiting: the Lease was given back.
        run = ns.spawn(&["attach", "s"]);
    }
    run.wait_for("ready 2/2");
    run.signal("TERM");
    let _ = run.wait().expect(143);
}

#[test]
fn before_anything_is_made() {
    let ns = Namespace::new("early");
    let (reached, checking) = mpsc::channel();
    let front = Front::new(move |asked| {
        if asked.path.contains("dryRun=") {
            let _ = reached.send(());
            Fate::Hold
        } else {
            Fate::Pass
        }
    });
    let file = ns.file("s.yaml", &stay("s"));
    let run = ns.spawn(&["run", &file, "--server", &front.server()]);
    checking.recv_timeout(PATIENCE).unwrap();
    run.signal("INT");
    let out = run.wait().expect(130);
    assert!(out.stderr.contains("nothing was created"), "{}", out.stderr);
    is_gone(&ns);
}

#[test]
fn on_interrupt_stop_and_delete() {
    let ns = Namespace::new("oninterrupt");
    let file = ns.file("s.yaml", &stay("s"));
    let mut run = ns.spawn(&["run", &file, "--on-interrupt", "stop"]);
    run.wait_for("running");
    run.signal("TERM");
    let _ = run.wait().expect(13);
    // `Stopping` while the last Jobs go.
    wait_state(&ns, "s", "Failed");
    assert_eq!(status(&ns, "s")["reason"], "Stopped");
    eventually("no pod", || pods(&ns, "s") == 0);
    let file = ns.file("d.yaml", &stay("d"));
    let mut run = ns.spawn(&["run", &file, "--on-interrupt", "delete"]);
    run.wait_for("running");
    run.signal("INT");
    let _ = run.wait().expect(14);
    let _ = ns.jobset(&["status", "d"]).expect(4);
    assert_eq!(pods(&ns, "d"), 0);
}

/// The second signal leaves at once and says that something may be half done.
#[test]
fn a_second_signal_leaves_at_once() {
    let ns = Namespace::new("second");
    let text = manifest(
        "s",
        "",
        &[Role {
            replicas: 2,
            annotations: &[("terminate-after", "20")],
            ..Role::default()
        }],
    );
    let file = ns.file("s.yaml", &text);
    let mut run = ns.spawn(&["run", &file, "--on-interrupt", "delete"]);
    run.wait_for("running");
    run.signal("INT");
    run.wait_for("still going away");
    run.signal("INT");
    let out = run.wait().expect(130);
    assert!(out.stderr.contains("half"), "{}", out.stderr);
}

#[test]
fn each_time_out() {
    let ns = Namespace::new("timeout");
    for what in ["detach", "stop", "delete"] {
        let file = ns.file("t.yaml", &stay(what));
        let args = ["run", &file, "--timeout", "6s", "--on-timeout", what];
        let out = ns.jobset(&args).expect(124);
        assert!(out.stderr.contains("time-out"), "{}", out.stderr);
        match what {
            "detach" => runs_on(&ns, what),
            "stop" => {
                assert_eq!(status(&ns, what)["reason"], "Stopped");
                eventually("no pod", || pods(&ns, what) == 0);
            }
            _ => {
                let _ = ns.jobset(&["status", what]).expect(4);
                assert_eq!(pods(&ns, what), 0);
            }
        }
    }
}

/// The shell's Ctrl-Z while attached, and `fg`.
#[test]
fn a_suspended_process_comes_back() {
    let ns = Namespace::new("tstp");
    let file = ns.file("z.yaml", &stay("z"));
    let mut run = ns.spawn(&["run", &file]);
    run.wait_for("running");
    run.signal("TSTP");
    let stat = format!("/proc/{}/stat", run.id());
    eventually("stopped", || {
        std::fs::read_to_string(&stat)
            .is_ok_and(|s| s.rsplit(") ").next().unwrap().starts_with('T'))
    });
    run.signal("CONT");
    run.wait_for("back after");
    let _ = ns.jobset(&["stop", "z"]).expect(0);
    let _ = run.wait().expect(13);
}

/// The binary at a terminal of its own, made by `script` (part of every Debian).
struct Terminal {
    child: std::process::Child,
    screen: String,
    pieces: mpsc::Receiver<String>,
}

impl Terminal {
    fn start(ns: &Namespace, args: &[&str]) -> Self {
        let inner = ns.command(args);
        // `exec`: a shell left in between would get the Ctrl-C too, and its code would hide ours.
        let mut line = format!("exec '{}'", inner.get_program().to_str().unwrap());
        for arg in inner.get_args() {
            line.push_str(&format!(" '{}'", arg.to_str().unwrap()));
        }
        let mut child = Command::new("script")
            .args(["-qefc", &line, "/dev/null"])
            .env("KUBECONFIG", &cluster().user)
            .env("TERM", "xterm")
            .env_remove("CI")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (tx, pieces) = mpsc::channel();
        let mut out = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = out.read(&mut buffer) {
                if tx
                    .send(String::from_utf8_lossy(&buffer[..n]).into_owned())
                    .is_err()
                {
                    break;
                }
            }
        });
        Self {
            child,
            screen: String::new(),
            pieces,
        }
    }

    /// Waits until something new on the screen contains `part`.
    #[track_caller]
    fn wait_for(&mut self, part: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.screen.find(part) {
                self.screen.drain(..at + part.len());
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.screen.push_str(&piece),
                Err(e) => panic!("no `{part}` ({e}) on\n{}", self.screen),
            }
        }
    }

    fn type_keys(&mut self, keys: &[u8]) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(keys).unwrap();
        stdin.flush().unwrap();
    }

    #[track_caller]
    fn code(mut self) -> i32 {
        let end = Instant::now() + PATIENCE;
        loop {
            while let Ok(piece) = self.pieces.try_recv() {
                self.screen.push_str(&piece);
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap();
            }
            if Instant::now() > end {
                let _ = self.child.kill();
                panic!("still running:\n{}", self.screen);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

const CTRL_C: &[u8] = b"\x03";
const CTRL_Z: &[u8] = b"\x1a";

/// Ctrl-C asks; Enter goes on, `d` Enter and Ctrl-Z detach, Ctrl-C again stops.
#[test]
fn ctrl_c_at_a_terminal() {
    let ns = Namespace::new("terminal");
    let file = ns.file("t.yaml", &stay("t"));
    let mut at = Terminal::start(&ns, &["run", &file]);
    at.wait_for("2/2");
    at.type_keys(CTRL_C);
    at.wait_for("keeps running");
    at.wait_for("go on");
    at.type_keys(b"\n");
    // The display is back, the prompt is over: Ctrl-C asks again.
    at.wait_for("2/2");
    at.type_keys(CTRL_C);
    at.wait_for("keeps running");
    at.wait_for("go on");
    at.type_keys(b"d\n");
    assert_eq!(at.code(), 20);
    runs_on(&ns, "t");
    let mut at = Terminal::start(&ns, &["attach", "t"]);
    at.wait_for("2/2");
    at.type_keys(CTRL_C);
    at.wait_for("go on");
    at.type_keys(CTRL_Z);
    assert_eq!(at.code(), 20);
    runs_on(&ns, "t");
    let mut at = Terminal::start(&ns, &["attach", "t"]);
    at.wait_for("2/2");
    at.type_keys(CTRL_C);
    at.wait_for("go on");
    at.type_keys(CTRL_C);
    assert_eq!(at.code(), 13);
    assert_eq!(status(&ns, "t")["reason"], "Stopped");
    eventually("no pod", || pods(&ns, "t") == 0);
}
