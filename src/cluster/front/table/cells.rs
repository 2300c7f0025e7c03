//! Columns and cells of each kind.

use std::collections::BTreeMap;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{
    Container, Event, Node, PersistentVolumeClaim, Pod, ResourceQuota, Service,
};
use k8s_openapi::api::rbac::v1::RoleBinding;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use super::{Column, age, pod};
use crate::cluster::object::{Kind, Object};

const NONE: &str = "<none>";

/// Columns of a kind.
pub(super) fn columns(kind: Kind) -> &'static [Column] {
    match kind {
        Kind::Namespace => &[("Name", false), ("Status", false), ("Age", false)],
        Kind::Node => &[
            ("Name", false),
            ("Status", false),
            ("Roles", false),
            ("Age", false),
            ("Version", false),
            ("Internal-IP", true),
            ("External-IP", true),
            ("OS-Image", true),
            ("Kernel-Version", true),
            ("Container-Runtime", true),
        ],
        Kind::ConfigMap => &[("Name", false), ("Data", false), ("Age", false)],
        Kind::Secret => &[
            ("Name", false),
            ("Type", false),
            ("Data", false),
            ("Age", false),
        ],
        Kind::Service => &[
            ("Name", false),
            ("Type", false),
            ("Cluster-IP", false),
            ("External-IP", false),
            ("Port(s)", false),
            ("Age", false),
            ("Selector", true),
        ],
        Kind::PersistentVolumeClaim => &[
            ("Name", false),
            ("Status", false),
            ("Volume", false),
            ("Capacity", false),
            ("Access Modes", false),
            ("StorageClass", false),
            ("VolumeAttributesClass", false),
            ("Age", false),
            ("VolumeMode", true),
        ],
        Kind::ResourceQuota => &[
            ("Name", false),
            ("Request", false),
            ("Limit", false),
            ("Age", false),
        ],
        Kind::Event => &[
            ("Last Seen", false),
            ("Type", false),
            ("Reason", false),
            ("Object", false),
            ("Subobject", true),
            ("Source", true),
            ("Message", false),
            ("First Seen", true),
            ("Count", true),
            ("Name", true),
        ],
        Kind::Pod => &[
            ("Name", false),
            ("Ready", false),
            ("Status", false),
            ("Restarts", false),
            ("Age", false),
            ("IP", true),
            ("Node", true),
            ("Nominated Node", true),
            ("Readiness Gates", true),
        ],
        Kind::Job => &[
            ("Name", false),
            ("Status", false),
            ("Completions", false),
            ("Duration", false),
            ("Age", false),
            ("Containers", true),
            ("Images", true),
            ("Selector", true),
        ],
        Kind::Lease => &[("Name", false), ("Holder", false), ("Age", false)],
        Kind::Role => &[("Name", false), ("Created At", false)],
        Kind::RoleBinding => &[
            ("Name", false),
            ("Role", false),
            ("Age", false),
            ("Users", true),
            ("Groups", true),
            ("ServiceAccounts", true),
        ],
    }
}

/// Cells of an object, one for each column of its kind.
pub(super) fn cells(object: &Object, now: Timestamp) -> Vec<Value> {
    let name = json!(object.name());
    let made = object.meta().creation_timestamp.as_ref().map(|t| t.0);
    let age = json!(age::since(made, now));
    match object {
        Object::Namespace(o) => {
            let phase = o.status.as_ref().and_then(|s| s.phase.clone());
            vec![name, json!(phase.unwrap_or_default()), age]
        }
        Object::Node(o) => node(o, name, age),
        Object::ConfigMap(o) => {
            let text = o.data.as_ref().map_or(0, BTreeMap::len);
            let bytes = o.binary_data.as_ref().map_or(0, BTreeMap::len);
            vec![name, json!(text + bytes), age]
        }
        Object::Secret(o) => {
            let kind = o.type_.clone().unwrap_or_default();
            let data = o.data.as_ref().map_or(0, BTreeMap::len);
            vec![name, json!(kind), json!(data), age]
        }
        Object::Service(o) => service(o, name, age),
        Object::PersistentVolumeClaim(o) => claim(o, name, age),
        Object::ResourceQuota(o) => quota(o, name, age),
        Object::Event(o) => event(o, name, now),
        Object::Pod(o) => pod_cells(o, name, age, now),
        Object::Job(o) => job(o, name, age, now),
        Object::Lease(o) => {
            let holder = o.spec.as_ref().and_then(|s| s.holder_identity.clone());
            vec![name, json!(holder.unwrap_or_default()), age]
        }
        Object::Role(_) => vec![
            name,
            json!(made.map_or_else(String::new, |t| t.to_string())),
        ],
        Object::RoleBinding(o) => binding(o, name, age),
    }
}

