//! Containers of a pod.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Container, EnvVar, PodSpec, ResourceRequirements};

use super::{port_name, port_number};
use crate::cluster::api::names;
use crate::cluster::api::problems::Problems;
use crate::cluster::quantity::Amount;

pub(super) fn all(spec: &PodSpec, field: &str, volumes: &BTreeSet<&str>, problems: &mut Problems) {
    let containers = format!("{field}.containers");
    let mut names = BTreeSet::new();
    if spec.containers.is_empty() {
        problems.required(&containers, "");
    }
    for (at, container) in spec.containers.iter().enumerate() {
        let field = format!("{containers}[{at}]");
        one(container, &field, volumes, problems);
        if !names.insert(container.name.as_str()) {
            problems.duplicate(format!("{field}.name"), &container.name);
        }
    }
    for (at, container) in spec.init_containers.iter().flatten().enumerate() {
        let field = format!("{field}.initContainers[{at}]");
        one(container, &field, volumes, problems);
        if !container.name.is_empty() && !names.insert(container.name.as_str()) {
            problems.duplicate(format!("{field}.name"), &container.name);
        }
        if container.restart_policy.as_deref() == Some("Always") {
            continue;
        }
        for (name, there) in [
            ("lifecycle", container.lifecycle.is_some()),
            ("livenessProbe", container.liveness_probe.is_some()),
            ("readinessProbe", container.readiness_probe.is_some()),
            ("startupProbe", container.startup_probe.is_some()),
        ] {
            if there {
                problems.forbidden(
                    format!("{field}.{name}"),
                    "may not be set for init containers without restartPolicy=Always",
                );
            }
        }
    }
}

fn one(container: &Container, field: &str, volumes: &BTreeSet<&str>, problems: &mut Problems) {
    let name = container.name.as_str();
    if name.is_empty() {
        problems.required(format!("{field}.name"), "");
    } else {
        problems.invalid_for_each(format!("{field}.name"), name, &names::dns_label(name));
    }
    if container.image.as_deref().unwrap_or_default().is_empty() {
        problems.required(format!("{field}.image"), "");
    }
    let policies = ["File", "FallbackToLogsOnError"];
    let policy = container.termination_message_policy.as_deref();
    if let Some(policy) = policy.filter(|policy| !policies.contains(policy)) {
        problems.not_supported(
            format!("{field}.terminationMessagePolicy"),
            policy,
            &policies,
        );
    }
    ports(container, field, problems);
    for (at, variable) in container.env.iter().flatten().enumerate() {
        env(variable, &format!("{field}.env[{at}]"), problems);
    }
    for source in container.env_from.iter().flatten() {
        let count =
            usize::from(source.config_map_ref.is_some()) + usize::from(source.secret_ref.is_some());
        if count == 0 {
            problems.invalid(
                format!("{field}.envFrom"),
                "",
                "must specify one of: `configMapRef` or `secretRef`",
            );
        } else if count > 1 {
            problems.invalid(
                format!("{field}.envFrom"),
                "",
                "may not have more than one field specified at a time",
            );
        }
    }
    mounts(container, field, volumes, problems);
    let policies = ["Always", "IfNotPresent", "Never"];
    let policy = container.image_pull_policy.as_deref();
    if let Some(policy) = policy.filter(|policy| !policies.contains(policy)) {
        problems.not_supported(format!("{field}.imagePullPolicy"), policy, &policies);
    }
    if let Some(resources) = &container.resources {
        self::resources(resources, &format!("{field}.resources"), problems);
    }
}

fn ports(container: &Container, field: &str, problems: &mut Problems) {
    let mut known = BTreeSet::new();
    for (at, port) in container.ports.iter().flatten().enumerate() {
        let field = format!("{field}.ports[{at}]");
        if let Some(name) = port.name.as_deref().filter(|name| !name.is_empty()) {
            let wrong = port_name(name);
            problems.invalid_for_each(format!("{field}.name"), name, &wrong);
            if wrong.is_empty() && !known.insert(name) {
                problems.duplicate(format!("{field}.name"), name);
            }
        }
        if port.container_port == 0 {
            problems.required(format!("{field}.containerPort"), "");
        } else {
            problems.invalid_for_each(
                format!("{field}.containerPort"),
                port.container_port,
                &port_number(port.container_port),
            );
        }
        if let Some(number) = port.host_port.filter(|number| *number != 0) {
            problems.invalid_for_each(format!("{field}.hostPort"), number, &port_number(number));
        }
        protocol(port.protocol.as_deref(), &field, problems);
    }
}

/// Of a port.
pub(super) fn protocol(protocol: Option<&str>, field: &str, problems: &mut Problems) {
    let known = ["SCTP", "TCP", "UDP"];
    if let Some(protocol) = protocol.filter(|protocol| !known.contains(protocol)) {
        problems.not_supported(format!("{field}.protocol"), protocol, &known);
    }
}

/// Fields of a pod that a variable can have.
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

