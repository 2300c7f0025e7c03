//! The end of a run: success, stop, what is left.

use serde_json::json;

use crate::engine::testing::*;
use crate::engine::{Command, EventKind, Observation, Outcome, StateWord};

#[test]
fn all_of_a_target_completes_and_the_rest_is_deleted() {
    let policy = json!({"successPolicy": {"operator": "All", "targetReplicatedJobs": ["b"]}});
    let mut play = Play::new(jobset(&[("a", 1), ("b", 2)], policy)).start();
    play.ready_all();
    play.complete("set-b-0");
    assert!(play.settle().done().is_empty());
    play.complete("set-b-1");
    play.settle();
    assert_eq!(play.outcome, Some(Outcome::Completed));
    assert_eq!(
        play.log,
        ["!write", "-set-a-0#0"],
        "recorded, then deleted; succeeded Jobs stay"
    );
    assert_eq!(play.condition("Completed"), "true AllJobsCompleted");
    let status = &play.engine.state().status;
    assert_eq!(status.terminal_state.as_deref(), Some("Completed"));
    let counts: Vec<_> = status
        .replicated_jobs_status
        .iter()
        .map(|s| (s.ready, s.active, s.succeeded, s.failed))
        .collect();
    assert_eq!(counts, [(0, 0, 0, 0), (0, 0, 2, 0)]);
    assert!(
        play.events
            .iter()
            .any(|e| matches!(&e.kind, EventKind::SuccessDecided { stopped: 1, .. }))
    );
}

#[test]
fn a_failure_is_looked_at_before_a_success() {
    let policy = json!({"successPolicy": {"operator": "Any", "targetReplicatedJobs": ["a"]}});
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], policy)).start();
    play.complete("set-a-0");
    play.fail("set-b-0");
    play.settle();
    let reason = "FailedJobs".to_owned();
    assert_eq!(play.outcome, Some(Outcome::FailedByPolicy { reason }));
}

#[test]
fn a_succeeded_job_that_vanished_counts_and_stays_away() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({}))).start();
    play.complete("set-a-0");
    play.settle();
    play.gone("set-a-0");
    assert!(play.settle().done().is_empty(), "remembered (trap D.1.9)");
    assert_eq!(play.engine.state().succeeded["a"], "0");
    play.complete("set-a-1");
    play.settle();
    assert_eq!(play.outcome, Some(Outcome::Completed));
}

#[test]
fn stop_is_recorded_then_carried_out() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({}))).start();
    play.complete("set-a-0");
    play.lingering = true;
    play.engine.command(
        Command::Stop {
            by: "ada@laptop".to_owned(),
        },
        play.now,
    );
    play.settle();
    assert_eq!(play.log, ["!write", "-set-a-1#0"]);
    assert_eq!(
        play.outcome,
        Some(Outcome::Stopped {
            by: "ada@laptop".to_owned()
        })
    );
    assert_eq!(play.condition("Failed"), "true Stopped");
    assert!(
        play.engine.state().status.conditions[0]
            .message
            .contains("ada@laptop")
    );
    assert_eq!(play.engine.snapshot(play.now).state, StateWord::Stopping);
    play.gone("set-a-1");
    assert_eq!(play.engine.snapshot(play.now).state, StateWord::Failed);
}

#[test]
fn a_run_that_ended_is_told_again_and_cleaned_up() {
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], json!({}))).start();
    play.fail("set-a-0");
    let step = play.engine.step(play.now);
    play.see(Observation::Written {
        version: step.write.unwrap().version,
    });
    // The driver dies here, before the delete.
    let (set, state) = (play.engine.jobset().clone(), play.engine.state().clone());
    let mut next = Play::with(set, state, crate::engine::Options::default());
    next.jobs = play.jobs;
    let next = next.start();
    assert_eq!(next.done(), ["-set-b-0#0"]);
    let reason = "FailedJobs".to_owned();
    assert_eq!(next.outcome, Some(Outcome::FailedByPolicy { reason }));
    assert_eq!(
        next.kinds(|k| matches!(k, EventKind::RunFinished { .. }))
            .len(),
        1
    );
}

#[test]
fn the_verdict_waits_for_the_record() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({}))).start();
    play.complete("set-a-0");
    let step = play.engine.step(play.now);
    assert!(step.outcome.is_none() && step.write.is_some());
    let again = play.engine.step(play.now);
    assert_eq!((again.write, again.outcome), (None, None));
}
