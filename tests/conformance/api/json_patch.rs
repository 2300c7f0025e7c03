//! JSON patches (RFC 6902).

use serde_json::{Value, json};

use crate::objects::{config_map, idle_job};
use crate::reply::Reply;
use crate::server::{JSON_PATCH, Server};

checks![
    operations,
    members_with_slashes,
    positions_in_lists,
    a_test_that_fails_changes_nothing,
    operations_on_nothing,
    a_replacement_of_nothing_adds,
    patches_that_are_no_patches,
    a_version_may_be_tested,
    finalizers_are_taken_off,
];

async fn patch(s: &Server, operations: Value) -> Reply {
    s.patch(&s.maps("/a"), JSON_PATCH, operations).await
}

async fn make(s: &Server) {
    let mut map = config_map("a", json!({"k": "1", "l": "2"}));
    map["metadata"]["finalizers"] = json!(["test.io/a", "test.io/b"]);
    s.post(&s.maps(""), map).await.ok();
}

async fn operations(s: &Server) {
    make(s).await;
    patch(
        s,
        json!([
            {"op": "test", "path": "/data/k", "value": "1"},
            {"op": "replace", "path": "/data/k", "value": "one"},
            {"op": "add", "path": "/data/m", "value": "3"},
            {"op": "copy", "from": "/data/m", "path": "/data/n"},
            {"op": "move", "from": "/data/l", "path": "/data/o"},
            {"op": "remove", "path": "/data/m"},
        ]),
    )
    .await
    .is(200)
    .like(json!({"data": {"k": "one", "l": null, "m": null, "n": "3", "o": "2"}}));
    patch(s, json!([]))
        .await
        .is(200)
        .like(json!({"data": {"k": "one"}}));
}

async fn members_with_slashes(s: &Server) {
    make(s).await;
    patch(
        s,
        json!([
            {"op": "add", "path": "/metadata/annotations", "value": {}},
            {"op": "add", "path": "/metadata/annotations/test.io~1a", "value": "x"},
            {"op": "add", "path": "/metadata/annotations/test.io~1b", "value": "y"},
            {"op": "remove", "path": "/metadata/annotations/test.io~1a"},
        ]),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"annotations": {"test.io/a": null, "test.io/b": "y"}}}));
}

async fn positions_in_lists(s: &Server) {
    make(s).await;
    patch(
        s,
        json!([
            {"op": "add", "path": "/metadata/finalizers/-", "value": "test.io/z"},
            {"op": "add", "path": "/metadata/finalizers/1", "value": "test.io/m"},
            {"op": "remove", "path": "/metadata/finalizers/0"},
        ]),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"finalizers": ["test.io/m", "test.io/b", "test.io/z"]}}));
}

const REJECTED: &str = "the server rejected our request due to an error in our request";

async fn a_test_that_fails_changes_nothing(s: &Server) {
    make(s).await;
    patch(
        s,
        json!([
            {"op": "replace", "path": "/data/k", "value": "one"},
            {"op": "test", "path": "/data/l", "value": "9"},
        ]),
    )
    .await
    .fails(422, "Invalid", REJECTED, json!({}));
    s.get(&s.maps("/a")).await.like(json!({"data": {"k": "1"}}));
}

async fn operations_on_nothing(s: &Server) {
    make(s).await;
    for operation in [
        json!({"op": "remove", "path": "/data/none"}),
        json!({"op": "add", "path": "/metadata/labels/none", "value": "x"}),
        json!({"op": "remove", "path": "/metadata/finalizers/7"}),
        json!({"op": "move", "from": "/data/none", "path": "/data/x"}),
        json!({"op": "test", "path": "/data/none", "value": "x"}),
        json!({"op": "frobnicate", "path": "/data/k"}),
    ] {
        patch(s, json!([operation]))
            .await
            .fails(422, "Invalid", REJECTED, json!({}));
    }
}

/// RFC 6902 says otherwise; the library that API servers use does not.
async fn a_replacement_of_nothing_adds(s: &Server) {
    make(s).await;
    patch(
        s,
        json!([{"op": "replace", "path": "/data/none", "value": "x"}]),
    )
    .await
    .is(200)
    .like(json!({"data": {"k": "1", "none": "x"}}));
    patch(
        s,
        json!([{"op": "replace", "path": "/metadata/labels/none", "value": "x"}]),
    )
    .await
    .fails(422, "Invalid", REJECTED, json!({}));
}

async fn patches_that_are_no_patches(s: &Server) {
    make(s).await;
    patch(s, json!({})).await.fails(
        400,
        "BadRequest",
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        Value::Null,
    );
    let reply = patch(s, json!("x")).await;
    reply.is(400).like(json!({"reason": "BadRequest"}));
}

async fn a_version_may_be_tested(s: &Server) {
    make(s).await;
    let version = s.get(&s.maps("/a")).await.at("/metadata/resourceVersion");
    let with = |version: &str| {
        json!([
            {"op": "test", "path": "/metadata/resourceVersion", "value": version},
            {"op": "replace", "path": "/data/k", "value": "one"},
        ])
    };
    patch(s, with("1")).await.is(422);
    patch(s, with(&version))
        .await
        .is(200)
        .like(json!({"data": {"k": "one"}}));
}

async fn finalizers_are_taken_off(s: &Server) {
    let mut job = idle_job("a");
    job["metadata"]["finalizers"] = json!(["test.io/a"]);
    s.make_job(job).await;
    s.delete(&s.jobs("/a"), json!({"propagationPolicy": "Background"}))
        .await
        .is(200);
    s.patch(
        &s.jobs("/a"),
        JSON_PATCH,
        json!([{"op": "remove", "path": "/metadata/finalizers/0"}]),
    )
    .await
    .is(200);
    s.get(&s.jobs("/a")).await.is(404);
}
