//! What stops a run before anything is made, and what is said about pods that don't start.

use serde_json::json;

use crate::support::{Namespace, Role, eventually, manifest};

fn one(name: &str) -> String {
    manifest(
        name,
        "",
        &[Role {
            annotations: &[("run-for", "1")],
            ..Role::default()
        }],
    )
}

fn nothing_made(ns: &Namespace, but: &str) {
    for kind in ["jobs", "services", "configmaps", "leases"] {
        for object in ns.items(kind, "") {
            let name = object["metadata"]["name"].as_str().unwrap();
            assert!(
                name == but || name == "kube-root-ca.crt",
                "{kind}/{name} was left behind"
            );
        }
    }
}

/// C41, variant B.
#[test]
fn a_foreign_job_is_named_and_nothing_is_made() {
    let ns = Namespace::new("foreign");
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox", "command": ["true"]}]});
    let _ = ns.create(
        "jobs",
        &json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "same-worker-0"},
            "spec": {"template": {"spec": pod}},
        }),
    );
    let file = ns.file("s.yaml", &one("same"));
    let out = ns.jobset(&["run", &file]).expect(5);
    assert!(out.stderr.contains("same-worker-0"), "{}", out.stderr);
    nothing_made(&ns, "same-worker-0");
}

/// C41, variant A.
#[test]
fn a_foreign_service_is_named_and_nothing_is_made() {
    let ns = Namespace::new("service");
    let _ = ns.create(
        "services",
        &json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "same"},
            "spec": {"selector": {"app": "same"}, "ports": [{"port": 80}]},
        }),
    );
    let file = ns.file("s.yaml", &one("same"));
    let out = ns.jobset(&["run", &file]).expect(5);
    assert!(out.stderr.contains("same"), "{}", out.stderr);
    nothing_made(&ns, "same");
}

#[test]
fn missing_rights_are_named() {
    let ns = Namespace::new("rights");
    ns.delete("rolebindings", "e2e");
    let file = ns.file("s.yaml", &one("r"));
    let out = ns.jobset(&["run", &file]).expect(6);
    for what in ["create", "jobs", "pods", "configmaps"] {
        assert!(
            out.stderr.contains(what),
            "`{what}` is not named:\n{}",
            out.stderr
        );
    }
    nothing_made(&ns, "");
}

/// The server's own validation is asked before anything is made (spec 4.12).
#[test]
fn a_role_that_the_server_refuses_is_named() {
    let ns = Namespace::new("refused");
    let text = one("r").replace(
        "restartPolicy: Never",
        "restartPolicy: Never\n            priorityClassName: no/such",
    );
    let file = ns.file("s.yaml", &text);
    let out = ns.jobset(&["run", &file]).expect(3);
    assert!(out.stderr.contains("worker"), "{}", out.stderr);
    nothing_made(&ns, "");
}

/// D.10: quota refuses pods, not Jobs: the Job stands there with no pod and nothing said.
#[test]
fn a_refused_pod_is_explained() {
    let ns = Namespace::new("quota");
    let _ = ns.create(
        "resourcequotas",
        &json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "tight"},
            "spec": {"hard": {"pods": "1"}},
        }),
    );
    let text = manifest(
        "q",
        "",
        &[Role {
            replicas: 3,
            ..Role::default()
        }],
    );
    let file = ns.file("q.yaml", &text);
    let mut run = ns.spawn(&["run", &file]);
    let line = run.wait_for("quota");
    assert!(line.contains("worker"), "{line}");
    assert!(line.contains("tight"), "{line}");
    run.signal("TERM");
    let _ = run.wait().expect(143);
    // Nobody watches any more, and `status` knows as well.
    let out = ns.jobset(&["status", "q"]).expect(0);
    assert!(
        out.stdout.contains("exceeded quota: tight"),
        "{}",
        out.stdout
    );
}

