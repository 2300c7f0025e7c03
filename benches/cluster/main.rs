//! Speed and memory on a real control plane, with a raw client beside it in the same run:
//! `tests/cluster/up -- cargo bench --bench cluster`. The figures in BENCHMARKS.md come from here.
//!
//! Without further words it measures starts and restarts of N Jobs of one pod. Knobs, by environment:
//!
//! | variable | |
//! | --- | --- |
//! | `JOBS=100,500,1000` | sizes |
//! | `RUNS=3` | times that raw client and tool take turns at each size |
//! | `RESTARTS=5` | restarts in each run of the tool |
//! | `PODS=10000` | instead: memory of the tool while that many pods run, 100 in each Job |
//! | `SMALL=20` | instead: start-up and requests of the verbs on a small set, that many times |

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and its knobs, and prints"
)]

mod audit;
mod bare;
mod driven;
mod eyes;
mod figures;
mod many_pods;
mod process;
mod small;
mod workload;

use std::error::Error;

use figures::Figures;

type Res<T> = Result<T, Box<dyn Error>>;

fn main() -> Res<()> {
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return Ok(()); // `cargo test --benches` must not start a cluster.
    }
    if std::env::var_os("KUBECTL_JOBSET_E2E_ADMIN").is_none() {
        println!("skipped: needs a control plane: tests/cluster/up -- cargo bench --bench cluster");
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load of the machine before: {}", load.trim());
    if let Ok(pods) = std::env::var("PODS") {
        return runtime.block_on(many_pods::measure(pods.parse()?));
    }
    if let Ok(times) = std::env::var("SMALL") {
        return runtime.block_on(small::measure(times.parse()?));
    }
    for n in knob("JOBS", "100,500,1000").split(',') {
        runtime.block_on(jobs(n.trim().parse()?))?;
    }
    Ok(())
}

fn knob(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

async fn jobs(n: usize) -> Res<()> {
    let runs: usize = knob("RUNS", "3").parse()?;
    let restarts: u64 = knob("RESTARTS", "5").parse()?;
    println!("\n## {n} Jobs of one pod: {runs} runs, {restarts} restarts in each");
    let mut figures = Figures::default();
    for run in 0..runs {
        let bare = bare::measure(n, run, &mut figures).await?;
        driven::measure(n, run, restarts, &bare, &mut figures).await?;
    }
    figures.print();
    Ok(())
}
