//! The commands that recorded cases and scenarios share (the recordings' README), and the scenarios'
//! own. `A & B` happens with nothing in between.

use k8s_openapi::jiff::SignedDuration;
use kubectl_jobset::api::JobSet;
use kubectl_jobset::engine::{Command, Observation};
use serde_json::Value;

use super::pod::{Pod, PodChange};
use super::server::merge;
use super::sim::{Effect, Entry, Sim, Trap};

/// Carries out one line and lets the world settle. An error is about the line's form.
pub(crate) fn play(sim: &mut Sim, line: &str) -> Result<(), String> {
    if let Some(seconds) = line.strip_prefix("wait ") {
        let seconds: f64 = seconds
            .parse()
            .map_err(|_| format!("no number: {seconds}"))?;
        sim.wait(SignedDuration::from_secs_f64(seconds));
        return Ok(());
    }
    for part in line.split(" & ") {
        apply(sim, part.trim())?;
    }
    sim.settle();
    Ok(())
}

/// Carries out one command; nothing settles.
pub(crate) fn apply(sim: &mut Sim, line: &str) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "create" | "attach" => sim.attach(),
        "pod" | "pods" => pods(sim, word == "pod", rest)?,
        "suspend" => sim.command(Command::Suspend),
        "resume" => sim.command(Command::Resume),
        "stop" => sim.command(Command::Stop {
            by: if rest.is_empty() { "ada" } else { rest }.to_owned(),
        }),
        "spec-suspend" => sim.change_spec(|j| j.spec.suspend = Some(true)),
        "spec-resume" => sim.change_spec(|j| j.spec.suspend = Some(false)),
        "patch" => {
            let patch = json(rest)?;
            change_json(sim, |v| merge(v, &patch));
        }
        "patch-json" => {
            let ops = json(rest)?;
            change_json(sim, |v| {
                ops.as_array()
                    .unwrap()
                    .iter()
                    .for_each(|op| patch_json(v, op))
            });
        }
        "delete" => delete(sim, rest)?,
        "crash" => sim.crash(rest == "requests-arrive"),
        "trap" => sim.trap = Some(trap(rest)?),
        _ => faults(sim, word, rest)?,
    }
    Ok(())
}

fn faults(sim: &mut Sim, word: &str, rest: &str) -> Result<(), String> {
    let world = &mut sim.world;
    match word {
        "refuse" => {
            let mut parts = rest.splitn(4, ' ');
            let mut next = || {
                parts
                    .next()
                    .map(str::to_owned)
                    .ok_or("refuse NAME CODE REASON MESSAGE")
            };
            let (name, code, reason, message) = (next()?, next()?, next()?, next()?);
            world
                .rules
                .refuse
                .push((name, code.parse().map_err(|_| "no code")?, reason, message));
        }
        "refuse-no-more" => world.rules.refuse.clear(),
        "unclear" => world.rules.unclear.push(rest.to_owned()),
        "terminate-after" => world.pace.terminate = seconds(rest)?,
        "controller-after" => world.pace.controller = seconds(rest)?,
        "api-after" => world.pace.api = seconds(rest)?,
        "logs-after" => world.pace.logs = seconds(rest)?,
        "log-line" => world.rules.log_lines.push(rest.to_owned()),
        "new-pods" => world.rules.new_pods = Some(change(rest)?),
        "new-pods-normal" => world.rules.new_pods = None,
        "quota" => world.rules.quota = (!rest.is_empty()).then(|| rest.to_owned()),
        "foreign" => world.foreign_job(rest),
        "someone-suspends" => world.someone_sets_suspend(rest, true),
        "someone-resumes" => world.someone_sets_suspend(rest, false),
        "free-pods" => world.free_pods(),
        "wait-ms" => {
            let ms = rest.parse().map_err(|_| "no number")?;
            sim.wait(SignedDuration::from_millis(ms));
        }
        "notice" => {
            let mut parts = rest.splitn(3, ' ');
            let mut next = || {
                parts
                    .next()
                    .map(str::to_owned)
                    .ok_or("notice OBJECT REASON MESSAGE")
            };
            let (object, reason, message) = (next()?, next()?, next()?);
            let at = world.now;
            world.other_watch.push(
                at,
                Observation::Notice {
                    object,
                    reason,
                    message,
                    at,
                },
            );
        }
        "hold" | "release" | "cut" | "double" | "single" | "relist" => watches(sim, word, rest)?,
        _ => return Err(format!("no such command: {word}")),
    }
    Ok(())
}

fn watches(sim: &mut Sim, word: &str, which: &str) -> Result<(), String> {
    let world = &mut sim.world;
    if which == "writes" {
        world.hold_writes = word == "hold";
        return Ok(());
    }
    if word == "relist" {
        match which {
            "jobs" => world.list_jobs(),
            "pods" => world.list_pods(),
            _ => return Err(format!("no such watch: {which}")),
        }
        return Ok(());
    }
    let watch = match which {
        "jobs" => &mut world.job_watch,
        "pods" => &mut world.pod_watch,
        _ => return Err(format!("no such watch: {which}")),
    };
    match word {
        "hold" => watch.held = true,
        "release" => watch.held = false,
        "cut" => watch.cut(),
        "double" => watch.double = true,
        _ => watch.double = false,
    }
    Ok(())
}