fn env(variable: &EnvVar, field: &str, problems: &mut Problems) {
    let name = variable.name.as_str();
    if name.is_empty() {
        problems.required(format!("{field}.name"), "");
    } else if !name
        .bytes()
        .all(|b| (b' '..=b'~').contains(&b) && b != b'=')
    {
        problems.invalid(
            format!("{field}.name"),
            name,
            "a valid environment variable name must consist only of printable ASCII characters other than '='",
        );
    }
    let Some(from) = &variable.value_from else {
        return;
    };
    let field = format!("{field}.valueFrom");
    if let Some(reference) = &from.field_ref {
        field_path(
            &reference.field_path,
            &format!("{field}.fieldRef"),
            problems,
        );
    }
    for (kind, reference) in [
        (
            "configMapKeyRef",
            from.config_map_key_ref.as_ref().map(|r| (&r.name, &r.key)),
        ),
        (
            "secretKeyRef",
            from.secret_key_ref.as_ref().map(|r| (&r.name, &r.key)),
        ),
    ] {
        let Some((name, key)) = reference else {
            continue;
        };
        if name.is_empty() {
            problems.required(format!("{field}.{kind}.name"), "");
        }
        if key.is_empty() {
            problems.required(format!("{field}.{kind}.key"), "");
        }
    }
    let sources = [
        from.field_ref.is_some(),
        from.resource_field_ref.is_some(),
        from.config_map_key_ref.is_some(),
        from.secret_key_ref.is_some(),
        from.file_key_ref.is_some(),
    ];
    let sources = sources.iter().filter(|there| **there).count();
    if sources == 0 {
        problems.invalid(
            field,
            "",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        );
    } else if variable
        .value
        .as_deref()
        .is_some_and(|value| !value.is_empty())
    {
        problems.invalid(field, "", "may not be specified when `value` is not empty");
    } else if sources > 1 {
        problems.invalid(
            field,
            "",
            "may not have more than one field specified at a time",
        );
    }
}

fn field_path(path: &str, field: &str, problems: &mut Problems) {
    if path.is_empty() {
        problems.required(format!("{field}.fieldPath"), "");
        return;
    }
    let subscript = path.strip_suffix("']").and_then(|p| p.split_once("['"));
    if let Some((base, key)) = subscript {
        match base {
            "metadata.annotations" => {
                problems.invalid_for_each(field, key, &names::qualified_name(&key.to_lowercase()));
            }
            "metadata.labels" => {
                problems.invalid_for_each(field, key, &names::qualified_name(key));
            }
            _ => problems.invalid(field, base, "does not support subscript"),
        }
        return;
    }
    if matches!(path, "metadata.annotations" | "metadata.labels") {
        problems.not_supported(format!("{field}.fieldPath"), path, &FIELDS);
    } else if !FIELDS.contains(&path) {
        problems.invalid(
            format!("{field}.fieldPath"),
            path,
            format!("error converting fieldPath: field label not supported: {path}"),
        );
    }
}

fn mounts(container: &Container, field: &str, volumes: &BTreeSet<&str>, problems: &mut Problems) {
    let mut paths = BTreeSet::new();
    for (at, mount) in container.volume_mounts.iter().flatten().enumerate() {
        let field = format!("{field}.volumeMounts[{at}]");
        if mount.name.is_empty() {
            problems.required(format!("{field}.name"), "");
        }
        if !volumes.contains(mount.name.as_str()) {
            problems.not_found(format!("{field}.name"), &mount.name);
        }
        if mount.mount_path.is_empty() {
            problems.required(format!("{field}.mountPath"), "");
        }
        if !paths.insert(mount.mount_path.as_str()) {
            problems.invalid(
                format!("{field}.mountPath"),
                &mount.mount_path,
                "must be unique",
            );
        }
    }
}

/// Only of these may more be used than is asked for.
fn may_be_overcommitted(name: &str) -> bool {
    !name.contains('/') && !name.starts_with("hugepages-")
}

fn resources(resources: &ResourceRequirements, field: &str, problems: &mut Problems) {
    let empty = std::collections::BTreeMap::new();
    let limits = resources.limits.as_ref().unwrap_or(&empty);
    let requests = resources.requests.as_ref().unwrap_or(&empty);
    for (part, map) in [("limits", limits), ("requests", requests)] {
        for (name, quantity) in map {
            let at = format!("{field}.{part}[{name}]");
            resource_name(name, &at, problems);
            let amount = Amount::of(quantity);
            if amount.is_negative() {
                problems.invalid(&at, &quantity.0, "must be greater than or equal to 0");
            }
            if name.contains('/') && !amount.is_whole() {
                problems.invalid(&at, &quantity.0, "must be an integer");
            }
            if part == "limits" {
                continue;
            }
            let at = format!("{field}.requests");
            let shown = amount.to_string();
            match limits.get(name).map(Amount::of) {
                Some(limit) if amount != limit && !may_be_overcommitted(name) => {
                    problems.invalid(
                        at,
                        shown,
                        format!("must be equal to {name} limit of {limit}"),
                    );
                }
                Some(limit) if amount > limit => {
                    let why = format!("must be less than or equal to {name} limit of {limit}");
                    problems.invalid(at, shown, why);
                }
                None if !may_be_overcommitted(name) => problems.required(
                    format!("{field}.limits"),
                    "Limit must be set for non overcommitable resources",
                ),
                _ => {}
            }
        }
    }
}

fn resource_name(name: &str, field: &str, problems: &mut Problems) {
    problems.invalid_for_each(field, name, &names::qualified_name(name));
    let known = matches!(name, "cpu" | "memory" | "ephemeral-storage")
        || name.starts_with("hugepages-")
        || name.contains('/');
    if !known {
        let qualified = "must be a standard resource type or fully qualified";
        problems.invalid(field, name, qualified);
        problems.invalid(field, name, "must be a standard resource for containers");
    }
}
