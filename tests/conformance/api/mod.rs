//! The API machinery: what any client of any server relies on.

mod access;
mod apply;
mod collections;
mod deletion;
mod discovery;
mod dry_run;
mod errors;
mod events;
mod json_patch;
mod lists;
mod merge_patch;
mod metadata;
mod namespaces;
mod ownership;
mod pod_deletion;
mod quota;
mod representations;
mod selectors;
mod strategic;
mod strictness;
mod subresources;
mod validation_changes;
mod validation_jobs;
mod validation_others;
mod validation_pods;
mod validation_policies;
mod watch;
mod watch_lists;

use crate::suite::Check;

/// Slow ones first.
pub(crate) fn checks() -> Vec<Check> {
    [
        quota::checks(),
        ownership::checks(),
        pod_deletion::checks(),
        namespaces::checks(),
        watch::checks(),
        watch_lists::checks(),
        deletion::checks(),
        collections::checks(),
        access::checks(),
        apply::checks(),
        discovery::checks(),
        dry_run::checks(),
        errors::checks(),
        events::checks(),
        json_patch::checks(),
        lists::checks(),
        merge_patch::checks(),
        metadata::checks(),
        representations::checks(),
        selectors::checks(),
        strategic::checks(),
        strictness::checks(),
        subresources::checks(),
        validation_jobs::checks(),
        validation_policies::checks(),
        validation_changes::checks(),
        validation_pods::checks(),
        validation_others::checks(),
    ]
    .concat()
}
