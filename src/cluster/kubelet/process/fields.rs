//! The downward API: fields of the pod and resources of its containers as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use k8s_openapi::api::core::v1::{Container, Pod, ResourceFieldSelector};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::cluster::quantity;

/// What a kubelet knows of a pod beyond the pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) pod_ip: String,
    pub(super) host_ip: String,
    pub(super) node: String,
    /// The machine's own, which a container without limits may use.
    pub(super) cpus: u64,
    pub(super) memory: u64,
}

/// `fieldRef`.
///
/// # Errors
/// The path names no field that the downward API has.
pub(super) fn field(pod: &Pod, place: &Place, path: &str) -> Result<String, String> {
    let meta = &pod.metadata;
    let spec = pod.spec.as_ref();
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let entry = |map: &Option<BTreeMap<String, String>>, key: &str| {
        map.as_ref()
            .and_then(|map| map.get(key))
            .cloned()
            .unwrap_or_default()
    };
    if let Some((map, key)) = subscript(path) {
        return match map {
            "metadata.labels" => Ok(entry(&meta.labels, key)),
            "metadata.annotations" => Ok(entry(&meta.annotations, key)),
            _ => Err(format!("field path not supported: {path}")),
        };
    }
    Ok(match path {
        "metadata.name" => text(&meta.name),
        "metadata.namespace" => text(&meta.namespace),
        "metadata.uid" => text(&meta.uid),
        "metadata.labels" => listed(meta.labels.as_ref()),
        "metadata.annotations" => listed(meta.annotations.as_ref()),
        "spec.nodeName" => place.node.clone(),
        "spec.serviceAccountName" => spec
            .and_then(|s| s.service_account_name.clone())
            .unwrap_or_else(|| "default".to_owned()),
        "status.podIP" | "status.podIPs" => place.pod_ip.clone(),
        "status.hostIP" | "status.hostIPs" => place.host_ip.clone(),
        _ => return Err(format!("field path not supported: {path}")),
    })
}

/// `metadata.labels['key']`.
fn subscript(path: &str) -> Option<(&str, &str)> {
    let (map, rest) = path.split_once('[')?;
    let key = rest.strip_suffix(']')?;
    let key = key
        .strip_prefix('\'')
        .and_then(|k| k.strip_suffix('\''))
        .or_else(|| key.strip_prefix('"').and_then(|k| k.strip_suffix('"')))?;
    Some((map, key))
}

/// `key="value"` lines, as a downward API file has them.
fn listed(map: Option<&BTreeMap<String, String>>) -> String {
    let mut text = String::new();
    for (key, value) in map.into_iter().flatten() {
        let _ = writeln!(text, "{key}={value:?}");
    }
    text.trim_end_matches('\n').to_owned()
}

/// `resourceFieldRef`; `own` is the container that asks.
///
/// # Errors
/// There is no such container or resource.
pub(super) fn resource(
    pod: &Pod,
    own: Option<&Container>,
    place: &Place,
    selector: &ResourceFieldSelector,
) -> Result<String, String> {
    let spec = pod.spec.as_ref();
    let container = match &selector.container_name {
        None => own,
        Some(name) => spec.and_then(|s| {
            s.containers
                .iter()
                .chain(s.init_containers.iter().flatten())
                .find(|c| c.name == *name)
        }),
    }
    .ok_or_else(|| {
        format!(
            "container {} not found",
            selector.container_name.as_deref().unwrap_or_default()
        )
    })?;
    let unknown = || format!("unsupported container resource : {}", selector.resource);
    let (side, name) = selector.resource.split_once('.').ok_or_else(unknown)?;
    let resources = container.resources.as_ref();
    let limits = resources.and_then(|r| r.limits.as_ref());
    let given = match side {
        "limits" => limits.and_then(|l| l.get(name)),
        // Defaulted by the API server: what has a limit only requests that.
        "requests" => resources
            .and_then(|r| r.requests.as_ref())
            .and_then(|r| r.get(name))
            .or_else(|| limits.and_then(|l| l.get(name))),
        _ => return Err(unknown()),
    };
    let amount = match (given, side, name) {
        (Some(quantity), ..) => quantity::milli(quantity).ok_or_else(unknown)?.into(),
        // What has no limit may use what the machine has.
        (None, "limits", "cpu") => i128::from(place.cpus) * 1000,
        (None, "limits", "memory") => i128::from(place.memory) * 1000,
        (None, ..) => 0,
    };
    let divisor = selector
        .divisor
        .as_ref()
        .and_then(quantity::milli)
        .map(i128::from);
    let divisor = divisor.filter(|d| *d > 0).unwrap_or(1000);
    Ok((amount.div_euclid(divisor) + i128::from(amount.rem_euclid(divisor) != 0)).to_string())
}

