//! What is refused, for each kind. Rules are those of the API server as far as JobSets meet them.

mod meta;

use crate::cluster::api::problems::Problems;
use crate::cluster::object::Object;

/// Problems of a new object.
pub(super) fn create(object: &Object) -> Problems {
    let mut problems = Problems::default();
    meta::object(object, &mut problems);
    problems
}

/// Problems of a change; `status`: only the status is written.
pub(super) fn update(new: &Object, old: &Object, _status: bool) -> Problems {
    let mut problems = Problems::default();
    meta::update(new, old, &mut problems);
    problems
}

/// What is worth a warning in a new object.
pub(super) fn warnings(_object: &Object) -> Vec<String> {
    Vec::new()
}

/// What is worth a warning in a change.
pub(super) fn update_warnings(_new: &Object, _old: &Object) -> Vec<String> {
    Vec::new()
}
