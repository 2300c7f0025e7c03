//! Pages of a list: where the next one starts, and a kind as it was at a version.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::cluster::api::status::Status;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Gone, Store};

/// `continue`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Version of the whole list; none: as it is by now.
    pub(super) version: Option<u64>,
    /// Namespace and name of the last object before.
    after: (String, String),
}

impl Token {
    pub(super) fn after(object: &Object, version: u64) -> Self {
        Self {
            version: Some(version),
            after: (object.namespace().to_owned(), object.name().to_owned()),
        }
    }

    /// Whether an object is on this page or a later one.
    pub(super) fn is_before(&self, object: &Object) -> bool {
        (object.namespace(), object.name()) > (self.after.0.as_str(), self.after.1.as_str())
    }

    pub(super) fn write(&self) -> String {
        let version = self.version.map_or(json!(-1), |version| json!(version));
        let start = format!("{}/{}\0", self.after.0, self.after.1);
        let value = json!({"v": "meta.k8s.io/v1", "rv": version, "start": start});
        URL_SAFE_NO_PAD.encode(value.to_string())
    }

    pub(super) fn read(text: &str) -> Result<Self, Status> {
        let refused = |why: &str| {
            Status::bad_request(format!(
                "invalid continue token: continue key is not valid: {why}"
            ))
        };
        let bytes = URL_SAFE_NO_PAD
            .decode(text.trim_end_matches('='))
            .map_err(|error| refused(&error.to_string()))?;
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| refused(&error.to_string()))?;
        if value["v"] != "meta.k8s.io/v1" {
            return Err(refused("server does not recognize this encoded version"));
        }
        let start = value["start"].as_str().unwrap_or_default();
        let Some((namespace, name)) = start.trim_end_matches('\0').split_once('/') else {
            return Err(refused("encoded start key empty (version meta.k8s.io/v1)"));
        };
        let version = match value["rv"].as_i64() {
            None | Some(0) => {
                return Err(refused(
                    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
                ));
            }
            // A list that had expired and goes on without being the same.
            Some(version) => u64::try_from(version).ok(),
        };
        Ok(Self {
            version,
            after: (namespace.to_owned(), name.to_owned()),
        })
    }
}

/// 410 of a page whose version is forgotten; it tells how to go on all the same.
pub(super) fn too_old(token: &Token) -> Status {
    let mut status = Status::expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    );
    let anyway = Token {
        version: None,
        after: token.after.clone(),
    };
    status.continue_token = Some(anyway.write().into());
    status
}

/// Objects of a kind as they were at a version: what happened since is taken back.
pub(super) fn as_of(
    store: &Store,
    kind: Kind,
    namespace: Option<&str>,
    version: u64,
) -> Result<Vec<Arc<Object>>, Gone> {
    let place = |object: &Object| (object.namespace().to_owned(), object.name().to_owned());
    let mut objects: BTreeMap<_, _> = store
        .list(kind, namespace)
        .map(|object| (place(object), Arc::clone(object)))
        .collect();
    let since: Vec<_> = store.changes_after(kind, version)?.collect();
    for change in since.into_iter().rev() {
        if namespace.is_some_and(|namespace| change.object.namespace() != namespace) {
            continue;
        }
        let place = place(&change.object);
        match &change.previous {
            Some(previous) => objects.insert(place, Arc::clone(previous)),
            None => objects.remove(&place),
        };
    }
    Ok(objects.into_values().collect())
}
