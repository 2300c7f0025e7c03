//! What this machine has, as a Node that the scheduler can count with.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Node, NodeAddress, NodeCondition, NodeSpec, NodeStatus, NodeSystemInfo,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;

/// Pods that a machine takes: each is at least three processes, and one's own work goes on beside them.
const MOST_PODS: u64 = 250;

/// Address of the machine as its pods see it.
pub(super) const ADDRESS: &str = "127.0.0.1";

/// Capacity of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) cpus: u64,
    /// Bytes.
    pub(super) memory: u64,
}

impl Machine {
    /// As far as this process may use it.
    pub(super) fn look() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        Self {
            cpus,
            memory: memory(),
        }
    }
}

fn memory() -> u64 {
    let info = rustix::system::sysinfo();
    let total = u64::from(info.mem_unit) * info.totalram as u64;
    // In a container this file has the container's limit, or `max`.
    std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .map_or(total, |limit: u64| limit.min(total))
}

/// The Node object.
pub(super) fn node(name: &str, machine: Machine, now: Timestamp) -> Node {
    let capacity: BTreeMap<String, Quantity> = [
        ("cpu", machine.cpus.to_string()),
        ("memory", format!("{}Ki", machine.memory / 1024)),
        ("pods", MOST_PODS.to_string()),
    ]
    .into_iter()
    .map(|(name, amount)| (name.to_owned(), Quantity(amount)))
    .collect();
    let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let (os, architecture) = (std::env::consts::OS, architecture());
    let condition = |type_: &str, status: &str, reason: &str| NodeCondition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: Some(reason.to_owned()),
        last_heartbeat_time: Some(Time(now)),
        last_transition_time: Some(Time(now)),
        ..NodeCondition::default()
    };
    Node {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some(
                [
                    label("kubernetes.io/hostname", name),
                    label("kubernetes.io/os", os),
                    label("kubernetes.io/arch", architecture),
                ]
                .into(),
            ),
            ..ObjectMeta::default()
        },
        spec: Some(NodeSpec::default()),
        status: Some(NodeStatus {
            allocatable: Some(capacity.clone()),
            capacity: Some(capacity),
            addresses: Some(vec![
                NodeAddress {
                    type_: "InternalIP".to_owned(),
                    address: ADDRESS.to_owned(),
                },
                NodeAddress {
                    type_: "Hostname".to_owned(),
                    address: name.to_owned(),
                },
            ]),
            conditions: Some(vec![condition("Ready", "True", "KubeletReady")]),
            node_info: Some(NodeSystemInfo {
                architecture: architecture.to_owned(),
                operating_system: os.to_owned(),
                container_runtime_version: concat!("process://", env!("CARGO_PKG_VERSION"))
                    .to_owned(),
                ..NodeSystemInfo::default()
            }),
            ..NodeStatus::default()
        }),
    }
}

/// As Kubernetes calls it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
