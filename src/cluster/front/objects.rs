//! Requests about objects: from method, content type, query and body to a verb of the world, and its
//! answer in the form that was asked for.

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

use crate::cluster::api::status::Options;
use crate::cluster::api::{Answer, Body, List, Patch, Request, Status, Verb};
use crate::cluster::front::accept::Form;
use crate::cluster::front::protobuf;
use crate::cluster::front::query::Query;
use crate::cluster::front::reply::{self, Reply};
use crate::cluster::front::route::{Part, Target};
use crate::cluster::front::table::{self, Include};
use crate::cluster::object::Object;
use crate::cluster::world::World;

/// What is to be done with objects.
#[derive(Debug)]
pub(super) enum Ask {
    /// One answer.
    Call(Request),
    /// A stream of changes.
    Watch(Request),
    /// The log of a pod.
    Log,
}

/// A request as it came.
pub(super) struct Came<'a> {
    pub(super) user: &'a str,
    pub(super) method: &'a Method,
    pub(super) query: &'a Query,
    pub(super) content_type: &'a str,
    pub(super) body: &'a Bytes,
}

/// Understands a request.
///
/// # Errors
/// 400, 405, 415.
pub(super) fn understand(target: Target, came: &Came<'_>) -> Result<Ask, Status> {
    let Came { method, query, .. } = *came;
    let one = target.name.is_some();
    // All namespaces at once can only be looked at.
    let everywhere = target.kind.info().namespaced && target.namespace.is_none();
    let subresource = match target.part {
        Part::Log if *method == Method::GET => return Ok(Ask::Log),
        Part::Log => return Err(Status::no_such_method()),
        Part::Whole => None,
        Part::Sub(part) => Some(part),
    };
    let request = |verb| Request {
        user: came.user.to_owned(),
        kind: target.kind,
        namespace: target.namespace.clone(),
        name: target.name.clone(),
        subresource,
        verb,
    };
    let verb = match *method {
        Method::GET if one => Verb::Get,
        Method::GET if query.flag("watch") => {
            return Ok(Ask::Watch(request(Verb::List(query.list()?))));
        }
        Method::GET => Verb::List(query.list()?),
        _ if everywhere => return Err(Status::no_such_method()),
        Method::POST if !one || subresource.is_some() => {
            Verb::Create(query.write(Options::Create)?, document(came)?)
        }
        Method::PUT if one => Verb::Update(query.write(Options::Update)?, document(came)?),
        Method::PATCH if one => Verb::Patch(query.write(Options::Patch)?, patch(came)?),
        Method::DELETE if subresource.is_none() => {
            let body = if came.body.is_empty() {
                Value::Null
            } else {
                document(came)?
            };
            let options = query.delete(&body)?;
            if one {
                Verb::Delete(options)
            } else {
                Verb::DeleteCollection(options, query.list()?)
            }
        }
        _ => return Err(Status::no_such_method()),
    };
    Ok(Ask::Call(request(verb)))
}

/// The media type without its parameters.
fn media<'a>(came: &Came<'a>) -> &'a str {
    let media = came.content_type.split(';').next().unwrap_or_default();
    media.trim()
}

/// A body that is an object.
///
/// # Errors
/// 400, 415.
pub(super) fn document(came: &Came<'_>) -> Result<Value, Status> {
    match media(came) {
        "" | "application/json" => from_json(came.body),
        "application/yaml" => from_yaml(came.body),
        PROTOBUF => protobuf::to_json(came.body).map_err(|trouble| unsupported(&trouble)),
        _ => Err(unsupported("")),
    }
}

/// Kubernetes' own binary form.
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// 415 in the API's words; `trouble`: what of protobuf is not read here.
fn unsupported(trouble: &str) -> Status {
    let trouble = if trouble.is_empty() {
        String::new()
    } else {
        format!(" ({trouble})")
    };
    Status::new(
        415,
        "UnsupportedMediaType",
        format!(
            "the body of the request was in an unknown format - accepted media types include: \
             application/json, application/yaml, {PROTOBUF}{trouble}"
        ),
    )
}

