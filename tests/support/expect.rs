//! The `expect` lines of a scenario: what holds after a command.
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

use kubectl_jobset::engine::{Action, Snapshot};
use serde_json::Value;

use super::lines;
use super::sim::{Entry, Sim};

/// Holds, or why not.
pub(crate) fn check(sim: &Sim, since: &[Entry], what: &str) -> Result<(), String> {
    let (word, rest) = what.split_once(' ').unwrap_or((what, ""));
    let engine = sim.engine.as_ref().ok_or("no driver")?;
    let snapshot = engine.snapshot(sim.world.now);
    match word {
        "creates" | "deletes" | "suspends" | "resumes" => names(rest, &asked(sim, since, word)),
        "standing" => names(rest, &standing(sim)),
        "state" => state(&snapshot, rest),
        "role" => role(&snapshot, rest),
        "note" => note(&snapshot, rest),
        "event" => event(since, rest)
            .then_some(())
            .ok_or_else(|| format!("not among {:?}", events(since))),
        "no-event" => (!event(since, rest))
            .then_some(())
            .ok_or_else(|| "it was told".to_owned()),
        "condition" => condition(sim, rest),
        "outcome" => {
            let got = sim
                .outcome
                .as_ref()
                .map_or_else(|| "none".to_owned(), lines::outcome);
            same(rest, &got)
        }
        "kept" => {
            let got: usize = engine
                .state()
                .attempts
                .iter()
                .map(|a| a.evidence.len())
                .sum();
            same(rest, &got.to_string())
        }
        "cause" => cause(sim, rest),
        _ => Err("no such expectation".to_owned()),
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
    let mut want: Vec<&str> = if want == "nothing" {
        Vec::new()
    } else {
        want.split(' ').collect()
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
    let ok = want.len() == rest.len() && want.iter().zip(&rest).all(|(w, g)| fits(w, g));
    if ok {
        Ok(())
    } else {
        Err(format!(
            "got {}",
            if got.is_empty() {
                "nothing".to_owned()
            } else {
                got.join(" ")
            }
        ))
    }
}

fn short<'a>(sim: &Sim, name: &'a str) -> &'a str {
    name.strip_prefix(&format!("{}-", sim.world.jobset.metadata.name))
        .unwrap_or(name)
}

fn asked(sim: &Sim, since: &[Entry], word: &str) -> Vec<String> {
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
        ) => Some(format!(
            "{}@{restarts}.{job_restarts}",
            short(sim, &sim.world.job_name(*role, *index))
        )),
        ("deletes", Action::DeleteJob { name, .. })
        | ("suspends", Action::SuspendJob { name, .. })
        | ("resumes", Action::ResumeJob { name, .. }) => Some(short(sim, name).to_owned()),
        _ => None,
    };
    since
        .iter()
        .filter_map(|e| if let Entry::Did(a) = e { one(a) } else { None })
        .collect()
}

/// The run's Jobs in the cluster, `NAME@A.J`, `-` behind those that are being deleted.
pub(crate) fn standing(sim: &Sim) -> Vec<String> {
    let ours = sim.world.jobs.values().filter(|j| !j.foreign);
    ours.map(|j| {
        let going = if j.deleting_since.is_some() { "-" } else { "" };
        format!(
            "{}@{}.{}{going}",
            short(sim, &j.name),
            j.restart_attempt,
            j.job_restart_attempt
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
    since
        .iter()
        .filter_map(|e| {
            if let Entry::Event(e) = e {
                Some(lines::event(e))
            } else {
                None
            }
        })
        .collect()
}

fn event(since: &[Entry], want: &str) -> bool {
    let (type_, rest) = want.split_once(' ').unwrap_or((want, ""));
    since.iter().any(|e| {
        let Entry::Event(e) = e else { return false };
        let value = serde_json::to_value(&e.kind).unwrap();
        value["type"] == type_
            && compare(&pairs(rest), |key| {
                text(value.pointer(&format!("/{}", key.replace('.', "/"))))
            })
            .is_ok()
    })
}

fn text(value: Option<&Value>) -> Option<String> {
    value.map(|v| v.as_str().map_or_else(|| v.to_string(), lines::plain))
}

fn condition(sim: &Sim, want: &str) -> Result<(), String> {
    let (type_, rest) = want.split_once('=').ok_or("TYPE=STATUS")?;
    let status = &sim.engine.as_ref().ok_or("no driver")?.state().status;
    let found = status
        .conditions
        .iter()
        .find(|c| c.type_ == type_)
        .ok_or("it is not there")?;
    let word = if found.status { "True" } else { "False" };
    let got = if rest.contains(' ') {
        format!("{word} {}", found.reason)
    } else {
        word.to_owned()
    };
    same(rest, &got)
}

fn cause(sim: &Sim, want: &str) -> Result<(), String> {
    let (which, rest) = want.split_once(' ').ok_or("cause ATTEMPT key=value")?;
    let state = sim.engine.as_ref().ok_or("no driver")?.state();
    let cause = match which {
        "last" => state.first_failure.as_ref(),
        n => {
            let number: u32 = n.parse().map_err(|_| "no number")?;
            state
                .attempts
                .iter()
                .filter(|a| a.number == number)
                .find_map(|a| a.cause.as_ref())
        }
    };
    let value = serde_json::to_value(cause.ok_or("no cause is known")?).unwrap();
    compare(&pairs(rest), |key| text(value.get(key)))
}
