//! Failure policy carried out: counting, recreation, the first failure.

use serde_json::{Value, json};

use crate::engine::input::PodPhase;
use crate::engine::testing::*;
use crate::engine::{EventKind, FailAt, Observation, Options, Outcome, RunState};

fn limit(n: u32) -> Value {
    json!({"failurePolicy": {"maxRestarts": n}})
}

fn rule(n: u32, action: &str) -> Value {
    json!({"failurePolicy": {"maxRestarts": n, "rules": [{"name": "r", "action": action}]}})
}

#[test]
fn one_restart_for_all_that_failed_together() {
    let mut play = Play::new(jobset(&[("a", 2), ("b", 1)], limit(1))).start();
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

#[test]
fn a_failure_is_counted_once_at_failure_target_and_failed() {
    let mut play = Play::new(jobset(&[("a", 1)], limit(3))).start();
    play.lingering = true;
    play.fail("set-a-0");
    assert_eq!(play.settle().done(), ["-set-a-0#0"]);
    let at = play.now;
    play.update("set-a-0", |j| {
        j.failed_condition = Some(ended(at, "BackoffLimitExceeded", ""))
    });
    assert!(play.settle().done().is_empty());
    play.gone("set-a-0");
    assert_eq!(play.settle().done(), ["+set-a-0#1"]);
    assert_eq!(play.engine.state().status.restarts, 1);
}

#[test]
fn upstreams_timing_by_the_switch() {
    let options = Options {
        fail_at: FailAt::Failed,
        ..Options::default()
    };
    let mut play = Play::with(jobset(&[("a", 1)], limit(1)), RunState::default(), options).start();
    play.fail("set-a-0");
    assert!(play.settle().done().is_empty());
    let at = play.now;
    play.update("set-a-0", |j| {
        j.failed_condition = Some(ended(at, "BackoffLimitExceeded", ""))
    });
    assert_eq!(play.settle().done(), ["-set-a-0#0", "+set-a-0#1"]);
}

#[test]
fn restart_job_counts_per_job_and_in_the_common_limit_d4_3() {
    let mut play = Play::new(jobset(&[("a", 2), ("b", 1)], rule(2, "RestartJob"))).start();
    play.ready_all();
    play.fail("set-a-1");
    assert_eq!(play.settle().done(), ["-set-a-1#0", "+set-a-1#0.1"]);
    let status = &play.engine.state().status;
    assert_eq!(status.restarts, 0);
    assert_eq!(status.replicated_jobs_status[0].job_restarts, [0, 1]);
    assert_eq!(
        status.replicated_jobs_status[0].job_restarts_count_towards_max,
        [0, 1]
    );
    assert_eq!(
        play.condition("RestartingJobSet"),
        "",
        "not for one Job (spec 12)"
    );
    play.fail("set-b-0");
    play.settle();
    play.fail("set-a-1");
    play.settle();
    assert_eq!(play.outcome, Some(Outcome::RestartLimit));
    assert_eq!(play.done(), ["-set-a-0#0", "-set-b-0#0"]);
}

#[test]
fn restart_job_handles_one_job_per_pass_and_the_limit_may_hit_in_between_d4_7() {
    let mut play = Play::new(jobset(&[("a", 3)], rule(2, "RestartJob"))).start();
    for name in ["set-a-0", "set-a-1", "set-a-2"] {
        play.fail(name);
    }
    play.settle();
    assert_eq!(play.outcome, Some(Outcome::RestartLimit));
    let status = &play.engine.state().status;
    assert_eq!(status.replicated_jobs_status[0].job_restarts, [1, 1, 0]);
    assert!(
        status.conditions[0]
            .message
            .ends_with("(first failed job: set-a-2)")
    );
}

#[test]
fn ignored_restarts_of_a_job_leave_no_count() {
    let set = jobset(&[("a", 2)], rule(0, "RestartJobAndIgnoreMaxRestarts"));
    let mut play = Play::new(set).start();
    play.fail("set-a-0");
    assert_eq!(play.settle().done(), ["-set-a-0#0", "+set-a-0#0.1"]);
    let status = &play.engine.state().status.replicated_jobs_status[0];
    assert_eq!(status.job_restarts, [1, 0]);
    assert!(status.job_restarts_count_towards_max.is_empty());
}

#[test]
fn a_set_restart_keeps_the_restarts_of_single_jobs_d4_4() {
    let set = jobset(
        &[("a", 1), ("b", 1)],
        json!({"failurePolicy": {"maxRestarts": 3, "rules": [
            {"name": "r", "action": "RestartJob", "targetReplicatedJobs": ["a"]}]}}),
    );
    let mut play = Play::new(set).start();
    play.fail("set-a-0");
    play.settle();
    play.fail("set-b-0");
    assert_eq!(
        play.settle().done(),
        ["-set-a-0#0", "-set-b-0#0", "+set-a-0#1.1", "+set-b-0#1"]
    );
}

#[test]
fn recreate_goes_job_by_job_and_blocking_waits_for_all() {
    for (strategy, early) in [
        ("Recreate", vec!["+set-a-0#1"]),
        ("BlockingRecreate", vec![]),
    ] {
        let set = jobset(
            &[("a", 2)],
            json!({"failurePolicy": {"maxRestarts": 1, "restartStrategy": strategy}}),
        );
        let mut play = Play::new(set).start();
        let pods: Vec<_> = play.jobs.values().map(|j| pod(j, 0)).collect();
        for p in &pods {
            play.see(Observation::Pod(p.clone()));
        }
        play.lingering = true;
        play.fail("set-a-0");
        play.settle();
        // The Job of index 0 is gone in our view, but not its pod.
        play.gone("set-a-0");
        assert!(play.settle().done().is_empty(), "{strategy}");
        play.see(Observation::PodGone {
            name: pods[0].name.clone(),
            uid: pods[0].uid.clone(),
        });
        assert_eq!(play.settle().done(), early, "{strategy}");
        play.gone("set-a-1");
        assert!(play.settle().done().is_empty(), "{strategy}");
        play.see(Observation::PodGone {
            name: pods[1].name.clone(),
            uid: pods[1].uid.clone(),
        });
        let all = ["+set-a-0#1", "+set-a-1#1"];
        assert_eq!(play.settle().done(), all[early.len()..], "{strategy}");
    }
}

#[test]
fn the_first_failure_names_the_pod_and_who_fell_after() {
    let mut play = Play::new(jobset(&[("a", 2), ("b", 1)], limit(0))).start();
    play.ready_all();
    let began = play.now;
    play.pass(100);
    let at = |s: i64| k8s_openapi::jiff::Timestamp::from_second(began.as_second() + s).unwrap();
    let mut fallen = |name: &str, code: i32, s: i64, reason: &str| {
        let mut p = pod(&play.jobs[name], 0);
        p.phase = PodPhase::Failed;
        p.ends = vec![end(code, at(s))];
        p.ends[0].reason = Some(reason.to_owned());
        play.engine.observe(Observation::Pod(p), play.now);
    };
    // b goes first, by memory; a-0 loses its peer and is the Job that is Failed; a-1 follows.
    fallen("set-b-0", 137, 60, "OOMKilled");
    fallen("set-a-0", 1, 61, "Error");
    fallen("set-a-1", 1, 62, "Error");
    play.fail("set-a-0");
    play.settle();
    let f = play.engine.state().first_failure.clone().unwrap();
    assert_eq!((&*f.role, f.job, &*f.job_name), ("b", 0, "set-b-0"));
    assert_eq!(
        (f.exit_code, f.signal, f.how.as_deref()),
        (Some(137), Some(9), Some("OOMKilled"))
    );
    assert_eq!(
        (f.memory_limit.as_deref(), f.into_attempt_s, f.fell_after),
        (Some("64Gi"), Some(60), 2)
    );
    assert_eq!(
        (f.node.as_deref(), f.container.as_deref()),
        (Some("node-1"), Some("main"))
    );
    assert_eq!(f.last_lines, ["last words"]);
    assert_eq!(f.reason, "BackoffLimitExceeded");
    assert_eq!(play.engine.state().attempts[0].evidence.len(), 3);
    let finished = play.events.iter().any(
        |e| matches!(&e.kind, EventKind::RunFinished { first_failure: Some(x), .. } if **x == f),
    );
    assert!(finished);
}

#[test]
fn a_pod_that_failed_long_before_in_another_job_is_not_blamed() {
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], limit(0))).start();
    let t = |s: i64| k8s_openapi::jiff::Timestamp::from_second(t0().as_second() + s).unwrap();
    let mut old = pod(&play.jobs["set-b-0"], 0);
    old.phase = PodPhase::Running;
    old.ends = vec![end(1, t(10))];
    old.ends[0].restarted = true;
    play.see(Observation::Pod(old));
    play.pass(600);
    let mut p = pod(&play.jobs["set-a-0"], 0);
    p.phase = PodPhase::Failed;
    p.ends = vec![end(3, t(590))];
    play.see(Observation::Pod(p));
    play.fail("set-a-0");
    play.settle();
    let f = play.engine.state().first_failure.clone().unwrap();
    assert_eq!((&*f.role, f.exit_code, f.fell_after), ("a", Some(3), 0));
}

