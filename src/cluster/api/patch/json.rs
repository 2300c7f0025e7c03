//! JSON patch, RFC 6902.

use serde_json::Value;

use crate::cluster::api::status::Status;

/// Operations in one patch.
const MAX: usize = 10_000;

pub(super) fn applied(mut before: Value, patch: &Value) -> Result<Value, Status> {
    let operations: json_patch::Patch = serde_json::from_value(patch.clone())
        .map_err(|error| Status::bad_request(format!("error decoding patch: {error}")))?;
    if operations.0.len() > MAX {
        return Err(Status::new(
            413,
            "RequestEntityTooLarge",
            format!(
                "The allowed maximum operations in a JSON patch is {MAX}, got {}",
                operations.0.len()
            ),
        ));
    }
    json_patch::patch(&mut before, &operations).map_err(|error| {
        let words = words(patch, &error);
        Status::new(
            422,
            "Invalid",
            "the server rejected our request due to an error in our request",
        )
        .because(words)
    })?;
    Ok(before)
}

/// The real one's words of the commonest refusals.
fn words(patch: &Value, error: &json_patch::PatchError) -> String {
    let operation = &patch[error.operation];
    let path = operation["path"].as_str().unwrap_or_default();
    match operation["op"].as_str() {
        Some("test") => format!("testing value {path} failed: test failed"),
        Some("remove") => {
            format!(
                "remove operation does not apply: doc is missing path: \"{path}\": missing value"
            )
        }
        Some(word) => {
            format!(
                "{word} operation does not apply: doc is missing path: \"{path}\": missing value"
            )
        }
        None => error.to_string(),
    }
}

impl Status {
    /// What the server doesn't say in its message, as a cause.
    fn because(mut self, why: String) -> Self {
        self.causes.push(crate::cluster::api::status::Cause {
            reason: "UnexpectedServerResponse".to_owned(),
            message: why,
            field: String::new(),
        });
        self
    }
}
