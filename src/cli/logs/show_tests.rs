use std::collections::BTreeMap;

use clap::Parser as _;
use futures::stream;
use k8s_openapi::jiff::Timestamp;

use super::*;
use crate::cli::args::{Cli, Verb};
use crate::engine::Outcome;
use crate::engine::input::PodPhase;
use crate::engine::state::{Attempt, Evidence};
use crate::logs::fake::Fake;
use crate::logs::pod::ContainerNow;
use crate::report::printer::{Level, Terminals};

fn settings(line: &str) -> LogsSettings {
    let words = ["kubectl-jobset", "logs"]
        .into_iter()
        .chain(line.split_whitespace());
    match Cli::try_parse_from(words).unwrap().verb {
        Verb::Logs(args) => LogsSettings::resolve(*args).unwrap(),
        _ => unreachable!(),
    }
}

fn jobset() -> JobSet {
    serde_json::from_value(serde_json::json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train"},
        "spec": {"replicatedJobs": [
            {"name": "leader", "replicas": 1, "template": {"spec": {"completions": 1}}},
            {"name": "worker", "replicas": 4, "template": {"spec": {"completions": 2}}},
        ]},
    }))
    .unwrap()
}

/// A run with a fake cluster behind it, and what was said.
struct Scene {
    fake: Fake,
    run: Run,
    desk: Desk,
}

impl Scene {
    fn new() -> Self {
        Self {
            fake: Fake::new(),
            run: Run {
                name: "train".to_owned(),
                flags: "-n ml".to_owned(),
                jobset: jobset(),
                state: RunState::default(),
                pods: Vec::new(),
            },
            desk: Desk {
                printer: Printer::captured(Level::Normal, Terminals::default(), 80),
                styles: Styles::plain(),
                zone: TimeZone::UTC,
            },
        }
    }

    /// A pod that has written these lines; `None`: it runs on, else it has ended with that code.
    fn pod(&mut self, role: &str, job: u32, index: u32, lines: &[(i64, &str)], end: Option<i32>) {
        let mut pod = PodNow {
            name: format!("train-{role}-{job}-{index}-x7k2p"),
            uid: format!("{role}{job}{index}"),
            role: role.to_owned(),
            job,
            job_name: format!("train-{role}-{job}"),
            index: Some(index),
            attempt: self.run.state.status.restarts,
            containers: vec![ContainerNow {
                name: "main".to_owned(),
                ..ContainerNow::default()
            }],
            default_container: "main".to_owned(),
            ..PodNow::default()
        };
        self.fake.make(pod.clone());
        self.fake.runs(&pod.name);
        for (second, line) in lines {
            self.fake.writes(&pod.name, (*second, 0), line);
        }
        pod.containers[0].state = crate::logs::pod::State::Running;
        if let Some(code) = end {
            self.fake.ends(&pod.name, code);
            pod.containers[0].state = crate::logs::pod::State::Ended(code);
            pod.containers[0].over = true;
        }
        self.run.pods.push(pod);
    }

    async fn show(&self, line: &str, told: Vec<Told>) -> Result<ExitCode> {
        let told = stream::iter(told).chain(stream::pending());
        show(
            &settings(line),
            &self.run,
            self.fake.clone(),
            told,
            &self.desk,
        )
        .await
    }

    fn said(&self) -> (String, String) {
        (
            self.desk.printer.captured_out(),
            self.desk.printer.captured_err(),
        )
    }
}

fn told(pod: &PodNow, phase: PodPhase) -> Told {
    Told::Pod(Box::new(PodSeen {
        name: pod.name.clone(),
        uid: pod.uid.clone(),
        job: pod.job_name.clone(),
        job_uid: String::new(),
        role: pod.role.clone(),
        job_index: pod.job,
        completion_index: pod.index,
        restart_attempt: pod.attempt,
        job_restart_attempt: 0,
        node: None,
        phase,
        ready: false,
        created: Timestamp::UNIX_EPOCH,
        started: None,
        deleting: None,
        waiting: None,
        ends: Vec::new(),
        restarts: 0,
        reason: None,
        message: None,
        disruption: None,
    }))
}

#[tokio::test(start_paused = true)]
async fn merges_by_time_with_prefixes() {
    let mut s = Scene::new();
    s.pod("leader", 0, 0, &[(1, "open"), (4, "joined")], None);
    s.pod("worker", 3, 1, &[(2, "hello"), (3, "\u{1b}[2J")], Some(0));
    assert_eq!(s.show("", vec![]).await.unwrap(), ExitCode::Ok);
    let (out, err) = s.said();
    assert_eq!(
        out,
        "leader/0/0 | open\nworker/3/1 | hello\nworker/3/1 | \u{1b}[2J\nleader/0/0 | joined\n"
    );
    assert_eq!(err, "");
}

