//! JSON merge patch, RFC 7396.

use serde_json::Value;

use crate::cluster::api::status::Status;

pub(super) fn merged(mut before: Value, patch: &Value) -> Result<Value, Status> {
    if !patch.is_object() {
        return Err(Status::bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            crate::cluster::api::gotype::json_word(patch)
        )));
    }
    json_patch::merge(&mut before, patch);
    Ok(before)
}
