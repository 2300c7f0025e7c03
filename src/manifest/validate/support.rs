//! What a JobSet may say but this release doesn't carry out. Passing over it in silence would be worse than
//! refusing, so it is refused.

use crate::api::names::{EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY};
use crate::api::{ReplicatedJob, RestartStrategy};
use crate::manifest::finding::Finding;
use crate::manifest::path::FieldPath;
use crate::manifest::validate::Checked;

/// Code of all findings here.
const CODE: &str = "not-supported";
/// `backoffLimit` that upstream demands for in-place restarts.
const IN_PLACE_BACKOFF: i64 = i32::MAX as i64;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let jobset = checked.jobset;
    let spec = FieldPath::spec();
    if let Some(policy) = &jobset.spec.failure_policy
        && policy.restart_strategy == Some(RestartStrategy::InPlaceRestart)
    {
        findings.push(in_place(&jobset.spec.replicated_jobs));
    }
    if jobset.spec.volume_claim_policies.is_some() {
        findings.push(
            Finding::error(
                CODE,
                spec.clone().key("volumeClaimPolicies"),
                "volumeClaimPolicies is not supported by this release",
            )
            .at_key()
            .help("create the claims with kubectl and mount them by name"),
        );
    }
    if let Some(seconds) = jobset.spec.ttl_seconds_after_finished {
        let path = spec.key("ttlSecondsAfterFinished");
        if seconds < 0 {
            findings.push(Finding::error(
                "ttl-negative",
                path.clone(),
                format!("ttlSecondsAfterFinished must be 0 or more, not {seconds}"),
            ));
        }
        findings.push(
            Finding::error(
                CODE,
                path,
                "ttlSecondsAfterFinished is not supported by this release",
            )
            .at_key()
            .help("run with --rm to delete everything at the end"),
        );
    }
    annotations(checked, findings);
}

/// C16: refused, with what upstream would demand of each role besides.
fn in_place(roles: &[ReplicatedJob]) -> Finding {
    let finding = Finding::error(
        CODE,
        FieldPath::spec().keys(&["failurePolicy", "restartStrategy"]),
        "InPlaceRestart is not supported by this release",
    );
    let mut demands = Vec::new();
    for role in roles {
        let spec = role.template.spec();
        let field = |key: &str| spec.and_then(|s| s.get(key));
        let mut missing = Vec::new();
        if field("backoffLimit").and_then(serde_json::Value::as_i64) != Some(IN_PLACE_BACKOFF) {
            missing.push("backoffLimit 2147483647");
        }
        if field("podReplacementPolicy").and_then(|v| v.as_str()) != Some("Failed") {
            missing.push("podReplacementPolicy Failed");
        }
        let (completions, parallelism) = (role.template.completions(), role.template.parallelism());
        if completions.is_none() || completions != parallelism {
            missing.push("completions = parallelism, both set");
        }
        if !missing.is_empty() {
            demands.push(format!("{} needs {}", role.name, missing.join(", ")));
        }
    }
    let instead = "use Recreate or BlockingRecreate";
    finding.help(if demands.is_empty() {
        instead.to_owned()
    } else {
        format!(
            "{instead}; JobSet's controller would also refuse this file: {}",
            demands.join("; ")
        )
    })
}

/// C44: exclusive placement, on the set or on one role's template.
fn annotations(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let mut refuse = |path: FieldPath, key: &str| {
        findings.push(
            Finding::error(
                CODE,
                path.keys(&["annotations", key]),
                format!("exclusive placement ({key}) is not supported by this release"),
            )
            .at_key()
            .help("use podAffinity and podAntiAffinity on jobset.sigs.k8s.io/job-key in the pod template"),
        );
    };
    for key in [EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY] {
        if checked.jobset.metadata.annotations.contains_key(key) {
            refuse(FieldPath::root().key("metadata"), key);
        }
        for (n, role) in checked.jobset.spec.replicated_jobs.iter().enumerate() {
            if role.template.annotation(key).is_some() {
                refuse(FieldPath::role(n).keys(&["template", "metadata"]), key);
            }
        }
    }
}
