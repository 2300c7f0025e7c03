//! What can go wrong with a call, sorted by what to do about it. Sorting looks at codes and
//! `Status.reason`, never at text; text is for people.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::driver::kube::resource::Resource;
use crate::error::{Error, Kind};

/// Trouble, by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No connection, or it broke.
    Unreachable,
    /// No answer in time.
    Timeout,
    /// 429: not done, ask again later.
    TooManyRequests {
        /// The server's `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// 401, or the credential plugin failed.
    Unauthorized,
    /// 403: no right, or admission (a quota, a policy) says no.
    Forbidden,
    /// 409 `Conflict`: changed meanwhile, or a precondition failed.
    Conflict,
    /// 409 `AlreadyExists`.
    AlreadyExists,
    /// 404.
    NotFound,
    /// 410: the resourceVersion or the continue token is too old.
    Gone,
    /// 422 and 400: the object is wrong.
    Invalid,
    /// 500, 502, 503, 504: the server has trouble of its own.
    Server {
        /// The server's `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// Any other 4xx or 5xx.
    Refused,
    /// An answer that can't be read.
    Garbled,
}

impl Trouble {
    /// It may pass: asking again makes sense (429, 5xx, no network, expired credentials).
    #[must_use]
    pub fn passes(self) -> bool {
        matches!(
            self,
            Self::Unreachable
                | Self::Timeout
                | Self::TooManyRequests { .. }
                | Self::Unauthorized
                | Self::Server { .. }
        )
    }

    /// Whether the call was carried out isn't known: look before doing it again.
    #[must_use]
    pub fn unclear(self) -> bool {
        matches!(
            self,
            Self::Unreachable | Self::Timeout | Self::Server { .. } | Self::Garbled
        )
    }

    /// How long the server wants us to wait.
    #[must_use]
    pub fn retry_after(self) -> Option<Duration> {
        match self {
            Self::TooManyRequests { retry_after } | Self::Server { retry_after } => retry_after,
            _ => None,
        }
    }

    /// From code and reason.
    #[must_use]
    pub fn of(code: u16, reason: &str, retry_after: Option<Duration>) -> Self {
        match (code, reason) {
            (401, _) => Self::Unauthorized,
            (403, _) => Self::Forbidden,
            (404, _) => Self::NotFound,
            (409, "AlreadyExists") => Self::AlreadyExists,
            (409, _) => Self::Conflict,
            (410, _) => Self::Gone,
            (400 | 422, _) => Self::Invalid,
            (429, _) => Self::TooManyRequests { retry_after },
            (408 | 500 | 502 | 503 | 504, _) => Self::Server { retry_after },
            _ => Self::Refused,
        }
    }
}

/// What was asked, for messages: `create configmap train-run`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Verb as in roles.
    pub verb: &'static str,
    /// Resource.
    pub resource: Resource,
    /// Namespace.
    pub namespace: Option<String>,
    /// Object.
    pub name: Option<String>,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{} {} {name}", self.verb, self.resource.word()),
            None => write!(f, "{} {}", self.verb, self.resource),
        }
    }
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What it means.
    pub trouble: Trouble,
    /// HTTP code, 0 if there was no answer.
    pub code: u16,
    /// `Status.reason`.
    pub reason: String,
    /// `Status.message`, or what broke.
    pub message: String,
    /// What was asked.
    pub asked: Arc<Asked>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.asked, self.message)
    }
}

impl std::error::Error for Failure {}

/// The part of a `Status` that is read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Status {
    code: u16,
    reason: String,
    message: String,
    details: Option<Details>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Details {
    retry_after_seconds: u64,
}

/// Characters of an answer that is not a `Status` (a proxy's HTML page) that are shown.
const FOREIGN_TEXT: usize = 200;

