//! Pods and pod templates.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Pod, PodSpec, PodTemplateSpec, Toleration, Volume};

use super::{container, meta};
use crate::cluster::api::names;
use crate::cluster::api::problems::Problems;

pub(super) fn create(pod: &Pod, problems: &mut Problems) {
    let empty = PodSpec::default();
    let pod_spec = pod.spec.as_ref().unwrap_or(&empty);
    spec(pod_spec, "spec", problems);
    if pod_spec
        .ephemeral_containers
        .iter()
        .flatten()
        .next()
        .is_some()
    {
        problems.forbidden("spec.ephemeralContainers", "cannot be set on create");
    }
}

pub(super) fn template(template: &PodTemplateSpec, field: &str, problems: &mut Problems) {
    if let Some(metadata) = &template.metadata {
        // The field of a template's labels is told without `metadata`.
        meta::labels_and_annotations(metadata, field, problems);
    }
    let empty = PodSpec::default();
    let pod_spec = template.spec.as_ref().unwrap_or(&empty);
    let field = format!("{field}.spec");
    spec(pod_spec, &field, problems);
    if pod_spec
        .ephemeral_containers
        .iter()
        .flatten()
        .next()
        .is_some()
    {
        problems.forbidden(
            format!("{field}.ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}

fn spec(spec: &PodSpec, field: &str, problems: &mut Problems) {
    let volumes = volumes(spec, &format!("{field}.volumes"), problems);
    container::all(spec, field, &volumes, problems);
    let word = |value: &Option<String>| value.clone().unwrap_or_default();
    let policy = word(&spec.restart_policy);
    if !matches!(policy.as_str(), "Always" | "OnFailure" | "Never") {
        problems.not_supported(
            format!("{field}.restartPolicy"),
            policy,
            &["Always", "OnFailure", "Never"],
        );
    }
    let dns = word(&spec.dns_policy);
    let known = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    if !known.contains(&dns.as_str()) {
        problems.not_supported(format!("{field}.dnsPolicy"), dns, &known);
    }
    meta::labels(
        spec.node_selector.as_ref(),
        format!("{field}.nodeSelector"),
        problems,
    );
    for (name, value) in [
        ("serviceAccountName", &spec.service_account_name),
        ("nodeName", &spec.node_name),
        ("priorityClassName", &spec.priority_class_name),
    ] {
        if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
            problems.invalid_for_each(
                format!("{field}.{name}"),
                value,
                &names::dns_subdomain(value),
            );
        }
    }
    if let Some(seconds) = spec.active_deadline_seconds
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        problems.invalid(
            format!("{field}.activeDeadlineSeconds"),
            seconds,
            format!("must be between 1 and {}, inclusive", i32::MAX),
        );
    }
    for (name, value) in [("hostname", &spec.hostname), ("subdomain", &spec.subdomain)] {
        if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
            problems.invalid_for_each(format!("{field}.{name}"), value, &names::dns_label(value));
        }
    }
    for (at, toleration) in spec.tolerations.iter().flatten().enumerate() {
        self::toleration(toleration, &format!("{field}.tolerations[{at}]"), problems);
    }
}

fn toleration(toleration: &Toleration, field: &str, problems: &mut Problems) {
    let key = toleration.key.as_deref().unwrap_or_default();
    let operator = toleration.operator.as_deref().unwrap_or_default();
    let effect = toleration.effect.as_deref().unwrap_or_default();
    let value = toleration.value.as_deref().unwrap_or_default();
    if !key.is_empty() {
        problems.invalid_for_each(format!("{field}.key"), key, &names::qualified_name(key));
    } else if operator != "Exists" {
        problems.invalid(
            format!("{field}.operator"),
            operator,
            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
        );
    }
    if toleration.toleration_seconds.is_some() && effect != "NoExecute" {
        problems.invalid(
            format!("{field}.effect"),
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
        );
    }
    match operator {
        "" | "Equal" => {
            let wrong = names::label_value(value);
            if !wrong.is_empty() {
                problems.invalid(format!("{field}.operator"), value, wrong.join(";"));
            }
        }
        "Exists" if value.is_empty() => {}
        "Exists" => problems.invalid(
            format!("{field}.operator"),
            value,
            "value must be empty when `operator` is 'Exists'",
        ),
        "Lt" | "Gt" => {}
        other => problems.not_supported(format!("{field}.operator"), other, &["Equal", "Exists"]),
    }
    let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
    if !effect.is_empty() && !effects.contains(&effect) {
        problems.not_supported(format!("{field}.effect"), effect, &effects);
    }
}

/// Names of the volumes that are right.
fn volumes<'a>(spec: &'a PodSpec, field: &str, problems: &mut Problems) -> BTreeSet<&'a str> {
    let mut all = BTreeSet::new();
    for (at, volume) in spec.volumes.iter().flatten().enumerate() {
        let field = format!("{field}[{at}]");
        let mut wrong = Problems::default();
        source(volume, &field, &mut wrong);
        let name = volume.name.as_str();
        if name.is_empty() {
            wrong.required(format!("{field}.name"), "");
        } else {
            wrong.invalid_for_each(format!("{field}.name"), name, &names::dns_label(name));
        }
        if all.contains(name) {
            wrong.duplicate(format!("{field}.name"), name);
        }
        if wrong.is_empty() {
            all.insert(name);
        }
        problems.append(wrong);
    }
    all
}

