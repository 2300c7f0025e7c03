//! A bad network and a busy server between a client and the world: a service around a service. What goes
//! wrong is decided by a seed and a plan, so a run that fails can be run again. With an empty plan it passes
//! everything on.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, BodyStream, Full, StreamBody};
use serde_json::json;
use tower::Service;

use crate::driver::clock;

/// What breaks.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer that came through here.
pub type FaultyBody = UnsyncBoxBody<Bytes, BoxError>;

/// How often something goes wrong, in thousandths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The connection breaks before the request arrives.
    pub broken: u32,
    /// The request is carried out, its answer is lost.
    pub unclear: u32,
    /// 429 with `Retry-After: 1`.
    pub too_many: u32,
    /// 500 or 503, not carried out.
    pub server_error: u32,
    /// The request, and then its answer, take up to [`Plan::slow_ms`].
    pub slow: u32,
    /// Longest way in one direction.
    pub slow_ms: u64,
    /// A watch is answered with 410.
    pub gone: u32,
    /// Of each part of a watch: it is told late, by up to [`Plan::slow_ms`].
    pub late: u32,
    /// It is told twice.
    pub twice: u32,
    /// The stream breaks before it.
    pub cut: u32,
    /// It is swallowed; the stream ends with 410 soon after, as nothing less brings it back.
    pub lost: u32,
}

/// What is decided from a seed, and what has gone wrong so far.
#[derive(Debug)]
struct Dice {
    rng: fastrand::Rng,
    plan: Plan,
    log: Vec<String>,
}

/// The plan of a set of connections; clones share it.
#[derive(Clone, Debug)]
pub struct Faults(Arc<Mutex<Dice>>);

/// What happens to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fate {
    there: Duration,
    back: Duration,
    end: End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    #[default]
    Passed,
    Broken,
    Unclear,
    TooMany,
    ServerError,
    Gone,
}

/// What happens to a part of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartFate {
    Passed,
    Twice,
    Cut,
    Lost,
}

impl Faults {
    /// Nothing goes wrong until a plan is set.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(Dice {
            rng: fastrand::Rng::with_seed(seed),
            plan: Plan::default(),
            log: Vec::new(),
        })))
    }

    fn dice<T>(&self, f: impl FnOnce(&mut Dice) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on this goes wrong; streams that are open follow it too.
    pub fn set(&self, plan: Plan) {
        self.dice(|dice| dice.plan = plan);
    }

    /// What has gone wrong, in order.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.dice(|dice| dice.log.clone())
    }

    fn fate(&self, method: &Method, what: &str, is_watch: bool) -> Fate {
        self.dice(|dice| {
            let mut fate = Fate::default();
            let plan = dice.plan.clone();
            if dice.hit(plan.slow) {
                fate.there = dice.up_to(plan.slow_ms);
                fate.back = dice.up_to(plan.slow_ms);
            }
            fate.end = if dice.hit(plan.broken) {
                End::Broken
            } else if dice.hit(plan.too_many) {
                End::TooMany
            } else if dice.hit(plan.server_error) {
                End::ServerError
            } else if *method != Method::GET && dice.hit(plan.unclear) {
                End::Unclear
            } else if is_watch && dice.hit(plan.gone) {
                End::Gone
            } else {
                End::Passed
            };
            if fate.end != End::Passed {
                dice.log.push(format!("{:?} {method} {what}", fate.end));
            }
            fate
        })
    }

    fn part_fate(&self) -> (Duration, PartFate) {
        self.dice(|dice| {
            let plan = dice.plan.clone();
            let late = if dice.hit(plan.late) {
                dice.up_to(plan.slow_ms)
            } else {
                Duration::ZERO
            };
            let fate = if dice.hit(plan.cut) {
                PartFate::Cut
            } else if dice.hit(plan.lost) {
                PartFate::Lost
            } else if dice.hit(plan.twice) {
                PartFate::Twice
            } else {
                PartFate::Passed
            };
            if fate != PartFate::Passed {
                dice.log.push(format!("{fate:?} part of a watch"));
            }
            (late, fate)
        })
    }
}

