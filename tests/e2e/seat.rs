//! Two drivers on one run: the second is refused, looks on, or takes over; never both.

use crate::support::{Namespace, Role, manifest};

#[test]
fn the_seat_is_taken() {
    let ns = Namespace::new("seat");
    let file = ns.file("s.yaml", &manifest("s", "", &[Role::default()]));
    let mut first = ns.spawn(&["run", &file]);
    first.wait_for("running");
    let out = ns.jobset(&["attach", "s"]).expect(5);
    assert!(out.stderr.contains("--take-over"), "{}", out.stderr);
    let mut second = ns.spawn(&["attach", "s", "--take-over"]);
    second.wait_for("s");
    let out = first.wait().expect(15);
    assert!(out.stderr.contains("taken over"), "{}", out.stderr);
    let _ = ns.jobset(&["stop", "s"]).expect(0);
    let _ = second.wait().expect(13);
}

/// A driver that was killed can't give its seat back: who attaches waits until its Lease runs out.
#[test]
#[ignore = "takes most of a minute"]
fn the_seat_of_a_dead_driver_is_waited_for() {
    let ns = Namespace::new("dead");
    let file = ns.file("d.yaml", &manifest("d", "", &[Role::default()]));
    let mut first = ns.spawn(&["run", &file]);
    first.wait_for("running");
    first.kill();
    let mut second = ns.spawn(&["attach", "d"]);
    second.wait_for("waiting for ");
    second.wait_for("took over from ");
    let _ = ns.jobset(&["stop", "d"]).expect(0);
    let _ = second.wait().expect(13);
}

/// Two drivers and one failure: one restart is counted.
#[test]
fn a_restart_is_counted_once() {
    let ns = Namespace::new("once");
    let annotations = &[("run-for", "6"), ("exit-code", "1"), ("fail-attempts", "0")];
    let text = manifest(
        "o",
        "  failurePolicy: {maxRestarts: 5}\n",
        &[Role {
            replicas: 3,
            annotations,
            ..Role::default()
        }],
    );
    let file = ns.file("o.yaml", &text);
    let mut first = ns.spawn(&["run", &file]);
    first.wait_for("running");
    let others: Vec<_> = (0..3)
        .map(|_| ns.spawn(&["attach", "o", "--take-over"]))
        .collect();
    let mut codes = vec![first.wait().code()];
    codes.extend(others.into_iter().map(|o| o.wait().code()));
    codes.sort_unstable();
    assert_eq!(codes, [0, 15, 15, 15]);
    let out = ns.jobset(&["status", "o", "-o", "json"]).expect(0);
    let status: serde_json::Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(status["restarts"], 1);
}

#[test]
fn read_only_looks_on() {
    let ns = Namespace::new("readonly");
    let annotations = &[("run-for", "5")];
    let text = manifest(
        "r",
        "",
        &[Role {
            annotations,
            ..Role::default()
        }],
    );
    let file = ns.file("r.yaml", &text);
    let mut first = ns.spawn(&["run", &file]);
    first.wait_for("running");
    let looker = ns.spawn(&["attach", "r", "--read-only"]);
    let _ = first.wait().expect(0);
    let _ = looker.wait().expect(0);
}
