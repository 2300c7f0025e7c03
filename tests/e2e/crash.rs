//! A driver killed at any moment, an API server that goes away: nothing is lost, counted twice or
//! made twice, and no order is broken.

use std::time::Duration;

use serde_json::Value;

use crate::support::{Namespace, Role, cluster_dir, eventually, manifest};

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
#[ignore = "needs a control plane (tests/cluster/up)"]
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
    type Moment<'a> = Box<dyn Fn(&str) -> bool + 'a>;
    let record = |name: &str| ns.try_admin(&["get", "configmap", &format!("{name}-run")], None);
    let moments: Vec<(&str, Moment<'_>)> = vec![
        ("record written", Box::new(|n| record(n).status.success())),
        (
            "service made",
            Box::new(|n| ns.try_admin(&["get", "service", n], None).status.success()),
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
            Box::new(|n| record(n).status.success() && restarts(&ns, n) == Some(1)),
        ),
        ("new attempt begun", Box::new(|n| count(&attempt(1), n) > 0)),
        (
            "new attempt made",
            Box::new(|n| count(&format!("{},{}", attempt(1), role("second")), n) == 4),
        ),
    ];
    for (i, (what, moment)) in moments.iter().enumerate() {
        let name = format!("k{i}");
        let file = ns.file(&format!("{name}.yaml"), &story(&name));
        let run = ns.spawn(&["run", &file]);
        eventually(what, || moment(&name));
        run.kill();
        let out = ns.jobset(&["attach", &name, "--take-over"]).expect(0);
        let status: Value =
            serde_json::from_str(&ns.jobset(&["status", &name, "-o", "json"]).expect(0).stdout)
                .unwrap();
        assert_eq!(status["restarts"], 1, "killed when: {what}\n{}", out.stderr);
        assert_eq!(count("", &name), 6, "killed when: {what}");
        assert_eq!(count(&attempt(1), &name), 6, "killed when: {what}");
    }
}

fn restarts(ns: &Namespace, name: &str) -> Option<u64> {
    let record = ns.get(&["configmap", &format!("{name}-run")]);
    let state: Value = serde_json::from_str(record["data"]["state.json"].as_str()?).ok()?;
    state["status"]["restarts"].as_u64()
}

/// The API server is killed and started again in mid-run; no verdict is drawn from that.
#[test]
#[ignore = "needs a control plane (tests/cluster/up)"]
fn the_api_server_restarts() {
    let ns = Namespace::new("apiserver");
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
#[ignore = "needs a control plane (tests/cluster/up)"]
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