fn pods(sim: &mut Sim, one: bool, rest: &str) -> Result<(), String> {
    let (target, state) = match rest.split_once(' ') {
        Some((target, state)) if change(rest).is_err() => (target, state),
        _ => ("", rest),
    };
    let prefix = format!("{}-", sim.world.jobset.metadata.name);
    let wanted = |p: &Pod| {
        let name = p.job.strip_prefix(&prefix).unwrap_or(&p.job);
        let role = name.rsplit_once('-').map_or(name, |(role, _)| role);
        if one {
            p.index.map(|i| format!("{name}-{i}")).as_deref() == Some(target)
        } else {
            target.is_empty() || target == role || target == name
        }
    };
    let hit: Vec<String> = sim
        .world
        .pods
        .values()
        .filter(|p| p.live() && wanted(p))
        .map(|p| p.uid.clone())
        .collect();
    if hit.is_empty() {
        sim.log.push(Entry::Note("no such live pod".to_owned()));
    }
    for uid in hit {
        if state == "hold" || state == "deleted" {
            sim.world.delete_pod(&uid, false);
            let pod = sim.world.pods.get_mut(&uid).unwrap();
            if let Some(d) = &mut pod.deleting {
                d.held_by_finalizer = state == "hold";
            }
            continue;
        }
        let change = change(state)?;
        let now = sim.world.now;
        if sim.world.pods.get_mut(&uid).unwrap().change(&change, now) {
            sim.world.tell_pod(&uid);
        }
    }
    Ok(())
}

/// `STATE [exit=N] [reason=R]`, or `waiting REASON MESSAGE`.
fn change(text: &str) -> Result<PodChange, String> {
    let (state, rest) = text.split_once(' ').unwrap_or((text, ""));
    let option = |key: &str| rest.split(' ').find_map(|o| o.strip_prefix(key));
    let exit = option("exit=")
        .unwrap_or("1")
        .parse::<i32>()
        .map_err(|_| "no exit code")?;
    Ok(match state {
        "running" => PodChange::Running,
        "ready" => PodChange::Ready,
        "unready" => PodChange::NotReady,
        "succeeded" => PodChange::Succeeded,
        "failed" => PodChange::Failed(exit, option("reason=").unwrap_or("Error").to_owned()),
        "restarted" => PodChange::Restarted(exit),
        "evicted" => PodChange::Evicted,
        "disrupted" => PodChange::Disrupted("EvictionByEvictionAPI".to_owned()),
        "waiting" => {
            let (reason, message) = rest.split_once(' ').ok_or("waiting REASON MESSAGE")?;
            PodChange::Waiting(reason.to_owned(), message.to_owned())
        }
        _ => return Err(format!("no such state: {state}")),
    })
}

fn delete(sim: &mut Sim, what: &str) -> Result<(), String> {
    if what.starts_with("service") {
        sim.world.someone_deletes_service();
        return Ok(());
    }
    let name = what
        .strip_prefix("job ")
        .ok_or_else(|| format!("delete what: {what}"))?;
    sim.world.someone_deletes_job(name);
    Ok(())
}

/// `EFFECT before|after [N]`.
fn trap(text: &str) -> Result<Trap, String> {
    let mut words = text.split(' ');
    let effect = match words.next() {
        Some("any") => Effect::Any,
        Some("write") => Effect::Write,
        Some("service") => Effect::Service,
        Some("create") => Effect::Create,
        Some("delete") => Effect::Delete,
        Some("suspend") => Effect::Suspend,
        Some("resume") => Effect::Resume,
        Some("evidence") => Effect::Evidence,
        other => return Err(format!("no such effect: {other:?}")),
    };
    let after = words.next() == Some("after");
    let nth = words
        .next()
        .unwrap_or("0")
        .parse()
        .map_err(|_| "no number")?;
    Ok(Trap { effect, nth, after })
}

fn seconds(text: &str) -> Result<SignedDuration, String> {
    let number = text.strip_suffix('s').unwrap_or(text);
    number
        .parse()
        .map(SignedDuration::from_secs_f64)
        .map_err(|_| format!("no duration: {text}"))
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

fn change_json(sim: &mut Sim, change: impl FnOnce(&mut Value)) {
    sim.change_spec(|jobset: &mut JobSet| {
        let mut value = serde_json::to_value(&*jobset).unwrap();
        change(&mut value);
        *jobset = serde_json::from_value(value).unwrap();
    });
}

/// One `add` or `replace` of a JSON patch; the recordings use no other.
fn patch_json(target: &mut Value, op: &Value) {
    let path = op["path"].as_str().unwrap();
    let (parent, key) = path.rsplit_once('/').unwrap();
    let parent = target
        .pointer_mut(parent)
        .unwrap_or_else(|| panic!("no {parent}"));
    let key = key.replace("~1", "/").replace("~0", "~");
    match parent {
        Value::Object(map) => {
            map.insert(key, op["value"].clone());
        }
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = op["value"].clone(),
        other => panic!("{path}: parent is {other}"),
    }
}
