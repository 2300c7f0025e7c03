//! Job templates: what the API server would refuse only after half of the set exists, what is overridden,
//! and what doesn't do what it looks like.

use serde_json::{Map, Value};

use crate::api::ReplicatedJob;
use crate::api::names;
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::validate::Checked;

/// `spec.managedBy` of a Job that the built-in controller runs.
const JOB_CONTROLLER: &str = "kubernetes.io/job-controller";
/// Keys of this domain belong to JobSet.
const RESERVED: &str = "jobset.sigs.k8s.io/";
/// Those that every Job gets from here.
const SET_HERE: [&str; 14] = [
    names::COORDINATOR,
    names::GLOBAL_REPLICAS,
    names::GROUP_NAME,
    names::GROUP_REPLICAS,
    names::JOB_GLOBAL_INDEX,
    names::JOB_GROUP_INDEX,
    names::JOB_INDEX,
    names::JOB_KEY,
    names::JOB_RESTART_ATTEMPT,
    names::JOBSET_NAME,
    names::JOBSET_UID,
    names::REPLICATED_JOB_NAME,
    names::REPLICATED_JOB_REPLICAS,
    names::RESTART_ATTEMPT,
];

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (n, role) in checked.jobset.spec.replicated_jobs.iter().enumerate() {
        let template = FieldPath::role(n).key("template");
        metadata(
            role.template.0.get("metadata"),
            &template.clone().key("metadata"),
            true,
            findings,
        );
        let path = template.key("spec");
        let Some(job) = role.template.spec() else {
            findings.push(missing(path));
            continue;
        };
        job_fields(role, job, &path, findings);
        counts(role, job, &path, findings);
        let path = path.key("template");
        let Some(pod_template) = role.template.pod_template() else {
            findings.push(missing(path));
            continue;
        };
        metadata(
            pod_template.get("metadata"),
            &path.clone().key("metadata"),
            false,
            findings,
        );
        let path = path.key("spec");
        let Some(pod) = pod_template.get("spec").and_then(Value::as_object) else {
            findings.push(missing(path));
            continue;
        };
        pod_fields(checked, n, job, pod, &path, findings);
    }
}

fn missing(path: FieldPath) -> Finding {
    let field = path.segments().last().cloned();
    let name = match field {
        Some(crate::manifest::path::Segment::Key(k)) => k,
        _ => String::new(),
    };
    Finding::error("missing-field", path, format!("{name} is missing"))
}

/// A field that is there and not null.
fn given<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    map.get(key).filter(|v| !v.is_null())
}

/// C48 k and l: only labels and annotations of a template's metadata reach an object, and ours win.
fn metadata(value: Option<&Value>, path: &FieldPath, of_job: bool, findings: &mut Vec<Finding>) {
    let Some(map) = value.and_then(Value::as_object) else {
        return;
    };
    for key in map.keys().filter(|k| given(map, k).is_some()) {
        match key.as_str() {
            "labels" | "annotations" => {}
            "name" | "generateName" | "namespace" => findings.push(
                Finding::warning(
                    "template-metadata-ignored",
                    path.clone().key(key.as_str()),
                    format!(
                        "{key} of a template is ignored: {}",
                        if of_job {
                            "Jobs are named by set, role and index"
                        } else {
                            "pods are named by their Job"
                        }
                    ),
                )
                .at_key(),
            ),
            _ if of_job => findings.push(
                Finding::warning(
                    "template-metadata-ignored",
                    path.clone().key(key.as_str()),
                    format!(
                        "{key} of a Job template is ignored: only labels and annotations are used"
                    ),
                )
                .at_key(),
            ),
            _ => {}
        }
    }
    for kind in ["labels", "annotations"] {
        let Some(entries) = map.get(kind).and_then(Value::as_object) else {
            continue;
        };
        for key in entries.keys().filter(|k| k.starts_with(RESERVED)) {
            let overridden = SET_HERE.contains(&key.as_str());
            findings.push(
                Finding::warning(
                    "reserved-key",
                    path.clone().key(kind).key(key.as_str()),
                    if overridden {
                        format!("{key} is set by JobSet; the value here is overridden")
                    } else {
                        format!("{key} lies in the domain that is reserved for JobSet")
                    },
                )
                .at_key(),
            );
        }
    }
}

