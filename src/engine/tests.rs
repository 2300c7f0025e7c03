//! The engine as a whole, in a world that obeys.

use serde_json::json;

use super::testing::*;
use crate::engine::Outcome;

fn restarts(n: u32) -> serde_json::Value {
    json!({"failurePolicy": {"maxRestarts": n}})
}

#[test]
fn nothing_is_done_before_both_lists() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({})));
    play.see(crate::engine::Observation::JobsListed(Vec::new()));
    assert!(play.engine.step(play.now).actions.is_empty());
}

#[test]
fn creates_service_then_jobs_and_completes() {
    let mut play = Play::new(jobset(&[("a", 1), ("b", 2)], json!({}))).start();
    assert_eq!(
        play.done(),
        ["+service", "+set-a-0#0", "+set-b-0#0", "+set-b-1#0"]
    );
    play.ready_all();
    for name in ["set-a-0", "set-b-0", "set-b-1"] {
        assert_eq!(play.outcome, None);
        play.complete(name);
        play.settle();
    }
    assert_eq!(play.outcome, Some(Outcome::Completed));
    assert_eq!(play.condition("Completed"), "true AllJobsCompleted");
}

#[test]
fn one_restart_for_all_that_failed_together() {
    let mut play = Play::new(jobset(&[("a", 2), ("b", 1)], restarts(1))).start();
    play.ready_all();
    play.fail("set-a-1");
    play.fail("set-b-0");
    play.settle();
    assert_eq!(play.engine.state().status.restarts, 1);
    assert_eq!(
        play.condition("RestartingJobSet"),
        "true DefaultFailurePolicy"
    );
    assert_eq!(play.log[0], "!write", "counted before anything is deleted");
    assert_eq!(
        play.done(),
        [
            "-set-a-0#0",
            "-set-a-1#0",
            "-set-b-0#0",
            "+set-a-0#1",
            "+set-a-1#1",
            "+set-b-0#1"
        ]
    );
    play.ready_all();
    assert_eq!(play.condition("RestartingJobSet"), "false JobsReady");
    play.fail("set-a-0");
    play.settle();
    assert_eq!(play.outcome, Some(Outcome::RestartLimit));
    assert_eq!(play.done(), ["-set-a-1#1", "-set-b-0#1"]);
    assert_eq!(play.condition("RestartingJobSet"), "false JobSetFailed");
}
