//! A server under test, as one check sees it: a client and a namespace of the check's own.

use std::path::Path;
use std::rc::Rc;

use http::{Method, Request};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::{Value, json};

use crate::compare::Seen;
use crate::reply::Reply;

/// Media types of patches.
pub(crate) const MERGE: &str = "application/merge-patch+json";
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";
pub(crate) const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

const JSON: &str = "application/json";

pub(crate) struct Server {
    pub(crate) clients: Clients,
    pub(crate) ns: String,
    pub(crate) seen: Rc<Seen>,
}

/// Clients of one server.
#[derive(Clone)]
pub(crate) struct Clients {
    pub(crate) used: kube::Client,
    other: kube::Client,
}

impl Clients {
    /// Those of somebody with a token that the server does not know.
    pub(crate) fn stranger(&self) -> Self {
        Self {
            used: self.other.clone(),
            other: self.other.clone(),
        }
    }
}

/// Clients as the kubeconfig says.
pub(crate) async fn connect(kubeconfig: &Path) -> Clients {
    let client = async |token: Option<&str>| {
        let mut file = Kubeconfig::read_from(kubeconfig).unwrap();
        if let Some(token) = token {
            for auth in file
                .auth_infos
                .iter_mut()
                .filter_map(|a| a.auth_info.as_mut())
            {
                auth.token = Some(token.to_owned().into());
            }
        }
        let mut config = kube::Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
            .await
            .unwrap();
        // Checks want to see the answers that a patient client would hide.
        config.default_retry = false;
        kube::Client::try_from(config).unwrap()
    };
    Clients {
        used: client(None).await,
        other: client(Some("of-nobody")).await,
    }
}

fn namespace(number: usize) -> String {
    format!("conformance-{}-{number}", std::process::id())
}

impl Server {
    pub(crate) async fn new(clients: Clients, number: usize) -> Self {
        let ns = namespace(number);
        let server = Self {
            clients,
            ns,
            seen: Rc::default(),
        };
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": server.ns, "labels": {"kubectl-jobset.test/conformance": "true"},
        }});
        server.post("/api/v1/namespaces", body).await.ok();
        server
    }

    /// A collection of the core group in this namespace: `pods`; or an object: `pods/a`.
    pub(crate) fn core(&self, rest: &str) -> String {
        format!("/api/v1/namespaces/{}/{rest}", self.ns)
    }

    /// `""` for the collection, `"/a"` for an object.
    pub(crate) fn jobs(&self, rest: &str) -> String {
        format!("/apis/batch/v1/namespaces/{}/jobs{rest}", self.ns)
    }

    pub(crate) fn pods(&self, rest: &str) -> String {
        self.core(&format!("pods{rest}"))
    }

    pub(crate) fn maps(&self, rest: &str) -> String {
        self.core(&format!("configmaps{rest}"))
    }

    pub(crate) fn leases(&self, rest: &str) -> String {
        format!(
            "/apis/coordination.k8s.io/v1/namespaces/{}/leases{rest}",
            self.ns
        )
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path, &[], Value::Null).await
    }

    /// GET with an Accept header.
    pub(crate) async fn get_as(&self, path: &str, accept: &str) -> Reply {
        self.call(Method::GET, path, &[("accept", accept)], Value::Null)
            .await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.call(Method::POST, path, &[("content-type", JSON)], body)
            .await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Reply {
        self.call(Method::PUT, path, &[("content-type", JSON)], body)
            .await
    }

    pub(crate) async fn patch(&self, path: &str, media: &str, body: Value) -> Reply {
        self.call(Method::PATCH, path, &[("content-type", media)], body)
            .await
    }

    /// DELETE with options; null for none.
    pub(crate) async fn delete(&self, path: &str, mut options: Value) -> Reply {
        if options.is_object() {
            options["kind"] = json!("DeleteOptions");
            options["apiVersion"] = json!("v1");
        }
        self.call(Method::DELETE, path, &[("content-type", JSON)], options)
            .await
    }

    /// Any request. A body that is null is not sent, a string is sent as it is.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Value,
    ) -> Reply {
        let call = format!("{method} {path}");
        let bytes = match body {
            Value::Null => Vec::new(),
            Value::String(text) => text.into_bytes(),
            other => serde_json::to_vec(&other).unwrap(),
        };
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("accept-encoding", "identity");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(bytes)).unwrap();
        let response = self
            .clients
            .used
            .send(request)
            .await
            .unwrap_or_else(|e| panic!("{call}: {e:?}"));
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Reply {
            code: head.status.as_u16(),
            headers: head.headers,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            call,
            seen: self.seen.clone(),
        }
    }

    #[track_caller]
    pub(crate) fn like(&self, actual: &Value, expected: Value) {
        self.seen.like(actual, &expected);
    }

    #[track_caller]
    pub(crate) fn same(&self, actual: &Value, expected: Value) {
        self.seen.same(actual, &expected);
    }

    #[track_caller]
    pub(crate) fn holds(&self, what: &str, holds: bool) {
        self.seen.holds(what, holds);
    }

    #[track_caller]
    pub(crate) fn equal<T: PartialEq + std::fmt::Debug>(&self, what: &str, actual: T, expected: T) {
        self.seen.equal(what, actual, expected);
    }
}

/// A path with parameters, encoded.
pub(crate) fn query(path: &str, parameters: &[(&str, &str)]) -> String {
    let encoded = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    format!("{path}?{encoded}")
}
