//! Suspend and resume (spec 10, traps D.7).

use serde_json::json;

use crate::engine::testing::*;
use crate::engine::{Action, Command, Observation, StateWord};

#[test]
fn suspended_from_the_start_creates_all_jobs_suspended() {
    let order = json!({"suspend": true, "startupPolicy": {"startupPolicyOrder": "InOrder"}});
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], order)).start();
    assert_eq!(play.done(), ["+service", "+set-a-0#0", "+set-b-0#0"]);
    assert!(play.jobs.values().all(|j| j.suspend));
    assert_eq!(play.condition("Suspended"), "true SuspendedJobs");
    assert_eq!(play.condition("StartupPolicyInProgress"), "");
    assert_eq!(play.engine.snapshot(play.now).state, StateWord::Suspended);
    // Resume: role by role, and the condition falls with the last one (parity suspend-in-order).
    play.engine.command(Command::Resume, play.now);
    assert_eq!(play.settle().done(), ["~resume set-a-0"]);
    assert_eq!(play.condition("Suspended"), "true SuspendedJobs");
    play.ready("set-a-0");
    assert_eq!(play.settle().done(), ["~resume set-b-0"]);
    play.ready("set-b-0");
    play.settle();
    assert_eq!(play.condition("Suspended"), "false ResumeJobs");
    assert_eq!(
        play.condition("StartupPolicyCompleted"),
        "true InOrderStartupPolicyCompleted"
    );
}

#[test]
fn suspending_a_running_set_and_resuming_it() {
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], json!({}))).start();
    play.ready_all();
    play.complete("set-a-0");
    play.engine.command(Command::Suspend, play.now);
    play.settle();
    assert_eq!(
        play.log,
        ["!write", "~suspend set-b-0"],
        "the wish is durable first"
    );
    assert_eq!(play.engine.jobset().spec.suspend, Some(true));
    play.engine.command(Command::Resume, play.now);
    assert_eq!(play.settle().done(), ["~resume set-b-0"]);
    assert_eq!(play.condition("Suspended"), "false ResumeJobs");
    assert_eq!(play.engine.state().status.restarts, 0, "not a restart");
}

#[test]
fn a_held_role_is_created_only_after_resume() {
    let set = jobset(&[("a", 1), ("b", 1)], json!({"suspend": true}));
    let mut play = Play::new(depends(set, "b", &[("a", "Ready")])).start();
    assert_eq!(play.done(), ["+service", "+set-a-0#0"]);
    play.engine.command(Command::Resume, play.now);
    assert_eq!(play.settle().done(), ["~resume set-a-0"]);
    assert_eq!(play.condition("Suspended"), "false ResumeJobs");
    play.ready("set-a-0");
    assert_eq!(play.settle().done(), ["+set-b-0#0"]);
}

#[test]
fn suspending_during_a_restart_ends_the_restarting_condition_d7_5() {
    let policy = json!({"failurePolicy": {"maxRestarts": 2}});
    let mut play = Play::new(jobset(&[("a", 1)], policy)).start();
    play.fail("set-a-0");
    play.settle();
    play.engine.command(Command::Suspend, play.now);
    play.settle();
    assert_eq!(play.condition("RestartingJobSet"), "false JobSetSuspended");
    play.engine.command(Command::Resume, play.now);
    play.settle();
    play.ready_all();
    assert_eq!(play.condition("RestartingJobSet"), "false JobsReady");
}

#[test]
fn what_others_suspended_is_left_alone_d2_6() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({}))).start();
    play.update("set-a-0", |j| (j.suspend, j.active) = (true, 0));
    assert!(play.settle().done().is_empty());
    let snapshot = play.engine.snapshot(play.now);
    assert_eq!(snapshot.roles[0].suspended, 1);
    assert_eq!(
        snapshot.roles[0].notes[0].message,
        "suspended by someone else"
    );
}

#[test]
fn a_resume_survives_the_driver() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({"suspend": true}))).start();
    play.engine.command(Command::Resume, play.now);
    let step = play.engine.step(play.now);
    play.see(Observation::Written {
        version: step.write.unwrap().version,
    });
    let (set, state) = (play.engine.jobset().clone(), play.engine.state().clone());
    let mut next = Play::with(set, state, crate::engine::Options::default());
    next.jobs = play.jobs;
    let next = next.start();
    assert_eq!(
        next.done(),
        ["+service", "~resume set-a-0", "~resume set-a-1"]
    );
    assert_eq!(next.condition("Suspended"), "false ResumeJobs");
}

#[test]
fn resume_with_changes_takes_stale_keys_out_c23() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({"suspend": true}))).start();
    let with = |play: &Play, zone: &str, suspend: bool| {
        let mut set = play.engine.jobset().clone();
        set.spec.suspend = Some(suspend);
        let pod = set.spec.replicated_jobs[0]
            .template
            .0
            .pointer_mut("/spec/template")
            .unwrap();
        pod["spec"]["nodeSelector"] = json!({zone: "yes"});
        pod["metadata"] = json!({"labels": {"lane": zone, "jobset.sigs.k8s.io/job-index": "7"}});
        Box::new(set)
    };
    let patch = |play: &Play| {
        play.actions.iter().find_map(|a| match a {
            Action::ResumeJob {
                template,
                clear_start_time,
                ..
            } => Some((template.clone(), *clear_start_time)),
            _ => None,
        })
    };
    let (a, b) = (with(&play, "a", false), with(&play, "b", true));
    play.see(Observation::Spec(a));
    play.settle();
    let expected = json!({"metadata": {"labels": {"lane": "a"}},
        "spec": {"nodeSelector": {"a": "yes"}}});
    assert_eq!(patch(&play), Some((Some(expected), true)));
    play.engine.command(Command::Suspend, play.now);
    play.settle();
    play.see(Observation::Spec(b));
    play.settle();
    play.engine.command(Command::Resume, play.now);
    play.settle();
    let expected = json!({"metadata": {"labels": {"lane": "b"}},
        "spec": {"nodeSelector": {"a": null, "b": "yes"}}});
    assert_eq!(patch(&play), Some((Some(expected), true)));
}

#[test]
fn without_changes_a_resume_is_one_patch() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({"suspend": true}))).start();
    play.engine.command(Command::Resume, play.now);
    play.settle();
    assert!(play.actions.iter().any(|a| matches!(
        a,
        Action::ResumeJob {
            template: None,
            clear_start_time: false,
            ..
        }
    )));
}
