//! Kinds with few rules.

use std::collections::BTreeMap;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Event, PersistentVolumeClaim, ResourceQuota};

use super::meta;
use crate::cluster::api::problems::Problems;
use crate::cluster::object::Object;
use crate::cluster::quantity::Amount;

/// Bytes of all values of a ConfigMap or Secret.
const DATA_MAX: usize = 1024 * 1024;

pub(super) fn object(object: &Object, problems: &mut Problems) {
    match object {
        Object::ConfigMap(map) => {
            let values = map.data.iter().flatten().map(|(k, v)| (k, v.len()));
            data("data", values, problems);
            let values = map
                .binary_data
                .iter()
                .flatten()
                .map(|(k, v)| (k, v.0.len()));
            data("binaryData", values, problems);
        }
        Object::Secret(secret) => {
            let values = secret.data.iter().flatten().map(|(k, v)| (k, v.0.len()));
            data("data", values, problems);
        }
        Object::PersistentVolumeClaim(claim) => self::claim(claim, problems),
        Object::Event(event) => self::event(event, problems),
        Object::ResourceQuota(quota) => self::quota(quota, problems),
        Object::Lease(lease) => self::lease(lease, problems),
        _ => {}
    }
}

pub(super) fn update(new: &Object, old: &Object, problems: &mut Problems) {
    match (new, old) {
        (Object::ConfigMap(new), Object::ConfigMap(old)) if old.immutable == Some(true) => {
            if new.immutable != Some(true) {
                problems.forbidden("immutable", "field is immutable when `immutable` is set");
            }
            if new.data != old.data {
                problems.forbidden("data", "field is immutable when `immutable` is set");
            }
            if new.binary_data != old.binary_data {
                problems.forbidden("binaryData", "field is immutable when `immutable` is set");
            }
        }
        (Object::Secret(new), Object::Secret(old)) => {
            problems.immutable("type", &new.type_, &old.type_);
        }
        (Object::PersistentVolumeClaim(new), Object::PersistentVolumeClaim(old)) => {
            claim_update(new, old, problems);
        }
        _ => {}
    }
    // A claim may have been changed by who binds it.
    if !matches!(new, Object::PersistentVolumeClaim(_)) {
        object(new, problems);
        if matches!(new, Object::ConfigMap(_)) {
            meta::common(new, problems);
        }
    }
}

fn data<'a>(
    field: &str,
    values: impl Iterator<Item = (&'a String, usize)>,
    problems: &mut Problems,
) {
    let mut bytes = 0;
    for (key, size) in values {
        bytes += size;
        let at = format!("{field}[{key}]");
        if key.len() > 253 {
            problems.invalid(&at, key, "must be no more than 253 characters");
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if key.is_empty() || !key.chars().all(plain) {
            problems.invalid(
                &at,
                key,
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
            );
        } else if key == "." {
            problems.invalid(&at, key, "must not be '.'");
        } else if key == ".." {
            problems.invalid(&at, key, "must not be '..'");
        } else if key.starts_with("..") {
            problems.invalid(&at, key, "must not start with '..'");
        }
    }
    if bytes > DATA_MAX {
        // The whole has no path, which is shown like this.
        problems.too_long("[]", DATA_MAX);
    }
}

const ACCESS: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

fn claim(claim: &PersistentVolumeClaim, problems: &mut Problems) {
    let spec = claim.spec.clone().unwrap_or_default();
    let modes = spec.access_modes.unwrap_or_default();
    if modes.is_empty() {
        problems.required("spec.accessModes", "at least 1 access mode is required");
    }
    for mode in modes.iter().filter(|mode| !ACCESS.contains(&mode.as_str())) {
        problems.not_supported("spec.accessModes", mode, &ACCESS);
    }
    if modes.iter().any(|m| m == "ReadWriteOncePod") && modes.len() > 1 {
        problems.forbidden(
            "spec.accessModes",
            "may not use ReadWriteOncePod with other access modes",
        );
    }
    let requests = spec.resources.and_then(|r| r.requests).unwrap_or_default();
    match requests.get("storage") {
        None => problems.required("spec.resources[storage]", ""),
        Some(size) if Amount::of(size) <= Amount::default() => {
            problems.invalid(
                "spec.resources[storage]",
                &size.0,
                "must be greater than zero",
            );
        }
        Some(_) => {}
    }
    let mode = spec.volume_mode.unwrap_or_default();
    if !matches!(mode.as_str(), "Filesystem" | "Block") {
        problems.not_supported("spec.volumeMode", mode, &["Block", "Filesystem"]);
    }
}

fn claim_update(new: &PersistentVolumeClaim, old: &PersistentVolumeClaim, problems: &mut Problems) {
    let (Some(mut now), Some(was)) = (new.spec.clone(), old.spec.as_ref()) else {
        return;
    };
    let bound = old.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Bound");
    if was.volume_name.is_none() {
        now.volume_name = None;
    }
    if bound {
        now.resources.clone_from(&was.resources);
        now.volume_attributes_class_name
            .clone_from(&was.volume_attributes_class_name);
    }
    if was.storage_class_name.is_none() {
        now.storage_class_name = None;
    }
    if now != *was {
        problems.forbidden(
            "spec",
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
        );
    }
}

fn event(event: &Event, problems: &mut Problems) {
    let own = event.metadata.namespace.as_deref().unwrap_or_default();
    let about = event
        .involved_object
        .namespace
        .as_deref()
        .unwrap_or_default();
    let fits = own == about || about.is_empty() && own == "default";
    if !fits {
        problems.invalid(
            "involvedObject.namespace",
            about,
            "does not match event.namespace",
        );
    }
}

fn quota(quota: &ResourceQuota, problems: &mut Problems) {
    let empty = BTreeMap::new();
    let hard = quota.spec.as_ref().and_then(|s| s.hard.as_ref());
    for (name, amount) in hard.unwrap_or(&empty) {
        let at = format!("spec.hard[{name}]");
        match Amount::parse(&amount.0) {
            Some(amount) if amount.is_negative() => {
                problems.invalid(at, amount.to_string(), "must be greater than or equal to 0");
            }
            Some(_) => {}
            None => problems.invalid(
                at,
                &amount.0,
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ),
        }
    }
}

fn lease(lease: &Lease, problems: &mut Problems) {
    let Some(spec) = &lease.spec else { return };
    if let Some(seconds) = spec.lease_duration_seconds
        && seconds <= 0
    {
        problems.invalid(
            "spec.leaseDurationSeconds",
            seconds,
            "must be greater than 0",
        );
    }
    problems.negative("spec.leaseTransitions", spec.lease_transitions);
    if spec.holder_identity.as_deref() == Some("") {
        problems.invalid("spec.holderIdentity", "", "must not be empty");
    }
}
