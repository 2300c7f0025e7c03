//! Numbers of Jobs and pods (spec 4.4), and sets that have none.

use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::validate::Checked;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let roles = &checked.jobset.spec.replicated_jobs;
    for (n, role) in roles.iter().enumerate() {
        let path = FieldPath::role(n);
        let replicas = i64::from(role.replicas.unwrap_or(1));
        if replicas < 0 {
            findings.push(Finding::error(
                "replicas-negative",
                path.clone().key("replicas"),
                format!("replicas must be 0 or more, not {replicas}"),
            ));
        }
        let parallelism = role.template.parallelism().unwrap_or(1);
        let pods = replicas.saturating_mul(parallelism);
        if pods > i64::from(i32::MAX) {
            findings.push(
                Finding::error(
                    "too-many-pods",
                    path.clone().key("replicas"),
                    format!(
                        "replicas times parallelism is {pods}, at most {} are allowed",
                        i32::MAX
                    ),
                )
                .see(
                    Place::Value(path.keys(&["template", "spec", "parallelism"])),
                    "",
                ),
            );
        }
    }
    if roles.is_empty() {
        findings.push(
            Finding::error(
                "nothing-to-run",
                FieldPath::spec().key("replicatedJobs"),
                "there is no replicated job: the set would never complete",
            )
            .at_key(),
        );
    } else if roles.iter().all(|r| r.replicas == Some(0)) {
        findings.push(
            Finding::error(
                "nothing-to-run",
                FieldPath::spec().key("replicatedJobs"),
                "every replicated job has replicas: 0: the set would never complete",
            )
            .at_key(),
        );
    }
}
