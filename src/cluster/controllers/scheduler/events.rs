//! Events as the scheduler writes them: in the newer form, with an action and one moment.

use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

use crate::cluster::world::World;

/// `Normal` or `Warning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Normal,
    Warning,
}

/// Says something about a pod.
pub(super) fn say(
    world: &mut World,
    pod: &Pod,
    tone: Tone,
    reason: &str,
    action: &str,
    note: &str,
) {
    let meta = &pod.metadata;
    world.scheduler.serial += 1;
    let moment = world.now().as_nanosecond() + i128::from(world.scheduler.serial);
    let name = meta.name.as_deref().unwrap_or_default();
    let mut event = Event {
        action: Some(action.to_owned()),
        event_time: Some(MicroTime(world.now())),
        involved_object: ObjectReference {
            api_version: Some("v1".to_owned()),
            kind: Some("Pod".to_owned()),
            name: meta.name.clone(),
            namespace: meta.namespace.clone(),
            resource_version: meta.resource_version.clone(),
            uid: meta.uid.clone(),
            ..ObjectReference::default()
        },
        message: Some(note.to_owned()),
        reason: Some(reason.to_owned()),
        reporting_component: Some("default-scheduler".to_owned()),
        reporting_instance: Some("default-scheduler-pocket".to_owned()),
        source: Some(EventSource::default()),
        type_: Some(format!("{tone:?}")),
        ..Event::default()
    };
    event.metadata.name = Some(format!("{name}.{moment:x}"));
    event.metadata.namespace.clone_from(&meta.namespace);
    world.stamp(&mut event.metadata);
    world.put(event.into());
}
