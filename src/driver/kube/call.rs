//! One call to the API: built, sent, timed, sorted. JSON goes out as it was built and comes back as
//! bytes, so that each caller decodes no more than it needs.

use std::sync::Arc;

use ::kube::client::Body;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::driver::clock::{self, Instant};
use crate::driver::kube::client::{CallDone, Connection, FIELD_MANAGER};
use crate::driver::kube::error::{Asked, Failure, Trouble};
use crate::driver::kube::resource::Resource;
use crate::driver::kube::retry::Backoff;

const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";
/// Answers with metadata only: all that is needed to know who owns an object.
const METADATA_ONLY: &str =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const METADATA_LIST: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// A call, ready to be sent any number of times.
#[derive(Clone, Debug)]
pub struct Call {
    method: Method,
    asked: Arc<Asked>,
    query: Vec<(&'static str, String)>,
    body: Vec<u8>,
    content_type: &'static str,
    accept: &'static str,
}

/// A 2xx answer.
#[derive(Debug)]
pub struct Answer {
    /// Body.
    pub body: Vec<u8>,
    asked: Arc<Asked>,
}

impl Answer {
    /// Reads the body as JSON.
    ///
    /// # Errors
    ///
    /// [`Trouble::Garbled`] if it isn't what was expected.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_slice(&self.body).map_err(|error| {
            Failure::without_answer(Trouble::Garbled, error.to_string(), &self.asked)
        })
    }
}

impl Call {
    fn new(
        method: Method,
        verb: &'static str,
        resource: Resource,
        namespace: Option<&str>,
        name: Option<&str>,
    ) -> Self {
        Self {
            method,
            asked: Arc::new(Asked {
                verb,
                resource,
                namespace: namespace.map(str::to_owned),
                name: name.map(str::to_owned),
            }),
            query: Vec::new(),
            body: Vec::new(),
            content_type: JSON,
            accept: JSON,
        }
    }

    /// Reads an object.
    #[must_use]
    pub fn get(resource: Resource, namespace: &str, name: &str) -> Self {
        Self::new(Method::GET, "get", resource, Some(namespace), Some(name))
    }

    /// Reads something that is in no namespace and has no name (a version, a group).
    #[must_use]
    pub fn read(resource: Resource) -> Self {
        Self::new(Method::GET, "get", resource, None, None)
    }

    /// Lists; without a namespace: all of them.
    #[must_use]
    pub fn list(resource: Resource, namespace: Option<&str>) -> Self {
        Self::new(Method::GET, "list", resource, namespace, None)
    }

    /// Watches.
    #[must_use]
    pub fn watch(resource: Resource, namespace: Option<&str>) -> Self {
        Self::new(Method::GET, "watch", resource, namespace, None).query("watch", "true")
    }

    /// Creates an object; `name` is for messages.
    #[must_use]
    pub fn create(
        resource: Resource,
        namespace: Option<&str>,
        name: Option<&str>,
        body: &impl Serialize,
    ) -> Self {
        let mut call = Self::new(Method::POST, "create", resource, namespace, name).body(body);
        call.query.push(("fieldManager", FIELD_MANAGER.to_owned()));
        call
    }

    /// Merge patch.
    #[must_use]
    pub fn patch(resource: Resource, namespace: &str, name: &str, body: &impl Serialize) -> Self {
        let mut call = Self::new(
            Method::PATCH,
            "patch",
            resource,
            Some(namespace),
            Some(name),
        )
        .body(body);
        call.content_type = MERGE_PATCH;
        call.query.push(("fieldManager", FIELD_MANAGER.to_owned()));
        call
    }

    /// Deletes an object.
    #[must_use]
    pub fn delete(resource: Resource, namespace: &str, name: &str, body: &impl Serialize) -> Self {
        Self::new(
            Method::DELETE,
            "delete",
            resource,
            Some(namespace),
            Some(name),
        )
        .body(body)
    }

