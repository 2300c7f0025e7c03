//! One short stable line for each thing that happened. Pod names lose their random part. Pure.

use serde_json::Value;

use crate::api::JobSet;
use crate::api::names::job_name;
use crate::engine::{Action, Event, Outcome, RoleSnapshot, Snapshot};
use crate::simulate::entry::What;

/// The line of an entry.
#[must_use]
pub fn entry(what: &What, jobset: &JobSet) -> String {
    match what {
        What::Did(done) => action(done, jobset),
        What::Wrote => "write".to_owned(),
        What::Event(told) => event(told),
        What::Condition(c) => {
            let status = if c.status { "True" } else { "False" };
            format!(
                "condition {}={status} reason={} message=\"{}\"",
                c.type_, c.reason, c.message
            )
        }
        What::Status(text) => format!("status {text}"),
        What::Outcome(end) => format!("outcome {}", outcome(end)),
        What::Fault { place, times, .. } => format!("(asked for at {place}, {times})"),
        What::Note(text) => format!("({text})"),
    }
}

/// An outcome in one word, with its detail after a colon.
#[must_use]
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed => "Completed".to_owned(),
        Outcome::FailedByPolicy { reason } => format!("FailedByPolicy:{reason}"),
        Outcome::RestartLimit => "RestartLimit".to_owned(),
        Outcome::CouldNotStart { message } => format!("CouldNotStart:{message}"),
        Outcome::Stopped { by } => format!("Stopped:{by}"),
    }
}

/// `create NAME attempt=A …` and so on.
#[must_use]
pub fn action(action: &Action, jobset: &JobSet) -> String {
    match action {
        Action::CreateService => "create service".to_owned(),
        Action::CreateJob {
            role,
            index,
            restarts,
            job_restarts,
            suspend,
        } => {
            let name = name_of(jobset, *role, *index);
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

/// The name of a Job by its place in the spec.
#[must_use]
pub fn name_of(jobset: &JobSet, role: usize, index: u32) -> String {
    let role = jobset.spec.replicated_jobs.get(role);
    let role = role.map_or("?", |role| &role.name);
    job_name(&jobset.metadata.name, role, index)
}

/// `type key=value …`, keys sorted.
#[must_use]
pub fn event(event: &Event) -> String {
    let value = serde_json::to_value(&event.kind).unwrap_or_default();
    let type_ = value["type"].as_str().unwrap_or_default();
    let live = if event.live { "" } else { "(replayed) " };
    let mut out = format!("{live}{type_}");
    for (key, value) in value.as_object().into_iter().flatten() {
        if key != "type" {
            out.push_str(&field(key, value));
        }
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

/// `= STATE attempt=A restarts=R counted=C/MAX role(…)`, counts that are not 0.
#[must_use]
pub fn snapshot(s: &Snapshot) -> String {
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
fn role_fields(role: &RoleSnapshot) -> Vec<String> {
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
#[must_use]
pub fn role_counts(role: &RoleSnapshot) -> [(&'static str, u32); 9] {
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
#[must_use]
pub fn plain(text: &str) -> String {
    const RANDOM: usize = 5;
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = at + 1 + RANDOM;
        let random = c == '-'
            && at > 0
            && bytes[at - 1].is_ascii_digit()
            && bytes
                .get(at + 1..end)
                .is_some_and(|s| s.iter().all(|b| LETTERS.contains(b)))
            && bytes.get(end).is_none_or(|b| !b.is_ascii_alphanumeric());
        if random {
            out.push_str("-~");
            at = end;
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_random_parts_go() {
        for (text, want) in [
            ("pod=a-w-0-1-x7k2z, b", "pod=a-w-0-1-~, b"),
            ("pod=a-w-0-1-x1k2z, b", "pod=a-w-0-1-x1k2z, b"),
            ("a-w-0-bcdfg", "a-w-0-~"),
            ("worker-bcdfg", "worker-bcdfg"),
            ("w-0-bcdfgh", "w-0-bcdfgh"),
            ("ä-0-bcdfg ö", "ä-0-~ ö"),
        ] {
            assert_eq!(plain(text), want, "{text}");
        }
    }
}