/// What `run -o yaml` prints is what was made, and can be run again under another name.
#[test]
fn run_prints_what_it_made() {
    let ns = Namespace::new("yaml");
    let file = ns.file("said.yaml", &one("said"));
    let out = ns.jobset(&["run", "-d", &file, "-o", "yaml"]).expect(0);
    let printed = ns.file("printed.yaml", &out.stdout);
    let attach = [
        "run",
        &printed,
        "--on-conflict",
        "attach",
        "-d",
        "-o",
        "name",
    ];
    assert_eq!(ns.jobset(&attach).expect(0).stdout, "jobset/said\n");
    let other = ns.jobset(&["run", "-d", &printed, "--name", "z", "-o", "name"]);
    assert_eq!(other.expect(0).stdout, "jobset/z\n");
}

#[test]
fn an_unschedulable_pod_is_explained() {
    let ns = Namespace::new("unschedulable");
    let text = manifest("u", "", &[Role::default()]).replace(
        "restartPolicy: Never",
        "restartPolicy: Never\n            nodeSelector: {disk: none-such}",
    );
    let file = ns.file("u.yaml", &text);
    let mut run = ns.spawn(&["run", &file]);
    let line = run.wait_for("worker/0");
    assert!(line.contains("node"), "{line}");
    run.signal("INT");
    let _ = run.wait().expect(130);
}

#[test]
fn the_same_name_twice() {
    let ns = Namespace::new("twice");
    let file = ns.file("t.yaml", &manifest("t", "", &[Role::default()]));
    let _ = ns.jobset(&["run", "-d", &file]).expect(0);
    let out = ns.jobset(&["run", "-d", &file]).expect(5);
    assert!(out.stderr.contains("attach"), "{}", out.stderr);
    let uid = |ns: &Namespace| ns.get("jobs", "t-worker-0")["metadata"]["uid"].clone();
    let before = uid(&ns);
    let mut again = ns.spawn(&["run", &file, "--on-conflict", "attach"]);
    again.wait_for("t");
    eventually("the driver", || {
        ns.jobset(&["status", "t", "-o", "json"])
            .stdout
            .contains("\"live\": true")
            || ns
                .jobset(&["status", "t", "-o", "json"])
                .stdout
                .contains("\"live\":true")
    });
    assert_eq!(uid(&ns), before);
    again.signal("TERM");
    let _ = again.wait().expect(143);
    let other = ns.file(
        "o.yaml",
        &manifest(
            "t",
            "",
            &[Role {
                replicas: 2,
                ..Role::default()
            }],
        ),
    );
    let _ = ns
        .jobset(&["run", &other, "--on-conflict", "attach"])
        .expect(5);
}

#[test]
fn dry_runs_make_nothing() {
    let ns = Namespace::new("dryrun");
    let file = ns.file("d.yaml", &one("d"));
    let out = ns.jobset(&["run", &file, "--dry-run=server"]).expect(0);
    assert!(
        out.stdout.contains("jobset/d created (server dry run)"),
        "{}",
        out.stdout
    );
    let out = ns.jobset(&["run", &file, "--dry-run=client"]).expect(0);
    assert!(
        out.stdout.contains("jobset/d created (dry run)"),
        "{}",
        out.stdout
    );
    nothing_made(&ns, "");
    let out = ns.jobset(&["run", &file, "--dry-run=server", "-o", "yaml"]);
    assert!(out.expect(0).stdout.contains("kind: JobSet\n"));
    nothing_made(&ns, "");
    // `render` gives what the API takes.
    let rendered = ns.jobset(&["render", &file]).expect(0).stdout;
    let mut made = Vec::new();
    for document in rendered.split("\n---\n") {
        let object: serde_json::Value = serde_saphyr::from_str(document).unwrap();
        let plural = format!("{}s", object["kind"].as_str().unwrap().to_lowercase());
        let _ = ns.create(&plural, &object);
        made.push(plural);
    }
    assert_eq!(made, ["services", "jobs"]);
}
