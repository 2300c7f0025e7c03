//! `network` and `managedBy` (spec 4.2, 4.3), and readiness that waits for an address that can't be there yet.

use serde_json::Value;

use crate::api::names::{MANAGED_BY_CLIENT, MANAGED_BY_CONTROLLER};
use crate::api::{DependsOnStatus, ReplicatedJob, StartupOrder};
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::validate::Checked;
use crate::manifest::validate::format::{
    DNS_1035, LABEL_MAX, characters, is_dns_1035, is_domain_prefixed_path,
};

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    subdomain(checked, findings);
    managed_by(checked, findings);
    readiness(checked, findings);
}

fn subdomain(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let network = checked.jobset.spec.network.as_ref();
    let Some(subdomain) = network
        .and_then(|n| n.subdomain.as_deref())
        .filter(|s| !s.is_empty())
    else {
        return;
    };
    let path = FieldPath::spec().keys(&["network", "subdomain"]);
    // A DNS-1035 label is always a DNS-1123 subdomain as well, so one check covers both of upstream's.
    if !is_dns_1035(subdomain) {
        findings.push(Finding::error(
            "subdomain",
            path,
            format!("{subdomain:?} is not {DNS_1035}"),
        ));
    } else if subdomain.len() > LABEL_MAX {
        findings.push(Finding::error(
            "subdomain",
            path,
            format!(
                "the subdomain has {}, at most {LABEL_MAX} are allowed",
                characters(subdomain.len())
            ),
        ));
    }
}

fn managed_by(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let Some(manager) = checked.jobset.spec.managed_by.as_deref() else {
        return;
    };
    let path = FieldPath::spec().key("managedBy");
    if manager.len() > LABEL_MAX {
        findings.push(Finding::error(
            "managed-by",
            path,
            format!(
                "managedBy has {}, at most {LABEL_MAX} are allowed",
                characters(manager.len())
            ),
        ));
    } else if !is_domain_prefixed_path(manager) {
        findings.push(Finding::error(
            "managed-by",
            path,
            format!("{manager:?} is not a domain and a path, such as acme.io/foo"),
        ));
    } else if manager == MANAGED_BY_CONTROLLER {
        findings.push(
            Finding::warning(
                "managed-by-controller",
                path,
                "this names the controller in the cluster, but the set is run from here",
            )
            .help("leave managedBy out, or apply the file with kubectl where the controller is installed"),
        );
    } else if manager != MANAGED_BY_CLIENT {
        findings.push(
            Finding::error(
                "managed-by-other",
                path,
                format!("{manager} manages this JobSet, so it isn't ours to run"),
            )
            .help("leave managedBy out to run it from here"),
        );
    }
}

/// C22, trap D.5.9: names of unready pods don't resolve, and a role whose readiness may need the address of
/// a later one holds that one up.
fn readiness(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let jobset = checked.jobset;
    if jobset.publish_not_ready() || !jobset.dns_hostnames() {
        return;
    }
    let roles = &jobset.spec.replicated_jobs;
    for (n, role) in roles.iter().enumerate() {
        let Some(probe) = readiness_probe(n, role) else {
            continue;
        };
        let waits = |later: &&ReplicatedJob| {
            jobset.startup_order() == StartupOrder::InOrder
                || later
                    .depends_on
                    .iter()
                    .any(|d| d.name == role.name && d.status == DependsOnStatus::Ready)
        };
        if let Some(later) = roles[n + 1..].iter().find(waits) {
            findings.push(
                Finding::warning(
                    "readiness-needs-later-role",
                    probe,
                    format!(
                        "{a}'s readiness may need {b}'s address, and {b} starts after {a} is ready",
                        a = role.name,
                        b = later.name
                    ),
                )
                .at_key()
                .see(
                    Place::Value(FieldPath::spec().keys(&["network", "publishNotReadyAddresses"])),
                    "names of pods that are not ready don't resolve",
                ),
            );
        }
    }
}

/// Path of the role's first readiness probe.
fn readiness_probe(n: usize, role: &ReplicatedJob) -> Option<FieldPath> {
    let containers = role
        .template
        .pod_template()?
        .get("spec")?
        .get("containers")?;
    let index = containers
        .as_array()?
        .iter()
        .position(|c| c.get("readinessProbe").is_some_and(Value::is_object))?;
    Some(
        FieldPath::role(n)
            .keys(&["template", "spec", "template", "spec", "containers"])
            .index(index)
            .key("readinessProbe"),
    )
}
