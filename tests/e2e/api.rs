//! The API server as its administrator sees it, for tests to look and to meddle: raw paths and JSON, so
//! that nothing but a kubeconfig is needed.

use std::cell::RefCell;

use http::{Method, Request};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::Value;

use crate::cluster::cluster;

/// A refusal: code and `Status`.
pub(crate) type Refused = (u16, Value);

struct Caller {
    runtime: tokio::runtime::Runtime,
    client: kube::Client,
}

thread_local! {
    static CALLER: RefCell<Option<Caller>> = const { RefCell::new(None) };
}

/// A client for a kubeconfig; within a runtime.
pub(crate) async fn client(kubeconfig: &std::path::Path) -> kube::Client {
    let file = Kubeconfig::read_from(kubeconfig).unwrap();
    let mut config = kube::Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
        .await
        .unwrap();
    // Answers are wanted as they are.
    config.default_retry = false;
    // A watch may be silent for long.
    config.read_timeout = None;
    kube::Client::try_from(config).unwrap()
}

/// Calls as the administrator.
pub(crate) fn call(method: Method, path: &str, media: &str, body: &str) -> Result<Value, Refused> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", media)
        .body(Body::from(body.as_bytes().to_vec()))
        .unwrap();
    send(request)
}

/// The same, with all of a request.
pub(crate) fn send(request: Request<Body>) -> Result<Value, Refused> {
    CALLER.with_borrow_mut(|caller| {
        let Caller { runtime, client } = caller.get_or_insert_with(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let client = runtime.block_on(client(&cluster().admin));
            Caller { runtime, client }
        });
        runtime.block_on(async {
            let response = client.send(request).await.unwrap();
            let code = response.status().as_u16();
            let bytes = response.into_body().collect().await.unwrap().to_bytes();
            let value = serde_json::from_slice(&bytes).unwrap_or_default();
            if code < 400 {
                Ok(value)
            } else {
                Err((code, value))
            }
        })
    })
}

const JSON: &str = "application/json";

/// Path of the objects of a kind.
pub(crate) fn path(namespace: &str, plural: &str) -> String {
    let group = match plural {
        "jobs" => "apis/batch/v1",
        "leases" => "apis/coordination.k8s.io/v1",
        "roles" | "rolebindings" => "apis/rbac.authorization.k8s.io/v1",
        _ => "api/v1",
    };
    format!("/{group}/namespaces/{namespace}/{plural}")
}

/// Makes an object.
#[track_caller]
pub(crate) fn create(path: &str, object: &Value) -> Value {
    call(Method::POST, path, JSON, &object.to_string())
        .unwrap_or_else(|(code, status)| panic!("POST {path}: {code} {status}"))
}

/// Reads an object or a list; none: it is not there.
#[track_caller]
pub(crate) fn read(path: &str) -> Option<Value> {
    match call(Method::GET, path, JSON, "") {
        Ok(value) => Some(value),
        Err((404, _)) => None,
        Err((code, status)) => panic!("GET {path}: {code} {status}"),
    }
}

/// Changes an object by a merge patch.
#[track_caller]
pub(crate) fn merge(path: &str, patch: &Value) {
    let media = "application/merge-patch+json";
    if let Err((code, status)) = call(Method::PATCH, path, media, &patch.to_string()) {
        panic!("PATCH {path}: {code} {status}");
    }
}

/// Deletes an object.
pub(crate) fn delete(path: &str) -> Result<Value, Refused> {
    let body = r#"{"propagationPolicy":"Background"}"#;
    call(Method::DELETE, path, JSON, body)
}
