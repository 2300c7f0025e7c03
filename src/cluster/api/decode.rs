//! From a request's JSON to an object: kind and version are those of the path, unknown fields are refused,
//! told or dropped. What is left open is filled in by `defaults`. Keys that are there twice can't be seen
//! in a JSON value; the words about a value of a wrong type are those of this program where they name a
//! Go type that isn't in `gotype`.

use serde_json::{Map, Value};

use crate::cluster::api::request::FieldValidation;
use crate::cluster::api::status::Status;
use crate::cluster::api::{defaults, gotype};
use crate::cluster::object::{Kind, Object};

/// What reading an object gave.
pub(super) struct Read {
    pub(super) object: Object,
    /// `unknown field "spec.foo"`, …
    pub(super) unknown: Vec<String>,
}

/// Reads a body that has to be of that kind.
pub(super) fn body(
    kind: Kind,
    mut value: Value,
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Object, Status> {
    let Some(map) = value.as_object_mut() else {
        return Err(Status::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            kind.info().kind,
            gotype::json_word(&value),
        )));
    };
    let (said, version) = says(kind, map)?;
    let refused = |why: &str| {
        Status::bad_request(format!(
            "{said} in version \"{version}\" cannot be handled as a {}: {why}",
            kind.info().kind
        ))
    };
    let read = value_to_object(kind, value).map_err(|why| refused(&why))?;
    match validation {
        FieldValidation::Strict if !read.unknown.is_empty() => {
            return Err(refused(&format!(
                "strict decoding error: {}",
                read.unknown.join(", ")
            )));
        }
        FieldValidation::Warn => warnings.extend(read.unknown),
        FieldValidation::Strict | FieldValidation::Ignore => {}
    }
    let mut object = read.object;
    defaults::apply(&mut object);
    Ok(object)
}

/// Kind and version that a body names; those of the path where it doesn't.
fn says(kind: Kind, map: &mut Map<String, Value>) -> Result<(String, String), Status> {
    let info = kind.info();
    let text = |map: &Map<String, Value>, key: &str| {
        map.get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let api_version = text(map, "apiVersion").unwrap_or_else(|| info.api_version());
    let said = text(map, "kind").unwrap_or_else(|| info.kind.to_owned());
    let (group, version) = api_version
        .split_once('/')
        .unwrap_or(("", api_version.as_str()));
    if said != info.kind || group != info.group || version != info.version {
        let other = Kind::ALL
            .iter()
            .map(|k| k.info())
            .find(|other| other.kind == said && other.group == group && other.version == version);
        let why = if other.is_some() {
            let package = |group: &str| match group {
                "" => "core".to_owned(),
                group => group.split('.').next().unwrap_or(group).to_owned(),
            };
            format!(
                "converting ({}.{said}) to ({}.{}): unknown conversion",
                version,
                package(info.group),
                info.kind
            )
        } else {
            format!(
                "no kind \"{said}\" is registered for version \"{api_version}\" in scheme \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\""
            )
        };
        return Err(Status::bad_request(format!(
            "{said} in version \"{version}\" cannot be handled as a {}: {why}",
            info.kind
        )));
    }
    map.insert("apiVersion".to_owned(), info.api_version().into());
    map.insert("kind".to_owned(), info.kind.into());
    Ok((said, version.to_owned()))
}

/// JSON that is already known to be of that kind.
pub(super) fn value_to_object(kind: Kind, mut value: Value) -> Result<Read, String> {
    if has_quantities(kind) {
        quantities_as_text(&mut value, false);
    }
    if kind == Kind::Lease {
        micro_times(&value)?;
    }
    let mut unknown = Vec::new();
    let mut object = Object::from_json(kind, &value, |path| {
        unknown.push(format!("unknown field \"{}\"", go_path(&path)));
    })
    .map_err(|error| gotype::mismatch(kind, &value, &error))?;
    let meta = object.meta_mut();
    meta.managed_fields = None;
    meta.self_link = None;
    Ok(Read { object, unknown })
}

/// Times of a Lease have six digits after the point, no more and no less.
fn micro_times(value: &Value) -> Result<(), String> {
    for field in ["/spec/renewTime", "/spec/acquireTime"] {
        let Some(text) = value.pointer(field).and_then(Value::as_str) else {
            continue;
        };
        // `2026-01-01T00:00:00`
        let Some(rest) = text.get(19..) else { continue };
        let digits = rest.strip_prefix('.').map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit());
            end.unwrap_or(rest.len())
        });
        if digits != Some(6) {
            return Err(format!(
                "parsing time \"{text}\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \"{rest}\" as \".000000\""
            ));
        }
    }
    Ok(())
}

/// `spec.?.containers.0.imagee` as the API writes it: `spec.containers[0].imagee`.
fn go_path(path: &str) -> String {
    let mut out = String::new();
    for part in path.split('.').filter(|part| *part != "?") {
        if !out.is_empty() && !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
            out.push('[');
            out.push_str(part);
            out.push(']');
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(part);
        }
    }
    out
}

fn has_quantities(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Job | Kind::Pod | Kind::PersistentVolumeClaim | Kind::Node | Kind::ResourceQuota
    )
}

/// A quantity may be written as a number.
fn quantities_as_text(value: &mut Value, inside: bool) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let quantities = matches!(
                    key.as_str(),
                    "limits"
                        | "requests"
                        | "capacity"
                        | "allocatable"
                        | "hard"
                        | "used"
                        | "overhead"
                );
                let quantity = matches!(key.as_str(), "sizeLimit" | "divisor");
                if let Value::Number(number) = value {
                    if inside || quantity {
                        *value = Value::String(number.to_string());
                    }
                } else {
                    quantities_as_text(value, quantities);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                quantities_as_text(item, false);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_fields() {
        let job = json!({"metadata": {"name": "a"}, "spec": {"foo": 1, "template": {"spec": {"containers": [
            {"name": "a"}, {"name": "c", "imagee": "x", "resources": {"limits": {"cpu": 1}}}]}}}});
        let words = [
            "unknown field \"spec.foo\"",
            "unknown field \"spec.template.spec.containers[1].imagee\"",
        ];
        let mut warnings = Vec::new();
        body(Kind::Job, job.clone(), FieldValidation::Warn, &mut warnings).unwrap();
        assert_eq!(warnings, words);
        let refused = body(Kind::Job, job, FieldValidation::Strict, &mut warnings).unwrap_err();
        assert_eq!(
            refused.message,
            format!(
                "Job in version \"v1\" cannot be handled as a Job: strict decoding error: {}",
                words.join(", ")
            )
        );
    }

    #[test]
    fn another_kind() {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap"});
        let refused = body(Kind::Pod, map, FieldValidation::Strict, &mut Vec::new()).unwrap_err();
        assert_eq!(
            refused.message,
            "ConfigMap in version \"v1\" cannot be handled as a Pod: converting (v1.ConfigMap) to (core.Pod): unknown conversion"
        );
    }
}
