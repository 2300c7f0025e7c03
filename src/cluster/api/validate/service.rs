//! Services.

use core::net::IpAddr;
use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Service, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{container, meta, port_name, port_number};
use crate::cluster::api::names;
use crate::cluster::api::problems::Problems;

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub(super) fn create(service: &Service, problems: &mut Problems) {
    let empty = ServiceSpec::default();
    spec(service.spec.as_ref().unwrap_or(&empty), problems);
}

fn spec(spec: &ServiceSpec, problems: &mut Problems) {
    let kind = spec.type_.as_deref().unwrap_or_default();
    let headless = spec.cluster_ip.as_deref() == Some("None");
    let external = kind == "ExternalName";
    let ports = spec.ports.as_deref().unwrap_or_default();
    if ports.is_empty() && !headless && !external {
        problems.required("spec.ports", "");
    }
    if external {
        let name = spec.external_name.as_deref().unwrap_or_default();
        if name.is_empty() {
            problems.required("spec.externalName", "");
        } else {
            problems.invalid_for_each("spec.externalName", name, &names::dns_subdomain(name));
        }
    }
    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for (at, port) in ports.iter().enumerate() {
        let field = format!("spec.ports[{at}]");
        let name = port.name.as_deref().unwrap_or_default();
        if name.is_empty() {
            if ports.len() > 1 {
                problems.required(format!("{field}.name"), "");
            }
        } else {
            problems.invalid_for_each(format!("{field}.name"), name, &names::dns_label(name));
            if !names.insert(name) {
                problems.duplicate(format!("{field}.name"), name);
            }
        }
        problems.invalid_for_each(format!("{field}.port"), port.port, &port_number(port.port));
        container::protocol(port.protocol.as_deref(), &field, problems);
        let at = format!("{field}.targetPort");
        match &port.target_port {
            Some(IntOrString::Int(number)) => {
                problems.invalid_for_each(at, *number, &port_number(*number));
            }
            Some(IntOrString::String(name)) => {
                problems.invalid_for_each(at, name.as_str(), &port_name(name));
            }
            None => {}
        }
        if !seen.insert((port.port, port.protocol.as_deref().unwrap_or_default())) {
            problems.duplicate(&field, port);
        }
    }
    meta::labels(spec.selector.as_ref(), "spec.selector", problems);
    let affinity = spec.session_affinity.as_deref().unwrap_or_default();
    if !matches!(affinity, "None" | "ClientIP") {
        problems.not_supported("spec.sessionAffinity", affinity, &["ClientIP", "None"]);
    }
    if !TYPES.contains(&kind) {
        problems.not_supported("spec.type", kind, &TYPES);
    }
    if let Some(address) = spec
        .cluster_ip
        .as_deref()
        .filter(|_| !headless && !external)
        && address.parse::<IpAddr>().is_err()
    {
        problems.invalid(
            "spec.clusterIPs[0]",
            address,
            "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        );
    }
}

pub(super) fn update(new: &Service, old: &Service, problems: &mut Problems) {
    let (Some(now), Some(was)) = (&new.spec, &old.spec) else {
        return;
    };
    let external = |spec: &ServiceSpec| spec.type_.as_deref() == Some("ExternalName");
    if !external(now) && !external(was) && now.cluster_ip != was.cluster_ip {
        problems.invalid(
            "spec.clusterIPs[0]",
            &now.cluster_ips,
            "may not change once set",
        );
    }
    spec(now, problems);
}
