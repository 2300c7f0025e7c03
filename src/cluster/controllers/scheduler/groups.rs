//! Affinity among pods. Terms that are alike are one group; how many pods it matches at each place is counted
//! when pods come and go, not when somebody asks.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, Pod, PodAffinityTerm};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde::Serialize;

use super::labels::{Labels, selects};
use crate::cluster::object::Kind;
use crate::cluster::store::Store;

/// One term, with the namespaces that it means.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Term {
    topology: String,
    /// None: all.
    namespaces: Option<Vec<String>>,
    /// None: no pod at all.
    selector: Option<LabelSelector>,
}

impl Term {
    fn of(term: &PodAffinityTerm, pod: &Pod, store: &Store) -> Self {
        let mut named = term.namespaces.clone().unwrap_or_default();
        let namespaces = match &term.namespace_selector {
            Some(selector) if *selector == LabelSelector::default() => None,
            Some(selector) => {
                let taken = store
                    .list(Kind::Namespace, None)
                    .filter(|ns| selects(selector, ns.meta().labels.as_ref()));
                named.extend(taken.map(|ns| ns.name().to_owned()));
                Some(named)
            }
            None if named.is_empty() => Some(pod.metadata.namespace.iter().cloned().collect()),
            None => Some(named),
        };
        Self {
            topology: term.topology_key.clone(),
            namespaces,
            selector: term.label_selector.clone(),
        }
    }

    fn matches(&self, pod: &Pod) -> bool {
        let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
        self.namespaces
            .as_ref()
            .is_none_or(|list| list.iter().any(|n| n == namespace))
            && self
                .selector
                .as_ref()
                .is_some_and(|s| selects(s, pod.metadata.labels.as_ref()))
    }
}

/// What a pod wants of others: names of groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Wants {
    /// All its affinity terms are one group: a pod counts that matches all of them.
    with: Option<String>,
    /// Each anti-affinity term is a group.
    without: Vec<String>,
}

#[derive(Debug)]
struct Group {
    terms: Vec<Term>,
    /// Pods that match, by place, for each term.
    matching: Vec<BTreeMap<String, u32>>,
    /// Pods that have this anti-affinity themselves, by place.
    carriers: BTreeMap<String, u32>,
    /// Pods that name it.
    users: u32,
}

impl Group {
    fn matches(&self, pod: &Pod) -> bool {
        self.terms.iter().all(|term| term.matches(pod))
    }
    fn count(&mut self, labels: &Labels, come: bool) {
        for (term, counts) in self.terms.iter().zip(&mut self.matching) {
            if let Some(place) = labels.get(&term.topology) {
                step(counts, place, come);
            }
        }
    }
}

fn step(counts: &mut BTreeMap<String, u32>, place: &str, come: bool) {
    if come {
        *counts.entry(place.to_owned()).or_default() += 1;
    } else if let Some(count) = counts.get_mut(place) {
        *count -= 1;
        if *count == 0 {
            counts.remove(place);
        }
    }
}

/// Why a node doesn't fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// Nobody there that it wants to be with.
    Affinity,
    /// Somebody there that it doesn't want to be with.
    AntiAffinity,
    /// Somebody there who doesn't want to be with it.
    Existing,
}

/// All groups.
#[derive(Debug, Default)]
pub(super) struct Groups(BTreeMap<String, Group>);

