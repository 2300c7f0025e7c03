//! What the scheduler knows of a node, with what its pods ask for summed up.

use k8s_openapi::api::core::v1::{Node, Taint, Toleration};

use super::labels::Labels;
use super::resources::Resources;
use crate::cluster::quantity::units;

/// A node.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) labels: Labels,
    pub(super) taints: Vec<Taint>,
    pub(super) unschedulable: bool,
    pub(super) has: Resources,
    pub(super) most_pods: i64,
    /// Sum of its pods.
    pub(super) used: Resources,
    pub(super) pods: i64,
}

impl Known {
    /// Takes over what its object says. Answers whether that differs in what matters here.
    pub(super) fn learn(&mut self, node: &Node) -> bool {
        let spec = node.spec.as_ref();
        let status = node.status.as_ref();
        let list = status.and_then(|s| s.allocatable.as_ref().or(s.capacity.as_ref()));
        let new = Self {
            labels: node.metadata.labels.clone().unwrap_or_default(),
            taints: spec.and_then(|s| s.taints.clone()).unwrap_or_default(),
            unschedulable: spec.and_then(|s| s.unschedulable) == Some(true),
            has: Resources::of(list),
            most_pods: list
                .and_then(|l| l.get("pods"))
                .and_then(units)
                .unwrap_or_default(),
            used: std::mem::take(&mut self.used),
            pods: self.pods,
        };
        let same = self.labels == new.labels
            && self.taints == new.taints
            && self.unschedulable == new.unschedulable
            && self.has == new.has
            && self.most_pods == new.most_pods;
        *self = new;
        !same
    }
}

/// Whether a pod bears a taint.
pub(in crate::cluster) fn tolerates(tolerations: &[Toleration], taint: &Taint) -> bool {
    tolerations.iter().any(|t| bears(t, taint))
}

/// Whether one toleration is for that taint.
pub(in crate::cluster) fn bears(toleration: &Toleration, taint: &Taint) -> bool {
    let effect = toleration.effect.as_deref().unwrap_or_default();
    let key = toleration.key.as_deref().unwrap_or_default();
    if !effect.is_empty() && effect != taint.effect || !key.is_empty() && key != taint.key {
        return false;
    }
    match toleration.operator.as_deref().unwrap_or("Equal") {
        "Exists" => true,
        "Equal" | "" => {
            !key.is_empty()
                && toleration.value.as_deref().unwrap_or_default()
                    == taint.value.as_deref().unwrap_or_default()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tolerations() {
        let taint: Taint =
            serde_json::from_value(json!({"key": "gpu", "value": "yes", "effect": "NoSchedule"}))
                .unwrap();
        for (toleration, expected) in [
            (json!({"operator": "Exists"}), true),
            (json!({"key": "gpu", "operator": "Exists"}), true),
            (json!({"key": "gpu", "value": "yes"}), true),
            (json!({"key": "gpu", "value": "no"}), false),
            (
                json!({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}),
                false,
            ),
            (json!({"key": "tpu", "operator": "Exists"}), false),
        ] {
            let list = [serde_json::from_value(toleration.clone()).unwrap()];
            assert_eq!(tolerates(&list, &taint), expected, "{toleration}");
        }
    }
}
