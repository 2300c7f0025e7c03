//! What a pod refers to and doesn't carry.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};

/// Where the kubelet finds the objects that a pod names.
pub trait Lookups: Send + Sync {
    /// The ConfigMap, if there is one.
    fn config_map(&self, namespace: &str, name: &str) -> Option<ConfigMap>;
    /// The Secret, if there is one.
    fn secret(&self, namespace: &str, name: &str) -> Option<Secret>;
}

/// There are none.
#[derive(Clone, Copy, Debug)]
pub struct NoLookups;

impl Lookups for NoLookups {
    fn config_map(&self, _: &str, _: &str) -> Option<ConfigMap> {
        None
    }
    fn secret(&self, _: &str, _: &str) -> Option<Secret> {
        None
    }
}
