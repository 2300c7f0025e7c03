//! An answer, with all that can be seen of it on the wire.

use std::panic::Location;
use std::rc::Rc;

use http::HeaderMap;
use serde_json::{Value, json};

use crate::compare::Seen;

pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    /// Null where the answer is not JSON.
    pub(crate) body: Value,
    pub(crate) text: String,
    /// Method and path, for messages.
    pub(crate) call: String,
    pub(crate) seen: Rc<Seen>,
}

impl Reply {
    /// The HTTP code.
    #[track_caller]
    pub(crate) fn is(&self, code: u16) -> &Self {
        let at = Location::caller();
        self.code_is(at, code);
        self
    }

    fn code_is(&self, at: &Location<'_>, code: u16) {
        self.seen.compare(at, &json!(0), &json!(0), true);
        if self.code != code {
            let text = format!("{}: {}, not {code}: {}", self.call, self.code, self.text);
            self.seen.note(at, &text);
        }
    }

    /// The answer is good, or the check can't go on.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(
            (200..300).contains(&self.code),
            "{}: {}: {} ({})",
            self.call,
            self.code,
            self.text,
            Location::caller()
        );
        self
    }

    /// See [`Seen::like`].
    #[track_caller]
    pub(crate) fn like(&self, expected: Value) -> &Self {
        self.seen
            .compare(Location::caller(), &self.body, &expected, false);
        self
    }

    /// See [`Seen::same`].
    #[track_caller]
    pub(crate) fn same(&self, expected: Value) -> &Self {
        self.seen
            .compare(Location::caller(), &self.body, &expected, true);
        self
    }

    /// A Status that says what went wrong, whole. Null for no details.
    #[track_caller]
    pub(crate) fn fails(&self, code: u16, reason: &str, message: &str, details: Value) -> &Self {
        let at = Location::caller();
        self.code_is(at, code);
        let mut expected = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "reason": reason, "message": message, "code": code,
        });
        if !details.is_null() {
            expected["details"] = details;
        }
        self.seen.compare(at, &self.body, &expected, true);
        self
    }

    /// An object was refused: 422 with these causes (reason, message, field), and the message that
    /// is made of them. `kind` is as in `Job.batch`.
    #[track_caller]
    pub(crate) fn invalid(&self, kind: &str, name: &str, causes: &[(&str, &str, &str)]) -> &Self {
        let at = Location::caller();
        self.code_is(at, 422);
        let lines: Vec<String> = causes.iter().map(|c| format!("{}: {}", c.2, c.1)).collect();
        let listed = match lines.as_slice() {
            [one] => one.clone(),
            more => format!("[{}]", more.join(", ")),
        };
        let mut details = json!({
            "kind": kind.split('.').next().unwrap(),
            "causes": causes.iter()
                .map(|c| json!({"reason": c.0, "message": c.1, "field": c.2}))
                .collect::<Vec<_>>(),
        });
        if !name.is_empty() {
            details["name"] = json!(name);
        }
        if let Some((_, group)) = kind.split_once('.') {
            details["group"] = json!(group);
        }
        let expected = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "reason": "Invalid", "code": 422, "details": details,
            "message": format!("{kind} \"{name}\" is invalid: {listed}"),
        });
        self.seen.compare(at, &self.body, &expected, true);
        self
    }

    /// The texts of the Warning headers.
    #[track_caller]
    pub(crate) fn warns(&self, expected: &[&str]) -> &Self {
        let found: Vec<String> = self
            .headers
            .get_all("warning")
            .iter()
            .map(warning)
            .collect();
        self.seen
            .compare(Location::caller(), &json!(found), &json!(expected), true);
        self
    }

    /// A header.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|v| v.to_str().ok())
            .unwrap_or_default()
    }

    /// Names of a list's items, in its order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.items()
            .iter()
            .map(|i| text(i, "/metadata/name"))
            .collect()
    }

    pub(crate) fn items(&self) -> &[Value] {
        self.body["items"].as_array().map_or(&[], Vec::as_slice)
    }

    /// `metadata.uid` and the like.
    #[track_caller]
    pub(crate) fn at(&self, pointer: &str) -> String {
        text(&self.body, pointer)
    }
}

/// A string somewhere in an object; empty if there is none.
pub(crate) fn text(object: &Value, pointer: &str) -> String {
    object
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// `299 - "text"` without its wrapping.
fn warning(value: &http::HeaderValue) -> String {
    let text = value.to_str().unwrap_or_default();
    let inner = text
        .strip_prefix("299 - \"")
        .and_then(|t| t.strip_suffix('"'));
    inner.unwrap_or(text).replace("\\\"", "\"")
}
