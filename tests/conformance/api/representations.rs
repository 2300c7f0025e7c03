//! The same object in other clothes: metadata only, and tables.

use http::Method;
use serde_json::{Value, json};

use crate::objects::{config_map, idle_job, lease, pod};
use crate::server::{MERGE, Server, query};

checks![
    metadata_of_one,
    metadata_of_a_list,
    metadata_of_one_are_not_those_of_many,
    metadata_in_a_watch,
    metadata_of_a_patch,
    a_table_of_one,
    a_table_of_jobs,
    a_table_of_pods,
    a_table_of_config_maps,
    a_table_of_nothing,
    a_table_with_whole_objects,
    a_table_without_objects,
    tables_in_a_watch,
    kubectl_asks_for_either,
];

const PARTIAL: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const PARTIAL_LIST: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

async fn metadata_of_one(s: &Server) {
    let made = s.make_job(idle_job("a")).await;
    let reply = s.get_as(&s.jobs("/a"), PARTIAL).await;
    reply.is(200).like(json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"name": "a", "uid": made.at("/metadata/uid"), "labels": made.body["metadata"]["labels"]},
        "spec": null,
        "status": null,
    }));
    s.equal("type", reply.header("content-type"), "application/json");
}

async fn metadata_of_a_list(s: &Server) {
    s.post(&s.leases(""), lease("a")).await.ok();
    s.get_as(&s.leases(""), PARTIAL_LIST)
        .await
        .is(200)
        .like(json!({
            "kind": "PartialObjectMetadataList",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": {"resourceVersion": "*"},
            "items": [{
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": {"name": "a", "uid": "*"},
                "spec": null,
            }],
        }));
}

async fn metadata_of_one_are_not_those_of_many(s: &Server) {
    s.get_as(&s.leases(""), PARTIAL).await.is(406);
}

async fn metadata_in_a_watch(s: &Server) {
    s.post(&s.leases(""), lease("a")).await.ok();
    let path = query(&s.leases(""), &[("watch", "1"), ("timeoutSeconds", "1")]);
    let reply = s.get_as(&path, PARTIAL).await;
    reply.is(200);
    let event: Value = serde_json::from_str(reply.text.lines().next().unwrap()).unwrap();
    s.like(
        &event,
        json!({"type": "ADDED", "object": {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": {"name": "a"},
            "spec": null,
        }}),
    );
}

async fn metadata_of_a_patch(s: &Server) {
    s.post(&s.leases(""), lease("a")).await.ok();
    s.call(
        Method::PATCH,
        &s.leases("/a"),
        &[("content-type", MERGE), ("accept", PARTIAL)],
        json!({"metadata": {"labels": {"a": "b"}}}),
    )
    .await
    .is(200)
    .like(json!({
        "kind": "PartialObjectMetadata",
        "metadata": {"labels": {"a": "b"}},
        "spec": null,
    }));
}

fn columns(table: &Value) -> Vec<String> {
    table["columnDefinitions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|c| {
            format!(
                "{}:{}:{}",
                c["name"].as_str().unwrap(),
                c["type"].as_str().unwrap(),
                c["priority"]
            )
        })
        .collect()
}

async fn a_table_of_one(s: &Server) {
    s.make_job(idle_job("a")).await;
    let reply = s.get_as(&s.jobs("/a"), TABLE).await;
    reply.is(200).like(json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "*"},
        "rows": [{"object": {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": {"name": "a"},
        }}],
    }));
}

async fn a_table_of_jobs(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.until_job("suspended", "a", |job| {
        crate::objects::is_true(job, "Suspended")
    })
    .await;
    let reply = s.get_as(&s.jobs(""), TABLE).await;
    s.equal(
        "columns",
        columns(&reply.body).join(" "),
        "Name:string:0 Status:string:0 Completions:string:0 Duration:string:0 Age:string:0 \
         Containers:string:1 Images:string:1 Selector:string:1"
            .to_owned(),
    );
    reply.like(json!({"rows": [{"cells": [
        "a", "Suspended", "0/1", "", "*", "main", "test.local/busybox:1", "*",
    ]}]}));
}

async fn a_table_of_pods(s: &Server) {
    s.post(&s.pods(""), pod("a")).await.ok();
    s.until_one("bound", &s.pods(""), "a", |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await;
    s.runs("a", true).await;
    let reply = s.get_as(&s.pods(""), TABLE).await;
    s.equal(
        "columns",
        columns(&reply.body).join(" "),
        "Name:string:0 Ready:string:0 Status:string:0 Restarts:string:0 Age:string:0 IP:string:1 \
         Node:string:1 Nominated Node:string:1 Readiness Gates:string:1"
            .to_owned(),
    );
    reply.like(json!({"rows": [{"cells": [
        "a", "1/1", "Running", "0", "*", "<none>", "*", "<none>", "<none>",
    ]}]}));
    s.exits("a", 3).await;
    s.get_as(&s.pods(""), TABLE)
        .await
        .like(json!({"rows": [{"cells": ["a", "0/1", "Error", "0", "*", "*", "*", "*", "*"]}]}));
}

async fn a_table_of_config_maps(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({"k": "1", "l": "2"})))
        .await
        .ok();
    let reply = s.get_as(&s.maps("/a"), TABLE).await;
    s.equal(
        "columns",
        columns(&reply.body).join(" "),
        "Name:string:0 Data:string:0 Age:string:0".to_owned(),
    );
    reply.like(json!({"rows": [{"cells": ["a", 2, "*"]}]}));
}

async fn a_table_of_nothing(s: &Server) {
    s.get_as(&s.jobs(""), TABLE)
        .await
        .is(200)
        .like(json!({"kind": "Table", "rows": []}));
}

async fn a_table_with_whole_objects(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.get_as(&s.jobs("?includeObject=Object"), TABLE)
        .await
        .is(200)
        .like(json!({"rows": [{"object": {"kind": "Job", "spec": {"suspend": true}}}]}));
}

async fn a_table_without_objects(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.get_as(&s.jobs("?includeObject=None"), TABLE)
        .await
        .is(200)
        .like(json!({"rows": [{"object": null, "cells": "*"}]}));
}

async fn tables_in_a_watch(s: &Server) {
    for name in ["a", "b"] {
        s.make_job(idle_job(name)).await;
    }
    let path = query(&s.jobs(""), &[("watch", "1"), ("timeoutSeconds", "1")]);
    let reply = s.get_as(&path, TABLE).await;
    let events: Vec<Value> = reply
        .text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    s.holds(&reply.text, events.len() >= 2);
    // Only the first one has the columns.
    s.like(
        &events[0],
        json!({"type": "ADDED", "object": {"kind": "Table", "columnDefinitions": "*", "rows": [{"cells": "*"}]}}),
    );
    s.like(
        &events[1],
        json!({"type": "ADDED", "object": {"kind": "Table", "columnDefinitions": null, "rows": [{"cells": "*"}]}}),
    );
}

async fn kubectl_asks_for_either(s: &Server) {
    s.make_job(idle_job("a")).await;
    let accept =
        format!("{TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json");
    s.get_as(&s.jobs(""), &accept)
        .await
        .is(200)
        .like(json!({"kind": "Table"}));
    // What has no table comes as it is.
    s.get_as("/version", &accept)
        .await
        .is(200)
        .like(json!({"major": "*"}));
}
