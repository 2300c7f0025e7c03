//! Trouble between the driver and the API server: lost networks, lost answers, too many requests,
//! expired credentials. None of it may lead to a false verdict or to anything being made twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::front::{Fate, Front, Line, Wire};
use crate::support::{Namespace, Role, manifest, status};

/// Fails once, then succeeds.
fn story(name: &str) -> String {
    let annotations = &[("run-for", "1"), ("exit-code", "5"), ("fail-attempts", "0")];
    let roles = [
        Role {
            name: "first",
            replicas: 2,
            annotations: &[("run-for", "5")],
            ..Role::default()
        },
        Role {
            name: "second",
            replicas: 3,
            annotations,
            ..Role::default()
        },
    ];
    let spec =
        "  startupPolicy: {startupPolicyOrder: InOrder}\n  failurePolicy: {maxRestarts: 3}\n";
    manifest(name, spec, &roles)
}

/// What an undisturbed run of the story comes to.
fn told_as_it_was(ns: &Namespace, name: &str) {
    assert_eq!(status(ns, name)["restarts"], 1);
    assert_eq!(status(ns, name)["state"], "Completed");
    let jobs = ns.items("jobs", "jobset.sigs.k8s.io/restart-attempt=1");
    assert_eq!(jobs.len(), 5);
}

/// Longer than the Lease, with the failure and the restart falling into it.
#[test]
#[ignore = "takes most of a minute"]
fn no_network_for_longer_than_the_lease() {
    let ns = Namespace::new("silent");
    let wire = Wire::new();
    let file = ns.file("n.yaml", &story("dark"));
    let mut run = ns.spawn(&["run", &file, "--server", &wire.server()]);
    run.wait_for("first: ready 2/2");
    wire.set(Line::Silent);
    std::thread::sleep(Duration::from_secs(40));
    wire.set(Line::Open);
    let _ = run.wait().expect(0);
    told_as_it_was(&ns, "dark");
}

#[test]
fn connections_that_break_again_and_again() {
    let ns = Namespace::new("cut");
    let wire = Wire::new();
    let file = ns.file("c.yaml", &story("c"));
    let mut run = ns.spawn(&["run", &file, "--server", &wire.server()]);
    run.wait_for("created");
    for _ in 0..6 {
        wire.set(Line::Cut);
        std::thread::sleep(Duration::from_millis(300));
        wire.set(Line::Open);
        std::thread::sleep(Duration::from_millis(1_500));
    }
    let _ = run.wait().expect(0);
    told_as_it_was(&ns, "c");
}

/// Every first change of an object is carried out, but its answer is lost. Nothing is sent blindly
/// again: each Job of each attempt is created by one POST.
#[test]
fn lost_answers() {
    let ns = Namespace::new("lost");
    let posts: Arc<Mutex<BTreeMap<String, u32>>> = Arc::default();
    let counted = Arc::clone(&posts);
    let mut n = 0;
    let front = Front::new(move |asked| {
        if !asked.changes() {
            return Fate::Pass;
        }
        if asked.is("POST", "jobs") {
            *counted
                .lock()
                .unwrap()
                .entry(asked.path.clone())
                .or_default() += 1;
        }
        n += 1;
        // Not all: a write of the record must get through at some time.
        if n % 2 == 0 {
            Fate::LoseAnswer
        } else {
            Fate::Pass
        }
    });
    let file = ns.file("l.yaml", &story("l"));
    let _ = ns
        .jobset(&["run", &file, "--server", &front.server()])
        .expect(0);
    told_as_it_was(&ns, "l");
    let posts: u32 = posts.lock().unwrap().values().sum();
    assert_eq!(posts, 10, "5 Jobs in 2 attempts");
}

#[test]
fn too_many_requests() {
    let ns = Namespace::new("busy");
    let refused = Arc::new(Mutex::new(0));
    let count = Arc::clone(&refused);
    let mut n = 0;
    let front = Front::new(move |_| {
        n += 1;
        if n % 3 != 0 {
            return Fate::Pass;
        }
        *count.lock().unwrap() += 1;
        let text = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","message":"too many requests, please try again later","code":429}"#;
        Fate::Answer(429, "Retry-After: 1\r\n", text)
    });
    let file = ns.file("b.yaml", &story("b"));
    let _ = ns
        .jobset(&["run", &file, "--server", &front.server()])
        .expect(0);
    told_as_it_was(&ns, "b");
    assert!(*refused.lock().unwrap() > 5);
}

/// An exec plugin's token runs out in mid-run: the plugin is asked again.
#[test]
fn credentials_that_expire() {
    let ns = Namespace::new("login");
    let valid = Arc::new(Mutex::new("one".to_owned()));
    let wanted = Arc::clone(&valid);
    let front = Front::new(move |asked| {
        if asked.token.as_deref() == Some(wanted.lock().unwrap().as_str()) {
            return Fate::Pass;
        }
        let text = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","message":"Unauthorized","code":401}"#;
        Fate::Answer(401, "", text)
    });
    let token = ns.file("token", "one");
    let config = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters:\n- name: x\n  cluster: {{server: '{}'}}\n\
         contexts:\n- name: x\n  context: {{cluster: x, user: x}}\nusers:\n- name: x\n  user:\n    exec:\n      \
         apiVersion: client.authentication.k8s.io/v1\n      interactiveMode: Never\n      command: sh\n      args:\n      \
         - -c\n      - 'printf ''{{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{{\"token\":\"%s\"}}}}'' \"$(cat {token})\"'\n",
        front.server()
    );
    let config = ns.file("kubeconfig", &config);
    let file = ns.file("e.yaml", &story("e"));
    let mut run = ns.spawn(&["run", &file, "--kubeconfig", &config]);
    run.wait_for("first: ready 2/2");
    let _ = ns.file("token", "two");
    "two".clone_into(&mut valid.lock().unwrap());
    let out = run.wait().expect(0);
    assert!(!out.stderr.contains("Unauthorized"), "{}", out.stderr);
    told_as_it_was(&ns, "e");
}
