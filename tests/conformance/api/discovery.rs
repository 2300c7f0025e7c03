//! What a server says that it has. Only what a client of Jobs asks for.

use serde_json::{Value, json};

use crate::server::Server;

checks![
    version,
    groups,
    one_group,
    resources_of_core,
    resources_of_batch,
    resources_of_coordination,
    aggregated_groups,
    aggregated_core,
    healthy,
    open_api,
];

async fn version(s: &Server) {
    let reply = s.get("/version").await;
    reply.is(200).like(json!({
        "major": "1",
        "minor": "*",
        "gitVersion": "*",
        "gitCommit": "*",
        "gitTreeState": "*",
        "buildDate": "*",
        "goVersion": "*",
        "compiler": "*",
        "platform": "*",
    }));
    s.holds(&reply.text, reply.at("/gitVersion").starts_with("v1."));
}

async fn groups(s: &Server) {
    s.get("/api").await.is(200).like(json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "*"}],
    }));
    let reply = s.get("/apis").await;
    reply
        .is(200)
        .like(json!({"kind": "APIGroupList", "apiVersion": "v1"}));
    for (group, version) in [
        ("batch", "v1"),
        ("coordination.k8s.io", "v1"),
        ("authorization.k8s.io", "v1"),
    ] {
        let found = named(&reply.body["groups"], group);
        s.like(
            &found,
            json!({
                "versions": [{"groupVersion": format!("{group}/{version}"), "version": version}],
                "preferredVersion": {
                    "groupVersion": format!("{group}/{version}"),
                    "version": version,
                },
            }),
        );
    }
}

fn named(list: &Value, name: &str) -> Value {
    list.as_array()
        .into_iter()
        .flatten()
        .find(|one| one["name"] == name)
        .cloned()
        .unwrap_or(Value::Null)
}

async fn one_group(s: &Server) {
    s.get("/apis/batch").await.is(200).same(json!({
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "batch",
        "versions": [{"groupVersion": "batch/v1", "version": "v1"}],
        "preferredVersion": {"groupVersion": "batch/v1", "version": "v1"},
    }));
}

/// name, singular, namespaced, kind, short name, verbs.
async fn resources(s: &Server, path: &str, version: &str, all: &[(&str, &str, bool, &str, &str)]) {
    let reply = s.get(path).await;
    reply
        .is(200)
        .like(json!({"kind": "APIResourceList", "groupVersion": version}));
    for (name, singular, namespaced, kind, short) in all {
        let found = named(&reply.body["resources"], name);
        s.like(
            &found,
            json!({
                "name": name,
                "singularName": singular,
                "namespaced": namespaced,
                "kind": kind,
                "shortNames": if short.is_empty() { Value::Null } else { json!([short]) },
            }),
        );
        let verbs: Vec<&str> = found["verbs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let expected = if name.ends_with("/status") {
            "get patch update"
        } else if name.ends_with("/log") {
            "get"
        } else {
            "create delete deletecollection get list patch update watch"
        };
        s.equal(name, verbs.join(" "), expected.to_owned());
    }
}

async fn resources_of_core(s: &Server) {
    resources(
        s,
        "/api/v1",
        "v1",
        &[
            ("pods", "pod", true, "Pod", "po"),
            ("pods/status", "", true, "Pod", ""),
            ("pods/log", "", true, "Pod", ""),
            ("configmaps", "configmap", true, "ConfigMap", "cm"),
            ("events", "event", true, "Event", "ev"),
            ("services", "service", true, "Service", "svc"),
            ("nodes", "node", false, "Node", "no"),
            (
                "persistentvolumeclaims",
                "persistentvolumeclaim",
                true,
                "PersistentVolumeClaim",
                "pvc",
            ),
            (
                "resourcequotas",
                "resourcequota",
                true,
                "ResourceQuota",
                "quota",
            ),
        ],
    )
    .await;
}

async fn resources_of_batch(s: &Server) {
    resources(
        s,
        "/apis/batch/v1",
        "batch/v1",
        &[
            ("jobs", "job", true, "Job", ""),
            ("jobs/status", "", true, "Job", ""),
        ],
    )
    .await;
    let reply = s.get("/apis/batch/v1").await;
    s.like(
        &named(&reply.body["resources"], "jobs"),
        json!({"categories": ["all"]}),
    );
}

async fn resources_of_coordination(s: &Server) {
    resources(
        s,
        "/apis/coordination.k8s.io/v1",
        "coordination.k8s.io/v1",
        &[("leases", "lease", true, "Lease", "")],
    )
    .await;
}

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn group(body: &Value, name: &str) -> Value {
    body["items"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|g| g["metadata"]["name"].as_str().unwrap_or_default() == name)
        .cloned()
        .unwrap_or(Value::Null)
}

fn resource(group: &Value, name: &str) -> Value {
    group["versions"][0]["resources"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|r| r["resource"] == name)
        .cloned()
        .unwrap_or(Value::Null)
}

async fn aggregated_groups(s: &Server) {
    let reply = s.get_as("/apis", AGGREGATED).await;
    reply.is(200).like(json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
    }));
    s.equal("type", reply.header("content-type"), AGGREGATED);
    let batch = group(&reply.body, "batch");
    s.like(
        &batch["versions"][0],
        json!({"version": "v1", "freshness": "Current"}),
    );
    s.like(
        &resource(&batch, "jobs"),
        json!({
            "resource": "jobs",
            "responseKind": {"group": "", "version": "", "kind": "Job"},
            "scope": "Namespaced",
            "singularResource": "job",
            "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            "categories": ["all"],
            "subresources": [{
                "subresource": "status",
                "responseKind": {"group": "", "version": "", "kind": "Job"},
                "verbs": ["get", "patch", "update"],
            }],
        }),
    );
}

async fn aggregated_core(s: &Server) {
    let reply = s.get_as("/api", AGGREGATED).await;
    let core = group(&reply.body, "");
    s.like(
        &resource(&core, "nodes"),
        json!({"scope": "Cluster", "singularResource": "node", "shortNames": ["no"]}),
    );
    s.like(
        &resource(&core, "pods"),
        json!({"scope": "Namespaced", "singularResource": "pod", "shortNames": ["po"]}),
    );
    // A client that takes either gets the whole at once.
    let both = format!("{AGGREGATED},application/json");
    s.get_as("/api", &both)
        .await
        .is(200)
        .like(json!({"kind": "APIGroupDiscoveryList"}));
}

async fn healthy(s: &Server) {
    for path in ["/healthz", "/livez", "/readyz"] {
        let reply = s.get(path).await;
        reply.is(200);
        s.equal(path, reply.text.as_str(), "ok");
        s.equal(
            "type",
            reply.header("content-type"),
            "text/plain; charset=utf-8",
        );
    }
}

async fn open_api(s: &Server) {
    let reply = s.get("/openapi/v3").await;
    reply.is(200);
    for path in ["api/v1", "apis/batch/v1"] {
        let url = reply.body["paths"][path]["serverRelativeURL"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        s.holds(path, url.starts_with("/openapi/v3/"));
        let document = s.get(&url).await;
        document
            .is(200)
            .like(json!({"openapi": "*", "components": {"schemas": "*"}}));
    }
}
