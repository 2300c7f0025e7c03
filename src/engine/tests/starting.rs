//! First start and startup order.

use serde_json::{Value, json};

use crate::engine::input::ActionResult;
use crate::engine::testing::*;
use crate::engine::{EventKind, Observation, Outcome};

fn in_order() -> Value {
    json!({"startupPolicy": {"startupPolicyOrder": "InOrder"}})
}

#[test]
fn nothing_is_done_before_both_lists() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({})));
    play.see(Observation::JobsListed(Vec::new()));
    let step = play.engine.step(play.now);
    assert!(step.actions.is_empty());
    play.see(Observation::PodsListed(Vec::new()));
    assert!(!play.engine.step(play.now).actions.is_empty());
}

#[test]
fn the_service_comes_first_then_all_jobs_in_order_of_the_spec() {
    let play = Play::new(jobset(&[("a", 1), ("b", 2)], json!({}))).start();
    assert_eq!(
        play.done(),
        ["+service", "+set-a-0#0", "+set-b-0#0", "+set-b-1#0"]
    );
}

#[test]
fn no_service_without_host_names() {
    let set = jobset(
        &[("a", 1)],
        json!({"network": {"enableDNSHostnames": false}}),
    );
    assert_eq!(Play::new(set).start().done(), ["+set-a-0#0"]);
}

#[test]
fn a_lost_service_is_made_again() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({}))).start();
    play.see(Observation::Service { present: false });
    assert_eq!(play.settle().done(), ["+service"]);
}

#[test]
fn in_order_waits_for_ready_and_sets_its_conditions() {
    let mut play = Play::new(jobset(&[("a", 1), ("b", 2), ("c", 1)], in_order())).start();
    assert_eq!(play.done(), ["+service", "+set-a-0#0"]);
    assert_eq!(
        play.condition("StartupPolicyInProgress"),
        "true InOrderStartupPolicyInProgress"
    );
    play.ready("set-a-0");
    assert_eq!(play.settle().done(), ["+set-b-0#0", "+set-b-1#0"]);
    play.ready("set-b-0");
    assert!(play.settle().done().is_empty(), "b is not ready as a whole");
    // It may as well be quick (trap D.5.1, parity in-order-quick-finish).
    play.complete("set-b-1");
    assert_eq!(play.settle().done(), ["+set-c-0#0"]);
    assert_eq!(play.condition("StartupPolicyCompleted"), "");
    play.ready("set-c-0");
    play.settle();
    assert_eq!(
        play.condition("StartupPolicyCompleted"),
        "true InOrderStartupPolicyCompleted"
    );
    assert_eq!(
        play.condition("StartupPolicyInProgress"),
        "false InOrderStartupPolicyInProgress"
    );
}

#[test]
fn the_order_starts_again_with_a_restart() {
    let mut spec = in_order();
    spec["failurePolicy"] = json!({"maxRestarts": 1});
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], spec)).start();
    play.ready_all();
    play.ready_all();
    play.fail("set-b-0");
    assert_eq!(
        play.settle().done(),
        ["-set-a-0#0", "-set-b-0#0", "+set-a-0#1"]
    );
    assert_eq!(
        play.condition("StartupPolicyInProgress"),
        "true InOrderStartupPolicyInProgress"
    );
    assert_eq!(
        play.condition("StartupPolicyCompleted"),
        "false InOrderStartupPolicyCompleted"
    );
    play.ready("set-a-0");
    assert_eq!(play.settle().done(), ["+set-b-0#1"]);
    play.ready_all();
    assert_eq!(play.condition("RestartingJobSet"), "false JobsReady");
}

#[test]
fn a_chain_of_dependencies_and_empty_roles() {
    let set = jobset(
        &[("none", 0), ("init", 1), ("server", 1), ("client", 1)],
        json!({}),
    );
    let set = depends(set, "init", &[("none", "Complete"), ("none", "Ready")]);
    let set = depends(set, "server", &[("init", "Complete")]);
    let set = depends(set, "client", &[("init", "Complete"), ("server", "Ready")]);
    let mut play = Play::new(set).start();
    assert_eq!(play.done(), ["+service", "+set-init-0#0"]);
    play.ready("set-init-0");
    assert!(play.settle().done().is_empty());
    play.complete("set-init-0");
    assert_eq!(play.settle().done(), ["+set-server-0#0"]);
    play.ready("set-server-0");
    assert_eq!(play.settle().done(), ["+set-client-0#0"]);
    let waits: Vec<_> = play
        .events
        .iter()
        .filter_map(|e| match &e.kind {
            EventKind::RoleWaiting {
                role, waits_for, ..
            } => Some((&**role, &**waits_for)),
            _ => None,
        })
        .collect();
    assert_eq!(
        waits,
        [
            ("server", "init complete"),
            ("client", "init complete"),
            ("client", "server ready")
        ]
    );
}

