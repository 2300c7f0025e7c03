//! One short stable line per thing that happened. Pod names lose their random part.

use kubectl_jobset::api::{JobSetStatus, ReplicatedJobStatus};
use kubectl_jobset::engine::{Action, Event, Outcome, RoleSnapshot, Snapshot};
use serde_json::Value;

use super::sim::Entry;
use super::world::World;

/// The line of an entry; none for what a golden file leaves out.
pub(crate) fn entry(entry: &Entry, world: &World) -> String {
    match entry {
        Entry::Did(a) => action(a, world),
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

/// An outcome in one word, with its detail after a colon.
pub(crate) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed => "Completed".to_owned(),
        Outcome::FailedByPolicy { reason } => format!("FailedByPolicy:{reason}"),
        Outcome::RestartLimit => "RestartLimit".to_owned(),
        Outcome::CouldNotStart { message } => format!("CouldNotStart:{message}"),
        Outcome::Stopped { by } => format!("Stopped:{by}"),
    }
}

/// `create NAME attempt=A …` and so on.
pub(crate) fn action(action: &Action, world: &World) -> String {
    match action {
        Action::CreateService => "create service".to_owned(),
        Action::CreateJob {
            role,
            index,
            restarts,
            job_restarts,
            suspend,
        } => {
            let name = world.job_name(*role, *index);
            let suspended = if *suspend { " suspended" } else { "" };
            format!("create {name} attempt={restarts}.{job_restarts}{suspended}")
        }
        Action::DeleteJob {
            name,
            restart_attempt,
            ..
        } => format!("delete {name} attempt={restart_attempt}"),
        Action::SuspendJob { name, .. } => format!("suspend {name}"),
        Action::ResumeJob {
            name,
            clear_start_time,
            template,
            ..
        } => {
            let clear = if *clear_start_time {
                " clear-start-time"
            } else {
                ""
            };
            let template = template
                .as_ref()
                .map(|t| format!(" template={t}"))
                .unwrap_or_default();
            format!("resume {name}{clear}{template}")
        }
        Action::KeepEvidence {
            pod,
            container,
            previous,
            lines,
            ..
        } => {
            let previous = if *previous { " previous" } else { "" };
            format!("keep {}:{container} lines={lines}{previous}", plain(pod))
        }
    }
}

/// `type key=value …`, keys sorted.
pub(crate) fn event(event: &Event) -> String {
    let value = serde_json::to_value(&event.kind).unwrap();
    let fields = value.as_object().unwrap();
    let mut out = format!(
        "{}{}",
        if event.live { "" } else { "(replayed) " },
        fields["type"].as_str().unwrap()
    );
    for (key, value) in fields.iter().filter(|(k, _)| *k != "type") {
        out.push_str(&field(key, value));
    }
    plain(&out)
}

fn field(key: &str, value: &Value) -> String {
    match value {
        Value::Object(map) if key == "cause" => map
            .iter()
            .map(|(k, v)| field(&format!("cause.{k}"), v))
            .collect(),
        Value::Object(map) => {
            let part = |k: &str| {
                map.get(k)
                    .map(|v| field(&format!("{key}.{k}"), v))
                    .unwrap_or_default()
            };
            [
                "jobName",
                "reason",
                "pod",
                "exitCode",
                "rule",
                "action",
                "fellAfter",
                "lastLines",
            ]
            .map(part)
            .concat()
        }
        Value::String(s) if s.contains(' ') => format!(" {key}=\"{s}\""),
        Value::String(s) => format!(" {key}={s}"),
        other => format!(" {key}={other}"),
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

/// `= STATE attempt=A restarts=R counted=C/MAX role(…)`, counts that are not 0.
pub(crate) fn snapshot(s: &Snapshot) -> String {
    let max = s
        .max_restarts
        .map_or_else(|| "-".to_owned(), |m| m.to_string());
    let mut out = format!(
        "= {} attempt={} restarts={} counted={}/{max}",
        s.state.as_str(),
        s.attempt,
        s.restarts,
        s.restarts_counted
    );
    if let Some(reason) = &s.reason {
        out.push_str(&format!(" reason={reason}"));
    }
    if s.pods_replaced > 0 {
        out.push_str(&format!(" replaced={}", s.pods_replaced));
    }
    for role in &s.roles {
        out.push_str(&format!(" {}({})", role.name, role_fields(role).join(" ")));
        for note in &role.notes {
            let more = if note.and_more > 0 {
                format!(" +{}", note.and_more)
            } else {
                String::new()
            };
            out.push_str(&plain(&format!(
                " [{} {}: {}{more}]",
                note.target, note.reason, note.message
            )));
        }
    }
    out
}

/// The fields of a role that are not 0, as `key=value`.
pub(crate) fn role_fields(role: &RoleSnapshot) -> Vec<String> {
    let mut out: Vec<String> = role_counts(role)
        .into_iter()
        .filter(|(_, n)| *n > 0)
        .map(|(k, n)| format!("{k}={n}"))
        .collect();
    out.push(format!("pods={}/{}", role.pods, role.pods_wanted));
    if let Some(what) = &role.waits_for {
        out.push(format!("waits_for=\"{what}\""));
    }
    out
}

/// All counts of a role by name.
pub(crate) fn role_counts(role: &RoleSnapshot) -> [(&'static str, u32); 9] {
    [
        ("ready", role.ready),
        ("starting", role.starting),
        ("failing", role.failing),
        ("succeeded", role.succeeded),
        ("failed", role.failed),
        ("suspended", role.suspended),
        ("waiting", role.waiting),
        ("terminating", role.terminating),
        ("pods_terminating", role.pods_terminating),
    ]
}

/// Pod names without their five random letters.
pub(crate) fn plain(text: &str) -> String {
    const RANDOM: usize = 5;
    let bytes = text.as_bytes();
    let letter = |b: &u8| b"bcdfghjklmnpqrstvwxz".contains(b);
    let mut out = String::new();
    let mut i = 0;
    while i < bytes.len() {
        let end = i + 1 + RANDOM;
        let random = bytes[i] == b'-'
            && i > 0
            && bytes[i - 1].is_ascii_digit()
            && bytes.get(i + 1..end).is_some_and(|s| s.iter().all(letter))
            && bytes.get(end).is_none_or(|b| !b.is_ascii_alphanumeric());
        if random {
            out.push_str("-~");
            i = end;
        } else {
            let c = text[i..].chars().next().unwrap();
            out.push(c);
            i += c.len_utf8();
        }
    }
    out
}
