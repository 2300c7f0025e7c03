//! A driver killed at any moment, an API server that goes away: nothing is lost, counted twice or
//! made twice, and no order is broken.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::front::{Fate, Front};
use crate::support::{Namespace, PATIENCE, Role, cluster_dir, eventually, manifest, status};

/// A set with a startup order that fails once and then succeeds.
fn story(name: &str) -> String {
    let roles = [
        Role {
            name: "first",
            replicas: 2,
            annotations: &[("run-for", "5")],
            ..Role::default()
        },
        Role {
            name: "second",
            replicas: 4,
            annotations: &[("run-for", "1"), ("exit-code", "7"), ("fail-attempts", "0")],
            ..Role::default()
        },
    ];
    let spec =
        "  startupPolicy: {startupPolicyOrder: InOrder}\n  failurePolicy: {maxRestarts: 3}\n";
    manifest(name, spec, &roles)
}

/// Killed after each of ten different moments of the run, given by what can be seen from outside or
/// by time since the start; taken up again by `attach`. The end is that of an undisturbed run:
/// one restart, exit code 0.
#[test]
#[ignore = "takes most of a minute"]
fn killed_at_ten_points() {
    let ns = Namespace::new("killed");
    let count = |selector: &str, name: &str| {
        ns.items(
            "jobs",
            &format!("jobset.sigs.k8s.io/jobset-name={name},{selector}"),
        )
        .len()
    };
    let attempt = |n: u32| format!("jobset.sigs.k8s.io/restart-attempt={n}");
    let role = |r: &str| format!("jobset.sigs.k8s.io/replicatedjob-name={r}");
    type Moment<'a> = Box<dyn Fn(&str) -> bool + Sync + 'a>;
    let record = |name: &str| ns.find("configmaps", &format!("{name}-run")).is_some();
    let moments: Vec<(&str, Moment<'_>)> = vec![
        ("record written", Box::new(&record)),
        (
            "service made",
            Box::new(|n| ns.find("services", n).is_some()),
        ),
        ("first job", Box::new(|n| count(&role("first"), n) > 0)),
        ("first role", Box::new(|n| count(&role("first"), n) == 2)),
        (
            "second role begun",
            Box::new(|n| count(&role("second"), n) > 0),
        ),
        (
            "second role made",
            Box::new(|n| count(&role("second"), n) == 4),
        ),
        (
            "a pod failed",
            Box::new(|n| {
                let selector = format!("jobset.sigs.k8s.io/jobset-name={n}");
                ns.items("pods", &selector)
                    .iter()
                    .any(|p| p["status"]["phase"] == "Failed")
            }),
        ),
        (
            "restart counted",
            Box::new(|n| record(n) && restarts(&ns, n) == Some(1)),
        ),
        ("new attempt begun", Box::new(|n| count(&attempt(1), n) > 0)),
        (
            "new attempt made",
            Box::new(|n| count(&format!("{},{}", attempt(1), role("second")), n) == 4),
        ),
    ];
    // A few at a time: they mostly wait.
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((what, moment)) = moments.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = format!("k-{}", what.replace(' ', "-"));
                    let file = ns.file(&format!("{name}.yaml"), &story(&name));
                    let run = ns.spawn(&["run", &file]);
                    eventually(what, || moment(&name));
                    run.kill();
                    let out = ns.jobset(&["attach", &name, "--take-over"]).expect(0);
                    as_if_undisturbed(&ns, &name, &format!("killed when: {what}\n{}", out.stderr));
                }
            });
        }
    });
}

#[track_caller]
fn as_if_undisturbed(ns: &Namespace, name: &str, how: &str) {
    let status = status(ns, name);
    assert_eq!(status["restarts"], 1, "{how}");
    assert_eq!(status["state"], "Completed", "{how}");
    let all = format!("jobset.sigs.k8s.io/jobset-name={name}");
    assert_eq!(ns.items("jobs", &all).len(), 6, "{how}");
    let new = format!("{all},jobset.sigs.k8s.io/restart-attempt=1");
    assert_eq!(ns.items("jobs", &new).len(), 6, "{how}");
}