    fn body(mut self, body: &impl Serialize) -> Self {
        // Only maps with keys that are no strings can't be written as JSON; there are none.
        self.body = serde_json::to_vec(body).unwrap_or_default();
        self
    }

    /// Adds a query parameter.
    #[must_use]
    pub fn query(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.query.push((key, value.into()));
        self
    }

    /// Asks for metadata only.
    #[must_use]
    pub fn metadata_only(mut self) -> Self {
        self.accept = if self.asked.verb == "list" {
            METADATA_LIST
        } else {
            METADATA_ONLY
        };
        self
    }

    /// Takes any type of answer (logs are text).
    #[must_use]
    pub fn any_answer(mut self) -> Self {
        self.accept = "*/*";
        self
    }

    /// What it asks.
    #[must_use]
    pub fn asked(&self) -> &Arc<Asked> {
        &self.asked
    }

    /// Path and query.
    #[must_use]
    pub fn uri(&self) -> String {
        // A POST names the object in its body.
        let name = self
            .asked
            .name
            .as_deref()
            .filter(|_| self.method != Method::POST);
        let path = self
            .asked
            .resource
            .path(self.asked.namespace.as_deref(), name);
        if self.query.is_empty() {
            return path;
        }
        let start = path.len() + 1;
        form_urlencoded::Serializer::for_suffix(path + "?", start)
            .extend_pairs(&self.query)
            .finish()
    }

    fn request(&self, streaming: bool) -> Result<Request<Body>, Failure> {
        let mut request = Request::builder()
            .method(self.method.clone())
            .uri(self.uri())
            .header(ACCEPT, self.accept);
        if !self.body.is_empty() {
            request = request.header(CONTENT_TYPE, self.content_type);
        }
        if streaming {
            // A compressed stream would be cut into members that the client can't read on (and
            // delayed until a block is full).
            request = request.header(ACCEPT_ENCODING, "identity");
        }
        request
            .body(Body::from(self.body.clone()))
            .map_err(|error| {
                Failure::without_answer(Trouble::Refused, error.to_string(), &self.asked)
            })
    }
}

async fn begin(
    client: &::kube::Client,
    call: &Call,
    streaming: bool,
) -> Result<(http::response::Parts, Body), Failure> {
    let response = client
        .send(call.request(streaming)?)
        .await
        .map_err(|error| Failure::from_client(&error, &call.asked))?;
    Ok(response.into_parts())
}

async fn collect(body: Body, call: &Call) -> Result<Vec<u8>, Failure> {
    let bytes = body
        .collect()
        .await
        .map_err(|error| Failure::from_client(&error, &call.asked))?;
    Ok(Vec::from(bytes.to_bytes()))
}

impl Connection {
    /// Sends a call once (twice after a 401, with renewed credentials: a 401 is a call not carried
    /// out). No other repetition.
    ///
    /// # Errors
    ///
    /// Anything but a 2xx.
    pub async fn send_once(&self, call: &Call) -> Result<Answer, Failure> {
        let (result, generation) = self.exchange(call).await;
        match self.login(result, generation).await? {
            Some(answer) => Ok(answer),
            None => self.exchange(call).await.0,
        }
    }

    /// What a call gave; `None`: we were not logged in, and are now.
    async fn login<T>(
        &self,
        result: Result<T, Failure>,
        generation: u64,
    ) -> Result<Option<T>, Failure> {
        match result {
            Ok(given) => Ok(Some(given)),
            Err(mut failure) if failure.trouble == Trouble::Unauthorized => {
                match self.renew(generation).await {
                    Ok(()) => Ok(None),
                    Err(why) => {
                        failure.message = format!("{} ({why})", failure.message);
                        Err(failure)
                    }
                }
            }
            Err(failure) => {
                if failure.trouble == Trouble::Timeout {
                    self.leave_connections_of(generation);
                }
                Err(failure)
            }
        }
    }

