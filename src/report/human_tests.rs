use super::*;
use crate::engine::EventKind as E;
use crate::engine::event::PodCause;
use crate::report::testing::{at, event, snapshot};

/// What a log looks like: what each event gives at once, then what each tick gives.
struct Log {
    human: Human,
    snapshot: Snapshot,
    lines: Vec<String>,
}

impl Log {
    fn new(mode: Mode, level: Level) -> Self {
        let run = RunId {
            name: "train".to_owned(),
            ..RunId::default()
        };
        let facts = RunFacts {
            record: Some("configmap/train-run".to_owned()),
            gpus: 16,
            ..RunFacts::default()
        };
        Self {
            human: Human::new(mode, level, HEARTBEAT_S, &run, &facts),
            snapshot: snapshot(),
            lines: Vec::new(),
        }
    }
    fn plain() -> Self {
        Self::new(Mode::Plain, Level::Normal)
    }
    fn add(&mut self, lines: Vec<Line>) {
        let plain = self.human.mode == Mode::Plain;
        self.lines.extend(lines.iter().map(|line| {
            if plain {
                line.plain()
            } else {
                line.terminal(&Styles::plain(), &TimeZone::UTC)
            }
        }));
    }
    /// An event; its time is also the caller's, as `tick` comes each second.
    fn event(&mut self, seconds: i64, kind: E) {
        let lines = self.human.event(&event(seconds, kind));
        self.add(lines);
    }
    fn tick(&mut self, seconds: i64) {
        let lines = self.human.tick(at(seconds), &self.snapshot);
        self.add(lines);
    }
    fn ticks(&mut self, seconds: std::ops::RangeInclusive<i64>) {
        for s in seconds {
            self.tick(s);
        }
    }
    fn texts(&self) -> Vec<&str> {
        self.lines
            .iter()
            .map(|l| l.split_once("Z ").map_or(l.as_str(), |(_, rest)| rest))
            .collect()
    }
}

fn s(text: &str) -> String {
    text.to_owned()
}

fn ready(ready: u32, replicas: u32, after_s: Option<i64>) -> E {
    E::RoleReady {
        role: s("worker"),
        attempt: 0,
        ready,
        replicas,
        after_s,
    }
}

fn pending(job: u32, message: &str) -> E {
    E::PodPending {
        role: s("worker"),
        job,
        index: Some(0),
        reason: s("Unschedulable"),
        message: s(message),
    }
}

fn cause(pod: &str, index: u32) -> PodCause {
    PodCause {
        index: Some(index),
        pod: s(pod),
        node: Some(s("gpu-14")),
        container: Some(s("main")),
        exit_code: Some(1),
        ..PodCause::default()
    }
}

fn job_failed(job: u32, cause: Option<PodCause>) -> E {
    E::JobFailed {
        role: s("worker"),
        job,
        attempt: 0,
        reason: s("BackoffLimitExceeded"),
        message: s("Job has reached the specified backoff limit"),
        cause,
    }
}

fn pod_failed(job: u32, cause: PodCause) -> E {
    E::PodFailed {
        role: s("worker"),
        job,
        attempt: 0,
        cause,
    }
}

/// cli.md 6.2: `worker: ready 37/64` for 37 changes within two seconds.
#[test]
fn equal_changes_merge_over_two_seconds() {
    let mut log = Log::plain();
    log.tick(0);
    for n in 1..=37 {
        log.event(1, ready(n, 64, None));
    }
    log.tick(1);
    assert!(log.lines.is_empty(), "{:?}", log.lines);
    log.ticks(2..=3);
    assert_eq!(log.lines, ["2026-12-01T09:14:04Z worker: ready 37/64"]);
}