#[tokio::test(start_paused = true)]
async fn one_source_has_no_prefix_unless_asked() {
    let mut s = Scene::new();
    s.pod("leader", 0, 0, &[(1, "open")], None);
    s.pod("worker", 0, 0, &[(1, "x")], None);
    s.show("train leader", vec![]).await.unwrap();
    s.show("train leader --prefix=always --timestamps", vec![])
        .await
        .unwrap();
    assert_eq!(s.said().0, "open\nleader/0/0 | 1970-01-01T00:00:01Z open\n");
}

/// The first mock-up of `logs` in cli.md 8.
#[tokio::test(start_paused = true)]
async fn failed_of_all_attempts() {
    let mut s = Scene::new();
    s.run.state.status.restarts = 1;
    s.run.state.attempts = vec![
        Attempt {
            evidence: vec![Evidence {
                role: "worker".to_owned(),
                job: 2,
                index: Some(1),
                pod: "train-worker-2-1-aaaaa".to_owned(),
                pod_uid: "gone".to_owned(),
                container: "main".to_owned(),
                exit_code: 137,
                reason: Some("OOMKilled".to_owned()),
                lines: (0..18)
                    .map(|n| format!("line {n}"))
                    .chain([
                        "step 8100  loss 1.92".to_owned(),
                        "reading shard 31 of 64".to_owned(),
                    ])
                    .collect(),
                ..Evidence::default()
            }],
            ..Attempt::default()
        },
        Attempt {
            number: 1,
            ..Attempt::default()
        },
    ];
    s.pod("worker", 2, 1, &[(1, "fine")], None);
    let code = s
        .show(
            "train --role worker --attempt all --failed --tail 2",
            vec![],
        )
        .await
        .unwrap();
    assert_eq!(code, ExitCode::Ok);
    let (out, err) = s.said();
    assert_eq!(
        out,
        "worker/2/1#0 | step 8100  loss 1.92\nworker/2/1#0 | reading shard 31 of 64\n"
    );
    assert_eq!(
        err,
        "== attempt 0, worker/2/1, kept before restart (20 lines), OOMKilled 137 ==\n\
         == attempt 1, none failed so far ==\n"
    );
}

