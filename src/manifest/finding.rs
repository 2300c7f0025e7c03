//! What is wrong with a manifest, as data. Checks produce findings with paths; where in the text a path
//! stands is worked out by [`SourceMap`] when it is shown.

use std::ops::Range;

use serde_json::{Value, json};

use crate::manifest::codes::CODES;
use crate::manifest::path::FieldPath;
use crate::manifest::source::SourceMap;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The manifest is refused.
    Error,
    /// It is run, but probably doesn't do what was meant.
    Warning,
}

/// A place in the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The key of a field; where the field is absent, the nearest mapping above it.
    Key(FieldPath),
    /// The value of a field; where the field is absent, the nearest mapping above it.
    Value(FieldPath),
    /// Bytes of a source's text.
    Bytes {
        /// Position in the list of sources.
        source: usize,
        /// Byte range in [`crate::manifest::source::Text::text`].
        range: Range<usize>,
    },
}

/// A marked place with a few words about it (may be empty).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What to write beside it.
    pub text: String,
}

/// One complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Error or warning.
    pub severity: Severity,
    /// Stable name of the check, such as `pod-name-length`.
    pub code: &'static str,
    /// What is wrong: a lower-case fragment.
    pub message: String,
    /// Field it is about; the root when it is about a document or the text as such.
    pub path: FieldPath,
    /// Marked places; the first one is the main one.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Finding {
    /// An error at the value of a field.
    #[must_use]
    pub fn error(code: &'static str, path: FieldPath, message: impl Into<String>) -> Self {
        debug_assert!(is_listed(code), "{code} is not in CODES");
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: vec![Label {
                place: Place::Value(path.clone()),
                text: String::new(),
            }],
            path,
            help: None,
        }
    }
    /// A warning at the value of a field.
    #[must_use]
    pub fn warning(code: &'static str, path: FieldPath, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, path, message)
        }
    }
    /// An error at bytes of a source.
    #[must_use]
    pub fn at_bytes(
        code: &'static str,
        source: usize,
        range: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        debug_assert!(is_listed(code), "{code} is not in CODES");
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            path: FieldPath::root(),
            labels: vec![Label {
                place: Place::Bytes { source, range },
                text: String::new(),
            }],
            help: None,
        }
    }
    /// Points at the key instead of the value.
    #[must_use]
    pub fn at_key(mut self) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.place = Place::Key(self.path.clone());
        }
        self
    }
    /// Words beside the main place.
    #[must_use]
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }
    /// Another place that has to do with it.
    #[must_use]
    pub fn see(mut self, place: Place, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            place,
            text: text.into(),
        });
        self
    }
    /// What to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// It is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
    /// The finding for machines: severity, code, message, path, help, and places as file, line, column
    /// (both 1-based, columns in characters) and byte range.
    #[must_use]
    pub fn to_json(&self, sources: &SourceMap) -> Value {
        let places: Vec<Value> = self
            .labels
            .iter()
            .filter_map(|label| {
                let at = sources.locate(&label.place)?;
                let (line, column) = sources.line_column(at.source, at.range.start);
                Some(json!({
                    "file": sources.name(at.source),
                    "line": line,
                    "column": column,
                    "start": at.range.start,
                    "end": at.range.end,
                    "text": label.text,
                }))
            })
            .collect();
        json!({
            "severity": match self.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            "code": self.code,
            "message": self.message,
            "path": self.path.to_string(),
            "places": places,
            "help": self.help,
        })
    }
}

fn is_listed(code: &str) -> bool {
    CODES.binary_search_by(|(c, _)| (*c).cmp(code)).is_ok()
}
