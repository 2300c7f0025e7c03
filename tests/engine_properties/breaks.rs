//! Deliberate breaks of an engine's answers: each invariant must see the one that it is there for.

use kubectl_jobset::api::JobSet;
use kubectl_jobset::engine::action::Action;
use kubectl_jobset::engine::{
    ActionId, EventKind, FailAt, Observation, Outcome, RoleSnapshot, RunState, Step,
};
use kubectl_jobset::manifest::defaults;
use serde_json::json;

use crate::invariants::{Checker, NAMES, sums};
use crate::random::{Op, PodOp};
use crate::support::sim::{Happened, Stepped};
use crate::trial::{Trial, trial};

/// Breaks one of an engine's answers.
pub(crate) type Sabotage = fn(&mut Step);

/// What is broken, and the invariant that must see it.
const BREAKS: &[(&str, &str, Sabotage)] = &[
    (
        "the last role is created at once",
        "startup order",
        |step| {
            let create =
                |a: &&mut (ActionId, Action)| matches!(a.1, Action::CreateJob { role: 0, .. });
            let first = step.actions.iter_mut().find(create);
            if let Some((_, Action::CreateJob { role, .. })) = first {
                *role = 2;
            }
        },
    ),
    ("a create is sent twice", "one Job of a name", |step| {
        let create = step
            .actions
            .iter()
            .rfind(|(_, a)| matches!(a, Action::CreateJob { .. }))
            .cloned();
        step.actions
            .extend(create.map(|(ActionId(n), a)| (ActionId(n + 1_000_000), a)));
    }),
    (
        "a Job is created as soon as its old one is asked to go",
        "one Job of a name",
        |step| {
            if step
                .actions
                .iter()
                .any(|(_, a)| matches!(a, Action::DeleteJob { .. }))
            {
                let create = Action::CreateJob {
                    role: 0,
                    index: 0,
                    restarts: 1,
                    job_restarts: 0,
                    suspend: false,
                };
                step.actions.push((ActionId(1_000_000), create));
            }
        },
    ),
    (
        "an attempt is made that nobody has written",
        "written before it is acted on",
        |step| {
            for (_, action) in &mut step.actions {
                if let Action::CreateJob { restarts, .. } = action {
                    *restarts += 1;
                }
            }
        },
    ),
    (
        "a restart is told as two",
        "restarts as the model counts them",
        |step| {
            for event in &mut step.events {
                if let EventKind::PolicyDecided { restarts, .. } = &mut event.kind {
                    *restarts += 1;
                }
            }
        },
    ),
    (
        "a decision is not told",
        "restarts as the model counts them",
        |step| {
            step.events
                .retain(|e| !matches!(e.kind, EventKind::PolicyDecided { .. }));
        },
    ),
    (
        "a Job is deleted for no reason",
        "deletes have a reason",
        |step| {
            if let Some((_, action)) = step
                .actions
                .iter_mut()
                .find(|(_, a)| matches!(a, Action::CreateJob { .. }))
            {
                *action = Action::DeleteJob {
                    name: "x-a-0".to_owned(),
                    uid: "job-1".to_owned(),
                    restart_attempt: 0,
                };
            }
        },
    ),
    (
        "it ends again and again",
        "nothing after the outcome",
        |step| {
            step.outcome = Some(Outcome::Completed);
        },
    ),
    (
        "an event's number is used again",
        "events are numbered",
        |step| {
            for event in &mut step.events {
                event.seq = event.seq.saturating_sub(1);
            }
        },
    ),
    (
        "an action's number is used again",
        "actions are numbered",
        |step| {
            for (id, _) in &mut step.actions {
                *id = ActionId(1);
            }
        },
    ),
    (
        "success is declared too early",
        "success as the model sees it",
        |step| {
            for event in &mut step.events {
                if matches!(event.kind, EventKind::JobCreated { .. }) {
                    event.kind = EventKind::SuccessDecided {
                        operator: "All".to_owned(),
                        stopped: 0,
                    };
                }
            }
        },
    ),
    (
        "the write that a restart waits for is forgotten",
        "it does not end",
        |step| step.write = None,
    ),
];

