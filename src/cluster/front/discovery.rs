//! What there is: the lists by which clients learn of groups, versions, kinds, and their verbs; plain
//! and aggregated.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cluster::front::route::Review;
use crate::cluster::object::Kind;

const VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// A resource as discovery lists it.
struct Resource {
    group: &'static str,
    name: String,
    singular: &'static str,
    kind: &'static str,
    namespaced: bool,
    verbs: Vec<&'static str>,
    short: &'static [&'static str],
    categories: &'static [&'static str],
}

/// What `kubectl get all` means.
const IN_ALL: [Kind; 3] = [Kind::Pod, Kind::Service, Kind::Job];

fn resources() -> Vec<Resource> {
    let mut all = Vec::new();
    for kind in Kind::ALL {
        let info = kind.info();
        let base = || Resource {
            group: info.group,
            name: info.plural.to_owned(),
            singular: info.singular,
            kind: info.kind,
            namespaced: info.namespaced,
            verbs: VERBS.to_vec(),
            short: info.short,
            categories: if IN_ALL.contains(kind) { &["all"] } else { &[] },
        };
        let part = |name: &str, kind: &'static str, verbs: &[&'static str]| Resource {
            name: format!("{}/{name}", info.plural),
            singular: "",
            kind,
            verbs: verbs.to_vec(),
            short: &[],
            categories: &[],
            ..base()
        };
        all.push(base());
        if *kind == Kind::Pod {
            all.push(part("binding", "Binding", &["create"]));
            all.push(part("eviction", "Eviction", &["create"]));
            all.push(part("log", "Pod", &["get"]));
        }
        if info.status {
            all.push(part("status", info.kind, &["get", "patch", "update"]));
        }
    }
    for review in Review::ALL {
        let (group, name, kind) = review.names();
        all.push(Resource {
            group,
            name: name.to_owned(),
            singular: "",
            kind,
            namespaced: false,
            verbs: vec!["create"],
            short: &[],
            categories: &[],
        });
    }
    all
}

/// Named groups with their version.
fn groups() -> BTreeMap<&'static str, &'static str> {
    resources()
        .iter()
        .filter(|r| !r.group.is_empty())
        .map(|r| (r.group, "v1"))
        .collect()
}

/// Group and version are served.
pub(super) fn serves(group: &str, version: &str) -> bool {
    version == "v1" && (group.is_empty() || groups().contains_key(group))
}

/// `/api`
pub(super) fn core() -> Value {
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [
        {"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"},
    ]})
}

/// `/apis`
pub(super) fn group_list() -> Value {
    let groups: Vec<Value> = groups().keys().filter_map(|g| group(g)).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `/apis/batch`
pub(super) fn group(name: &str) -> Option<Value> {
    let version = groups().get(name).copied()?;
    let version = json!({"groupVersion": format!("{name}/{version}"), "version": version});
    Some(json!({
        "kind": "APIGroup", "apiVersion": "v1", "name": name,
        "versions": [version], "preferredVersion": version,
    }))
}

/// `/api/v1`, `/apis/batch/v1`
pub(super) fn resource_list(group: &str, version: &str) -> Option<Value> {
    if !serves(group, version) {
        return None;
    }
    let group_version = if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    };
    let resources: Vec<Value> = resources()
        .iter()
        .filter(|r| r.group == group)
        .map(|r| {
            let mut value = json!({
                "name": r.name, "singularName": r.singular, "namespaced": r.namespaced,
                "kind": r.kind, "verbs": r.verbs,
            });
            if let Some((part_group, part_version)) = foreign(r.kind) {
                value["group"] = json!(part_group);
                value["version"] = json!(part_version);
            }
            if !r.short.is_empty() {
                value["shortNames"] = json!(r.short);
            }
            if !r.categories.is_empty() {
                value["categories"] = json!(r.categories);
            }
            value
        })
        .collect();
    Some(json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version,
        "resources": resources,
    }))
}

/// Group and version of a part's kind, where they are not those of the whole.
fn foreign(kind: &str) -> Option<(&'static str, &'static str)> {
    (kind == "Eviction").then_some(("policy", "v1"))
}

/// `/api` or `/apis`, aggregated.
pub(super) fn aggregated(core: bool) -> Value {
    let names: Vec<(&str, &str)> = if core {
        vec![("", "v1")]
    } else {
        groups().into_iter().collect()
    };
    let all = resources();
    let items: Vec<Value> = names
        .into_iter()
        .map(|(group, version)| {
            let resources: Vec<Value> = all
                .iter()
                .filter(|r| r.group == group && !r.name.contains('/'))
                .map(|r| aggregated_resource(r, &all))
                .collect();
            json!({
                "metadata": {"name": group, "creationTimestamp": null},
                "versions": [{"version": version, "freshness": "Current", "resources": resources}],
            })
        })
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {}, "items": items,
    })
}

fn aggregated_resource(resource: &Resource, all: &[Resource]) -> Value {
    let kind = |r: &Resource| {
        // The real one leaves group and version open where they are those of the whole.
        let (group, version) = foreign(r.kind).unwrap_or_default();
        json!({"group": group, "version": version, "kind": r.kind})
    };
    let parts: Vec<Value> = all
        .iter()
        .filter(|r| r.group == resource.group)
        .filter_map(|r| {
            let (whole, part) = r.name.split_once('/')?;
            (whole == resource.name)
                .then(|| json!({"subresource": part, "responseKind": kind(r), "verbs": r.verbs}))
        })
        .collect();
    let mut value = json!({
        "resource": resource.name, "responseKind": kind(resource),
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular, "verbs": resource.verbs,
    });
    if !resource.short.is_empty() {
        value["shortNames"] = json!(resource.short);
    }
    if !resource.categories.is_empty() {
        value["categories"] = json!(resource.categories);
    }
    if !parts.is_empty() {
        value["subresources"] = json!(parts);
    }
    value
}

/// `/version`
pub(super) fn version() -> Value {
    json!({
        "major": "1", "minor": "37", "gitVersion": SERVER_VERSION, "gitCommit": "", "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z", "goVersion": "", "compiler": "", "platform": "pocket",
    })
}

/// The Kubernetes whose behaviour is played.
const SERVER_VERSION: &str = "v1.37.0+pocket";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_tell_of_the_same() {
        for kind in Kind::ALL {
            let info = kind.info();
            let plain = resource_list(info.group, info.version).unwrap();
            let found = plain["resources"]
                .as_array()
                .unwrap()
                .iter()
                .find(|r| r["name"] == info.plural)
                .unwrap();
            assert_eq!(found["kind"], info.kind);
            let aggregated = aggregated(info.group.is_empty());
            let group = aggregated["items"]
                .as_array()
                .unwrap()
                .iter()
                .find(|g| g["metadata"]["name"] == info.group)
                .unwrap();
            let found = group["versions"][0]["resources"]
                .as_array()
                .unwrap()
                .iter()
                .find(|r| r["resource"] == info.plural)
                .unwrap();
            assert_eq!(found["responseKind"]["kind"], info.kind);
            let parts = found["subresources"].as_array().map_or(0, Vec::len);
            let wanted = usize::from(info.status) + if *kind == Kind::Pod { 3 } else { 0 };
            assert_eq!(parts, wanted, "{kind:?}");
        }
        assert!(resource_list("events.k8s.io", "v1").is_none());
        assert!(group("batch").is_some() && group("apps").is_none());
    }
}
