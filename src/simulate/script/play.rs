//! Plays a script on a world of its own and compares what comes of it with what is expected. Pure.

use k8s_openapi::jiff::SignedDuration;

use crate::api::JobSet;
use crate::engine::Options;
use crate::simulate::script::read::Script;
use crate::simulate::script::stage::Stage;
use crate::simulate::script::{expect, lines};
use crate::simulate::session::Session;
use crate::simulate::trap::Trap;

/// Where it plays.
const NAMESPACE: &str = "default";
/// How long a deletion waits for lines that have been asked for.
const EVIDENCE_WAIT: SignedDuration = SignedDuration::from_secs(5);

/// A play of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// What happened, line by line.
    pub text: String,
    /// Expectations, all of them.
    pub expected: usize,
    /// Expectations that did not hold, with their line.
    pub unmet: Vec<String>,
    /// How it ended, without times.
    pub end: String,
    /// The driver was killed by the trap.
    pub trap_sprang: bool,
}

impl Script {
    /// Plays it; a driver that the trap kills is replaced at once.
    ///
    /// # Errors
    /// A line that means nothing, or asks for what the world refuses.
    pub fn play(&self, jobset: &JobSet, seed: u64, trap: Option<Trap>) -> Result<Told, String> {
        let options = Options {
            fail_at: self.fail_at,
            evidence_lines: self.evidence,
            evidence_wait: EVIDENCE_WAIT,
        };
        let mut stage = Stage::open(jobset, NAMESPACE, options, seed)?;
        stage.session.trap = trap;
        let mut told = Told::default();
        let mut since = Vec::new();
        for (number, line) in &self.lines {
            if let Some(what) = line.strip_prefix("expect ") {
                told.expected += 1;
                if let Err(why) = expect::check(&stage.session, &since, what) {
                    told.unmet.push(format!("{number}: expect {what}: {why}"));
                }
                continue;
            }
            let in_line = |why: String| format!("line {number}: {line}: {why}");
            stage.play(line).map_err(in_line)?;
            let session = &mut stage.session;
            if trap.is_some() && session.trap.is_none() && !told.trap_sprang {
                told.trap_sprang = true;
                session.attach();
                stage.settle().map_err(in_line)?;
                // Who asked a driver that died at once asks the next one.
                let wish = line.rsplit(" & ").next().unwrap_or(line);
                if ["suspend", "resume", "stop"]
                    .iter()
                    .any(|word| wish.starts_with(word))
                {
                    stage.play(wish).map_err(in_line)?;
                }
            }
            let session = &mut stage.session;
            since = std::mem::take(&mut session.log);
            told.text.push_str(&format!("> {line}\n"));
            for entry in &since {
                let line = lines::entry(&entry.what, &session.record.jobset);
                told.text.push_str(&format!("  {line}\n"));
            }
            if let Some(engine) = &session.engine {
                let snapshot = engine.snapshot(session.now());
                told.text
                    .push_str(&format!("  {}\n", lines::snapshot(&snapshot)));
            }
        }
        told.end = end(&stage.session);
        Ok(told)
    }
}

/// Final status and what stands, without times.
fn end(session: &Session) -> String {
    let Some(engine) = &session.engine else {
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
        expect::standing(session).join(" "),
    )
}