fn patch(came: &Came<'_>) -> Result<Patch, Status> {
    let media = media(came);
    if media != "application/apply-patch+yaml" {
        came.query.not_forced()?;
    }
    let json =
        || serde_json::from_slice(came.body).map_err(|_| Status::bad_request("invalid JSON patch"));
    match media {
        "application/merge-patch+json" => Ok(Patch::Merge(json()?)),
        "application/json-patch+json" => Ok(Patch::Json(json()?)),
        "application/strategic-merge-patch+json" => Ok(Patch::Strategic(json()?)),
        "application/apply-patch+yaml" => Ok(Patch::Apply {
            value: from_yaml(came.body)?,
            force: came.query.flag("force"),
        }),
        _ => Err(Status::new(
            415,
            "UnsupportedMediaType",
            "415: Unsupported Media Type",
        )),
    }
}

/// The API server takes bodies of up to 3 MiB; so does this one.
pub(super) const BODY_LIMIT: usize = 3 * 1024 * 1024;

fn from_json(body: &Bytes) -> Result<Value, Status> {
    serde_json::from_slice(body).map_err(|e| {
        Status::bad_request(format!("couldn't get version/kind; json parse error: {e}"))
    })
}

/// YAML, of which JSON is a part.
fn from_yaml(body: &Bytes) -> Result<Value, Status> {
    if let Ok(value) = serde_json::from_slice(body) {
        return Ok(value);
    }
    let text = std::str::from_utf8(body)
        .map_err(|e| Status::bad_request(format!("error decoding YAML: {e}")))?;
    serde_saphyr::from_str(text)
        .map_err(|e| Status::bad_request(format!("error decoding YAML: {e}")))
}

/// How objects are to be shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Form.
    pub(super) form: Form,
    /// What rows of tables carry.
    pub(super) include: Include,
}

impl Shape {
    /// By `Accept` and `includeObject`.
    pub(super) fn of(form: Form, query: &Query) -> Self {
        let include = match query.get("includeObject") {
            Some("None") => Include::None,
            Some("Object") => Include::Object,
            _ => Include::Metadata,
        };
        Self { form, include }
    }

    /// An object as JSON text; `first`: with the columns, if it is a table.
    pub(super) fn one(
        self,
        object: &Object,
        first: bool,
        world: &World,
    ) -> serde_json::Result<String> {
        match self.form {
            Form::Plain | Form::Discovery => object.to_json_text(),
            Form::Metadata => Ok(table::metadata_of(object)?.to_string()),
            Form::Table => {
                let version = object.meta().resource_version.clone();
                let metadata = json!({"resourceVersion": version.unwrap_or_default()});
                let table = table::table(
                    object.kind(),
                    [object],
                    metadata,
                    self.include,
                    first,
                    world.now(),
                )?;
                Ok(table.to_string())
            }
        }
    }

    fn list(self, list: &List, world: &World) -> serde_json::Result<String> {
        let mut metadata = json!({"resourceVersion": list.version.to_string()});
        if let Some(token) = &list.continue_token {
            metadata["continue"] = json!(token);
        }
        if let Some(remaining) = list.remaining {
            metadata["remainingItemCount"] = json!(remaining);
        }
        let info = list.kind.info();
        match self.form {
            Form::Table => {
                let objects = list.items.iter().map(AsRef::as_ref);
                let now = world.now();
                let table = table::table(list.kind, objects, metadata, self.include, true, now)?;
                Ok(table.to_string())
            }
            Form::Metadata => {
                let items = list.items.iter().map(|o| table::metadata_of(o));
                let items = items.collect::<serde_json::Result<Vec<_>>>()?;
                Ok(json!({
                    "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                    "metadata": metadata, "items": items,
                })
                .to_string())
            }
            Form::Plain | Form::Discovery => {
                let mut text = format!(
                    "{{\"kind\":\"{}List\",\"apiVersion\":\"{}\",\"metadata\":{metadata},\"items\":[",
                    info.kind,
                    info.api_version()
                );
                // Items of a list don't repeat what they are.
                let head = format!(
                    "\"apiVersion\":\"{}\",\"kind\":\"{}\",",
                    info.api_version(),
                    info.kind
                );
                for (i, object) in list.items.iter().enumerate() {
                    if i > 0 {
                        text.push(',');
                    }
                    let item = object.to_json_text()?;
                    match item.strip_prefix('{').and_then(|t| t.strip_prefix(&head)) {
                        Some(rest) => {
                            text.push('{');
                            text.push_str(rest);
                        }
                        None => text.push_str(&item),
                    }
                }
                text.push_str("]}");
                Ok(text)
            }
        }
    }

