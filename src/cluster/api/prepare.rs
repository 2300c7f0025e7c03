//! What the server decides of an object that a client writes: status belongs to its own path, generations
//! count changes of what is wanted, a Job gets its selector, a Service its address.

use std::collections::BTreeSet;

use k8s_openapi::api::batch::v1::{Job, JobStatus};
use k8s_openapi::api::core::v1::{
    LoadBalancerStatus, NamespaceStatus, PersistentVolumeClaimStatus, Pod, PodCondition, PodStatus,
    Service, ServiceStatus,
};

use crate::cluster::object::{Kind, Object};
use crate::cluster::world::World;

pub(super) fn for_create(world: &mut World, object: &mut Object) {
    match object {
        Object::Job(job) => {
            job.metadata.generation = Some(1);
            job.status = Some(JobStatus::default());
            let manual = job.spec.as_ref().and_then(|s| s.manual_selector);
            if manual != Some(true) {
                select(job);
            }
        }
        Object::Pod(pod) => {
            pod.metadata.generation = Some(1);
            pod.status = Some(PodStatus {
                phase: Some("Pending".to_owned()),
                qos_class: Some(quality(pod).to_owned()),
                conditions: gated(pod),
                ..PodStatus::default()
            });
        }
        Object::Service(service) => {
            service.status = Some(ServiceStatus {
                load_balancer: Some(LoadBalancerStatus::default()),
                ..ServiceStatus::default()
            });
            allocate(world, service);
        }
        Object::PersistentVolumeClaim(claim) => {
            // Nobody takes it from a pod that uses it.
            let finalizers = claim.metadata.finalizers.get_or_insert_default();
            if !finalizers.iter().any(|f| f == CLAIM_IN_USE) {
                finalizers.push(CLAIM_IN_USE.to_owned());
            }
            claim.status = Some(PersistentVolumeClaimStatus {
                phase: Some("Pending".to_owned()),
                ..PersistentVolumeClaimStatus::default()
            });
        }
        Object::Namespace(namespace) => {
            namespace.status = Some(NamespaceStatus {
                phase: Some("Active".to_owned()),
                ..NamespaceStatus::default()
            });
            let finalizers = namespace
                .spec
                .get_or_insert_default()
                .finalizers
                .get_or_insert_default();
            if !finalizers.iter().any(|f| f == "kubernetes") {
                finalizers.push("kubernetes".to_owned());
            }
        }
        Object::ResourceQuota(quota) => quota.status = Some(Default::default()),
        // A kubelet registers its node with its status.
        Object::Node(_)
        | Object::ConfigMap(_)
        | Object::Secret(_)
        | Object::Event(_)
        | Object::Lease(_)
        | Object::Role(_)
        | Object::RoleBinding(_) => {}
    }
}

/// Holds a claim while a pod uses it.
pub(in crate::cluster) const CLAIM_IN_USE: &str = "kubernetes.io/pvc-protection";

/// A pod with gates is not looked at by any scheduler, so it is the API that says why it waits.
fn gated(pod: &Pod) -> Option<Vec<PodCondition>> {
    let gates = pod.spec.as_ref()?.scheduling_gates.as_ref()?;
    if gates.is_empty() {
        return None;
    }
    Some(vec![PodCondition {
        type_: "PodScheduled".to_owned(),
        status: "False".to_owned(),
        reason: Some("SchedulingGated".to_owned()),
        message: Some("Scheduling is blocked due to non-empty scheduling gates".to_owned()),
        ..PodCondition::default()
    }])
}

/// `status`: the write goes to `/status`, so nothing else of the object changes.
pub(super) fn for_update(world: &mut World, new: &mut Object, old: &Object, status: bool) {
    macro_rules! halves {
        ($($kind:ident),*) => {
            match (&mut *new, old) {
                $((Object::$kind(new), Object::$kind(old)) => {
                    if status {
                        new.spec.clone_from(&old.spec);
                    } else {
                        new.status.clone_from(&old.status);
                    }
                })*
                _ => {}
            }
        };
    }
    halves!(
        Job,
        Pod,
        Service,
        PersistentVolumeClaim,
        Namespace,
        ResourceQuota,
        Node
    );
    match (new, old) {
        (Object::Job(new), Object::Job(old)) if new.spec != old.spec => {
            new.metadata.generation = old.metadata.generation.map(|g| g + 1);
        }
        (Object::Pod(new), Object::Pod(old)) => {
            if status {
                new.metadata
                    .owner_references
                    .clone_from(&old.metadata.owner_references);
            } else if new.spec != old.spec {
                new.metadata.generation = old.metadata.generation.map(|g| g + 1);
            }
        }
        (Object::Service(new), Object::Service(old)) => {
            keep_address(new, old);
            allocate(world, new);
        }
        (Object::Namespace(new), Object::Namespace(old)) => {
            new.spec.clone_from(&old.spec);
            if !status {
                new.status.clone_from(&old.status);
            }
        }
        _ => {}
    }
}

