//! From bound pods to processes, and from processes back to the pods' status. One look at what has changed is
//! one turn: pods of runs that nobody holds any more are killed, all others get what they want.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateTerminated, Event, EventSource, ObjectReference, Pod, PodStatus,
    Service,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use tokio::sync::mpsc;

use crate::api::names::{JOBSET_NAME, record_name};
use crate::cluster::front::Shared;
use crate::cluster::front::shared::DiskLogs;
use crate::cluster::kubelet::process::{self, Lookups, News, Node, NodeOptions, PodHandle};
use crate::cluster::local::duty::{Duty, Known, duty};
use crate::cluster::local::holds::RunName;
use crate::cluster::local::place::Place;
use crate::cluster::local::tether::Tethers;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::World;
use crate::error::Result;

/// Exit code of a container that was killed: 128 and SIGKILL.
const KILLED: i32 = 137;

/// What the names of a run's record and Lease end with.
const RECORD_SUFFIX: &str = "-run";

/// A pod whose processes were started.
#[derive(Debug)]
struct Started {
    orders: mpsc::UnboundedSender<Option<Duration>>,
    stopping: bool,
}

/// What all pods of this machine have in common.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Name of the node.
    pub(super) name: String,
    /// `PATH`, `HOME`: what an image would bring.
    pub(super) environment: BTreeMap<String, String>,
}

/// See the module.
pub(super) struct Pods {
    shared: Shared,
    place: Place,
    machine: Machine,
    lookups: Arc<dyn Lookups>,
    /// One for each run: it has its own folder and its own file of names.
    nodes: BTreeMap<RunName, Node>,
    started: BTreeMap<String, Started>,
    ended: mpsc::UnboundedReceiver<String>,
    tell_end: mpsc::UnboundedSender<String>,
}

impl Pods {
    /// Without any pod yet.
    pub(super) fn new(shared: &Shared, place: &Place, machine: Machine) -> Self {
        let (tell_end, ended) = mpsc::unbounded_channel();
        Self {
            lookups: Arc::new(Objects(shared.clone())),
            shared: shared.clone(),
            place: place.clone(),
            machine,
            nodes: BTreeMap::new(),
            started: BTreeMap::new(),
            ended,
            tell_end,
        }
    }

    /// Whether any process may be there.
    pub(super) fn any(&self) -> bool {
        !self.started.is_empty()
    }

    /// Some pod's processes are gone: time for a turn.
    pub(super) async fn some_ended(&mut self) {
        if let Some(uid) = self.ended.recv().await {
            self.started.remove(&uid);
        }
    }

    /// Gives every pod what it wants.
    ///
    /// # Errors
    /// A run's folder can't be used.
    pub(super) async fn turn(&mut self, tethers: &Tethers) -> Result<()> {
        while let Ok(uid) = self.ended.try_recv() {
            self.started.remove(&uid);
        }
        let pods: Vec<Arc<Object>> = self
            .shared
            .look(|world| world.store().list(Kind::Pod, None).cloned().collect());
        for object in &pods {
            let Object::Pod(pod) = object.as_ref() else {
                continue;
            };
            let run = run_of(pod);
            let open = tethers.with(|holds| holds.is_open(&run));
            let known = match self.started.get(object.uid()) {
                None => Known::Nothing,
                Some(started) if started.stopping => Known::Stopping,
                Some(_) => Known::Started,
            };
            match duty(pod, &self.machine.name, known, open) {
                Duty::Leave => {}
                Duty::Start => self.start(pod, &run).await?,
                Duty::Stop { grace_s } => {
                    let grace = Duration::from_secs(u64::try_from(grace_s).unwrap_or(0));
                    self.order(object.uid(), Some(grace));
                }
                Duty::Kill => self.order(object.uid(), Some(Duration::ZERO)),
                Duty::Lost => self.shared.with(|world| lose(world, pod)),
                Duty::Remove => self.shared.with(|world| world.remove(&Key::of(object))),
            }
        }
        self.vacate(tethers);
        self.forget_deleted();
        self.name_services()
    }

    /// The seat of a driver that is known to be dead is free at once: nobody has to wait for its silence.
    fn vacate(&self, tethers: &Tethers) {
        let held: Vec<Arc<Object>> = self
            .shared
            .look(|world| world.store().list(Kind::Lease, None).cloned().collect());
        for object in held {
            let Object::Lease(lease) = object.as_ref() else {
                continue;
            };
            let Some(name) = object.name().strip_suffix(RECORD_SUFFIX) else {
                continue;
            };
            let run = (object.namespace().to_owned(), name.to_owned());
            let holder = lease
                .spec
                .as_ref()
                .and_then(|s| s.holder_identity.as_deref());
            if holder.is_some_and(|h| !h.is_empty()) && !tethers.with(|holds| holds.is_open(&run)) {
                let mut lease = lease.clone();
                lease.spec.get_or_insert_default().holder_identity = Some(String::new());
                self.shared.with(|world| world.put(lease.into()));
            }
        }
    }

