//! Answers as HTTP.

use std::convert::Infallible;

use bytes::Bytes;
use futures::Stream;
use futures::StreamExt as _;
use http::{HeaderValue, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::fmt::rfc2822::DateTimePrinter;
use serde_json::Value;

use crate::cluster::api::Status;

/// The body of an answer: whole, or a stream that goes on.
pub type ReplyBody = UnsyncBoxBody<Bytes, Infallible>;
/// An answer.
pub type Reply = Response<ReplyBody>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

fn with(code: u16, kind: HeaderValue, body: ReplyBody) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("no-cache, private"),
    );
    reply
}

/// JSON that is text already.
pub(super) fn json_text(code: u16, text: String) -> Reply {
    with(code, JSON, Full::new(Bytes::from(text)).boxed_unsync())
}

/// JSON.
pub(super) fn json(code: u16, value: &Value) -> Reply {
    json_text(code, value.to_string())
}

/// Text.
pub(super) fn text(code: u16, text: impl Into<Bytes>) -> Reply {
    with(code, TEXT, Full::new(text.into()).boxed_unsync())
}

/// A path at which nothing is served.
pub(super) fn no_page() -> Reply {
    text(404, "404 page not found\n")
}

/// A stream of JSON documents.
pub(super) fn json_stream(parts: impl Stream<Item = Bytes> + Send + 'static) -> Reply {
    with(200, JSON, stream(parts))
}

/// A stream of text.
pub(super) fn text_stream(parts: impl Stream<Item = Bytes> + Send + 'static) -> Reply {
    with(200, TEXT, stream(parts))
}

fn stream(parts: impl Stream<Item = Bytes> + Send + 'static) -> ReplyBody {
    StreamBody::new(parts.map(|part| Ok(Frame::data(part)))).boxed_unsync()
}

/// A refusal.
pub(super) fn status(status: &Status) -> Reply {
    let mut reply = json(status.code, &status.to_json());
    if let Some(seconds) = status.retry_after {
        reply
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    reply
}

/// Adds `Warning` headers.
pub(super) fn warn(reply: &mut Reply, warnings: &[String]) {
    for warning in warnings {
        let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            reply.headers_mut().append(header::WARNING, value);
        }
    }
}

/// Adds `Date`: the world's, which need not be this machine's.
pub(super) fn date(reply: &mut Reply, now: Timestamp) {
    static PRINTER: DateTimePrinter = DateTimePrinter::new();
    let text = PRINTER.timestamp_to_rfc9110_string(&now);
    if let Some(value) = text.ok().and_then(|t| HeaderValue::try_from(t).ok()) {
        reply.headers_mut().insert(header::DATE, value);
    }
}
