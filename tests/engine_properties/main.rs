//! Random JobSets, random worlds, drivers that die at random points and are replaced, watches that are
//! late, doubled, cut and listed anew: named invariants after each step, and once the faults stop the run
//! ends as a slow model of the policies says. A failing case is shrunk and printed; every run uses the
//! same seed unless `PROPTEST_RNG_SEED` says otherwise, `PROPTEST_CASES` asks for more.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

use random::{Op, fail_at, jobset, op};
use trial::trial;

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
    let strategy = (jobset(), fail_at(), vec(op(), 0..60));
    let result = TestRunner::new(config).run(&strategy, |(jobset, fail_at, ops)| {
        trial(&jobset.0, fail_at, &ops, None).map_err(TestCaseError::fail)
    });
    if let Err(e) = result {
        panic!("{cases} cases, seed {seed:?}: {e}");
    }
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
        trial(&jobset.0, fail_at, &ops, None).map_err(TestCaseError::fail)
    });
    if let Err(e) = result {
        panic!("{e}");
    }
}
