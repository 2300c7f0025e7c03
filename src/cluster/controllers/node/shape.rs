//! Nodes come: as a kubelet registers them, ready at once.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Node, NodeAddress, NodeCondition, NodeSystemInfo, Taint};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use crate::cluster::world::World;

/// Conditions that a healthy node has: type, status, reason, message.
pub(super) const CONDITIONS: [(&str, &str, &str, &str); 4] = [
    (
        "MemoryPressure",
        "False",
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
    ),
    (
        "DiskPressure",
        "False",
        "KubeletHasNoDiskPressure",
        "kubelet has no disk pressure",
    ),
    (
        "PIDPressure",
        "False",
        "KubeletHasSufficientPID",
        "kubelet has sufficient PID available",
    ),
    (
        "Ready",
        "True",
        "KubeletReady",
        "kubelet is posting ready status",
    ),
];

/// What a node has.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeShape {
    /// CPUs, as a quantity.
    pub cpu: String,
    /// Memory, as a quantity.
    pub memory: String,
    /// Most pods.
    pub pods: u32,
    /// Other resources: `nvidia.com/gpu`.
    pub extended: BTreeMap<String, String>,
    /// Labels, beside those of its name and system.
    pub labels: BTreeMap<String, String>,
    /// Taints.
    pub taints: Vec<Taint>,
    /// Its address; none: one of its own.
    pub address: Option<String>,
    /// Somebody else runs its pods: scripted kubelets leave them alone.
    pub foreign: bool,
}

/// As much as anybody asks for.
impl Default for NodeShape {
    fn default() -> Self {
        Self {
            cpu: "1000".to_owned(),
            memory: "1Ti".to_owned(),
            pods: 10_000,
            extended: BTreeMap::new(),
            labels: BTreeMap::new(),
            taints: Vec::new(),
            address: None,
            foreign: false,
        }
    }
}

impl World {
    /// Adds a node that is ready.
    pub fn add_node(&mut self, name: &str, shape: NodeShape) {
        if shape.foreign {
            self.kubelets.give_away(name);
        }
        let mut node = Node::default();
        node.metadata.name = Some(name.to_owned());
        let mut labels = shape.labels;
        for (key, value) in [
            ("kubernetes.io/hostname", name),
            ("kubernetes.io/os", "linux"),
            ("kubernetes.io/arch", "amd64"),
        ] {
            labels
                .entry(key.to_owned())
                .or_insert_with(|| value.to_owned());
        }
        node.metadata.labels = Some(labels);
        self.stamp(&mut node.metadata);
        node.spec.get_or_insert_default().taints = Some(shape.taints).filter(|t| !t.is_empty());
        let mut has: BTreeMap<String, Quantity> = shape
            .extended
            .into_iter()
            .map(|(name, amount)| (name, Quantity(amount)))
            .collect();
        has.insert("cpu".to_owned(), Quantity(shape.cpu));
        has.insert("memory".to_owned(), Quantity(shape.memory));
        has.insert("pods".to_owned(), Quantity(shape.pods.to_string()));
        has.insert("ephemeral-storage".to_owned(), Quantity("1Ti".to_owned()));
        self.nodes.came += 1;
        let [_, _, c, d] = self.nodes.came.to_be_bytes();
        let address = shape.address.unwrap_or_else(|| format!("172.16.{c}.{d}"));
        let now = self.second();
        let status = node.status.get_or_insert_default();
        status.allocatable = Some(has.clone());
        status.capacity = Some(has);
        status.conditions = Some(CONDITIONS.iter().map(|c| condition(c, now)).collect());
        status.addresses = Some(vec![
            NodeAddress {
                type_: "InternalIP".to_owned(),
                address,
            },
            NodeAddress {
                type_: "Hostname".to_owned(),
                address: name.to_owned(),
            },
        ]);
        status.node_info = Some(NodeSystemInfo {
            architecture: "amd64".to_owned(),
            operating_system: "linux".to_owned(),
            kubelet_version: "v1.37.2".to_owned(),
            container_runtime_version: "pocket://0".to_owned(),
            kernel_version: "pocket".to_owned(),
            os_image: "pocket".to_owned(),
            ..NodeSystemInfo::default()
        });
        self.put(node.into());
    }
}

fn condition(
    (kind, status, reason, message): &(&str, &str, &str, &str),
    now: Timestamp,
) -> NodeCondition {
    NodeCondition {
        type_: (*kind).to_owned(),
        status: (*status).to_owned(),
        reason: Some((*reason).to_owned()),
        message: Some((*message).to_owned()),
        last_heartbeat_time: Some(Time(now)),
        last_transition_time: Some(Time(now)),
    }
}
