//! Compares JSON and remembers what was not as expected, so that one run of a check shows every
//! difference and not only the first.

use std::cell::{Cell, RefCell};
use std::panic::Location;

use serde_json::Value;

/// What a check has compared so far.
#[derive(Default)]
pub(crate) struct Seen {
    compared: Cell<usize>,
    wrong: RefCell<Vec<String>>,
}

impl Seen {
    /// Values compared.
    pub(crate) fn compared(&self) -> usize {
        self.compared.get()
    }

    /// What was not as expected.
    pub(crate) fn wrong(&self) -> Vec<String> {
        self.wrong.borrow().clone()
    }

    /// Every member that `expected` names is as it says: `"*"` is anything but null, null is
    /// something that is not there. Members that it does not name may be anything.
    #[track_caller]
    pub(crate) fn like(&self, actual: &Value, expected: &Value) {
        self.compare(Location::caller(), actual, expected, false);
    }

    /// The same, and there are no other members.
    #[track_caller]
    pub(crate) fn same(&self, actual: &Value, expected: &Value) {
        self.compare(Location::caller(), actual, expected, true);
    }

    /// Something that is not a comparison of JSON.
    #[track_caller]
    pub(crate) fn holds(&self, what: &str, holds: bool) {
        self.compared.set(self.compared.get() + 1);
        if !holds {
            self.note(Location::caller(), what);
        }
    }

    /// Two values of any kind.
    #[track_caller]
    pub(crate) fn equal<T: PartialEq + std::fmt::Debug>(&self, what: &str, actual: T, expected: T) {
        self.compared.set(self.compared.get() + 1);
        if actual != expected {
            let text = format!("{what}: {actual:?}, not {expected:?}");
            self.note(Location::caller(), &text);
        }
    }

    pub(crate) fn compare(&self, at: &Location<'_>, actual: &Value, expected: &Value, whole: bool) {
        let mut wrong = Vec::new();
        let compared = differences("", actual, expected, whole, &mut wrong);
        self.compared.set(self.compared.get() + compared);
        if !wrong.is_empty() {
            self.note(at, &wrong.join("\n  "));
        }
    }

    pub(crate) fn note(&self, at: &Location<'_>, text: &str) {
        let file = at.file().rsplit("conformance/").next().unwrap_or_default();
        self.wrong
            .borrow_mut()
            .push(format!("{file}:{}: {text}", at.line()));
    }
}

/// Collects what differs; how many values were looked at.
fn differences(
    path: &str,
    actual: &Value,
    expected: &Value,
    whole: bool,
    wrong: &mut Vec<String>,
) -> usize {
    match (actual, expected) {
        (Value::Object(have), Value::Object(want)) => {
            let mut compared = 0;
            for (key, value) in want {
                let found = have.get(key).unwrap_or(&Value::Null);
                compared += differences(&format!("{path}.{key}"), found, value, whole, wrong);
            }
            if whole {
                for (key, value) in have.iter().filter(|(key, _)| !want.contains_key(*key)) {
                    wrong.push(format!("{path}.{key}: {value}, not expected"));
                }
            }
            compared.max(1)
        }
        (Value::Array(have), Value::Array(want)) => {
            let mut compared = 1;
            if have.len() == want.len() {
                for (at, (have, want)) in have.iter().zip(want).enumerate() {
                    compared += differences(&format!("{path}[{at}]"), have, want, whole, wrong);
                }
            } else {
                wrong.push(format!("{path}: {actual}, not {expected}"));
            }
            compared
        }
        (Value::Null, Value::String(any)) if any == "*" => {
            wrong.push(format!("{path}: nothing there"));
            1
        }
        (_, Value::String(any)) if any == "*" => 1,
        _ => {
            if actual != expected {
                wrong.push(format!("{path}: {actual}, not {expected}"));
            }
            1
        }
    }
}
