//! What the scheduler remembers: nodes with their sums, pods, and who waits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::groups::{Groups, Wants};
use super::labels::Labels;
use super::nodes::Known;
use super::resources::Resources;
use crate::api::names;
use crate::cluster::object::Object;

/// Labels in which the pods of a Job differ.
pub(super) const OWN_LABELS: [&str; 2] = [
    names::COMPLETION_INDEX,
    "statefulset.kubernetes.io/pod-name",
];

/// A pod that counts: not ended, not gone.
#[derive(Debug)]
pub(super) struct Tracked {
    pub(super) object: Arc<Object>,
    pub(super) requests: Resources,
    pub(super) wants: Wants,
    pub(super) node: Option<String>,
    /// Pods come in this order.
    pub(super) order: u64,
    /// Alike ones fit, or don't fit, alike.
    pub(super) alike: Arc<str>,
}

impl Tracked {
    pub(super) fn pod(&self) -> &Pod {
        static NONE: std::sync::LazyLock<Pod> = std::sync::LazyLock::new(Pod::default);
        self.object.as_pod().unwrap_or(&NONE)
    }
}

/// Pods that are alike and fit nowhere.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) pods: BTreeMap<u64, String>,
    /// Why, as it was told last.
    pub(super) message: String,
}

/// See the module.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {
    pub(super) nodes: BTreeMap<String, Known>,
    /// Nodes by how many pods they have: the emptiest comes first.
    pub(super) by_load: BTreeSet<(i64, String)>,
    pub(super) pods: BTreeMap<String, Tracked>,
    /// Pods of each node.
    pub(super) on: BTreeMap<String, BTreeSet<String>>,
    pub(super) groups: Groups,
    /// To be looked at, in order.
    pub(super) active: BTreeMap<u64, String>,
    pub(super) waiting: BTreeMap<Arc<str>, Waiting>,
    /// Something has changed that may help those who wait.
    pub(super) try_again: bool,
    /// A look is due already.
    pub(super) awake: bool,
    pub(super) serial: u64,
}

impl State {
    /// A node comes or changes. Answers whether pods that wait may fit now.
    pub(super) fn learn(&mut self, name: &str, node: &k8s_openapi::api::core::v1::Node) -> bool {
        let known = self.nodes.entry(name.to_owned()).or_default();
        let old = std::mem::take(&mut known.labels);
        known.labels.clone_from(&old);
        let changed = known.learn(node);
        let moved = old != known.labels;
        let load = known.pods;
        if self.by_load.insert((load, name.to_owned())) {
            // New: pods may have been bound to it before it came.
            let there: Vec<String> = self.on.get(name).into_iter().flatten().cloned().collect();
            for uid in there {
                self.add_up(&uid, name, true);
            }
        } else if moved {
            let there: Vec<String> = self.on.get(name).into_iter().flatten().cloned().collect();
            let labels = node.metadata.labels.clone().unwrap_or_default();
            for uid in there {
                if let Some(tracked) = self.pods.get(&uid) {
                    let (pod, wants) = (Arc::clone(&tracked.object), tracked.wants.clone());
                    if let Some(pod) = pod.as_pod() {
                        self.groups.place(pod, &wants, &old, false);
                        self.groups.place(pod, &wants, &labels, true);
                    }
                }
            }
        }
        changed
    }

    /// A node is gone.
    pub(super) fn unlearn(&mut self, name: &str) {
        let there: Vec<String> = self.on.get(name).into_iter().flatten().cloned().collect();
        for uid in there {
            self.add_up(&uid, name, false);
        }
        if let Some(known) = self.nodes.remove(name) {
            self.by_load.remove(&(known.pods, name.to_owned()));
        }
    }

    /// A pod comes.
    pub(super) fn track(&mut self, object: &Arc<Object>, store: &crate::cluster::store::Store) {
        let Some(pod) = object.as_pod() else { return };
        let (pods, nodes) = (&self.pods, &self.nodes);
        let wants = self.groups.enter(pod, store, || {
            pods.values()
                .filter_map(|t| Some((t.pod(), &nodes.get(t.node.as_ref()?)?.labels)))
                .collect()
        });
        let requests = Resources::of_pod(pod);
        self.serial += 1;
        let tracked = Tracked {
            alike: alike(pod, &requests),
            requests,
            wants,
            node: None,
            order: self.serial,
            object: Arc::clone(object),
        };
        self.pods.insert(object.uid().to_owned(), tracked);
    }

    /// A pod is on a node.
    pub(super) fn place(&mut self, uid: &str, node: &str) {
        self.unqueue(uid);
        if let Some(tracked) = self.pods.get_mut(uid) {
            tracked.node = Some(node.to_owned());
        }
        self.on
            .entry(node.to_owned())
            .or_default()
            .insert(uid.to_owned());
        self.add_up(uid, node, true);
    }

    /// A pod has ended or is gone. Answers whether it has left room.
    pub(super) fn forget(&mut self, uid: &str) -> bool {
        self.unqueue(uid);
        let node = self.pods.get(uid).and_then(|t| t.node.clone());
        if let Some(node) = &node {
            self.add_up(uid, node, false);
            if let Some(there) = self.on.get_mut(node) {
                there.remove(uid);
                if there.is_empty() {
                    self.on.remove(node);
                }
            }
        }
        if let Some(tracked) = self.pods.remove(uid) {
            self.groups.leave(&tracked.wants);
        }
        node.is_some()
    }

    /// Nobody needs to look at it for now.
    pub(super) fn unqueue(&mut self, uid: &str) {
        let Some(tracked) = self.pods.get(uid) else {
            return;
        };
        self.active.remove(&tracked.order);
        if let Some(waiting) = self.waiting.get_mut(&tracked.alike) {
            waiting.pods.remove(&tracked.order);
            if waiting.pods.is_empty() {
                self.waiting.remove(&tracked.alike);
            }
        }
    }

    /// Adds a pod to the sums of its node, or takes it out.
    fn add_up(&mut self, uid: &str, node: &str, come: bool) {
        let (Some(tracked), Some(known)) = (self.pods.get(uid), self.nodes.get_mut(node)) else {
            return;
        };
        let old = known.pods;
        if come {
            known.used.add(&tracked.requests);
            known.pods += 1;
        } else {
            known.used.subtract(&tracked.requests);
            known.pods -= 1;
        }
        self.by_load.remove(&(old, node.to_owned()));
        self.by_load.insert((known.pods, node.to_owned()));
        if !self.groups.is_empty() {
            let labels: &Labels = &known.labels;
            self.groups
                .place(tracked.pod(), &tracked.wants, labels, come);
        }
    }
}

/// All of a pod that decides where it fits.
fn alike(pod: &Pod, requests: &Resources) -> Arc<str> {
    let spec = pod.spec.as_ref();
    let labels: Vec<_> = pod
        .metadata
        .labels
        .iter()
        .flatten()
        .filter(|(key, _)| !OWN_LABELS.contains(&key.as_str()))
        .collect();
    let parts = (
        &pod.metadata.namespace,
        labels,
        spec.map(|s| (&s.node_selector, &s.affinity, &s.tolerations)),
    );
    let text = serde_json::to_string(&parts).unwrap_or_default();
    format!("{requests:?}{text}").into()
}
