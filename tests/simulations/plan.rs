//! What happens in a run, from its seed alone.

use fastrand::Rng;
use k8s_openapi::jiff::SignedDuration;
use kubectl_jobset::api::JobSet;
use kubectl_jobset::cluster::front::faults::Plan as FaultPlan;
use kubectl_jobset::cluster::kubelet::scripted::{End, Exit, Play, Rule, Terminate, Which};
use kubectl_jobset::engine::FailAt;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::random;

/// Nodes of the world.
pub(crate) const NODES: usize = 3;

/// Something from outside.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// The newest driver's machine dies after so many more steps.
    Kill(u32),
    /// Somebody attaches; `true`: with `--take-over`.
    Attach(bool),
    /// The newest driver's machine sleeps for so many seconds.
    Sleep(i64),
    /// Its clock is set.
    Clock(SignedDuration),
    Suspend(bool),
    Stop,
    Delete,
    Faults(FaultPlan),
    LoseNode(usize),
    ReturnNode(usize),
    Evict(usize),
    Fail(usize, i32),
    /// Every watch breaks, and its place in the history is gone.
    Gone,
}

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) jobset: JobSet,
    pub(crate) fail_at: FailAt,
    pub(crate) rules: Vec<Rule>,
    /// Wait, and what happens then.
    pub(crate) events: Vec<(SignedDuration, Event)>,
    pub(crate) skews: Vec<SignedDuration>,
}

fn jobset(seed: u64) -> JobSet {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut jobset = random::jobset().new_tree(&mut runner).unwrap().current().0;
    jobset.metadata.namespace = Some(crate::network::NAMESPACE.to_owned());
    jobset
}

fn seconds(rng: &mut Rng, most: i64) -> SignedDuration {
    SignedDuration::from_millis(rng.i64(0..most * 1000))
}

fn which(rng: &mut Rng) -> Which {
    let mut which = Which::all();
    if rng.u8(..3) > 0 {
        which = which.role(["a", "b", "c"][rng.usize(..3)]);
    }
    if rng.bool() {
        which = which.job(rng.u32(..3));
    }
    if rng.u8(..4) == 0 {
        which = which.index(rng.u32(..2));
    }
    if rng.u8(..4) == 0 {
        which = which.attempt(rng.u32(..2));
    }
    which
}

fn rules(rng: &mut Rng) -> Vec<Rule> {
    let mut rules: Vec<Rule> = (0..rng.usize(1..6))
        .map(|_| {
            let mut play = Play::default();
            match rng.u8(..8) {
                0..4 => {
                    let exit = match rng.u8(..6) {
                        0..3 => Exit::code(1),
                        3..5 => Exit::code(42),
                        _ => Exit::out_of_memory(),
                    };
                    let (after, container) = (seconds(rng, 20), None);
                    play.end = Some(End {
                        after,
                        exit,
                        container,
                    });
                }
                4 => play.evict_after = Some(seconds(rng, 15)),
                5 => play.never_ready = Some(true),
                6 => {
                    play.terminate = Some(match rng.u8(..4) {
                        0 => Terminate::Never,
                        1 => Terminate::Stubborn(seconds(rng, 90)),
                        _ => Terminate::After(seconds(rng, 40)),
                    });
                }
                _ => {
                    play.start_after = Some(seconds(rng, 15));
                    play.ready_after = Some(seconds(rng, 10));
                }
            }
            Rule {
                which: which(rng),
                play,
                times: Some(rng.u32(1..3)),
            }
        })
        .collect();
    // All that is left does its work and ends well.
    for role in ["a", "b", "c"] {
        let after = SignedDuration::from_secs(5) + seconds(rng, 25);
        let end = Some(End {
            after,
            exit: Exit::code(0),
            container: None,
        });
        let mut play = Play::default();
        play.end = end;
        rules.push(Rule {
            which: Which::all().role(role),
            play,
            times: None,
        });
    }
    rules
}

fn faults(rng: &mut Rng) -> FaultPlan {
    let mut plan = FaultPlan::default();
    let mut often = |most: u32| if rng.u8(..3) == 0 { rng.u32(..most) } else { 0 };
    plan.broken = often(300);
    plan.unclear = often(400);
    plan.too_many = often(200);
    plan.server_error = often(200);
    plan.slow = often(800);
    plan.gone = often(300);
    plan.late = often(500);
    plan.twice = often(300);
    plan.cut = often(100);
    plan.lost = often(100);
    plan.slow_ms = rng.u64(10..4000);
    plan
}

fn event(rng: &mut Rng) -> Event {
    match rng.u8(..40) {
        0..6 => Event::Kill(rng.u32(..60)),
        6..10 => Event::Attach(false),
        10..14 => Event::Attach(true),
        14..18 => Event::Sleep(if rng.bool() {
            rng.i64(1..20)
        } else {
            rng.i64(20..150)
        }),
        18..19 => Event::Clock(SignedDuration::from_secs(rng.i64(-4000..4000))),
        19..21 => Event::Suspend(rng.bool()),
        21 if rng.bool() => Event::Stop,
        22 if rng.u8(..3) == 0 => Event::Delete,
        23..29 => Event::Faults(faults(rng)),
        29 => Event::LoseNode(rng.usize(..NODES)),
        30 => Event::ReturnNode(rng.usize(..NODES)),
        31..33 => Event::Evict(rng.usize(..20)),
        33 => Event::Gone,
        _ => Event::Fail(rng.usize(..20), if rng.bool() { 1 } else { 42 }),
    }
}

impl Plan {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let first = if rng.bool() {
            vec![(SignedDuration::ZERO, Event::Faults(faults(&mut rng)))]
        } else {
            Vec::new()
        };
        let more = (0..rng.usize(..12)).map(|_| {
            let wait = seconds(&mut rng, 9);
            (wait, event(&mut rng))
        });
        let more: Vec<_> = more.collect();
        let events = first.into_iter().chain(more).collect();
        let skew = |rng: &mut Rng| match rng.u8(..3) {
            0 => SignedDuration::from_secs(rng.i64(-7200..7200)),
            1 => SignedDuration::from_millis(rng.i64(-3000..3000)),
            _ => SignedDuration::ZERO,
        };
        Self {
            seed,
            jobset: jobset(seed),
            fail_at: if rng.bool() {
                FailAt::FailureTarget
            } else {
                FailAt::Failed
            },
            rules: rules(&mut rng),
            events,
            skews: (0..8).map(|_| skew(&mut rng)).collect(),
        }
    }

    /// Whether a watch may skip a change for good until it is told anew.
    pub(crate) fn skips(&self) -> bool {
        let lost = |e: &Event| matches!(e, Event::Faults(plan) if plan.lost > 0);
        self.events.iter().any(|(_, e)| lost(e))
    }
}
