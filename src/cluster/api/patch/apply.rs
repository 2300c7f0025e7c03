//! Server-side apply without managed fields: what is applied is merged as a strategic patch is. So there
//! is no conflict to force, and nothing that an earlier apply had set goes by not being there any more.

use serde_json::Value;

use crate::cluster::api::patch::strategic;
use crate::cluster::api::request::WriteOptions;
use crate::cluster::api::status::{Options, Status};
use crate::cluster::object::Kind;

/// What an apply has to say in any case.
pub(super) fn configuration(
    kind: Kind,
    value: &Value,
    options: &WriteOptions,
) -> Result<Value, Status> {
    if options.manager.as_deref().unwrap_or_default().is_empty() {
        let mut problems = crate::cluster::api::problems::Problems::default();
        problems.required("fieldManager", "is required for apply patch");
        return Err(Status::invalid_options(Options::Patch, problems));
    }
    let expected = kind.info().api_version();
    let version = value["apiVersion"].as_str().unwrap_or_default();
    let said = value["kind"].as_str().unwrap_or_default();
    if said != kind.info().kind {
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        return Err(Status::bad_request(format!(
            "invalid object type: {group}/{version}, Kind={said}"
        )));
    }
    if version != expected {
        return Err(Status::bad_request(format!(
            "Incorrect version specified in apply patch. Specified patch version: {version}, expected: {expected}"
        )));
    }
    if !value
        .pointer("/metadata/managedFields")
        .is_none_or(Value::is_null)
    {
        return Err(Status::bad_request("metadata.managedFields must be nil"));
    }
    Ok(value.clone())
}

pub(super) fn merged(kind: Kind, before: Value, value: &Value) -> Result<Value, Status> {
    strategic::merged(kind, before, value)
}
