//! How fast a what-if is: JobSets of 10 to 1,000 pods with three restarts, on one core.
//! The 1,000 pods also as 10 Jobs of 100. `cargo bench --bench simulate`; the figures are in BENCHMARKS.md.

#![expect(clippy::unwrap_used, reason = "a bench ends at what it did not expect")]

use divan::Bencher;
use kubectl_jobset::api::JobSet;
use kubectl_jobset::simulate::{End, Wishes, play};
use serde_json::json;

// As the binary has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// A role of so many Jobs of so many pods.
fn jobset(jobs: u32, pods: u32) -> JobSet {
    serde_json::from_value(json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train"},
        "spec": {
            "failurePolicy": {"maxRestarts": 3},
            "replicatedJobs": [{"name": "worker", "replicas": jobs, "template": {"spec": {
                "parallelism": pods, "completions": pods, "completionMode": "Indexed", "backoffLimit": 0,
                "template": {"spec": {"restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox"}]}}}}}],
        },
    }))
    .unwrap()
}

/// Three failures, three restarts, and to the end.
#[divan::bench(args = [10, 100, 1_000], sample_count = 5, sample_size = 1)]
fn three_restarts(bencher: Bencher<'_, '_>, jobs: u32) {
    three_restarts_of(bencher, &jobset(jobs, 1));
}

/// 1,000 pods in 10 Jobs.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn three_restarts_of_10_jobs_of_100(bencher: Bencher<'_, '_>) {
    three_restarts_of(bencher, &jobset(10, 100));
}

fn three_restarts_of(bencher: Bencher<'_, '_>, jobset: &JobSet) {
    let mut wishes = Wishes::none("720h".parse().unwrap());
    wishes.fails = vec!["worker/3:exit=1@10m*3".parse().unwrap()];
    bencher.bench_local(|| {
        let story = play(jobset, "ml", &wishes).unwrap();
        assert_eq!((&story.end, story.attempts.len()), (&End::Completed, 4));
        story
    });
}
