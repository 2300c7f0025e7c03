//! The example run of the mock-ups, for the tests of this directory.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::engine::snapshot::{Note, RoleSnapshot, Snapshot, StateWord};
use crate::engine::state::{Attempt, AttemptKind};
use crate::engine::{Event, EventKind, FirstFailure, RunState};
use crate::report::view::{DriverView, RunId, RunView};

/// Seconds after the start of the example run.
pub(crate) fn at(seconds: i64) -> Timestamp {
    let start: Timestamp = "2026-12-01T09:14:02Z".parse().unwrap();
    start + SignedDuration::from_secs(seconds)
}

/// A live event, that many seconds after the start.
pub(crate) fn event(seconds: i64, kind: EventKind) -> Event {
    Event {
        seq: 1,
        time: at(seconds),
        live: true,
        kind,
    }
}

/// `train` while its workers start.
pub(crate) fn snapshot() -> Snapshot {
    let note = |target: &str, message: &str, since| Note {
        target: target.to_owned(),
        reason: "Pending".to_owned(),
        message: message.to_owned(),
        since: Some(at(since)),
        and_more: 0,
    };
    Snapshot {
        state: StateWord::Starting,
        reason: None,
        attempt: 0,
        restarts_counted: 0,
        restarts: 0,
        max_restarts: Some(3),
        started: Some(at(0)),
        attempt_started: Some(at(0)),
        finished: None,
        roles: vec![
            RoleSnapshot {
                name: "leader".to_owned(),
                replicas: 1,
                ready: 1,
                pods: 1,
                pods_wanted: 1,
                ..RoleSnapshot::default()
            },
            RoleSnapshot {
                name: "worker".to_owned(),
                replicas: 4,
                ready: 2,
                starting: 2,
                pods: 4,
                pods_wanted: 8,
                notes: vec![
                    note("worker/3", "pulling image", 110),
                    note("worker/1", "no node with 2 free gpus", 21),
                ],
                ..RoleSnapshot::default()
            },
            RoleSnapshot {
                name: "eval".to_owned(),
                replicas: 1,
                waiting: 1,
                pods_wanted: 1,
                waits_for: Some("worker complete".to_owned()),
                ..RoleSnapshot::default()
            },
        ],
        pods_replaced: 0,
    }
}

/// The first failure of the mock-ups.
pub(crate) fn first_failure() -> FirstFailure {
    FirstFailure {
        role: "worker".to_owned(),
        job: 2,
        job_name: "train-worker-2".to_owned(),
        attempt: 0,
        reason: "PodFailurePolicy".to_owned(),
        message: "Container main failed with exit code 137".to_owned(),
        index: Some(1),
        pod: Some("train-worker-2-1-x7k2p".to_owned()),
        node: Some("gpu-14".to_owned()),
        container: Some("main".to_owned()),
        exit_code: Some(137),
        signal: Some(9),
        how: Some("OOMKilled".to_owned()),
        into_attempt_s: Some(860),
        fell_after: 8,
        rule: Some("oom".to_owned()),
        rule_index: Some(0),
        action: "RestartJobSet".to_owned(),
        ..FirstFailure::default()
    }
}

/// `train` 47 minutes after its start: one restart behind it, `eval` still waits.
pub(crate) fn running() -> RunView {
    let mut s = snapshot();
    s.state = StateWord::Running;
    s.attempt = 1;
    s.restarts = 1;
    s.restarts_counted = 1;
    s.roles[1].ready = 4;
    s.roles[1].starting = 0;
    s.roles[1].pods = 8;
    s.roles[1].notes.clear();
    let attempts = vec![
        Attempt {
            cause: Some(first_failure()),
            started: Some(at(0)),
            ended: Some(at(20 * 60)),
            ..Attempt::default()
        },
        Attempt {
            number: 1,
            kind: AttemptKind::Restart,
            started: Some(at(20 * 60)),
            counted: true,
            ..Attempt::default()
        },
    ];
    RunView {
        id: RunId {
            namespace: "ml".to_owned(),
            name: "train".to_owned(),
            uid: "6f0c".to_owned(),
        },
        record: "configmap/train-run".to_owned(),
        created: at(0),
        snapshot: s,
        state: RunState {
            attempts,
            ..RunState::default()
        },
        failure_policy: true,
        driver: DriverView {
            holder: Some("ada@laptop".to_owned()),
            renewed: Some(at(47 * 60 - 2)),
            live: true,
        },
        flags: String::new(),
    }
}
