//! A scenario script: a JobSet, commands, and what the specification expects after each.
//!
//! ```text
//! # what it shows
//! fail-at Failed             (optional: upstream's timing; default FailureTarget)
//! evidence 20                (optional: last lines kept of failed containers; default 0)
//! no-kill                    (optional: not replayed with a killed driver)
//! jobset:
//! <YAML>
//! ---
//! create
//! expect creates w-0 w-1@0.0
//! ```

use std::fs;
use std::path::Path;

use kubectl_jobset::api::JobSet;
use kubectl_jobset::engine::FailAt;

use super::expect;
use super::lines;
use super::sim::{Entry, Sim, Trap};
use super::steps;

/// Parsed, not yet played.
pub(crate) struct Script {
    jobset: JobSet,
    fail_at: FailAt,
    evidence: u32,
    no_kill: bool,
    /// Line number and text.
    lines: Vec<(usize, String)>,
}

/// A play of a script.
pub(crate) struct Told {
    /// The golden text.
    pub(crate) text: String,
    /// Expectations that did not hold, with their line.
    pub(crate) unmet: Vec<String>,
    /// How it ended, without times.
    pub(crate) end: String,
    /// The driver was killed by the trap.
    pub(crate) trap_sprang: bool,
}

impl Script {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Self {
        Self::parse(&fs::read_to_string(path).unwrap())
    }

    /// Parses a script's text.
    pub(crate) fn parse(text: &str) -> Self {
        let (head, rest) = text.split_once("jobset:\n").expect("jobset:");
        let (yaml, body) = rest.split_once("\n---\n").expect("---");
        let (mut fail_at, mut evidence, mut no_kill) = (FailAt::FailureTarget, 0, false);
        for line in head
            .lines()
            .filter(|l| !l.starts_with('#') && !l.is_empty())
        {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("fail-at", "Failed") => fail_at = FailAt::Failed,
                ("evidence", n) => evidence = n.parse().unwrap(),
                ("no-kill", _) => no_kill = true,
                other => panic!("no such option: {other:?}"),
            }
        }
        let before = head.lines().count() + 1 + yaml.lines().count() + 1;
        let lines = body
            .lines()
            .enumerate()
            .map(|(i, l)| (before + i + 1, l.trim().to_owned()))
            .filter(|(_, l)| !l.is_empty() && !l.starts_with('#'))
            .collect();
        let jobset = super::load::jobset("script", yaml);
        Self {
            jobset,
            fail_at,
            evidence,
            no_kill,
            lines,
        }
    }

    /// Nothing in it depends on which driver lives when.
    pub(crate) fn crashes_anywhere(&self) -> bool {
        let own = |l: &str| {
            ["crash", "trap", "attach", "hold writes"]
                .iter()
                .any(|w| l.starts_with(w))
        };
        !self.no_kill && !self.lines.iter().any(|(_, l)| own(l))
    }

    /// Plays it as written.
    pub(crate) fn play(&self) -> Told {
        self.play_with(None)
    }

    /// Plays it; a driver that the trap kills is replaced at once.
    pub(crate) fn play_with(&self, trap: Option<Trap>) -> Told {
        let namespace = "default";
        let mut sim = Sim::new(
            self.jobset.clone(),
            namespace,
            Sim::options(self.fail_at, self.evidence),
        );
        sim.trap = trap;
        let mut told = Told {
            text: String::new(),
            unmet: Vec::new(),
            end: String::new(),
            trap_sprang: false,
        };
        let mut since: Vec<Entry> = Vec::new();
        for (number, line) in &self.lines {
            if let Some(what) = line.strip_prefix("expect ") {
                if let Err(why) = expect::check(&sim, &since, what) {
                    told.unmet.push(format!("{number}: expect {what}: {why}"));
                }
                continue;
            }
            steps::play(&mut sim, line).unwrap_or_else(|e| panic!("line {number}: {e}"));
            if trap.is_some() && sim.trap.is_none() && !told.trap_sprang {
                told.trap_sprang = true;
                sim.attach();
                sim.settle();
                // Who asked a driver that died at once asks the next one.
                if ["suspend", "resume", "stop"]
                    .iter()
                    .any(|w| line.contains(w))
                {
                    let wish = line.rsplit(" & ").next().unwrap();
                    steps::play(&mut sim, wish).unwrap();
                }
            }
            since = std::mem::take(&mut sim.log);
            told.text.push_str(&format!("> {line}\n"));
            for entry in &since {
                told.text
                    .push_str(&format!("  {}\n", lines::entry(entry, &sim.world)));
            }
            if let Some(engine) = &sim.engine {
                told.text.push_str(&format!(
                    "  {}\n",
                    lines::snapshot(&engine.snapshot(sim.world.now))
                ));
            }
        }
        told.end = end(&sim);
        told
    }
}

/// Final status and what stands, without times.
fn end(sim: &Sim) -> String {
    let Some(engine) = &sim.engine else {
        return "no driver".to_owned();
    };
    let status = engine.status();
    let mut conditions: Vec<String> = status
        .conditions
        .iter()
        .map(|c| format!("{}={} {} {}", c.type_, c.status, c.reason, c.message))
        .collect();
    conditions.sort();
    let counted = status.restarts_count_towards_max;
    let roles: Vec<String> = status
        .replicated_jobs_status
        .iter()
        .map(|r| {
            let restarts = format!(
                "{:?} {:?}",
                r.job_restarts, r.job_restarts_count_towards_max
            );
            format!(
                "{}: {} {} {} {} {} {restarts}",
                r.name, r.ready, r.succeeded, r.failed, r.active, r.suspended
            )
        })
        .collect();
    let outcome = engine.state().outcome.as_ref().map(lines::outcome);
    format!(
        "restarts={} counted={counted} terminal={:?} outcome={outcome:?}\n    {}\n    {}\n    {}",
        status.restarts,
        status.terminal_state,
        conditions.join("; "),
        roles.join("; "),
        expect::standing(sim).join(" "),
    )
}