#[test]
fn news_after_the_decision_still_complete_the_record() {
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], limit(1))).start();
    play.lingering = true;
    let old: Vec<_> = play.jobs.values().cloned().collect();
    play.fail("set-a-0");
    play.settle();
    assert_eq!(
        play.engine.state().attempts[0].cause.as_ref().unwrap().pod,
        None
    );
    let mut p = pod(&old[0], 0);
    (p.phase, p.ends) = (PodPhase::Failed, vec![end(9, play.now)]);
    play.see(Observation::Pod(p.clone()));
    let mut q = pod(&old[1], 0);
    (q.phase, q.ends) = (PodPhase::Failed, vec![end(1, play.now)]);
    play.see(Observation::Pod(q));
    // Killed by our deletion: no victim of the failure.
    let mut r = pod(&old[1], 1);
    (r.phase, r.ends) = (PodPhase::Failed, vec![end(143, play.now)]);
    r.deleting = Some(deleting(play.now, 30));
    play.see(Observation::Pod(r));
    play.settle();
    let cause = play.engine.state().attempts[0].cause.clone().unwrap();
    assert_eq!(
        (cause.pod, cause.exit_code, cause.fell_after),
        (Some(p.name), Some(9), 1)
    );
}

#[test]
fn a_delete_waits_for_last_words_but_not_for_ever() {
    let mut play = Play::new(jobset(&[("a", 2)], limit(1))).start();
    let mut p = pod(&play.jobs["set-a-0"], 0);
    (p.phase, p.ends) = (PodPhase::Failed, vec![end(1, play.now)]);
    play.see(Observation::Pod(p));
    play.fail("set-a-0");
    let step = play.engine.step(play.now);
    let crate::engine::Action::KeepEvidence { lines, .. } = &step.actions[0].1 else {
        panic!("{:?}", step.actions)
    };
    assert_eq!(*lines, 20);
    let version = step.write.unwrap().version;
    play.see(Observation::Written { version });
    let step = play.engine.step(play.now);
    let names: Vec<_> = step.actions.iter().map(|(_, a)| a.clone()).collect();
    assert_eq!(names.len(), 1, "only the other Job goes at once: {names:?}");
    assert_eq!(
        step.wake_at,
        play.now.checked_add(Options::default().evidence_wait).ok()
    );
    play.perform(step);
    play.pass(3);
    assert_eq!(play.settle().done(), ["-set-a-0#0", "+set-a-1#1"]);
}

#[test]
fn evidence_is_bounded_per_attempt_and_first_come() {
    let mut play = Play::new(jobset(&[("a", 20)], json!({}))).start();
    for name in play.jobs.keys().cloned().collect::<Vec<_>>() {
        let mut p = pod(&play.jobs[&name], 0);
        (p.phase, p.ends) = (PodPhase::Running, vec![end(1, play.now)]);
        p.ends[0].restarted = true;
        play.see(Observation::Pod(p));
    }
    play.settle();
    let asked = play.actions.iter().filter(|a| {
        matches!(
            a,
            crate::engine::Action::KeepEvidence { previous: true, .. }
        )
    });
    assert_eq!(asked.count(), crate::engine::state::EVIDENCE_PER_ATTEMPT);
}
