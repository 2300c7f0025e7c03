//! What one event costs in the engine, at 10, 1,000 and 10,000 Jobs, and what a watched pod weighs.
//! `cargo bench --bench engine`; the figures are in BENCHMARKS.md.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints its figures and ends at what it did not expect"
)]

use divan::{AllocProfiler, Bencher};
use k8s_openapi::jiff::Timestamp;
use kubectl_jobset::api::JobSet;
use kubectl_jobset::engine::input::{ActionResult, JobEnd, PodPhase};
use kubectl_jobset::engine::{
    Action, Engine, JobSeen, Observation, Options, PodSeen, Run, RunState,
};
use serde_json::json;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

/// Jobs of the sets.
const SIZES: [u32; 3] = [10, 1_000, 10_000];

fn main() {
    println!(
        "{} bytes resident per watched pod, its Job included",
        bytes_per_pod()
    );
    divan::main();
}

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn jobset(jobs: u32) -> JobSet {
    serde_json::from_value(json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train"},
        "spec": {
            "failurePolicy": {"maxRestarts": 3},
            "replicatedJobs": [{"name": "worker", "replicas": jobs, "template": {"spec": {
                "parallelism": 1, "completions": 1, "template": {"spec": {}}}}}],
        },
    }))
    .unwrap()
}

fn job(index: u32, attempt: u32) -> JobSeen {
    JobSeen {
        name: format!("train-worker-{index}"),
        uid: format!("4b1f0a52-8c7e-4f0e-9b1a-{attempt:04}{index:08}"),
        role: "worker".to_owned(),
        index,
        restart_attempt: attempt,
        job_restart_attempt: 0,
        created: now(),
        deleting_since: None,
        suspend: false,
        started: true,
        active: 1,
        ready: 1,
        succeeded: 0,
        failed: 0,
        terminating: 0,
        complete: None,
        failed_condition: None,
        failure_target: None,
        success_criteria_met: false,
    }
}

fn pod(index: u32) -> PodSeen {
    PodSeen {
        name: format!("train-worker-{index}-0-x7k2p"),
        uid: format!("9d2c41ab-33f0-4e7d-8a55-{index:012}"),
        job: format!("train-worker-{index}"),
        job_uid: format!("4b1f0a52-8c7e-4f0e-9b1a-0000{index:08}"),
        role: "worker".to_owned(),
        job_index: index,
        completion_index: Some(0),
        restart_attempt: 0,
        job_restart_attempt: 0,
        node: Some(format!("node-{:04}", index % 1000)),
        phase: PodPhase::Running,
        ready: true,
        created: now(),
        started: Some(now()),
        deleting: None,
        waiting: None,
        ends: Vec::new(),
        restarts: 0,
        reason: None,
        message: None,
        disruption: None,
    }
}

/// A run of so many ready Jobs of one pod.
fn engine(jobs: u32) -> Engine {
    let run = Run {
        namespace: "ml".to_owned(),
        name: "train".to_owned(),
        uid: "0b5c".to_owned(),
    };
    let mut e = Engine::new(
        run,
        jobset(jobs),
        RunState::default(),
        Options::default(),
        now(),
    );
    e.observe(Observation::Service { present: true }, now());
    e.observe(
        Observation::JobsListed((0..jobs).map(|i| job(i, 0)).collect()),
        now(),
    );
    e.observe(Observation::PodsListed((0..jobs).map(pod).collect()), now());
    settle(&mut e);
    e
}

/// Steps until nothing is left to do; every action succeeds. Actions carried out.
fn settle(e: &mut Engine) -> usize {
    let mut done = 0;
    loop {
        let step = e.step(now());
        if step.write.is_none() && step.actions.is_empty() {
            return done;
        }
        if let Some(w) = step.write {
            e.observe(Observation::Written { version: w.version }, now());
        }
        for (id, action) in step.actions {
            done += 1;
            match action {
                Action::CreateJob {
                    index, restarts, ..
                } => {
                    let new = job(index, restarts);
                    let result = ActionResult::Ok {
                        uid: Some(new.uid.clone()),
                    };
                    e.observe(Observation::Done { id, result }, now());
                    e.observe(Observation::Job(new), now());
                }
                Action::DeleteJob { name, uid, .. } => {
                    e.observe(
                        Observation::Done {
                            id,
                            result: ActionResult::Ok { uid: None },
                        },
                        now(),
                    );
                    let index: u32 = name.rsplit('-').next().unwrap().parse().unwrap();
                    let gone = pod(index);
                    e.observe(
                        Observation::PodGone {
                            name: gone.name,
                            uid: gone.uid,
                        },
                        now(),
                    );
                    e.observe(Observation::JobGone { name, uid }, now());
                }
                _ => {
                    let result = ActionResult::Ok { uid: None };
                    e.observe(Observation::Done { id, result }, now());
                }
            }
        }
    }
}

/// A pod becomes ready or not, and the step after it.
#[divan::bench(args = SIZES)]
fn pod_event(bencher: Bencher<'_, '_>, jobs: u32) {
    let mut e = engine(jobs);
    let mut turn = 0;
    bencher
        .with_inputs(|| {
            turn += 1;
            let mut p = pod(turn * 7919 % jobs);
            p.ready = turn % 2 == 0;
            p
        })
        .bench_local_values(|p| {
            e.observe(Observation::Pod(p), now());
            e.step(now())
        });
}

/// A Job becomes ready or not (its role's count changes), and the step after it.
#[divan::bench(args = SIZES)]
fn job_event(bencher: Bencher<'_, '_>, jobs: u32) {
    let mut e = engine(jobs);
    let mut turn = 0;
    bencher
        .with_inputs(|| {
            turn += 1;
            let mut j = job(turn * 7919 % jobs, 0);
            j.ready = turn % 2;
            j
        })
        .bench_local_values(|j| {
            e.observe(Observation::Job(j), now());
            e.step(now())
        });
}

/// Nothing new.
#[divan::bench(args = SIZES)]
fn idle_step(bencher: Bencher<'_, '_>, jobs: u32) {
    let mut e = engine(jobs);
    bencher.bench_local(|| e.step(now()));
}

/// The picture for the display.
#[divan::bench(args = SIZES)]
fn snapshot(bencher: Bencher<'_, '_>, jobs: u32) {
    let e = engine(jobs);
    bencher.bench_local(|| e.snapshot(now()));
}

/// A whole restart: failure, count, all deletes, all creates. Per restart, not per event.
#[divan::bench(args = SIZES, sample_count = 10, sample_size = 1)]
fn whole_restart(bencher: Bencher<'_, '_>, jobs: u32) {
    bencher
        .with_inputs(|| engine(jobs))
        .bench_local_values(|mut e| {
            let mut failed = job(3, 0);
            failed.failure_target = Some(JobEnd {
                at: now(),
                reason: "BackoffLimitExceeded".to_owned(),
                message: String::new(),
            });
            e.observe(Observation::Job(failed), now());
            assert_eq!(settle(&mut e), 2 * jobs as usize);
            e
        });
}

/// Takes in the first lists: what the heap holds afterwards is the column `max alloc`.
#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn first_lists(jobs: u32) -> Engine {
    engine(jobs)
}

/// Growth of the resident set by 10,000 Jobs with a pod each, divided by 10,000.
fn bytes_per_pod() -> u64 {
    let before = resident();
    let e = engine(10_000);
    let after = resident();
    assert_eq!(e.pods().count(), 10_000);
    after.saturating_sub(before) / 10_000
}

/// Resident bytes of this process, by the kernel's account.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm
        .split_whitespace()
        .nth(1)
        .and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