impl Failure {
    /// From an answer that is not 2xx. `retry_after` is the header, in seconds.
    #[must_use]
    pub fn from_answer(
        code: u16,
        body: &[u8],
        retry_after: Option<u64>,
        asked: &Arc<Asked>,
    ) -> Self {
        let status: Status = serde_json::from_slice(body).unwrap_or_else(|_| Status {
            message: String::from_utf8_lossy(body)
                .trim()
                .chars()
                .take(FOREIGN_TEXT)
                .collect(),
            ..Status::default()
        });
        let details = status.details.unwrap_or_default();
        let wait = retry_after
            .or(Some(details.retry_after_seconds).filter(|s| *s > 0))
            .map(Duration::from_secs);
        // A watch carries its error as an object in a 200 answer, so the code inside counts there.
        let code = if (200..300).contains(&code) {
            status.code
        } else {
            code
        };
        let message = if status.message.is_empty() {
            format!("HTTP {code}")
        } else {
            status.message
        };
        Self {
            trouble: Trouble::of(code, &status.reason, wait),
            code,
            reason: status.reason,
            message,
            asked: Arc::clone(asked),
        }
    }

    /// From an error of the client, when there was no answer.
    #[must_use]
    pub fn from_client(error: &::kube::Error, asked: &Arc<Asked>) -> Self {
        let trouble = match error {
            ::kube::Error::Auth(_) => Trouble::Unauthorized,
            ::kube::Error::SerdeError(_) | ::kube::Error::FromUtf8(_) => Trouble::Garbled,
            _ => Trouble::Unreachable,
        };
        Self::without_answer(trouble, deepest(error), asked)
    }

    /// When there was no answer.
    #[must_use]
    pub fn without_answer(
        trouble: Trouble,
        message: impl Into<String>,
        asked: &Arc<Asked>,
    ) -> Self {
        Self {
            trouble,
            code: 0,
            reason: String::new(),
            message: message.into(),
            asked: Arc::clone(asked),
        }
    }

    /// As an error for a person. `what` is a fragment that says what could not be done
    /// (`the record of train can't be read`); `origin` is where the server's address came from
    /// ([`crate::driver::kube::Connection::origin`]).
    #[must_use]
    pub fn to_error(&self, what: &str, origin: &str) -> Error {
        match self.trouble {
            Trouble::Unreachable | Trouble::Timeout => Error::new(
                Kind::NotReached,
                format!("{what}: the API server can't be reached"),
            )
            .caused_by(&self.message)
            .hint(format!("this is {origin}")),
            Trouble::TooManyRequests { .. } | Trouble::Server { .. } | Trouble::Garbled => {
                self.server_error(Kind::NotReached, what)
            }
            Trouble::Unauthorized => self.server_error(Kind::NotAllowed, what).hint(format!(
                "not logged in, or the login has expired; this is {origin}"
            )),
            Trouble::Forbidden => self
                .server_error(Kind::NotAllowed, what)
                .hint(self.right_needed()),
            Trouble::NotFound
            | Trouble::Conflict
            | Trouble::AlreadyExists
            | Trouble::Gone
            | Trouble::Refused => self.server_error(Kind::Other, what),
            // Of the object that was sent: elsewhere it is our mistake.
            Trouble::Invalid if self.asked.verb == "create" => {
                self.server_error(Kind::Manifest, what)
            }
            Trouble::Invalid => self.server_error(Kind::Other, what),
        }
    }

    /// `needs the right to create configmaps in namespace ml`.
    #[must_use]
    pub fn right_needed(&self) -> String {
        let place = match &self.asked.namespace {
            Some(namespace) => format!("namespace {namespace}"),
            None => "all namespaces".to_owned(),
        };
        format!(
            "needs the right to {} {} in {place}",
            self.asked.verb, self.asked.resource
        )
    }

    fn server_error(&self, kind: Kind, what: &str) -> Error {
        let error = Error::new(kind, format!("{what}: {}", self.message));
        if self.code == 0 {
            error
        } else if self.reason.is_empty() {
            error.from_server(self.code.to_string())
        } else {
            error.from_server(self.reason.clone())
        }
    }
}

