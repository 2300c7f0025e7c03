//! The cluster that a simulation runs on: its nodes, its kubelets' habits, the driver's rights. What is
//! not asked for is assumed, and said. Pure.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::SignedDuration;
use serde_json::Value;

use crate::api::{JobSet, names};
use crate::cli::target::Place;
use crate::cluster::api::rights;
use crate::cluster::controllers::node::NodeShape;
use crate::cluster::kubelet::scripted::{End, Exit, Rule, Which};
use crate::cluster::pace::Pace;
use crate::cluster::world::World;
use crate::report::time::human;
use crate::simulate::capacity::Nodes;
use crate::simulate::wishes::Wishes;

/// Who drives, with the Role of `examples/role.yaml`.
pub(super) const DRIVER: &str = "driver";
/// From a pod's node to its being ready: image, start, first probe.
const START_TIME: SignedDuration = SignedDuration::from_secs(30);
/// How long a pod runs where nothing is said.
pub(super) const RUN_TIME: SignedDuration = SignedDuration::from_hours(1);
/// From the signal to a pod's end.
const TERMINATE: SignedDuration = SignedDuration::from_secs(1);
/// Nodes where nothing is said; more are made only where pods refuse to share one.
const NODES: u32 = 8;
/// Nodes of a script.
const NODES_BY_HAND: u32 = 20;
/// What a node has of a resource that nobody has limited.
const PLENTY: &str = "1000000";
const PLENTY_BYTES: &str = "1Pi";

/// How long things take.
pub(super) fn pace() -> Pace {
    Pace {
        start: START_TIME,
        terminate: TERMINATE,
        ..Pace::default()
    }
}

/// Makes nodes and kubelets. What was assumed, as fragments.
pub(super) fn furnish(
    world: &mut World,
    jobset: &JobSet,
    namespace: &str,
    wishes: &Wishes,
) -> Vec<String> {
    open(world, namespace);
    let mut assumed = vec![format!(
        "{} for a pod to start, {} to end when it is told to",
        human(START_TIME.as_secs()),
        human(TERMINATE.as_secs())
    )];
    let by_default: Vec<&str> = jobset
        .spec
        .replicated_jobs
        .iter()
        .map(|role| role.name.as_str())
        .filter(|role| !wishes.run_times.contains_key(*role))
        .collect();
    if !by_default.is_empty() {
        assumed.push(format!(
            "{} for a pod to run ({})",
            human(RUN_TIME.as_secs()),
            by_default.join(", ")
        ));
    }
    let devices = devices(jobset);
    let nodes = if wishes.nodes.is_empty() {
        assumed.push("nodes enough for every pod".to_owned());
        vec![Nodes {
            count: NODES.max(if apart(jobset) { pods(jobset) } else { 0 }),
            has: BTreeMap::new(),
        }]
    } else {
        wishes.nodes.clone()
    };
    let kinds = nodes
        .iter()
        .flat_map(|kind| (0..kind.count).map(move |_| kind));
    for (number, kind) in kinds.enumerate() {
        world.add_node(&format!("node-{number}"), shape(kind, &devices));
    }
    for role in &jobset.spec.replicated_jobs {
        let time = wishes.run_times.get(&role.name).copied();
        let mut rule = Rule {
            which: Which::all().role(&role.name),
            ..Rule::default()
        };
        rule.play.end = Some(End {
            after: time.unwrap_or(RUN_TIME),
            exit: Exit::code(0),
            container: None,
        });
        world.script(rule);
    }
    for target in wishes.never_ready.clone() {
        let is_meant = move |pod: &Pod| place_of(pod).is_some_and(|place| target.matches(&place));
        let mut rule = Rule {
            which: Which::all().and(is_meant),
            ..Rule::default()
        };
        rule.play.never_ready = Some(true);
        world.script(rule);
    }
    assumed
}

