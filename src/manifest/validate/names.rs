//! Names (spec 1, 4.2-4.5): of the set, the roles, the groups, and of the Jobs and pods made from them. Where
//! one is too long, the length that would fit is said (C35).

use std::collections::BTreeMap;

use crate::api::ReplicatedJob;
use crate::api::names::job_name;
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::validate::format::{DNS_1035, LABEL_MAX, characters, is_dns_1035};
use crate::manifest::validate::{Checked, NameFrom};

/// What the Job controller appends to a pod's name: a dash and five characters.
const POD_SUFFIX: usize = 6;
/// What `generateName` adds.
const GENERATED: usize = 5;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let roles = &checked.jobset.spec.replicated_jobs;
    let name_is_good = jobset_name(checked, findings);
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (n, role) in roles.iter().enumerate() {
        let path = FieldPath::role(n).key("name");
        if role.name.is_empty() {
            // An absent name was reported as a missing field.
            findings.push(Finding::error("role-name", path, "the name is empty"));
            continue;
        }
        if let Some(before) = first.get(role.name.as_str()) {
            findings.push(
                Finding::error(
                    "role-name-twice",
                    path.clone(),
                    format!("there are two replicated jobs named {}", role.name),
                )
                .see(
                    Place::Value(FieldPath::role(*before).key("name")),
                    "first here",
                ),
            );
        } else {
            first.insert(&role.name, n);
        }
        let format_is_good = role
            .name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !format_is_good {
            let derived = job_name(&checked.jobset.metadata.name, &role.name, 0);
            findings.push(
                Finding::error(
                    "role-name",
                    path,
                    format!("job name {derived:?} is not {DNS_1035}"),
                )
                .saying("allowed here: a-z, 0-9 and -"),
            );
        } else if name_is_good {
            length(checked, n, role, findings);
        }
        group_name(n, role, findings);
    }
}

/// The set's name, as part of all other names. Its length is checked with each role's.
fn jobset_name(checked: &Checked<'_>, findings: &mut Vec<Finding>) -> bool {
    let name = &checked.jobset.metadata.name;
    // An absent name has been reported.
    let good = name.is_empty() || is_dns_1035(name);
    if !good {
        let role = checked.jobset.spec.replicated_jobs.first();
        let derived = job_name(name, role.map_or("role", |r| &r.name), 0);
        findings.push(
            Finding::error(
                "jobset-name",
                checked.name_from.path(),
                format!("job name {derived:?} is not {DNS_1035}"),
            )
            .saying("the first part of every job name"),
        );
    }
    good && !name.is_empty()
}

/// Job and pod names of the largest indexes. A role without Jobs has none (trap D.8.2).
fn length(checked: &Checked<'_>, n: usize, role: &ReplicatedJob, findings: &mut Vec<Finding>) {
    let Some(last_job) = role.replicas().checked_sub(1) else {
        return;
    };
    let jobset = &checked.jobset.metadata.name;
    let job = job_name(jobset, &role.name, last_job);
    let completions = role
        .template
        .completions()
        .filter(|c| role.template.is_indexed() && *c > 0);
    let pod = completions.map(|c| format!("{job}-{}", c - 1));
    let longest = pod.as_ref().map_or(job.len(), |p| p.len() + POD_SUFFIX);
    if longest <= LABEL_MAX {
        return;
    }
    let over = longest - LABEL_MAX;
    let (code, what, name, len) = match &pod {
        Some(pod) if job.len() <= LABEL_MAX => {
            ("pod-name-length", "pod", format!("{pod}-xxxxx"), longest)
        }
        _ => ("job-name-length", "job", job.clone(), job.len()),
    };
    let path = FieldPath::role(n);
    let mut finding = Finding::error(
        code,
        path.clone().key("name"),
        format!("{what} name is {len} characters long, {LABEL_MAX} are allowed: {name}"),
    )
    .saying("this part")
    .see(Place::Value(checked.name_from.path()), "and this part");
    if last_job > 0 {
        finding = finding.see(
            Place::Value(path.clone().key("replicas")),
            format!("job index {last_job} is the longest"),
        );
    }
    if let Some(last_pod) = completions.map(|c| c - 1).filter(|p| *p > 0) {
        finding = finding.see(
            Place::Value(path.keys(&["template", "spec", "completions"])),
            format!("pod index {last_pod} is the longest"),
        );
    }
    let generated = if checked.name_from == NameFrom::GenerateName {
        GENERATED
    } else {
        0
    };
    let words = checked.name_from.words();
    let fits = jobset.len().saturating_sub(over + generated);
    findings.push(
        finding.help(if fits > 0 && jobset.len() > over + generated {
            format!(
                "{words} may have at most {} with this role; or shorten the role by {over}",
                characters(fits)
            )
        } else {
            format!(
                "shorten {words} and the role by {} together",
                characters(over)
            )
        }),
    );
}

fn group_name(n: usize, role: &ReplicatedJob, findings: &mut Vec<Finding>) {
    let group = role.group_name();
    if is_dns_1035(group) && group.len() <= LABEL_MAX {
        return;
    }
    findings.push(Finding::error(
        "group-name",
        FieldPath::role(n).key("groupName"),
        format!("{group:?} is not {DNS_1035}"),
    ));
}
