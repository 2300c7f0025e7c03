//! `binding` and `eviction` of pods.

use k8s_openapi::api::core::v1::PodCondition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

use crate::cluster::api::delete;
use crate::cluster::api::get;
use crate::cluster::api::request::{
    Answer, Body, DeleteOptions, Propagation, Request, WriteOptions,
};
use crate::cluster::api::status::{Called, Status};
use crate::cluster::object::{Kind, Object};
use crate::cluster::world::World;

/// Puts a pod on a node.
pub(super) fn bind(
    world: &mut World,
    request: &Request,
    options: &WriteOptions,
    value: &Value,
) -> Result<Answer, Status> {
    let name = request.called();
    let pod = get::there(world, &get::key(request))?;
    check_name(value, name, "Binding")?;
    let node = value
        .pointer("/target/name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let refused = |why: String| Err(Status::conflict(Kind::Pod, name, &why).binding(name));
    let mut new = Object::clone(&pod);
    let Object::Pod(bound) = &mut new else {
        return Err(Status::not_found(Kind::Pod, name));
    };
    if pod.meta().deletion_timestamp.is_some() {
        return refused(format!(
            "pod {name} is being deleted, cannot be assigned to a host"
        ));
    }
    let spec = bound.spec.get_or_insert_default();
    if let Some(there) = spec.node_name.as_deref().filter(|there| !there.is_empty()) {
        return refused(format!(
            "pod {name} is already assigned to node \"{there}\""
        ));
    }
    spec.node_name = Some(node.to_owned());
    let now = Time(world.second());
    let conditions = bound
        .status
        .get_or_insert_default()
        .conditions
        .get_or_insert_default();
    set_scheduled(conditions, now);
    if !options.dry_run {
        world.put(new);
    }
    Ok(created())
}

/// The pod has a node.
fn set_scheduled(conditions: &mut Vec<PodCondition>, now: Time) {
    let there = conditions.iter_mut().find(|c| c.type_ == "PodScheduled");
    match there {
        Some(condition) if condition.status == "True" => {}
        Some(condition) => {
            condition.status = "True".to_owned();
            condition.reason = None;
            condition.message = None;
            condition.last_transition_time = Some(now);
        }
        None => conditions.push(PodCondition {
            type_: "PodScheduled".to_owned(),
            status: "True".to_owned(),
            last_transition_time: Some(now),
            ..PodCondition::default()
        }),
    }
}

/// Asks a pod to go. Nothing limits disruptions here, so it always may.
pub(super) fn evict(
    world: &mut World,
    request: &Request,
    options: &WriteOptions,
    value: &Value,
) -> Result<Answer, Status> {
    let key = get::key(request);
    let pod = get::there(world, &key)?;
    check_name(value, &key.name, "Eviction")?;
    let given = value.get("deleteOptions").cloned().unwrap_or_default();
    let text = |pointer: &str| {
        given
            .pointer(pointer)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let propagation = match given["propagationPolicy"].as_str() {
        Some("Orphan") => Some(Propagation::Orphan),
        Some("Background") => Some(Propagation::Background),
        Some("Foreground") => Some(Propagation::Foreground),
        _ => None,
    };
    let deletion = DeleteOptions {
        grace: given["gracePeriodSeconds"].as_i64(),
        propagation,
        uid: text("/preconditions/uid"),
        version: text("/preconditions/resourceVersion"),
        dry_run: options.dry_run || given["dryRun"].as_array().is_some_and(|d| !d.is_empty()),
    };
    delete::check(&key, &pod, &deletion)?;
    if !deletion.dry_run {
        mark_disrupted(world, &pod);
    }
    // The mark is a change: a version that was given was that of before.
    let deletion = DeleteOptions {
        version: None,
        ..deletion
    };
    delete::delete(world, &key, &deletion)?;
    Ok(created())
}

fn mark_disrupted(world: &mut World, pod: &Object) {
    let Object::Pod(pod) = pod else { return };
    let mut pod = pod.clone();
    let condition = PodCondition {
        type_: "DisruptionTarget".to_owned(),
        status: "True".to_owned(),
        reason: Some("EvictionByEvictionAPI".to_owned()),
        message: Some("Eviction API: evicting".to_owned()),
        last_transition_time: Some(Time(world.second())),
        ..PodCondition::default()
    };
    let conditions = pod
        .status
        .get_or_insert_default()
        .conditions
        .get_or_insert_default();
    conditions.retain(|c| c.type_ != condition.type_);
    conditions.push(condition);
    world.put(pod.into());
}

fn check_name(value: &Value, name: &str, kind: &str) -> Result<(), Status> {
    let given = value.pointer("/metadata/name").and_then(Value::as_str);
    if given == Some(name) {
        return Ok(());
    }
    Err(Status::bad_request(format!(
        "name in URL does not match name in {kind} object"
    )))
}

fn created() -> Answer {
    Answer {
        code: 201,
        body: Body::Value(json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201,
        })),
        warnings: Vec::new(),
    }
}

impl Status {
    /// A conflict of a binding names the binding, not the pod.
    fn binding(mut self, name: &str) -> Self {
        self.message = self.message.replace(
            &format!("on pods \"{name}\""),
            &format!("on pods/binding \"{name}\""),
        );
        self.called = Called::Binding;
        self
    }
}
