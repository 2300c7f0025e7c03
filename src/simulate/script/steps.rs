//! The commands of a script. `A & B` happens with nothing in between. Pure.
//!
//! ```text
//! create | attach                      a driver starts, or takes over
//! crash [requests-arrive]              it is killed
//! trap EFFECT before|after [N]         it dies at that effect (any write service create delete suspend resume evidence)
//! suspend | resume | stop [WHO]        a person's wish
//! spec-suspend | spec-resume | patch JSON | patch-json JSON       somebody changes the record
//! pod NAME STATE | pods [ROLE|JOB] STATE      what becomes of pods that live:
//!     running ready unready succeeded failed [exit=N] [reason=R] restarted [exit=N] evicted disrupted
//!     waiting REASON MESSAGE, deleted, hold (deleted, and held by a finalizer), free-pods lets go
//! delete job NAME | delete service     by somebody
//! someone-suspends NAME | someone-resumes NAME | foreign NAME     what others do
//! wait SECONDS | wait-ms N             let time pass
//! refuse NAME CODE REASON MESSAGE | refuse-no-more | unclear NAME      creates
//! quota NAME RESOURCE=N … | quota-no-more NAME      how much there may be in the namespace
//! hold|release|cut|relist|double|single jobs|pods, hold|release writes      what reaches the driver
//! terminate-after|controller-after|api-after|logs-after D, log-line TEXT
//! ```

use std::str::FromStr as _;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::api::JobSet;
use crate::cluster::api::rights::ADMIN;
use crate::cluster::api::{DeleteOptions, Patch, Propagation, Request, Verb, WriteOptions};
use crate::cluster::object::{Kind, Object};
use crate::engine::Command;
use crate::simulate::entry::What;
use crate::simulate::hands::Refusal;
use crate::simulate::hurt::update_status;
use crate::simulate::pod_state::{self, PodChange};
use crate::simulate::script::stage::Stage;
use crate::simulate::session::Session;

/// Nothing has changed for this long: it has settled.
const SETTLED: SignedDuration = SignedDuration::from_millis(2600);
/// Turns of one settling; a world that needs more goes round in circles.
const TURNS: usize = 20_000;
/// What holds a pod that is not let go.
const HOLD: &str = "example.com/hold";

impl Stage {
    /// Carries out one line and lets the world settle.
    ///
    /// # Errors
    /// About the line's form, or what the world says to what it asks for.
    pub fn play(&mut self, line: &str) -> Result<(), String> {
        if let Some(span) = line.strip_prefix("wait ") {
            return wait(self, seconds(span)?);
        }
        for part in line.split(" & ") {
            let part = part.trim();
            if let Some(span) = part.strip_prefix("wait-ms ") {
                let span = span.parse().map_err(|_| "wait-ms NUMBER".to_owned())?;
                wait(self, SignedDuration::from_millis(span))?;
            } else if let Some(span) = part.strip_prefix("terminate-after ") {
                self.terminate = seconds(span)?;
            } else {
                apply(&mut self.session, part)?;
            }
            self.look();
        }
        self.settle()
    }

    /// Lets time pass until nothing has changed for the settling time.
    ///
    /// # Errors
    /// The world goes round in circles.
    pub fn settle(&mut self) -> Result<(), String> {
        let mut quiet = self.session.now();
        for _ in 0..TURNS {
            let rest = later(quiet, SETTLED);
            match self.next_due().filter(|at| *at <= rest) {
                Some(at) => {
                    if self.turn(at) {
                        quiet = self.session.now();
                    }
                }
                None => {
                    self.session.world.advance(rest);
                    return Ok(());
                }
            }
        }
        Err(round_in_circles(&self.session))
    }
}

fn wait(stage: &mut Stage, span: SignedDuration) -> Result<(), String> {
    let end = later(stage.session.now(), span);
    for _ in 0..TURNS {
        match stage.next_due().filter(|at| *at <= end) {
            Some(at) => {
                stage.turn(at);
            }
            None => {
                stage.session.world.advance(end);
                return Ok(());
            }
        }
    }
    Err(round_in_circles(&stage.session))
}

fn round_in_circles(session: &Session) -> String {
    let last: Vec<String> = session
        .log
        .iter()
        .rev()
        .take(6)
        .map(|entry| format!("{:?}", entry.what))
        .collect();
    format!(
        "the world does not settle: it is {}, something is due at {:?}, last {last:?}",
        session.now(),
        session.next_due()
    )
}

fn later(at: Timestamp, span: SignedDuration) -> Timestamp {
    at.saturating_add(span).unwrap_or(at)
}

