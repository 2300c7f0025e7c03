//! Defaults, as upstream's webhook and schema set them (spec 3). Doing it twice changes nothing.

use serde_json::{Map, Value};

use crate::api::{
    JobSet, JobTemplate, Operator, RestartStrategy, StartupOrder, StartupPolicy, SuccessPolicy,
};

/// Fills in everything that the user left out.
pub fn defaults(jobset: &mut JobSet) {
    let spec = &mut jobset.spec;
    spec.success_policy.get_or_insert_with(|| SuccessPolicy {
        operator: Operator::All,
        target_replicated_jobs: Vec::new(),
    });
    spec.startup_policy.get_or_insert(StartupPolicy {
        startup_policy_order: StartupOrder::AnyOrder,
    });
    let network = spec.network.get_or_insert_default();
    network.enable_dns_hostnames.get_or_insert(true);
    network.publish_not_ready_addresses.get_or_insert(true);
    if let Some(policy) = &mut spec.failure_policy {
        policy
            .restart_strategy
            .get_or_insert(RestartStrategy::Recreate);
        for (n, rule) in policy.rules.iter_mut().enumerate() {
            if rule.name.is_empty() {
                rule.name = format!("failurePolicyRule{n}");
            }
        }
    }
    for role in &mut spec.replicated_jobs {
        role.replicas.get_or_insert(1);
        if role.group_name.as_deref().is_none_or(str::is_empty) {
            role.group_name = Some("default".to_owned());
        }
        template_defaults(&mut role.template);
    }
}

fn template_defaults(template: &mut JobTemplate) {
    let Some(job) = object(template.0.get_mut("spec")) else {
        return;
    };
    set_if_unset(job, "completionMode", "Indexed");
    let pod = object(job.get_mut("template")).and_then(|t| object(t.get_mut("spec")));
    if let Some(pod) = pod {
        set_if_unset(pod, "restartPolicy", "OnFailure");
    }
}

fn object(value: Option<&mut Value>) -> Option<&mut Map<String, Value>> {
    value.and_then(Value::as_object_mut)
}

/// For the API server an empty string is the same as nothing.
fn set_if_unset(map: &mut Map<String, Value>, key: &str, default: &str) {
    let unset = match map.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::String(s)) => s.is_empty(),
        Some(_) => false,
    };
    if unset {
        map.insert(key.to_owned(), Value::String(default.to_owned()));
    }
}