/// The rights of `examples/role.yaml`, in one namespace.
fn rights(namespace: &str) -> Vec<rights::Rule> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect();
    [
        ("batch", "jobs", "get list watch create delete patch"),
        ("batch", "jobs/status", "patch"),
        ("", "pods", "get list watch"),
        ("", "pods/log", "get"),
        ("", "services", "get list watch create delete"),
        ("", "configmaps", "get list watch create patch delete"),
        (
            "coordination.k8s.io",
            "leases",
            "get list create patch delete",
        ),
        ("", "events", "list watch"),
    ]
    .into_iter()
    .map(|(group, resource, verbs)| rights::Rule {
        namespace: Some(namespace.to_owned()),
        verbs: words(verbs),
        groups: vec![group.to_owned()],
        resources: words(resource),
        names: Vec::new(),
    })
    .collect()
}

/// A pod of a run as targets see it.
pub(super) fn place_of(pod: &Pod) -> Option<Place<'_>> {
    let labels = pod.metadata.labels.as_ref()?;
    let get = |key: &str| labels.get(key).map(String::as_str);
    Some(Place {
        role: get(names::REPLICATED_JOB_NAME)?,
        job: get(names::JOB_INDEX)?.parse().ok()?,
        job_name: get(names::JOB_NAME)?,
        index: get(names::COMPLETION_INDEX).and_then(|i| i.parse().ok()),
        pod: pod.metadata.name.as_deref()?,
    })
}

/// Pods of the whole set.
fn pods(jobset: &JobSet) -> u32 {
    let of_role = |role: &crate::api::ReplicatedJob| {
        let each = u32::try_from(role.template.pods_expected()).unwrap_or(u32::MAX);
        role.replicas().saturating_mul(each)
    };
    jobset
        .spec
        .replicated_jobs
        .iter()
        .map(of_role)
        .fold(0, u32::saturating_add)
}

/// Some role's pods have rules about whom they share a node with.
fn apart(jobset: &JobSet) -> bool {
    jobset.spec.replicated_jobs.iter().any(|role| {
        let spec = role.template.pod_template().and_then(|t| t.get("spec"));
        spec.is_some_and(|spec| {
            spec.get("affinity").is_some() || spec.get("topologySpreadConstraints").is_some()
        })
    })
}

/// Extended resources that any container asks for.
fn devices(jobset: &JobSet) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for role in &jobset.spec.replicated_jobs {
        let spec = role.template.pod_template().and_then(|t| t.get("spec"));
        for list in ["containers", "initContainers"] {
            let containers = spec.and_then(|s| s.get(list)).and_then(Value::as_array);
            for container in containers.into_iter().flatten() {
                for kind in ["limits", "requests"] {
                    let asked = container.pointer(&format!("/resources/{kind}"));
                    let asked = asked.and_then(Value::as_object).into_iter().flatten();
                    names.extend(
                        asked
                            .map(|(name, _)| name.clone())
                            .filter(|n| n.contains('/')),
                    );
                }
            }
        }
    }
    names
}

fn shape(kind: &Nodes, devices: &BTreeSet<String>) -> NodeShape {
    let mut shape = NodeShape {
        cpu: PLENTY.to_owned(),
        memory: PLENTY_BYTES.to_owned(),
        pods: u32::MAX,
        ..NodeShape::default()
    };
    // Where nothing is said of what a node has, it has everything.
    if kind.has.is_empty() {
        let plenty = |name: &String| (name.clone(), PLENTY.to_owned());
        shape.extended.extend(devices.iter().map(plenty));
    }
    for (name, amount) in &kind.has {
        match name.as_str() {
            "cpu" => shape.cpu.clone_from(amount),
            "memory" => shape.memory.clone_from(amount),
            "pods" => shape.pods = amount.parse().unwrap_or(shape.pods),
            _ => {
                shape.extended.insert(name.clone(), amount.clone());
            }
        }
    }
    shape
}

/// The cluster of a script: its pods do nothing by themselves, nor go by themselves.
pub(super) fn furnish_by_hand(world: &mut World, namespace: &str) {
    open(world, namespace);
    for number in 0..NODES_BY_HAND {
        let shape = NodeShape {
            foreign: true,
            ..NodeShape::default()
        };
        world.add_node(&format!("node-{number}"), shape);
    }
}

/// The namespace, and who may work there.
fn open(world: &mut World, namespace: &str) {
    if namespace != "default" {
        world.add_namespace(namespace);
    }
    world.allow(DRIVER, rights(namespace));
}