    /// Sends a call that may be repeated safely (anything but a create), and repeats it as
    /// [`Connection::patient`] says while the trouble may pass.
    ///
    /// # Errors
    ///
    /// Anything but a 2xx, when patience ends or asking again makes no sense.
    pub async fn send(&self, call: &Call) -> Result<Answer, Failure> {
        let mut backoff = Backoff::new(self.patience);
        loop {
            match self.send_once(call).await {
                Err(failure) if self.again(&mut backoff, failure.trouble, &failure).await => {}
                result => return result,
            }
        }
    }

    /// Waits before a call that failed is sent again; false: give up. When that goes on for long, the
    /// failure becomes a warning, unless there is no contact at all, which is told elsewhere.
    pub(crate) async fn again(
        &self,
        backoff: &mut Backoff,
        trouble: Trouble,
        failure: &Failure,
    ) -> bool {
        if trouble.passes() && !self.shared.contact.is_lost() && backoff.tell() {
            self.warn(format!("no success yet, still trying: {failure}"));
        }
        backoff.wait(trouble).await
    }

    /// Opens a stream (a watch, a log): one try. The time limit covers the headers only.
    ///
    /// # Errors
    ///
    /// Anything but a 2xx.
    pub async fn open(&self, call: &Call) -> Result<Body, Failure> {
        let (result, generation) = self.open_once(call).await;
        match self.login(result, generation).await? {
            Some(body) => Ok(body),
            None => self.open_once(call).await.0,
        }
    }

    async fn exchange(&self, call: &Call) -> (Result<Answer, Failure>, u64) {
        let current = self.ready().await;
        let start = clock::instant();
        let outcome = self
            .limited(call, async {
                let (head, body) = begin(&current.client, call, false).await?;
                Ok((
                    head.status.as_u16(),
                    head.headers,
                    collect(body, call).await?,
                ))
            })
            .await;
        (self.judge(call, start, outcome), current.generation)
    }

    async fn open_once(&self, call: &Call) -> (Result<Body, Failure>, u64) {
        let current = self.ready().await;
        let start = clock::instant();
        let mut stream = Body::empty();
        let outcome = self
            .limited(call, async {
                let (head, body) = begin(&current.client, call, true).await?;
                let mut text = Vec::new();
                if head.status.is_success() {
                    stream = body;
                } else {
                    text = collect(body, call).await?;
                }
                Ok((head.status.as_u16(), head.headers, text))
            })
            .await;
        (
            self.judge(call, start, outcome).map(|_| stream),
            current.generation,
        )
    }

    async fn limited<T>(
        &self,
        call: &Call,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let Some(limit) = self.shared.timeout else {
            return work.await;
        };
        tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
            let message = format!("no answer within {limit:?}");
            Err(Failure::without_answer(
                Trouble::Timeout,
                message,
                &call.asked,
            ))
        })
    }

    /// Logs, notes headers and contact, sorts.
    fn judge(
        &self,
        call: &Call,
        start: Instant,
        outcome: Result<(u16, HeaderMap, Vec<u8>), Failure>,
    ) -> Result<Answer, Failure> {
        if let Some(log) = &self.shared.log {
            let (status, error) = match &outcome {
                Ok((status, ..)) => (Some(*status), None),
                Err(failure) => (None, Some(failure.message.clone())),
            };
            log(&CallDone {
                method: call.method.to_string(),
                path: call.uri(),
                status,
                error,
                millis: start.elapsed().as_millis(),
            });
        }
        let result = outcome.and_then(|(status, headers, body)| {
            self.note_headers(&headers);
            if (200..300).contains(&status) {
                return Ok(Answer {
                    body,
                    asked: Arc::clone(&call.asked),
                });
            }
            let wait = headers
                .get(RETRY_AFTER)
                .and_then(|v| v.to_str().ok())
                .and_then(|v| v.parse().ok());
            Err(Failure::from_answer(status, &body, wait, &call.asked))
        });
        match &result {
            Err(failure)
                if failure.trouble.passes()
                    && !matches!(failure.trouble, Trouble::TooManyRequests { .. }) =>
            {
                self.shared.contact.failed(&failure.message, start);
            }
            _ => self.shared.contact.answered(),
        }
        result
    }
}
