//! `successPolicy` (spec 4.6): targets exist, and what `Any` and `All` really wait for.

use crate::api::{DependsOnStatus, Operator, ReplicatedJob};
use crate::manifest::decode::nearest;
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::validate::Checked;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let Some(policy) = &checked.jobset.spec.success_policy else {
        return;
    };
    let roles = &checked.jobset.spec.replicated_jobs;
    let path = FieldPath::spec().key("successPolicy");
    let list = path.clone().key("targetReplicatedJobs");
    let before = findings.len();
    targets(
        &policy.target_replicated_jobs,
        &list,
        "success-target",
        roles,
        findings,
    );
    if findings.len() > before {
        return;
    }
    let named = &policy.target_replicated_jobs;
    let counted: Vec<(usize, &ReplicatedJob)> = roles
        .iter()
        .enumerate()
        .filter(|(_, r)| named.is_empty() || named.contains(&r.name))
        .collect();
    let jobs: u64 = counted.iter().map(|(_, r)| u64::from(r.replicas())).sum();
    let all: u64 = roles.iter().map(|r| u64::from(r.replicas())).sum();
    if jobs == 0 && all > 0 {
        // Trap D.6.3.
        findings.push(Finding::warning(
            "success-targets-empty",
            list,
            "the targets have no Jobs: the set completes as soon as any other Job succeeds",
        ));
        return;
    }
    if policy.operator == Operator::Any {
        initialiser(&counted, roles, &path, findings);
        one_job(&counted, jobs, &path, findings);
    }
}

/// Every named role exists.
pub(super) fn targets(
    names: &[String],
    list: &FieldPath,
    code: &'static str,
    roles: &[ReplicatedJob],
    findings: &mut Vec<Finding>,
) {
    let known: Vec<_> = roles.iter().map(|r| r.name.as_str()).collect();
    for (m, name) in names.iter().enumerate() {
        if known.contains(&name.as_str()) {
            continue;
        }
        let finding = Finding::error(
            code,
            list.clone().index(m),
            format!("there is no replicated job named {name}"),
        );
        findings.push(match nearest(name, &known) {
            Some(near) => finding.help(format!("did you mean {near}?")),
            None => finding,
        });
    }
}

/// Trap D.5.8: a role that others wait to see complete also meets `Any`, and those others never start.
fn initialiser(
    counted: &[(usize, &ReplicatedJob)],
    roles: &[ReplicatedJob],
    path: &FieldPath,
    findings: &mut Vec<Finding>,
) {
    for (n, role) in counted.iter().filter(|(_, r)| r.replicas() > 0) {
        let waiting = roles.iter().find(|r| {
            r.depends_on
                .iter()
                .any(|d| d.name == role.name && d.status == DependsOnStatus::Complete)
        });
        if let Some(waiting) = waiting {
            findings.push(
                Finding::error(
                    "any-initialiser",
                    path.clone().key("operator"),
                    format!(
                        "the set completes as soon as {} does, before {} starts",
                        role.name, waiting.name
                    ),
                )
                .see(
                    Place::Value(FieldPath::role(*n).key("name")),
                    format!("{} waits for it to complete", waiting.name),
                )
                .help("name the replicated jobs that count in targetReplicatedJobs"),
            );
        }
    }
}

/// C27: `Any` counts Jobs. With one Job of several pods it is the same as `All`.
fn one_job(
    counted: &[(usize, &ReplicatedJob)],
    jobs: u64,
    path: &FieldPath,
    findings: &mut Vec<Finding>,
) {
    let Some((n, role)) = counted.iter().find(|(_, r)| r.replicas() > 0) else {
        return;
    };
    let pods = role.template.completions().unwrap_or(1);
    let has_policy = role
        .template
        .spec()
        .is_some_and(|s| s.get("successPolicy").is_some_and(|p| !p.is_null()));
    if jobs == 1 && pods > 1 && !has_policy {
        findings.push(
            Finding::warning(
                "any-counts-jobs",
                path.clone().key("operator"),
                format!(
                    "Any means any Job, not any pod: all {pods} pods of {} must end",
                    role.name
                ),
            )
            .see(
                Place::Value(FieldPath::role(*n).keys(&["template", "spec", "completions"])),
                "",
            )
            .help("the Job's own successPolicy (rules with succeededIndexes) ends it earlier"),
        );
    }
}
