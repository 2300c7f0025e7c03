//! The front as a whole, without a network.

use bytes::Bytes;
use futures::StreamExt as _;
use http::Request;
use http_body_util::BodyExt as _;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, PostParams, WatchEvent, WatchParams};
use serde_json::{Value, json};

use crate::cluster::api::rights::ADMIN;
use crate::cluster::controllers::node::NodeShape;
use crate::cluster::front::handle::handle;
use crate::cluster::front::{InProcess, Reply, Shared};
use crate::cluster::world::{World, WorldOptions};
use crate::driver::clock;

const START: &str = "2026-12-01T10:00:00Z";

/// A world with a node, in virtual time, its clock running.
fn world() -> Shared {
    let start: Timestamp = START.parse().unwrap();
    clock::simulate(start);
    let mut world = World::new(WorldOptions::new(start, 1));
    world.add_node("node-0", NodeShape::default());
    let shared = Shared::new(world);
    tokio::spawn(shared.clone().pump());
    shared
}

fn ask(shared: &Shared, user: &str, line: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    handle(
        shared,
        user,
        &request.body(Bytes::from(body.to_owned())).unwrap(),
    )
}

async fn json_of(reply: Reply) -> Value {
    let bytes = reply.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

fn job(name: &str, annotations: Value) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {"template": {
            "metadata": {"annotations": annotations},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
        }},
    })
}

/// An hour of the cluster takes no time at all.
#[tokio::test(start_paused = true)]
async fn a_job_runs_to_its_end_in_virtual_time() {
    let shared = world();
    let client = kube::Client::new(InProcess::new(shared, ADMIN), "default");
    let jobs: Api<Job> = Api::default_namespaced(client);
    let made = job("j", json!({"kubectl-jobset.test/run-for": "3600"}));
    let made = serde_json::from_value(made).unwrap();
    let made = jobs.create(&PostParams::default(), &made).await.unwrap();
    let version = made.metadata.resource_version.unwrap();
    let params = WatchParams::default()
        .fields("metadata.name=j")
        .timeout(290);
    let mut version = version;
    'ended: loop {
        // Watches end before the Job does, as they do on a real server.
        let mut changes = Box::pin(jobs.watch(&params, &version).await.unwrap());
        while let Some(event) = changes.next().await {
            let WatchEvent::Modified(job) = event.unwrap() else {
                continue;
            };
            version = job.metadata.resource_version.unwrap();
            if job.status.and_then(|s| s.completion_time).is_some() {
                break 'ended;
            }
        }
    }
    let took = clock::now().duration_since(START.parse().unwrap());
    assert!((3600..3610).contains(&took.as_secs()), "{took}");
}

/// Each line at its time, the end with the container.
#[tokio::test(start_paused = true)]
async fn a_log_is_followed_to_its_end() {
    let shared = world();
    let notes = json!({
        "kubectl-jobset.test/run-for": "60", "kubectl-jobset.test/log": "a\nb\nc",
        "kubectl-jobset.test/log-every": "10",
    });
    let body = job("j", notes).to_string();
    let line = "POST /apis/batch/v1/namespaces/default/jobs";
    assert_eq!(ask(&shared, ADMIN, line, &[], &body).status(), 201);
    clock::sleep(k8s_openapi::jiff::SignedDuration::from_secs(5)).await;
    let pods = ask(
        &shared,
        ADMIN,
        "GET /api/v1/namespaces/default/pods",
        &[],
        "",
    );
    let pods = json_of(pods).await;
    let name = pods["items"][0]["metadata"]["name"].as_str().unwrap();
    let path = format!("GET /api/v1/namespaces/default/pods/{name}/log?follow=true");
    let reply = ask(&shared, ADMIN, &path, &[], "");
    assert_eq!(reply.status(), 200);
    let bytes = reply.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(bytes, "a\nb\nc\n");
    let tail = path.replace("follow=true", "tailLines=1&limitBytes=1");
    let reply = ask(&shared, ADMIN, &tail, &[], "");
    assert_eq!(reply.into_body().collect().await.unwrap().to_bytes(), "c");
}

#[tokio::test(start_paused = true)]
async fn forms_and_headers() {
    let shared = world();
    let table = (
        "accept",
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    );
    let nodes = ask(&shared, ADMIN, "GET /api/v1/nodes", &[table], "");
    assert_eq!(nodes.headers()["date"], "Tue, 01 Dec 2026 10:00:00 GMT");
    let nodes = json_of(nodes).await;
    assert_eq!(nodes["kind"], "Table");
    assert_eq!(nodes["columnDefinitions"][0]["name"], "Name");
    assert_eq!(nodes["rows"][0]["cells"][0], "node-0");
    assert_eq!(nodes["rows"][0]["object"]["kind"], "PartialObjectMetadata");

    let plain = json_of(ask(&shared, ADMIN, "GET /api/v1/nodes", &[], "")).await;
    assert_eq!(plain["kind"], "NodeList");
    // Items of lists don't say what they are.
    assert_eq!(plain["items"][0]["kind"], Value::Null);

    let metadata = (
        "accept",
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    );
    let node = ask(&shared, ADMIN, "GET /api/v1/nodes/node-0", &[metadata], "");
    let node = json_of(node).await;
    assert_eq!(node["metadata"]["name"], "node-0");
    assert_eq!(node["status"], Value::Null);

    let map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"dataa":{}}"#;
    let maps = "POST /api/v1/namespaces/default/configmaps";
    let made = ask(&shared, ADMIN, maps, &[], map);
    assert_eq!(made.status(), 201);
    assert_eq!(
        made.headers()["warning"],
        "299 - \"unknown field \\\"dataa\\\"\""
    );

    let aggregated = (
        "accept",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
    );
    let groups = ask(&shared, ADMIN, "GET /apis", &[aggregated], "");
    let kind = groups.headers()["content-type"].to_str().unwrap();
    assert!(kind.contains("as=APIGroupDiscoveryList"), "{kind}");
    let nothing = ask(&shared, ADMIN, "GET /apis/apps/v1/deployments", &[], "");
    assert_eq!(nothing.status(), 404);
}

#[tokio::test(start_paused = true)]
async fn who_may_not_is_told_what() {
    let shared = world();
    for (line, verb, resource) in [
        ("GET /api/v1/namespaces/default/pods", "list", "pods"),
        (
            "GET /api/v1/namespaces/default/pods?watch=1",
            "watch",
            "pods",
        ),
        (
            "GET /api/v1/namespaces/default/pods/p/log",
            "get",
            "pods/log",
        ),
        ("DELETE /api/v1/namespaces/default/pods/p", "delete", "pods"),
    ] {
        let reply = ask(&shared, "ada", line, &[], "");
        assert_eq!(reply.status(), 403, "{line}");
        let status = json_of(reply).await;
        let message = status["message"].as_str().unwrap();
        let wanted =
            format!("User \"ada\" cannot {verb} resource \"{resource}\" in API group \"\"");
        assert!(message.contains(&wanted), "{message}");
    }
    // Everybody may ask about themselves.
    let review = json!({"spec": {"resourceAttributes": {"verb": "list", "resource": "pods", "namespace": "default"}}});
    let line = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    for (user, allowed) in [("ada", false), (ADMIN, true)] {
        let reply = ask(&shared, user, line, &[], &review.to_string());
        assert_eq!(reply.status(), 201);
        assert_eq!(json_of(reply).await["status"]["allowed"], allowed);
    }
}