impl Dice {
    fn hit(&mut self, thousandths: u32) -> bool {
        thousandths > 0 && self.rng.u32(..1000) < thousandths
    }
    fn up_to(&mut self, millis: u64) -> Duration {
        Duration::from_millis(self.rng.u64(..=millis))
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Faulty<S> {
    inner: S,
    faults: Faults,
}

impl<S> Faulty<S> {
    /// Puts faults before a service.
    #[must_use]
    pub fn new(inner: S, faults: &Faults) -> Self {
        Self {
            inner,
            faults: faults.clone(),
        }
    }
}

impl<S, B, R> Service<Request<R>> for Faulty<S>
where
    S: Service<Request<R>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    R: Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<FaultyBody>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<R>) -> Self::Future {
        let query = request.uri().query().unwrap_or_default();
        let is_watch = query
            .split('&')
            .any(|p| p == "watch=true" || p == "watch=1");
        let fate = self
            .faults
            .fate(request.method(), request.uri().path(), is_watch);
        let faults = self.faults.clone();
        // The clone may not be ready, the one that was asked is.
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        async move {
            tokio::time::sleep(fate.there).await;
            match fate.end {
                End::Broken => return Err(broken()),
                End::TooMany => return Ok(too_many()),
                End::ServerError => return Ok(refusal(503, "ServiceUnavailable")),
                End::Gone => return Ok(gone_stream()),
                End::Passed | End::Unclear => {}
            }
            let answer = inner.call(request).await.map_err(Into::into)?;
            tokio::time::sleep(fate.back).await;
            if fate.end == End::Unclear {
                return Err(broken());
            }
            Ok(answer.map(|body| {
                if is_watch {
                    stream_with(body, faults)
                } else {
                    body.map_err(Into::into).boxed_unsync()
                }
            }))
        }
        .boxed()
    }
}

fn broken() -> BoxError {
    Box::new(std::io::Error::new(
        std::io::ErrorKind::ConnectionReset,
        "connection reset by peer",
    ))
}

fn refusal(code: u16, reason: &str) -> Response<FaultyBody> {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "code": code, "reason": reason, "message": "the server is busy",
    });
    let body = Full::new(Bytes::from(status.to_string()));
    let mut answer = Response::new(body.map_err(Into::into).boxed_unsync());
    *answer.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer
}

fn too_many() -> Response<FaultyBody> {
    let mut answer = refusal(429, "TooManyRequests");
    answer
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    answer
}

fn gone_line() -> Bytes {
    let event = json!({"type": "ERROR", "object": {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "code": 410, "reason": "Expired", "message": "too old resource version",
    }});
    Bytes::from(format!("{event}\n"))
}

fn gone_stream() -> Response<FaultyBody> {
    Response::new(Full::new(gone_line()).map_err(Into::into).boxed_unsync())
}

/// Longest time between an event that was swallowed and the 410 that brings it back.
const LOST_FOR: Duration = Duration::from_secs(5);

