//! One run: a world, its drivers, what is done to them, what must hold.

use k8s_openapi::jiff::SignedDuration;
use kubectl_jobset::api::JobSet;
use kubectl_jobset::engine::{Command, FailAt, JobSeen, Observation, Outcome};

use crate::breaks::Sabotage;
use crate::invariants::{Checker, sums};
use crate::random::{Op, PodOp};
use crate::support::lines;
use crate::support::pod::PodChange;
use crate::support::sim::{Effect, Happened, Sim, Trap};
use crate::support::steps;
use crate::support::stream::Stream;
use crate::support::world::Pace;

/// Turns of ready-then-succeeded that any run must have ended after, faults off: a few for each of at
/// most three roles in order, with back-offs of failed pods from before.
const ROUNDS: usize = 24;

/// A run under test.
pub(crate) struct Trial {
    pub(crate) sim: Sim,
    checker: Checker,
    /// What was done and what happened, for a failure's report.
    story: Vec<String>,
}

impl Trial {
    pub(crate) fn new(jobset: &JobSet, fail_at: FailAt, sabotage: Option<Sabotage>) -> Self {
        let mut sim = Sim::new(jobset.clone(), "default", Sim::options(fail_at, 2));
        sim.journal = Some(Vec::new());
        sim.sabotage = sabotage;
        Self {
            sim,
            checker: Checker::new(jobset, fail_at),
            story: Vec::new(),
        }
    }

    pub(crate) fn check(&mut self) -> Result<(), String> {
        let happened = std::mem::take(self.sim.journal.as_mut().unwrap());
        self.story.extend(happened.iter().map(line));
        self.checker.follow(happened)?;
        if let Some(engine) = &self.sim.engine {
            sums(&engine.snapshot(self.sim.world.now))?;
        }
        Ok(())
    }

    fn tally(&self) -> Tally {
        let model = self.checker.model();
        let job_restarts = model.job_restarts.values().sum::<u32>();
        let outcome = self.sim.outcome.as_ref();
        let ended = |is: fn(&Outcome) -> bool| u32::from(outcome.is_some_and(is));
        let attached = |l: &&String| l.starts_with("attached");
        Tally {
            set_restarts: model.restarts,
            job_restarts,
            uncounted: model.restarts + job_restarts - model.used(),
            limit: ended(|o| matches!(o, Outcome::RestartLimit)),
            failed_by_rule: ended(|o| matches!(o, Outcome::FailedByPolicy { .. })),
            completed: ended(|o| matches!(o, Outcome::Completed)),
            stopped: ended(|o| matches!(o, Outcome::Stopped { .. })),
            takeovers: u32::try_from(self.story.iter().filter(attached).count()).unwrap() - 1,
            takeovers_after_restart: u32::from(
                self.story
                    .iter()
                    .filter(attached)
                    .any(|l| !l.contains(": 0 restarts")),
            ),
        }
    }

    fn play(&mut self, ops: &[Op]) -> Result<(), String> {
        self.sim.attach();
        for op in ops {
            self.story.push(format!("> {op:?}"));
            self.apply(op);
            self.check()?;
        }
        self.story.push("> faults off".to_owned());
        self.finish()
    }

