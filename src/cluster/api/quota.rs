//! Quotas: what an object takes of each resource, and whether there is so much left. What is used is kept in
//! the quota's status: it is counted up here as objects come, and counted anew by its controller as they
//! go. Scopes of quotas are not looked at.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{Container, Pod, ResourceQuota};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::cluster::api::status::Status;
use crate::cluster::object::{Kind, Object};
use crate::cluster::quantity::Amount;
use crate::cluster::world::World;

type Amounts = BTreeMap<String, Amount>;

impl World {
    /// Quotas as they will be once an object is there.
    ///
    /// # Errors
    /// 403: it takes more than is left.
    pub(in crate::cluster) fn admit(&self, object: &Object) -> Result<Vec<ResourceQuota>, Status> {
        let mut quotas = self
            .store
            .list(Kind::ResourceQuota, Some(object.namespace()))
            .filter_map(|quota| match &**quota {
                Object::ResourceQuota(quota) => Some(quota),
                _ => None,
            })
            .peekable();
        if quotas.peek().is_none() {
            return Ok(Vec::new());
        }
        let usage = usage(object);
        let mut changed = Vec::new();
        for quota in quotas {
            if let Some(quota) = consumed(quota, object, &usage)? {
                changed.push(quota);
            }
        }
        Ok(changed)
    }
}

/// A quota after an object has taken its part; none: it takes none.
fn consumed(
    quota: &ResourceQuota,
    object: &Object,
    usage: &Amounts,
) -> Result<Option<ResourceQuota>, Status> {
    let status = quota.status.clone().unwrap_or_default();
    let hard = amounts(status.hard.as_ref());
    let mut used = amounts(status.used.as_ref());
    let name = quota.metadata.name.as_deref().unwrap_or_default();
    let refused = |why: String| Err(Status::forbidden(object.kind(), object.name(), &why));
    if let Object::Pod(pod) = object
        && let Some(missing) = unspecified(pod, &hard)
    {
        return refused(format!("failed quota: {name}: must specify {missing}"));
    }
    let none = Amount::default();
    let asked: Vec<(&String, Amount)> = usage
        .iter()
        .filter(|(resource, amount)| hard.contains_key(*resource) && **amount != none)
        .map(|(resource, amount)| (resource, *amount))
        .collect();
    if asked.is_empty() {
        return Ok(None);
    }
    let (mut over, mut before) = (Vec::new(), Vec::new());
    for (resource, amount) in &asked {
        let was = used.get(*resource).copied().unwrap_or_default();
        before.push((*resource, was));
        let now = was + *amount;
        if hard.get(*resource).is_some_and(|limit| now > *limit) {
            over.push(*resource);
        }
        used.insert((*resource).clone(), now);
    }
    if !over.is_empty() {
        let shown = |amounts: &[(&String, Amount)]| {
            let parts: Vec<String> = amounts
                .iter()
                .filter(|(resource, _)| over.contains(resource))
                .map(|(resource, amount)| format!("{resource}={amount}"))
                .collect();
            parts.join(",")
        };
        let limits: Vec<(&String, Amount)> = hard.iter().map(|(r, a)| (r, *a)).collect();
        return refused(format!(
            "exceeded quota: {name}, requested: {}, used: {}, limited: {}",
            shown(&asked),
            shown(&before),
            shown(&limits)
        ));
    }
    let mut quota = quota.clone();
    quota.status.get_or_insert_default().used = Some(quantities(&used));
    Ok(Some(quota))
}

/// Where compute resources are limited, each container has to say what it needs of them.
fn unspecified(pod: &Pod, hard: &Amounts) -> Option<String> {
    let spec = pod.spec.as_ref()?;
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let init = spec.init_containers.iter().flatten();
    for container in spec.containers.iter().chain(init) {
        let resources = container.resources.as_ref();
        let requests = resources.and_then(|r| r.requests.as_ref());
        let limits = resources.and_then(|r| r.limits.as_ref());
        for (resource, map, key) in [
            ("cpu", requests, "cpu"),
            ("memory", requests, "memory"),
            ("requests.cpu", requests, "cpu"),
            ("requests.memory", requests, "memory"),
            ("limits.cpu", limits, "cpu"),
            ("limits.memory", limits, "memory"),
        ] {
            let said = map.is_some_and(|map| map.contains_key(key));
            if hard.contains_key(resource) && !said {
                missing.entry(resource).or_default().insert(&container.name);
            }
        }
    }
    if missing.is_empty() {
        return None;
    }
    let parts: Vec<String> = missing
        .iter()
        .map(|(resource, names)| {
            let names: Vec<&str> = names.iter().copied().collect();
            format!("{resource} for: {}", names.join(","))
        })
        .collect();
    Some(parts.join("; "))
}