/// A set for the breaks: in order, blocking, two Jobs of the first role.
fn set_to_break() -> JobSet {
    let spec = json!({
        "parallelism": 1, "completions": 1, "backoffLimit": 0,
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]}},
    });
    let role = |name: &str, replicas: u32| json!({"name": name, "replicas": replicas, "template": {"spec": spec}});
    let value = json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "x"},
        "spec": {
            "replicatedJobs": [role("a", 2), role("b", 1), role("c", 1)],
            "startupPolicy": {"startupPolicyOrder": "InOrder"},
            "failurePolicy": {"maxRestarts": 1, "restartStrategy": "BlockingRecreate"},
        },
    });
    let mut jobset: JobSet = serde_json::from_value(value).unwrap();
    defaults(&mut jobset);
    jobset
}

fn ops_to_break() -> Vec<Op> {
    let ready = [
        Op::Settle,
        Op::AllReady,
        Op::Settle,
        Op::AllReady,
        Op::Settle,
        Op::AllReady,
        Op::Settle,
    ];
    let fail = [
        Op::Terminate(10_000),
        Op::Pod(0, PodOp::Failed(1)),
        Op::Settle,
        Op::Wait(20_000),
    ];
    ready.iter().chain(&fail).chain(&ready).cloned().collect()
}

/// Every invariant sees the break that it is there for; unbroken, the same run passes.
#[test]
fn deliberate_breaks_are_seen() {
    let (jobset, ops) = (set_to_break(), ops_to_break());
    trial(&jobset, FailAt::FailureTarget, &ops, None).unwrap();
    for (what, name, sabotage) in BREAKS {
        let found = std::panic::catch_unwind(|| {
            trial(&jobset, FailAt::FailureTarget, &ops, Some(*sabotage))
        });
        let found =
            found.unwrap_or_else(|_| panic!("{what}: the world broke before a check saw it"));
        let found = found.expect_err(&format!("{what}: nothing saw it"));
        assert!(
            found.contains(name),
            "{what}: `{name}` should have seen it, but: {found}"
        );
    }
}

/// A checker that has seen a driver attach with that state.
fn checker(state: &RunState) -> Checker {
    let mut checker = Checker::new(&set_to_break(), FailAt::FailureTarget);
    checker
        .follow(vec![Happened::Attached(Box::new(state.clone()))])
        .unwrap();
    checker
}

fn stepped(step: Step, state: &RunState) -> Happened {
    Happened::Stepped(Box::new(Stepped {
        step,
        state: state.clone(),
        suspended: false,
    }))
}

/// The invariants that no broken step reaches are broken directly, so that all of them are shown.
#[test]
fn every_invariant_is_shown_to_see_something() {
    let mut shown: Vec<&str> = BREAKS.iter().map(|(_, name, _)| *name).collect();
    let mut show = |name: &'static str, held: Result<(), String>| {
        assert!(held.unwrap_err().starts_with(name), "{name}");
        shown.push(name);
    };
    let mut calm = Trial::new(&set_to_break(), FailAt::FailureTarget, None);
    calm.sim.attach();
    calm.sim.settle();
    let sim = &calm.sim;

    let mut snapshot = sim.engine.as_ref().unwrap().snapshot(sim.world.now);
    sums(&snapshot).unwrap();
    snapshot.roles[0] = RoleSnapshot {
        ready: 9,
        ..snapshot.roles[0].clone()
    };
    show("snapshot sums add up", sums(&snapshot));

    let mut state = RunState::default();
    state.status.restarts = 1;
    let create = |index| Action::CreateJob {
        role: 0,
        index,
        restarts: 1,
        job_restarts: 0,
        suspend: false,
    };
    let step = |action| Step {
        actions: vec![(ActionId(1), action)],
        ..Step::default()
    };
    let old = sim
        .world
        .pods
        .values()
        .find(|p| p.index == Some(0))
        .unwrap()
        .seen();
    let told = || Happened::Told(Box::new(Observation::Pod(old.clone())));
    let same_name = vec![told(), stepped(step(create(old.job_index)), &state)];
    show(
        "no creation over old pods",
        checker(&state).follow(same_name),
    );
    let other_name = vec![told(), stepped(step(create(1 - old.job_index)), &state)];
    show(
        "no overlap under BlockingRecreate",
        checker(&state).follow(other_name),
    );

    state.status.restarts_count_towards_max = 2;
    show(
        "restarts within the limit",
        checker(&state).follow(vec![stepped(Step::default(), &state)]),
    );

    for name in NAMES {
        assert!(shown.contains(name), "nothing shows that `{name}` can fail");
    }
}