#[tokio::test(start_paused = true)]
async fn follows_to_the_end_of_the_run() {
    let mut s = Scene::new();
    s.run.state.status.restarts = 1;
    s.pod(
        "leader",
        0,
        0,
        &[(1, "resumed from checkpoint 8000")],
        Some(0),
    );
    let events = vec![told(&s.run.pods[0], PodPhase::Succeeded), Told::Ended];
    let code = s.show("--role leader -f", events).await.unwrap();
    assert_eq!(code, ExitCode::Ok);
    assert_eq!(s.said().0, "leader/0/0#1 | resumed from checkpoint 8000\n");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_ended_is_not_followed() {
    let mut s = Scene::new();
    s.run.state.outcome = Some(Outcome::Completed);
    s.pod("leader", 0, 0, &[(1, "open")], Some(0));
    assert_eq!(s.show("-f", vec![]).await.unwrap(), ExitCode::Ok);
    assert_eq!(s.said().0, "open\n");
}

#[tokio::test(start_paused = true)]
async fn names_what_the_run_does_not_have() {
    let mut s = Scene::new();
    s.pod("leader", 0, 0, &[(1, "open")], None);
    for (line, message) in [
        (
            "train eval",
            "nothing in the run is called eval (roles of train: leader, worker)",
        ),
        ("train worker/4", "worker has no Job 4, it has 4 (0-based)"),
        (
            "--role eval",
            "no role is called eval (roles of train: leader, worker)",
        ),
        ("--attempt 3", "train has no attempt 3, the last one is 0"),
    ] {
        let error = s.show(line, vec![]).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (Kind::Usage, message),
            "{line}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_are_never_cut_silently() {
    let mut s = Scene::new();
    for job in 0..3 {
        s.pod("worker", job, 0, &[(1, "x")], None);
    }
    for line in ["--max-log-requests 2", "-f --max-log-requests 2"] {
        let error = s.show(line, vec![]).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Other);
        assert_eq!(
            error.message(),
            "3 logs are meant, more than the 2 that may be open at once (--max-log-requests)"
        );
        assert_eq!(error.hints(), ["kubectl jobset logs train leader/0 -n ml"]);
    }
    assert_eq!(s.said().0, "");
    // One after the other needs one stream.
    s.show("--max-log-requests 2 --order arrival", vec![])
        .await
        .unwrap();
    assert_eq!(s.said().0.lines().count(), 3);
    // While following, one that comes later.
    let events = s
        .run
        .pods
        .iter()
        .map(|p| told(p, PodPhase::Running))
        .collect();
    s.run.pods.clear();
    let error = s.show("-f --max-log-requests 2", events).await.unwrap_err();
    assert!(error.message().starts_with("3 logs are meant"));
}

#[tokio::test(start_paused = true)]
async fn nothing_to_show_is_an_error_that_says_why() {
    let mut s = Scene::new();
    let error = s.show("", vec![]).await.unwrap_err();
    assert_eq!(
        error.message(),
        "nothing to show: no such pods in attempt 0 of jobset/train"
    );
    assert_eq!(error.hints(), ["-f waits for them"]);
    assert_eq!(error.exit_code(), ExitCode::Other);
    s.pod("worker", 1, 0, &[], None);
    s.run.pods[0].containers[0].state =
        crate::logs::pod::State::Waiting("ImagePullBackOff".to_owned());
    let error = s.show("", vec![]).await.unwrap_err();
    assert_eq!(
        error.message(),
        "nothing to show: worker/1/0 has not started (ImagePullBackOff)"
    );
    // Beside others it is said, and the rest is shown.
    s.pod("worker", 1, 1, &[(1, "hello")], None);
    assert_eq!(s.show("", vec![]).await.unwrap(), ExitCode::Ok);
    let (out, err) = s.said();
    assert_eq!(out, "hello\n");
    assert_eq!(err, "worker/1/0 has not started (ImagePullBackOff)\n");
}

#[tokio::test(start_paused = true)]
async fn a_log_that_cannot_be_read_shows_in_the_code() {
    let mut s = Scene::new();
    s.pod("worker", 0, 0, &[(1, "x")], None);
    s.pod("worker", 1, 0, &[(1, "y")], None);
    s.fake.remove("train-worker-0-0-x7k2p");
    assert_eq!(s.show("", vec![]).await.unwrap(), ExitCode::Other);
    let (out, err) = s.said();
    assert_eq!(out, "worker/1/0 | y\n");
    assert_eq!(
        err,
        "warning: the log of worker/0/0 can't be read: the pod is gone\n"
    );
}

#[tokio::test(start_paused = true)]
async fn not_allowed_has_its_code() {
    for line in ["", "-f"] {
        let mut s = Scene::new();
        s.pod("worker", 0, 0, &[(1, "x")], None);
        s.fake
            .refuses(OpenError::Forbidden("pods/log is forbidden".to_owned()));
        let events = vec![told(&s.run.pods[0], PodPhase::Running)];
        let error = s.show(line, events).await.unwrap_err();
        assert_eq!(error.exit_code(), ExitCode::NotAllowed, "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn many_pods_on_a_terminal_get_a_tail_and_it_says_so() {
    let mut s = Scene::new();
    for n in 0..51 {
        let lines: Vec<(i64, &str)> = (0..12).map(|second| (second, "x")).collect();
        s.pod("worker", n % 4, n, &lines, None);
    }
    s.show("", vec![]).await.unwrap();
    assert_eq!(
        s.said().0.lines().count(),
        51 * 12,
        "no terminal: all of it"
    );
    let tty = Terminals {
        stdout: true,
        ..Terminals::default()
    };
    s.desk.printer = Printer::captured(Level::Normal, tty, 80);
    s.show("", vec![]).await.unwrap();
    let (out, err) = s.said();
    assert_eq!(out.lines().count(), 51 * 10);
    assert_eq!(
        err,
        "the last 10 lines of each of 51 logs (--tail=-1 for all)\n"
    );
    s.desk.printer = Printer::captured(Level::Normal, tty, 80);
    s.show("--tail=-1", vec![]).await.unwrap();
    assert_eq!(s.said().0.lines().count(), 51 * 12);
}

#[tokio::test(start_paused = true)]
async fn one_container_is_chosen_as_kubectl_does_and_said() {
    let mut s = Scene::new();
    s.pod("worker", 0, 0, &[(1, "x")], None);
    s.run.pods[0].containers.push(ContainerNow {
        name: "proxy".to_owned(),
        ..ContainerNow::default()
    });
    s.show("", vec![]).await.unwrap();
    let (out, err) = s.said();
    assert_eq!(out, "x\n");
    assert_eq!(
        err,
        "container main of main, proxy (--all-containers for all)\n"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_may_not_be_followed_has_its_code() {
    let s = Scene::new();
    let error = s
        .show("-f", vec![Told::Refused("watch pods".to_owned())])
        .await
        .unwrap_err();
    assert_eq!(error.exit_code(), ExitCode::NotAllowed);
}

#[tokio::test(start_paused = true)]
async fn json_and_raw() {
    let mut s = Scene::new();
    s.pod("leader", 0, 0, &[(1, "a")], None);
    s.show("-o json", vec![]).await.unwrap();
    s.show("-o raw", vec![]).await.unwrap();
    let (out, _) = s.said();
    let mut lines = out.lines();
    let object: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(object["line"], "a");
    assert_eq!(object["time"], "1970-01-01T00:00:01Z");
    assert_eq!(lines.next(), Some("a"));
}
