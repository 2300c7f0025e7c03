//! The `expect` lines of a script: what holds after a command. Pure.
//!
//! ```text
//! expect creates|deletes|suspends|resumes NAME[@A.J] … | nothing    asked for since the last command
//! expect state WORD [attempt= restarts= counted=C/MAX reason= replaced=]
//! expect role ROLE key=N … [waits_for="…"]
//! expect event TYPE [key=value …]        one of them; expect no-event TYPE [key=value …]
//! expect condition TYPE=STATUS [REASON]  as it stands
//! expect outcome OUTCOME | none          as it stands
//! expect standing NAME@A.J … | nothing   Jobs in the cluster
//! expect note ROLE REASON [words]        an explanation in the snapshot
//! expect kept N                          last lines kept of that many containers, in all attempts
//! expect cause ATTEMPT key=value …       what ended that attempt; `last`: the run
//! ```

use serde_json::Value;

use crate::api::names::{JOB_RESTART_ATTEMPT, RESTART_ATTEMPT};
use crate::cluster::object::{Kind, Object};
use crate::engine::{Action, Engine, Snapshot};
use crate::simulate::entry::{Entry, What};
use crate::simulate::script::lines;
use crate::simulate::session::Session;

/// Holds, or why not.
///
/// # Errors
/// Why not, as a fragment.
pub fn check(session: &Session, since: &[Entry], what: &str) -> Result<(), String> {
    let (word, rest) = what.split_once(' ').unwrap_or((what, ""));
    let engine = session.engine.as_ref().ok_or("no driver")?;
    let snapshot = || engine.snapshot(session.now());
    match word {
        "creates" | "deletes" | "suspends" | "resumes" => names(rest, &asked(session, since, word)),
        "standing" => names(rest, &standing(session)),
        "state" => state(&snapshot(), rest),
        "role" => role(&snapshot(), rest),
        "note" => note(&snapshot(), rest),
        "event" if event(since, rest) => Ok(()),
        "event" => Err(format!("not among {:?}", events(since))),
        "no-event" if event(since, rest) => Err("it was told".to_owned()),
        "no-event" => Ok(()),
        "condition" => condition(engine, rest),
        "outcome" => {
            let got = session.outcome.as_ref();
            same(rest, &got.map_or_else(|| "none".to_owned(), lines::outcome))
        }
        "kept" => {
            let kept = engine.state().attempts.iter().map(|a| a.evidence.len());
            same(rest, &kept.sum::<usize>().to_string())
        }
        "cause" => cause(engine, rest),
        _ => Err(format!("there is no expectation {word}")),
    }
}

fn same(want: &str, got: &str) -> Result<(), String> {
    if want == got {
        Ok(())
    } else {
        Err(format!("got {got}"))
    }
}

/// Compares names; an expected name without `@A.J` matches any attempt.
fn names(want: &str, got: &[String]) -> Result<(), String> {
    let mut want: Vec<&str> = match want {
        "nothing" => Vec::new(),
        names => names.split(' ').collect(),
    };
    want.sort_unstable();
    let mut rest: Vec<&String> = got.iter().collect();
    rest.sort();
    let fits = |w: &str, g: &str| {
        if w.contains('@') {
            w == g
        } else {
            g.split('@').next() == Some(w)
        }
    };
    if want.len() == rest.len() && want.iter().zip(&rest).all(|(w, g)| fits(w, g)) {
        Ok(())
    } else if got.is_empty() {
        Err("got nothing".to_owned())
    } else {
        Err(format!("got {}", got.join(" ")))
    }
}

fn short<'a>(session: &Session, name: &'a str) -> &'a str {
    name.strip_prefix(session.name())
        .and_then(|rest| rest.strip_prefix('-'))
        .unwrap_or(name)
}

fn asked(session: &Session, since: &[Entry], word: &str) -> Vec<String> {
    let one = |action: &Action| match (word, action) {
        (
            "creates",
            Action::CreateJob {
                role,
                index,
                restarts,
                job_restarts,
                ..
            },
        ) => {
            let name = lines::name_of(&session.record.jobset, *role, *index);
            Some(format!(
                "{}@{restarts}.{job_restarts}",
                short(session, &name)
            ))
        }
        ("deletes", Action::DeleteJob { name, .. })
        | ("suspends", Action::SuspendJob { name, .. })
        | ("resumes", Action::ResumeJob { name, .. }) => Some(short(session, name).to_owned()),
        _ => None,
    };
    let did = |entry: &Entry| match &entry.what {
        What::Did(action) => one(action),
        _ => None,
    };
    since.iter().filter_map(did).collect()
}

