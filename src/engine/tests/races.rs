//! Late, repeated and missing news: nothing is done twice (traps D.1, D.9).

use serde_json::json;

use crate::engine::input::{ActionResult, PodPhase};
use crate::engine::testing::*;
use crate::engine::{Action, Command, EventKind, Observation, Options};

/// A set of one Job whose create was handed out but not answered.
fn creating() -> (Play, crate::engine::ActionId) {
    let set = jobset(
        &[("a", 1)],
        json!({"network": {"enableDNSHostnames": false}}),
    );
    let mut play = Play::new(set);
    play.see(Observation::JobsListed(Vec::new()));
    play.see(Observation::PodsListed(Vec::new()));
    let step = play.engine.step(play.now);
    let id = step.actions[0].0;
    (play, id)
}

fn ok(uid: &str) -> ActionResult {
    ActionResult::Ok {
        uid: Some(uid.to_owned()),
    }
}

fn creates(play: &mut Play) -> usize {
    play.engine.step(play.now).actions.len()
}

#[test]
fn an_action_in_flight_is_not_repeated() {
    let (mut play, _) = creating();
    assert_eq!(creates(&mut play), 0);
}

#[test]
fn an_accepted_create_counts_whatever_an_old_list_says() {
    let (mut play, id) = creating();
    play.see(Observation::Done {
        id,
        result: ok("u1"),
    });
    play.see(Observation::JobsListed(Vec::new()));
    assert_eq!(creates(&mut play), 0);
    play.pass(5);
    play.see(Observation::Job(job("a", 0, 0, "u1")));
    play.pass(60);
    assert_eq!(creates(&mut play), 0);
}

#[test]
fn an_accepted_create_that_no_watch_ever_shows_is_made_again_in_the_end() {
    let (mut play, id) = creating();
    play.see(Observation::Done {
        id,
        result: ok("u1"),
    });
    play.see(Observation::JobsListed(Vec::new()));
    let wake = play.engine.step(play.now).wake_at.unwrap();
    play.now = wake;
    assert_eq!(creates(&mut play), 1);
}

#[test]
fn a_job_that_came_and_went_before_the_answer_is_not_revived() {
    let (mut play, id) = creating();
    play.see(Observation::Job(job("a", 0, 0, "u1")));
    play.see(Observation::JobGone {
        name: "set-a-0".to_owned(),
        uid: "u1".to_owned(),
    });
    assert_eq!(creates(&mut play), 0, "the answer is still out");
    play.see(Observation::Done {
        id,
        result: ok("u1"),
    });
    assert_eq!(creates(&mut play), 1);
}

#[test]
fn an_old_one_that_still_stands_is_waited_for() {
    let (mut play, id) = creating();
    let old = ActionResult::Exists {
        ours: false,
        uid: "u0".to_owned(),
        deleting: true,
    };
    play.see(Observation::Done { id, result: old });
    assert_eq!(creates(&mut play), 0);
    play.see(Observation::JobGone {
        name: "set-a-0".to_owned(),
        uid: "u0".to_owned(),
    });
    assert_eq!(creates(&mut play), 1, "at once when it is gone");
}

#[test]
fn an_unclear_create_that_had_worked_is_fine() {
    let (mut play, id) = creating();
    let there = ActionResult::Exists {
        ours: true,
        uid: "u1".to_owned(),
        deleting: false,
    };
    play.see(Observation::Done { id, result: there });
    assert_eq!(creates(&mut play), 0);
    play.see(Observation::Job(job("a", 0, 0, "u1")));
    assert_eq!(creates(&mut play), 0);
}

