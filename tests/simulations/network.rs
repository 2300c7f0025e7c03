//! The way of a request to the world: it goes out whatever becomes of its sender, meets faults, and arrives
//! by the world's time. Who changed what is written down.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use k8s_openapi::jiff::Timestamp;
use kube::client::Body;
use kubectl_jobset::cluster::api::rights::ADMIN;
use kubectl_jobset::cluster::front::faults::{BoxError, Faults, Faulty, FaultyBody};
use kubectl_jobset::cluster::front::{InProcess, Reply, Shared};
use kubectl_jobset::driver::kube::Connection;
use tower::Service;

use crate::lies::Wire;
use crate::machine::true_now;

/// Namespace of all runs.
pub(crate) const NAMESPACE: &str = "default";

/// Who sends.
pub(crate) type Who = usize;

/// Changes of the world up to a version, after another, by a request.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) who: Who,
    pub(crate) what: String,
    pub(crate) sent: Timestamp,
    /// Version of the world when it was sent.
    pub(crate) sent_at: u64,
    pub(crate) after: u64,
    pub(crate) up_to: u64,
}

/// What was written so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book(Arc<Mutex<(Vec<Written>, u64)>>);

impl Book {
    fn with<T>(&self, f: impl FnOnce(&mut (Vec<Written>, u64)) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes what was written since the last call.
    pub(crate) fn take(&self) -> Vec<Written> {
        self.with(|book| std::mem::take(&mut book.0))
    }

    /// Requests that have arrived.
    pub(crate) fn requests(&self) -> u64 {
        self.with(|book| book.1)
    }
}

/// The last part of the way.
#[derive(Clone)]
struct Wired {
    world: InProcess,
    shared: Shared,
    book: Book,
    who: Who,
    wire: Option<Wire>,
}

#[derive(Clone, Copy)]
struct Sent(Timestamp, u64);

impl Service<Request<Body>> for Wired {
    type Response = Reply;
    type Error = kube::Error;
    type Future = BoxFuture<'static, Result<Reply, kube::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), kube::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let mut this = self.clone();
        async move {
            let Some(Sent(sent, sent_at)) = request.extensions().get().copied() else {
                return Err(kube::Error::LinesCodecMaxLineLengthExceeded);
            };
            if let Some(wire) = this.wire {
                let (mut head, body) = request.into_parts();
                let mut body = body.collect().await?.to_bytes().to_vec();
                wire(&mut head, &mut body);
                request = Request::from_parts(head, Body::from(body));
            }
            let what = format!("{} {}", request.method(), request.uri().path());
            let reads = request.method() == Method::GET;
            // What is due by now is nobody's.
            let after = this.shared.with(|world| world.version());
            let reply = this.world.call(request).await;
            let up_to = this.shared.look(|world| world.version());
            this.book.with(|book| {
                book.1 += 1;
                if !reads && up_to > after {
                    book.0.push(Written {
                        who: this.who,
                        what,
                        sent,
                        sent_at,
                        after,
                        up_to,
                    });
                }
            });
            reply
        }
        .boxed()
    }
}

/// The first part: once sent, a request is on its way whether its sender lives or not.
#[derive(Clone)]
struct Detached<S> {
    inner: S,
    shared: Shared,
}

impl<S> Service<Request<Body>> for Detached<S>
where
    S: Service<Request<Body>, Response = Response<FaultyBody>, Error = BoxError> + Send + 'static,
    S::Future: Send,
{
    type Response = Response<FaultyBody>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let version = self.shared.look(|world| world.version());
        request.extensions_mut().insert(Sent(true_now(), version));
        let way = tokio::spawn(self.inner.call(request));
        async move { way.await.map_err(BoxError::from)? }.boxed()
    }
}

/// What all connections of a run share.
#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) shared: Shared,
    pub(crate) faults: Faults,
    pub(crate) book: Book,
    pub(crate) wire: Option<Wire>,
}

impl Network {
    fn connect(&self, who: Who, faults: &Faults, wire: Option<Wire>) -> Connection {
        let wired = Wired {
            world: InProcess::new(self.shared.clone(), ADMIN),
            shared: self.shared.clone(),
            book: self.book.clone(),
            who,
            wire,
        };
        let service = Detached {
            inner: Faulty::new(wired, faults),
            shared: self.shared.clone(),
        };
        Connection::with_client(kube::Client::new(service, NAMESPACE), NAMESPACE)
    }

    /// A driver's connection.
    pub(crate) fn driver(&self, who: Who) -> Connection {
        self.connect(who, &self.faults, self.wire)
    }

    /// A connection that nothing happens to.
    pub(crate) fn person(&self, who: Who) -> Connection {
        self.connect(who, &Faults::new(0), None)
    }
}