/// A container's limit on memory in bytes.
pub(super) fn memory_limit(container: &Container) -> Option<u64> {
    let limit: &Quantity = container
        .resources
        .as_ref()?
        .limits
        .as_ref()?
        .get("memory")?;
    u64::try_from(quantity::units(limit)?)
        .ok()
        .filter(|l| *l > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod() -> (Pod, Place) {
        let pod = serde_json::from_value(serde_json::json!({
            "metadata": {"name": "p", "namespace": "n", "uid": "u", "labels": {"a/b": "c"},
                         "annotations": {"x": "say \"hi\""}},
            "spec": {"serviceAccountName": "robot", "containers": [
                {"name": "c", "resources": {"limits": {"memory": "64Mi", "cpu": "1500m"}}}]}
        }))
        .unwrap();
        let place = Place {
            pod_ip: "127.1.2.3".to_owned(),
            host_ip: "127.0.0.1".to_owned(),
            node: "node".to_owned(),
            cpus: 2,
            memory: 1 << 30,
        };
        (pod, place)
    }

    #[test]
    fn fields_as_text() {
        let (pod, place) = pod();
        for (path, expected) in [
            ("metadata.name", "p"),
            ("metadata.namespace", "n"),
            ("metadata.uid", "u"),
            ("metadata.labels['a/b']", "c"),
            ("metadata.labels['none']", ""),
            ("metadata.labels", "a/b=\"c\""),
            ("metadata.annotations", "x=\"say \\\"hi\\\"\""),
            ("spec.nodeName", "node"),
            ("spec.serviceAccountName", "robot"),
            ("status.podIP", "127.1.2.3"),
            ("status.hostIP", "127.0.0.1"),
        ] {
            assert_eq!(field(&pod, &place, path).unwrap(), expected, "{path}");
        }
        assert!(field(&pod, &place, "spec.containers").is_err());
    }

    #[test]
    fn resources_in_units_of_the_divisor_rounded_up() {
        let (pod, place) = pod();
        let own = &pod.spec.as_ref().unwrap().containers[0];
        let ask = |resource: &str, divisor: Option<&str>| {
            let selector = ResourceFieldSelector {
                resource: resource.to_owned(),
                divisor: divisor.map(|d| Quantity(d.to_owned())),
                ..ResourceFieldSelector::default()
            };
            resource_of(&pod, own, &place, &selector)
        };
        assert_eq!(ask("limits.cpu", None), "2");
        assert_eq!(ask("limits.cpu", Some("1m")), "1500");
        assert_eq!(ask("limits.memory", Some("1Mi")), "64");
        assert_eq!(ask("requests.memory", Some("1Mi")), "64");
        let bare = Container::default();
        let selector = ResourceFieldSelector {
            resource: "limits.memory".to_owned(),
            divisor: Some(Quantity("1Gi".to_owned())),
            ..ResourceFieldSelector::default()
        };
        assert_eq!(resource_of(&pod, &bare, &place, &selector), "1");
    }

    fn resource_of(pod: &Pod, own: &Container, place: &Place, s: &ResourceFieldSelector) -> String {
        resource(pod, Some(own), place, s).unwrap()
    }
}
