//! The example run of the mock-ups, for the tests of this directory.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::engine::snapshot::{Note, RoleSnapshot, Snapshot, StateWord};
use crate::engine::{Event, EventKind};

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
