//! What each attempt cost: the time that pods held a node, and what they held of it. Pure.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::api::names::RESTART_ATTEMPT;

/// The cost of an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Pods that held a node.
    pub pods: u32,
    /// How long, all together.
    pub time: SignedDuration,
    /// The same times what each asked for of extended resources (GPUs).
    pub devices: BTreeMap<String, SignedDuration>,
}

/// A pod that holds a node.
#[derive(Debug)]
struct Held {
    since: Timestamp,
    attempt: u32,
    devices: Vec<(String, i32)>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Usage {
    held: BTreeMap<String, Held>,
    attempts: BTreeMap<u32, Cost>,
}

impl Usage {
    /// A pod came or changed.
    pub(super) fn see(&mut self, pod: &Pod, now: Timestamp) {
        let Some(uid) = &pod.metadata.uid else {
            return;
        };
        let status = pod.status.as_ref();
        let ended = status
            .and_then(|s| s.phase.as_deref())
            .is_some_and(|phase| matches!(phase, "Succeeded" | "Failed"));
        if ended {
            self.gone(uid, now);
            return;
        }
        let bound = pod
            .spec
            .as_ref()
            .and_then(|spec| spec.node_name.as_deref())
            .is_some_and(|node| !node.is_empty());
        if !bound || self.held.contains_key(uid) {
            return;
        }
        let attempt = pod
            .metadata
            .labels
            .as_ref()
            .and_then(|labels| labels.get(RESTART_ATTEMPT)?.parse().ok())
            .unwrap_or(0);
        self.attempts.entry(attempt).or_default().pods += 1;
        self.held.insert(
            uid.clone(),
            Held {
                since: now,
                attempt,
                devices: devices(pod),
            },
        );
    }

    /// A pod has ended or is gone.
    pub(super) fn gone(&mut self, uid: &str, now: Timestamp) {
        if let Some(held) = self.held.remove(uid) {
            let cost = self.attempts.entry(held.attempt).or_default();
            let span = now.duration_since(held.since);
            cost.time = cost.time.saturating_add(span);
            for (name, count) in held.devices {
                let sum = cost.devices.entry(name).or_default();
                *sum = sum.saturating_add(span.saturating_mul(count));
            }
        }
    }

    /// The costs by attempt, of pods that still hold a node up to now.
    pub(super) fn close(mut self, now: Timestamp) -> BTreeMap<u32, Cost> {
        let uids: Vec<String> = self.held.keys().cloned().collect();
        for uid in uids {
            self.gone(&uid, now);
        }
        self.attempts
    }
}

/// What a pod asks for that has a vendor's name: whole numbers, as the API has them.
fn devices(pod: &Pod) -> Vec<(String, i32)> {
    let mut sums: BTreeMap<&str, i32> = BTreeMap::new();
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    for resources in containers.filter_map(|c| c.resources.as_ref()) {
        // A limit is a request where there is none.
        let asked = [&resources.limits, &resources.requests];
        let mut of_one: BTreeMap<&str, i32> = BTreeMap::new();
        for (name, amount) in asked.into_iter().flatten().flatten() {
            if name.contains('/')
                && let Ok(count) = amount.0.parse::<i32>()
            {
                of_one.insert(name, count);
            }
        }
        for (name, count) in of_one {
            let sum = sums.entry(name).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    sums.into_iter()
        .map(|(name, count)| (name.to_owned(), count))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(uid: &str, attempt: &str, node: Option<&str>, phase: &str) -> Pod {
        serde_json::from_value(json!({
            "metadata": {"name": uid, "uid": uid, "labels": {RESTART_ATTEMPT: attempt}},
            "spec": {"nodeName": node, "containers": [
                {"name": "a", "resources": {"limits": {"nvidia.com/gpu": "2", "cpu": "4"}}},
                {"name": "b", "resources": {"requests": {"nvidia.com/gpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}},
            ]},
            "status": {"phase": phase},
        }))
        .unwrap()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_pod_costs_from_its_node_to_its_end() {
        let mut usage = Usage::default();
        usage.see(&pod("a", "0", None, "Pending"), at(0));
        usage.see(&pod("a", "0", Some("n"), "Pending"), at(10));
        usage.see(&pod("a", "0", Some("n"), "Running"), at(20));
        usage.see(&pod("b", "0", Some("n"), "Running"), at(20));
        usage.see(&pod("a", "0", Some("n"), "Failed"), at(40));
        usage.see(&pod("a", "0", Some("n"), "Failed"), at(50));
        usage.gone("b", at(60));
        usage.see(&pod("c", "1", Some("n"), "Running"), at(60));
        let costs = usage.close(at(90));
        let first = &costs[&0];
        assert_eq!((first.pods, first.time.as_secs()), (2, 30 + 40));
        assert_eq!(first.devices["nvidia.com/gpu"].as_secs(), 3 * 70);
        assert_eq!(first.devices.len(), 1);
        assert_eq!((costs[&1].pods, costs[&1].time.as_secs()), (1, 30));
    }
}
