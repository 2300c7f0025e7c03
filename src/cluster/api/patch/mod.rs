//! Patches: each kind of patch makes a new state of the JSON of the old one; from there on it is an update.

mod apply;
mod json;
mod merge;
mod schema;
mod strategic;

use serde_json::Value;

use crate::cluster::api::create::Creation;
use crate::cluster::api::problems::Problems;
use crate::cluster::api::request::{Answer, FieldValidation, Patch, Request, WriteOptions};
use crate::cluster::api::status::Status;
use crate::cluster::api::{decode, defaults, get, update};
use crate::cluster::object::Object;
use crate::cluster::world::World;

pub(super) fn patch(
    world: &mut World,
    request: &Request,
    options: &WriteOptions,
    patch: &Patch,
) -> Result<Answer, Status> {
    let mut warnings = Vec::new();
    let kind = request.kind;
    let Some(old) = world.store.get(&get::key(request)).cloned() else {
        let Patch::Apply { value, .. } = patch else {
            return Err(Status::not_found(kind, request.called()));
        };
        if request.subresource.is_some() {
            return Err(Status::not_found(kind, request.called()));
        }
        let value = apply::configuration(kind, value, options)?;
        let new = decode::body(kind, value, options.validation, &mut warnings)?;
        update::check_name(&new, request)?;
        let made = Creation::of(request, options).create(world, new, &mut warnings)?;
        return Ok(Answer::object(201, made, warnings));
    };
    let before = old
        .to_json()
        .map_err(|error| Status::new(500, "InternalError", error.to_string()))?;
    let (after, shown) = match patch {
        Patch::Merge(value) => (merge::merged(before, value)?, None),
        Patch::Json(value) => (json::applied(before, value)?, None),
        Patch::Strategic(value) => (strategic::merged(kind, before, value)?, Some(value)),
        Patch::Apply { value, .. } => {
            let value = apply::configuration(kind, value, options)?;
            (apply::merged(kind, before, &value)?, None)
        }
    };
    let mut new = read(kind, after, shown, options, &mut warnings)?;
    defaults::apply(&mut new);
    update::check_name(&new, request)?;
    if new.uid() != old.uid() {
        let mut problems = Problems::default();
        problems.invalid("metadata.uid", new.uid(), "field is immutable");
        return Err(Status::invalid(kind, new.name(), problems));
    }
    let object = update::replace(world, request, options, new, &old, &mut warnings)?;
    Ok(Answer::object(200, object, warnings))
}

/// What a patch has made, as an object.
fn read(
    kind: crate::cluster::object::Kind,
    after: Value,
    shown: Option<&Value>,
    options: &WriteOptions,
    warnings: &mut Vec<String>,
) -> Result<Object, Status> {
    // The refusal shows what was sent (a strategic patch) or what it made.
    let text = shown.unwrap_or(&after).to_string();
    let refused = |why: String| {
        let mut problems = Problems::default();
        problems.invalid("patch", &text, why);
        Status::invalid_request(problems)
    };
    let read = decode::value_to_object(kind, after).map_err(&refused)?;
    match options.validation {
        FieldValidation::Strict if !read.unknown.is_empty() => {
            return Err(refused(format!(
                "strict decoding error: {}",
                read.unknown.join(", ")
            )));
        }
        FieldValidation::Warn => warnings.extend(read.unknown),
        FieldValidation::Strict | FieldValidation::Ignore => {}
    }
    Ok(read.object)
}