/// Fields of the Job itself.
fn job_fields(
    role: &ReplicatedJob,
    job: &Map<String, Value>,
    path: &FieldPath,
    findings: &mut Vec<Finding>,
) {
    // C48 n: a selector of the user's own would let several Jobs fight over pods.
    for key in ["selector", "manualSelector"] {
        if given(job, key).is_some_and(|v| *v != Value::Bool(false)) {
            findings.push(
                Finding::error(
                    "manual-selector",
                    path.clone().key(key),
                    format!("{key} can't be set: every Job selects its own pods"),
                )
                .at_key(),
            );
        }
    }
    if given(job, "ttlSecondsAfterFinished").is_some() {
        findings.push(
            Finding::warning(
                "template-ttl",
                path.clone().key("ttlSecondsAfterFinished"),
                format!(
                    "Jobs of {} vanish after their end; one that ends while nobody is attached is then run again",
                    role.name
                ),
            )
            .at_key(),
        );
    }
    if given(job, "suspend").is_some() {
        findings.push(
            Finding::warning(
                "template-suspend",
                path.clone().key("suspend"),
                "suspend of a Job template is overridden by that of the set",
            )
            .at_key(),
        );
    }
    if let Some(manager) = given(job, "managedBy").and_then(Value::as_str)
        && manager != JOB_CONTROLLER
    {
        findings.push(Finding::warning(
            "template-managed-by",
            path.clone().key("managedBy"),
            format!("the Job controller leaves these Jobs to {manager}"),
        ));
    }
}

/// Parallelism, completions, backoff.
fn counts(
    role: &ReplicatedJob,
    job: &Map<String, Value>,
    path: &FieldPath,
    findings: &mut Vec<Finding>,
) {
    let completions = role.template.completions();
    let parallelism = role.template.parallelism();
    // C33. With neither of them the API server makes both 1.
    if role.template.is_indexed() && completions.is_none() && parallelism.is_some() {
        findings.push(
            Finding::error(
                "indexed-without-completions",
                path.clone().key("completions"),
                "an Indexed Job needs completions",
            )
            .see(
                Place::Value(path.clone().key("parallelism")),
                "parallelism alone is not enough",
            )
            .help(
                "set completions too, or completionMode: NonIndexed (Indexed is the default here)",
            ),
        );
    }
    if parallelism == Some(0) {
        // Trap D.6.9.
        findings.push(Finding::warning(
            "parallelism-zero",
            path.clone().key("parallelism"),
            "with parallelism 0 a Job counts as ready at once and never ends",
        ));
    }
    let backoff = given(job, "backoffLimit").and_then(Value::as_i64);
    if let (Some(limit @ 1..), Some(indexes @ 2..)) = (backoff, completions)
        && limit < i64::from(i32::MAX)
        && given(job, "backoffLimitPerIndex").is_none()
        && role.template.is_indexed()
    {
        // C09.
        findings.push(
            Finding::warning(
                "backoff-limit-shared",
                path.clone().key("backoffLimit"),
                format!("the {indexes} indexes share these {limit} retries: one that fails often ends all"),
            )
            .help("backoffLimitPerIndex counts per index; backoffLimit: 0 leaves retries to the set"),
        );
    }
}

/// Fields of the pods.
fn pod_fields(
    checked: &Checked<'_>,
    n: usize,
    job: &Map<String, Value>,
    pod: &Map<String, Value>,
    path: &FieldPath,
    findings: &mut Vec<Finding>,
) {
    let containers = pod.get("containers").and_then(Value::as_array);
    if containers.is_none_or(Vec::is_empty) {
        findings.push(Finding::error(
            "missing-field",
            path.clone().key("containers"),
            "there is no container",
        ));
    }
    let policy = pod.get("restartPolicy").and_then(Value::as_str);
    let at = path.clone().key("restartPolicy");
    let written = checked.written.spec.replicated_jobs.get(n);
    let defaulted = written
        .and_then(|r| r.template.pod_template()?.get("spec")?.as_object())
        .is_some_and(|p| given(p, "restartPolicy").is_none_or(|v| v == ""));
    match policy {
        // C07: the server refuses it Job by Job, after the other roles are running.
        Some("OnFailure") if given(job, "podFailurePolicy").is_some() => {
            let rules = FieldPath::role(n).keys(&["template", "spec", "podFailurePolicy"]);
            findings.push(
                Finding::error(
                    "pod-failure-policy",
                    at,
                    if defaulted {
                        "restartPolicy is defaulted to OnFailure; podFailurePolicy needs Never"
                    } else {
                        "restartPolicy is OnFailure; podFailurePolicy needs Never"
                    },
                )
                .see(Place::Key(rules), "")
                .help("set restartPolicy: Never in the pod's spec"),
            );
        }
        Some("Never" | "OnFailure") | None => {}
        Some(other) => findings.push(Finding::error(
            "restart-policy",
            at,
            format!("a Job's pods need restartPolicy Never or OnFailure, not {other}"),
        )),
    }
    let subdomain = names::subdomain(checked.jobset);
    if checked.jobset.dns_hostnames() && given(pod, "subdomain").is_some_and(|s| s != subdomain) {
        findings.push(
            Finding::warning(
                "template-subdomain",
                path.clone().key("subdomain"),
                format!("the pod's subdomain is overridden with {subdomain}, the set's Service"),
            )
            .help("name it in network.subdomain, or switch network.enableDNSHostnames off"),
        );
    }
}
