//! `dependsOn` (spec 4.1, C18): only earlier roles, never together with InOrder.

use std::collections::BTreeMap;

use crate::api::{ReplicatedJob, StartupOrder};
use crate::manifest::decode::nearest;
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::validate::Checked;

/// Most entries of one role.
const MAX_ENTRIES: usize = 5;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let roles = &checked.jobset.spec.replicated_jobs;
    for (n, role) in roles.iter().enumerate() {
        let path = FieldPath::role(n).key("dependsOn");
        if role.depends_on.len() > MAX_ENTRIES {
            findings.push(
                Finding::error(
                    "depends-on-too-many",
                    path.clone(),
                    format!(
                        "dependsOn has {} entries, at most {MAX_ENTRIES} are allowed",
                        role.depends_on.len()
                    ),
                )
                .at_key(),
            );
        }
        if n == 0 && !role.depends_on.is_empty() {
            findings.push(
                Finding::error(
                    "depends-on-first",
                    path,
                    "the first replicated job can't depend on another: only earlier ones count",
                )
                .at_key(),
            );
        } else {
            entries(n, role, roles, findings);
        }
    }
    with_in_order(checked, findings);
}

fn entries(n: usize, role: &ReplicatedJob, roles: &[ReplicatedJob], findings: &mut Vec<Finding>) {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (m, entry) in role.depends_on.iter().enumerate() {
        let at = |m: usize| FieldPath::role(n).key("dependsOn").index(m).key("name");
        if let Some(before) = first.get(entry.name.as_str()) {
            findings.push(
                Finding::error(
                    "depends-on-twice",
                    at(m),
                    format!("{} is named twice", entry.name),
                )
                .see(Place::Value(at(*before)), "first here"),
            );
            continue;
        }
        first.insert(&entry.name, m);
        if entry.name == role.name {
            findings.push(
                Finding::error(
                    "depends-on-itself",
                    at(m),
                    format!("{} depends on itself, so it would never start", role.name),
                )
                .help("JobSet's controller accepts this, and the set then waits for ever"),
            );
            continue;
        }
        match roles.iter().position(|r| r.name == entry.name) {
            Some(other) if other < n => {}
            Some(other) => findings.push(
                Finding::error(
                    "depends-on-later",
                    at(m),
                    format!(
                        "{} can't depend on {}: it is listed later",
                        role.name, entry.name
                    ),
                )
                .see(Place::Value(FieldPath::role(other).key("name")), "here")
                .help(format!("move {} in front of {}", entry.name, role.name)),
            ),
            None => {
                let finding = Finding::error(
                    "depends-on-unknown",
                    at(m),
                    format!("there is no replicated job named {}", entry.name),
                );
                let names: Vec<_> = roles[..n].iter().map(|r| r.name.as_str()).collect();
                findings.push(match nearest(&entry.name, &names) {
                    Some(near) => finding.help(format!("did you mean {near}?")),
                    None => finding,
                });
            }
        }
    }
}

fn with_in_order(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    if checked.jobset.startup_order() != StartupOrder::InOrder {
        return;
    }
    let roles = &checked.jobset.spec.replicated_jobs;
    if let Some(n) = roles.iter().position(|r| !r.depends_on.is_empty()) {
        findings.push(
            Finding::error(
                "depends-on-in-order",
                FieldPath::spec().keys(&["startupPolicy", "startupPolicyOrder"]),
                "InOrder and dependsOn exclude each other",
            )
            .see(Place::Key(FieldPath::role(n).key("dependsOn")), "used here")
            .help("leave startupPolicy out"),
        );
    }
}
