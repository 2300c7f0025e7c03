//! `simulate`: a JobSet and wishes in, a story out. The real engine on the pocket cluster, in virtual
//! time. Pure.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::api::JobSet;
use crate::api::names::condition;
use crate::cluster::api::Status;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::ChangeKind;
use crate::cluster::world::{World, WorldOptions};
use crate::engine::{Engine, Options, Outcome};
use crate::simulate::cluster::{self, DRIVER};
use crate::simulate::entry::What;
use crate::simulate::faults::{Faults, Fulfilled};
use crate::simulate::session::{Delays, Session, Setup};
use crate::simulate::story::{End, Facts, Story, Teller};
use crate::simulate::usage::Usage;
use crate::simulate::wishes::Wishes;

/// The first moment of every simulation.
const START: Timestamp = Timestamp::constant(1_772_452_800, 0);
/// Turns at one moment; a world that needs more goes round in circles.
const TURNS: u32 = 200_000;

/// Plays it.
///
/// # Errors
/// The world's API refuses what every run needs.
pub fn play(jobset: &JobSet, namespace: &str, wishes: &Wishes) -> Result<Story, Status> {
    let mut world = World::new(WorldOptions {
        pace: cluster::pace(),
        ..WorldOptions::new(START, wishes.seed)
    });
    let assumptions = cluster::furnish(&mut world, jobset, namespace, wishes);
    let setup = Setup {
        jobset: jobset.clone(),
        namespace: namespace.to_owned(),
        user: DRIVER.to_owned(),
        // Nobody reads the last lines of pods that are not there.
        options: Options {
            evidence_lines: 0,
            ..Options::default()
        },
        delays: Delays::default(),
    };
    let mut play = Play {
        session: Session::new(world, setup)?,
        faults: Faults::new(wishes),
        usage: Usage::default(),
        teller: Teller::new(jobset, START, Faults::texts(wishes)),
        seen: 0,
    };
    let stuck = play.run(wishes.until);
    match play.session.engine.take() {
        Some(engine) => Ok(play.end(&engine, wishes, assumptions, stuck)),
        None => Err(Status::new(500, "InternalError", "the driver is gone")),
    }
}

struct Play<'a> {
    session: Session,
    faults: Faults,
    usage: Usage,
    teller: Teller<'a>,
    /// Version up to which pods have been looked at.
    seen: u64,
}

impl Play<'_> {
    /// To the end, or until nothing happens any more (true), or until the time is up.
    fn run(&mut self, until: SignedDuration) -> bool {
        let end = START.saturating_add(until).unwrap_or(Timestamp::MAX);
        let (mut last, mut turns) = (START, 0);
        self.session.attach();
        while self.session.outcome.is_none() {
            let next = [self.session.next_due(), self.faults.next_due()];
            let Some(next) = next.into_iter().flatten().min() else {
                return true;
            };
            if next > end {
                self.session.world.advance(end);
                return false;
            }
            turns = if next > last { 0 } else { turns + 1 };
            if turns > TURNS {
                return true;
            }
            last = next;
            self.session.turn(next);
            self.look();
            for Fulfilled { wish, place, times } in self.faults.run(&mut self.session.world) {
                self.session.note(What::Fault { wish, place, times });
            }
            self.look();
            self.session.forget(self.seen);
            self.teller.hear(self.session.log.drain(..));
        }
        false
    }

    /// Looks at the pods that have changed.
    fn look(&mut self) {
        let world = &self.session.world;
        let now = world.now();
        if let Ok(changes) = world.store().changes_after(Kind::Pod, self.seen) {
            for change in changes {
                if change.kind == ChangeKind::Deleted {
                    self.usage.gone(change.object.uid(), now);
                    self.faults.gone(change.object.uid());
                } else if let Object::Pod(pod) = &*change.object {
                    self.usage.see(pod, now);
                    self.faults.see(pod, now);
                }
            }
        }
        self.seen = world.version();
    }

    fn end(self, engine: &Engine, wishes: &Wishes, assumptions: Vec<String>, stuck: bool) -> Story {
        let now = self.session.now();
        let snapshot = engine.snapshot(now);
        let state = engine.state();
        let end = match &self.session.outcome {
            Some(Outcome::Completed) => End::Completed,
            Some(_) => {
                let failed = state
                    .status
                    .conditions
                    .iter()
                    .find(|c| c.type_ == condition::FAILED);
                End::Failed {
                    reason: failed.map(|c| c.reason.clone()).unwrap_or_default(),
                    message: failed.map(|c| c.message.clone()).unwrap_or_default(),
                }
            }
            None => End::Unfinished {
                stuck,
                state: snapshot.state.as_str().to_owned(),
            },
        };
        self.teller.end(Facts {
            name: engine.jobset().metadata.name.clone(),
            seed: wishes.seed,
            assumptions,
            state,
            snapshot: &snapshot,
            costs: self.usage.close(now),
            now,
            end,
        })
    }
}