/// What hindered, or ended, the create of a Job that a restart has overtaken is no news of its successor.
#[test]
fn the_answer_to_a_create_of_the_past_hinders_nothing_of_now() {
    let refused = ActionResult::Refused {
        code: 403,
        reason: "Forbidden".to_owned(),
        message: "exceeded quota".to_owned(),
    };
    let foreign = ActionResult::Exists {
        ours: false,
        uid: "other".to_owned(),
        deleting: false,
    };
    for late in [refused, foreign, ActionResult::NotFound] {
        let policy = json!({
            "network": {"enableDNSHostnames": false},
            "failurePolicy": {"maxRestarts": 1},
        });
        let mut play = Play::new(jobset(&[("a", 2)], policy));
        play.see(Observation::JobsListed(Vec::new()));
        play.see(Observation::PodsListed(Vec::new()));
        let out = play.engine.step(play.now).actions;
        let made = ok("u0");
        play.see(Observation::Done {
            id: out[0].0,
            result: made,
        });
        play.jobs.insert("set-a-0".to_owned(), job("a", 0, 0, "u0"));
        play.fail("set-a-0");
        let step = play.engine.step(play.now);
        assert!(!play.perform(step), "the restart is written");
        play.see(Observation::Done {
            id: out[1].0,
            result: late.clone(),
        });
        play.settle();
        let mut done = play.done();
        done.sort_unstable();
        assert_eq!(done, ["+set-a-0#1", "+set-a-1#1", "-set-a-0#0"], "{late:?}");
        let warned =
            play.kinds(|k| matches!(k, EventKind::Warning { .. } | EventKind::JobStuck { .. }));
        assert!(warned.is_empty(), "{late:?}: {warned:?}");
    }
}

#[test]
fn late_news_about_a_job_that_is_gone_are_no_news() {
    let (mut play, id) = creating();
    play.see(Observation::Done {
        id,
        result: ok("u1"),
    });
    play.see(Observation::Job(job("a", 0, 0, "u1")));
    play.see(Observation::JobGone {
        name: "set-a-0".to_owned(),
        uid: "u1".to_owned(),
    });
    assert_eq!(creates(&mut play), 1);
    play.see(Observation::Job(job("a", 0, 0, "u1")));
    let snapshot = play.engine.snapshot(play.now);
    assert_eq!(snapshot.roles[0].starting, 1);
    assert_eq!(play.engine.jobs().count(), 0);
}

#[test]
fn a_job_deleted_by_someone_is_made_again_with_the_same_attempt() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({}))).start();
    play.ready_all();
    play.gone("set-a-0");
    assert_eq!(play.settle().done(), ["+set-a-0#0"]);
    let deleted = play.kinds(|k| {
        matches!(
            k,
            EventKind::JobDeleted {
                by_someone: true,
                job: 0,
                ..
            }
        )
    });
    assert_eq!(deleted.len(), 1);
    assert_eq!(play.engine.state().status.restarts, 0);
}

#[test]
fn a_list_without_a_job_says_that_it_is_gone() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({}))).start();
    let left = play.jobs["set-a-1"].clone();
    play.jobs.remove("set-a-0");
    play.see(Observation::JobsListed(vec![left]));
    assert_eq!(play.settle().done(), ["+set-a-0#0"]);
}

#[test]
fn orphaned_pods_are_waited_for_while_they_run_and_forgotten_when_ended() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({}))).start();
    let mut p = pod(&play.jobs["set-a-0"], 0);
    p.phase = PodPhase::Running;
    play.see(Observation::Pod(p.clone()));
    play.gone("set-a-0");
    assert!(play.settle().done().is_empty());
    play.pass(30);
    assert!(play.settle().done().is_empty());
    let said =
        play.kinds(|k| matches!(k, EventKind::JobStuck { reason, .. } if reason == "Orphaned"));
    assert_eq!(said.len(), 1);
    p.phase = PodPhase::Failed;
    play.see(Observation::Pod(p));
    play.pass(30);
    assert_eq!(play.settle().done(), ["+set-a-0#0"]);
}

