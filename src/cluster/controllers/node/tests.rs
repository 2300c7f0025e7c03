//! Nodes that are lost and come back.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::SignedDuration;
use serde_json::json;

use super::*;
use crate::cluster::world::WorldOptions;

fn world() -> World {
    let mut world = World::new(WorldOptions::new(
        "2026-12-01T09:00:00Z".parse().unwrap(),
        1,
    ));
    world.add_node("node-0", NodeShape::default());
    for (name, tolerations) in [
        ("usual", json!([])),
        (
            "brief",
            json!([{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 10}]),
        ),
        ("ever", json!([{"operator": "Exists"}])),
    ] {
        let mut pod: Pod = serde_json::from_value(json!({
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"terminationGracePeriodSeconds": 30, "tolerations": tolerations, "containers": [{"name": "main", "image": "i"}]},
        }))
        .unwrap();
        world.stamp(&mut pod.metadata);
        world.put(pod.into());
    }
    world
}

fn wait(world: &mut World, seconds: i64) {
    let to = world.now() + SignedDuration::from_secs(seconds);
    world.advance(to);
}

fn pod(world: &World, name: &str) -> Option<Pod> {
    let object = world.store().get(&Key::new(Kind::Pod, "default", name))?;
    object.as_pod().cloned()
}

fn condition(pod: &Pod, kind: &str) -> Option<(String, Option<String>)> {
    let all = pod.status.as_ref()?.conditions.as_ref()?;
    let found = all.iter().find(|c| c.type_ == kind)?;
    Some((found.status.clone(), found.reason.clone()))
}

fn deleted(world: &World) -> Vec<&'static str> {
    let gone =
        |name: &&str| pod(world, name).is_none_or(|p| p.metadata.deletion_timestamp.is_some());
    ["brief", "ever", "usual"]
        .into_iter()
        .filter(gone)
        .collect()
}

#[test]
fn pods_of_a_lost_node_are_marked_and_deleted_in_their_time() {
    let mut world = world();
    wait(&mut world, 5);
    world.lose_node("node-0");
    wait(&mut world, 49);
    assert_eq!(
        condition(&pod(&world, "usual").unwrap(), "Ready")
            .unwrap()
            .0,
        "True"
    );
    wait(&mut world, 2);
    assert_eq!(
        condition(&pod(&world, "usual").unwrap(), "Ready")
            .unwrap()
            .0,
        "False"
    );
    assert!(deleted(&world).is_empty());
    wait(&mut world, 10);
    assert_eq!(deleted(&world), ["brief"]);
    let target = condition(&pod(&world, "brief").unwrap(), "DisruptionTarget").unwrap();
    assert_eq!(
        target,
        ("True".to_owned(), Some("DeletionByTaintManager".to_owned()))
    );
    wait(&mut world, 300);
    assert_eq!(deleted(&world), ["brief", "usual"]);
    // Nobody tells that they have ended, until the node is back.
    assert!(pod(&world, "brief").is_some() && pod(&world, "usual").is_some());
    world.return_node("node-0");
    wait(&mut world, 1);
    assert!(pod(&world, "brief").is_none() && pod(&world, "usual").is_none());
    assert_eq!(
        condition(&pod(&world, "ever").unwrap(), "Ready").unwrap().0,
        "True"
    );
}

#[test]
fn a_node_that_is_back_in_time_keeps_its_pods() {
    let mut world = world();
    wait(&mut world, 5);
    world.lose_node("node-0");
    wait(&mut world, 55);
    world.return_node("node-0");
    wait(&mut world, 1_000);
    assert!(deleted(&world).is_empty());
    assert_eq!(
        condition(&pod(&world, "usual").unwrap(), "Ready")
            .unwrap()
            .0,
        "True"
    );
}
