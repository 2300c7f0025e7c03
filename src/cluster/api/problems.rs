//! What is wrong with an object, field by field, in the words of the API's validation. It collects and
//! words; the rules are in `validate`.

use std::fmt::Display;

use serde::Serialize;
use serde_json::Value;

use crate::cluster::api::status::Cause;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    causes: Vec<Cause>,
}

fn shown(value: impl Serialize) -> String {
    // A string is quoted as JSON quotes it, which is how it is shown.
    serde_json::to_value(value).map_or_else(|_| "null".to_owned(), |v: Value| v.to_string())
}

impl Problems {
    fn add(&mut self, reason: &str, field: impl Display, message: String) {
        self.causes.push(Cause {
            reason: reason.to_owned(),
            message,
            field: field.to_string(),
        });
    }

    fn with_detail(head: String, detail: impl Display) -> String {
        let detail = detail.to_string();
        if detail.is_empty() {
            head
        } else {
            format!("{head}: {detail}")
        }
    }

    /// Something has to be there.
    pub fn required(&mut self, field: impl Display, detail: impl Display) {
        let message = Self::with_detail("Required value".to_owned(), detail);
        self.add("FieldValueRequired", field, message);
    }

    /// A value that can't be.
    pub fn invalid(&mut self, field: impl Display, value: impl Serialize, detail: impl Display) {
        let message = Self::with_detail(format!("Invalid value: {}", shown(value)), detail);
        self.add("FieldValueInvalid", field, message);
    }

    /// Something that can't be, without showing it.
    pub fn invalid_here(&mut self, field: impl Display, detail: impl Display) {
        let message = Self::with_detail("Invalid value".to_owned(), detail);
        self.add("FieldValueInvalid", field, message);
    }

    /// A value that may not change.
    pub fn immutable<T: Serialize + PartialEq>(&mut self, field: impl Display, new: &T, old: &T) {
        if new != old {
            self.invalid(field, new, "field is immutable");
        }
    }

    /// The same for each complaint about a value.
    pub fn invalid_for_each(
        &mut self,
        field: impl Display,
        value: impl Serialize + Copy,
        complaints: &[String],
    ) {
        for complaint in complaints {
            self.invalid(&field, value, complaint);
        }
    }

    /// A value that is there twice.
    pub fn duplicate(&mut self, field: impl Display, value: impl Serialize) {
        let message = format!("Duplicate value: {}", shown(value));
        self.add("FieldValueDuplicate", field, message);
    }

    /// A value that names nothing.
    pub fn not_found(&mut self, field: impl Display, value: impl Serialize) {
        let message = format!("Not found: {}", shown(value));
        self.add("FieldValueNotFound", field, message);
    }

    /// A word that isn't one of those.
    pub fn not_supported(&mut self, field: impl Display, value: impl Serialize, words: &[&str]) {
        let quoted: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
        let message = format!(
            "Unsupported value: {}: supported values: {}",
            shown(value),
            quoted.join(", ")
        );
        self.add("FieldValueNotSupported", field, message);
    }

    /// Something that may not be there.
    pub fn forbidden(&mut self, field: impl Display, detail: impl Display) {
        let message = Self::with_detail("Forbidden".to_owned(), detail);
        self.add("FieldValueForbidden", field, message);
    }

    /// A text that is too long.
    pub fn too_long(&mut self, field: impl Display, max: usize) {
        let message = format!("Too long: may not be more than {max} bytes");
        self.add("FieldValueTooLong", field, message);
    }

    /// A list that is too long.
    pub fn too_many(&mut self, field: impl Display, have: usize, max: usize) {
        let items = if max == 1 { "item" } else { "items" };
        let message = format!("Too many: {have}: must have at most {max} {items}");
        self.add("FieldValueTooMany", field, message);
    }

    /// A number below zero, where there can be none.
    pub fn negative(&mut self, field: impl Display, value: Option<impl Into<i64>>) {
        if let Some(value) = value.map(Into::into)
            && value < 0
        {
            self.invalid(field, value, "must be greater than or equal to 0");
        }
    }

    /// Those of another collection follow.
    pub fn append(&mut self, other: Self) {
        self.causes.extend(other.causes);
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.causes.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.causes.len()
    }

    /// In one line; the same words are not said twice.
    #[must_use]
    pub fn text(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for cause in &self.causes {
            let part = format!("{}: {}", cause.field, cause.message);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        match parts.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        }
    }

    /// As an answer lists them.
    #[must_use]
    pub fn into_causes(self) -> Vec<Cause> {
        let mut causes: Vec<Cause> = Vec::with_capacity(self.causes.len());
        for cause in self.causes {
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        causes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let mut problems = Problems::default();
        problems.required("a", "");
        problems.required("a", "why");
        problems.invalid("b[0]", "x", "why");
        problems.invalid("b[0]", 7, "");
        problems.not_supported("c", "x", &["A", "B"]);
        problems.too_many("d", 5, 4);
        problems.negative("e", Some(-1));
        problems.negative("e", Some(0));
        problems.required("a", "");
        let causes: Vec<String> = problems
            .causes
            .iter()
            .map(|c| format!("{} {}", c.reason, c.message))
            .collect();
        assert_eq!(
            causes,
            [
                "FieldValueRequired Required value",
                "FieldValueRequired Required value: why",
                "FieldValueInvalid Invalid value: \"x\": why",
                "FieldValueInvalid Invalid value: 7",
                "FieldValueNotSupported Unsupported value: \"x\": supported values: \"A\", \"B\"",
                "FieldValueTooMany Too many: 5: must have at most 4 items",
                "FieldValueInvalid Invalid value: -1: must be greater than or equal to 0",
                "FieldValueRequired Required value",
            ]
        );
        assert!(
            problems
                .text()
                .starts_with("[a: Required value, a: Required value: why, b[0]: ")
        );
        assert_eq!(problems.text().matches("a: Required value,").count(), 1);
    }
}
