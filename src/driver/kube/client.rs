//! The connection to an API server: one client for all calls, renewed when credentials run out.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::kube::Config;
use k8s_openapi::jiff::fmt::rfc2822::DateTimeParser;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::driver::clock::{self, Instant};
use crate::driver::kube::config::{ConnectOptions, Found};
use crate::driver::kube::contact::Contact;
use crate::driver::kube::credential;
use crate::driver::kube::error::Failure;
use crate::driver::kube::retry::{Gate, Patience};
use crate::driver::kube::transport;
use crate::error::{Error, Kind, Result};

/// What the server sees of us, and the field manager of our writes.
pub const FIELD_MANAGER: &str = "kubectl-jobset";
/// `User-Agent` of every request.
pub const USER_AGENT: &str = concat!("kubectl-jobset/", env!("CARGO_PKG_VERSION"));
/// Longest wait for an answer where `--request-timeout` says nothing: as long as a busy API server
/// needs, short enough to notice a dead connection.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// One call that has ended, for `-vv`. Holds no headers, so no tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallDone {
    /// Method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// HTTP code, if there was an answer.
    pub status: Option<u16>,
    /// What broke, if there was none.
    pub error: Option<String>,
    /// From sending to the end of the answer; for streams to its headers.
    pub millis: u128,
}

/// `GET /api/v1/… 200 in 12 ms`.
impl fmt::Display for CallDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.method, self.path)?;
        match (&self.status, &self.error) {
            (Some(status), _) => write!(f, "{status}")?,
            (None, Some(error)) => write!(f, "failed ({error})")?,
            (None, None) => write!(f, "failed")?,
        }
        write!(f, " in {} ms", self.millis)
    }
}

/// Is told of every call.
pub type CallLog = Arc<dyn Fn(&CallDone) + Send + Sync>;

/// A connection. Clones share everything but [`Connection::patient`].
#[derive(Clone)]
pub struct Connection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) patience: Patience,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("origin", &self.shared.origin)
            .field("namespace", &self.shared.namespace)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

/// What all clones of a connection share.
pub(crate) struct Shared {
    client: Mutex<Current>,
    /// Held while logging in; the last login that failed.
    renewing: tokio::sync::Mutex<Option<(Instant, String)>>,
    options: Option<ConnectOptions>,
    origin: String,
    namespace: String,
    pub(crate) timeout: Option<Duration>,
    pub(crate) log: Option<CallLog>,
    pub(crate) contact: Contact,
    pub(crate) gate: Gate,
    warnings: Mutex<Warnings>,
    pub(crate) warned: tokio::sync::Notify,
    date: Mutex<Option<(String, Instant)>>,
}

/// The client of now, and how often it was renewed.
#[derive(Clone)]
pub(crate) struct Current {
    pub(crate) client: ::kube::Client,
    pub(crate) generation: u64,
    /// Its credentials run out then.
    until: Option<Timestamp>,
    /// What it was made from, credentials included.
    config: Option<Arc<Config>>,
}

#[derive(Default)]
struct Warnings {
    seen: BTreeSet<String>,
    new: Vec<String>,
}

/// Distinct warnings that are remembered; a server that makes up a new one for each call must not
/// fill the memory.
const WARNINGS_KEPT: usize = 100;

/// Credentials are renewed that long before they run out, as clocks differ and a call takes time.
const RENEW_BEFORE: SignedDuration = SignedDuration::from_secs(30);

/// After a login that failed, the next try is that far away: dozens of calls in flight must not run a
/// credential plugin each.
const LOGIN_PAUSE: Duration = Duration::from_secs(15);

