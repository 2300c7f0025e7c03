//! Fields that a server does not know: refused, told or dropped.

use http::Method;
use serde_json::{Value, json};

use crate::objects::{config_map, idle_job};
use crate::server::{JSON_PATCH, MERGE, STRATEGIC, Server};

checks![
    strict_refuses,
    warn_tells,
    ignore_drops,
    warn_is_the_default,
    duplicates_are_told,
    strict_for_a_put,
    strict_for_a_merge_patch,
    strict_for_a_json_patch,
    strict_for_a_strategic_patch,
    warn_for_patches,
    names_are_case_sensitive,
    an_unknown_level_is_refused,
    yaml_is_strict_too,
];

/// Two unknown fields, one deep in a list.
fn odd(name: &str) -> Value {
    let mut job = idle_job(name);
    job["spec"]["paralelism"] = json!(2);
    job["spec"]["template"]["spec"]["containers"][0]["imagee"] = json!("x");
    job["spec"]["template"]["spec"]["containers"][0]["env"] =
        json!([{"name": "A", "value": "1", "valeu": "2"}]);
    job
}

const WARNINGS: [&str; 3] = [
    "unknown field \"spec.paralelism\"",
    "unknown field \"spec.template.spec.containers[0].env[0].valeu\"",
    "unknown field \"spec.template.spec.containers[0].imagee\"",
];

async fn strict_refuses(s: &Server) {
    s.post(&s.jobs("?fieldValidation=Strict"), odd("a"))
        .await
        .fails(
            400,
            "BadRequest",
            &format!(
                "Job in version \"v1\" cannot be handled as a Job: strict decoding error: {}",
                WARNINGS.join(", ")
            ),
            Value::Null,
        );
    s.get(&s.jobs("/a")).await.is(404);
    s.post(&s.jobs("?fieldValidation=Strict"), idle_job("a"))
        .await
        .is(201)
        .warns(&[]);
}

async fn warn_tells(s: &Server) {
    let made = s.post(&s.jobs("?fieldValidation=Warn"), odd("a")).await;
    made.is(201).warns(&WARNINGS).like(json!({"spec": {
        "paralelism": null,
        "template": {"spec": {"containers": [{"imagee": null}]}},
    }}));
}

async fn ignore_drops(s: &Server) {
    s.post(&s.jobs("?fieldValidation=Ignore"), odd("a"))
        .await
        .is(201)
        .warns(&[])
        .like(json!({"spec": {"paralelism": null}}));
}

async fn warn_is_the_default(s: &Server) {
    s.post(&s.jobs(""), odd("a")).await.is(201).warns(&WARNINGS);
}

async fn duplicates_are_told(s: &Server) {
    let text = "{\"metadata\": {\"name\": \"a\"}, \"data\": {\"k\": \"1\", \"k\": \"2\"}}";
    let post = |path: String, text: &'static str| async move {
        s.call(
            Method::POST,
            &path,
            &[("content-type", "application/json")],
            json!(text),
        )
        .await
    };
    post(s.maps("?fieldValidation=Strict"), text).await.fails(
        400,
        "BadRequest",
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: duplicate \
         field \"data.k\"",
        Value::Null,
    );
    post(s.maps(""), text)
        .await
        .is(201)
        .warns(&["duplicate field \"data.k\""])
        .like(json!({"data": {"k": "2"}}));
}

async fn strict_for_a_put(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    let mut map = config_map("a", json!({}));
    map["frob"] = json!(1);
    s.put(&s.maps("/a?fieldValidation=Strict"), map).await.fails(
        400,
        "BadRequest",
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown \
         field \"frob\"",
        Value::Null,
    );
}

/// The patched object stands in the message; what is said of it counts.
async fn refused(s: &Server, media: &str, patch: Value) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    let path = s.maps("/a?fieldValidation=Strict");
    let reply = s.patch(&path, media, patch).await;
    reply.is(422).like(json!({
        "reason": "Invalid",
        "details": {
            "name": null,
            "kind": null,
            "causes": [{"reason": "FieldValueInvalid", "field": "patch"}],
        },
    }));
    let message = reply.at("/message");
    s.holds(
        &message,
        message.starts_with(" \"\" is invalid: patch: Invalid value: "),
    );
    s.holds(
        &message,
        message.ends_with(": strict decoding error: unknown field \"frob\""),
    );
}

async fn strict_for_a_merge_patch(s: &Server) {
    refused(s, MERGE, json!({"frob": 1})).await;
}

async fn strict_for_a_json_patch(s: &Server) {
    refused(
        s,
        JSON_PATCH,
        json!([{"op": "add", "path": "/frob", "value": 1}]),
    )
    .await;
}

async fn strict_for_a_strategic_patch(s: &Server) {
    refused(s, STRATEGIC, json!({"frob": 1})).await;
}

async fn warn_for_patches(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    for (media, patch) in [
        (MERGE, json!({"frob": 1, "data": {"k": "1"}})),
        (STRATEGIC, json!({"frob": 1, "data": {"k": "1"}})),
        (
            JSON_PATCH,
            json!([{"op": "add", "path": "/frob", "value": 1}]),
        ),
    ] {
        s.patch(&s.maps("/a"), media, patch)
            .await
            .is(200)
            .warns(&["unknown field \"frob\""])
            .like(json!({"frob": null, "data": {"k": "1"}}));
    }
}

async fn names_are_case_sensitive(s: &Server) {
    let mut job = idle_job("a");
    job["spec"]["Parallelism"] = json!(3);
    s.post(&s.jobs(""), job)
        .await
        .is(201)
        .warns(&["unknown field \"spec.Parallelism\""])
        .like(json!({"spec": {"parallelism": 1}}));
}

async fn an_unknown_level_is_refused(s: &Server) {
    s.post(&s.maps("?fieldValidation=Hard"), config_map("a", json!({})))
        .await
        .invalid(
            "CreateOptions.meta.k8s.io",
            "",
            &[(
                "FieldValueNotSupported",
                "Unsupported value: \"Hard\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
                "fieldValidation",
            )],
        );
}

async fn yaml_is_strict_too(s: &Server) {
    s.call(
        Method::POST,
        &s.maps("?fieldValidation=Strict"),
        &[("content-type", "application/yaml")],
        json!("metadata:\n  name: a\nfrob: 1\n"),
    )
    .await
    .fails(
        400,
        "BadRequest",
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown \
         field \"frob\"",
        Value::Null,
    );
}