/// Killed exactly before or exactly after a change is carried out, for changes all over the run. The
/// one between the record of a restart and the first delete is among them.
#[test]
#[ignore = "takes most of a minute"]
fn killed_between_two_calls() {
    /// Resource, method, how many of these are let through, whether the last is carried out.
    type Moment = (&'static str, &'static str, u32, bool);
    let moments: [Moment; 10] = [
        ("POST", "configmaps", 0, true),
        ("POST", "leases", 0, true),
        ("POST", "services", 0, false),
        ("POST", "jobs", 0, true),
        ("POST", "jobs", 1, false),
        ("POST", "jobs", 3, true),
        // The restart is written, nothing is deleted.
        ("DELETE", "jobs", 0, false),
        ("DELETE", "jobs", 2, true),
        ("POST", "jobs", 6, false),
        ("POST", "jobs", 9, true),
    ];
    let ns = Namespace::new("between");
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some((method, resource, let_through, carried_out)) =
                        moments.get(i).copied()
                    else {
                        break;
                    };
                    let name = format!("b{i}");
                    let file = ns.file(&format!("{name}.yaml"), &story(&name));
                    let (reached, there) = mpsc::channel();
                    let mut seen = 0;
                    // From that call on the driver is as good as dead: nothing of it gets through.
                    let front = Front::new(move |asked| {
                        seen += u32::from(asked.is(method, resource));
                        if seen <= let_through {
                            return Fate::Pass;
                        }
                        let first = reached.send(()).is_ok() && asked.is(method, resource);
                        if first && carried_out && seen == let_through + 1 {
                            seen += 1;
                            return Fate::LoseAnswer;
                        }
                        Fate::Hold
                    });
                    let run = ns.spawn(&["run", &file, "--server", &front.server()]);
                    there.recv_timeout(PATIENCE).unwrap();
                    if carried_out {
                        // A Lease of the dead driver or a record is there in any case.
                        eventually("the record", || {
                            ns.find("configmaps", &format!("{name}-run")).is_some()
                        });
                    }
                    run.kill();
                    drop(there);
                    let out = ns.jobset(&["attach", &name, "--take-over"]).expect(0);
                    let how = format!(
                        "{method} {resource} {let_through} {carried_out}\n{}",
                        out.stderr
                    );
                    as_if_undisturbed(&ns, &name, &how);
                }
            });
        }
    });
}

/// A driver that is stopped for longer than its Lease, while another takes the seat and counts a
/// restart: it learns that when it goes on, and has changed nothing.
#[test]
#[ignore = "takes most of a minute"]
fn stopped_for_longer_than_the_lease() {
    let ns = Namespace::new("stopped");
    let file = ns.file("s.yaml", &story("s"));
    let mut first = ns.spawn(&["run", &file]);
    first.wait_for("first: ready 2/2");
    first.signal("STOP");
    // No --take-over: it waits until the Lease has run out.
    let second = ns.jobset(&["attach", "s"]).expect(0);
    for said in ["waiting for ", "took over from"] {
        assert!(second.stderr.contains(said), "{}", second.stderr);
    }
    let version =
        |ns: &Namespace| ns.get("configmaps", "s-run")["metadata"]["resourceVersion"].clone();
    let before = version(&ns);
    first.signal("CONT");
    let _ = first.wait().expect(15);
    assert_eq!(version(&ns), before);
    as_if_undisturbed(&ns, "s", &second.stderr);
}

fn restarts(ns: &Namespace, name: &str) -> Option<u64> {
    let record = ns.get("configmaps", &format!("{name}-run"));
    let state: Value = serde_json::from_str(record["data"]["state.json"].as_str()?).ok()?;
    state["status"]["restarts"].as_u64()
}

/// The API server is killed and started again in mid-run; no verdict is drawn from that.
#[test]
#[ignore = "needs a control plane (tests/cluster/up)"]
fn the_api_server_restarts() {
    let ns = Namespace::alone("apiserver");
    let roles = [Role {
        replicas: 3,
        annotations: &[("run-for", "20")],
        ..Role::default()
    }];
    let file = ns.file("a.yaml", &manifest("a", "", &roles));
    let mut run = ns.spawn(&["run", &file]);
    run.wait_for("running");
    let script =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/restart-apiserver");
    let status = std::process::Command::new(script)
        .args(["--dir", cluster_dir().to_str().unwrap()])
        .status()
        .unwrap();
    assert!(status.success());
    let out = run.wait().expect(0);
    assert!(!out.stderr.contains("failed"), "{}", out.stderr);
}

/// Detached by SIGTERM, as a CI runner does: the run goes on, the next attach finishes it.
#[test]
fn detached_and_attached() {
    let ns = Namespace::new("detach");
    let roles = [Role {
        replicas: 2,
        annotations: &[("run-for", "4")],
        ..Role::default()
    }];
    let file = ns.file("d.yaml", &manifest("d", "", &roles));
    let mut run = ns.spawn(&["run", &file]);
    run.wait_for("running");
    run.signal("TERM");
    let out = run.wait().expect(143);
    assert!(
        out.stderr.contains("kubectl jobset attach d"),
        "{}",
        out.stderr
    );
    // The Lease was given back: no waiting, no --take-over.
    let started = std::time::Instant::now();
    let _ = ns.jobset(&["attach", "d"]).expect(0);
    assert!(started.elapsed() < Duration::from_secs(60));
}