/// cli.md 6.2: at most one counter line per role in ten seconds; the completed count comes at once.
#[test]
fn counter_lines_keep_their_distance() {
    let mut log = Log::plain();
    for n in 1..=50_i64 {
        log.event(n, ready(u32::try_from(n).unwrap(), 64, None));
        log.tick(n);
    }
    assert_eq!(
        log.lines,
        [
            "2026-12-01T09:14:05Z worker: ready 3/64",
            "2026-12-01T09:14:15Z worker: ready 13/64",
            "2026-12-01T09:14:25Z worker: ready 23/64",
            "2026-12-01T09:14:35Z worker: ready 33/64",
            "2026-12-01T09:14:45Z worker: ready 43/64",
        ]
    );
    log.event(51, ready(64, 64, Some(51)));
    assert_eq!(log.texts().last(), Some(&"worker: ready 64/64 after 51s"));
    log.ticks(51..=90);
    assert_eq!(log.lines.len(), 6);
}

#[test]
fn a_role_that_flickers_back_says_nothing() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, ready(4, 4, Some(38)));
    log.event(20, ready(3, 4, None));
    log.event(20, ready(4, 4, None));
    log.ticks(20..=40);
    assert_eq!(log.texts(), ["worker: ready 4/4 after 38s"]);
}

/// The duration belongs to the first time only: afterwards single Jobs come and go.
#[test]
fn later_completions_are_plain_counts() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, ready(4, 4, Some(38)));
    log.event(60, ready(3, 4, None));
    log.ticks(60..=70);
    log.event(71, ready(4, 4, Some(109)));
    log.ticks(71..=90);
    assert_eq!(
        log.texts(),
        [
            "worker: ready 4/4 after 38s",
            "worker: ready 3/4",
            "worker: ready 4/4"
        ]
    );
}

/// That none is ready is news only if some were.
#[test]
fn an_attempt_begins_with_none() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, ready(0, 4, None));
    log.ticks(0..=20);
    assert!(log.lines.is_empty(), "{:?}", log.lines);
    log.event(20, ready(1, 4, None));
    log.ticks(20..=40);
    log.event(40, ready(0, 4, None));
    log.ticks(40..=60);
    assert_eq!(log.texts(), ["worker: ready 1/4", "worker: ready 0/4"]);
}

/// Only one pod of many that wait for the same is announced; the snapshot has the number.
#[test]
fn one_pod_speaks_for_many() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, pending(1, "no node"));
    let note = &mut log.snapshot.roles[1].notes[0];
    (note.reason, note.message, note.and_more) = (s("Unschedulable"), s("no node"), 497);
    log.ticks(1..=3);
    assert_eq!(log.texts(), ["worker/1/0: pending, no node (and 497 more)"]);
}

/// Roles don't take each other's turn.
#[test]
fn roles_are_merged_apart() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, ready(1, 4, None));
    let other = E::RoleReady {
        role: s("ps"),
        attempt: 0,
        ready: 2,
        replicas: 3,
        after_s: None,
    };
    log.event(0, other);
    log.ticks(1..=2);
    assert_eq!(log.texts(), ["ps: ready 2/3", "worker: ready 1/4"]);
}

/// The mock-up: `worker: ready 3/4; worker/1 pending, no node with 2 free gpus`.
#[test]
fn a_counter_takes_the_reason_along() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, ready(3, 4, None));
    log.event(0, pending(1, "no node with 2 free gpus"));
    log.ticks(1..=3);
    assert_eq!(
        log.texts(),
        ["worker: ready 3/4; worker/1/0 pending, no node with 2 free gpus"]
    );
}

#[test]
fn pods_that_wait_for_the_same_make_one_line() {
    let mut log = Log::plain();
    log.tick(0);
    for job in 0..500 {
        log.event(0, pending(job, "no node"));
    }
    log.event(1, pending(7, "no node"));
    log.ticks(1..=5);
    assert_eq!(
        log.texts(),
        ["worker/0/0, worker/1/0, worker/2/0 and 497 more: pending, no node"]
    );
    // Known already: the same again is nothing new, another reason is.
    log.event(20, pending(3, "no node"));
    log.event(20, pending(4, "quota used up"));
    log.ticks(20..=40);
    assert_eq!(log.texts()[1..], ["worker/4/0: pending, quota used up"]);
}

