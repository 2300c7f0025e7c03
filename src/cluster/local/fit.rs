//! Whether what runs at the same time can be on this machine at all. Found out before anything is made:
//! pods that never find room would wait for ever.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, Node, PodSpec};
use serde_json::Value;

use crate::api::{DependsOnStatus, JobSet, JobTemplate};
use crate::cluster::quantity::Amount;

/// Amounts by resource (`cpu`, `memory`, `pods`, …).
type Amounts = BTreeMap<String, Amount>;

/// What is wanted of a resource, and what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// `memory`.
    pub resource: String,
    /// Sum of the requests of the pods that run at once.
    pub wanted: String,
    /// What the machine has.
    pub there: String,
    /// Roles that run at once.
    pub roles: Vec<String>,
}

/// The first resource that is lacking, if any. Roles that wait for others to complete don't count together
/// with them; a Job counts with the pods that it runs in parallel.
#[must_use]
pub fn lacking(jobset: &JobSet, machine: &Node) -> Option<Lacking> {
    let status = machine.status.as_ref();
    let has: Amounts = status
        .and_then(|s| s.allocatable.as_ref().or(s.capacity.as_ref()))
        .into_iter()
        .flatten()
        .map(|(name, amount)| (name.clone(), Amount::of(amount)))
        .collect();
    let stages = stages(jobset);
    let last = stages.iter().copied().max().unwrap_or(0);
    for stage in 0..=last {
        let mut wanted = Amounts::new();
        let mut names = Vec::new();
        for (role, at) in jobset.spec.replicated_jobs.iter().zip(&stages) {
            if *at == stage {
                names.push(role.name.clone());
                let pods = role.template.pods_expected() * i64::from(role.replicas());
                add(&mut wanted, &requests(&role.template), pods);
            }
        }
        for (resource, amount) in wanted {
            let there = has.get(&resource).copied().unwrap_or_default();
            if amount > there {
                return Some(Lacking {
                    resource,
                    wanted: amount.to_string(),
                    there: there.to_string(),
                    roles: names,
                });
            }
        }
    }
    None
}

/// How many roles each waits for to complete, one after the other.
fn stages(jobset: &JobSet) -> Vec<usize> {
    let roles = &jobset.spec.replicated_jobs;
    let mut stages = vec![0; roles.len()];
    // A role depends on earlier ones only (spec 4), so one pass in order is enough.
    for (at, role) in roles.iter().enumerate() {
        for on in &role.depends_on {
            if let Some(other) = roles.iter().position(|r| r.name == on.name) {
                let after = usize::from(on.status == DependsOnStatus::Complete);
                stages[at] = stages[at].max(stages[other] + after);
            }
        }
    }
    stages
}

fn add(sum: &mut Amounts, each: &Amounts, times: i64) {
    for (resource, amount) in each {
        let now = sum.entry(resource.clone()).or_default();
        *now = *now + amount.times(times);
    }
}

/// What one pod asks for: the sum of its containers, or its largest init container if that is more.
fn requests(template: &JobTemplate) -> Amounts {
    let spec = template
        .pod_template()
        .and_then(|t| t.get("spec"))
        .and_then(|spec| serde_json::from_value::<PodSpec>(Value::clone(spec)).ok())
        .unwrap_or_default();
    let mut sum = Amounts::new();
    for container in &spec.containers {
        add(&mut sum, &of_container(container), 1);
    }
    for container in spec.init_containers.iter().flatten() {
        for (resource, amount) in of_container(container) {
            let now = sum.entry(resource).or_default();
            *now = (*now).max(amount);
        }
    }
    sum.insert("pods".to_owned(), Amount::whole(1));
    sum
}

/// Its requests; where there is none, its limit is the request.
fn of_container(container: &Container) -> Amounts {
    let resources = container.resources.clone().unwrap_or_default();
    let mut all = resources.limits.unwrap_or_default();
    all.extend(resources.requests.unwrap_or_default());
    all.into_iter()
        .map(|(name, amount)| (name, Amount::of(&amount)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::defaults;
    use serde_json::json;

    fn machine() -> Node {
        serde_json::from_value(json!({"metadata": {"name": "m"},
            "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "250"}}}))
        .unwrap()
    }

    /// Roles: name, Jobs, pods of each, CPUs of a pod, whom it waits for to complete.
    fn set(roles: &[(&str, i64, i64, &str, &str)]) -> JobSet {
        let roles: Vec<Value> = roles
            .iter()
            .map(|(name, jobs, pods, cpu, after)| {
                let depends = if after.is_empty() {
                    json!([])
                } else {
                    json!([{"name": after, "status": "Complete"}])
                };
                json!({"name": name, "replicas": jobs, "dependsOn": depends, "template": {"spec": {
                    "completions": pods, "parallelism": pods,
                    "template": {"spec": {"restartPolicy": "Never", "containers": [
                        {"name": "c", "image": "i", "resources": {"limits": {"cpu": cpu}}}]}}}}})
            })
            .collect();
        let mut jobset: JobSet = serde_json::from_value(json!({
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": "x"}, "spec": {"replicatedJobs": roles}}))
        .unwrap();
        defaults(&mut jobset);
        jobset
    }

    #[test]
    fn what_runs_at_once_must_fit() {
        let machine = machine();
        assert_eq!(lacking(&set(&[("a", 2, 2, "1", "")]), &machine), None);
        let gang = lacking(
            &set(&[("a", 2, 2, "1", ""), ("b", 1, 1, "500m", "")]),
            &machine,
        );
        let gang = gang.unwrap();
        assert_eq!((gang.resource.as_str(), gang.there.as_str()), ("cpu", "4"));
        assert_eq!(gang.wanted, "4500m");
        assert_eq!(gang.roles, ["a", "b"]);
        let chain = set(&[("a", 1, 3, "1", ""), ("b", 1, 4, "1", "a")]);
        assert_eq!(lacking(&chain, &machine), None, "one after the other");
        let many = lacking(&set(&[("a", 1, 251, "1m", "")]), &machine);
        assert_eq!(many.unwrap().resource, "pods");
    }
}