/// Carries out one command; nothing settles.
fn apply(session: &mut Session, line: &str) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "create" | "attach" if session.engine.is_some() => {
            return Err("a driver is attached already".to_owned());
        }
        "create" | "attach" => session.attach(),
        "pod" | "pods" => pods(session, word == "pod", rest)?,
        "suspend" => session.command(Command::Suspend),
        "resume" => session.command(Command::Resume),
        "stop" => session.command(Command::Stop {
            by: if rest.is_empty() { "ada" } else { rest }.to_owned(),
        }),
        "spec-suspend" => session.change_spec(|jobset| jobset.spec.suspend = Some(true)),
        "spec-resume" => session.change_spec(|jobset| jobset.spec.suspend = Some(false)),
        "patch" => {
            let patch = json(rest)?;
            change_json(session, |value| {
                merge(value, &patch);
                Ok(())
            })?;
        }
        "patch-json" => {
            let patch =
                serde_json::from_str::<json_patch::Patch>(rest).map_err(|e| e.to_string())?;
            change_json(session, |value| {
                json_patch::patch(value, &patch).map_err(|e| e.to_string())
            })?;
        }
        "delete" => delete(session, rest)?,
        "crash" => session.crash(rest == "requests-arrive"),
        "trap" => session.trap = Some(rest.parse()?),
        _ => faults(session, word, rest)?,
    }
    session.poll();
    Ok(())
}

fn faults(session: &mut Session, word: &str, rest: &str) -> Result<(), String> {
    match word {
        "refuse" => {
            let mut parts = rest.splitn(4, ' ');
            let mut next = || {
                let part = parts.next().map(str::to_owned);
                part.ok_or_else(|| "refuse NAME CODE REASON MESSAGE".to_owned())
            };
            let (name, code, reason, message) = (next()?, next()?, next()?, next()?);
            session.hands.refuse.push(Refusal {
                name,
                code: code.parse().map_err(|_| "CODE is a number".to_owned())?,
                reason,
                message,
            });
        }
        "refuse-no-more" => session.hands.refuse.clear(),
        "unclear" => session.hands.unclear.push(rest.to_owned()),
        "quota" => quota(session, rest)?,
        "quota-no-more" => {
            let verb = Verb::Delete(DeleteOptions::default());
            ask(session, Kind::ResourceQuota, rest, verb)?;
        }
        "controller-after" => {
            let span = seconds(rest)?;
            session.world.change_pace(|pace| pace.job_sync = span);
        }
        "api-after" => session.delays.api = seconds(rest)?,
        "logs-after" => session.delays.logs = seconds(rest)?,
        "log-line" => session.log_lines.push(rest.to_owned()),
        "foreign" => foreign_job(session, rest)?,
        "someone-suspends" => suspend_job(session, rest, true)?,
        "someone-resumes" => suspend_job(session, rest, false)?,
        "free-pods" => free_pods(session)?,
        "hold" | "release" if rest == "writes" => session.hold_writes = word == "hold",
        "hold" | "release" | "cut" | "double" | "single" | "relist" => {
            watches(session, word, rest)?;
        }
        _ => return Err(format!("there is no command {word}")),
    }
    Ok(())
}

fn watches(session: &mut Session, word: &str, which: &str) -> Result<(), String> {
    let watch = match which {
        "jobs" => &mut session.jobs,
        "pods" => &mut session.pods,
        _ => return Err(format!("there is no watch {which}, only jobs and pods")),
    };
    match word {
        "hold" => watch.held = true,
        "release" => watch.held = false,
        "cut" => watch.cut(),
        "double" => watch.double = true,
        "single" => watch.double = false,
        _ => watch.list(&session.world, &session.scope, session.delays.watch),
    }
    Ok(())
}

/// `TARGET STATE`, or `STATE` of all of them.
fn pods(session: &mut Session, one: bool, rest: &str) -> Result<(), String> {
    let is_state =
        |text: &str| matches!(text, "hold" | "deleted") || PodChange::from_str(text).is_ok();
    let (target, state) = match rest.split_once(' ') {
        Some((target, state)) if !is_state(rest) => (target, state),
        _ => ("", rest),
    };
    let change = match state {
        "hold" | "deleted" => None,
        _ => Some(PodChange::from_str(state)?),
    };
    let hit: Vec<Object> = session
        .world
        .store()
        .list(Kind::Pod, Some(&session.scope.namespace))
        .filter(|pod| session.scope.has(pod))
        .filter(|pod| pod.as_pod().is_some_and(pod_state::is_live))
        .filter(|pod| is_meant(session, pod, target, one))
        .map(|pod| Object::clone(pod))
        .collect();
    if hit.is_empty() {
        session.note(What::Note("no such live pod".to_owned()));
    }
    for object in hit {
        let Object::Pod(mut pod) = object else {
            continue;
        };
        let name = pod.metadata.name.clone().unwrap_or_default();
        match &change {
            Some(change) => {
                let now = session.world.second();
                pod_state::change(&mut pod, change, now);
                update_status(&mut session.world, &pod.into()).map_err(|s| s.message)?;
            }
            None => {
                if state == "hold" {
                    let mut held = pod.metadata.finalizers.unwrap_or_default();
                    held.push(HOLD.to_owned());
                    let patch = json!({"metadata": {"finalizers": held}});
                    ask(session, Kind::Pod, &name, merge_patch(patch))?;
                }
                ask(
                    session,
                    Kind::Pod,
                    &name,
                    Verb::Delete(DeleteOptions::default()),
                )?;
            }
        }
    }
    Ok(())
}

