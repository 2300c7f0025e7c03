//! Start-up and requests of `status` on a small set, with `kubectl get` of the same kinds beside it.

use std::process::Stdio;

use k8s_openapi::jiff::Timestamp;
use tokio::process::Command;

use crate::driven::{AGENT, file};
use crate::figures::Figures;
use crate::workload::{self, Who};
use crate::{Res, audit};

const JOBS: usize = 4;

pub(crate) async fn measure(times: usize) -> Res<()> {
    println!("\n## a set of {JOBS} Jobs of one pod, {times} times");
    let admin = workload::client(Who::Admin, "bench").await?;
    let ns = format!("small-{}", std::process::id());
    workload::namespace(&admin, &ns).await?;
    let file = file(JOBS, 1)?;
    let ours = env!("CARGO_BIN_EXE_kubectl-jobset");
    let kubectl = std::env::var("KUBECTL_JOBSET_E2E_KUBECTL")?;
    let path = file.path().to_str().ok_or("path")?;
    run(ours, &["run", "-d", "-n", &ns, path]).await?;
    workload::running(&admin, &ns, JOBS).await?;

    let mut figures = Figures::default();
    for _ in 0..times {
        let (mark, spawned) = (audit::mark()?, Timestamp::now());
        run(ours, &["status", "b", "-n", &ns]).await?;
        let took = audit::seconds(spawned, Timestamp::now());
        let requests = audit::since(mark, AGENT, &ns)?;
        let first = requests.iter().map(|r| r.received).min();
        let before = audit::seconds(spawned, first.ok_or("no request")?);
        figures.add("status: requests", requests.len() as f64);
        figures.add("status: process to first request, ms", 1000.0 * before);
        figures.add("status: whole, ms", 1000.0 * took);

        let (mark, spawned) = (audit::mark()?, Timestamp::now());
        run(&kubectl, &["get", "configmaps,jobs,pods", "-n", &ns]).await?;
        let took = audit::seconds(spawned, Timestamp::now());
        let requests = audit::since(mark, "kubectl/", &ns)?;
        figures.add(
            "kubectl get configmaps,jobs,pods: requests",
            requests.len() as f64,
        );
        figures.add("kubectl get configmaps,jobs,pods: whole, ms", 1000.0 * took);
    }
    figures.print();
    workload::remove(&admin, &ns).await
}

async fn run(program: &str, words: &[&str]) -> Res<()> {
    let done = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .await?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{program} {}: {said}", words.join(" ")).into());
    }
    Ok(())
}