    fn apply(&mut self, op: &Op) {
        let sim = &mut self.sim;
        let jobs: Vec<String> = sim.world.jobs.keys().cloned().collect();
        let millis = |ms: u32| SignedDuration::from_millis(i64::from(ms));
        match op {
            Op::Pod(n, change) => {
                let live: Vec<String> = sim
                    .world
                    .pods
                    .values()
                    .filter(|p| p.live())
                    .map(|p| p.uid.clone())
                    .collect();
                if !live.is_empty() {
                    pod(sim, &live[n % live.len()], change);
                }
            }
            Op::AllReady => steps::apply(sim, "pods ready").unwrap(),
            Op::Next(n) => {
                for _ in 0..*n {
                    sim.advance(SignedDuration::from_secs(60));
                }
            }
            Op::Wait(ms) => sim.wait(millis(*ms)),
            Op::Settle => sim.settle(),
            Op::Crash(arrive) if sim.engine.is_some() => sim.crash(*arrive),
            Op::Trap(nth, after) => {
                sim.trap = Some(Trap {
                    effect: Effect::Any,
                    nth: usize::from(*nth),
                    after: *after,
                });
            }
            Op::Attach if sim.engine.is_none() => sim.attach(),
            Op::Crash(_) | Op::Attach => {}
            Op::Suspend(on) => sim.command(if *on {
                Command::Suspend
            } else {
                Command::Resume
            }),
            Op::SpecSuspend(on) => {
                let on = *on;
                sim.change_spec(|j| j.spec.suspend = Some(on));
            }
            Op::Stop => sim.command(Command::Stop {
                by: "ada".to_owned(),
            }),
            Op::Hold(jobs, on) => watch(sim, *jobs, |w| w.held = *on),
            Op::Cut(jobs) => watch(sim, *jobs, Stream::cut),
            Op::Relist(jobs) => {
                let world = &mut sim.world;
                if *jobs {
                    world.list_jobs()
                } else {
                    world.list_pods()
                }
            }
            Op::Double(jobs, on) => watch(sim, *jobs, |w| w.double = *on),
            Op::DeleteJob(n) if !jobs.is_empty() => {
                self.checker.strangers = true;
                sim.world.someone_deletes_job(&jobs[n % jobs.len()]);
            }
            Op::DeleteJob(_) => {}
            Op::DeleteService => sim.world.someone_deletes_service(),
            Op::Terminate(ms) => sim.world.pace.terminate = millis(*ms),
            Op::Controller(ms) => sim.world.pace.controller = millis(*ms),
            Op::Api(ms) => sim.world.pace.api = millis(*ms),
            Op::Unclear(n) => {
                let role = n % sim.world.jobset.spec.replicated_jobs.len();
                sim.world.rules.unclear = vec![sim.world.job_name(role, 0)];
            }
            Op::Batch(on) => sim.batch = *on,
        }
    }

    /// No more faults: a driver, whole watches, nobody suspends, pods do their work.
    fn calm(&mut self) {
        let sim = &mut self.sim;
        sim.trap = None;
        sim.world.rules.unclear.clear();
        sim.world.pace = Pace::default();
        if sim.engine.is_none() {
            sim.attach();
        }
        for jobs in [true, false] {
            watch(sim, jobs, |w| (w.held, w.double) = (false, false));
        }
        sim.world.list_jobs();
        sim.world.list_pods();
        sim.settle();
        sim.command(Command::Resume);
        sim.settle();
    }

    /// Lets the work be done until the run has ended.
    fn finish(&mut self) -> Result<(), String> {
        self.calm();
        self.check()?;
        for _ in 0..ROUNDS {
            if self.sim.outcome.is_some() {
                break;
            }
            for state in ["pods ready", "pods succeeded"] {
                steps::play(&mut self.sim, state).unwrap();
                self.check()?;
            }
            self.sim.wait(SignedDuration::from_secs(660));
            self.check()?;
        }
        // What was asked to go takes its time.
        self.sim.wait(SignedDuration::from_secs(60));
        self.check()?;
        let engine = self.sim.engine.as_ref().unwrap();
        let state = engine.state();
        let model = self.checker.model();
        let Some(outcome) = self.sim.outcome.clone() else {
            return Err(format!(
                "it does not end: {:#?}",
                engine.snapshot(self.sim.world.now)
            ));
        };
        let right = match &outcome {
            Outcome::Completed => {
                model.success() && !model.failed
                    || state.status.terminal_state.as_deref() == Some("Completed")
            }
            Outcome::Stopped { .. } => state.stop.is_some(),
            _ => model.failed,
        };
        if !right {
            return Err(format!(
                "it ends with {outcome:?} against the model {model:#?}"
            ));
        }
        let active: Vec<&str> = self
            .sim
            .world
            .jobs
            .values()
            .filter(|j| !j.ended())
            .map(|j| j.name.as_str())
            .collect();
        if !active.is_empty() {
            return Err(format!("it has ended and {active:?} still run"));
        }
        Ok(())
    }
}

