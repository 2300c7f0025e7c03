//! Where pods go, and what is told of those that can't.

use k8s_openapi::api::core::v1::{Pod, Taint};
use k8s_openapi::jiff::SignedDuration;
use serde_json::{Value, json};

use super::*;
use crate::cluster::controllers::node::NodeShape;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::WorldOptions;

fn world(nodes: &[NodeShape]) -> World {
    let mut world = World::new(WorldOptions::new(
        "2026-12-01T09:00:00Z".parse().unwrap(),
        1,
    ));
    for (number, shape) in nodes.iter().enumerate() {
        world.add_node(&format!("node-{number}"), shape.clone());
    }
    world
}

fn cpus(cpu: &str) -> NodeShape {
    NodeShape {
        cpu: cpu.to_owned(),
        ..NodeShape::default()
    }
}

fn rack(name: &str) -> NodeShape {
    let labels = [("rack".to_owned(), name.to_owned())].into();
    NodeShape {
        labels,
        ..NodeShape::default()
    }
}

fn add(world: &mut World, name: &str, labels: Value, spec: Value) {
    let mut all =
        json!({"terminationGracePeriodSeconds": 0, "containers": [{"name": "main", "image": "i"}]});
    for (key, value) in spec.as_object().unwrap() {
        all[key] = value.clone();
    }
    let mut pod: Pod = serde_json::from_value(
        json!({"metadata": {"name": name, "namespace": "default", "labels": labels}, "spec": all}),
    )
    .unwrap();
    world.stamp(&mut pod.metadata);
    world.put(pod.into());
}

fn asks(cpu: &str) -> Value {
    json!({"containers": [{"name": "main", "image": "i", "resources": {"requests": {"cpu": cpu}}}]})
}

fn wait(world: &mut World) {
    let to = world.now() + SignedDuration::from_secs(1);
    world.advance(to);
}

fn pod(world: &World, name: &str) -> Pod {
    let object = world
        .store()
        .get(&Key::new(Kind::Pod, "default", name))
        .unwrap();
    object.as_pod().unwrap().clone()
}

fn node(world: &World, name: &str) -> Option<String> {
    pod(world, name).spec.unwrap().node_name
}

fn message(world: &World, name: &str) -> String {
    let conditions = pod(world, name).status.unwrap().conditions.unwrap();
    let found = conditions
        .into_iter()
        .find(|c| c.type_ == "PodScheduled")
        .unwrap();
    assert_eq!(
        (found.status.as_str(), found.reason.as_deref()),
        ("False", Some("Unschedulable"))
    );
    found.message.unwrap()
}

