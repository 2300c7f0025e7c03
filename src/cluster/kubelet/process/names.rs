//! Which names mean which addresses: `<hostname>.<subdomain>` for every pod that has a subdomain, its short host name,
//! and for each Service the addresses of its pods. Written into the [`Hosts`] file when it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::Ipv4Addr;

use k8s_openapi::api::core::v1::{Pod, Service};

use super::hosts::Hosts;

/// Names longer than a label of DNS are cut, as the kubelet does.
const MOST_LABEL: usize = 63;

/// All names of a run.
#[derive(Debug)]
pub(super) struct Names {
    hosts: Hosts,
    pods: BTreeMap<u64, Named>,
    services: Vec<Service>,
    next: u64,
}

#[derive(Debug)]
struct Named {
    namespace: String,
    hostname: String,
    subdomain: Option<String>,
    labels: BTreeMap<String, String>,
    address: Ipv4Addr,
    ready: bool,
}

impl Names {
    pub(super) fn new(hosts: Hosts) -> Self {
        Self {
            hosts,
            pods: BTreeMap::new(),
            services: Vec::new(),
            next: 0,
        }
    }

    /// A pod has got its address; the answer is what the other calls know it by.
    pub(super) fn add(&mut self, pod: &Pod, address: Ipv4Addr) -> io::Result<u64> {
        self.next += 1;
        let named = Named {
            namespace: pod.metadata.namespace.clone().unwrap_or_default(),
            hostname: hostname(pod),
            subdomain: pod
                .spec
                .as_ref()
                .and_then(|s| s.subdomain.clone())
                .filter(|s| !s.is_empty()),
            labels: pod.metadata.labels.clone().unwrap_or_default(),
            address,
            ready: false,
        };
        self.pods.insert(self.next, named);
        self.write()?;
        Ok(self.next)
    }

    pub(super) fn set_ready(&mut self, key: u64, ready: bool) -> io::Result<()> {
        match self.pods.get_mut(&key) {
            Some(pod) if pod.ready != ready => {
                pod.ready = ready;
                self.write()
            }
            _ => Ok(()),
        }
    }

    pub(super) fn remove(&mut self, key: u64) -> io::Result<()> {
        self.pods.remove(&key);
        self.write()
    }

    pub(super) fn set_services(&mut self, services: Vec<Service>) -> io::Result<()> {
        self.services = services;
        self.write()
    }

    /// Names of pods that have an address now.
    pub(super) fn pods(&self) -> impl Iterator<Item = (&str, Ipv4Addr)> {
        self.pods
            .values()
            .map(|pod| (pod.hostname.as_str(), pod.address))
    }

    fn write(&mut self) -> io::Result<()> {
        let lines = self.lines();
        self.hosts.set(&lines)
    }

    fn lines(&self) -> Vec<(Ipv4Addr, Vec<String>)> {
        let mut lines = Vec::new();
        // The newest pod of a name has it: the one before is on its way out.
        let mut taken = BTreeSet::new();
        for pod in self.pods.values().rev() {
            if !taken.insert((&pod.namespace, &pod.hostname, &pod.subdomain)) {
                continue;
            }
            let mut names = Vec::new();
            if let Some(subdomain) = &pod.subdomain {
                names = in_cluster(&format!("{}.{subdomain}", pod.hostname), &pod.namespace);
            }
            names.push(pod.hostname.clone());
            lines.push((pod.address, names));
        }
        lines.reverse();
        for pod in self.pods.values() {
            for service in self.services_of(pod) {
                lines.push((pod.address, in_cluster(service, &pod.namespace)));
            }
        }
        lines
    }

    /// Services that the pod stands behind now. A subdomain that no Service is known for counts as a headless one.
    fn services_of<'a>(&'a self, pod: &'a Named) -> Vec<&'a str> {
        let known = |name: &str| {
            self.services.iter().any(|s| {
                s.metadata.name.as_deref() == Some(name)
                    && s.metadata.namespace.as_ref() == Some(&pod.namespace)
            })
        };
        let mut found: Vec<&str> = self
            .services
            .iter()
            .filter(|service| {
                let spec = service.spec.as_ref();
                let open = spec.and_then(|s| s.publish_not_ready_addresses) == Some(true);
                let selector = spec.and_then(|s| s.selector.as_ref());
                service.metadata.namespace.as_ref() == Some(&pod.namespace)
                    && (pod.ready || open)
                    && selector.is_some_and(|selector| {
                        !selector.is_empty()
                            && selector.iter().all(|(k, v)| pod.labels.get(k) == Some(v))
                    })
            })
            .filter_map(|service| service.metadata.name.as_deref())
            .collect();
        if let Some(subdomain) = &pod.subdomain
            && pod.ready
            && !known(subdomain)
        {
            found.push(subdomain);
        }
        found
    }
}

