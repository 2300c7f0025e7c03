//! The world as a `tower` service: what a `kube::Client` speaks to in the same process, without a
//! connection, a token or a thread. Faults are another service's business, put in front of this one.

use std::task::{Context, Poll};

use futures::future::BoxFuture;
use http::Request;
use http_body_util::BodyExt as _;
use kube::client::Body;

use crate::cluster::front::handle::handle;
use crate::cluster::front::reply::Reply;
use crate::cluster::front::shared::Shared;

/// See the module.
#[derive(Clone, Debug)]
pub struct InProcess {
    shared: Shared,
    user: String,
}

impl InProcess {
    /// Speaks to that world as that user.
    #[must_use]
    pub fn new(shared: Shared, user: &str) -> Self {
        Self {
            shared,
            user: user.to_owned(),
        }
    }
}

impl tower::Service<Request<Body>> for InProcess {
    type Response = Reply;
    type Error = kube::Error;
    type Future = BoxFuture<'static, Result<Reply, kube::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), kube::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (shared, user) = (self.shared.clone(), self.user.clone());
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            Ok(handle(&shared, &user, &Request::from_parts(head, body)))
        })
    }
}