#[test]
fn pods_are_spread_and_wait_for_room() {
    let mut world = world(&[cpus("1"), cpus("1")]);
    for name in ["a", "b", "c", "d", "e"] {
        add(&mut world, name, json!({}), asks("500m"));
    }
    wait(&mut world);
    let nodes: Vec<_> = ["a", "b", "c", "d"]
        .map(|n| node(&world, n).unwrap())
        .into();
    assert_eq!(nodes, ["node-0", "node-1", "node-0", "node-1"]);
    assert_eq!(
        message(&world, "e"),
        "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    );
    let told = world.store().list(Kind::Event, None).any(|o| {
        matches!(&**o, Object::Event(e) if e.reason.as_deref() == Some("FailedScheduling") && e.involved_object.name.as_deref() == Some("e"))
    });
    assert!(told);
    world.remove(&Key::new(Kind::Pod, "default", "b"));
    wait(&mut world);
    assert_eq!(node(&world, "e").as_deref(), Some("node-1"));
}

#[test]
fn what_stands_in_the_way_is_told() {
    let taint = Taint {
        key: "k".to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    };
    let tainted = NodeShape {
        taints: vec![taint],
        ..NodeShape::default()
    };
    let full = NodeShape {
        pods: 0,
        ..NodeShape::default()
    };
    for (shapes, spec, expected) in [
        (
            vec![cpus("1"), cpus("1")],
            asks("2"),
            "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
        ),
        (
            vec![tainted, full],
            json!({}),
            "0/2 nodes are available: 1 Too many pods, 1 node(s) had untolerated taint(s). preemption: 0/2 nodes are available: \
             1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
        ),
        (
            vec![rack("a")],
            json!({"nodeSelector": {"rack": "b"}}),
            "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/1 nodes are available: \
             1 Preemption is not helpful for scheduling.",
        ),
        (
            vec![rack("a")],
            json!({"containers": [{"name": "m", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}),
            "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available: \
             1 Preemption is not helpful for scheduling.",
        ),
    ] {
        let mut world = world(&shapes);
        add(&mut world, "a", json!({}), spec);
        wait(&mut world);
        assert_eq!(message(&world, "a"), expected);
    }
}

/// What a JobSet with exclusive placement asks for: with its own kind, without any other.
fn exclusive(key: &str) -> Value {
    let topology = |operators: Value| {
        json!({"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "rack", "namespaceSelector": {},
            "labelSelector": {"matchExpressions": operators}}]})
    };
    json!({"affinity": {
        "podAffinity": topology(json!([{"key": "job", "operator": "In", "values": [key]}])),
        "podAntiAffinity": topology(json!([{"key": "job", "operator": "Exists"}, {"key": "job", "operator": "NotIn", "values": [key]}])),
    }})
}

#[test]
fn a_job_has_a_rack_of_its_own() {
    let mut world = world(&[rack("a"), rack("a"), rack("b"), rack("b")]);
    for (name, job) in [
        ("x1", "x"),
        ("y1", "y"),
        ("x2", "x"),
        ("y2", "y"),
        ("z1", "z"),
    ] {
        add(&mut world, name, json!({"job": job}), exclusive(job));
    }
    wait(&mut world);
    let nodes = ["x1", "x2", "y1", "y2"].map(|n| node(&world, n).unwrap());
    assert_eq!(nodes, ["node-0", "node-1", "node-2", "node-3"]);
    let words = message(&world, "z1");
    assert!(
        words.starts_with(
            "0/4 nodes are available: 4 node(s) didn't match pod anti-affinity rules."
        ),
        "{words}"
    );
    // One of a rack is not enough.
    world.remove(&Key::new(Kind::Pod, "default", "x1"));
    wait(&mut world);
    assert_eq!(node(&world, "z1"), None);
    world.remove(&Key::new(Kind::Pod, "default", "x2"));
    wait(&mut world);
    assert_eq!(node(&world, "z1").as_deref(), Some("node-0"));
}

#[test]
fn gates_and_other_schedulers_are_respected() {
    let mut world = world(&[cpus("1")]);
    add(
        &mut world,
        "gated",
        json!({}),
        json!({"schedulingGates": [{"name": "g"}]}),
    );
    add(
        &mut world,
        "others",
        json!({}),
        json!({"schedulerName": "mine"}),
    );
    wait(&mut world);
    assert_eq!(
        (node(&world, "gated"), node(&world, "others")),
        (None, None)
    );
    let mut open = pod(&world, "gated");
    open.spec.as_mut().unwrap().scheduling_gates = None;
    world.put(open.into());
    wait(&mut world);
    assert_eq!(node(&world, "gated").as_deref(), Some("node-0"));
}

#[test]
fn a_node_that_is_closed_takes_nobody_until_it_is_open() {
    let mut world = world(&[cpus("1")]);
    let set = |world: &mut World, closed: bool| {
        let there = world
            .store()
            .get(&Key::new(Kind::Node, "", "node-0"))
            .unwrap();
        let Object::Node(mut node) = Object::clone(there) else {
            panic!()
        };
        node.spec.get_or_insert_default().unschedulable = Some(closed);
        world.put(node.into());
    };
    set(&mut world, true);
    add(&mut world, "a", json!({}), json!({}));
    wait(&mut world);
    assert!(
        message(&world, "a").starts_with("0/1 nodes are available: 1 node(s) were unschedulable.")
    );
    set(&mut world, false);
    wait(&mut world);
    assert_eq!(node(&world, "a").as_deref(), Some("node-0"));
}