#[test]
fn a_pod_that_runs_in_time_never_was_pending() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, pending(1, "pulling image"));
    let running = E::PodRunning {
        role: s("worker"),
        job: 1,
        index: Some(0),
        pod: s("p"),
        node: None,
    };
    log.event(1, running);
    log.ticks(1..=20);
    assert!(log.lines.is_empty(), "{:?}", log.lines);
}

/// Pods that are slow to go on many nodes make one line, then one that counts the rest.
#[test]
fn stuck_jobs_are_named_once_and_counted() {
    let mut log = Log::plain();
    log.tick(0);
    for job in [7, 1, 2, 3, 4] {
        log.event(
            i64::from(job),
            E::JobStuck {
                role: s("worker"),
                job,
                reason: s("Terminating"),
                message: format!("pod p-{job} is still terminating"),
            },
        );
    }
    assert_eq!(log.lines.len(), 1, "{:?}", log.lines);
    log.ticks(8..=60);
    assert_eq!(
        log.texts()[1..],
        [
            "worker: 4 more jobs stuck the same way, Terminating (worker/1, worker/2, worker/3 and 1 more)"
        ]
    );
}

/// The first failure is said at once, those that follow within two seconds together.
#[test]
fn failures_in_a_burst() {
    let mut log = Log::plain();
    log.tick(0);
    for job in [2, 0, 1, 3] {
        log.event(0, job_failed(job, Some(cause(&format!("p{job}"), 0))));
    }
    assert_eq!(
        log.texts(),
        ["worker/2: failed, exit code 1 in worker/2/0 on gpu-14"]
    );
    log.ticks(1..=4);
    assert_eq!(
        log.texts()[1..],
        ["worker: 3 jobs failed as well, exit code 1 (worker/0, worker/1, worker/3)"]
    );
    log.event(9, job_failed(5, None));
    assert_eq!(log.lines.len(), 3);
}

/// A pod is said to have failed only if its Job goes on.
#[test]
fn a_pod_is_not_told_twice() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, pod_failed(2, cause("p", 1)));
    log.event(1, job_failed(2, Some(cause("p", 1))));
    log.event(1, pod_failed(2, cause("p", 1)));
    log.ticks(1..=10);
    assert_eq!(
        log.texts(),
        ["worker/2: failed, exit code 1 in worker/2/1 on gpu-14"]
    );
    log.event(10, pod_failed(3, cause("q", 0)));
    log.ticks(11..=13);
    assert_eq!(
        log.texts()[1..],
        ["worker/3/0: pod failed, exit code 1 on gpu-14"]
    );
}

#[test]
fn pods_that_fell_because_of_it_make_one_line() {
    let mut log = Log::plain();
    log.tick(0);
    for index in 0..8 {
        log.event(0, pod_failed(0, cause(&format!("p{index}"), index)));
    }
    log.ticks(1..=3);
    assert_eq!(
        log.texts(),
        ["worker: 8 pods failed, exit code 1 (worker/0/0, worker/0/1, worker/0/2 and 5 more)"]
    );
}

#[test]
fn successes_are_counted() {
    let mut log = Log::plain();
    log.tick(0);
    for job in 0..3 {
        let kind = E::JobSucceeded {
            role: s("worker"),
            job,
            attempt: 0,
        };
        log.event(0, kind);
    }
    log.snapshot.roles[1].succeeded = 3;
    log.ticks(1..=3);
    assert_eq!(log.texts(), ["worker: succeeded 3/4"]);
    let done = E::RoleCompleted {
        role: s("worker"),
        attempt: 0,
    };
    let last = E::JobSucceeded {
        role: s("worker"),
        job: 3,
        attempt: 0,
    };
    log.event(4, last);
    log.event(4, done);
    log.ticks(4..=20);
    assert_eq!(log.texts()[1..], ["worker: completed"]);
}

