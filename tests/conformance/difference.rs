//! Where a server is known to answer otherwise than a real control plane.

/// A check that is expected not to agree. One that agrees all the same fails the test, so that the
/// list stays true.
pub(crate) struct Difference {
    /// Its name, without the name of the test binary.
    pub(crate) check: &'static str,
    /// What is different, and why it stays so.
    pub(crate) why: &'static str,
}

/// Of the pocket cluster.
pub(crate) const POCKET: &[Difference] = &[
    // Server-side apply: there are no managed fields, so it is a strategic merge.
    difference(
        "api::apply::what_is_no_longer_applied_goes",
        NO_MANAGED_FIELDS,
    ),
    difference("api::apply::two_appliers_conflict", NO_MANAGED_FIELDS),
    difference("api::apply::force_takes_over", NO_MANAGED_FIELDS),
    difference("api::apply::the_same_value_is_shared", NO_MANAGED_FIELDS),
    difference("api::apply::updates_own_fields_too", NO_MANAGED_FIELDS),
    difference("api::apply::managed_fields_are_told", NO_MANAGED_FIELDS),
    difference("api::apply::jobs_are_applied", NO_MANAGED_FIELDS),
    difference(
        "api::strictness::duplicates_are_told",
        "a body is read as a JSON value, which has each key once",
    ),
    difference(
        "api::events::events_are_one_kind_in_two_groups",
        "events.k8s.io is not served",
    ),
    difference(
        "api::watch::the_old_paths_watch_too",
        "paths with /watch/ in them are not served: nobody uses them any more",
    ),
    difference(
        "api::representations::metadata_of_one_are_not_those_of_many",
        "what can be understood is answered",
    ),
    difference(
        "api::subresources::a_pod_without_a_node_has_no_log",
        "it is said of it what is said of one that waits on a node",
    ),
    difference(
        "api::validation_policies::success_policies_are_for_indexed_jobs",
        "a value is shown as the API writes it, not with the field names of the server's own types",
    ),
    difference(
        "api::validation_pods::quantities",
        "quantities are kept as they are written, and read only where they are used",
    ),
    difference("api::validation_pods::defaults_of_a_pod", NO_ADMISSION),
    difference("api::validation_pods::tolerations_are_added", NO_ADMISSION),
    difference(
        "nodes::messages::a_claim_that_is_not_there",
        "the scheduler does not look at volumes",
    ),
];

const NO_ADMISSION: &str = "admission adds no tolerations and no priority";
const NO_MANAGED_FIELDS: &str = "there are no managed fields: an apply is a strategic merge";

const fn difference(check: &'static str, why: &'static str) -> Difference {
    Difference { check, why }
}