/// The run's Jobs in the cluster, `NAME@A.J`, `-` behind those that are being deleted.
#[must_use]
pub fn standing(session: &Session) -> Vec<String> {
    let jobs = session
        .world
        .store()
        .list(Kind::Job, Some(&session.scope.namespace));
    jobs.filter(|job| session.scope.has(job))
        .map(|job| {
            let label = |key: &str| Object::label(job, key).unwrap_or("0").to_owned();
            let going = if job.meta().deletion_timestamp.is_some() {
                "-"
            } else {
                ""
            };
            format!(
                "{}@{}.{}{going}",
                short(session, job.name()),
                label(RESTART_ATTEMPT),
                label(JOB_RESTART_ATTEMPT)
            )
        })
        .collect()
}

/// `key=value` pairs, values in double quotes where they have spaces.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while let Some((key, after)) = rest.split_once('=') {
        let (value, tail) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        out.push((key.trim().to_owned(), value.to_owned()));
        rest = tail.trim_start();
    }
    out
}

fn compare(want: &[(String, String)], got: impl Fn(&str) -> Option<String>) -> Result<(), String> {
    for (key, value) in want {
        let actual = got(key).unwrap_or_else(|| "nothing".to_owned());
        if actual != *value {
            return Err(format!("{key} is {actual}"));
        }
    }
    Ok(())
}

fn state(s: &Snapshot, want: &str) -> Result<(), String> {
    let (word, rest) = want.split_once(' ').unwrap_or((want, ""));
    same(word, s.state.as_str())?;
    compare(&pairs(rest), |key| match key {
        "attempt" => Some(s.attempt.to_string()),
        "restarts" => Some(s.restarts.to_string()),
        "counted" => {
            let max = s
                .max_restarts
                .map_or_else(|| "-".to_owned(), |m| m.to_string());
            Some(format!("{}/{max}", s.restarts_counted))
        }
        "reason" => s.reason.clone(),
        "replaced" => Some(s.pods_replaced.to_string()),
        _ => None,
    })
}

fn role(s: &Snapshot, want: &str) -> Result<(), String> {
    let (name, rest) = want.split_once(' ').ok_or("role NAME key=N")?;
    let role = s
        .roles
        .iter()
        .find(|r| r.name == name)
        .ok_or("no such role")?;
    compare(&pairs(rest), |key| match key {
        "pods" => Some(format!("{}/{}", role.pods, role.pods_wanted)),
        "waits_for" => role.waits_for.clone(),
        _ => lines::role_counts(role)
            .iter()
            .find(|(k, _)| *k == key)
            .map(|(_, n)| n.to_string()),
    })
}

fn note(s: &Snapshot, want: &str) -> Result<(), String> {
    let mut words = want.splitn(3, ' ');
    let (role, reason, text) = (
        words.next().unwrap_or(""),
        words.next().unwrap_or(""),
        words.next().unwrap_or(""),
    );
    let role = s
        .roles
        .iter()
        .find(|r| r.name == role)
        .ok_or("no such role")?;
    let fits = role
        .notes
        .iter()
        .any(|n| n.reason == reason && lines::plain(&n.message).contains(text));
    if fits {
        Ok(())
    } else {
        Err(format!("notes are {:?}", role.notes))
    }
}

fn events(since: &[Entry]) -> Vec<String> {
    let told = |entry: &Entry| match &entry.what {
        What::Event(event) => Some(lines::event(event)),
        _ => None,
    };
    since.iter().filter_map(told).collect()
}

fn event(since: &[Entry], want: &str) -> bool {
    let (type_, rest) = want.split_once(' ').unwrap_or((want, ""));
    let want = pairs(rest);
    since.iter().any(|entry| {
        let What::Event(event) = &entry.what else {
            return false;
        };
        let value = serde_json::to_value(&event.kind).unwrap_or_default();
        let field = |key: &str| text(value.pointer(&format!("/{}", key.replace('.', "/"))));
        value["type"] == type_ && compare(&want, field).is_ok()
    })
}

fn text(value: Option<&Value>) -> Option<String> {
    value.map(|v| v.as_str().map_or_else(|| v.to_string(), lines::plain))
}

fn condition(engine: &Engine, want: &str) -> Result<(), String> {
    let (type_, rest) = want.split_once('=').ok_or("condition TYPE=STATUS")?;
    let conditions = &engine.state().status.conditions;
    let found = conditions
        .iter()
        .find(|c| c.type_ == type_)
        .ok_or("it is not there")?;
    let word = if found.status { "True" } else { "False" };
    if rest.contains(' ') {
        same(rest, &format!("{word} {}", found.reason))
    } else {
        same(rest, word)
    }
}

fn cause(engine: &Engine, want: &str) -> Result<(), String> {
    let (which, rest) = want.split_once(' ').ok_or("cause ATTEMPT key=value")?;
    let state = engine.state();
    let cause = if which == "last" {
        state.first_failure.as_ref()
    } else {
        let number: u32 = which.parse().map_err(|_| "cause ATTEMPT key=value")?;
        let attempts = state.attempts.iter().filter(|a| a.number == number);
        attempts.into_iter().find_map(|a| a.cause.as_ref())
    };
    let value = serde_json::to_value(cause.ok_or("no cause is known")?).unwrap_or_default();
    compare(&pairs(rest), |key| text(value.get(key)))
}
