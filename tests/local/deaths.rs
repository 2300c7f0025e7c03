//! Whoever dies, no process is left behind, and the run can be taken up again.

use crate::support::{Local, kill};

const POLICY: &str = "failurePolicy: {maxRestarts: 3}";

/// Runs until a file says that it may end.
fn until_told(local: &Local) -> String {
    let done = local.path().join("done");
    format!(
        "echo up; until [ -e {} ]; do sleep 0.05; done",
        done.display()
    )
}

fn let_it_end(local: &Local) {
    std::fs::write(local.path().join("done"), "").unwrap();
}

#[test]
fn the_driver_is_killed() {
    let local = Local::new("driver-dies");
    let file = local.manifest("t", 2, POLICY, &until_told(&local));
    let mut run = local.spawn(&["run", &file]);
    run.wait_for("running");
    assert!(!local.processes().is_empty());
    run.kill();
    local.eventually("no process is left", |l| l.processes().is_empty());
    let_it_end(&local);
    let _ = local.jobset(&["attach", "t"]).expect(0);
    let status = local.status("t");
    assert_eq!(status["state"], "Completed");
    assert_eq!(status["restarts"], 1, "{status}");
}

#[test]
fn the_host_is_killed() {
    let local = Local::new("host-dies");
    let file = local.manifest("t", 2, POLICY, &until_told(&local));
    let mut run = local.spawn(&["run", &file]);
    run.wait_for("running");
    kill("KILL", local.host());
    local.eventually("no process is left", |l| l.processes().is_empty());
    run.kill();
    let_it_end(&local);
    let _ = local.jobset(&["attach", "t"]).expect(0);
    assert_eq!(local.status("t")["state"], "Completed");
}

#[test]
fn both_are_killed() {
    let local = Local::new("both-die");
    let file = local.manifest("t", 2, POLICY, &until_told(&local));
    let mut run = local.spawn(&["run", &file]);
    run.wait_for("running");
    let host = local.host();
    run.kill();
    kill("KILL", host);
    local.eventually("no process is left", |l| l.processes().is_empty());
    // What was decided before is still known.
    assert_eq!(local.status("t")["restarts"], 0);
    let_it_end(&local);
    let _ = local.jobset(&["attach", "t"]).expect(0);
    assert_eq!(local.status("t")["state"], "Completed");
}
