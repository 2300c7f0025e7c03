//! `coordinator` (spec 4.9, C37): the pod exists, and its endpoint is a valid label value.

use crate::api::names::coordinator_endpoint;
use crate::manifest::decode::nearest;
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::validate::Checked;
use crate::manifest::validate::format::LABEL_MAX;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let Some(coordinator) = &checked.jobset.spec.coordinator else {
        return;
    };
    let path = FieldPath::spec().key("coordinator");
    let Some((n, role)) = checked.jobset.role(&coordinator.replicated_job) else {
        let roles = &checked.jobset.spec.replicated_jobs;
        let names: Vec<_> = roles.iter().map(|r| r.name.as_str()).collect();
        let name = &coordinator.replicated_job;
        let finding = Finding::error(
            "coordinator-role",
            path.key("replicatedJob"),
            format!("there is no replicated job named {name}"),
        );
        findings.push(match nearest(name, &names) {
            Some(near) => finding.help(format!("did you mean {near}?")),
            None => finding,
        });
        return;
    };
    let job_index = i64::from(coordinator.job_index.unwrap_or(0));
    if !(0..i64::from(role.replicas())).contains(&job_index) {
        findings.push(
            Finding::error(
                "coordinator-job-index",
                path.clone().key("jobIndex"),
                format!(
                    "{} has {} Jobs, so there is no index {job_index}",
                    role.name,
                    role.replicas()
                ),
            )
            .see(Place::Value(FieldPath::role(n).key("replicas")), ""),
        );
    }
    let job = FieldPath::role(n).keys(&["template", "spec"]);
    // Without both counts the API server makes it one completion, as Job defaults have it; JobSet
    // refuses that all the same.
    match role.template.completions() {
        _ if !role.template.is_indexed() => findings.push(
            Finding::error(
                "coordinator-not-indexed",
                path.clone().key("replicatedJob"),
                format!("{} is NonIndexed: its pods have no stable names", role.name),
            )
            .see(Place::Value(job.key("completionMode")), ""),
        ),
        None => findings.push(
            Finding::error(
                "coordinator-no-completions",
                path.clone().key("replicatedJob"),
                format!(
                    "the coordinator's role {} needs completions to be set",
                    role.name
                ),
            )
            .see(Place::Key(job.key("completions")), "set completions here"),
        ),
        Some(completions) => {
            let pod_index = i64::from(coordinator.pod_index.unwrap_or(0));
            if !(0..completions).contains(&pod_index) {
                findings.push(
                    Finding::error(
                        "coordinator-pod-index",
                        path.clone().key("podIndex"),
                        format!(
                            "a Job of {} has {completions} pods, so there is no index {pod_index}",
                            role.name
                        ),
                    )
                    .see(Place::Value(job.key("completions")), ""),
                );
            }
        }
    }
    let endpoint = coordinator_endpoint(checked.jobset).unwrap_or_default();
    if endpoint.len() > LABEL_MAX {
        findings.push(
            Finding::error(
                "coordinator-length",
                path.clone(),
                format!(
                    "the coordinator's endpoint is {} characters long, a label holds {LABEL_MAX}: {endpoint}",
                    endpoint.len()
                ),
            )
            .at_key()
            .help("shorten the names in it, or network.subdomain"),
        );
    }
    if !checked.jobset.dns_hostnames() {
        findings.push(
            Finding::warning(
                "coordinator-without-dns",
                path,
                format!("{endpoint} won't resolve: there is no Service"),
            )
            .at_key()
            .see(
                Place::Value(FieldPath::spec().keys(&["network", "enableDNSHostnames"])),
                "",
            ),
        );
    }
}
