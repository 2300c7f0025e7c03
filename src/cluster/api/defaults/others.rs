//! Defaults of the kinds that have few.

use k8s_openapi::api::core::v1::{
    ClientIPConfig, Namespace, Node, PersistentVolumeClaim, Service, SessionAffinityConfig,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::cluster::api::defaults::or;

/// Seconds that a client stays with a pod: three hours.
const STICKY: i32 = 10_800;

pub(super) fn service(service: &mut Service) {
    let spec = service.spec.get_or_insert_default();
    or(&mut spec.session_affinity, "None");
    if spec.session_affinity.as_deref() == Some("None") {
        spec.session_affinity_config = None;
    }
    if spec.session_affinity.as_deref() == Some("ClientIP") {
        let seconds = spec
            .session_affinity_config
            .as_ref()
            .and_then(|config| config.client_ip.as_ref())
            .and_then(|config| config.timeout_seconds);
        spec.session_affinity_config = Some(SessionAffinityConfig {
            client_ip: Some(ClientIPConfig {
                timeout_seconds: Some(seconds.unwrap_or(STICKY)),
            }),
        });
    }
    or(&mut spec.type_, "ClusterIP");
    for port in spec.ports.iter_mut().flatten() {
        or(&mut port.protocol, "TCP");
        let open = match &port.target_port {
            None | Some(IntOrString::Int(0)) => true,
            Some(IntOrString::String(name)) => name.is_empty(),
            Some(IntOrString::Int(_)) => false,
        };
        if open {
            port.target_port = Some(IntOrString::Int(port.port));
        }
    }
    let kind = spec.type_.as_deref().unwrap_or_default();
    let outside = matches!(kind, "NodePort" | "LoadBalancer")
        || kind == "ClusterIP"
            && spec
                .external_ips
                .as_ref()
                .is_some_and(|ips| !ips.is_empty());
    if outside {
        or(&mut spec.external_traffic_policy, "Cluster");
    }
    let external = spec.type_.as_deref() == Some("ExternalName");
    if spec.internal_traffic_policy.is_none() && !external {
        spec.internal_traffic_policy = Some("Cluster".to_owned());
    }
    if spec.type_.as_deref() == Some("LoadBalancer") {
        spec.allocate_load_balancer_node_ports.get_or_insert(true);
    }
    if !external {
        spec.ip_families
            .get_or_insert_with(|| vec!["IPv4".to_owned()]);
        or(&mut spec.ip_family_policy, "SingleStack");
    }
}

pub(super) fn claim(claim: &mut PersistentVolumeClaim) {
    or(&mut claim.status.get_or_insert_default().phase, "Pending");
    or(
        &mut claim.spec.get_or_insert_default().volume_mode,
        "Filesystem",
    );
}

pub(super) fn namespace(namespace: &mut Namespace) {
    or(
        &mut namespace.status.get_or_insert_default().phase,
        "Active",
    );
    let name = namespace.metadata.name.clone().unwrap_or_default();
    if !name.is_empty() {
        namespace
            .metadata
            .labels
            .get_or_insert_default()
            .insert("kubernetes.io/metadata.name".to_owned(), name);
    }
}

pub(super) fn node(node: &mut Node) {
    let status = node.status.get_or_insert_default();
    if status.allocatable.is_none() {
        status.allocatable.clone_from(&status.capacity);
    }
}