/// `w-0-1` is a pod; `w`, `w-0` or nothing are all of a role, a Job, the run.
fn is_meant(session: &Session, pod: &Object, target: &str, one: bool) -> bool {
    use crate::api::names::{COMPLETION_INDEX, JOB_NAME, REPLICATED_JOB_NAME};
    let job = pod.label(JOB_NAME).unwrap_or_default();
    let job = job
        .strip_prefix(session.name())
        .and_then(|rest| rest.strip_prefix('-'))
        .unwrap_or(job);
    if one {
        let index = pod.label(COMPLETION_INDEX);
        index.is_some_and(|index| format!("{job}-{index}") == target)
    } else {
        target.is_empty() || target == job || pod.label(REPLICATED_JOB_NAME) == Some(target)
    }
}

/// A request by somebody who may do everything.
fn ask(session: &mut Session, kind: Kind, name: &str, verb: Verb) -> Result<(), String> {
    let creates = matches!(verb, Verb::Create(..));
    let request = Request {
        user: ADMIN.to_owned(),
        kind,
        namespace: Some(session.scope.namespace.clone()),
        name: (!creates).then(|| name.to_owned()),
        subresource: None,
        verb,
    };
    session
        .world
        .call(&request)
        .map(|_| ())
        .map_err(|status| status.message)
}

fn merge_patch(patch: Value) -> Verb {
    Verb::Patch(WriteOptions::default(), Patch::Merge(patch))
}

fn delete(session: &mut Session, what: &str) -> Result<(), String> {
    let background = Verb::Delete(DeleteOptions {
        propagation: Some(Propagation::Background),
        ..DeleteOptions::default()
    });
    match what.split_once(' ') {
        Some(("job", name)) => ask(session, Kind::Job, name, background),
        Some(("service", name)) => ask(session, Kind::Service, name, background),
        None if what == "service" => {
            let name = crate::api::names::subdomain(&session.record.jobset).to_owned();
            ask(session, Kind::Service, &name, background)
        }
        _ => Err("delete job NAME, or delete service".to_owned()),
    }
}

fn suspend_job(session: &mut Session, name: &str, suspend: bool) -> Result<(), String> {
    let patch = json!({"spec": {"suspend": suspend}});
    ask(session, Kind::Job, name, merge_patch(patch))
}

/// Somebody else's Job takes a name.
fn foreign_job(session: &mut Session, name: &str) -> Result<(), String> {
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {"template": {"spec": {"restartPolicy": "Never",
            "containers": [{"name": "main", "image": "busybox"}]}}}});
    ask(
        session,
        Kind::Job,
        name,
        Verb::Create(WriteOptions::default(), job),
    )
}

/// `NAME RESOURCE=N …`
fn quota(session: &mut Session, text: &str) -> Result<(), String> {
    let form = || "quota NAME RESOURCE=N …".to_owned();
    let (name, rest) = text.split_once(' ').ok_or_else(form)?;
    let mut hard = serde_json::Map::new();
    for part in rest.split(' ') {
        let (resource, amount) = part.split_once('=').ok_or_else(form)?;
        hard.insert(resource.to_owned(), json!(amount));
    }
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name},
        "spec": {"hard": hard}});
    let verb = Verb::Create(WriteOptions::default(), quota);
    ask(session, Kind::ResourceQuota, name, verb)
}

/// What held deleted pods lets them go.
fn free_pods(session: &mut Session) -> Result<(), String> {
    let held: Vec<(String, Vec<String>)> = session
        .world
        .store()
        .list(Kind::Pod, Some(&session.scope.namespace))
        .filter(|pod| pod.meta().deletion_timestamp.is_some())
        .filter_map(|pod| {
            let finalizers = pod.meta().finalizers.clone()?;
            let rest = finalizers.iter().filter(|f| *f != HOLD).cloned().collect();
            finalizers
                .iter()
                .any(|f| f == HOLD)
                .then(|| (pod.name().to_owned(), rest))
        })
        .collect();
    for (name, finalizers) in held {
        let patch = json!({"metadata": {"finalizers": finalizers}});
        ask(session, Kind::Pod, &name, merge_patch(patch))?;
    }
    Ok(())
}

fn seconds(text: &str) -> Result<SignedDuration, String> {
    let number = text.strip_suffix('s').unwrap_or(text);
    let number: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is not a number of seconds"))?;
    SignedDuration::try_from_secs_f64(number).map_err(|e| e.to_string())
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

fn change_json(
    session: &mut Session,
    change: impl FnOnce(&mut Value) -> Result<(), String>,
) -> Result<(), String> {
    let base = session
        .engine
        .as_ref()
        .map(|engine| engine.jobset().clone());
    let base = base.unwrap_or_else(|| session.record.jobset.clone());
    let mut value = serde_json::to_value(base).map_err(|e| e.to_string())?;
    change(&mut value)?;
    let changed: JobSet = serde_json::from_value(value).map_err(|e| e.to_string())?;
    session.change_spec(|jobset| *jobset = changed);
    Ok(())
}

/// JSON merge patch (RFC 7386).
fn merge(target: &mut Value, patch: &Value) {
    json_patch::merge(target, patch);
}
