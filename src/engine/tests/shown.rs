//! Snapshots, explanations, and what nobody enforces.

use proptest::prelude::*;
use serde_json::json;

use crate::engine::testing::*;
use crate::engine::{EventKind, Observation, Options, StateWord};

#[test]
fn words_of_a_run() {
    let policy = json!({"failurePolicy": {"maxRestarts": 1}});
    let mut play = Play::new(jobset(&[("a", 1)], policy));
    let word = |play: &Play| play.engine.snapshot(play.now).state;
    assert_eq!(word(&play), StateWord::Pending);
    play = play.start();
    assert_eq!(word(&play), StateWord::Starting);
    play.ready_all();
    assert_eq!(word(&play), StateWord::Running);
    play.fail("set-a-0");
    play.settle();
    assert_eq!(word(&play), StateWord::Restarting);
    play.ready_all();
    assert_eq!(word(&play), StateWord::Running);
    let at = play.engine.snapshot(play.now);
    assert_eq!(
        (
            at.attempt,
            at.restarts,
            at.restarts_counted,
            at.max_restarts
        ),
        (1, 1, 1, Some(1))
    );
    play.complete("set-a-0");
    play.settle();
    assert_eq!(word(&play), StateWord::Completed);
}

/// A run without a driver: the record says nothing of readiness, the Jobs do.
#[test]
fn what_runs_without_a_driver_is_running() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({}))).start();
    let state = play.engine.state().clone();
    play.ready_all();
    let jobs: Vec<_> = play.jobs.values().cloned().collect();
    let mut shown = Play::with(jobset(&[("a", 2)], json!({})), state, Options::default());
    shown.see(Observation::JobsListed(jobs));
    shown.see(Observation::PodsListed(Vec::new()));
    assert_eq!(shown.engine.snapshot(shown.now).state, StateWord::Running);
}

#[test]
fn a_set_runs_although_a_role_waits_for_a_completion() {
    let set = jobset(&[("worker", 1), ("eval", 1)], json!({}));
    let mut play = Play::new(depends(set, "eval", &[("worker", "Complete")])).start();
    play.ready_all();
    let shown = play.engine.snapshot(play.now);
    assert_eq!(shown.state, StateWord::Running);
    assert_eq!(
        (shown.roles[1].waiting, shown.roles[1].waits_for.as_deref()),
        (1, Some("worker complete"))
    );
    let open = play.engine.roles_not_enforced();
    assert_eq!(
        open.waiting_roles,
        [("eval".to_owned(), "worker complete".to_owned())]
    );
    assert!(open.startup_order && !open.failure_policy);
}

#[test]
fn pending_pods_are_explained_once_and_merged() {
    let mut play = Play::new(jobset(&[("a", 3)], json!({}))).start();
    let why = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available: none.";
    for j in play.jobs.values().cloned().collect::<Vec<_>>() {
        let mut p = pod(&j, 0);
        p.waiting = Some(waiting("Unschedulable", why));
        play.see(Observation::Pod(p));
    }
    play.settle();
    assert!(
        play.kinds(|k| matches!(k, EventKind::PodPending { .. }))
            .is_empty(),
        "it may pass"
    );
    play.pass(5);
    play.settle();
    let said = play.kinds(|k| matches!(k, EventKind::PodPending { .. }));
    assert_eq!(said.len(), 1);
    assert!(matches!(said[0], EventKind::PodPending { message, .. }
        if message == "none of 3 nodes fits: 3 Insufficient nvidia.com/gpu"));
    let notes = &play.engine.snapshot(play.now).roles[0].notes;
    assert_eq!(
        (notes.len(), notes[0].and_more, &*notes[0].reason),
        (1, 2, "Unschedulable")
    );
}

#[test]
fn refused_pods_and_silence_are_explained() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({}))).start();
    for name in ["set-a-0", "set-a-1"] {
        play.update(name, |j| j.active = 0);
    }
    let at = play.now;
    play.see(Observation::Notice {
        object: "set-a-0".to_owned(),
        reason: "FailedCreate".to_owned(),
        message:
            "Error creating: pods \"set-a-0-0-\" is forbidden: exceeded quota: q, used: pods=2"
                .to_owned(),
        at,
    });
    play.settle();
    play.pass(31);
    play.settle();
    let said: Vec<_> = play
        .events
        .iter()
        .filter_map(|e| match &e.kind {
            EventKind::JobStuck {
                job,
                reason,
                message,
                ..
            } => Some((*job, &**reason, &**message)),
            _ => None,
        })
        .collect();
    assert_eq!(
        said[0],
        (0, "FailedCreate", "exceeded quota: q, used: pods=2")
    );
    assert_eq!((said[1].0, said[1].1, said.len()), (1, "NoPods", 2));
}

#[test]
fn a_pod_that_does_not_go_is_named_with_node_and_seconds() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({}))).start();
    let mut p = pod(&play.jobs["set-a-0"], 0);
    p.deleting = Some(deleting(play.now, 30));
    play.see(Observation::Pod(p.clone()));
    let step = play.engine.step(play.now);
    assert!(step.wake_at.is_some());
    play.pass(95);
    play.settle();
    let said = play.kinds(|k| matches!(k, EventKind::JobStuck { .. }));
    let expected = format!(
        "pod {} on node-1 is still terminating after 95s (grace 30s)",
        p.name
    );
    assert!(matches!(said[..], [EventKind::JobStuck { message, .. }] if *message == expected));
}

/// What may happen to one of the Jobs.
#[derive(Clone, Debug)]
enum Happening {
    Ready(usize),
    Complete(usize),
    Fail(usize),
    Suspend(usize),
    Gone(usize),
    Settle,
}

fn happening() -> impl Strategy<Value = Happening> {
    (0_usize..6, 0_u8..6).prop_map(|(at, what)| match what {
        0 => Happening::Ready(at),
        1 => Happening::Complete(at),
        2 => Happening::Fail(at),
        3 => Happening::Suspend(at),
        4 => Happening::Gone(at),
        _ => Happening::Settle,
    })
}

proptest! {
    /// cli.md 6.8, and: asked again with nothing new, the engine answers nothing.
    #[test]
    fn sums_always_add_up(happenings in proptest::collection::vec(happening(), 1..60)) {
        let set = jobset(&[("a", 2), ("b", 3), ("c", 1)], json!({"failurePolicy": {"maxRestarts": 4}}));
        let mut play = Play::new(depends(set, "c", &[("a", "Ready")])).start();
        for h in happenings {
            let name = |at: usize| play.jobs.keys().nth(at).cloned();
            match h {
                Happening::Ready(at) => if let Some(n) = name(at) { play.ready(&n) },
                Happening::Complete(at) => if let Some(n) = name(at) { play.complete(&n) },
                Happening::Fail(at) => if let Some(n) = name(at) { play.fail(&n) },
                Happening::Suspend(at) => if let Some(n) = name(at) {
                    play.update(&n, |j| j.suspend = !j.suspend);
                },
                Happening::Gone(at) => if let Some(n) = name(at) { play.gone(&n) },
                Happening::Settle => { play.settle(); }
            }
            for r in play.engine.snapshot(play.now).roles {
                let sum = r.ready + r.starting + r.failing + r.succeeded + r.failed + r.suspended + r.waiting;
                prop_assert_eq!(sum, r.replicas, "{:?}", r);
            }
        }
        play.settle();
        let again = play.engine.step(play.now);
        prop_assert!(again.write.is_none() && again.actions.is_empty() && again.events.is_empty());
        prop_assert!(play.engine.state().status.restarts <= 4);
    }
}
