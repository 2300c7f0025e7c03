//! OpenAPI v3, as much as clients look at: which kinds take `fieldValidation` and `dryRun`, and what
//! fields they have, without descriptions. Patches name no media types, so that clients merge by the
//! types that they know themselves. There is no OpenAPI v2.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::cluster::front::discovery;
use crate::cluster::front::openapi::trace::{Schemas, Tracer};
use crate::cluster::object::{Kind, KindInfo, Object};

/// `/openapi/v3`
pub(in crate::cluster::front) fn index() -> Value {
    let groups: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.info().group).collect();
    let mut paths = Map::new();
    for group in groups {
        let path = place(group, "v1");
        let url = format!("/openapi/v3/{path}");
        paths.insert(path, json!({"serverRelativeURL": url}));
    }
    json!({"paths": paths})
}

fn place(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("api/{version}")
    } else {
        format!("apis/{group}/{version}")
    }
}

/// `/openapi/v3/apis/batch/v1`
pub(in crate::cluster::front) fn document(group: &str, version: &str) -> Option<Value> {
    if !discovery::serves(group, version) {
        return None;
    }
    let mut paths = Map::new();
    for kind in Kind::ALL {
        let info = kind.info();
        if info.group == group {
            let many = if info.namespaced {
                format!(
                    "/{}/namespaces/{{namespace}}/{}",
                    place(group, version),
                    info.plural
                )
            } else {
                format!("/{}/{}", place(group, version), info.plural)
            };
            paths.insert(format!("{many}/{{name}}"), one(info));
            paths.insert(many, all(info));
        }
    }
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.37.0"},
        "paths": paths,
        "components": {"schemas": schemas(group)},
    }))
}

/// Schemas of a group's kinds and of all that is in them.
fn schemas(group: &str) -> Schemas {
    let mut schemas = Schemas::new();
    for kind in Kind::ALL.iter().filter(|kind| kind.info().group == group) {
        let mut out = Value::Null;
        // A kind that can't be traced has no schema; a test looks at all of them.
        if Object::decode(*kind, Tracer::new(&mut schemas, &mut out)).is_ok()
            && let Some(schema) = schemas.get_mut(kind.info().kind)
        {
            schema["x-kubernetes-group-version-kind"] = json!([names(kind.info())]);
        }
    }
    schemas
}

fn names(info: &KindInfo) -> Value {
    json!({"group": info.group, "version": info.version, "kind": info.kind})
}

fn parameters(names: &[&str]) -> Value {
    let list = names.iter().map(|name| {
        json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}})
    });
    list.collect()
}

fn operation(info: &KindInfo, action: &str, words: &[&str]) -> Value {
    json!({
        "operationId": format!("{action}{}", info.kind),
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": names(info),
        "parameters": parameters(words),
        "responses": {"200": {"description": "OK"}},
    })
}

const WRITE: [&str; 3] = ["dryRun", "fieldManager", "fieldValidation"];

fn one(info: &KindInfo) -> Value {
    json!({
        "get": operation(info, "get", &[]),
        "put": operation(info, "put", &WRITE),
        "patch": operation(info, "patch", &[&WRITE[..], &["force"]].concat()),
        "delete": operation(info, "delete", &["dryRun", "gracePeriodSeconds", "propagationPolicy"]),
    })
}

fn all(info: &KindInfo) -> Value {
    json!({
        "get": operation(info, "list", &["labelSelector", "fieldSelector", "limit", "continue", "watch"]),
        "post": operation(info, "post", &WRITE),
    })
}