fn watch(sim: &mut Sim, jobs: bool, change: impl Fn(&mut Stream)) {
    change(if jobs {
        &mut sim.world.job_watch
    } else {
        &mut sim.world.pod_watch
    });
}

fn pod(sim: &mut Sim, uid: &str, change: &PodOp) {
    let change = match change {
        PodOp::Ready => PodChange::Ready,
        PodOp::Unready => PodChange::NotReady,
        PodOp::Succeeded => PodChange::Succeeded,
        PodOp::Failed(code) => PodChange::Failed(*code, "Error".to_owned()),
        PodOp::Restarted => PodChange::Restarted(1),
        PodOp::Evicted => PodChange::Evicted,
        PodOp::Deleted => return sim.world.delete_pod(uid, false),
    };
    let now = sim.world.now;
    if sim.world.pods.get_mut(uid).unwrap().change(&change, now) {
        sim.world.tell_pod(uid);
    }
}

/// Plays the ops, checks after each, and lets the run end.
pub(crate) fn trial(
    jobset: &JobSet,
    fail_at: FailAt,
    ops: &[Op],
    sabotage: Option<Sabotage>,
) -> Result<Tally, String> {
    let mut trial = Trial::new(jobset, fail_at, sabotage);
    let held = trial.play(ops);
    held.map_err(|e| format!("{e}\n{}", trial.story.join("\n")))?;
    Ok(trial.tally())
}

/// What happened in some runs, to see that random runs get anywhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) set_restarts: u32,
    pub(crate) job_restarts: u32,
    pub(crate) uncounted: u32,
    pub(crate) limit: u32,
    pub(crate) failed_by_rule: u32,
    pub(crate) completed: u32,
    pub(crate) stopped: u32,
    /// Drivers beyond the first.
    pub(crate) takeovers: u32,
    /// Runs that another driver took over with a restart behind them.
    pub(crate) takeovers_after_restart: u32,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, o: Self) {
        self.set_restarts += o.set_restarts;
        self.job_restarts += o.job_restarts;
        self.uncounted += o.uncounted;
        self.limit += o.limit;
        self.failed_by_rule += o.failed_by_rule;
        self.completed += o.completed;
        self.stopped += o.stopped;
        self.takeovers += o.takeovers;
        self.takeovers_after_restart += o.takeovers_after_restart;
    }
}

/// One line of a failure's report.
fn line(happened: &Happened) -> String {
    let end = |j: &JobSeen| {
        let ends = [
            (j.suspend, " suspended"),
            (j.deleting_since.is_some(), " deleting"),
            (j.failure_target.is_some(), " failing"),
            (j.failed_condition.is_some(), " failed"),
            (j.complete.is_some(), " complete"),
        ];
        let words: String = ends.iter().filter(|(on, _)| *on).map(|(_, w)| *w).collect();
        format!(
            "{}@{}.{} {}{words}",
            j.name, j.restart_attempt, j.job_restart_attempt, j.uid
        )
    };
    match happened {
        Happened::Attached(state) => {
            format!(
                "attached: {} restarts, {:?}",
                state.status.restarts, state.outcome
            )
        }
        Happened::Died => "died".to_owned(),
        Happened::Told(fact) => match &**fact {
            Observation::Job(j) => format!("  told job {}", end(j)),
            Observation::JobsListed(all) => {
                format!(
                    "  told jobs [{}]",
                    all.iter().map(end).collect::<Vec<_>>().join(", ")
                )
            }
            Observation::Pod(p) => format!("  told pod {} {:?} {:?}", p.name, p.phase, p.deleting),
            Observation::PodsListed(all) => {
                format!(
                    "  told pods {:?}",
                    all.iter().map(|p| &p.name).collect::<Vec<_>>()
                )
            }
            other => format!("  told {other:?}"),
        },
        Happened::Stepped(stepped) => {
            let step = &stepped.step;
            let events: Vec<String> = step.events.iter().map(lines::event).collect();
            format!(
                "  step {:?} {:?} {:?} {events:?}",
                step.write, step.actions, step.outcome
            )
        }
        Happened::Executed(e) => format!("  server {:?} -> {:?}", e.action, e.result),
    }
}
