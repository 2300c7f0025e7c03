//! One short stable line per thing that happened, in the words of the scenario scripts.

use kubectl_jobset::api::{JobSetStatus, ReplicatedJobStatus};
use kubectl_jobset::simulate::script::lines::{action, outcome};

pub(crate) use kubectl_jobset::simulate::script::lines::event;

use super::sim::Entry;
use super::world::World;

/// The line of an entry; none for what a golden file leaves out.
pub(crate) fn entry(entry: &Entry, world: &World) -> String {
    match entry {
        Entry::Did(a) => action(a, &world.jobset),
        Entry::Wrote => "write".to_owned(),
        Entry::Event(e) => event(e),
        Entry::Condition(c) => {
            let status = if c.status { "True" } else { "False" };
            format!(
                "condition {}={status} reason={} message=\"{}\"",
                c.type_, c.reason, c.message
            )
        }
        Entry::Status(s) => format!("status {s}"),
        Entry::Outcome(o) => format!("outcome {}", outcome(o)),
        Entry::Note(n) => format!("({n})"),
    }
}

/// What changed between two statuses: counters as the recordings write them, then conditions.
pub(crate) fn status_changes(old: &JobSetStatus, new: &JobSetStatus) -> Vec<Entry> {
    let mut out = Vec::new();
    let mut changed = |differs: bool, line: String| {
        if differs {
            out.push(Entry::Status(line));
        }
    };
    changed(
        old.restarts != new.restarts,
        format!("restarts={}", new.restarts),
    );
    changed(
        old.restarts_count_towards_max != new.restarts_count_towards_max,
        format!("restartsCountTowardsMax={}", new.restarts_count_towards_max),
    );
    changed(
        old.terminal_state != new.terminal_state,
        format!(
            "terminalState={}",
            new.terminal_state.as_deref().unwrap_or("")
        ),
    );
    for role in &new.replicated_jobs_status {
        let none = ReplicatedJobStatus::default();
        let before = old
            .replicated_jobs_status
            .iter()
            .find(|r| r.name == role.name)
            .unwrap_or(&none);
        changed(
            before.job_restarts != role.job_restarts,
            format!("{}.jobRestarts={:?}", role.name, role.job_restarts),
        );
        changed(
            before.job_restarts_count_towards_max != role.job_restarts_count_towards_max,
            format!(
                "{}.jobRestartsCountTowardsMax={:?}",
                role.name, role.job_restarts_count_towards_max
            ),
        );
    }
    for condition in &new.conditions {
        let before = old.conditions.iter().find(|c| c.type_ == condition.type_);
        let same = before.is_some_and(|b| {
            b.status == condition.status
                && b.reason == condition.reason
                && b.message == condition.message
        });
        if !same {
            out.push(Entry::Condition(condition.clone()));
        }
    }
    out
}
