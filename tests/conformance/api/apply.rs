//! Server-side apply.

use http::Method;
use serde_json::{Value, json};

use crate::objects::{config_map, idle_job};
use crate::reply::Reply;
use crate::server::{APPLY, MERGE, Server};

checks![
    applied_objects_are_made_and_changed,
    what_is_no_longer_applied_goes,
    two_appliers_conflict,
    force_takes_over,
    the_same_value_is_shared,
    updates_own_fields_too,
    a_manager_is_required,
    a_name_is_required,
    another_kind_is_refused,
    force_is_for_apply,
    managed_fields_are_told,
    yaml_is_applied,
    jobs_are_applied,
];

fn map(data: Value) -> Value {
    config_map("a", data)
}

async fn apply(s: &Server, manager: &str, body: Value) -> Reply {
    let path = s.maps(&format!("/a?fieldManager={manager}"));
    s.patch(&path, APPLY, body).await
}

async fn applied_objects_are_made_and_changed(s: &Server) {
    apply(s, "one", map(json!({"k": "1"})))
        .await
        .is(201)
        .like(json!({"data": {"k": "1"}, "metadata": {"uid": "*"}}));
    apply(s, "one", map(json!({"k": "2", "l": "3"})))
        .await
        .is(200)
        .like(json!({"data": {"k": "2", "l": "3"}}));
    let version = s.get(&s.maps("/a")).await.at("/metadata/resourceVersion");
    apply(s, "one", map(json!({"k": "2", "l": "3"})))
        .await
        .is(200)
        .like(json!({"metadata": {"resourceVersion": version}}));
}

async fn what_is_no_longer_applied_goes(s: &Server) {
    apply(s, "one", map(json!({"k": "1", "l": "2"})))
        .await
        .is(201);
    apply(s, "two", map(json!({"m": "3"}))).await.is(200);
    apply(s, "one", map(json!({"k": "1"})))
        .await
        .is(200)
        .like(json!({"data": {"k": "1", "l": null, "m": "3"}}));
}

async fn two_appliers_conflict(s: &Server) {
    apply(s, "one", map(json!({"k": "1"}))).await.is(201);
    apply(s, "two", map(json!({"k": "2"}))).await.fails(
        409,
        "Conflict",
        "Apply failed with 1 conflict: conflict with \"one\": .data.k",
        json!({"causes": [{
            "reason": "FieldManagerConflict",
            "message": "conflict with \"one\"",
            "field": ".data.k",
        }]}),
    );
    s.get(&s.maps("/a")).await.like(json!({"data": {"k": "1"}}));
}

async fn force_takes_over(s: &Server) {
    apply(s, "one", map(json!({"k": "1"}))).await.is(201);
    apply(s, "two&force=true", map(json!({"k": "2"})))
        .await
        .is(200)
        .like(json!({"data": {"k": "2"}}));
    // Now it is the other one who conflicts.
    apply(s, "one", map(json!({"k": "1"}))).await.is(409);
}

async fn the_same_value_is_shared(s: &Server) {
    apply(s, "one", map(json!({"k": "1"}))).await.is(201);
    apply(s, "two", map(json!({"k": "1"}))).await.is(200);
    apply(s, "one", map(json!({})))
        .await
        .is(200)
        .like(json!({"data": {"k": "1"}}));
    apply(s, "two", map(json!({})))
        .await
        .is(200)
        .like(json!({"data": null}));
}

async fn updates_own_fields_too(s: &Server) {
    apply(s, "one", map(json!({"k": "1"}))).await.is(201);
    let path = s.maps("/a?fieldManager=hand");
    s.patch(&path, MERGE, json!({"data": {"k": "2"}}))
        .await
        .is(200);
    let reply = apply(s, "one", map(json!({"k": "1"}))).await;
    reply.is(409).like(json!({
        "reason": "Conflict",
        "details": {"causes": [{"reason": "FieldManagerConflict", "field": ".data.k"}]},
    }));
    s.holds(
        &reply.text,
        reply
            .at("/message")
            .starts_with("Apply failed with 1 conflict: conflict with \"hand\" using v1"),
    );
}

async fn a_manager_is_required(s: &Server) {
    s.patch(&s.maps("/a"), APPLY, map(json!({}))).await.invalid(
        "PatchOptions.meta.k8s.io",
        "",
        &[(
            "FieldValueRequired",
            "Required value: is required for apply patch",
            "fieldManager",
        )],
    );
}

async fn a_name_is_required(s: &Server) {
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap"});
    apply(s, "one", body).await.fails(
        400,
        "BadRequest",
        "the name of the object (a based on URL) was undeterminable: name must be provided",
        Value::Null,
    );
}

async fn another_kind_is_refused(s: &Server) {
    let body = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    apply(s, "one", body).await.fails(
        400,
        "BadRequest",
        "invalid object type: /v1, Kind=Pod",
        Value::Null,
    );
}

async fn force_is_for_apply(s: &Server) {
    s.post(&s.maps(""), map(json!({}))).await.ok();
    s.patch(&s.maps("/a?force=true"), MERGE, json!({}))
        .await
        .invalid(
            "PatchOptions.meta.k8s.io",
            "",
            &[(
                "FieldValueForbidden",
                "Forbidden: may not be specified for non-apply patch",
                "force",
            )],
        );
}

async fn managed_fields_are_told(s: &Server) {
    apply(s, "one", map(json!({"k": "1"}))).await.is(201).like(
        json!({"metadata": {"managedFields": [{
            "manager": "one",
            "operation": "Apply",
            "apiVersion": "v1",
            "time": "*",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {"f:k": {}}},
        }]}}),
    );
}

async fn yaml_is_applied(s: &Server) {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n";
    s.call(
        Method::PATCH,
        &s.maps("/a?fieldManager=one"),
        &[("content-type", APPLY)],
        json!(text),
    )
    .await
    .is(201)
    .like(json!({"data": {"k": "v"}}));
}

async fn jobs_are_applied(s: &Server) {
    let path = s.jobs("/a?fieldManager=one");
    s.patch(&path, APPLY, idle_job("a"))
        .await
        .is(201)
        .like(json!({"metadata": {"generation": 1}, "spec": {"suspend": true, "backoffLimit": 6}}));
    let mut more = idle_job("a");
    more["spec"]["parallelism"] = json!(4);
    s.patch(&path, APPLY, more)
        .await
        .is(200)
        .like(json!({"metadata": {"generation": 2}, "spec": {"parallelism": 4}}));
    s.patch(&path, APPLY, idle_job("a"))
        .await
        .is(200)
        .like(json!({"spec": {"parallelism": 1}}));
}