    /// An answer of the world.
    pub(super) fn answer(self, answer: &Answer, world: &World) -> Reply {
        let text = match &answer.body {
            Body::Object(object) => self.one(object, true, world),
            Body::List(list) => self.list(list, world),
            Body::Value(value) => Ok(value.to_string()),
        };
        let mut reply = match text {
            Ok(text) => reply::json_text(answer.code, text),
            Err(e) => reply::status(&Status::new(500, "InternalError", e.to_string())),
        };
        reply::warn(&mut reply, &answer.warnings);
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::front::route::{Route, route};

    fn ask(method: &str, path: &str, media: &str, body: &str) -> Result<Ask, Status> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let Some(Route::Objects(target)) = route(path) else {
            panic!("{path}");
        };
        let came = Came {
            user: "ada",
            method: &Method::from_bytes(method.as_bytes()).unwrap(),
            query: &Query::parse(query),
            content_type: media,
            body: &Bytes::from(body.to_owned()),
        };
        understand(target, &came)
    }

    fn word(method: &str, path: &str, media: &str, body: &str) -> String {
        let word = match ask(method, path, media, body) {
            Ok(Ask::Watch(_)) => "watch",
            Ok(Ask::Log) => "log",
            Ok(Ask::Call(request)) => match request.verb {
                Verb::Get => "get",
                Verb::List(_) => "list",
                Verb::Create(..) => "create",
                Verb::Update(..) => "update",
                Verb::Patch(..) => "patch",
                Verb::Delete(_) => "delete",
                Verb::DeleteCollection(..) => "deletecollection",
            },
            Err(status) => return status.code.to_string(),
        };
        word.to_owned()
    }

    #[test]
    fn methods_and_media_types() {
        let jobs = "/apis/batch/v1/namespaces/a/jobs";
        let job = "/apis/batch/v1/namespaces/a/jobs/j";
        let json = "application/json";
        for (method, path, media, body, wanted) in [
            ("GET", jobs, "", "", "list"),
            ("GET", &format!("{jobs}?watch=1"), "", "", "watch"),
            ("GET", &format!("{job}?watch=true"), "", "", "get"),
            ("GET", job, "", "", "get"),
            ("GET", "/api/v1/namespaces/a/pods/p/log", "", "", "log"),
            ("POST", jobs, json, "{}", "create"),
            ("POST", jobs, "application/yaml", "a: 1", "create"),
            (
                "POST",
                jobs,
                "application/vnd.kubernetes.protobuf",
                "k8s",
                "415",
            ),
            ("POST", jobs, json, "{", "400"),
            ("POST", job, json, "{}", "405"),
            ("POST", "/apis/batch/v1/jobs", json, "{}", "405"),
            (
                "POST",
                "/api/v1/namespaces/a/pods/p/eviction",
                json,
                "{}",
                "create",
            ),
            ("PUT", job, json, "{}", "update"),
            ("PUT", jobs, json, "{}", "405"),
            ("PATCH", job, "application/merge-patch+json", "{}", "patch"),
            (
                "PATCH",
                job,
                "application/apply-patch+yaml",
                "a: 1",
                "patch",
            ),
            ("PATCH", job, json, "{}", "415"),
            ("DELETE", job, "", "", "delete"),
            ("DELETE", jobs, json, "{}", "deletecollection"),
            ("DELETE", &format!("{job}/status"), "", "", "405"),
        ] {
            assert_eq!(word(method, path, media, body), wanted, "{method} {path}");
        }
    }
}
