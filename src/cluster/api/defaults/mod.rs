//! What an object says where its author left it open: the defaults of the API, for each kind.

mod job;
mod others;
mod pod;

pub(in crate::cluster::api) use job::labels as job_labels;

use crate::cluster::object::Object;

/// Fills in what is left open.
pub(super) fn apply(object: &mut Object) {
    match object {
        Object::Job(job) => job::apply(job),
        Object::Pod(pod) => pod::apply(pod),
        Object::Service(service) => others::service(service),
        Object::PersistentVolumeClaim(claim) => others::claim(claim),
        Object::Namespace(namespace) => others::namespace(namespace),
        Object::Node(node) => others::node(node),
        Object::Secret(secret) => {
            let kind = secret.type_.get_or_insert_default();
            if kind.is_empty() {
                "Opaque".clone_into(kind);
            }
        }
        Object::Event(event) => {
            // Told even where they are empty.
            event.reporting_component.get_or_insert_default();
            event.reporting_instance.get_or_insert_default();
        }
        Object::ConfigMap(map) => {
            map.data.take_if(|data| data.is_empty());
            map.binary_data.take_if(|data| data.is_empty());
        }
        Object::ResourceQuota(_) | Object::Lease(_) | Object::Role(_) | Object::RoleBinding(_) => {}
    }
}

/// A text that is missing or empty.
fn or(slot: &mut Option<String>, default: &str) {
    if slot.as_deref().unwrap_or_default().is_empty() {
        *slot = Some(default.to_owned());
    }
}

/// A number that is missing or 0.
fn or_number(slot: &mut Option<i32>, default: i32) {
    if slot.unwrap_or_default() == 0 {
        *slot = Some(default);
    }
}