/// Finds the configuration and makes a client from it (which may run a credential plugin). Sends
/// nothing.
///
/// # Errors
///
/// No usable configuration, or the credential plugin failed.
pub async fn connect(options: &ConnectOptions, on_call: Option<CallLog>) -> Result<Connection> {
    let found = options.find().await?;
    let (origin, namespace) = (found.origin.clone(), found.namespace.clone());
    let current = make_client(found, 0).await.map_err(|error| {
        Error::new(Kind::NotAllowed, "can't log in")
            .caused_by(error)
            .hint(format!("this is {origin}"))
    })?;
    let timeout = match options.request_timeout {
        None => Some(REQUEST_TIMEOUT),
        Some(Duration::ZERO) => None,
        Some(limit) => Some(limit),
    };
    let options = Some(options.clone());
    Ok(Connection::build(
        current, namespace, origin, options, timeout, on_call,
    ))
}

/// Logs in and makes a client. A credential plugin, which may run for seconds, runs off the one thread.
async fn make_client(found: Found, generation: u64) -> std::result::Result<Current, String> {
    if found.config.auth_info.exec.is_none() {
        return log_in(found, generation);
    }
    tokio::task::spawn_blocking(move || log_in(found, generation))
        .await
        .map_err(|error| error.to_string())?
}

/// Blocks where there is a credential plugin.
fn log_in(found: Found, generation: u64) -> std::result::Result<Current, String> {
    let mut config = found.config;
    config.headers.push((
        http::header::USER_AGENT,
        http::HeaderValue::from_static(USER_AGENT),
    ));
    let until = credential::log_in(&mut config)?;
    let client = transport::client(config.clone()).map_err(|error| error.to_string())?;
    Ok(Current {
        client,
        generation,
        until,
        config: Some(Arc::new(config)),
    })
}

impl Connection {
    /// A connection through a ready-made client: any world that speaks the API. Credentials are not
    /// renewed.
    #[must_use]
    pub fn with_client(client: ::kube::Client, namespace: &str) -> Self {
        let origin = "a given client".to_owned();
        let current = Current {
            client,
            generation: 0,
            until: None,
            config: None,
        };
        let (namespace, limit) = (namespace.to_owned(), Some(REQUEST_TIMEOUT));
        Self::build(current, namespace, origin, None, limit, None)
    }