#[test]
fn a_crash_between_count_and_delete_loses_no_restart_and_counts_none_twice() {
    let policy = json!({"failurePolicy": {"maxRestarts": 5}});
    let mut play = Play::new(jobset(&[("a", 2)], policy)).start();
    play.fail("set-a-0");
    let step = play.engine.step(play.now);
    assert!(
        step.actions
            .iter()
            .all(|(_, a)| !matches!(a, crate::engine::Action::DeleteJob { .. }))
    );
    // Not written: the next driver counts it. Written: it only carries it out.
    let before = play.engine.state().clone();
    for written in [false, true] {
        let state = if written {
            before.clone()
        } else {
            let mut s = before.clone();
            s.status.restarts = 0;
            s.status.restarts_count_towards_max = 0;
            s.status.conditions.clear();
            s.attempts.truncate(1);
            s.attempts[0].ended = None;
            s
        };
        let mut next = Play::with(play.engine.jobset().clone(), state, Options::default());
        next.jobs = play.jobs.clone();
        let next = next.start();
        assert_eq!(next.engine.state().status.restarts, 1, "{written}");
        assert_eq!(
            next.done(),
            [
                "+service",
                "-set-a-0#0",
                "-set-a-1#0",
                "+set-a-0#1",
                "+set-a-1#1"
            ],
            "{written}"
        );
    }
}

#[test]
fn attaching_to_a_half_created_attempt_finishes_it() {
    let policy = json!({"failurePolicy": {"maxRestarts": 5}});
    let mut play = Play::new(jobset(&[("a", 3)], policy)).start();
    play.fail("set-a-0");
    play.settle();
    let (set, state) = (play.engine.jobset().clone(), play.engine.state().clone());
    let mut next = Play::with(set, state, Options::default());
    next.jobs = play.jobs.clone();
    next.jobs.remove("set-a-1");
    let next = next.start();
    assert_eq!(next.done(), ["+service", "+set-a-1#1"]);
    assert_eq!(next.engine.state().status.restarts, 1);
}

#[test]
fn facts_from_before_attaching_are_not_live() {
    let mut play = Play::new(jobset(&[("a", 2)], json!({}))).start();
    play.complete("set-a-0");
    let (set, state) = (play.engine.jobset().clone(), play.engine.state().clone());
    let mut next = Play::with(set, state, Options::default());
    next.jobs = play.jobs.clone();
    let mut next = next.start();
    assert!(
        next.kinds(|k| matches!(
            k,
            EventKind::RunCreated { .. } | EventKind::JobCreated { .. }
        ))
        .is_empty()
    );
    let of = |play: &Play, wanted: &str| {
        let found = play.events.iter().find(
            |e| matches!(&e.kind, EventKind::JobSucceeded { job, .. } if job.to_string() == wanted),
        );
        found.map(|e| e.live)
    };
    assert_eq!(of(&next, "0"), Some(false));
    next.complete("set-a-1");
    next.settle();
    assert_eq!(of(&next, "1"), Some(true));
}

#[test]
fn a_pod_replaced_without_a_failure_is_counted_c01() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({}))).start();
    let first = pod(&play.jobs["set-a-0"], 0);
    play.see(Observation::Pod(first.clone()));
    play.see(Observation::PodGone {
        name: first.name.clone(),
        uid: first.uid.clone(),
    });
    let mut second = first;
    second.uid = "another".to_owned();
    play.see(Observation::Pod(second.clone()));
    play.see(Observation::Pod(second));
    play.settle();
    assert_eq!(play.engine.state().pods_replaced, 1);
    assert_eq!(play.engine.snapshot(play.now).pods_replaced, 1);
}

/// Asks for one command and plays steps until nothing is asked for; whether each was a suspend.
fn asked(play: &mut Play, command: Command) -> Vec<(crate::engine::ActionId, bool)> {
    play.engine.command(command, play.now);
    let mut asked = Vec::new();
    for _ in 0..5 {
        let step = play.engine.step(play.now);
        if let Some(write) = step.write {
            let version = write.version;
            play.see(Observation::Written { version });
        }
        let suspend = |a: &Action| matches!(a, Action::SuspendJob { .. });
        asked.extend(step.actions.iter().map(|(id, a)| (*id, suspend(a))));
    }
    asked
}

