//! Strategic merge patches: lists of objects are merged by their keys.

use serde_json::{Value, json};

use crate::objects::{idle_job, pod};
use crate::server::{STRATEGIC, Server};

checks![
    maps_are_merged,
    containers_are_merged_by_name,
    environment_is_merged_by_name,
    conditions_are_merged_by_type,
    finalizers_are_united,
    a_deleted_element,
    a_replaced_list,
    a_replaced_map,
    lists_without_a_key_are_replaced,
    owners_are_merged_by_uid,
    patches_that_are_no_patches,
    an_unknown_directive,
];

async fn maps_are_merged(s: &Server) {
    let mut job = idle_job("a");
    job["metadata"]["labels"] = json!({"a": "1", "b": "2"});
    s.make_job(job).await;
    s.patch(
        &s.jobs("/a"),
        STRATEGIC,
        json!({"metadata": {"labels": {"b": null, "c": "3"}}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"labels": {"a": "1", "b": null, "c": "3"}}}));
}

/// A suspended Job of two containers, whose template may still change.
async fn two_containers(s: &Server) {
    let mut job = idle_job("a");
    job["spec"]["template"]["spec"]["containers"] = json!([
        {"name": "main", "image": "x", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
         "args": ["one", "two"]},
        {"name": "side", "image": "y"},
    ]);
    s.make_job(job).await;
}

fn containers(patch: Value) -> Value {
    json!({"spec": {"template": {"spec": {"containers": patch}}}})
}

async fn containers_are_merged_by_name(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    // The image is what may change in a pod.
    s.patch(
        &s.pods("/a"),
        STRATEGIC,
        json!({"spec": {"containers": [{"name": "main", "image": "test.local/pause:1"}]}}),
    )
    .await
    .is(200)
    .like(json!({"spec": {"containers": [{
        "name": "main",
        "image": "test.local/pause:1",
        "terminationMessagePath": "/dev/termination-log",
    }]}}));
    two_containers(s).await;
    s.patch(
        &s.jobs("/a?dryRun=All"),
        STRATEGIC,
        containers(json!([{"name": "side", "resources": {"requests": {"cpu": "1"}}}])),
    )
    .await
    .is(200)
    .like(containers(json!([
        {"name": "main", "image": "x"},
        {"name": "side", "image": "y", "resources": {"requests": {"cpu": "1"}}},
    ])));
}

async fn environment_is_merged_by_name(s: &Server) {
    two_containers(s).await;
    s.patch(
        &s.jobs("/a?dryRun=All"),
        STRATEGIC,
        containers(json!([
            {"name": "main", "env": [{"name": "B", "value": "2"}], "resources": {"limits": {"cpu": "1"}}},
        ])),
    )
    .await
    .is(200)
    .like(containers(json!([
        {"name": "main", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
        {"name": "side"},
    ])));
    // What may not change shows in the refusal that it was merged into.
    s.patch(
        &s.jobs("/a"),
        STRATEGIC,
        containers(json!([{"name": "main", "env": [{"name": "B", "value": "3"}]}])),
    )
    .await
    .is(422)
    .like(json!({"details": {"causes": [{"reason": "FieldValueInvalid", "field": "spec.template.spec"}]}}));
}

async fn conditions_are_merged_by_type(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    for (kind, status) in [
        ("test.io/One", "True"),
        ("test.io/Two", "True"),
        ("test.io/One", "False"),
    ] {
        s.pod_status(
            "a",
            json!({"conditions": [{"type": kind, "status": status}]}),
        )
        .await;
    }
    let pod = s.get(&s.pods("/a")).await.body;
    for (kind, status) in [("test.io/One", "False"), ("test.io/Two", "True")] {
        s.like(
            &crate::objects::condition(&pod, kind),
            json!({"status": status}),
        );
    }
    let count = pod["status"]["conditions"].as_array().unwrap();
    let ours = count
        .iter()
        .filter(|c| c["type"].as_str().unwrap().starts_with("test.io/"));
    s.equal("no doubles", ours.count(), 2);
}

async fn finalizers_are_united(s: &Server) {
    let mut job = idle_job("a");
    job["metadata"]["finalizers"] = json!(["test.io/a", "test.io/b"]);
    s.make_job(job).await;
    s.patch(
        &s.jobs("/a"),
        STRATEGIC,
        json!({"metadata": {"finalizers": ["test.io/c"]}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"finalizers": ["test.io/c", "test.io/a", "test.io/b"]}}));
    s.patch(
        &s.jobs("/a"),
        STRATEGIC,
        json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["test.io/a", "test.io/b"]}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"finalizers": ["test.io/c"]}}));
}