/// Keys by which the pods of a Job know it: the plain ones are of old.
const JOB_NAME: [&str; 2] = ["job-name", "batch.kubernetes.io/job-name"];
const CONTROLLER_UID: [&str; 2] = ["controller-uid", "batch.kubernetes.io/controller-uid"];

/// A Job selects the pods that bear its UID.
fn select(job: &mut Job) {
    let name = job.metadata.name.clone().unwrap_or_default();
    let uid = job.metadata.uid.clone().unwrap_or_default();
    let spec = job.spec.get_or_insert_default();
    let labels = spec
        .template
        .metadata
        .get_or_insert_default()
        .labels
        .get_or_insert_default();
    for key in JOB_NAME {
        labels.entry(key.to_owned()).or_insert_with(|| name.clone());
    }
    for key in CONTROLLER_UID {
        labels.entry(key.to_owned()).or_insert_with(|| uid.clone());
    }
    spec.selector
        .get_or_insert_default()
        .match_labels
        .get_or_insert_default()
        .entry(CONTROLLER_UID[1].to_owned())
        .or_insert(uid);
}

/// `Guaranteed`, `Burstable`, `BestEffort`.
fn quality(pod: &Pod) -> &'static str {
    let Some(spec) = &pod.spec else {
        return "BestEffort";
    };
    let containers = spec
        .containers
        .iter()
        .chain(spec.init_containers.iter().flatten());
    let (mut any, mut all_fixed) = (false, true);
    for container in containers {
        for resource in ["cpu", "memory"] {
            let of = |map: Option<&_>| {
                map.and_then(|map: &std::collections::BTreeMap<String, _>| map.get(resource))
                    .cloned()
            };
            let resources = container.resources.as_ref();
            let request = of(resources.and_then(|r| r.requests.as_ref()));
            let limit = of(resources.and_then(|r| r.limits.as_ref()));
            any |= request.is_some() || limit.is_some();
            all_fixed &= limit.is_some() && (request.is_none() || request == limit);
        }
    }
    match (any, all_fixed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

/// Where Services get their addresses from: 10.96.0.0/12.
const FIRST: u32 = u32::from_be_bytes([10, 96, 0, 0]);
const ADDRESSES: u32 = 1 << 20;
/// `kubernetes` and DNS have theirs here.
const RESERVED: u32 = 16;

fn allocate(world: &mut World, service: &mut Service) {
    let spec = service.spec.get_or_insert_default();
    let external = spec.type_.as_deref() == Some("ExternalName");
    if external {
        spec.cluster_ip = None;
        spec.cluster_ips = None;
        return;
    }
    let given = spec.cluster_ip.clone().filter(|ip| !ip.is_empty());
    let first = spec
        .cluster_ips
        .as_ref()
        .and_then(|ips| ips.first().cloned());
    let address = match given.or(first) {
        Some(address) => address,
        None => free_address(world),
    };
    spec.cluster_ips = Some(vec![address.clone()]);
    spec.cluster_ip = Some(address);
}

fn free_address(world: &mut World) -> String {
    let taken: BTreeSet<&str> = world
        .store
        .list(Kind::Service, None)
        .filter_map(|object| match &**object {
            Object::Service(service) => service.spec.as_ref()?.cluster_ip.as_deref(),
            _ => None,
        })
        .collect();
    let mut at = world.rng.u32(RESERVED..ADDRESSES - 1);
    loop {
        let address = core::net::Ipv4Addr::from(FIRST + at).to_string();
        if !taken.contains(address.as_str()) {
            return address;
        }
        at = (at + 1) % (ADDRESSES - 1);
    }
}

/// An update that doesn't tell the address means the one that is there.
fn keep_address(new: &mut Service, old: &Service) {
    let (Some(new), Some(old)) = (&mut new.spec, &old.spec) else {
        return;
    };
    let external = |kind: Option<&str>| kind == Some("ExternalName");
    if external(new.type_.as_deref()) || external(old.type_.as_deref()) {
        return;
    }
    if new.cluster_ip.as_deref().unwrap_or_default().is_empty() {
        new.cluster_ip.clone_from(&old.cluster_ip);
        new.cluster_ips.clone_from(&old.cluster_ips);
    } else if new.cluster_ip != old.cluster_ip {
        new.cluster_ips = None;
    }
}
