//! Suspend, resume, stop, delete: under an attached driver and without one.

use crate::support::{Namespace, Role, eventually, manifest, pods, wait_state};

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

#[test]
fn suspend_and_resume_under_a_driver() {
    let ns = Namespace::new("suspend");
    let file = ns.file("s.yaml", &stay("s"));
    let run = ns.spawn(&["run", &file]);
    wait_state(&ns, "s", "Running");
    let _ = ns.jobset(&["suspend", "s"]).expect(0);
    wait_state(&ns, "s", "Suspended");
    eventually("no pod", || pods(&ns, "s") == 0);
    let _ = ns.jobset(&["resume", "s"]).expect(0);
    wait_state(&ns, "s", "Running");
    assert_eq!(pods(&ns, "s"), 2);
    let _ = ns.jobset(&["stop", "s"]).expect(0);
    let _ = run.wait().expect(13);
    // `Stopping` while the last Jobs go.
    wait_state(&ns, "s", "Failed");
    eventually("no pod", || pods(&ns, "s") == 0);
}

#[test]
fn suspend_resume_and_stop_without_a_driver() {
    let ns = Namespace::new("nodriver");
    let file = ns.file("s.yaml", &stay("s"));
    let out = ns.jobset(&["run", "-d", &file]).expect(0);
    assert!(out.stdout.contains("s"), "{}", out.stdout);
    eventually("pods", || pods(&ns, "s") == 2);
    let _ = ns.jobset(&["suspend", "s"]).expect(0);
    wait_state(&ns, "s", "Suspended");
    let _ = ns.jobset(&["resume", "s"]).expect(0);
    wait_state(&ns, "s", "Running");
    let _ = ns.jobset(&["stop", "s"]).expect(0);
    let _ = ns.jobset(&["status", "s", "--exit-code"]).expect(13);
}

#[test]
fn created_suspended_runs_nothing() {
    let ns = Namespace::new("fromstart");
    let text = manifest(
        "s",
        "  suspend: true\n",
        &[Role {
            replicas: 2,
            ..Role::default()
        }],
    );
    let file = ns.file("s.yaml", &text);
    let _ = ns.jobset(&["run", "-d", &file]).expect(0);
    wait_state(&ns, "s", "Suspended");
    let jobs = ns.items("jobs", "");
    assert_eq!(jobs.len(), 2);
    assert!(jobs.iter().all(|j| j["spec"]["suspend"] == true));
    assert_eq!(pods(&ns, "s"), 0);
    let _ = ns.jobset(&["status", "s", "--exit-code"]).expect(13);
}

/// Trap D.1.8: an attached driver makes nothing again while the run is being deleted.
#[test]
fn delete_under_an_attached_driver() {
    let ns = Namespace::new("delete");
    let text = manifest(
        "d",
        "  failurePolicy: {maxRestarts: 5}\n",
        &[Role {
            replicas: 20,
            ..Role::default()
        }],
    );
    let file = ns.file("d.yaml", &text);
    let run = ns.spawn(&["run", &file]);
    wait_state(&ns, "d", "Running");
    let _ = ns.jobset(&["delete", "d", "-y"]).expect(0);
    let _ = run.wait().expect(14);
    for kind in ["jobs", "pods", "services", "configmaps", "leases"] {
        let left: Vec<_> = ns
            .items(kind, "")
            .into_iter()
            .map(|o| o["metadata"]["name"].as_str().unwrap().to_owned())
            .filter(|n| n != "kube-root-ca.crt")
            .collect();
        assert!(left.is_empty(), "{kind}: {left:?}");
    }
    let _ = ns.jobset(&["status", "d"]).expect(4);
}

#[test]
fn delete_without_a_driver_and_rm() {
    let ns = Namespace::new("rm");
    let file = ns.file("d.yaml", &stay("d"));
    let _ = ns.jobset(&["run", "-d", &file]).expect(0);
    let _ = ns.jobset(&["delete", "d", "-y"]).expect(0);
    assert!(ns.items("jobs", "").is_empty());
    let text = manifest(
        "r",
        "",
        &[Role {
            annotations: &[("run-for", "1")],
            ..Role::default()
        }],
    );
    let file = ns.file("r.yaml", &text);
    let _ = ns.jobset(&["run", &file, "--rm"]).expect(0);
    eventually("all gone", || {
        ns.items("jobs", "").is_empty() && ns.items("pods", "").is_empty()
    });
    let _ = ns.jobset(&["status", "r"]).expect(4);
}
