//! The API server's audit log: who asked what, when, and what was answered.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

use crate::Res;

/// One answered request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) verb: String,
    pub(crate) resource: String,
    pub(crate) uri: String,
    pub(crate) code: i64,
    pub(crate) received: Timestamp,
    pub(crate) answered: Timestamp,
}

impl Request {
    pub(crate) fn is(&self, verb: &str, resource: &str) -> bool {
        self.verb == verb && self.resource == resource && !self.uri.contains("dryRun")
    }

    pub(crate) fn failed(&self) -> bool {
        self.code >= 400
    }
}

fn path() -> Res<PathBuf> {
    Ok(PathBuf::from(std::env::var("KUBECTL_JOBSET_E2E_DIR")?).join("audit.log"))
}

/// Where the log ends now.
pub(crate) fn mark() -> Res<u64> {
    Ok(std::fs::metadata(path()?)?.len())
}

/// Requests of a program (by the beginning of its User-Agent) in that namespace, or in none, since a
/// mark; a watch counts once, when it is opened.
pub(crate) fn since(mark: u64, agent: &str, namespace: &str) -> Res<Vec<Request>> {
    let mut file = std::fs::File::open(path()?)?;
    file.seek(SeekFrom::Start(mark))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let mut requests = Vec::new();
    for line in text.lines().filter(|l| l.contains(agent)) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let stage = if entry["verb"] == "watch" {
            "ResponseStarted"
        } else {
            "ResponseComplete"
        };
        let place = &entry["objectRef"]["namespace"];
        let by = entry["userAgent"].as_str().unwrap_or_default();
        if !by.starts_with(agent)
            || entry["stage"] != stage
            || !(place.is_null() || place == namespace)
        {
            continue;
        }
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        requests.push(Request {
            verb: text(&entry["verb"]),
            resource: text(&entry["objectRef"]["resource"]),
            uri: text(&entry["requestURI"]),
            code: entry["responseStatus"]["code"].as_i64().unwrap_or(0),
            received: text(&entry["requestReceivedTimestamp"]).parse()?,
            answered: text(&entry["stageTimestamp"]).parse()?,
        });
    }
    Ok(requests)
}

/// When the first of them came in.
pub(crate) fn first(requests: &[Request], verb: &str, resource: &str) -> Res<Timestamp> {
    let matching = requests.iter().filter(|r| r.is(verb, resource));
    let first = matching.map(|r| r.received).min();
    first.ok_or_else(|| format!("no {verb} of {resource}").into())
}

/// When the last of them that went well was answered.
pub(crate) fn last(requests: &[Request], verb: &str, resource: &str) -> Res<Timestamp> {
    let matching = requests.iter().filter(|r| r.is(verb, resource));
    let last = matching.filter(|r| !r.failed()).map(|r| r.answered).max();
    last.ok_or_else(|| format!("no {verb} of {resource}").into())
}

pub(crate) fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64()
}
