//! Metadata of any object.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::cluster::api::delete::{FOREGROUND, ORPHAN};
use crate::cluster::api::names;
use crate::cluster::api::problems::Problems;
use crate::cluster::object::{Kind, Object};

/// Bytes of all annotations of an object.
const ANNOTATIONS_MAX: usize = 256 * 1024;

/// Name rules of a kind.
fn name_rule(kind: Kind) -> fn(&str) -> Vec<String> {
    match kind {
        Kind::Namespace => names::dns_label,
        // Since the relaxation of names: a label that may begin with a digit.
        Kind::Service => names::dns_label,
        _ => names::dns_subdomain,
    }
}

/// Metadata of a new object, or what holds for all at any time.
pub(super) fn object(object: &Object, problems: &mut Problems) {
    let meta = object.meta();
    let kind = object.kind();
    let rule = name_rule(kind);
    if let Some(prefix) = meta.generate_name.as_deref().filter(|p| !p.is_empty()) {
        // What will be appended makes a `-` at the end right.
        let whole = match prefix.strip_suffix('-') {
            Some(rest) if !rest.is_empty() => format!("{rest}a"),
            _ => prefix.to_owned(),
        };
        problems.invalid_for_each("metadata.generateName", prefix, &rule(&whole));
    }
    let name = object.name();
    if name.is_empty() {
        problems.required("metadata.name", "name or generateName is required");
    } else {
        problems.invalid_for_each("metadata.name", name, &rule(name));
    }
    common(object, problems);
}

/// What holds for all objects at any time, whatever their name.
pub(super) fn common(object: &Object, problems: &mut Problems) {
    let meta = object.meta();
    let kind = object.kind();
    let namespace = object.namespace();
    if kind.info().namespaced {
        if namespace.is_empty() {
            problems.required("metadata.namespace", "");
        } else {
            problems.invalid_for_each(
                "metadata.namespace",
                namespace,
                &names::dns_label(namespace),
            );
        }
    } else if !namespace.is_empty() {
        problems.forbidden("metadata.namespace", "not allowed on this type");
    }
    maps(meta, problems);
    finalizers(meta, problems);
}

fn maps(meta: &ObjectMeta, problems: &mut Problems) {
    labels_and_annotations(meta, "metadata", problems);
    owners(
        meta.owner_references.as_deref().unwrap_or_default(),
        problems,
    );
}

/// Labels and annotations of the metadata at `path`.
pub(super) fn labels_and_annotations(meta: &ObjectMeta, path: &str, problems: &mut Problems) {
    labels(meta.labels.as_ref(), format!("{path}.labels"), problems);
    let field = format!("{path}.annotations");
    let mut bytes = 0;
    for (key, value) in meta.annotations.iter().flatten() {
        bytes += key.len() + value.len();
        // The case of a key doesn't matter here.
        let lower = key.to_lowercase();
        problems.invalid_for_each(&field, key.as_str(), &names::qualified_name(&lower));
    }
    if bytes > ANNOTATIONS_MAX {
        problems.too_long(&field, ANNOTATIONS_MAX);
    }
}

/// Keys and values of labels.
pub(super) fn labels(
    labels: Option<&BTreeMap<String, String>>,
    field: impl Display,
    problems: &mut Problems,
) {
    for (key, value) in labels.into_iter().flatten() {
        problems.invalid_for_each(&field, key.as_str(), &names::qualified_name(key));
        problems.invalid_for_each(&field, value.as_str(), &names::label_value(value));
    }
}

fn owners(owners: &[OwnerReference], problems: &mut Problems) {
    let mut controller: Option<String> = None;
    for (at, owner) in owners.iter().enumerate() {
        let field = format!("metadata.ownerReferences[{at}]");
        if owner.api_version.is_empty() {
            problems.required(format!("{field}.apiVersion"), "must not be empty");
        } else if owner.api_version.split('/').count() > 2 || owner.api_version.ends_with('/') {
            problems.invalid(
                format!("{field}.apiVersion"),
                &owner.api_version,
                "must be <group>/<version> or <version>",
            );
        }
        for (name, value) in [
            ("kind", &owner.kind),
            ("name", &owner.name),
            ("uid", &owner.uid),
        ] {
            if value.is_empty() {
                problems.required(format!("{field}.{name}"), "must not be empty");
            }
        }
        if owner.api_version == "v1" && owner.kind == "Event" {
            problems.invalid(
                &field,
                owner,
                "/v1, Kind=Event is disallowed from being an owner",
            );
        }
        if owner.controller == Some(true) {
            let this = format!("{}/{}", owner.kind, owner.name);
            match &controller {
                None => controller = Some(this),
                Some(first) => problems.invalid(
                    "metadata.ownerReferences",
                    owners,
                    format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"
                    ),
                ),
            }
        }
    }
}

fn finalizers(meta: &ObjectMeta, problems: &mut Problems) {
    let all = meta.finalizers.as_deref().unwrap_or_default();
    for finalizer in all {
        problems.invalid_for_each(
            "metadata.finalizers",
            finalizer.as_str(),
            &names::qualified_name(finalizer),
        );
    }
    let has = |word: &str| all.iter().any(|f| f == word);
    if has(ORPHAN) && has(FOREGROUND) {
        problems.invalid(
            "metadata.finalizers",
            all,
            format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set"),
        );
    }
}

/// Metadata of a change.
pub(super) fn update(new: &Object, old: &Object, problems: &mut Problems) {
    let (meta, was) = (new.meta(), old.meta());
    if was.deletion_timestamp.is_some() {
        let had: BTreeSet<&String> = was.finalizers.iter().flatten().collect();
        let fresh: BTreeSet<&String> = meta
            .finalizers
            .iter()
            .flatten()
            .filter(|f| !had.contains(f))
            .collect();
        if !fresh.is_empty() {
            let shown: Vec<String> = fresh.iter().map(|f| format!("\"{f}\"")).collect();
            problems.forbidden(
                "metadata.finalizers",
                format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    shown.join(", ")
                ),
            );
        }
    }
    problems.immutable("metadata.uid", &meta.uid, &was.uid);
    problems.immutable(
        "metadata.deletionTimestamp",
        &meta.deletion_timestamp,
        &was.deletion_timestamp,
    );
    problems.immutable(
        "metadata.deletionGracePeriodSeconds",
        &meta.deletion_grace_period_seconds,
        &was.deletion_grace_period_seconds,
    );
    maps(meta, problems);
}