fn source(volume: &Volume, field: &str, problems: &mut Problems) {
    let mut sources = 0;
    let mut one = |name: &str, there: bool, problems: &mut Problems| {
        if !there {
            return false;
        }
        sources += 1;
        if sources > 1 {
            problems.forbidden(
                format!("{field}.{name}"),
                "may not specify more than 1 volume type",
            );
        }
        sources == 1
    };
    one("emptyDir", volume.empty_dir.is_some(), problems);
    let path = volume.host_path.as_ref().map(|s| s.path.is_empty());
    if one("hostPath", path.is_some(), problems) && path == Some(true) {
        problems.required(format!("{field}.hostPath.path"), "");
    }
    let secret = volume.secret.as_ref().map(|s| s.secret_name.is_none());
    if one("secret", secret.is_some(), problems) && secret == Some(true) {
        problems.required(format!("{field}.secret.secretName"), "");
    }
    let claim = volume.persistent_volume_claim.as_ref();
    let claim = claim.map(|s| s.claim_name.is_empty());
    if one("persistentVolumeClaim", claim.is_some(), problems) && claim == Some(true) {
        problems.required(format!("{field}.persistentVolumeClaim.claimName"), "");
    }
    let map = volume.config_map.as_ref().map(|s| s.name.is_empty());
    if one("configMap", map.is_some(), problems) && map == Some(true) {
        problems.required(format!("{field}.configMap.name"), "");
    }
    one("downwardAPI", volume.downward_api.is_some(), problems);
    one("projected", volume.projected.is_some(), problems);
}

pub(super) fn update(new: &Pod, old: &Pod, problems: &mut Problems) {
    let (Some(now), Some(was)) = (&new.spec, &old.spec) else {
        return;
    };
    if now == was {
        return;
    }
    spec(now, "spec", problems);
    let init = |spec: &PodSpec| spec.init_containers.as_ref().map_or(0, Vec::len);
    for (field, new, old) in [
        (
            "spec.containers",
            now.containers.len(),
            was.containers.len(),
        ),
        ("spec.initContainers", init(now), init(was)),
    ] {
        if new != old {
            problems.forbidden(field, "pod updates may not add or remove containers");
            return;
        }
    }
    if let (Some(new), Some(old)) = (now.active_deadline_seconds, was.active_deadline_seconds)
        && new > old
    {
        problems.invalid(
            "spec.activeDeadlineSeconds",
            new,
            "must be less than or equal to previous value",
        );
        return;
    }
    let kept: BTreeSet<String> = now.tolerations.iter().flatten().map(shown).collect();
    if was
        .tolerations
        .iter()
        .flatten()
        .any(|t| !kept.contains(&shown(t)))
    {
        problems.forbidden(
            "spec.tolerations",
            "existing toleration can not be modified except its tolerationSeconds",
        );
    }
    // All but what may change is as it was.
    let mut same = now.clone();
    for (new, old) in same.containers.iter_mut().zip(&was.containers) {
        new.image.clone_from(&old.image);
    }
    let inits = same.init_containers.iter_mut().flatten();
    for (new, old) in inits.zip(was.init_containers.iter().flatten()) {
        new.image.clone_from(&old.image);
    }
    same.active_deadline_seconds = was.active_deadline_seconds;
    same.tolerations.clone_from(&was.tolerations);
    same.scheduling_gates.clone_from(&was.scheduling_gates);
    if same != *was {
        problems.forbidden(
            "spec",
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
        );
    }
}

/// A toleration without its seconds, which may change.
fn shown(toleration: &Toleration) -> String {
    format!(
        "{:?} {:?} {:?} {:?}",
        toleration.key, toleration.operator, toleration.value, toleration.effect
    )
}
