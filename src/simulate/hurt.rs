//! What is done to pods and Jobs from outside: an eviction, a Job that its controller gives up, a status.
//! Each is a request to the API by those who would make it. Pure.

use k8s_openapi::api::batch::v1::{Job, JobCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::json;

use crate::cluster::api::rights::ADMIN;
use crate::cluster::api::{Request, Status, Subresource, Verb, WriteOptions};
use crate::cluster::object::{Kind, Object};
use crate::cluster::world::World;

/// Asks for a pod's eviction. False: it could not be had.
pub(super) fn evict(world: &mut World, uid: &str) -> bool {
    let Some(pod) = world.store().by_uid(uid).cloned() else {
        return false;
    };
    let body = json!({"apiVersion": "policy/v1", "kind": "Eviction",
        "metadata": {"name": pod.name(), "namespace": pod.namespace()}});
    let request = Request {
        user: ADMIN.to_owned(),
        kind: Kind::Pod,
        namespace: Some(pod.namespace().to_owned()),
        name: Some(pod.name().to_owned()),
        subresource: Some(Subresource::Eviction),
        verb: Verb::Create(WriteOptions::default(), body),
    };
    world.call(&request).is_ok()
}

/// Fails the Job of a pod, as the Job controller does: it says so first, the pods go, then it is final.
/// False: it has ended, or will.
pub(super) fn fail_job(world: &mut World, pod_uid: &str, reason: &str, message: &str) -> bool {
    let owner = world.store().by_uid(pod_uid).and_then(|pod| {
        let owners = pod.meta().owner_references.as_ref()?;
        Some(
            owners
                .iter()
                .find(|o| o.controller == Some(true))?
                .uid
                .clone(),
        )
    });
    let Some(mut job) = owner
        .and_then(|uid| world.store().by_uid(&uid)?.as_job())
        .cloned()
    else {
        return false;
    };
    if is_ending(&job) {
        return false;
    }
    let now = Some(Time(world.second()));
    let status = job.status.get_or_insert_default();
    status
        .conditions
        .get_or_insert_default()
        .push(JobCondition {
            type_: "FailureTarget".to_owned(),
            status: "True".to_owned(),
            reason: Some(reason.to_owned()),
            message: Some(message.to_owned()),
            last_probe_time: now.clone(),
            last_transition_time: now,
        });
    update_status(world, &job.into()).is_ok()
}

fn is_ending(job: &Job) -> bool {
    let conditions = job.status.iter().filter_map(|s| s.conditions.as_ref());
    conditions.flatten().any(|c| {
        c.status == "True"
            && matches!(
                c.type_.as_str(),
                "FailureTarget" | "SuccessCriteriaMet" | "Failed" | "Complete"
            )
    })
}

/// Writes the status of an object as the machinery of the cluster does.
///
/// # Errors
/// The API's.
pub(super) fn update_status(world: &mut World, object: &Object) -> Result<(), Status> {
    let body = object
        .to_json()
        .map_err(|e| Status::bad_request(e.to_string()))?;
    let request = Request {
        user: ADMIN.to_owned(),
        kind: object.kind(),
        namespace: Some(object.namespace().to_owned()),
        name: Some(object.name().to_owned()),
        subresource: Some(Subresource::Status),
        verb: Verb::Update(WriteOptions::default(), body),
    };
    world.call(&request).map(|_| ())
}