/// cli.md 1.4: silence is broken by a heartbeat only, and rarely.
#[test]
fn heartbeat_after_ten_minutes_of_silence() {
    let mut log = Log::plain();
    log.event(
        0,
        E::RunRunning {
            attempt: 0,
            startup_s: 1,
        },
    );
    log.snapshot.state = StateWord::Running;
    log.ticks(0..=599);
    assert_eq!(log.lines.len(), 1);
    log.tick(600);
    assert_eq!(
        log.lines[1],
        "2026-12-01T09:24:02Z train: still running, 5 of 10 pods"
    );
    log.ticks(601..=1199);
    assert_eq!(log.lines.len(), 2);
    log.event(1199, E::RunSuspended);
    log.ticks(1200..=1798);
    assert_eq!(log.lines.len(), 3);
    log.snapshot.state = StateWord::Starting;
    log.tick(1799);
    assert_eq!(
        log.texts()[3],
        "train: still starting, 5 of 10 pods; worker/3: pulling image"
    );
}

#[test]
fn no_heartbeat_at_the_end_or_on_a_terminal_or_when_off() {
    let mut ended = Log::plain();
    ended.snapshot.state = StateWord::Failed;
    let mut terminal = Log::new(Mode::Tty { live: false }, Level::Normal);
    let mut off = Log::plain();
    off.human.heartbeat_s = 0;
    for log in [&mut ended, &mut terminal, &mut off] {
        log.ticks(0..=2000);
        assert!(log.lines.is_empty(), "{:?}", log.lines);
    }
}

/// What was held back about pods of the old attempt isn't said in the new one.
#[test]
fn a_restart_clears_what_is_moot() {
    let mut log = Log::plain();
    log.tick(0);
    log.event(0, ready(3, 4, None));
    log.event(0, pending(3, "no node"));
    let restarting = E::RunRestarting {
        attempt: 1,
        restarts: 1,
        max_restarts: 3,
    };
    log.event(1, restarting);
    log.ticks(1..=20);
    assert_eq!(
        log.texts(),
        ["train: restarting, attempt 1 (1 of 3 restarts used)"]
    );
}

fn story(log: &mut Log) {
    let decided = |restarts, limit_reached| E::PolicyDecided {
        rule: Some(s("oom")),
        rule_index: Some(0),
        action: s("RestartJobSet"),
        counts: true,
        restarts,
        max_restarts: Some(1),
        limit_reached,
        role: s("worker"),
        job: 2,
    };
    let oom = PodCause {
        exit_code: Some(137),
        container_reason: Some(s("OOMKilled")),
        ..cause("train-worker-2-1-x7k2p", 1)
    };
    let role_ready = |role: &str, ready, replicas, after_s| E::RoleReady {
        role: s(role),
        attempt: 0,
        ready,
        replicas,
        after_s,
    };
    log.event(0, E::RunCreated { jobs: 6, pods: 10 });
    log.event(
        0,
        E::RoleWaiting {
            role: s("worker"),
            attempt: 0,
            waits_for: s("leader ready"),
        },
    );
    log.ticks(0..=37);
    log.event(38, role_ready("leader", 1, 1, Some(38)));
    log.event(
        38,
        E::RoleCreated {
            role: s("worker"),
            attempt: 0,
            replicas: 4,
        },
    );
    log.ticks(38..=170);
    log.event(171, role_ready("worker", 2, 4, None));
    log.event(171, role_ready("worker", 3, 4, None));
    log.event(171, pending(1, "no node with 2 free gpus"));
    log.ticks(171..=309);
    log.event(310, role_ready("worker", 4, 4, Some(272)));
    log.event(
        310,
        E::RunRunning {
            attempt: 0,
            startup_s: 310,
        },
    );
    log.snapshot.state = StateWord::Running;
    log.snapshot.max_restarts = Some(1);
    log.ticks(310..=1169);
    log.event(1169, pod_failed(2, oom.clone()));
    log.event(1170, job_failed(2, Some(oom.clone())));
    log.event(1170, decided(1, false));
    let kept = E::PodEvidence {
        role: s("worker"),
        job: 2,
        index: Some(1),
        pod: s("train-worker-2-1-x7k2p"),
        container: s("main"),
        lines: 20,
    };
    log.event(1170, kept);
    log.event(
        1170,
        E::RunRestarting {
            attempt: 1,
            restarts: 1,
            max_restarts: 1,
        },
    );
    log.snapshot.restarts_counted = 1;
    log.snapshot.state = StateWord::Restarting;
    log.ticks(1170..=1300);
    log.event(
        1301,
        E::RunRunning {
            attempt: 1,
            startup_s: 131,
        },
    );
    log.snapshot.state = StateWord::Running;
    log.ticks(1301..=1400);
    log.event(1401, job_failed(2, Some(oom)));
    log.event(1401, decided(1, true));
    let finished = E::RunFinished {
        state: s("Failed"),
        reason: s("ReachedMaxRestarts"),
        message: s("m"),
        first_failure: None,
    };
    log.event(1402, finished);
    log.snapshot.state = StateWord::Failed;
    log.ticks(1402..=1410);
}