impl Groups {
    /// What a pod wants; groups that are new count `placed` first.
    pub(super) fn enter<'a>(
        &mut self,
        pod: &Pod,
        store: &Store,
        placed: impl Fn() -> Vec<(&'a Pod, &'a Labels)>,
    ) -> Wants {
        let affinity = pod.spec.as_ref().and_then(|s| s.affinity.as_ref());
        let Some(affinity) = affinity else {
            return Wants::default();
        };
        let terms = |list: &[PodAffinityTerm]| -> Vec<Term> {
            list.iter().map(|t| Term::of(t, pod, store)).collect()
        };
        let (with, without) = required(affinity);
        let with = terms(with);
        Wants {
            with: (!with.is_empty()).then(|| self.open(with, &placed)),
            without: terms(without)
                .into_iter()
                .map(|term| self.open(vec![term], &placed))
                .collect(),
        }
    }

    fn open<'a>(
        &mut self,
        terms: Vec<Term>,
        placed: &impl Fn() -> Vec<(&'a Pod, &'a Labels)>,
    ) -> String {
        // These types can always be written.
        let name = serde_json::to_string(&terms).unwrap_or_default();
        let group = self.0.entry(name.clone()).or_insert_with(|| {
            let mut group = Group {
                matching: vec![BTreeMap::new(); terms.len()],
                terms,
                carriers: BTreeMap::new(),
                users: 0,
            };
            for (pod, labels) in placed() {
                if group.matches(pod) {
                    group.count(labels, true);
                }
            }
            group
        });
        group.users += 1;
        name
    }

    /// A pod that had wishes is gone.
    pub(super) fn leave(&mut self, wants: &Wants) {
        for name in wants.with.iter().chain(&wants.without) {
            if let Some(group) = self.0.get_mut(name) {
                group.users -= 1;
                if group.users == 0 {
                    self.0.remove(name);
                }
            }
        }
    }

    /// A pod comes to a node with these labels, or goes from there.
    pub(super) fn place(&mut self, pod: &Pod, wants: &Wants, labels: &Labels, come: bool) {
        for group in self.0.values_mut() {
            if group.matches(pod) {
                group.count(labels, come);
            }
        }
        for name in &wants.without {
            if let Some(group) = self.0.get_mut(name)
                && let Some(place) = labels.get(&group.terms[0].topology)
            {
                step(&mut group.carriers, place, come);
            }
        }
    }

    /// Whether anybody's wish is about one of these labels.
    pub(super) fn look_at(&self, keys: &[&str]) -> bool {
        let named = |selector: &LabelSelector| {
            let equal = selector.match_labels.iter().flatten().map(|(key, _)| key);
            let others = selector.match_expressions.iter().flatten().map(|r| &r.key);
            equal.chain(others).any(|key| keys.contains(&key.as_str()))
        };
        self.0
            .values()
            .flat_map(|group| &group.terms)
            .any(|term| term.selector.as_ref().is_some_and(named))
    }

    /// Nobody wants anything.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Anti-affinities of placed pods that a pod runs into.
    pub(super) fn against(&self, pod: &Pod) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(_, group)| !group.carriers.is_empty() && group.matches(pod))
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// Whether a pod may go to a node with these labels; `against` is of that pod.
    pub(super) fn check(
        &self,
        pod: &Pod,
        wants: &Wants,
        against: &[&str],
        labels: &Labels,
    ) -> Result<(), Misfit> {
        if let Some(group) = wants.with.as_ref().and_then(|name| self.0.get(name))
            && !with(group, pod, labels)
        {
            return Err(Misfit::Affinity);
        }
        for group in wants.without.iter().filter_map(|name| self.0.get(name)) {
            if let Some(place) = labels.get(&group.terms[0].topology)
                && group.matching[0].contains_key(place)
            {
                return Err(Misfit::AntiAffinity);
            }
        }
        for group in against.iter().filter_map(|name| self.0.get(*name)) {
            if let Some(place) = labels.get(&group.terms[0].topology)
                && group.carriers.contains_key(place)
            {
                return Err(Misfit::Existing);
            }
        }
        Ok(())
    }
}

/// The first of a group that wants to be with itself may go anywhere that has the labels.
fn with(group: &Group, pod: &Pod, labels: &Labels) -> bool {
    let mut there = true;
    for (term, counts) in group.terms.iter().zip(&group.matching) {
        match labels.get(&term.topology) {
            Some(place) => there &= counts.contains_key(place),
            None => return false,
        }
    }
    there || group.matching.iter().all(BTreeMap::is_empty) && group.matches(pod)
}

fn required(affinity: &Affinity) -> (&[PodAffinityTerm], &[PodAffinityTerm]) {
    const KEY: fn(&Option<Vec<PodAffinityTerm>>) -> &[PodAffinityTerm] =
        |list| list.as_deref().unwrap_or_default();
    (
        affinity.pod_affinity.as_ref().map_or(&[], |a| {
            KEY(&a.required_during_scheduling_ignored_during_execution)
        }),
        affinity.pod_anti_affinity.as_ref().map_or(&[], |a| {
            KEY(&a.required_during_scheduling_ignored_during_execution)
        }),
    )
}
