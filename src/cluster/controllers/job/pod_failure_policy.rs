//! `spec.podFailurePolicy`: the first rule that matches a failed pod decides what its failure means.

use k8s_openapi::api::batch::v1::{
    Job, PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern,
};
use k8s_openapi::api::core::v1::{ContainerStatus, PodCondition, PodStatus};

use super::seen::SeenPod;

/// What a pod's failure means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Counted towards the limit; also where no rule matches.
    Count,
    /// As if it had not failed.
    Ignore,
    /// Counted, and its index has failed.
    FailIndex,
    /// Counted, and the Job has failed, with that message.
    FailJob(String),
}

impl Meaning {
    /// The failure counts towards `backoffLimit`.
    pub(super) fn counts(&self) -> bool {
        *self != Self::Ignore
    }
}

/// What a failed pod means for its Job.
pub(super) fn meaning(job: &Job, pod: &SeenPod) -> Meaning {
    policy(job)
        .zip(pod.pod().status.as_ref())
        .and_then(|(policy, status)| first_match(policy, status, pod))
        .unwrap_or(Meaning::Count)
}

/// The message of the first failed pod that fails the Job.
pub(super) fn failure<'a>(
    job: &Job,
    failed: impl IntoIterator<Item = &'a SeenPod>,
) -> Option<String> {
    policy(job)?;
    failed.into_iter().find_map(|pod| match meaning(job, pod) {
        Meaning::FailJob(message) => Some(message),
        _ => None,
    })
}

fn policy(job: &Job) -> Option<&PodFailurePolicy> {
    job.spec.as_ref()?.pod_failure_policy.as_ref()
}

fn first_match(policy: &PodFailurePolicy, status: &PodStatus, pod: &SeenPod) -> Option<Meaning> {
    policy.rules.iter().enumerate().find_map(|(i, rule)| {
        let name = || {
            let namespace = pod.pod().metadata.namespace.as_deref().unwrap_or_default();
            format!("{namespace}/{}", pod.name())
        };
        let action = &rule.action;
        let message = if let Some(codes) = &rule.on_exit_codes {
            let (container, code) = by_exit_code(status, codes)?;
            (action == "FailJob").then(|| {
                format!(
                    "Container {container} for pod {} failed with exit code {code} matching {action} rule at index {i}",
                    name()
                )
            })
        } else {
            let condition = by_condition(status, rule.on_pod_conditions.as_ref()?)?;
            (action == "FailJob").then(|| {
                format!(
                    "Pod {} has condition {} matching {action} rule at index {i}",
                    name(),
                    condition.type_
                )
            })
        };
        match (action.as_str(), message) {
            ("Ignore", _) => Some(Meaning::Ignore),
            ("FailIndex", _) => Some(Meaning::FailIndex),
            ("Count", _) => Some(Meaning::Count),
            ("FailJob", Some(message)) => Some(Meaning::FailJob(message)),
            _ => None,
        }
    })
}

/// Containers first, then init containers.
fn by_exit_code<'a>(
    status: &'a PodStatus,
    codes: &PodFailurePolicyOnExitCodesRequirement,
) -> Option<(&'a str, i32)> {
    let containers = status.container_statuses.iter().flatten();
    let init = status.init_container_statuses.iter().flatten();
    containers
        .chain(init)
        .find_map(|container| ended_with(container, codes))
}

fn ended_with<'a>(
    container: &'a ContainerStatus,
    codes: &PodFailurePolicyOnExitCodesRequirement,
) -> Option<(&'a str, i32)> {
    let code = container.state.as_ref()?.terminated.as_ref()?.exit_code;
    let named = codes.container_name.as_ref();
    let listed = codes.values.contains(&code);
    let wanted = match codes.operator.as_str() {
        "In" => listed,
        "NotIn" => !listed,
        _ => false,
    };
    // 0 never matches: a container that succeeded is no reason.
    (code != 0 && wanted && named.is_none_or(|n| *n == container.name))
        .then_some((container.name.as_str(), code))
}

fn by_condition<'a>(
    status: &'a PodStatus,
    patterns: &[PodFailurePolicyOnPodConditionsPattern],
) -> Option<&'a PodCondition> {
    status.conditions.iter().flatten().find(|condition| {
        patterns.iter().any(|p| {
            p.type_ == condition.type_ && p.status.as_deref().unwrap_or("True") == condition.status
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::controllers::job::testing::{job, pod};
    use serde_json::{Value, json};

    fn on_codes(action: &str, operator: &str, values: &[i32], container: Option<&str>) -> Value {
        json!({"action": action, "onExitCodes":
            {"operator": operator, "values": values, "containerName": container}})
    }

    fn check(rules: &[Value], status: Value, expected: Meaning) {
        let job = job(json!({"podFailurePolicy": {"rules": rules}}));
        let pod = pod(json!({"metadata": {"name": "p", "namespace": "ns"}, "status": status}));
        assert_eq!(meaning(&job, &pod), expected, "{rules:?}");
    }

    fn ended(name: &str, code: i32) -> Value {
        json!({"name": name, "image": "", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"terminated": {"exitCode": code}}})
    }

    #[test]
    fn exit_codes() {
        let status = json!({"phase": "Failed", "containerStatuses": [ended("a", 0), ended("b", 3)],
            "initContainerStatuses": [ended("i", 5)]});
        let message = |container: &str, code: i32, index: usize| {
            Meaning::FailJob(format!(
                "Container {container} for pod ns/p failed with exit code {code} matching FailJob rule at index {index}"
            ))
        };
        let rule =
            |operator, values: &[i32], container| on_codes("FailJob", operator, values, container);
        for (rules, expected) in [
            (vec![rule("In", &[3], None)], message("b", 3, 0)),
            (vec![rule("In", &[5], None)], message("i", 5, 0)),
            (vec![rule("In", &[3], Some("a"))], Meaning::Count),
            (vec![rule("In", &[3], Some("b"))], message("b", 3, 0)),
            // 0 is never a match, whatever the operator says.
            (vec![rule("NotIn", &[3, 5], None)], Meaning::Count),
            (vec![rule("NotIn", &[9], None)], message("b", 3, 0)),
            (
                vec![rule("In", &[9], None), on_codes("Ignore", "In", &[3], None)],
                Meaning::Ignore,
            ),
            (
                vec![rule("In", &[9], None), rule("In", &[3], None)],
                message("b", 3, 1),
            ),
            (
                vec![on_codes("FailIndex", "In", &[3], None)],
                Meaning::FailIndex,
            ),
            (
                vec![on_codes("Count", "In", &[3], None), rule("In", &[3], None)],
                Meaning::Count,
            ),
        ] {
            check(&rules, status.clone(), expected);
        }
    }

    #[test]
    fn conditions() {
        let status = json!({"phase": "Failed", "conditions": [
            {"type": "Ready", "status": "False"}, {"type": "DisruptionTarget", "status": "True"}]});
        let rule = |action: &str, kind: &str, status: &str| json!({"action": action, "onPodConditions": [{"type": kind, "status": status}]});
        check(
            &[rule("Ignore", "DisruptionTarget", "True")],
            status.clone(),
            Meaning::Ignore,
        );
        check(
            &[rule("Ignore", "DisruptionTarget", "False")],
            status.clone(),
            Meaning::Count,
        );
        check(
            &[rule("FailJob", "Ready", "False")],
            status.clone(),
            Meaning::FailJob(
                "Pod ns/p has condition Ready matching FailJob rule at index 0".to_owned(),
            ),
        );
        check(
            &[rule("Ignore", "ConfigIssue", "True")],
            status,
            Meaning::Count,
        );
    }
}
