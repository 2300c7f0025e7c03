use super::*;
use crate::api::JobSetStatus;
use crate::engine::state::{Attempt, Evidence};
use crate::logs::select::Containers;

fn container(name: &str, state: State, instance: u32, last: Option<i32>) -> ContainerNow {
    ContainerNow {
        name: name.to_owned(),
        state,
        instance,
        last_exit: last,
        over: false,
    }
}

fn running() -> ContainerNow {
    container("main", State::Running, 0, None)
}

/// A pod of worker: Job, index, attempt, letter of its name (a later letter is younger).
fn pod(job: u32, index: u32, attempt: u32, letter: char, containers: &[ContainerNow]) -> PodNow {
    PodNow {
        name: format!("train-worker-{job}-{index}-{letter}"),
        uid: format!("{job}{index}{attempt}{letter}"),
        role: "worker".to_owned(),
        job,
        job_name: format!("train-worker-{job}"),
        index: Some(index),
        attempt,
        containers: containers.to_vec(),
        default_container: "main".to_owned(),
        ..PodNow::default()
    }
}

fn state(restarts: u32, evidence: &[(u32, u32, u32, &str)]) -> RunState {
    RunState {
        status: JobSetStatus {
            restarts,
            ..JobSetStatus::default()
        },
        attempts: (0..=restarts)
            .map(|number| Attempt {
                number,
                evidence: evidence
                    .iter()
                    .filter(|(attempt, ..)| *attempt == number)
                    .map(|(_, job, index, uid)| Evidence {
                        role: "worker".to_owned(),
                        job: *job,
                        index: Some(*index),
                        pod: format!("train-worker-{job}-{index}-{uid}"),
                        pod_uid: (*uid).to_owned(),
                        container: "main".to_owned(),
                        exit_code: 1,
                        lines: vec!["last words".to_owned()],
                        ..Evidence::default()
                    })
                    .collect(),
                ..Attempt::default()
            })
            .collect(),
        ..RunState::default()
    }
}

fn select(attempts: Attempts, failed: bool) -> Selection {
    Selection {
        attempts,
        failed,
        ..Selection::default()
    }
}

/// `pod name [previous]` of each pick, and `kept UID` of what was kept.
fn shown(plan: &Plan) -> Vec<String> {
    let kept = plan.kept.iter().map(|k| format!("kept {}", k.pod_uid));
    let picks = plan.picks.iter().map(|p| {
        let previous = if p.previous { " previous" } else { "" };
        format!("{}{previous}", p.from.pod)
    });
    kept.chain(picks).collect()
}

#[test]
fn current_is_the_newest_pod_of_each_index() {
    let ended = container("main", State::Ended(1), 0, None);
    let mut dying = pod(0, 1, 0, 'c', &[running()]);
    dying.deleting = true;
    let pods = [
        pod(0, 0, 0, 'a', &[ended]),
        pod(0, 0, 0, 'b', &[running()]),
        // The younger one is being deleted: the one that stays wins.
        dying,
        pod(0, 1, 0, 'b', &[running()]),
    ];
    let plan = plan(
        &select(Attempts::Current, false),
        &pods,
        &state(0, &[]),
        "train",
        None,
    );
    assert_eq!(shown(&plan), ["train-worker-0-0-b", "train-worker-0-1-b"]);
    assert!(plan.skipped.contains("000a"));
}

#[test]
fn pods_of_an_attempt_that_is_going_away_are_not_current() {
    let pods = [pod(0, 0, 0, 'a', &[running()])];
    let plan = plan(
        &select(Attempts::Current, false),
        &pods,
        &state(1, &[]),
        "train",
        None,
    );
    assert_eq!(shown(&plan), Vec::<String>::new());
}

#[test]
fn a_job_that_was_restarted_by_itself_is_newer() {
    let mut again = pod(0, 0, 0, 'a', &[running()]);
    again.job_restarts = 1;
    let pods = [again, pod(0, 0, 0, 'z', &[running()])];
    let plan = plan(
        &select(Attempts::Current, false),
        &pods,
        &state(0, &[]),
        "train",
        None,
    );
    assert_eq!(shown(&plan), ["train-worker-0-0-a"]);
}

/// The Job controller removes the pods of an OnFailure Job at its limit (C47): what was kept is shown.
#[test]
fn current_falls_back_to_what_was_kept() {
    let state = state(1, &[(0, 0, 0, "old"), (1, 0, 0, "new")]);
    let plan = plan(
        &select(Attempts::Current, false),
        &[],
        &state,
        "train",
        None,
    );
    assert_eq!(shown(&plan), ["kept new"]);
}

