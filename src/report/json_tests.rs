//! One line per type of event, as readers see it. A field that vanishes or changes its name breaks
//! `jobset.events/v1`; a new field or type is added here.

use super::*;
use crate::engine::EventKind as E;
use crate::engine::event::PodCause;
use crate::report::testing::{event, first_failure};

fn run() -> RunId {
    RunId {
        namespace: "ml".to_owned(),
        name: "train".to_owned(),
        uid: "6f0c".to_owned(),
    }
}

fn s(text: &str) -> String {
    text.to_owned()
}

/// The line without what all lines have in common.
fn own_fields(kind: E) -> String {
    let text = line(&event(0, kind), &run(), None).unwrap();
    let head = r#"{"schema":"jobset.events/v1","seq":1,"time":"2026-12-01T09:14:02.000Z","live":true,"run":{"namespace":"ml","name":"train","uid":"6f0c"},"#;
    text.strip_prefix(head)
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or_else(|| panic!("{text}"))
        .to_owned()
}

fn cause() -> PodCause {
    PodCause {
        index: Some(1),
        pod: s("train-worker-2-1-x7k2p"),
        node: Some(s("gpu-14")),
        container: Some(s("main")),
        exit_code: Some(137),
        signal: Some(9),
        container_reason: Some(s("OOMKilled")),
    }
}

/// Every kind once, with all its fields. The match makes the compiler ask for new kinds.
fn every_kind() -> Vec<E> {
    let kinds = vec![
        E::RunCreated { jobs: 6, pods: 10 },
        E::RunAttached {
            previous: Some(s("ada@laptop")),
            silent_s: Some(372),
        },
        E::RunDetached { why: s("SIGTERM") },
        E::RunDriverLost {
            holder: s("bob@ci"),
        },
        E::RunRunning {
            attempt: 0,
            startup_s: 310,
        },
        E::RunSuspended,
        E::RunResumed,
        E::RunRestarting {
            attempt: 1,
            restarts: 1,
            max_restarts: 3,
        },
        E::RunStopping {
            by: s("ada@laptop"),
        },
        E::RunFinished {
            state: s("Failed"),
            reason: s("ReachedMaxRestarts"),
            message: s("m"),
            first_failure: None,
        },
        E::RoleWaiting {
            role: s("eval"),
            attempt: 0,
            waits_for: s("worker complete"),
        },
        E::RoleCreated {
            role: s("worker"),
            attempt: 0,
            replicas: 4,
        },
        E::RoleReady {
            role: s("leader"),
            attempt: 0,
            ready: 1,
            replicas: 1,
            after_s: Some(38),
        },
        E::RoleCompleted {
            role: s("worker"),
            attempt: 0,
        },
        E::JobCreated {
            role: s("worker"),
            job: 2,
            attempt: 1,
            job_restarts: 3,
        },
        E::JobReady {
            role: s("worker"),
            job: 2,
            attempt: 0,
        },
        E::JobFailed {
            role: s("worker"),
            job: 2,
            attempt: 0,
            reason: s("PodFailurePolicy"),
            message: s("m"),
            cause: Some(cause()),
        },
        E::JobSucceeded {
            role: s("worker"),
            job: 2,
            attempt: 0,
        },
        E::JobDeleted {
            role: s("worker"),
            job: 2,
            attempt: 0,
            by_someone: true,
        },
        E::JobStuck {
            role: s("worker"),
            job: 2,
            reason: s("Terminating"),
            message: s("m"),
        },
        E::PodPending {
            role: s("worker"),
            job: 2,
            index: Some(1),
            reason: s("Unschedulable"),
            message: s("m"),
        },
        E::PodRunning {
            role: s("worker"),
            job: 2,
            index: Some(1),
            pod: s("p"),
            node: Some(s("n")),
        },
        E::PodFailed {
            role: s("worker"),
            job: 2,
            attempt: 0,
            cause: cause(),
        },
        E::PodEvidence {
            role: s("worker"),
            job: 2,
            index: Some(1),
            pod: s("p"),
            container: s("main"),
            lines: 20,
        },
        E::PolicyDecided {
            rule: Some(s("oom")),
            rule_index: Some(0),
            action: s("RestartJobSet"),
            counts: true,
            restarts: 1,
            max_restarts: Some(3),
            limit_reached: false,
            role: s("worker"),
            job: 2,
        },
        E::StartupDecided {
            role: Some(s("worker")),
            attempt: 0,
        },
        E::SuccessDecided {
            operator: s("All"),
            stopped: 0,
        },
        E::ClusterUnreachable { message: s("m") },
        E::ClusterBack { after_s: 38 },
        E::Warning { message: s("m") },
        E::Log {
            role: s("worker"),
            job: 2,
            index: Some(1),
            attempt: 0,
            pod: s("p"),
            container: s("main"),
            line: s("step \u{1b}[31m1\""),
        },
        E::StreamLive,
        E::Heartbeat {
            state: s("Running"),
            pods: 9,
            pods_wanted: 10,
        },
    ];
    for kind in &kinds {
        match kind {
            E::RunCreated { .. }
            | E::RunAttached { .. }
            | E::RunDetached { .. }
            | E::RunDriverLost { .. }
            | E::RunRunning { .. }
            | E::RunSuspended
            | E::RunResumed
            | E::RunRestarting { .. }
            | E::RunStopping { .. }
            | E::RunFinished { .. }
            | E::RoleWaiting { .. }
            | E::RoleCreated { .. }
            | E::RoleReady { .. }
            | E::RoleCompleted { .. }
            | E::JobCreated { .. }
            | E::JobReady { .. }
            | E::JobFailed { .. }
            | E::JobSucceeded { .. }
            | E::JobDeleted { .. }
            | E::JobStuck { .. }
            | E::PodPending { .. }
            | E::PodRunning { .. }
            | E::PodFailed { .. }
            | E::PodEvidence { .. }
            | E::PolicyDecided { .. }
            | E::StartupDecided { .. }
            | E::SuccessDecided { .. }
            | E::ClusterUnreachable { .. }
            | E::ClusterBack { .. }
            | E::Warning { .. }
            | E::Log { .. }
            | E::StreamLive
            | E::Heartbeat { .. } => {}
        }
    }
    kinds
}