fn binding(binding: &RoleBinding, name: Value, age: Value) -> Vec<Value> {
    let role = format!("{}/{}", binding.role_ref.kind, binding.role_ref.name);
    let of = |kind: &str| {
        let names = binding.subjects.iter().flatten().filter(|s| s.kind == kind);
        let names: Vec<String> = names
            .map(|s| match &s.namespace {
                Some(namespace) => format!("{namespace}/{}", s.name),
                None => s.name.clone(),
            })
            .collect();
        json!(names.join(", "))
    };
    let (users, groups) = (of("User"), of("Group"));
    vec![name, json!(role), age, users, groups, of("ServiceAccount")]
}

fn node(node: &Node, name: Value, age: Value) -> Vec<Value> {
    const ROLE: &str = "node-role.kubernetes.io/";
    let status = node.status.clone().unwrap_or_default();
    let ready = status
        .conditions
        .iter()
        .flatten()
        .find(|c| c.type_ == "Ready");
    let mut words = match ready {
        Some(c) if c.status == "True" => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if node.spec.as_ref().and_then(|s| s.unschedulable) == Some(true) {
        words.push_str(",SchedulingDisabled");
    }
    let roles: Vec<&str> = node
        .metadata
        .labels
        .iter()
        .flatten()
        .filter_map(|(key, _)| key.strip_prefix(ROLE))
        .collect();
    let address = |kind: &str| {
        let found = status
            .addresses
            .iter()
            .flatten()
            .find(|a| a.type_ == kind)
            .map(|a| a.address.clone());
        json!(found.unwrap_or_else(|| NONE.to_owned()))
    };
    let unknown = |text: Option<String>| {
        json!(
            text.filter(|t| !t.is_empty())
                .unwrap_or_else(|| "<unknown>".to_owned())
        )
    };
    let (internal, external) = (address("InternalIP"), address("ExternalIP"));
    let info = status.node_info.unwrap_or_default();
    vec![
        name,
        json!(words),
        json!(or_none(&roles.join(","))),
        age,
        json!(info.kubelet_version),
        internal,
        external,
        unknown(Some(info.os_image)),
        unknown(Some(info.kernel_version)),
        unknown(Some(info.container_runtime_version)),
    ]
}

fn service(service: &Service, name: Value, age: Value) -> Vec<Value> {
    let spec = service.spec.clone().unwrap_or_default();
    let ports: Vec<String> = spec
        .ports
        .iter()
        .flatten()
        .map(|p| {
            let protocol = p.protocol.as_deref().unwrap_or("TCP");
            match p.node_port {
                Some(node) if node > 0 => format!("{}:{node}/{protocol}", p.port),
                _ => format!("{}/{protocol}", p.port),
            }
        })
        .collect();
    let selector = spec.selector.unwrap_or_default();
    vec![
        name,
        json!(spec.type_.as_deref().unwrap_or("ClusterIP")),
        json!(or_none(spec.cluster_ip.as_deref().unwrap_or_default())),
        json!(NONE),
        json!(or_none(&ports.join(","))),
        age,
        json!(or_none(&pairs(&selector))),
    ]
}

fn claim(claim: &PersistentVolumeClaim, name: Value, age: Value) -> Vec<Value> {
    let spec = claim.spec.clone().unwrap_or_default();
    let status = claim.status.clone().unwrap_or_default();
    let mut phase = status.phase.unwrap_or_default();
    if claim.metadata.deletion_timestamp.is_some() {
        "Terminating".clone_into(&mut phase);
    }
    let bound = spec.volume_name.is_some();
    let storage = status
        .capacity
        .as_ref()
        .and_then(|c| c.get("storage"))
        .filter(|_| bound)
        .map_or_else(String::new, |q| q.0.clone());
    let short = |mode: &String| match mode.as_str() {
        "ReadWriteOnce" => "RWO".to_owned(),
        "ReadOnlyMany" => "ROX".to_owned(),
        "ReadWriteMany" => "RWX".to_owned(),
        "ReadWriteOncePod" => "RWOP".to_owned(),
        other => other.to_owned(),
    };
    let modes: Vec<String> = status
        .access_modes
        .iter()
        .flatten()
        .filter(|_| bound)
        .map(short)
        .collect();
    vec![
        name,
        json!(phase),
        json!(spec.volume_name.unwrap_or_default()),
        json!(storage),
        json!(modes.join(",")),
        json!(spec.storage_class_name.unwrap_or_default()),
        json!(
            spec.volume_attributes_class_name
                .unwrap_or_else(|| "<unset>".to_owned())
        ),
        age,
        json!(spec.volume_mode.unwrap_or_else(|| "<unset>".to_owned())),
    ]
}

/// `cpu: 1/4, pods: 0/1`; limits apart.
fn quota(quota: &ResourceQuota, name: Value, age: Value) -> Vec<Value> {
    let status = quota.status.clone().unwrap_or_default();
    let used = status.used.unwrap_or_default();
    let amount = |q: Option<&Quantity>| q.map_or_else(|| "0".to_owned(), |q| q.0.clone());
    let (limits, requests): (Vec<_>, Vec<_>) = status
        .hard
        .iter()
        .flatten()
        .map(|(key, hard)| (key.starts_with("limits."), key, hard))
        .partition(|(limit, _, _)| *limit);
    let told = |list: Vec<(bool, &String, &Quantity)>| {
        list.iter()
            .map(|(_, key, hard)| format!("{key}: {}/{}", amount(used.get(*key)), hard.0))
            .collect::<Vec<_>>()
            .join(", ")
    };
    vec![name, json!(told(requests)), json!(told(limits)), age]
}

fn event(event: &Event, name: Value, now: Timestamp) -> Vec<Value> {
    let micro = event.event_time.as_ref().map(|t| t.0);
    let first = event.first_timestamp.as_ref().map(|t| t.0).or(micro);
    let last = event
        .series
        .as_ref()
        .and_then(|s| s.last_observed_time.as_ref().map(|t| t.0))
        .or(event.last_timestamp.as_ref().map(|t| t.0))
        .or(first);
    let about = &event.involved_object;
    let kind = about.kind.clone().unwrap_or_default().to_lowercase();
    let object = format!("{kind}/{}", about.name.clone().unwrap_or_default());
    let source = event.source.clone().unwrap_or_default();
    let component = source
        .component
        .or_else(|| event.reporting_component.clone())
        .unwrap_or_default();
    let source = match source.host {
        Some(host) if !host.is_empty() => format!("{component}, {host}"),
        _ => component,
    };
    let count = event
        .series
        .as_ref()
        .and_then(|s| s.count)
        .or(event.count)
        .unwrap_or(1);
    let text = |t: &Option<String>| json!(t.clone().unwrap_or_default());
    vec![
        json!(age::since(last, now)),
        text(&event.type_),
        text(&event.reason),
        json!(object),
        text(&about.field_path),
        json!(source),
        json!(event.message.clone().unwrap_or_default().trim()),
        json!(age::since(first, now)),
        json!(count),
        name,
    ]
}

fn pod_cells(pod: &Pod, name: Value, age: Value, now: Timestamp) -> Vec<Value> {
    let row = pod::row(pod, now);
    let status = pod.status.clone().unwrap_or_default();
    let spec = pod.spec.as_ref();
    let node = spec.and_then(|s| s.node_name.clone()).unwrap_or_default();
    let gates = spec.and_then(|s| s.readiness_gates.as_ref());
    let gates = gates.filter(|g| !g.is_empty()).map(|gates| {
        let met = gates.iter().filter(|gate| {
            status
                .conditions
                .iter()
                .flatten()
                .any(|c| c.type_ == gate.condition_type && c.status == "True")
        });
        format!("{}/{}", met.count(), gates.len())
    });
    vec![
        name,
        json!(row.ready),
        json!(row.status),
        json!(row.restarts),
        age,
        json!(or_none(status.pod_ip.as_deref().unwrap_or_default())),
        json!(or_none(&node)),
        json!(or_none(
            status.nominated_node_name.as_deref().unwrap_or_default()
        )),
        json!(gates.unwrap_or_else(|| NONE.to_owned())),
    ]
}

fn job(job: &Job, name: Value, age: Value, now: Timestamp) -> Vec<Value> {
    let spec = job.spec.clone().unwrap_or_default();
    let status = job.status.clone().unwrap_or_default();
    let is = |kind: &str| {
        status
            .conditions
            .iter()
            .flatten()
            .any(|c| c.type_ == kind && c.status == "True")
    };
    let word = if is("Complete") {
        "Complete"
    } else if is("Failed") {
        "Failed"
    } else if job.metadata.deletion_timestamp.is_some() {
        "Terminating"
    } else if is("Suspended") {
        "Suspended"
    } else if is("FailureTarget") {
        "FailureTarget"
    } else if is("SuccessCriteriaMet") {
        "SuccessCriteriaMet"
    } else {
        "Running"
    };
    let done = status.succeeded.unwrap_or(0);
    let completions = match (spec.completions, spec.parallelism.unwrap_or(0)) {
        (Some(all), _) => format!("{done}/{all}"),
        (None, width @ 2..) => format!("{done}/1 of {width}"),
        (None, _) => format!("{done}/1"),
    };
    let start = status.start_time.as_ref().map(|t| t.0);
    let end = status.completion_time.as_ref().map_or(now, |t| t.0);
    let duration = start.map_or_else(String::new, |start| age::short(end.duration_since(start)));
    let containers = spec.template.spec.map(|s| s.containers).unwrap_or_default();
    let list =
        |text: fn(&Container) -> &str| containers.iter().map(text).collect::<Vec<_>>().join(",");
    vec![
        name,
        json!(word),
        json!(completions),
        json!(duration),
        age,
        json!(list(|c| &c.name)),
        json!(list(|c| c.image.as_deref().unwrap_or_default())),
        json!(spec.selector.map_or_else(|| NONE.to_owned(), selector)),
    ]
}

fn selector(selector: LabelSelector) -> String {
    or_none(&pairs(&selector.match_labels.unwrap_or_default())).to_owned()
}

fn pairs(map: &BTreeMap<String, String>) -> String {
    map.iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect::<Vec<_>>()
        .join(",")
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { NONE } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is served has a row, as wide as its head.
    #[test]
    fn every_kind_has_a_row() {
        let now: Timestamp = "2026-12-01T10:00:00Z".parse().unwrap();
        for kind in Kind::ALL {
            let empty = json!({
                "apiVersion": kind.info().api_version(), "kind": kind.info().kind, "metadata": {"name": "x"},
            });
            let object = Object::from_json(*kind, &empty, |_| {}).unwrap();
            assert_eq!(cells(&object, now).len(), columns(*kind).len(), "{kind:?}");
        }
    }

    #[test]
    fn a_job_as_kubectl_shows_it() {
        let now: Timestamp = "2026-12-01T10:00:00Z".parse().unwrap();
        let job = json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "j", "creationTimestamp": "2026-12-01T09:57:30Z"},
            "spec": {"completions": 3, "parallelism": 3, "template": {"spec": {"containers": [{"name": "c", "image": "i:1"}]}},
                     "selector": {"matchLabels": {"u": "1"}}},
            "status": {"succeeded": 2, "startTime": "2026-12-01T09:57:31Z"},
        });
        let object = Object::from_json(Kind::Job, &job, |_| {}).unwrap();
        assert_eq!(
            Value::Array(cells(&object, now)),
            json!(["j", "Running", "2/3", "2m29s", "2m30s", "c", "i:1", "u=1"])
        );
    }

    #[test]
    fn a_quota_tells_requests_and_limits_apart() {
        let now: Timestamp = "2026-12-01T10:00:00Z".parse().unwrap();
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "creationTimestamp": "2026-12-01T10:00:00Z"},
            "status": {"hard": {"pods": "2", "limits.cpu": "4", "requests.cpu": "3"}, "used": {"pods": "1", "limits.cpu": "0"}},
        });
        let object = Object::from_json(Kind::ResourceQuota, &quota, |_| {}).unwrap();
        assert_eq!(
            Value::Array(cells(&object, now)),
            json!(["q", "pods: 1/2, requests.cpu: 0/3", "limits.cpu: 0/4", "0s"])
        );
    }
}