/// A whole life without a terminal: start, ready, failure, restart, limit.
#[test]
fn the_story_without_a_terminal() {
    let mut log = Log::plain();
    story(&mut log);
    insta::assert_snapshot!(log.lines.join("\n"), @r#"
    2026-12-01T09:14:02Z train: created 6 jobs, 10 pods, 16 gpus (record configmap/train-run)
    2026-12-01T09:14:40Z leader: ready 1/1 after 38s
    2026-12-01T09:16:54Z worker: ready 3/4; worker/1/0 pending, no node with 2 free gpus
    2026-12-01T09:19:12Z worker: ready 4/4 after 4m32s
    2026-12-01T09:19:12Z train: running, startup took 5m10s
    2026-12-01T09:29:12Z train: still running, 5 of 10 pods
    2026-12-01T09:33:32Z worker/2: failed, OOMKilled (exit code 137) in worker/2/1 on gpu-14
    2026-12-01T09:33:32Z train: restart 1 of 1, rule "oom"
    2026-12-01T09:35:43Z train: running, attempt 1, startup took 2m11s
    2026-12-01T09:37:23Z worker/2: failed, OOMKilled (exit code 137) in worker/2/1 on gpu-14
    2026-12-01T09:37:24Z train: failed, restart limit reached (1 of 1)
    "#);
}

/// The same above a live display, which shows readiness itself.
#[test]
fn the_story_on_a_terminal() {
    let mut log = Log::new(Mode::Tty { live: true }, Level::Normal);
    story(&mut log);
    insta::assert_snapshot!(log.lines.join("\n"), @r#"
    jobset/train created (6 jobs, 10 pods, 16 gpus; record configmap/train-run)
    train: running, startup took 5m10s
    worker/2 failed: exit code 137 (OOMKilled) in worker/2/1 on gpu-14
      rule "oom" says RestartJobSet, 1 of 1 restarts used
      kept the last 20 lines of 1 pod
    train: running, attempt 1, startup took 2m11s
    worker/2 failed: exit code 137 (OOMKilled) in worker/2/1 on gpu-14
      rule "oom" says RestartJobSet, but the limit is reached, 1 of 1 restarts used
    train: failed, restart limit reached (1 of 1)
    "#);
}

/// `-v` adds the decisions and what was done about them.
#[test]
fn verbose_adds_details() {
    let mut log = Log::new(Mode::Plain, Level::Verbose);
    story(&mut log);
    let texts = log.texts();
    for line in [
        "worker: waits for leader to be ready",
        "worker: created 4 jobs",
        "train: kept the last 20 lines of 1 pod",
        "train: restart limit reached (1 of 1), rule \"oom\"",
    ] {
        assert!(texts.contains(&line), "{line} is not in {texts:#?}");
    }
}

/// The same input gives the same lines, and none of them twice at one time.
#[test]
fn deterministic_and_without_repeats() {
    let (mut a, mut b) = (Log::plain(), Log::plain());
    story(&mut a);
    story(&mut b);
    assert_eq!(a.lines, b.lines);
    let unique: BTreeSet<&String> = a.lines.iter().collect();
    assert_eq!(unique.len(), a.lines.len());
}