    /// Folders of runs that were deleted go, once their pods are gone.
    fn forget_deleted(&mut self) {
        let gone = |run: &RunName| {
            let record = Key::new(Kind::ConfigMap, &run.0, &record_name(&run.1));
            self.shared.look(|world| {
                world.store().get(&record).is_none()
                    && !world
                        .store()
                        .list(Kind::Pod, Some(&run.0))
                        .any(|pod| pod.label(JOBSET_NAME) == Some(&run.1))
            })
        };
        for run in self.place.runs() {
            if gone(&run) {
                self.nodes.remove(&run);
                self.place.forget(&run);
            }
        }
    }

    fn order(&mut self, uid: &str, grace: Option<Duration>) {
        if let Some(started) = self.started.get_mut(uid) {
            started.stopping = true;
            // It has just ended: its end is on its way.
            let _ = started.orders.send(grace).ok();
        }
    }

    /// Makes the folder of a run and finds out what the system allows; says what it doesn't.
    ///
    /// # Errors
    /// The run's folder can't be used.
    pub(super) async fn prepare(&mut self, run: &RunName) -> Result<Option<String>> {
        if !self.nodes.contains_key(run) {
            let node = self.node(run).await?;
            self.nodes.insert(run.clone(), node);
        }
        let refused = self.nodes.get(run).and_then(Node::not_isolated);
        Ok(refused.map(|r| format!("the system allows no namespaces ({}); {}", r.why, r.hint)))
    }

    async fn start(&mut self, pod: &Pod, run: &RunName) -> Result<()> {
        let _told_to_the_driver = self.prepare(run).await?;
        let Some(node) = self.nodes.get(run) else {
            return Ok(());
        };
        let uid = pod.metadata.uid.clone().unwrap_or_default();
        let (orders, ordered) = mpsc::unbounded_channel();
        let handle = node.start(pod.clone());
        tokio::spawn(follow(
            self.shared.clone(),
            handle,
            uid.clone(),
            ordered,
            self.tell_end.clone(),
        ));
        let started = Started {
            orders,
            stopping: false,
        };
        self.started.insert(uid, started);
        Ok(())
    }

    async fn node(&self, run: &RunName) -> Result<Node> {
        let options = NodeOptions {
            name: self.machine.name.clone(),
            run: format!("{}/{}", run.0, run.1),
            folder: self.place.run(run),
            directory: self.place.directory(run),
            environment: self.machine.environment.clone(),
            shown: Vec::new(),
            program: None,
            isolate: true,
        };
        Node::new(options, Arc::clone(&self.lookups)).await
    }

    /// Services of each run resolve inside its pods.
    fn name_services(&self) -> Result<()> {
        for (run, node) in &self.nodes {
            let services: Vec<Service> = self.shared.look(|world| {
                let all = world.store().list(Kind::Service, Some(&run.0));
                all.filter_map(|object| match object.as_ref() {
                    Object::Service(service) => Some(service.clone()),
                    _ => None,
                })
                .collect()
            });
            node.set_services(services)?;
        }
        Ok(())
    }
}

/// The run that a pod belongs to; a pod without a JobSet is a run of its own.
fn run_of(pod: &Pod) -> RunName {
    let meta = &pod.metadata;
    let label = meta
        .labels
        .as_ref()
        .and_then(|labels| labels.get(JOBSET_NAME));
    let name = label.or(meta.name.as_ref()).cloned().unwrap_or_default();
    (meta.namespace.clone().unwrap_or_default(), name)
}

/// Writes what a pod's processes do into its status, until they are gone; then the pod may go, if it was
/// deleted.
async fn follow(
    shared: Shared,
    mut handle: PodHandle,
    uid: String,
    mut ordered: mpsc::UnboundedReceiver<Option<Duration>>,
    ended: mpsc::UnboundedSender<String>,
) {
    loop {
        tokio::select! {
            news = handle.next() => match news {
                Some(News::Status(status)) => shared.with(|world| set_status(world, &uid, status)),
                Some(News::Event { warning, reason, message }) => {
                    shared.with(|world| tell(world, &uid, warning, reason, &message));
                }
                None => break,
            },
            Some(grace) = ordered.recv() => handle.stop(grace),
        }
    }
    shared.with(|world| {
        if let Some(object) = world.store().by_uid(&uid).cloned()
            && object.meta().deletion_timestamp.is_some()
        {
            world.remove(&Key::of(&object));
        }
    });
    // The host is ending; nobody counts any more.
    let _ = ended.send(uid).ok();
}