async fn a_deleted_element(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    for kind in ["test.io/One", "test.io/Two"] {
        s.pod_status(
            "a",
            json!({"conditions": [{"type": kind, "status": "True"}]}),
        )
        .await;
    }
    s.pod_status(
        "a",
        json!({"conditions": [{"type": "test.io/One", "$patch": "delete"}]}),
    )
    .await;
    let pod = s.get(&s.pods("/a")).await.body;
    s.same(&crate::objects::condition(&pod, "test.io/One"), Value::Null);
    s.like(
        &crate::objects::condition(&pod, "test.io/Two"),
        json!({"status": "True"}),
    );
}

async fn a_replaced_list(s: &Server) {
    two_containers(s).await;
    let path = s.jobs("/a?dryRun=All");
    let patch = containers(json!([{"$patch": "replace"}, {"name": "only", "image": "z"}]));
    let reply = s.patch(&path, STRATEGIC, patch).await;
    // Names of containers are fixed; that the template differs shows that it was replaced.
    reply
        .is(422)
        .like(json!({"details": {"causes": [{"field": "spec.template.spec"}]}}));
}

async fn a_replaced_map(s: &Server) {
    let mut job = idle_job("a");
    job["metadata"]["annotations"] = json!({"a": "1", "b": "2"});
    s.make_job(job).await;
    s.patch(
        &s.jobs("/a"),
        STRATEGIC,
        json!({"metadata": {"annotations": {"$patch": "replace", "c": "3"}}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"annotations": {"a": null, "b": null, "c": "3"}}}));
}

async fn lists_without_a_key_are_replaced(s: &Server) {
    two_containers(s).await;
    s.patch(
        &s.jobs("/a?dryRun=All"),
        STRATEGIC,
        containers(json!([{"name": "main", "resources": {"requests": {"cpu": "2"}}}])),
    )
    .await
    .is(200)
    .like(containers(json!([
        {"name": "main", "args": ["one", "two"], "resources": {"requests": {"cpu": "2"}},
         "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
        {"name": "side"},
    ])));
    let tolerations = |key: &str| json!([{"key": key, "operator": "Exists"}]);
    let with =
        |key: &str| json!({"spec": {"template": {"spec": {"tolerations": tolerations(key)}}}});
    for key in ["a", "b"] {
        s.patch(&s.jobs("/a"), STRATEGIC, with(key))
            .await
            .is(200)
            .like(with(key));
    }
}

async fn owners_are_merged_by_uid(s: &Server) {
    let mut job = idle_job("a");
    let owner =
        |uid: &str| json!({"apiVersion": "batch/v1", "kind": "Job", "name": "o", "uid": uid});
    // Finalizer: the garbage collector may not take it away before it was looked at.
    job["metadata"]["finalizers"] = json!(["test.io/a"]);
    job["metadata"]["ownerReferences"] = json!([owner("u-1"), owner("u-2")]);
    s.make_job(job).await;
    s.patch(
        &s.jobs("/a"),
        STRATEGIC,
        json!({"metadata": {"ownerReferences": [{"uid": "u-1", "$patch": "delete"}]}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"ownerReferences": [{"uid": "u-2"}]}}));
    s.change(&s.jobs("/a"), json!({"metadata": {"finalizers": null}}))
        .await;
}

async fn patches_that_are_no_patches(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.patch(&s.jobs("/a"), STRATEGIC, json!("x")).await.fails(
        400,
        "BadRequest",
        "invalid JSON patch",
        Value::Null,
    );
}

async fn an_unknown_directive(s: &Server) {
    s.make_job(idle_job("a")).await;
    let patch = json!({"metadata": {"$patch": "frobnicate"}});
    s.patch(&s.jobs("/a"), STRATEGIC, patch)
        .await
        .is(500)
        .like(json!({
            "message": "unknown patch type: frobnicate in map: map[$patch:frobnicate]",
        }));
}
