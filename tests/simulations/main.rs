//! The real driver on the pocket cluster under a virtual clock: random JobSets and kubelets, bad networks,
//! machines that die, sleep and have wrong clocks, several drivers, people who suspend, stop and delete. Named
//! invariants on every change of the store; once the faults stop, it ends.
//!
//! `SIMULATION_SEED=7` plays one run, and tells its story if it fails. Many runs, as in `.ci/run`:
//! `SIMULATIONS=20000 cargo test --release --test simulations -- --nocapture`. A soak, from other seeds:
//! `SIMULATIONS_FROM=20000 SIMULATIONS=1000000 cargo test --profile soak --test simulations -- --nocapture`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use plan::Plan;
use play::{Break, Tally, play};

mod breaks;
mod driver;
mod invariants;
mod lies;
mod machine;
#[path = "../engine_properties/model.rs"]
mod model;
mod network;
mod objects;
mod plan;
mod play;
#[path = "../engine_properties/random.rs"]
#[expect(dead_code, reason = "the engine's properties use other parts of it")]
mod random;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "scenarios use other parts of it")]
mod support;

/// Plays one run again.
const COMMAND: &str = "cargo test --test simulations invariants -- --nocapture";
/// Enough of them to see what they have in common.
const FAILURES: usize = 12;
/// Runs of an ordinary `cargo test`.
const RUNS: u64 = 120;

/// One number of the environment.
fn number(name: &str) -> Option<u64> {
    #[expect(
        clippy::disallowed_methods,
        reason = "seeds are given to a test by the environment"
    )]
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
    )
}

/// Plays a plan in a runtime of its own, whose time is virtual.
pub(crate) fn run(plan: &Plan, how: Break) -> Result<Tally, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, play(plan, how))
}

fn many(from: u64, runs: u64) -> Result<Tally, String> {
    let next = AtomicU64::new(from);
    let all = Mutex::new((Tally::default(), Vec::<(u64, String)>::new()));
    let threads = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .min(8);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + runs || all.lock().unwrap().1.len() >= FAILURES {
                        return;
                    }
                    let result =
                        std::panic::catch_unwind(|| run(&Plan::new(seed), Break::default()))
                            .unwrap_or_else(|_| Err("it panics".to_owned()));
                    let mut all = all.lock().unwrap();
                    match result {
                        Ok(tally) => all.0.add(tally),
                        Err(why) => all.1.push((seed, why)),
                    }
                }
            });
        }
    });
    let (tally, failed) = all.into_inner().unwrap();
    if failed.is_empty() {
        return Ok(tally);
    }
    let lines: Vec<String> = failed
        .iter()
        .map(|(seed, why)| {
            let why = why.lines().next().unwrap_or_default();
            format!("{why}\n    again: SIMULATION_SEED={seed} {COMMAND}")
        })
        .collect();
    Err(lines.join("\n"))
}

/// Whatever happens, the invariants hold, and it ends.
#[test]
fn invariants_hold_and_it_ends() {
    if let Some(seed) = number("SIMULATION_SEED") {
        let plan = Plan::new(seed);
        println!("{plan:#?}");
        match run(&plan, Break::default()) {
            Ok(tally) => println!("{tally:#?}"),
            Err(why) => panic!("{why}"),
        }
        return;
    }
    let runs = number("SIMULATIONS").unwrap_or(RUNS);
    let from = number("SIMULATIONS_FROM").unwrap_or(0);
    let tally = many(from, runs).unwrap_or_else(|why| panic!("{why}"));
    println!("{tally:#?}");
    // Worlds in which nothing happens would show nothing.
    let faults: u64 = tally.faults.values().sum();
    let enough = [
        (tally.restarts, 10),
        (tally.job_restarts, 60),
        (tally.killed, 8),
        (tally.taken_over, 8),
        (faults, 1),
    ];
    assert!(
        runs < RUNS || enough.iter().all(|(n, part)| n * part >= runs),
        "{runs} runs reach only {tally:?}"
    );
}
