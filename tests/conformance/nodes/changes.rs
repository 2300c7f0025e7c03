//! Nodes that come, change and go. Each has a taint that keeps the pods of other checks away.

use serde_json::{Value, json};

use crate::objects::{condition, is_true, pod};
use crate::reply::text;
use crate::server::{STRATEGIC, Server};

checks![
    a_node_with_a_device,
    a_cordoned_node,
    a_tainted_node,
    a_node_that_is_full
];

const TAINT: &str = "test.io/conformance";

/// A node of this check's own that is ready, with these resources besides.
async fn node(s: &Server, resources: Value) -> String {
    let name = format!("node-of-{}", s.ns);
    let body = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name},
            "annotations": {"kubectl-jobset.test/kubelet-port": "1"},
        },
        "spec": {"taints": [{"key": TAINT, "effect": "NoSchedule"}]},
    });
    s.post("/api/v1/nodes", body).await.ok();
    let mut all = json!({"cpu": "4", "memory": "8Gi", "pods": "10"});
    crate::objects::merge(&mut all, &resources);
    let status = json!({"status": {
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        "capacity": all,
        "allocatable": all,
    }});
    let path = format!("/api/v1/nodes/{name}/status");
    s.patch(&path, STRATEGIC, status.clone()).await.ok();
    s.until_one("free", "/api/v1/nodes", &name, |n| {
        is_true(n, "Ready") && n["spec"]["taints"].as_array().is_some_and(|t| t.len() == 1)
    })
    .await;
    // Where somebody plays all kubelets, he may have written figures of his own; ours are the last.
    s.patch(&path, STRATEGIC, status).await.ok();
    name
}

async fn away(s: &Server, node: &str) {
    s.delete(&format!("/api/v1/nodes/{node}"), Value::Null)
        .await
        .is(200);
}

/// A pod that only fits on a node of ours.
fn on(node: &str, name: &str, requests: Value) -> Value {
    let mut one = pod(name);
    one["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": node});
    one["spec"]["tolerations"] = json!([{"key": TAINT, "operator": "Exists"}]);
    one["spec"]["containers"][0]["resources"] = json!({"requests": requests, "limits": requests});
    one
}

async fn bound(s: &Server, pod: &str) -> Value {
    s.until_one("bound", &s.pods(""), pod, |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await
}

async fn refused(s: &Server, pod: &str) -> String {
    let found = s
        .until_one("looked at", &s.pods(""), pod, |p| {
            condition(p, "PodScheduled")["status"] == "False"
        })
        .await;
    text(&condition(&found, "PodScheduled"), "/message")
}

async fn a_node_with_a_device(s: &Server) {
    let node = node(s, json!({"test.io/gpu": "2"})).await;
    let gpu = json!({"test.io/gpu": "1"});
    for name in ["a", "b"] {
        s.post(&s.pods(""), on(&node, name, gpu.clone())).await.ok();
        s.like(&bound(s, name).await, json!({"spec": {"nodeName": node}}));
    }
    s.post(&s.pods(""), on(&node, "c", gpu)).await.ok();
    let message = refused(s, "c").await;
    s.holds(&message, message.contains(": 1 Insufficient test.io/gpu, "));
    s.holds(
        &message,
        message.contains(" node(s) didn't match Pod's node affinity/selector. "),
    );
    // What ends gives it back.
    s.succeeds("a").await;
    bound(s, "c").await;
    away(s, &node).await;
}

async fn a_cordoned_node(s: &Server) {
    let node = node(s, json!({})).await;
    s.change(
        &format!("/api/v1/nodes/{node}"),
        json!({"spec": {"unschedulable": true}}),
    )
    .await;
    s.post(&s.pods(""), on(&node, "a", json!({"cpu": "1"})))
        .await
        .ok();
    let message = refused(s, "a").await;
    s.holds(&message, message.contains("1 node(s) were unschedulable"));
    s.change(
        &format!("/api/v1/nodes/{node}"),
        json!({"spec": {"unschedulable": null}}),
    )
    .await;
    bound(s, "a").await;
    away(s, &node).await;
}

async fn a_tainted_node(s: &Server) {
    let node = node(s, json!({})).await;
    let mut one = on(&node, "a", json!({"cpu": "1"}));
    one["spec"]["tolerations"] = json!([]);
    s.post(&s.pods(""), one).await.ok();
    let message = refused(s, "a").await;
    s.holds(
        &message,
        message.contains("1 node(s) had untolerated taint(s)"),
    );
    s.change(
        &format!("/api/v1/nodes/{node}"),
        json!({"spec": {"taints": null}}),
    )
    .await;
    bound(s, "a").await;
    away(s, &node).await;
}

async fn a_node_that_is_full(s: &Server) {
    let node = node(s, json!({"pods": "1"})).await;
    s.post(&s.pods(""), on(&node, "a", json!({"cpu": "1"})))
        .await
        .ok();
    bound(s, "a").await;
    s.post(&s.pods(""), on(&node, "b", json!({"cpu": "1"})))
        .await
        .ok();
    let message = refused(s, "b").await;
    s.holds(&message, message.contains("1 Too many pods"));
    s.delete(&s.pods("/a"), json!({"gracePeriodSeconds": 0}))
        .await
        .is(200);
    bound(s, "b").await;
    away(s, &node).await;
}