fn patched(play: &mut Play, id: crate::engine::ActionId) {
    let result = ActionResult::Ok { uid: None };
    play.see(Observation::Done { id, result });
}

#[test]
fn a_suspend_that_is_answered_after_the_resume_is_resumed() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({}))).start();
    let suspend = asked(&mut play, Command::Suspend);
    assert!(matches!(suspend[..], [(_, true)]));
    assert!(
        asked(&mut play, Command::Resume).is_empty(),
        "one call at a time"
    );
    assert_eq!(play.condition("Suspended"), "true SuspendedJobs");
    patched(&mut play, suspend[0].0);
    let resume = play.engine.step(play.now).actions;
    assert!(matches!(resume[..], [(_, Action::ResumeJob { .. })]));
    patched(&mut play, resume[0].0);
    play.settle();
    assert_eq!(play.condition("Suspended"), "false ResumeJobs");
}

/// No watch for a minute: the Job that we have suspended is still ours to resume, when its turn comes.
#[test]
fn a_suspension_that_no_watch_shows_is_not_forgotten() {
    let order = json!({"startupPolicy": {"startupPolicyOrder": "InOrder"}});
    let mut play = Play::new(jobset(&[("a", 1), ("b", 1)], order)).start();
    play.ready("set-a-0");
    play.settle();
    play.ready("set-b-0");
    play.settle();
    for (id, _) in asked(&mut play, Command::Suspend) {
        patched(&mut play, id);
    }
    let first = asked(&mut play, Command::Resume);
    assert!(matches!(first[..], [(_, false)]), "a only");
    patched(&mut play, first[0].0);
    let waits = |play: &mut Play| {
        play.pass(5);
        play.engine.step(play.now).actions.is_empty()
    };
    for _ in 0..1 {
        assert!(
            waits(&mut play),
            "a was suspended: it is not ready any more"
        );
    }
    assert_eq!(play.condition("Suspended"), "true SuspendedJobs");
    let mut shown = play.jobs["set-a-0"].clone();
    for suspend in [true, false] {
        (shown.suspend, shown.ready) = (suspend, 0);
        play.see(Observation::Job(shown.clone()));
        assert!(play.engine.step(play.now).actions.is_empty());
    }
    play.pass(60);
    assert!(waits(&mut play));
    shown.ready = 1;
    play.see(Observation::Job(shown));
    let second = play.engine.step(play.now).actions;
    assert!(
        matches!(&second[..], [(_, Action::ResumeJob { name, .. })] if name == "set-b-0"),
        "{second:?}"
    );
}

#[test]
fn a_resume_counts_although_no_watch_has_shown_the_suspension() {
    let mut play = Play::new(jobset(&[("a", 1)], json!({}))).start();
    let mut shown = play.jobs["set-a-0"].clone();
    let mut asked = Vec::new();
    for command in [Command::Suspend, Command::Resume] {
        play.engine.command(command, play.now);
        for _ in 0..5 {
            let step = play.engine.step(play.now);
            if let Some(write) = step.write {
                let version = write.version;
                play.see(Observation::Written { version });
            }
            for (id, action) in step.actions {
                asked.push(matches!(action, Action::SuspendJob { .. }));
                let result = ActionResult::Ok { uid: None };
                play.see(Observation::Done { id, result });
            }
        }
    }
    assert_eq!(asked, [true, false], "each is asked for once");
    assert_eq!(play.condition("Suspended"), "false ResumeJobs");
    // The late news change nothing.
    for suspend in [true, false] {
        shown.suspend = suspend;
        play.see(Observation::Job(shown.clone()));
        assert!(play.settle().done().is_empty());
    }
}
