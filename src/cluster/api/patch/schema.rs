//! Which lists of the served kinds merge, and by which key. A list that isn't here is replaced as a whole.

use crate::cluster::object::Kind;

/// How a list merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// Its items are objects; this field names them.
    By(&'static str),
    /// Its items are words.
    Set,
}

/// How the list at `key` of an object at `parent` (empty: the whole) merges; none: it is replaced.
pub(super) fn list(kind: Kind, parent: &str, key: &str) -> Option<Merge> {
    Some(Merge::By(match (key, parent) {
        ("finalizers", "metadata") => return Some(Merge::Set),
        ("podCIDRs", "spec") if kind == Kind::Node => return Some(Merge::Set),
        ("ownerReferences", "metadata") => "uid",
        ("conditions", "status") => "type",
        ("addresses", "status") if kind == Kind::Node => "type",
        ("ports", "spec") if kind == Kind::Service => "port",
        ("ports", _) => "containerPort",
        ("env", _) => "name",
        ("volumeMounts", _) => "mountPath",
        ("volumeDevices", _) => "devicePath",
        ("podIPs" | "hostIPs", "status") => "ip",
        ("resourceClaimStatuses", "status") => "name",
        ("allocatedResourcesStatus", _) => "name",
        (
            "volumes"
            | "initContainers"
            | "containers"
            | "ephemeralContainers"
            | "imagePullSecrets"
            | "schedulingGates"
            | "resourceClaims",
            "spec",
        ) => "name",
        ("hostAliases", "spec") => "ip",
        ("topologySpreadConstraints", "spec") => "topologyKey",
        _ => return None,
    }))
}
