//! JSON patch, RFC 6902.

use serde_json::Value;

use crate::cluster::api::status::Status;

/// Operations in one patch.
const MAX: usize = 10_000;

pub(super) fn applied(mut before: Value, patch: &Value) -> Result<Value, Status> {
    let Some(operations) = patch.as_array() else {
        return Err(Status::bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type []handlers.jsonPatchOp",
            crate::cluster::api::gotype::json_word(patch)
        )));
    };
    if operations.len() > MAX {
        return Err(Status::new(
            413,
            "RequestEntityTooLarge",
            format!(
                "The allowed maximum operations in a JSON patch is {MAX}, got {}",
                operations.len()
            ),
        ));
    }
    // All that it says about what does not fit, an unknown operation too.
    let refused = || {
        Status::new(
            422,
            "Invalid",
            "the server rejected our request due to an error in our request",
        )
    };
    for operation in operations {
        let one: json_patch::PatchOperation =
            serde_json::from_value(operation.clone()).map_err(|_| refused())?;
        let one = adding(&before, one);
        json_patch::patch(&mut before, &[one]).map_err(|_| refused())?;
    }
    Ok(before)
}

/// The real one replaces what isn't there in an object that is, against the RFC.
fn adding(before: &Value, operation: json_patch::PatchOperation) -> json_patch::PatchOperation {
    match operation {
        json_patch::PatchOperation::Replace(replace)
            if before.pointer(replace.path.as_str()).is_none() =>
        {
            json_patch::PatchOperation::Add(json_patch::AddOperation {
                path: replace.path,
                value: replace.value,
            })
        }
        other => other,
    }
}