#[test]
fn a_thousand_jobs_cost_a_handful_of_writes() {
    let mut play = Play::new(jobset(&[("a", 1000)], json!({}))).start();
    let mut writes = play.log.iter().filter(|l| *l == "!write").count();
    for index in 0..1000 {
        play.ready(&format!("set-a-{index}"));
        play.settle();
        writes += play.log.iter().filter(|l| *l == "!write").count();
    }
    assert!(writes <= 3, "{writes} writes");
    assert_eq!(
        play.kinds(|k| matches!(k, EventKind::RunRunning { .. }))
            .len(),
        1
    );
}

#[test]
fn a_refused_create_ends_a_first_start() {
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], json!({})));
    let refused = ActionResult::Refused {
        code: 422,
        reason: "Invalid".to_owned(),
        message: "spec.completions: required".to_owned(),
    };
    play.refuse.insert("set-b-0".to_owned(), refused);
    let play = play.start();
    assert_eq!(
        play.outcome,
        Some(Outcome::CouldNotStart {
            message: "job set-b-0 was refused: spec.completions: required".to_owned()
        })
    );
    assert_eq!(play.condition("Failed"), "true JobCreationFailed");
    assert_eq!(play.done(), ["+service", "+set-a-0#0", "-set-a-0#0"]);
}

fn forbidden() -> ActionResult {
    ActionResult::Refused {
        code: 403,
        reason: "Forbidden".to_owned(),
        message: "jobs.batch is forbidden: User \"ada\" cannot create resource \"jobs\"".to_owned(),
    }
}

/// A server that has just started knows no Roles yet: what was allowed a moment ago is asked again.
#[test]
fn a_right_that_is_missing_for_a_moment_does_not_end_a_first_start() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({})));
    play.refuse.insert("set-a-0".to_owned(), forbidden());
    let mut play = play.start();
    for _ in 0..5 {
        play.pass(8);
        play.settle();
    }
    assert_eq!(play.outcome, None);
    play.refuse.clear();
    play.pass(30);
    play.settle();
    assert_eq!(play.outcome, None);
    assert!(play.done().contains(&"+set-a-0#0"), "{:?}", play.done());
}

#[test]
fn a_right_that_stays_missing_ends_a_first_start() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({})));
    play.refuse.insert("set-a-0".to_owned(), forbidden());
    let mut play = play.start();
    for _ in 0..10 {
        play.pass(8);
        play.settle();
    }
    let outcome = play.outcome;
    assert!(
        matches!(&outcome, Some(Outcome::CouldNotStart { message }) if message.contains("cannot create")),
        "{outcome:?}"
    );
}

#[test]
fn a_quota_is_waited_for_and_said_once() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({})));
    let refused = ActionResult::Refused {
        code: 403,
        reason: "Forbidden".to_owned(),
        message: "jobs.batch \"set-a-0\" is forbidden: exceeded quota: q, used: 5".to_owned(),
    };
    play.refuse.insert("set-a-0".to_owned(), refused);
    let mut play = play.start();
    for _ in 0..5 {
        play.pass(40);
        play.settle();
    }
    let stuck = play.kinds(|k| matches!(k, EventKind::JobStuck { .. }));
    assert_eq!(stuck.len(), 1, "{stuck:?}");
    let notes = &play.engine.snapshot(play.now).roles[0].notes;
    assert_eq!((&*notes[0].target, &*notes[0].reason), ("a/0", "Quota"));
    play.refuse.clear();
    play.pass(40);
    assert_eq!(play.settle().done(), ["+set-a-0#0"]);
    assert_eq!(play.outcome, None);
}

#[test]
fn a_foreign_job_in_the_way_is_named_and_waited_for() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({})));
    let foreign = ActionResult::Exists {
        ours: false,
        uid: "other".to_owned(),
        deleting: false,
    };
    play.refuse.insert("set-a-0".to_owned(), foreign);
    let mut play = play.start();
    let step = play.engine.step(play.now);
    assert!(step.actions.is_empty() && step.wake_at.is_some());
    let warned =
        play.kinds(|k| matches!(k, EventKind::Warning { message } if message.contains("set-a-0")));
    assert_eq!(warned.len(), 1);
    play.refuse.clear();
    play.pass(2);
    assert_eq!(play.settle().done(), ["+set-a-0#0"]);
}
