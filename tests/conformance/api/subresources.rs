//! Subresources: a status is written on its own path, and there nothing else is.

use serde_json::{Value, json};

use crate::objects::{idle_job, job, pod};
use crate::server::{JSON_PATCH, MERGE, STRATEGIC, Server};

checks![
    a_status_has_its_own_path,
    a_status_is_ignored_on_create,
    a_status_is_ignored_on_the_main_path,
    a_spec_is_ignored_on_the_status_path,
    a_put_of_a_status,
    a_json_patch_of_a_status,
    metadata_on_the_status_path,
    a_status_does_not_count_as_a_generation,
    pods_are_bound,
    logs_need_a_pod,
    a_pod_without_a_node_has_no_log,
    namespaces_are_finalized,
];

async fn a_status_has_its_own_path(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.get(&s.jobs("/a/status"))
        .await
        .is(200)
        .like(json!({"kind": "Job", "metadata": {"name": "a"}, "spec": {"suspend": true}}));
}

async fn a_status_is_ignored_on_create(s: &Server) {
    let mut one = pod("a");
    one["status"] = json!({"phase": "Running", "podIP": "10.9.9.9"});
    s.post(&s.pods(""), one)
        .await
        .is(201)
        .like(json!({"status": {"phase": "Pending", "podIP": null, "qosClass": "BestEffort"}}));
    let mut job = idle_job("a");
    job["status"] = json!({"succeeded": 4});
    let made = s.post(&s.jobs(""), job).await;
    made.is(201).same(made.body.clone());
    made.like(json!({"status": {"succeeded": null}}));
}

async fn a_status_is_ignored_on_the_main_path(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    s.patch(
        &s.pods("/a"),
        MERGE,
        json!({"metadata": {"labels": {"x": "y"}}, "status": {"phase": "Failed"}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"labels": {"x": "y"}}, "status": {"phase": "Pending"}}));
}

async fn a_spec_is_ignored_on_the_status_path(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.until_job("suspended", "a", |job| {
        crate::objects::is_true(job, "Suspended")
    })
    .await;
    s.patch(
        &s.jobs("/a/status"),
        MERGE,
        json!({"spec": {"parallelism": 9, "suspend": false}, "status": {"active": 0}}),
    )
    .await
    .is(200)
    .like(json!({"spec": {"parallelism": 1, "suspend": true}, "metadata": {"generation": 1}}));
}

async fn a_put_of_a_status(s: &Server) {
    let made = s.post(&s.pods(""), pod("a")).await.ok();
    let bound = s
        .until_one("bound", &s.pods(""), "a", |p| {
            !p["spec"]["nodeName"].is_null()
        })
        .await;
    let mut put = made.body.clone();
    put["status"]["phase"] = json!("Running");
    s.put(&s.pods("/a/status"), put.clone())
        .await
        .is(409)
        .like(json!({"reason": "Conflict"}));
    put["metadata"]["resourceVersion"] = bound["metadata"]["resourceVersion"].clone();
    s.put(&s.pods("/a/status"), put)
        .await
        .is(200)
        .like(json!({"status": {"phase": "Running"}, "spec": {"nodeName": "*"}}));
}

async fn a_json_patch_of_a_status(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    s.patch(
        &s.pods("/a/status"),
        JSON_PATCH,
        json!([{"op": "replace", "path": "/status/phase", "value": "Running"}]),
    )
    .await
    .is(200)
    .like(json!({"status": {"phase": "Running"}}));
}

async fn metadata_on_the_status_path(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    let patch = json!({
        "metadata": {"labels": {"x": "y"}, "annotations": {"x": "y"}, "finalizers": ["test.io/a"]},
        "status": {"phase": "Running"},
    });
    s.patch(&s.pods("/a/status"), MERGE, patch)
        .await
        .is(200)
        .like(json!({"metadata": {"labels": {"x": "y"}, "annotations": {"x": "y"}, "finalizers": ["test.io/a"]}}));
}

async fn a_status_does_not_count_as_a_generation(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    s.patch(
        &s.pods("/a/status"),
        STRATEGIC,
        json!({"status": {"phase": "Running"}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"generation": 1}}));
}

async fn pods_are_bound(s: &Server) {
    let mut one = pod("a");
    // A scheduler that nobody runs leaves it to us.
    one["spec"]["schedulerName"] = json!("nobody");
    s.post(&s.pods(""), one).await.ok();
    let binding = |node: &str| {
        json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": "a"},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        })
    };
    let nodes = s.get("/api/v1/nodes?limit=1").await.ok().names();
    s.post(&s.pods("/a/binding"), binding(&nodes[0]))
        .await
        .is(201)
        .same(json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201,
        }));
    let bound = s.get(&s.pods("/a")).await;
    bound.like(json!({"spec": {"nodeName": nodes[0]}}));
    s.like(
        &crate::objects::condition(&bound.body, "PodScheduled"),
        json!({"status": "True"}),
    );
    s.post(&s.pods("/a/binding"), binding(&nodes[0])).await.fails(
        409,
        "Conflict",
        &format!(
            "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to node \
             \"{}\"",
            nodes[0]
        ),
        json!({"name": "a", "kind": "pods/binding"}),
    );
}

async fn logs_need_a_pod(s: &Server) {
    s.get(&s.pods("/gone/log")).await.fails(
        404,
        "NotFound",
        "pods \"gone\" not found",
        json!({"name": "gone", "kind": "pods"}),
    );
    let mut one = pod("a");
    one["spec"]["schedulerName"] = json!("nobody");
    one["spec"]["containers"] =
        json!([{"name": "main", "image": "x"}, {"name": "side", "image": "x"}]);
    s.post(&s.pods(""), one).await.ok();
    s.get(&s.pods("/a/log")).await.fails(
        400,
        "BadRequest",
        "a container name must be specified for pod a, choose one of: [main side]",
        Value::Null,
    );
    s.get(&s.pods("/a/log?container=none")).await.fails(
        400,
        "BadRequest",
        "container none is not valid for pod a",
        Value::Null,
    );
}

async fn a_pod_without_a_node_has_no_log(s: &Server) {
    let mut one = pod("a");
    one["spec"]["schedulerName"] = json!("nobody");
    s.post(&s.pods(""), one).await.ok();
    let reply = s.get(&s.pods("/a/log?container=main")).await;
    reply.is(204);
    s.equal("text", reply.text.as_str(), "");
}

async fn namespaces_are_finalized(s: &Server) {
    s.get(&format!("/api/v1/namespaces/{}", s.ns))
        .await
        .is(200)
        .like(json!({
            "metadata": {"labels": {"kubernetes.io/metadata.name": s.ns}},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        }));
    s.make_job(job("a", json!({})))
        .await
        .like(json!({"metadata": {"finalizers": null}}));
}