    fn build(
        current: Current,
        namespace: String,
        origin: String,
        options: Option<ConnectOptions>,
        timeout: Option<Duration>,
        log: Option<CallLog>,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                client: Mutex::new(current),
                renewing: tokio::sync::Mutex::default(),
                options,
                origin,
                namespace,
                timeout,
                log,
                contact: Contact::default(),
                gate: Gate::default(),
                warnings: Mutex::default(),
                warned: tokio::sync::Notify::new(),
                date: Mutex::default(),
            }),
            patience: Patience::Short,
        }
    }

    /// The same connection for a driver: its calls try again for as long as they are awaited, instead
    /// of some seconds.
    #[must_use]
    pub fn patient(&self) -> Self {
        Self {
            patience: Patience::Endless,
            ..self.clone()
        }
    }

    /// Namespace that commands work in.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.shared.namespace
    }

    /// Where the server's address came from, for hints.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.shared.origin
    }

    /// The client of now, for what is not covered here. It is replaced when credentials are renewed.
    #[must_use]
    pub fn client(&self) -> ::kube::Client {
        self.current().client
    }

    /// Warnings of the API server that were not taken yet, each text once per connection.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.shared.warnings).new)
    }

    /// The server's time now, from the `Date` of its last answer (whole seconds) and the monotonic
    /// clock; none before the first answer.
    #[must_use]
    pub fn server_now(&self) -> Option<Timestamp> {
        let (date, at) = lock(&self.shared.date).clone()?;
        let date = DateTimeParser::new().parse_timestamp(&date).ok()?;
        let passed = SignedDuration::try_from(at.elapsed()).ok()?;
        date.checked_add(passed).ok()
    }

    pub(crate) fn current(&self) -> Current {
        lock(&self.shared.client).clone()
    }

    /// The client for the next call, with credentials that are good for it.
    pub(crate) async fn ready(&self) -> Current {
        let current = self.current();
        let soon = clock::now().saturating_add(RENEW_BEFORE);
        if let (Some(until), Ok(soon)) = (current.until, soon)
            && until <= soon
            // Without new ones the server decides about the old ones.
            && self.renew(current.generation).await.is_ok()
        {
            return self.current();
        }
        current
    }

    /// Logs in again after a 401, unless another call has done so meanwhile: the kubeconfig is read
    /// again, a credential plugin runs again.
    ///
    /// # Errors
    ///
    /// Why that is not possible.
    pub(crate) async fn renew(&self, stale: u64) -> std::result::Result<(), String> {
        let Some(options) = &self.shared.options else {
            return Err("this login can't be renewed".to_owned());
        };
        let mut failed = self.shared.renewing.lock().await;
        if self.current().generation != stale {
            return Ok(());
        }
        if let Some((at, why)) = failed.as_ref()
            && at.elapsed() < LOGIN_PAUSE
        {
            return Err(why.clone());
        }
        let made = match options.find().await {
            Ok(found) => make_client(found, stale + 1).await,
            Err(error) => Err(error.to_string()),
        };
        match made {
            Ok(current) => {
                *failed = None;
                *lock(&self.shared.client) = current;
                Ok(())
            }
            Err(why) => {
                *failed = Some((clock::instant(), why.clone()));
                Err(why)
            }
        }
    }

    /// Leaves all pooled connections behind: after a change of network or a sleep of the machine they
    /// are all dead, and each would cost a time limit of its own to find that out.
    pub fn leave_connections(&self) {
        self.leave_connections_of(self.current().generation);
    }

    /// The same, unless another call has done so since that client was used.
    pub(crate) fn leave_connections_of(&self, stale: u64) {
        let mut current = lock(&self.shared.client);
        let Some(config) = current
            .config
            .clone()
            .filter(|_| current.generation == stale)
        else {
            return;
        };
        if let Ok(client) = transport::client((*config).clone()) {
            current.client = client;
            current.generation += 1;
        }
    }

    /// Notes what headers tell: the date, warnings, and that there was an answer.
    pub(crate) fn note_headers(&self, headers: &http::HeaderMap) {
        if let Some(date) = headers
            .get(http::header::DATE)
            .and_then(|d| d.to_str().ok())
        {
            *lock(&self.shared.date) = Some((date.to_owned(), clock::instant()));
        }
        for value in headers.get_all(http::header::WARNING) {
            if let Some(text) = value.to_str().ok().and_then(warning_text) {
                self.warn(text);
            }
        }
    }

    /// Keeps a warning for printing, once per text.
    pub(crate) fn warn(&self, text: String) {
        let mut warnings = lock(&self.shared.warnings);
        if warnings.seen.len() < WARNINGS_KEPT && warnings.seen.insert(text.clone()) {
            warnings.new.push(text);
            self.shared.warned.notify_one();
        }
    }

    /// A failure as an error for a person, with where the server's address came from.
    #[must_use]
    pub fn error(&self, failure: &Failure, what: &str) -> Error {
        failure.to_error(what, self.origin())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Text of a `299 agent "text"` header; others are not the API server's.
fn warning_text(value: &str) -> Option<String> {
    let rest = value.strip_prefix("299 ")?;
    let (_, quoted) = rest.split_once('"')?;
    let mut text = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next()),
            '"' => break,
            other => text.push(other),
        }
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_read_as_the_server_writes_them() {
        assert_eq!(
            warning_text(r#"299 - "unknown field \"spec.foo\"""#).as_deref(),
            Some(r#"unknown field "spec.foo""#)
        );
        assert_eq!(warning_text(r#"199 - "cache is stale""#), None);
        assert_eq!(warning_text("299 -"), None);
    }

    #[test]
    fn calls_are_told_without_secrets() {
        let call = CallDone {
            method: "GET".to_owned(),
            path: "/api/v1/pods".to_owned(),
            status: Some(200),
            error: None,
            millis: 12,
        };
        assert_eq!(call.to_string(), "GET /api/v1/pods 200 in 12 ms");
    }
}