/// What an object takes.
pub(in crate::cluster) fn usage(object: &Object) -> Amounts {
    let one = Amount::whole(1);
    let info = object.kind().info();
    let mut all = BTreeMap::from([(format!("count/{}", info.resource()), one)]);
    match object {
        Object::Pod(pod) => of_pod(pod, &mut all),
        Object::Service(service) => {
            all.insert("services".to_owned(), one);
            let spec = service.spec.as_ref();
            let ports = spec.and_then(|s| s.ports.as_ref()).map_or(0, Vec::len);
            let ports = Amount::whole(i64::try_from(ports).unwrap_or(i64::MAX));
            match spec.and_then(|s| s.type_.as_deref()) {
                Some("NodePort") => {
                    all.insert("services.nodeports".to_owned(), ports);
                }
                Some("LoadBalancer") => {
                    all.insert("services.loadbalancers".to_owned(), one);
                    all.insert("services.nodeports".to_owned(), ports);
                }
                _ => {}
            }
        }
        Object::PersistentVolumeClaim(claim) => {
            all.insert("persistentvolumeclaims".to_owned(), one);
            let spec = claim.spec.as_ref();
            let requests = spec.and_then(|s| s.resources.as_ref()?.requests.as_ref());
            if let Some(size) = requests.and_then(|r| r.get("storage")) {
                all.insert("requests.storage".to_owned(), Amount::of(size));
            }
        }
        Object::ConfigMap(_) | Object::Secret(_) | Object::ResourceQuota(_) => {
            all.insert(info.plural.to_owned(), one);
        }
        _ => {}
    }
    all
}

/// A pod that has ended takes no more than its place in the count of objects.
pub(in crate::cluster) fn has_ended(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref());
    matches!(phase, Some("Succeeded" | "Failed"))
}

fn of_pod(pod: &Pod, all: &mut Amounts) {
    if has_ended(pod) {
        return;
    }
    all.insert("pods".to_owned(), Amount::whole(1));
    let (requests, limits) = (needs(pod, true), needs(pod, false));
    for (resource, amount) in requests {
        match resource.as_str() {
            "cpu" | "memory" | "ephemeral-storage" => {
                all.insert(format!("requests.{resource}"), amount);
                all.insert(resource, amount);
            }
            // Of extended resources, only what is asked for can be limited.
            extended => {
                all.insert(format!("requests.{extended}"), amount);
            }
        }
    }
    for (resource, amount) in limits {
        if matches!(resource.as_str(), "cpu" | "memory" | "ephemeral-storage") {
            all.insert(format!("limits.{resource}"), amount);
        }
    }
}

/// What a pod needs at its most: its containers together, or the init container that needs more.
fn needs(pod: &Pod, requests: bool) -> Amounts {
    let of = |container: &Container| {
        let resources = container.resources.as_ref();
        amounts(resources.and_then(|r| {
            if requests {
                r.requests.as_ref()
            } else {
                r.limits.as_ref()
            }
        }))
    };
    let mut all = Amounts::new();
    let Some(spec) = &pod.spec else { return all };
    let stays = |c: &&Container| c.restart_policy.as_deref() == Some("Always");
    let init = || spec.init_containers.iter().flatten();
    for container in spec.containers.iter().chain(init().filter(stays)) {
        for (resource, amount) in of(container) {
            let sum = all.entry(resource).or_default();
            *sum = *sum + amount;
        }
    }
    for container in init().filter(|c| !stays(c)) {
        for (resource, amount) in of(container) {
            let most = all.entry(resource).or_default();
            *most = (*most).max(amount);
        }
    }
    all
}

/// Amounts of a map of quantities.
pub(in crate::cluster) fn amounts(map: Option<&BTreeMap<String, Quantity>>) -> Amounts {
    let map = map.into_iter().flatten();
    map.map(|(name, quantity)| (name.clone(), Amount::of(quantity)))
        .collect()
}

/// The other way round.
pub(in crate::cluster) fn quantities(amounts: &Amounts) -> BTreeMap<String, Quantity> {
    amounts
        .iter()
        .map(|(name, amount)| (name.clone(), amount.quantity()))
        .collect()
}
