//! Answers to questions about the one who asks.

use serde_json::{Value, json};

use crate::cluster::api::Status;
use crate::cluster::api::problems::Problems;
use crate::cluster::api::rights::{ADMIN, Action};
use crate::cluster::api::status::Called;
use crate::cluster::front::route::Review;
use crate::cluster::world::World;

/// Fills in the `status` of a review.
///
/// # Errors
/// 422: it asks nothing, or two things at once.
pub(super) fn answer(
    review: Review,
    asked: &Value,
    user: &str,
    world: &World,
) -> Result<Value, Status> {
    let (group, _, kind) = review.names();
    let spec = asked.get("spec").cloned().unwrap_or_else(|| json!({}));
    let status = match review {
        Review::Access => {
            one_question(&spec)?;
            let allowed = access(&spec, user, world);
            json!({"allowed": allowed})
        }
        Review::Rules => {
            let namespace = spec["namespace"].as_str().unwrap_or_default();
            json!({
                "resourceRules": rules(user, namespace, world),
                "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": PATHS}],
                "incomplete": false,
            })
        }
        Review::Subject => {
            json!({"userInfo": {"username": user, "groups": ["system:authenticated"]}})
        }
    };
    let mut answer = json!({
        "kind": kind, "apiVersion": format!("{group}/v1"), "metadata": {"creationTimestamp": null},
        "spec": spec, "status": status,
    });
    if review == Review::Subject {
        // The one review without a question.
        if let Value::Object(fields) = &mut answer {
            fields.remove("spec");
        }
    }
    Ok(answer)
}

/// The real one names no kind here.
fn one_question(spec: &Value) -> Result<(), Status> {
    let asked = ["resourceAttributes", "nonResourceAttributes"];
    if asked.iter().filter(|key| spec[**key].is_object()).count() == 1 {
        return Ok(());
    }
    let mut problems = Problems::default();
    let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    problems.invalid("spec", Value::Null, why);
    let mut status = Status::invalid_request(problems);
    status.message = format!(".authorization.k8s.io{}", status.message);
    status.called = Called::Review;
    Err(status)
}

/// Paths that everybody may read.
const PATHS: [&str; 10] = [
    "/api",
    "/api/*",
    "/apis",
    "/apis/*",
    "/healthz",
    "/livez",
    "/openapi",
    "/openapi/*",
    "/readyz",
    "/version",
];

/// Everybody may ask about themselves.
fn about_oneself(action: &Action<'_>) -> bool {
    action.verb == "create"
        && Review::ALL.iter().any(|review| {
            let (group, resource, _) = review.names();
            group == action.group && resource == action.resource
        })
}

fn rules(user: &str, namespace: &str, world: &World) -> Vec<Value> {
    let mut told: Vec<Value> = Review::ALL
        .iter()
        .map(|review| {
            let (group, resource, _) = review.names();
            json!({"verbs": ["create"], "apiGroups": [group], "resources": [resource]})
        })
        .collect();
    for rule in world.rules(user, namespace) {
        let mut value = json!({
            "verbs": rule.verbs, "apiGroups": rule.groups, "resources": rule.resources,
        });
        if !rule.names.is_empty() {
            value["resourceNames"] = json!(rule.names);
        }
        told.push(value);
    }
    told
}

fn access(spec: &Value, user: &str, world: &World) -> bool {
    let attributes = &spec["resourceAttributes"];
    if attributes.is_object() {
        let text = |key: &str| attributes[key].as_str().unwrap_or_default();
        let action = Action {
            verb: text("verb"),
            group: text("group"),
            resource: text("resource"),
            subresource: text("subresource"),
            namespace: text("namespace"),
            name: text("name"),
        };
        return about_oneself(&action) || world.may(user, &action);
    }
    let path = spec["nonResourceAttributes"]["path"].as_str();
    let verb = spec["nonResourceAttributes"]["verb"].as_str();
    let readable = |path: &str| {
        PATHS.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => *known == path,
        })
    };
    user == ADMIN || verb == Some("get") && path.is_some_and(readable)
}
