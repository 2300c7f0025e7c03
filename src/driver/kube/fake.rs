//! A scripted API server for tests: answers come from a closure, calls are kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ::kube::client::Body;
use bytes::Bytes;
use futures::StreamExt as _;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use serde_json::{Value, json};

use crate::driver::kube::client::Connection;

/// A call as the server got it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Got {
    /// `POST`.
    pub(crate) method: String,
    /// Path.
    pub(crate) path: String,
    /// Query.
    pub(crate) query: BTreeMap<String, String>,
    /// Body, `null` for none.
    pub(crate) body: Value,
    /// `Accept`.
    pub(crate) accept: String,
}

impl Got {
    /// `POST jobs`, `GET jobs/a`, `WATCH pods`: the path from the plural on.
    pub(crate) fn short(&self) -> String {
        let path = match self.path.split_once("/namespaces/") {
            Some((_, rest)) => rest.split_once('/').map_or(rest, |(_, rest)| rest),
            None => self.path.rsplit('/').next().unwrap_or_default(),
        };
        let method = if self.query.contains_key("watch") {
            "WATCH"
        } else {
            &self.method
        };
        format!("{method} {path}")
    }
}

type Part = Result<Bytes, std::io::Error>;

/// An answer.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Code, headers, body.
    Json(u16, Vec<(&'static str, String)>, Value),
    /// Lines of a watch; the stream stays open after them if `open`.
    Lines { lines: Vec<Value>, open: bool },
    /// Text.
    Text(String),
    /// The connection breaks before an answer.
    Broken,
    /// No answer ever.
    Silence,
}

impl Reply {
    /// 200 with that body.
    pub(crate) fn ok(body: Value) -> Self {
        Self::Json(200, Vec::new(), body)
    }
    /// 201 with that body.
    pub(crate) fn created(body: Value) -> Self {
        Self::Json(201, Vec::new(), body)
    }
    /// A `Status`.
    pub(crate) fn status(code: u16, reason: &str) -> Self {
        let body = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure",
            "code": code, "reason": reason, "message": format!("{reason} it is"),
        });
        Self::Json(code, Vec::new(), body)
    }
    /// With a header.
    pub(crate) fn header(mut self, name: &'static str, value: impl ToString) -> Self {
        if let Self::Json(_, headers, _) = &mut self {
            headers.push((name, value.to_string()));
        }
        self
    }
}

/// Calls so far.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<Vec<Got>>>);

impl Calls {
    /// All.
    pub(crate) fn all(&self) -> Vec<Got> {
        self.0.lock().unwrap().clone()
    }
    /// In short.
    pub(crate) fn short(&self) -> Vec<String> {
        self.all().iter().map(Got::short).collect()
    }
}

/// A server that answers each call as `answer` says; the number counts from 0.
pub(crate) fn server(
    answer: impl Fn(usize, &Got) -> Reply + Send + Sync + 'static,
) -> (Connection, Calls) {
    let calls = Calls::default();
    let kept = calls.clone();
    let answer = Arc::new(answer);
    let service = tower::service_fn(move |request: Request<Body>| {
        let (kept, answer) = (kept.clone(), Arc::clone(&answer));
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            let query = head.uri.query().unwrap_or_default();
            let got = Got {
                method: head.method.to_string(),
                path: head.uri.path().to_owned(),
                query: form_urlencoded::parse(query.as_bytes())
                    .into_owned()
                    .collect(),
                body: serde_json::from_slice(&body).unwrap_or_default(),
                accept: head
                    .headers
                    .get("accept")
                    .and_then(|a| a.to_str().ok())
                    .unwrap_or_default()
                    .to_owned(),
            };
            let number = {
                let mut all = kept.0.lock().unwrap();
                all.push(got.clone());
                all.len() - 1
            };
            respond(answer(number, &got)).await
        }
    });
    let client = ::kube::Client::new(service, "ml");
    (Connection::with_client(client, "ml"), calls)
}

async fn respond(
    reply: Reply,
) -> Result<Response<UnsyncBoxBody<Bytes, std::io::Error>>, tower::BoxError> {
    let full = |text: String| {
        Full::new(Bytes::from(text))
            .map_err(|never| match never {})
            .boxed_unsync()
    };
    match reply {
        Reply::Json(code, headers, body) => {
            let mut response = Response::builder().status(code);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            Ok(response.body(full(body.to_string()))?)
        }
        Reply::Text(text) => Ok(Response::new(full(text))),
        Reply::Lines { lines, open } => {
            let text: Vec<Part> = lines
                .iter()
                .map(|line| Ok(Bytes::from(format!("{line}\n"))))
                .collect();
            let lines = futures::stream::iter(text);
            let body = if open {
                StreamBody::new(
                    lines
                        .chain(futures::stream::pending())
                        .map(|part| part.map(Frame::data)),
                )
                .boxed_unsync()
            } else {
                StreamBody::new(lines.map(|part| part.map(Frame::data))).boxed_unsync()
            };
            Ok(Response::new(body))
        }
        Reply::Broken => Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset).into()),
        Reply::Silence => std::future::pending().await,
    }
}