/// The innermost texts of an error: the outer ones repeat them, or say only "error".
fn deepest(error: &(dyn std::error::Error + 'static)) -> String {
    let mut chain = vec![error.to_string()];
    let mut next = error.source();
    while let Some(e) = next {
        chain.push(e.to_string());
        next = e.source();
    }
    let inner = chain.pop().unwrap_or_default();
    match chain.pop() {
        Some(outer) if !outer.contains(&inner) => format!("{outer}: {inner}"),
        _ => inner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Arc<Asked> {
        Arc::new(Asked {
            verb: "create",
            resource: Resource::Jobs,
            namespace: Some("ml".to_owned()),
            name: Some("train-worker-0".to_owned()),
        })
    }

    fn status(code: u16, reason: &str, header: Option<u64>) -> Failure {
        let body = serde_json::json!({
            "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "no",
        });
        Failure::from_answer(code, body.to_string().as_bytes(), header, &asked())
    }

    #[test]
    fn codes_and_reasons_are_sorted() {
        let second = Some(Duration::from_secs(1));
        let cases = [
            (401, "Unauthorized", Trouble::Unauthorized),
            (403, "Forbidden", Trouble::Forbidden),
            (404, "NotFound", Trouble::NotFound),
            (409, "AlreadyExists", Trouble::AlreadyExists),
            (409, "Conflict", Trouble::Conflict),
            (410, "Expired", Trouble::Gone),
            (422, "Invalid", Trouble::Invalid),
            (400, "BadRequest", Trouble::Invalid),
            (
                429,
                "TooManyRequests",
                Trouble::TooManyRequests {
                    retry_after: second,
                },
            ),
            (
                500,
                "InternalError",
                Trouble::Server {
                    retry_after: second,
                },
            ),
            (
                503,
                "ServiceUnavailable",
                Trouble::Server {
                    retry_after: second,
                },
            ),
            (
                504,
                "Timeout",
                Trouble::Server {
                    retry_after: second,
                },
            ),
            (405, "MethodNotAllowed", Trouble::Refused),
            (413, "RequestEntityTooLarge", Trouble::Refused),
        ];
        for (code, reason, wanted) in cases {
            assert_eq!(
                status(code, reason, Some(1)).trouble,
                wanted,
                "{code} {reason}"
            );
        }
    }

    /// The text of a message plays no part: a 403 that speaks of something not found stays a 403.
    #[test]
    fn text_does_not_count() {
        let body =
            r#"{"kind":"Status","code":403,"reason":"Forbidden","message":"namespace not found"}"#;
        let failure = Failure::from_answer(403, body.as_bytes(), None, &asked());
        assert_eq!(failure.trouble, Trouble::Forbidden);
    }

    #[test]
    fn the_wait_is_in_the_header_or_in_the_status() {
        let body = r#"{"code":429,"details":{"retryAfterSeconds":7}}"#;
        let failure = Failure::from_answer(429, body.as_bytes(), None, &asked());
        assert_eq!(failure.trouble.retry_after(), Some(Duration::from_secs(7)));
        assert_eq!(
            status(429, "TooManyRequests", Some(3))
                .trouble
                .retry_after(),
            Some(Duration::from_secs(3))
        );
    }

    /// Whether a POST was carried out is known after a 4xx, and not after a 5xx or a broken connection.
    #[test]
    fn only_4xx_answers_are_clear() {
        for code in [400, 401, 403, 404, 409, 422, 429] {
            assert!(!status(code, "", None).trouble.unclear(), "{code}");
        }
        for code in [500, 502, 503, 504] {
            assert!(status(code, "", None).trouble.unclear(), "{code}");
        }
        assert!(Trouble::Timeout.unclear() && Trouble::Unreachable.unclear());
    }

    #[test]
    fn a_missing_right_is_named() {
        let error = status(403, "Forbidden", None).to_error("jobs of train can't be made", "x");
        assert_eq!(error.kind(), Kind::NotAllowed);
        assert_eq!(
            error.hints(),
            ["needs the right to create jobs.batch in namespace ml"]
        );
    }

    #[test]
    fn a_page_of_a_proxy_is_cut() {
        let page = "<html>".repeat(1000);
        let failure = Failure::from_answer(502, page.as_bytes(), None, &asked());
        assert_eq!(failure.message.len(), FOREIGN_TEXT);
        assert_eq!(failure.trouble, Trouble::Server { retry_after: None });
    }

    #[test]
    fn no_contact_says_which_server() {
        let failure = Failure::without_answer(Trouble::Unreachable, "connection refused", &asked());
        let error = failure.to_error("train can't be read", "https://x:6443, context dev of /k");
        assert_eq!(error.kind(), Kind::NotReached);
        assert!(error.render().contains("connection refused"));
        assert_eq!(error.hints(), ["this is https://x:6443, context dev of /k"]);
    }
}
