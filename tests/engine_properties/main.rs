//! Random JobSets, random worlds, drivers that die at random points and are replaced, watches that are
//! late, doubled, cut and listed anew: named invariants after each step, and once the faults stop the run
//! ends as a slow model of the policies says. A failing case is shrunk and printed; every run uses the
//! same seed unless `PROPTEST_RNG_SEED` says otherwise, `PROPTEST_CASES` asks for more.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

use random::{Op, fail_at, jobset, op};
use trial::{Tally, trial};

mod breaks;
mod invariants;
mod model;
mod random;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "scenarios use other parts of it")]
mod support;
mod trial;

/// The seed by default ("jobset" in ASCII), so that a failure elsewhere is a failure here.
const SEED: u64 = 0x6a6f_6273_6574;

fn config() -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    config
}

/// Whatever happens, the invariants hold, and it ends as the model says.
#[test]
fn invariants_hold_and_it_ends() {
    let config = config();
    let (cases, seed) = (config.cases, config.rng_seed);
    let strategy = (jobset(), fail_at(), vec(op(), 0..90));
    let all = Cell::new(Tally::default());
    let result = TestRunner::new(config).run(&strategy, |(jobset, fail_at, ops)| {
        let mut sum = all.get();
        sum += trial(&jobset.0, fail_at, &ops, None).map_err(TestCaseError::fail)?;
        all.set(sum);
        Ok(())
    });
    if let Err(e) = result {
        panic!("{cases} cases, seed {seed:?}: {e}");
    }
    // Worlds in which nothing happens would show nothing.
    let t = all.get();
    let enough = [
        (t.set_restarts, 4),
        (t.job_restarts, 8),
        (t.uncounted, 8),
        (t.limit, 20),
        (t.failed_by_rule, 16),
        (t.completed, 4),
        (t.takeovers, 1),
        (t.takeovers_after_restart, 16),
    ];
    assert!(
        enough.iter().all(|(n, part)| n * part >= cases),
        "{cases} cases reach only {t:?}"
    );
}

/// A run that is stopped at a random point ends stopped, unless it had ended before, and leaves nothing.
#[test]
fn stop_ends_it() {
    let mut config = config();
    config.cases /= 4;
    let strategy = (jobset(), fail_at(), vec(op(), 0..20), vec(op(), 0..10));
    let result = TestRunner::new(config).run(&strategy, |(jobset, fail_at, mut ops, rest)| {
        ops.push(Op::Attach);
        ops.push(Op::Stop);
        ops.extend(rest);
        trial(&jobset.0, fail_at, &ops, None)
            .map(|_| ())
            .map_err(TestCaseError::fail)
    });
    if let Err(e) = result {
        panic!("{e}");
    }
}
