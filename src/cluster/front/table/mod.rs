//! Answers as tables: what `kubectl get` prints when it doesn't print the objects themselves. Columns are
//! those of the real API server.
//!
//! - `cells`: columns and cells of each kind
//! - `pod`: a pod's row, which takes some thinking
//! - `age`: how long ago, in the short form

mod age;
mod cells;
mod pod;

use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use crate::cluster::object::{Kind, Object};

/// A column: name, and whether it is only shown by `-o wide`.
type Column = (&'static str, bool);

/// What rows carry beside their cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cluster::front) enum Include {
    /// Nothing.
    None,
    /// Metadata: the default.
    Metadata,
    /// The whole object.
    Object,
}

/// Column definitions of a kind.
fn definitions(kind: Kind) -> Value {
    let columns: Vec<Value> = cells::columns(kind)
        .iter()
        .map(|(name, wide)| {
            let format = if *name == "Name" { "name" } else { "" };
            json!({
                "name": name, "type": "string", "format": format, "priority": i32::from(*wide),
                "description": describe(name),
            })
        })
        .collect();
    Value::Array(columns)
}

fn describe(column: &str) -> String {
    match column {
        "Name" => "Name, unique in its namespace".to_owned(),
        "Age" => "Time since it was made".to_owned(),
        _ => format!("{column} of the object"),
    }
}

/// A table of some objects; `first` has the columns as well, later ones of a watch don't repeat them.
pub(in crate::cluster::front) fn table<'a>(
    kind: Kind,
    objects: impl IntoIterator<Item = &'a Object>,
    metadata: Value,
    include: Include,
    first: bool,
    now: Timestamp,
) -> serde_json::Result<Value> {
    let rows = objects
        .into_iter()
        .map(|object| {
            let mut row = json!({"cells": cells::cells(object, now)});
            match include {
                Include::None => {}
                Include::Metadata => row["object"] = metadata_of(object)?,
                Include::Object => row["object"] = object.to_json()?,
            }
            Ok(row)
        })
        .collect::<serde_json::Result<Vec<Value>>>()?;
    Ok(json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        "columnDefinitions": if first { definitions(kind) } else { Value::Null },
        "rows": rows,
    }))
}

/// Only the metadata.
pub(in crate::cluster::front) fn metadata_of(object: &Object) -> serde_json::Result<Value> {
    Ok(json!({
        "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
        "metadata": serde_json::to_value(object.meta())?,
    }))
}
