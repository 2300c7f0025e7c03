//! Speed on a real control plane, with a bare client beside it in the same run:
//! `tests/cluster/up -- cargo bench --bench cluster` (sizes: `JOBS=100,500,1000`).
//!
//! For N Jobs of one pod it prints how fast a bare client creates and deletes them with 32 requests
//! in flight, and what `kubectl-jobset run` needs to start and to restart the same Jobs: time,
//! requests (from the API server's audit log), CPU and memory of the process. The figures in
//! BENCHMARKS.md come from here.

mod audit;
mod bare;
mod driven;

use std::error::Error;

type Res<T> = Result<T, Box<dyn Error>>;

fn main() -> Res<()> {
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return Ok(()); // `cargo test --benches` must not start a cluster.
    }
    if std::env::var_os("KUBECTL_JOBSET_E2E_ADMIN").is_none() {
        println!("skipped: needs a control plane: tests/cluster/up -- cargo bench --bench cluster");
        return Ok(());
    }
    let sizes = std::env::var("JOBS").unwrap_or_else(|_| "100,500,1000".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    for n in sizes.split(',') {
        runtime.block_on(measure(n.trim().parse()?))?;
    }
    Ok(())
}

async fn measure(n: usize) -> Res<()> {
    println!("## {n} Jobs of one pod");
    let bare = bare::measure(n).await?;
    println!(
        "bare client, suspended Jobs   created {:.2} s ({:.0}/s)",
        bare.suspended_s,
        n as f64 / bare.suspended_s
    );
    println!(
        "bare client, running Jobs     created {:.2} s ({:.0}/s)",
        bare.create_s,
        n as f64 / bare.create_s
    );
    println!(
        "bare client, delete + create  {:.2} s (all gone after {:.2} s)",
        bare.restart_s, bare.gone_s
    );
    let driven = driven::measure(n).await?;
    let per_job = |requests: usize| requests as f64 / n as f64;
    println!(
        "kubectl-jobset start          created {:.2} s ({:.0}/s, {:.0} % of the bare client's rate)",
        driven.create_s,
        n as f64 / driven.create_s,
        100.0 * bare.create_s / driven.create_s
    );
    println!(
        "                              {} requests ({:.3} per Job), {} refused, first Job {:.0} ms after the first request",
        driven.start_requests,
        per_job(driven.start_requests),
        driven.start_refused,
        driven.first_job_ms
    );
    println!(
        "                              CPU {:.2} s, resident {:.0} MiB",
        driven.start_cpu_s, driven.start_rss_mib
    );
    println!(
        "kubectl-jobset restart        failure seen to restart written {:.1} ms, to first delete {:.1} ms",
        driven.seen_to_written_ms, driven.written_to_delete_ms
    );
    println!(
        "                              all new Jobs exist {:.2} s after the first delete ({:.2} x the bare client's)",
        driven.restart_s,
        driven.restart_s / bare.restart_s
    );
    println!(
        "                              last old Job gone to last new Job acknowledged {:.2} s ({:.2} x bare creation)",
        driven.gone_to_made_s,
        driven.gone_to_made_s / bare.create_s
    );
    println!(
        "                              {} requests ({:.3} per Job), {} refused, CPU {:.2} s, peak {:.0} MiB",
        driven.restart_requests,
        per_job(driven.restart_requests),
        driven.restart_refused,
        driven.restart_cpu_s,
        driven.peak_rss_mib
    );
    println!();
    Ok(())
}
