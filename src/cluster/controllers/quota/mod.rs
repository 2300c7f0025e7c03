//! The quota controller: it tells in a quota's status what is limited, and counts anew what is used when
//! something has gone.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::api::quota::{amounts, has_ended, quantities, usage};
use crate::cluster::object::{Kind, Object};
use crate::cluster::quantity::Amount;
use crate::cluster::store::{Change, ChangeKind};
use crate::cluster::world::{Due as WorldDue, World};

/// A namespace whose quotas are to be counted.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) struct Due(String);

/// What it remembers.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {
    queued: BTreeSet<String>,
}

/// An object has changed.
pub(in crate::cluster) fn notice(world: &mut World, change: &Change) {
    let namespace = change.object.namespace();
    let before = change.previous.as_deref();
    let matters = match (&*change.object, before) {
        (Object::ResourceQuota(new), Some(Object::ResourceQuota(old))) => new.spec != old.spec,
        (Object::ResourceQuota(_), _) => true,
        _ if change.kind == ChangeKind::Deleted => true,
        (Object::Pod(new), Some(Object::Pod(old))) => has_ended(new) != has_ended(old),
        _ => false,
    };
    let limited = || {
        world
            .store
            .list(Kind::ResourceQuota, Some(namespace))
            .next()
            .is_some()
    };
    if !matters || !limited() || world.quotas.queued.contains(namespace) {
        return;
    }
    world.quotas.queued.insert(namespace.to_owned());
    world.after(world.pace.gc, WorldDue::Quota(Due(namespace.to_owned())));
}

/// Something is due.
pub(in crate::cluster) fn run(world: &mut World, due: Due) {
    let Due(namespace) = due;
    world.quotas.queued.remove(&namespace);
    let mut used: BTreeMap<String, Amount> = BTreeMap::new();
    let kinds = Kind::ALL.iter().filter(|kind| kind.info().namespaced);
    for object in kinds.flat_map(|kind| world.store.list(*kind, Some(&namespace))) {
        for (resource, amount) in usage(object) {
            let sum = used.entry(resource).or_default();
            *sum = *sum + amount;
        }
    }
    let quotas: Vec<_> = world
        .store
        .list(Kind::ResourceQuota, Some(&namespace))
        .cloned()
        .collect();
    for quota in quotas {
        let mut new = Object::clone(&quota);
        if let Object::ResourceQuota(quota) = &mut new {
            let hard = quota.spec.as_ref().and_then(|spec| spec.hard.as_ref());
            let hard = amounts(hard);
            let of = |name: &String| used.get(name).copied().unwrap_or_default();
            let now = hard.keys().map(|name| (name.clone(), of(name))).collect();
            let status = quota.status.get_or_insert_default();
            status.hard = Some(quantities(&hard));
            status.used = Some(quantities(&now));
        }
        world.put(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::api::{DeleteOptions, Status};
    use crate::cluster::store::Key;
    use crate::cluster::world::WorldOptions;
    use k8s_openapi::jiff::{SignedDuration, Timestamp};
    use serde_json::json;

    fn make(world: &mut World, kind: Kind, value: serde_json::Value) -> Result<(), Status> {
        let object = Object::from_json(kind, &value, |_| ()).unwrap();
        world.create(object).map(|_| ())
    }

    fn pod(name: &str, cpu: Option<&str>) -> serde_json::Value {
        let requests = cpu.map_or(json!({}), |cpu| json!({"cpu": cpu}));
        json!({"metadata": {"name": name, "namespace": "default"}, "spec": {"containers": [
            {"name": "main", "image": "x", "resources": {"requests": requests}}]}})
    }

    fn used(world: &mut World) -> String {
        let later = world.now() + SignedDuration::from_secs(1);
        world.advance(later);
        let quota = world
            .store
            .get(&Key::new(Kind::ResourceQuota, "default", "q"));
        quota.unwrap().to_json().unwrap()["status"]["used"].to_string()
    }

    fn with_quota(hard: serde_json::Value) -> World {
        let mut world = World::new(WorldOptions::new(Timestamp::UNIX_EPOCH, 1));
        let quota =
            json!({"metadata": {"name": "q", "namespace": "default"}, "spec": {"hard": hard}});
        make(&mut world, Kind::ResourceQuota, quota).unwrap();
        used(&mut world);
        world
    }

    #[test]
    fn counts_and_requests() {
        let mut world = with_quota(json!({"pods": "2", "requests.cpu": "1"}));
        make(&mut world, Kind::Pod, pod("a", Some("600m"))).unwrap();
        assert_eq!(
            make(&mut world, Kind::Pod, pod("b", Some("500m")))
                .unwrap_err()
                .message,
            "pods \"b\" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1"
        );
        assert_eq!(
            make(&mut world, Kind::Pod, pod("c", None))
                .unwrap_err()
                .message,
            "pods \"c\" is forbidden: failed quota: q: must specify requests.cpu for: main"
        );
        make(&mut world, Kind::Pod, pod("d", Some("0.4"))).unwrap();
        assert_eq!(used(&mut world), r#"{"pods":"2","requests.cpu":"1"}"#);
        assert_eq!(
            make(&mut world, Kind::Pod, pod("e", Some("0")))
                .unwrap_err()
                .message,
            "pods \"e\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2"
        );
        let key = Key::new(Kind::Pod, "default", "a");
        world.delete(&key, &DeleteOptions::default()).unwrap();
        assert_eq!(used(&mut world), r#"{"pods":"1","requests.cpu":"400m"}"#);
        make(&mut world, Kind::Pod, pod("e", Some("0"))).unwrap();
    }

    #[test]
    fn objects_are_counted_by_resource() {
        let mut world = with_quota(json!({"count/configmaps": "1", "configmaps": "3"}));
        let map = |name: &str| json!({"metadata": {"name": name, "namespace": "default"}});
        make(&mut world, Kind::ConfigMap, map("a")).unwrap();
        assert_eq!(
            make(&mut world, Kind::ConfigMap, map("b"))
                .unwrap_err()
                .message,
            "configmaps \"b\" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1"
        );
    }
}