/// A name in a namespace as far as a pod's search path reaches.
fn in_cluster(name: &str, namespace: &str) -> Vec<String> {
    vec![
        format!("{name}.{namespace}.svc.cluster.local"),
        format!("{name}.{namespace}.svc"),
        format!("{name}.{namespace}"),
        name.to_owned(),
    ]
}

/// What `hostname` prints in the pod.
pub(super) fn hostname(pod: &Pod) -> String {
    let name = pod
        .spec
        .as_ref()
        .and_then(|s| s.hostname.clone())
        .filter(|h| !h.is_empty())
        .or_else(|| pod.metadata.name.clone())
        .unwrap_or_default();
    let mut short: String = name.chars().take(MOST_LABEL).collect();
    while short.ends_with(['-', '.']) {
        short.pop();
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> (tempfile::TempDir, Names) {
        let folder = tempfile::tempdir().unwrap();
        let hosts = Hosts::create(&folder.path().join("hosts"), "").unwrap();
        (folder, Names::new(hosts))
    }

    fn pod(name: &str) -> Pod {
        serde_json::from_value(serde_json::json!({
            "metadata": {"name": format!("{name}-x7k2p"), "namespace": "ns", "labels": {"app": "a"}},
            "spec": {"hostname": name, "subdomain": "net", "containers": []}
        }))
        .unwrap()
    }

    const ONE: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);
    const TWO: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 2);

    fn of<'a>(lines: &'a [(Ipv4Addr, Vec<String>)], name: &str) -> Vec<&'a Ipv4Addr> {
        lines
            .iter()
            .filter(|(_, names)| names.iter().any(|n| n == name))
            .map(|(address, _)| address)
            .collect()
    }

    #[test]
    fn a_pod_has_its_names_before_it_is_ready_and_its_service_after() {
        let (_folder, mut names) = names();
        let key = names.add(&pod("w-0"), ONE).unwrap();
        let lines = names.lines();
        for name in [
            "w-0",
            "w-0.net",
            "w-0.net.ns",
            "w-0.net.ns.svc",
            "w-0.net.ns.svc.cluster.local",
        ] {
            assert_eq!(of(&lines, name), [&ONE], "{name}");
        }
        assert_eq!(of(&lines, "net"), Vec::<&Ipv4Addr>::new());
        names.set_ready(key, true).unwrap();
        assert_eq!(of(&names.lines(), "net.ns.svc"), [&ONE]);
    }

    #[test]
    fn the_newest_pod_of_a_name_has_it() {
        let (_folder, mut names) = names();
        names.add(&pod("w-0"), ONE).unwrap();
        let second = names.add(&pod("w-0"), TWO).unwrap();
        assert_eq!(of(&names.lines(), "w-0.net"), [&TWO]);
        names.remove(second).unwrap();
        assert_eq!(of(&names.lines(), "w-0.net"), [&ONE]);
    }

    #[test]
    fn a_service_names_the_pods_that_it_selects() {
        let (_folder, mut names) = names();
        names.add(&pod("w-0"), ONE).unwrap();
        let service = |open: bool| {
            serde_json::from_value(serde_json::json!({
                "metadata": {"name": "front", "namespace": "ns"},
                "spec": {"selector": {"app": "a"}, "publishNotReadyAddresses": open}
            }))
            .unwrap()
        };
        names.set_services(vec![service(false)]).unwrap();
        assert_eq!(of(&names.lines(), "front"), Vec::<&Ipv4Addr>::new());
        names.set_services(vec![service(true)]).unwrap();
        assert_eq!(of(&names.lines(), "front"), [&ONE]);
    }

    #[test]
    fn a_long_host_name_is_cut_to_a_label() {
        let mut pod = pod("x");
        pod.spec.as_mut().unwrap().hostname = None;
        pod.metadata.name = Some(format!("{}-abc", "a".repeat(62)));
        assert_eq!(hostname(&pod), "a".repeat(62));
    }
}
