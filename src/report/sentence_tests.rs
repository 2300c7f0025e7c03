use super::*;
use crate::engine::EventKind as E;
use crate::engine::event::PodCause;
use crate::report::testing::at;

fn memory() -> Memory {
    Memory {
        run: "train".to_owned(),
        facts: RunFacts {
            record: Some("configmap/train-run".to_owned()),
            gpus: 16,
            ..RunFacts::default()
        },
        started: Some(at(0)),
        ..Memory::default()
    }
}

fn plain(memory: &Memory, kind: &E) -> String {
    let said = memory.sentence(at(90), kind).unwrap();
    format!("{}: {}", said.scope, said.text)
}

fn terminal(memory: &Memory, kind: &E) -> String {
    let (head, rest) = memory.sentence(at(90), kind).unwrap().terminal;
    head + &rest
}

fn s(text: &str) -> String {
    text.to_owned()
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

fn job_failed(reason: &str, message: &str, cause: Option<PodCause>) -> E {
    E::JobFailed {
        role: s("worker"),
        job: 2,
        attempt: 0,
        reason: s(reason),
        message: s(message),
        cause,
    }
}

fn decided(action: &str, rule: Option<&str>, counts: bool, limit_reached: bool) -> E {
    E::PolicyDecided {
        rule: rule.map(s),
        rule_index: rule.map(|_| 0),
        action: s(action),
        counts,
        restarts: 1,
        max_restarts: (action != "FailJobSet").then_some(3),
        limit_reached,
        role: s("worker"),
        job: 2,
    }
}

fn finished(state: &str, reason: &str, message: &str) -> E {
    E::RunFinished {
        state: s(state),
        reason: s(reason),
        message: s(message),
        first_failure: None,
    }
}

/// One row per kind of event: what a plain log says after the time.
#[test]
fn plain_sentences() {
    let m = memory();
    let table = [
        (
            E::RunCreated { jobs: 6, pods: 10 },
            "train: created 6 jobs, 10 pods, 16 gpus (record configmap/train-run)",
        ),
        (
            E::RunAttached {
                previous: Some(s("ada@laptop")),
                silent_s: Some(372),
            },
            "train: attached, took over from ada@laptop (silent for 6m12s)",
        ),
        (
            E::RunAttached {
                previous: None,
                silent_s: None,
            },
            "train: attached",
        ),
        (
            E::RunDetached { why: s("SIGTERM") },
            "train: detached (SIGTERM); nobody is driving it now",
        ),
        (
            E::RunDriverLost {
                holder: s("bob@ci"),
            },
            "train: taken over by bob@ci; the run goes on there",
        ),
        (
            E::RunRunning {
                attempt: 0,
                startup_s: 310,
            },
            "train: running, startup took 5m10s",
        ),
        (
            E::RunRunning {
                attempt: 2,
                startup_s: 310,
            },
            "train: running, attempt 2, startup took 5m10s",
        ),
        (E::RunSuspended, "train: suspended"),
        (E::RunResumed, "train: resumed"),
        (
            E::RunRestarting {
                attempt: 2,
                restarts: 1,
                max_restarts: 3,
            },
            "train: restarting, attempt 2 (1 of 3 restarts used)",
        ),
        (
            E::RunStopping {
                by: s("ada@laptop"),
            },
            "train: stopping, asked by ada@laptop",
        ),
        (
            finished(
                "Completed",
                "AllJobsCompleted",
                "jobset completed successfully",
            ),
            "train: completed after 1m30s",
        ),
        (
            finished("Failed", "ReachedMaxRestarts", "m"),
            "train: failed, restart limit reached",
        ),
        (
            finished("Failed", "FailedJobs", "m"),
            "train: failed, a job failed and there is no failure policy",
        ),
        (
            finished("Failed", "FailJobSetFailurePolicyAction", "m"),
            "train: failed, a rule says FailJobSet",
        ),
        (
            finished("Failed", "Forbidden", "quota"),
            "train: failed, Forbidden: quota",
        ),
        (finished("Failed", "Stopped", "m"), "train: stopped"),
        (
            E::RoleWaiting {
                role: s("eval"),
                attempt: 0,
                waits_for: s("worker complete"),
            },
            "eval: waits for worker to complete",
        ),
        (
            E::RoleCreated {
                role: s("worker"),
                attempt: 0,
                replicas: 4,
            },
            "worker: created 4 jobs",
        ),
        (
            E::RoleReady {
                role: s("worker"),
                attempt: 0,
                ready: 3,
                replicas: 4,
                after_s: None,
            },
            "worker: ready 3/4",
        ),
        (
            E::RoleReady {
                role: s("worker"),
                attempt: 0,
                ready: 4,
                replicas: 4,
                after_s: Some(272),
            },
            "worker: ready 4/4 after 4m32s",
        ),
        (
            E::RoleCompleted {
                role: s("worker"),
                attempt: 0,
            },
            "worker: completed",
        ),
        (
            E::JobCreated {
                role: s("worker"),
                job: 2,
                attempt: 1,
                job_restarts: 0,
            },
            "worker/2: created (attempt 1)",
        ),
        (
            E::JobCreated {
                role: s("worker"),
                job: 2,
                attempt: 1,
                job_restarts: 2,
            },
            "worker/2: created (attempt 1, its restart 2)",
        ),
        (
            E::JobReady {
                role: s("worker"),
                job: 2,
                attempt: 0,
            },
            "worker/2: ready",
        ),
        (
            job_failed("PodFailurePolicy", "m", Some(cause())),
            "worker/2: failed, OOMKilled (exit code 137) in worker/2/1 on gpu-14",
        ),
        (
            job_failed("DeadlineExceeded", "m", Some(cause())),
            "worker/2: failed, DeadlineExceeded: OOMKilled (exit code 137) in worker/2/1 on gpu-14",
        ),
        (
            job_failed("BackoffLimitExceeded", "too often\u{7}", None),
            "worker/2: failed, BackoffLimitExceeded: too often^G",
        ),
        (
            job_failed(
                "BackoffLimitExceeded",
                "m",
                Some(PodCause {
                    pod: s("p"),
                    ..PodCause::default()
                }),
            ),
            "worker/2: failed, BackoffLimitExceeded: m in pod p",
        ),
        (
            E::JobSucceeded {
                role: s("worker"),
                job: 2,
                attempt: 0,
            },
            "worker/2: succeeded",
        ),
        (
            E::JobDeleted {
                role: s("worker"),
                job: 2,
                attempt: 0,
                by_someone: false,
            },
            "worker/2: deleted (attempt 0)",
        ),
        (
            E::JobDeleted {
                role: s("worker"),
                job: 2,
                attempt: 0,
                by_someone: true,
            },
            "worker/2: its job was deleted by someone else",
        ),
        (
            E::JobStuck {
                role: s("worker"),
                job: 0,
                reason: s("Terminating"),
                message: s("pod p on gpu-09 for 80s"),
            },
            "worker/0: stuck, pod p on gpu-09 for 80s",
        ),
        (
            E::JobStuck {
                role: s("worker"),
                job: 0,
                reason: s("Terminating"),
                message: s(""),
            },
            "worker/0: stuck, Terminating",
        ),
        (
            E::PodPending {
                role: s("worker"),
                job: 1,
                index: Some(0),
                reason: s("Unschedulable"),
                message: s("no node with 2 free gpus"),
            },
            "worker/1/0: pending, no node with 2 free gpus",
        ),
        (
            E::PodRunning {
                role: s("worker"),
                job: 1,
                index: Some(0),
                pod: s("p"),
                node: Some(s("n1")),
            },
            "worker/1/0: pod runs on n1",
        ),
        (
            E::PodFailed {
                role: s("worker"),
                job: 2,
                attempt: 0,
                cause: cause(),
            },
            "worker/2/1: pod failed, OOMKilled (exit code 137) on gpu-14",
        ),
        (
            E::PodFailed {
                role: s("worker"),
                job: 2,
                attempt: 0,
                cause: PodCause::default(),
            },
            "worker/2: pod failed, nothing known about why",
        ),
        (
            E::PodEvidence {
                role: s("worker"),
                job: 2,
                index: Some(1),
                pod: s("p"),
                container: s("main"),
                lines: 20,
            },
            "worker/2/1: kept the last 20 lines",
        ),
        (
            decided("RestartJobSet", Some("oom"), true, false),
            "train: restart 1 of 3, rule \"oom\"",
        ),
        (
            decided("RestartJobSet", None, true, false),
            "train: restart 1 of 3, no rule matched",
        ),
        (
            decided("RestartJobSet", Some("oom"), true, true),
            "train: restart limit reached (1 of 3), rule \"oom\"",
        ),
        (
            decided(
                "RestartJobSetAndIgnoreMaxRestarts",
                Some("evict"),
                false,
                false,
            ),
            "train: restart, not counted (1 of 3 used), rule \"evict\"",
        ),
        (
            decided("RestartJob", Some("one"), true, false),
            "train: restart of worker/2 alone, 1 of 3 used, rule \"one\"",
        ),
        (
            decided("RestartJobAndIgnoreMaxRestarts", Some("one"), false, false),
            "train: restart of worker/2 alone, not counted (1 of 3 used), rule \"one\"",
        ),
        (
            decided("FailJobSet", Some("die"), false, false),
            "train: fails, rule \"die\" (FailJobSet)",
        ),
        (
            decided("FailJobSet", None, false, false),
            "train: fails, no failure policy (FailJobSet)",
        ),
        (
            E::StartupDecided {
                role: Some(s("worker")),
                attempt: 0,
            },
            "worker: starts now, its turn in the order",
        ),
        (
            E::StartupDecided {
                role: None,
                attempt: 0,
            },
            "train: all roles have started",
        ),
        (
            E::SuccessDecided {
                operator: s("Any"),
                stopped: 3,
            },
            "train: success policy met (Any); 3 jobs still running, deleted now",
        ),
        (
            E::SuccessDecided {
                operator: s("All"),
                stopped: 0,
            },
            "train: success policy met (All)",
        ),
        (
            E::ClusterUnreachable {
                message: s("connection refused"),
            },
            "train: cluster not reached, still trying: connection refused",
        ),
        (
            E::ClusterBack { after_s: 38 },
            "train: cluster is back after 38s",
        ),
        (
            E::Warning {
                message: s("logs are forbidden"),
            },
            "train: warning: logs are forbidden",
        ),
    ];
    for (kind, want) in &table {
        assert_eq!(plain(&m, kind), *want);
    }
}

/// Where a terminal says it differently (cli.md 8).
#[test]
fn terminal_sentences() {
    let m = memory();
    let table = [
        (
            E::RunCreated { jobs: 6, pods: 10 },
            "jobset/train created (6 jobs, 10 pods, 16 gpus; record configmap/train-run)",
        ),
        (
            E::RunAttached {
                previous: Some(s("ada@laptop")),
                silent_s: Some(372),
            },
            "took over from ada@laptop (silent for 6m12s)",
        ),
        (
            E::RunAttached {
                previous: None,
                silent_s: None,
            },
            "attached to jobset/train",
        ),
        (
            E::RunDetached {
                why: s("on request"),
            },
            "detached from jobset/train (on request); nobody is driving it now",
        ),
        (
            job_failed("PodFailurePolicy", "m", Some(cause())),
            "worker/2 failed: exit code 137 (OOMKilled) in worker/2/1 on gpu-14",
        ),
        (
            decided("RestartJobSet", Some("oom"), true, false),
            "  rule \"oom\" says RestartJobSet, 1 of 3 restarts used",
        ),
        (
            decided("RestartJobSet", None, true, false),
            "  no rule matched: RestartJobSet, 1 of 3 restarts used",
        ),
        (
            decided("RestartJobSet", Some("oom"), true, true),
            "  rule \"oom\" says RestartJobSet, but the limit is reached, 1 of 3 restarts used",
        ),
        (
            decided("RestartJobAndIgnoreMaxRestarts", Some("x"), false, false),
            "  rule \"x\" says RestartJobAndIgnoreMaxRestarts, not counted, 1 of 3 restarts used",
        ),
        (
            decided("FailJobSet", Some("die"), false, false),
            "  rule \"die\" says FailJobSet",
        ),
        (
            decided("FailJobSet", None, false, false),
            "  no failure policy: FailJobSet",
        ),
        (E::Warning { message: s("x") }, "warning: x"),
        (
            E::RunRunning {
                attempt: 0,
                startup_s: 310,
            },
            "train: running, startup took 5m10s",
        ),
    ];
    for (kind, want) in &table {
        assert_eq!(terminal(&m, kind), *want);
    }
}

/// The end refers to what was decided before.
#[test]
fn the_end_remembers() {
    let mut m = memory();
    m.note(at(1), &decided("RestartJobSet", Some("oom"), true, true));
    assert_eq!(
        plain(&m, &finished("Failed", "ReachedMaxRestarts", "m")),
        "train: failed, restart limit reached (1 of 3)"
    );
    m.note(at(1), &decided("FailJobSet", Some("die"), false, false));
    assert_eq!(
        plain(
            &m,
            &finished("Failed", "FailJobSetFailurePolicyAction", "m")
        ),
        "train: failed, rule \"die\" says FailJobSet"
    );
    m.note(at(1), &decided("FailJobSet", None, false, false));
    assert_eq!(
        plain(&m, &finished("Failed", "FailedJobs", "m")),
        "train: failed, worker/2 failed and there is no failure policy"
    );
    m.note(at(1), &E::RunStopping { by: s("ada") });
    assert_eq!(
        plain(&m, &finished("Failed", "Stopped", "m")),
        "train: stopped by ada"
    );
}

/// Payload and markers have no sentence of their own.
#[test]
fn silent_kinds() {
    let log = E::Log {
        role: s("w"),
        job: 0,
        index: None,
        attempt: 0,
        pod: s("p"),
        container: s("c"),
        line: s("x"),
    };
    let heartbeat = E::Heartbeat {
        state: s("Running"),
        pods: 1,
        pods_wanted: 2,
    };
    for kind in [log, heartbeat, E::StreamLive] {
        assert_eq!(memory().sentence(at(0), &kind), None);
    }
}
