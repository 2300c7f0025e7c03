//! The verbs on local runs, from another terminal.

use crate::support::Local;

const STAY: &str = "echo up; exec sleep 1000";

#[test]
fn exit_codes_are_those_of_a_cluster() {
    let local = Local::new("codes");
    let fine = local.manifest("fine", 2, "", "exit 0");
    let _ = local.jobset(&["run", &fine]).expect(0);
    let fails = local.manifest("fails", 1, "", "echo no; exit 7");
    let out = local.jobset(&["run", &fails]).expect(10);
    assert!(out.stderr.contains("exit code 7"), "{}", out.stderr);
    let limit = local.manifest("limit", 1, "failurePolicy: {maxRestarts: 1}", "exit 7");
    let _ = local.jobset(&["run", &limit]).expect(11);
    let _ = local.jobset(&["status", "nothing"]).expect(4);
    let list = local.jobset(&["status"]).expect(0);
    for row in ["fine", "fails", "limit"] {
        assert!(list.stdout.contains(row), "{}", list.stdout);
    }
}

#[test]
fn status_logs_suspend_resume_stop_delete() {
    let local = Local::new("verbs");
    let file = local.manifest("t", 2, "", STAY);
    let mut run = local.spawn(&["run", &file]);
    run.wait_for("running");
    assert_eq!(local.status("t")["state"], "Running");
    assert_eq!(local.status("t")["driver"]["live"], true);
    let logs = local.jobset(&["logs", "t"]).expect(0);
    assert_eq!(logs.stdout.matches("up").count(), 2, "{}", logs.stdout);
    let _ = local.jobset(&["suspend", "t"]).expect(0);
    local.eventually("suspended", |l| l.processes().is_empty());
    let _ = local.jobset(&["resume", "t"]).expect(0);
    local.eventually("resumed", |l| l.processes().len() == 2);
    let _ = local.jobset(&["stop", "t"]).expect(0);
    let _ = run.expect(13);
    assert!(local.processes().is_empty());
    assert_eq!(local.status("t")["reason"], "Stopped");
    let _ = local.jobset(&["delete", "t", "-y"]).expect(0);
    let _ = local.jobset(&["status", "t"]).expect(4);
    local.eventually("its folder is gone", |l| {
        !l.runs().join("runs/default/t").exists()
    });
}

#[test]
fn processes_go_on_when_the_driver_detaches() {
    let local = Local::new("detach");
    let file = local.manifest("t", 1, "", STAY);
    let _ = local.jobset(&["run", "-d", &file]).expect(0);
    local.eventually("it runs", |l| l.processes().len() == 1);
    let before = local.processes();
    let mut attach = local.spawn(&["attach", "t"]);
    attach.wait_for("running");
    attach.signal("TERM");
    let _ = attach.expect(143);
    assert_eq!(local.processes(), before);
    let _ = local.jobset(&["stop", "t"]).expect(0);
    local.eventually("stopped", |l| l.processes().is_empty());
}

#[test]
fn what_the_machine_cannot_hold_is_refused_at_once() {
    let local = Local::new("big");
    let file = local.manifest("big", 3, "", "exit 0");
    let text = std::fs::read_to_string(&file).unwrap();
    let wants = text.replace(
        "image: none",
        "image: none, resources: {requests: {memory: 100Ti}}",
    );
    std::fs::write(&file, wants).unwrap();
    let out = local.jobset(&["run", &file]).expect(8);
    assert!(out.stderr.contains("memory"), "{}", out.stderr);
    let _ = local.jobset(&["status", "big"]).expect(4);
}

#[test]
fn a_verb_that_asks_no_cluster_takes_no_local() {
    let local = Local::new("usage");
    let file = local.manifest("t", 1, "", STAY);
    let _ = local.jobset(&["validate", &file]).expect(2);
    let out = local.jobset(&["status"]).expect(4);
    assert!(out.stderr.contains("no local runs"), "{}", out.stderr);
}
