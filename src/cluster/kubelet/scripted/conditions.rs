//! Conditions of a pod: which hold, and since when.

use k8s_openapi::api::core::v1::{Pod, PodCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use super::state::{Held, Run, Stage};

/// What a condition says.
struct Says {
    kind: &'static str,
    holds: bool,
    reason: Option<&'static str>,
    message: Option<String>,
}

impl Says {
    fn yes(kind: &'static str) -> Self {
        Self {
            kind,
            holds: true,
            reason: None,
            message: None,
        }
    }
    fn no(kind: &'static str, reason: &'static str, message: Option<String>) -> Self {
        Self {
            kind,
            holds: false,
            reason: Some(reason),
            message,
        }
    }
}

/// All conditions: those of others as they are, then the kubelet's own.
pub(super) fn of(run: &Run, pod: &Pod, phase: &str, now: Timestamp) -> Vec<PodCondition> {
    let old = pod
        .status
        .as_ref()
        .and_then(|s| s.conditions.clone())
        .unwrap_or_default();
    let mut own = Vec::new();
    if let Some(verdict) = run.verdict.as_ref().filter(|v| v.disruption) {
        own.push(Says {
            reason: Some("TerminationByKubelet"),
            message: Some(verdict.message.clone()),
            ..Says::yes("DisruptionTarget")
        });
    }
    let containers = containers_ready(run, phase);
    own.push(sandbox(run));
    own.push(initialized(run, phase));
    own.push(ready(pod, &old, &containers));
    own.push(containers);
    own.push(Says::yes("PodScheduled"));
    let mut out: Vec<PodCondition> = old
        .iter()
        .filter(|c| own.iter().all(|says| says.kind != c.type_))
        .cloned()
        .collect();
    for says in own {
        let there = old.iter().find(|c| c.type_ == says.kind);
        let status = if says.holds { "True" } else { "False" };
        let since = there
            .filter(|c| c.status == status)
            .and_then(|c| c.last_transition_time.clone());
        out.push(PodCondition {
            type_: says.kind.to_owned(),
            status: status.to_owned(),
            reason: says.reason.map(str::to_owned),
            message: says.message,
            last_transition_time: Some(since.unwrap_or(Time(now))),
            observed_generation: pod.metadata.generation,
            ..PodCondition::default()
        });
    }
    out
}

fn sandbox(run: &Run) -> Says {
    let kind = "PodReadyToStartContainers";
    if run.sandbox {
        return Says::yes(kind);
    }
    let words = if run.ip.is_some() {
        SANDBOX_NOT_READY
    } else {
        NO_SANDBOX
    };
    Says::no(kind, "PodSandboxNotReady", Some(words.to_owned()))
}

const NO_SANDBOX: &str = "no pod sandbox exists";
const SANDBOX_NOT_READY: &str = "pod sandbox is not ready";

fn initialized(run: &Run, phase: &str) -> Says {
    let kind = "Initialized";
    if phase == "Succeeded" {
        return Says {
            reason: Some("PodCompleted"),
            ..Says::yes(kind)
        };
    }
    let open = |held: &&Held| match &held.stage {
        Stage::Ended(ended) => held.beside || ended.code != 0,
        Stage::Running { .. } => !held.beside,
        Stage::Waiting { .. } => true,
    };
    let open: Vec<&Held> = run.init.iter().filter(open).collect();
    if open.is_empty() || run.main.iter().any(Held::has_run) {
        return Says::yes(kind);
    }
    let words = format!("containers with incomplete status: {}", list(&open));
    Says::no(kind, "ContainersNotInitialized", Some(words))
}

fn containers_ready(run: &Run, phase: &str) -> Says {
    let kind = "ContainersReady";
    match phase {
        "Succeeded" => return Says::no(kind, "PodCompleted", None),
        "Failed" => return Says::no(kind, "PodFailed", None),
        _ => {}
    }
    let beside = run.init.iter().filter(|c| c.beside);
    let unready: Vec<&Held> = beside.chain(&run.main).filter(|c| !c.ready).collect();
    if unready.is_empty() {
        return Says::yes(kind);
    }
    let words = format!("containers with unready status: {}", list(&unready));
    Says::no(kind, "ContainersNotReady", Some(words))
}

/// Ready, if its containers are and what else it waits for.
fn ready(pod: &Pod, old: &[PodCondition], containers: &Says) -> Says {
    let kind = "Ready";
    if !containers.holds {
        let reason = containers.reason.unwrap_or_default();
        return Says::no(kind, reason, containers.message.clone());
    }
    let gates = pod.spec.as_ref().and_then(|s| s.readiness_gates.as_ref());
    let words: Vec<String> = gates
        .into_iter()
        .flatten()
        .filter_map(|gate| {
            let gate = gate.condition_type.as_str();
            match old.iter().find(|c| c.type_ == gate) {
                Some(c) if c.status == "True" => None,
                Some(c) => Some(format!(
                    "the status of pod readiness gate \"{gate}\" is not \"True\", but {}",
                    c.status
                )),
                None => Some(format!(
                    "corresponding condition of pod readiness gate \"{gate}\" does not exist."
                )),
            }
        })
        .collect();
    if words.is_empty() {
        Says::yes(kind)
    } else {
        Says::no(kind, "ReadinessGatesNotReady", Some(words.join(", ")))
    }
}

/// `[a b]`, as Go prints lists.
fn list(containers: &[&Held]) -> String {
    let names: Vec<&str> = containers.iter().map(|c| c.name.as_str()).collect();
    format!("[{}]", names.join(" "))
}
