//! What is read of a run: its state, its logs, its stream of events.

use serde_json::Value;

use crate::support::{Namespace, Role, manifest};

const PRINTS: &[(&str, &str)] = &[
    ("run-for", "1"),
    ("log", "first\\nlast"),
    ("exit-code", "3"),
    ("fail-attempts", "0"),
];

/// Two workers that print two lines, fail once, and succeed.
fn story(name: &str) -> String {
    let role = Role {
        replicas: 2,
        annotations: PRINTS,
        ..Role::default()
    };
    manifest(name, "  failurePolicy: {maxRestarts: 1}\n", &[role])
}

#[test]
fn logs_of_both_attempts() {
    let ns = Namespace::new("logs");
    let file = ns.file("l.yaml", &story("l"));
    let _ = ns.jobset(&["run", &file]).expect(0);
    let now = ns.jobset(&["logs", "l"]).expect(0).stdout;
    assert_eq!(now.matches("first").count(), 2, "{now}");
    assert_eq!(now.matches("last").count(), 2, "{now}");
    let tail = ns
        .jobset(&["logs", "l", "worker/1", "--tail", "1"])
        .expect(0);
    assert_eq!(tail.stdout.lines().count(), 1, "{}", tail.stdout);
    assert!(tail.stdout.contains("last"), "{}", tail.stdout);
    // The pods of attempt 0 are gone; what was kept of it is in the record.
    let kept = ns
        .jobset(&["logs", "l", "--attempt", "0", "--failed"])
        .expect(0);
    assert!(kept.stdout.contains("last"), "{}", kept.stdout);
    let _ = ns.jobset(&["logs", "nobody"]).expect(4);
}

#[test]
fn the_stream_ends_with_the_verdict() {
    let ns = Namespace::new("stream");
    let file = ns.file("s.yaml", &story("s"));
    let out = ns.jobset(&["run", &file, "-o", "json"]).expect(0);
    let lines: Vec<Value> = out
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect();
    let last = lines.last().unwrap();
    assert_eq!(last["type"], "run.finished");
    assert_eq!(last["exitCode"], 0);
    let of = |kind: &str| lines.iter().filter(|l| l["type"] == kind).count();
    assert_eq!(of("run.created"), 1);
    assert_eq!(of("run.restarting"), 1);
    let numbers: Vec<u64> = lines.iter().map(|l| l["seq"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
}

#[test]
fn runs_are_listed_with_their_state() {
    let ns = Namespace::new("list");
    let file = ns.file("a.yaml", &story("a"));
    let _ = ns.jobset(&["run", &file]).expect(0);
    let stay = ns.file("b.yaml", &manifest("b", "", &[Role::default()]));
    let _ = ns.jobset(&["run", "-d", &stay]).expect(0);
    let list = ns.jobset(&["status"]).expect(0).stdout;
    let line = |name: &str| {
        let found = list
            .lines()
            .find(|l| l.split_whitespace().next() == Some(name));
        found
            .unwrap_or_else(|| panic!("{name} is not in\n{list}"))
            .to_owned()
    };
    assert!(line("a").contains("Completed"), "{list}");
    assert!(line("a").contains("1/1"), "{list}");
    let _ = ns.jobset(&["status", "a", "--exit-code"]).expect(0);
    let _ = ns.jobset(&["status", "b", "--exit-code"]).expect(21);
    let version = ns.jobset(&["version"]).expect(0).stdout;
    assert!(version.contains("Server Version: v1."), "{version}");
}