fn pod_of(world: &World, uid: &str) -> Option<Pod> {
    world.store().by_uid(uid)?.as_pod().cloned()
}

/// Something for `kubectl describe`.
fn tell(world: &mut World, uid: &str, warning: bool, reason: &str, message: &str) {
    let Some(pod) = pod_of(world, uid) else {
        return;
    };
    let meta = pod.metadata;
    let now = Time(world.second());
    let name = meta.name.clone().unwrap_or_default();
    let mut event = Event {
        involved_object: ObjectReference {
            api_version: Some("v1".to_owned()),
            kind: Some("Pod".to_owned()),
            name: meta.name,
            namespace: meta.namespace.clone(),
            uid: meta.uid,
            ..ObjectReference::default()
        },
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        type_: Some(if warning { "Warning" } else { "Normal" }.to_owned()),
        source: Some(EventSource {
            component: Some("kubelet".to_owned()),
            ..EventSource::default()
        }),
        first_timestamp: Some(now.clone()),
        last_timestamp: Some(now),
        count: Some(1),
        ..Event::default()
    };
    event.metadata.name = Some(format!("{name}.{:x}", world.version()));
    event.metadata.namespace = meta.namespace;
    world.stamp(&mut event.metadata);
    world.put(event.into());
}

/// A kubelet's status; conditions of others (the scheduler's, a disruption) stay.
fn set_status(world: &mut World, uid: &str, mut status: PodStatus) {
    let Some(mut pod) = pod_of(world, uid) else {
        return;
    };
    let before = pod.status.take().unwrap_or_default();
    let new = status.conditions.get_or_insert_default();
    for condition in before.conditions.unwrap_or_default() {
        if !new.iter().any(|c| c.type_ == condition.type_) {
            new.push(condition);
        }
    }
    status.qos_class = status.qos_class.or(before.qos_class);
    pod.status = Some(status);
    world.put(pod.into());
}

/// A pod that ran under a host that is dead.
fn lose(world: &mut World, pod: &Pod) {
    let mut pod = pod.clone();
    let now = world.second();
    let status = pod.status.get_or_insert_default();
    status.phase = Some("Failed".to_owned());
    status.reason = Some("HostLost".to_owned());
    status.message =
        Some("the process that hosted this pod is gone, its processes with it".to_owned());
    for condition in status.conditions.iter_mut().flatten() {
        if matches!(condition.type_.as_str(), "Ready" | "ContainersReady") {
            condition.status = "False".to_owned();
            condition.last_transition_time = Some(Time(now));
        }
    }
    for container in status.container_statuses.iter_mut().flatten() {
        let state = container.state.get_or_insert_default();
        if state.terminated.is_none() {
            let started_at = state.running.take().and_then(|running| running.started_at);
            *state = ContainerState {
                terminated: Some(ContainerStateTerminated {
                    exit_code: KILLED,
                    reason: Some("Error".to_owned()),
                    started_at,
                    finished_at: Some(Time(now)),
                    container_id: container.container_id.clone(),
                    ..ContainerStateTerminated::default()
                }),
                ..ContainerState::default()
            };
            container.ready = false;
            container.started = Some(false);
        }
    }
    world.put(pod.into());
}

/// ConfigMaps and Secrets of the world.
struct Objects(Shared);

impl Lookups for Objects {
    fn config_map(
        &self,
        namespace: &str,
        name: &str,
    ) -> Option<k8s_openapi::api::core::v1::ConfigMap> {
        let key = Key::new(Kind::ConfigMap, namespace, name);
        self.0
            .look(|world| match world.store().get(&key)?.as_ref() {
                Object::ConfigMap(map) => Some(map.clone()),
                _ => None,
            })
    }
    fn secret(&self, namespace: &str, name: &str) -> Option<k8s_openapi::api::core::v1::Secret> {
        let key = Key::new(Kind::Secret, namespace, name);
        self.0
            .look(|world| match world.store().get(&key)?.as_ref() {
                Object::Secret(secret) => Some(secret.clone()),
                _ => None,
            })
    }
}

/// Puts this machine into the world, as a node whose pods are processes.
pub(super) fn add_machine(world: &mut World, name: &str) {
    world.kubelets.give_away(name);
    let mut node = process::machine(name);
    world.stamp(&mut node.metadata);
    world.put(node.into());
}

/// Where the output of containers is.
pub(super) fn disk_logs(place: &Place) -> DiskLogs {
    let place = place.clone();
    Box::new(move |pod, container| process::log_folder(&place.run(&run_of(pod)), pod, container))
}