#[test]
fn all_shows_every_pod_and_every_instance() {
    let again = container("main", State::Running, 2, Some(1));
    let pods = [pod(0, 0, 1, 'b', &[again]), pod(0, 0, 0, 'a', &[running()])];
    let state = state(1, &[(0, 0, 0, "gone"), (0, 0, 0, "000a")]);
    let plan = plan(&select(Attempts::All, false), &pods, &state, "train", None);
    assert_eq!(
        shown(&plan),
        [
            "kept gone",
            "train-worker-0-0-a",
            "train-worker-0-0-b previous",
            "train-worker-0-0-b"
        ],
        "kept lines of a pod that is still there aren't shown twice"
    );
    assert!(plan.empty.is_empty());
}

/// The mock-up of cli.md 8: attempt 0 kept, attempt 1 without a failure.
#[test]
fn failed_of_all_attempts() {
    let pods = [pod(2, 1, 1, 'b', &[running()])];
    let state = state(1, &[(0, 2, 1, "gone")]);
    let plan = plan(&select(Attempts::All, true), &pods, &state, "train", None);
    assert_eq!(shown(&plan), ["kept gone"]);
    assert_eq!(plan.empty, ["attempt 1, none failed so far"]);
}

#[test]
fn failed_looks_at_every_container_and_instance() {
    let pods = [pod(
        0,
        0,
        0,
        'a',
        &[
            container("main", State::Running, 1, Some(3)),
            container("proxy", State::Ended(2), 0, None),
            container("tail", State::Ended(0), 0, None),
        ],
    )];
    let plan = plan(
        &select(Attempts::Current, true),
        &pods,
        &state(0, &[]),
        "train",
        None,
    );
    let picks: Vec<(&str, bool, bool)> = plan
        .picks
        .iter()
        .map(|p| (p.from.container.as_str(), p.previous, p.from.several))
        .collect();
    assert_eq!(picks, [("main", true, false), ("proxy", false, true)]);
}

#[test]
fn an_attempt_by_number_and_what_is_missing_is_said() {
    let state = state(2, &[(0, 0, 0, "zero")]);
    let pods = [pod(0, 0, 2, 'c', &[running()])];
    let zero = plan(
        &select(Attempts::Number(0), false),
        &pods,
        &state,
        "train",
        None,
    );
    assert_eq!(shown(&zero), ["kept zero"]);
    assert!(zero.skipped.contains("002c"));
    let one = plan(
        &select(Attempts::Number(1), false),
        &pods,
        &state,
        "train",
        None,
    );
    assert_eq!(shown(&one), Vec::<String>::new());
    assert_eq!(one.empty, ["attempt 1, nothing kept"]);
}

#[test]
fn previous_is_one_step_back_for_each_index() {
    let again = container("main", State::Running, 1, Some(1));
    let pods = [
        // Restarted in its pod.
        pod(0, 0, 1, 'a', &[again]),
        // Replaced within the attempt.
        pod(0, 1, 1, 'a', &[container("main", State::Ended(1), 0, None)]),
        pod(0, 1, 1, 'b', &[running()]),
        // Neither: what was kept.
        pod(1, 0, 1, 'a', &[running()]),
    ];
    let state = state(1, &[(0, 0, 0, "00"), (0, 1, 0, "10")]);
    let plan = plan(
        &select(Attempts::Previous, false),
        &pods,
        &state,
        "train",
        None,
    );
    assert_eq!(
        shown(&plan),
        [
            "kept 10",
            "train-worker-0-0-a previous",
            "train-worker-0-1-a"
        ]
    );
}

#[test]
fn who_has_not_started_is_named() {
    let waiting = container(
        "main",
        State::Waiting("ImagePullBackOff".to_owned()),
        0,
        None,
    );
    let pods = [pod(0, 0, 0, 'a', &[waiting])];
    let plan = plan(
        &select(Attempts::Current, false),
        &pods,
        &state(0, &[]),
        "train",
        None,
    );
    assert_eq!(
        plan.not_started,
        [("worker/0/0".to_owned(), "ImagePullBackOff".to_owned())]
    );
}

#[test]
fn containers_are_named_if_several() {
    let pods = [pod(
        0,
        0,
        0,
        'a',
        &[running(), container("tail", State::Running, 0, None)],
    )];
    let state = state(0, &[]);
    let one = plan(
        &select(Attempts::Current, false),
        &pods,
        &state,
        "train",
        None,
    );
    assert_eq!(one.picks.len(), 1);
    assert!(!one.picks[0].from.several);
    let selection = Selection {
        containers: Containers::All,
        ..Selection::default()
    };
    let all = plan(&selection, &pods, &state, "train", None);
    assert_eq!(all.picks.len(), 2);
    assert!(all.picks.iter().all(|p| p.from.several));
}
