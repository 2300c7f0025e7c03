//! Whether a pod fits a node, and the words where it doesn't: the filters in the order of the real
//! scheduler, the first that says no is told.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Pod, Taint};

use super::groups::{Groups, Misfit, Wants};
use super::labels::takes;
use super::nodes::{Known, tolerates};
use super::resources::Resources;

/// What stands in the way on one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    reasons: Vec<String>,
    /// It would not help if other pods went.
    for_good: bool,
}

impl Refusal {
    fn one(reason: &str, for_good: bool) -> Self {
        Self {
            reasons: vec![reason.to_owned()],
            for_good,
        }
    }
}

/// A pod as the filters look at it.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    pub(super) pod: &'a Pod,
    pub(super) requests: &'a Resources,
    pub(super) wants: &'a Wants,
    /// [`Groups::against`] it.
    pub(super) against: Vec<&'a str>,
}

impl Candidate<'_> {
    /// May it go there?
    ///
    /// # Errors
    /// Why not.
    pub(super) fn fits(&self, name: &str, node: &Known, groups: &Groups) -> Result<(), Refusal> {
        let spec = self.pod.spec.as_ref();
        let tolerations = spec
            .and_then(|s| s.tolerations.as_deref())
            .unwrap_or_default();
        if node.unschedulable && !tolerates(tolerations, &unschedulable_taint()) {
            return Err(Refusal::one("node(s) were unschedulable", true));
        }
        let bad = |taint: &&Taint| {
            matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute")
                && !tolerates(tolerations, taint)
        };
        if node.taints.iter().any(|taint| bad(&taint)) {
            return Err(Refusal::one("node(s) had untolerated taint(s)", true));
        }
        if !self.selected(name, node) {
            let reason = "node(s) didn't match Pod's node affinity/selector";
            return Err(Refusal::one(reason, true));
        }
        self.has_room(node)?;
        groups
            .check(self.pod, self.wants, &self.against, &node.labels)
            .map_err(|misfit| match misfit {
                Misfit::Affinity => Refusal::one("node(s) didn't match pod affinity rules", true),
                Misfit::AntiAffinity => {
                    Refusal::one("node(s) didn't match pod anti-affinity rules", false)
                }
                Misfit::Existing => Refusal::one(
                    "node(s) didn't satisfy existing pods anti-affinity rules",
                    false,
                ),
            })
    }

    fn selected(&self, name: &str, node: &Known) -> bool {
        let Some(spec) = &self.pod.spec else {
            return true;
        };
        let by_labels = spec
            .node_selector
            .iter()
            .flatten()
            .all(|(key, value)| node.labels.get(key) == Some(value));
        let affinity = spec.affinity.as_ref().and_then(|a| {
            a.node_affinity
                .as_ref()?
                .required_during_scheduling_ignored_during_execution
                .as_ref()
        });
        by_labels
            && affinity.is_none_or(|required| {
                required
                    .node_selector_terms
                    .iter()
                    .any(|term| takes(term, name, &node.labels))
            })
    }

    fn has_room(&self, node: &Known) -> Result<(), Refusal> {
        let mut refusal = Refusal {
            reasons: Vec::new(),
            for_good: false,
        };
        if node.pods + 1 > node.most_pods {
            refusal.reasons.push("Too many pods".to_owned());
        }
        let want = self.requests;
        if !want.is_zero() {
            let (has, used) = (&node.has, &node.used);
            let mut check = |name: &str, want: i64, has: i64, used: i64| {
                if want > 0 && want > has - used {
                    refusal.reasons.push(format!("Insufficient {name}"));
                    refusal.for_good |= want > has;
                }
            };
            check("cpu", want.cpu, has.cpu, used.cpu);
            check("memory", want.memory, has.memory, used.memory);
            check("ephemeral-storage", want.storage, has.storage, used.storage);
            for (name, amount) in &want.others {
                check(name, *amount, has.other(name), used.other(name));
            }
        }
        if refusal.reasons.is_empty() {
            Ok(())
        } else {
            Err(refusal)
        }
    }
}

fn unschedulable_taint() -> Taint {
    Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    }
}

/// What is told of a pod that fits nowhere. Nothing has a priority here, so making room never helps: the
/// second half says so of each node.
pub(super) fn message(refusals: &[Refusal]) -> String {
    if refusals.is_empty() {
        return "no nodes available to schedule pods".to_owned();
    }
    let nodes = refusals.len();
    let reasons = refusals
        .iter()
        .flat_map(|r| r.reasons.iter().map(String::as_str));
    let help = refusals.iter().map(|r| {
        if r.for_good {
            "Preemption is not helpful for scheduling"
        } else {
            "No preemption victims found for incoming pod"
        }
    });
    format!(
        "0/{nodes} nodes are available: {}. preemption: 0/{nodes} nodes are available: {}.",
        histogram(reasons),
        histogram(help)
    )
}

/// `2 Insufficient cpu, 1 node(s) …`, sorted as text.
fn histogram<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    let mut parts: Vec<String> = counts
        .iter()
        .map(|(word, n)| format!("{n} {word}"))
        .collect();
    parts.sort();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_real_scheduler() {
        assert_eq!(message(&[]), "no nodes available to schedule pods");
        let cpu = Refusal::one("Insufficient cpu", false);
        let selector = Refusal::one("node(s) didn't match Pod's node affinity/selector", true);
        assert_eq!(
            message(&[selector.clone(), cpu, selector]),
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector. \
             preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
        );
    }
}