/// A stream whose parts arrive late, twice, or not at all.
fn stream_with<B>(body: B, faults: Faults) -> FaultyBody
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    struct Open<B> {
        parts: std::pin::Pin<Box<BodyStream<B>>>,
        faults: Faults,
        again: Option<Bytes>,
        /// Something was swallowed; the end comes then.
        ends: Option<clock::Instant>,
    }
    let open = Open {
        parts: Box::pin(BodyStream::new(body)),
        faults,
        again: None,
        ends: None,
    };
    let parts = stream::unfold(Some(open), |open| async move {
        let mut open = open?;
        if let Some(again) = open.again.take() {
            return Some((Ok(Frame::data(again)), Some(open)));
        }
        loop {
            let next = async {
                match open.ends {
                    Some(at) => tokio::select! {
                        biased;
                        () = clock::sleep_until(at) => None,
                        part = open.parts.next() => Some(part),
                    },
                    None => Some(open.parts.next().await),
                }
            };
            let Some(part) = next.await else {
                return Some((Ok(Frame::data(gone_line())), None));
            };
            let part = match part? {
                Ok(frame) => frame,
                Err(error) => return Some((Err(error.into()), None)),
            };
            let Ok(data) = part.into_data() else { continue };
            let (late, fate) = open.faults.part_fate();
            tokio::time::sleep(late).await;
            match fate {
                // What was swallowed comes back by nothing less than a 410.
                PartFate::Cut if open.ends.is_some() => {
                    return Some((Ok(Frame::data(gone_line())), None));
                }
                PartFate::Cut => return Some((Err(broken()), None)),
                PartFate::Lost => {
                    open.ends
                        .get_or_insert_with(|| clock::instant().after(LOST_FOR));
                }
                PartFate::Twice => {
                    open.again = Some(data.clone());
                    return Some((Ok(Frame::data(data)), Some(open)));
                }
                PartFate::Passed => return Some((Ok(Frame::data(data)), Some(open))),
            }
        }
    });
    StreamBody::new(parts).boxed_unsync()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tower::ServiceExt as _;

    type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

    fn server(
        carried_out: Arc<AtomicU32>,
    ) -> impl Service<
        Request<()>,
        Response = Answer,
        Error = Infallible,
        Future = BoxFuture<'static, Result<Answer, Infallible>>,
    > + Clone
    + Send {
        tower::service_fn(move |request: Request<()>| {
            carried_out.fetch_add(1, Ordering::SeqCst);
            let watch = request.uri().query().is_some();
            let parts = if watch {
                vec!["a\n", "b\n", "c\n"]
            } else {
                vec!["x"]
            };
            let parts = stream::iter(parts.into_iter().map(|p| Ok(Frame::data(Bytes::from(p)))));
            let body = StreamBody::new(parts).boxed_unsync();
            async move { Ok(Response::new(body)) }.boxed()
        })
    }

    async fn ask(method: Method, uri: &str, plan: Plan) -> (Result<String, String>, u16, u32) {
        let carried_out = Arc::new(AtomicU32::new(0));
        let faults = Faults::new(1);
        faults.set(plan);
        let service = Faulty::new(server(carried_out.clone()), &faults);
        let request = Request::builder().method(method).uri(uri).body(()).unwrap();
        let (result, code) = match service.oneshot(request).await {
            Err(error) => (Err(error.to_string()), 0),
            Ok(answer) => {
                let code = answer.status().as_u16();
                let body = answer.into_body().collect().await;
                let text = body.map(|b| String::from_utf8(b.to_bytes().to_vec()).unwrap());
                (text.map_err(|e| e.to_string()), code)
            }
        };
        (result, code, carried_out.load(Ordering::SeqCst))
    }

    fn always(f: impl FnOnce(&mut Plan)) -> Plan {
        let mut plan = Plan::default();
        f(&mut plan);
        plan
    }

    #[tokio::test(start_paused = true)]
    async fn requests_meet_their_fate() {
        let post = |plan| ask(Method::POST, "/x", plan);
        assert_eq!(post(Plan::default()).await, (Ok("x".to_owned()), 200, 1));
        let (result, _, done) = post(always(|p| p.broken = 1000)).await;
        assert!(result.is_err() && done == 0);
        let (result, _, done) = post(always(|p| p.unclear = 1000)).await;
        assert!(result.is_err() && done == 1, "done, and nobody knows");
        let (_, code, done) = post(always(|p| p.too_many = 1000)).await;
        assert_eq!((code, done), (429, 0));
        let (result, _, _) = ask(Method::GET, "/x", always(|p| p.unclear = 1000)).await;
        assert!(result.is_ok(), "a read has nothing unclear");
    }

    #[tokio::test(start_paused = true)]
    async fn streams_meet_theirs() {
        let watch = |plan| ask(Method::GET, "/x?watch=true", plan);
        assert_eq!(watch(Plan::default()).await.0.unwrap(), "a\nb\nc\n");
        let twice = watch(always(|p| p.twice = 1000)).await.0.unwrap();
        assert_eq!(twice, "a\na\nb\nb\nc\nc\n");
        assert!(watch(always(|p| p.cut = 1000)).await.0.is_err());
        let gone = watch(always(|p| p.gone = 1000)).await.0.unwrap();
        assert!(gone.contains("410"), "{gone}");
        let late = always(|p| (p.late, p.slow_ms) = (1000, 100));
        assert_eq!(watch(late).await.0.unwrap(), "a\nb\nc\n");
    }
}
