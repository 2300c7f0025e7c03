//! What pods ask for and nodes have: sums that are kept, not computed again.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::cluster::quantity::{milli, units};

/// Amounts of resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Resources {
    /// Thousandths of a CPU.
    pub(super) cpu: i64,
    /// Bytes.
    pub(super) memory: i64,
    /// Bytes.
    pub(super) storage: i64,
    /// `nvidia.com/gpu`, `hugepages-2Mi`, … in their units.
    pub(super) others: BTreeMap<String, i64>,
}

impl Resources {
    /// Of a list as the API has it; `pods` is not in it.
    pub(super) fn of(list: Option<&BTreeMap<String, Quantity>>) -> Self {
        let mut out = Self::default();
        for (name, quantity) in list.into_iter().flatten() {
            match name.as_str() {
                "cpu" => out.cpu = milli(quantity).unwrap_or_default(),
                "memory" => out.memory = units(quantity).unwrap_or_default(),
                "ephemeral-storage" => out.storage = units(quantity).unwrap_or_default(),
                "pods" => {}
                _ => {
                    let amount = units(quantity).unwrap_or_default();
                    out.others.insert(name.clone(), amount);
                }
            }
        }
        out
    }

    /// Of a pod: its containers together, or the one of its init containers that needs most, and what its
    /// runtime class adds. Init containers that keep running count with what runs beside them.
    pub(super) fn of_pod(pod: &Pod) -> Self {
        let Some(spec) = &pod.spec else {
            return Self::default();
        };
        let mut beside = Self::default();
        let mut start = Self::default();
        for container in spec.init_containers.iter().flatten() {
            let mut own = of_container(container);
            if container.restart_policy.as_deref() == Some("Always") {
                beside.add(&own);
                start.raise(&beside);
            } else {
                own.add(&beside);
                start.raise(&own);
            }
        }
        let mut all = beside;
        for container in &spec.containers {
            all.add(&of_container(container));
        }
        all.raise(&start);
        all.replace(&of_whole_pod(spec));
        all.add(&Self::of(spec.overhead.as_ref()));
        all
    }

    /// Nothing at all.
    pub(super) fn is_zero(&self) -> bool {
        self.cpu == 0
            && self.memory == 0
            && self.storage == 0
            && self.others.values().all(|n| *n == 0)
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.combine(other, i64::saturating_add);
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        self.combine(other, i64::saturating_sub);
    }

    fn raise(&mut self, other: &Self) {
        self.combine(other, i64::max);
    }

    fn combine(&mut self, other: &Self, with: fn(i64, i64) -> i64) {
        self.cpu = with(self.cpu, other.cpu);
        self.memory = with(self.memory, other.memory);
        self.storage = with(self.storage, other.storage);
        for (name, amount) in &other.others {
            // Names are few, and mostly there.
            if let Some(own) = self.others.get_mut(name) {
                *own = with(*own, *amount);
            } else {
                self.others.insert(name.clone(), with(0, *amount));
            }
        }
    }

    /// A request of the whole pod stands for those of its containers.
    fn replace(&mut self, whole: &Self) {
        for (own, whole) in [(&mut self.cpu, whole.cpu), (&mut self.memory, whole.memory)] {
            if whole > 0 {
                *own = whole;
            }
        }
    }

    /// How much of a resource there is.
    pub(super) fn other(&self, name: &str) -> i64 {
        self.others.get(name).copied().unwrap_or_default()
    }
}

/// A container asks for its limits where it names no request.
fn of_container(container: &Container) -> Resources {
    let Some(resources) = &container.resources else {
        return Resources::default();
    };
    let mut list = resources.limits.clone().unwrap_or_default();
    list.extend(resources.requests.clone().unwrap_or_default());
    Resources::of(Some(&list))
}

fn of_whole_pod(spec: &PodSpec) -> Resources {
    let requests = spec.resources.as_ref().and_then(|r| r.requests.as_ref());
    Resources::of(requests)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn containers_add_up_and_the_hungriest_start_counts() {
        let pod: Pod = serde_json::from_value(json!({"spec": {
            "initContainers": [
                {"name": "fetch", "resources": {"requests": {"cpu": "3"}}},
                {"name": "proxy", "restartPolicy": "Always", "resources": {"requests": {"cpu": "500m"}}},
                {"name": "unpack", "resources": {"requests": {"memory": "4Gi"}}},
            ],
            "containers": [
                {"name": "a", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"nvidia.com/gpu": "2"}}},
                {"name": "b", "resources": {"requests": {"cpu": "1"}}},
            ],
        }}))
        .unwrap();
        let all = Resources::of_pod(&pod);
        assert_eq!((all.cpu, all.memory), (3000, 4 << 30));
        assert_eq!(all.other("nvidia.com/gpu"), 2);
        assert!(!all.is_zero());
        assert!(Resources::of_pod(&Pod::default()).is_zero());
    }
}
