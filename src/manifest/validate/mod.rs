//! Checks of a decoded JobSet with its defaults: what upstream refuses (spec 4), what upstream accepts
//! although it can never work, and what this release doesn't carry out. One file per topic; each
//! check reports all it finds.

use crate::api::JobSet;
use crate::manifest::finding::Finding;
use crate::manifest::path::FieldPath;

/// All findings, in no particular order. The JobSet must have its defaults and its name.
#[must_use]
pub fn validate(jobset: &JobSet) -> Vec<Finding> {
    let mut findings = Vec::new();
    if jobset.spec.replicated_jobs.is_empty() {
        findings.push(Finding::error(
            "nothing-to-run",
            FieldPath::spec().key("replicatedJobs"),
            "there is no replicated job, so the set would never complete",
        ));
    }
    findings
}
