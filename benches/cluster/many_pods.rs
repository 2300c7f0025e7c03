//! Memory while very many pods run.

use crate::audit;
use crate::driven::{AGENT, Tool, file};
use crate::figures::Figures;
use crate::workload::{self, Who};
use crate::{Res, process};

/// Pods in each Job.
const PER_JOB: usize = 100;

pub(crate) async fn measure(pods: usize) -> Res<()> {
    let jobs = pods / PER_JOB;
    println!("\n## {jobs} Jobs of {PER_JOB} pods");
    let admin = workload::client(Who::Admin, "bench").await?;
    let ns = format!("pods-{}", std::process::id());
    workload::namespace(&admin, &ns).await?;
    let file = file(jobs, PER_JOB)?;
    let mut figures = Figures::default();

    let mut tool = Tool::start(&ns, &["run", file.path().to_str().ok_or("path")?])?;
    tool.until("run.running", Some(0)).await?;
    figures.add(
        "run: resident with all pods running, MiB",
        process::resident_mib(tool.pid)?,
    );
    figures.add("run: peak resident, MiB", process::peak_mib(tool.pid)?);
    figures.add("run: CPU, s", process::cpu_s(tool.pid)?);
    tool.kill().await?;

    // The other way to come by so many pods: all at once, in a list.
    let mark = audit::mark()?;
    let mut tool = Tool::start(&ns, &["attach", "b", "--take-over"])?;
    tool.until("stream.live", None).await?;
    figures.add(
        "attach: resident when live, MiB",
        process::resident_mib(tool.pid)?,
    );
    figures.add("attach: peak resident, MiB", process::peak_mib(tool.pid)?);
    figures.add("attach: CPU, s", process::cpu_s(tool.pid)?);
    let requests = audit::since(mark, AGENT, &ns)?;
    figures.add("attach: requests", requests.len() as f64);
    tool.kill().await?;
    figures.print();
    workload::remove(&admin, &ns).await
}