#[test]
fn every_type() {
    let lines: Vec<String> = every_kind().into_iter().map(own_fields).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    "type":"run.created","jobs":6,"pods":10
    "type":"run.attached","previous":"ada@laptop","silentS":372
    "type":"run.detached","why":"SIGTERM"
    "type":"run.driverLost","holder":"bob@ci"
    "type":"run.running","attempt":0,"startupS":310
    "type":"run.suspended"
    "type":"run.resumed"
    "type":"run.restarting","attempt":1,"restarts":1,"maxRestarts":3
    "type":"run.stopping","by":"ada@laptop"
    "type":"run.finished","state":"Failed","reason":"ReachedMaxRestarts","message":"m"
    "type":"role.waiting","role":"eval","attempt":0,"waitsFor":"worker complete"
    "type":"role.created","role":"worker","attempt":0,"replicas":4
    "type":"role.ready","role":"leader","attempt":0,"ready":1,"replicas":1,"afterS":38
    "type":"role.completed","role":"worker","attempt":0
    "type":"job.created","role":"worker","job":2,"attempt":1,"jobRestarts":3
    "type":"job.ready","role":"worker","job":2,"attempt":0
    "type":"job.failed","role":"worker","job":2,"attempt":0,"reason":"PodFailurePolicy","message":"m","cause":{"index":1,"pod":"train-worker-2-1-x7k2p","node":"gpu-14","container":"main","exitCode":137,"signal":9,"containerReason":"OOMKilled"}
    "type":"job.succeeded","role":"worker","job":2,"attempt":0
    "type":"job.deleted","role":"worker","job":2,"attempt":0,"bySomeone":true
    "type":"job.stuck","role":"worker","job":2,"reason":"Terminating","message":"m"
    "type":"pod.pending","role":"worker","job":2,"index":1,"reason":"Unschedulable","message":"m"
    "type":"pod.running","role":"worker","job":2,"index":1,"pod":"p","node":"n"
    "type":"pod.failed","role":"worker","job":2,"attempt":0,"cause":{"index":1,"pod":"train-worker-2-1-x7k2p","node":"gpu-14","container":"main","exitCode":137,"signal":9,"containerReason":"OOMKilled"}
    "type":"pod.evidence","role":"worker","job":2,"index":1,"pod":"p","container":"main","lines":20
    "type":"policy.decided","rule":"oom","ruleIndex":0,"action":"RestartJobSet","counts":true,"restarts":1,"maxRestarts":3,"limitReached":false,"role":"worker","job":2
    "type":"startup.decided","role":"worker","attempt":0
    "type":"success.decided","operator":"All","stopped":0
    "type":"cluster.unreachable","message":"m"
    "type":"cluster.back","afterS":38
    "type":"warning","message":"m"
    "type":"log","role":"worker","job":2,"index":1,"attempt":0,"pod":"p","container":"main","line":"step \u001b[31m1\""
    "type":"stream.live"
    "type":"heartbeat","state":"Running","pods":9,"podsWanted":10
    "#);
}

/// cli.md 9: the last line carries the exit code; the first failure is in it as a whole.
#[test]
fn the_end() {
    let mut end = event(
        5225,
        E::RunFinished {
            state: s("Failed"),
            reason: s("ReachedMaxRestarts"),
            message: s("m"),
            first_failure: Some(Box::new(first_failure())),
        },
    );
    end.seq = 90;
    end.live = false;
    let text = line(&end, &run(), Some(11)).unwrap();
    insta::assert_snapshot!(text, @r#"{"schema":"jobset.events/v1","seq":90,"time":"2026-12-01T10:41:07.000Z","live":false,"run":{"namespace":"ml","name":"train","uid":"6f0c"},"type":"run.finished","state":"Failed","reason":"ReachedMaxRestarts","message":"m","firstFailure":{"role":"worker","job":2,"jobName":"train-worker-2","attempt":0,"reason":"PodFailurePolicy","message":"Container main failed with exit code 137","index":1,"pod":"train-worker-2-1-x7k2p","node":"gpu-14","container":"main","exitCode":137,"signal":9,"how":"OOMKilled","intoAttemptS":860,"fellAfter":8,"rule":"oom","ruleIndex":0,"action":"RestartJobSet"},"exitCode":11}"#);
}

/// Each line is one JSON object, whatever is in its strings.
#[test]
fn lines_are_json() {
    let nasty = "}{\",\n\u{1b}\u{0}\u{2028}é";
    let kind = E::Warning { message: s(nasty) };
    let id = RunId {
        name: s(nasty),
        ..run()
    };
    let text = line(&event(0, kind), &id, Some(1)).unwrap();
    assert!(!text.contains('\n'));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["message"], nasty);
    assert_eq!(value["run"]["name"], nasty);
    assert_eq!(value["exitCode"], 1);
}
