//! A node in a folder of its own, and pods whose news are waited for.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, ContainerStateTerminated, Pod, PodStatus, Secret};
use kubectl_jobset::cluster::kubelet::process::logs::{LogOptions, LogReader};
use kubectl_jobset::cluster::kubelet::process::{Lookups, News, Node, NodeOptions, PodHandle};
use serde_json::{Value, json};

/// Far above what anything here takes: a test that hangs ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// A few objects.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) config_maps: BTreeMap<String, Value>,
    pub(crate) secrets: BTreeMap<String, Value>,
}

impl Lookups for World {
    fn config_map(&self, _: &str, name: &str) -> Option<ConfigMap> {
        let found = self.config_maps.get(name)?;
        Some(serde_json::from_value(found.clone()).unwrap())
    }
    fn secret(&self, _: &str, name: &str) -> Option<Secret> {
        let found = self.secrets.get(name)?;
        Some(serde_json::from_value(found.clone()).unwrap())
    }
}

pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) node: Node,
}

impl Place {
    pub(crate) async fn new() -> Self {
        Self::with(World::default()).await
    }

    pub(crate) async fn with(world: World) -> Self {
        Self::made(world, true).await
    }

    pub(crate) async fn bare() -> Self {
        Self::made(World::default(), false).await
    }

    async fn made(world: World, isolate: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let node = Node::new(options(folder.path().to_owned(), isolate), Arc::new(world))
            .await
            .unwrap();
        Self { folder, node }
    }

    /// A node that has namespaces; else says why there is none.
    pub(crate) async fn isolated(world: World) -> Option<Self> {
        let place = Self::with(world).await;
        if let Some(refused) = place.node.not_isolated() {
            // Not with println, which nobody sees of a test that passes.
            let why = format!("SKIPPED, the system refuses namespaces: {}\n", refused.why);
            std::io::stderr().write_all(why.as_bytes()).unwrap();
            return None;
        }
        Some(place)
    }

    /// Starts a pod; `spec` has everything but what all pods here have.
    pub(crate) fn start(&self, name: &str, spec: Value) -> Running {
        let pod = pod(name, spec);
        Running {
            handle: self.node.start(pod.clone()),
            pod,
            status: PodStatus::default(),
            events: Vec::new(),
        }
    }

    /// Runs a script in a pod to its end.
    pub(crate) async fn script(&self, script: &str) -> Ended {
        let running = self.start("p", json!({"containers": [sh("main", script)]}));
        self.finish(running).await
    }

    pub(crate) async fn finish(&self, mut running: Running) -> Ended {
        running.end().await;
        Ended {
            log: self.log(&running.pod, "main", 0).await,
            status: running.status,
        }
    }

    pub(crate) async fn log(&self, pod: &Pod, container: &str, number: i32) -> String {
        let folder = self.node.logs(pod, container);
        let Ok(mut reader) = LogReader::open(&folder, number, LogOptions::default()) else {
            return String::new();
        };
        let mut text = Vec::new();
        while let Some(piece) = reader.next().await.unwrap() {
            text.extend(piece);
        }
        String::from_utf8(text).unwrap()
    }
}

pub(crate) fn options(folder: PathBuf, isolate: bool) -> NodeOptions {
    NodeOptions {
        name: "here".to_owned(),
        run: folder.display().to_string(),
        directory: folder.clone(),
        folder,
        environment: BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").unwrap())]),
        shown: Vec::new(),
        program: Some(env!("CARGO_BIN_EXE_kubectl-jobset").into()),
        isolate,
    }
}

pub(crate) fn pod(name: &str, spec: Value) -> Pod {
    let mut pod: Pod = serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "ns", "uid": format!("uid-{name}")},
        "spec": spec,
        "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}]}
    }))
    .unwrap();
    let spec = pod.spec.as_mut().unwrap();
    spec.restart_policy
        .get_or_insert_with(|| "Never".to_owned());
    pod
}

/// A container that runs a script.
pub(crate) fn sh(name: &str, script: &str) -> Value {
    json!({"name": name, "image": "busybox", "command": ["sh", "-c", script]})
}

/// The same with more to it.
pub(crate) fn sh_with(name: &str, script: &str, more: Value) -> Value {
    let mut container = sh(name, script);
    for (key, value) in more.as_object().unwrap() {
        container[key] = value.clone();
    }
    container
}

pub(crate) struct Running {
    pub(crate) handle: PodHandle,
    pub(crate) pod: Pod,
    pub(crate) status: PodStatus,
    pub(crate) events: Vec<(&'static str, String)>,
}

impl Running {
    /// False at the end.
    async fn step(&mut self) -> bool {
        let news = tokio::time::timeout(PATIENCE, self.handle.next()).await;
        let news =
            news.unwrap_or_else(|_| panic!("no news after {:?} {:?}", self.status, self.events));
        match news {
            Some(News::Status(status)) => self.status = status,
            Some(News::Event {
                reason, message, ..
            }) => self.events.push((reason, message)),
            None => return false,
        }
        true
    }

    /// Waits for a status.
    pub(crate) async fn until(&mut self, what: impl Fn(&PodStatus) -> bool) {
        while !what(&self.status) {
            assert!(self.step().await, "the pod has ended: {:?}", self.status);
        }
    }

    /// Waits for an event.
    pub(crate) async fn until_event(&mut self, reason: &str) -> String {
        loop {
            if let Some((_, message)) = self.events.iter().find(|(r, _)| *r == reason) {
                return message.clone();
            }
            assert!(self.step().await, "the pod has ended: {:?}", self.events);
        }
    }

    pub(crate) async fn until_running(&mut self) {
        self.until(|s| s.phase.as_deref() == Some("Running")).await;
    }

    pub(crate) async fn end(&mut self) {
        while self.step().await {}
    }
}

pub(crate) struct Ended {
    pub(crate) status: PodStatus,
    /// Of container `main`, its first run.
    pub(crate) log: String,
}

pub(crate) fn terminated(status: &PodStatus, container: &str) -> ContainerStateTerminated {
    status
        .init_container_statuses
        .iter()
        .flatten()
        .chain(status.container_statuses.iter().flatten())
        .find(|c| c.name == container)
        .and_then(|c| c.state.as_ref()?.terminated.clone())
        .unwrap_or_else(|| panic!("{container} has not ended: {status:?}"))
}

pub(crate) fn condition(status: &PodStatus, type_: &str) -> String {
    status
        .conditions
        .iter()
        .flatten()
        .find(|c| c.type_ == type_)
        .map(|c| c.status.clone())
        .unwrap_or_default()
}

pub(crate) fn is_ready(status: &PodStatus) -> bool {
    condition(status, "Ready") == "True"
}
