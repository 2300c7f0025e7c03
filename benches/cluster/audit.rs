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
    pub(crate) name: String,
    pub(crate) code: i64,
    pub(crate) received: Timestamp,
    pub(crate) answered: Timestamp,
}

fn path() -> Res<PathBuf> {
    Ok(PathBuf::from(std::env::var("KUBECTL_JOBSET_E2E_DIR")?).join("audit.log"))
}

/// Where the log ends now.
pub(crate) fn mark() -> Res<u64> {
    Ok(std::fs::metadata(path()?)?.len())
}

/// Requests of this tool in that namespace since a mark; a watch counts once, when it is opened.
pub(crate) fn since(mark: u64, namespace: &str) -> Res<Vec<Request>> {
    let mut file = std::fs::File::open(path()?)?;
    file.seek(SeekFrom::Start(mark))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let mut requests = Vec::new();
    for line in text.lines() {
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let agent = entry["userAgent"].as_str().unwrap_or_default();
        let watch = entry["verb"] == "watch";
        let stage = if watch {
            "ResponseStarted"
        } else {
            "ResponseComplete"
        };
        let ours = entry["objectRef"]["namespace"] == namespace
            || entry["objectRef"]["resource"] == "selfsubjectaccessreviews"
            || entry["objectRef"].is_null();
        if !agent.starts_with("kubectl-jobset") || entry["stage"] != stage || !ours {
            continue;
        }
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        requests.push(Request {
            verb: text(&entry["verb"]),
            resource: text(&entry["objectRef"]["resource"]),
            name: text(&entry["objectRef"]["name"]),
            code: entry["responseStatus"]["code"].as_i64().unwrap_or(0),
            received: text(&entry["requestReceivedTimestamp"]).parse()?,
            answered: text(&entry["stageTimestamp"]).parse()?,
        });
    }
    Ok(requests)
}
