//! Small Jobs and pods for tests, and a cluster without nodes whose pods do what a test says.

use std::sync::Arc;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::requests;
use super::seen::SeenPod;
use crate::cluster::api::{Patch, Request, Verb, WriteOptions};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{ChangeKind, Key};
use crate::cluster::world::{World, WorldOptions};

/// A Job with that spec.
pub(super) fn job(mut spec: Value) -> Job {
    if spec["template"].is_null() {
        spec["template"] = json!({});
    }
    serde_json::from_value(json!({"metadata": {"name": "j"}, "spec": spec})).unwrap()
}

/// A pod.
pub(super) fn pod(pod: Value) -> SeenPod {
    let pod: Pod = serde_json::from_value(pod).unwrap();
    SeenPod::new(&Arc::new(pod.into())).unwrap()
}

/// A pod whose container ended then.
pub(super) fn ended_pod(at: Timestamp) -> SeenPod {
    pod(json!({"status": {"phase": "Failed", "containerStatuses": [ended(1, &at.to_string())]}}))
}

fn ended(code: i32, at: &str) -> Value {
    json!({"name": "c", "image": "", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"terminated": {"exitCode": code, "finishedAt": at}}})
}

/// Job `j` in `default`, as the API admits it.
pub(super) struct Small {
    pub(super) world: World,
    start: Timestamp,
}

/// A change of the Job's status, as a watch tells it: the fields that differ from before.
pub(super) type Told = Value;

impl Small {
    /// A cluster with the Job.
    pub(super) fn new(spec: Value) -> Self {
        let start = Timestamp::from_second(1_800_000_000).unwrap();
        let mut small = Self {
            world: World::new(WorldOptions::new(start, 1)),
            start,
        };
        small.make("j", spec);
        small
    }

    /// Another Job, as the API admits it.
    pub(super) fn make(&mut self, name: &str, spec: Value) {
        let mut job = json!({"metadata": {"name": name, "namespace": "default"}, "spec": {"template":
            {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}});
        merge(&mut job["spec"], spec);
        let job = Object::from_json(Kind::Job, &job, |_| {}).unwrap();
        self.world.create(job).unwrap();
    }

    /// Lets milliseconds pass.
    pub(super) fn pass(&mut self, ms: i64) {
        let to = self.world.now() + SignedDuration::from_millis(ms);
        self.world.advance(to);
    }

    /// Milliseconds since the start.
    pub(super) fn now(&self) -> i64 {
        self.world.now().duration_since(self.start).as_millis() as i64
    }

    pub(super) fn key(kind: Kind, name: &str) -> Key {
        Key::new(kind, "default", name)
    }

    /// The Job's status.
    pub(super) fn status(&self) -> Value {
        let job = self.world.store.get(&Self::key(Kind::Job, "j"));
        job.map_or(Value::Null, |job| job.to_json().unwrap()["status"].clone())
    }

    /// The status has at least these fields.
    #[track_caller]
    pub(super) fn check(&self, expected: Value) {
        let status = self.status();
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(
                status[field],
                *value,
                "{field} at {} ms of {status:#}",
                self.now()
            );
        }
    }

    /// `Type=Status Reason` of each condition.
    pub(super) fn conditions(&self) -> Vec<String> {
        let status = self.status();
        let conditions = status["conditions"].as_array().into_iter().flatten();
        conditions
            .map(|c| {
                let word = |f: &str| c[f].as_str().unwrap().to_owned();
                format!("{}={} {}", word("type"), word("status"), word("reason"))
            })
            .collect()
    }

    /// A condition's message.
    pub(super) fn message(&self, kind: &str) -> String {
        let status = self.status();
        let conditions = status["conditions"].as_array().unwrap();
        let condition = conditions.iter().find(|c| c["type"] == kind).unwrap();
        condition["message"].as_str().unwrap().to_owned()
    }

    /// All pods, by name.
    pub(super) fn pods(&self) -> Vec<Pod> {
        let pods = self.world.store.list(Kind::Pod, Some("default"));
        pods.map(|o| o.as_pod().unwrap().clone()).collect()
    }

    /// Pods that have neither ended nor are being deleted.
    pub(super) fn live(&self) -> Vec<Pod> {
        let mut pods = self.pods();
        pods.retain(|p| SeenPod::new(&Arc::new(p.clone().into())).unwrap().active());
        pods
    }

    /// Names of the live pods without their five letters.
    pub(super) fn live_names(&self) -> Vec<String> {
        let name = |p: &Pod| p.metadata.name.clone().unwrap();
        let cut = |n: String| n[..n.len() - 6].to_owned();
        self.live().iter().map(name).map(cut).collect()
    }

    /// Changes a pod.
    pub(super) fn change(&mut self, pod: &Pod, change: impl FnOnce(&mut Pod)) {
        let key = Self::key(Kind::Pod, pod.metadata.name.as_deref().unwrap());
        let mut pod = self
            .world
            .store
            .get(&key)
            .unwrap()
            .as_pod()
            .unwrap()
            .clone();
        change(&mut pod);
        self.world.put(pod.into());
    }

    fn set(&mut self, pod: &Pod, status: Value) {
        self.change(pod, |pod| {
            pod.status = serde_json::from_value(status).unwrap()
        });
    }

    /// The pod runs and is ready.
    pub(super) fn ready(&mut self, pod: &Pod) {
        self.set(
            pod,
            json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}),
        );
    }

    /// The pod's container ends with that code.
    pub(super) fn end(&mut self, pod: &Pod, code: i32) {
        let phase = if code == 0 { "Succeeded" } else { "Failed" };
        let at = self.world.second().to_string();
        self.set(
            pod,
            json!({"phase": phase, "containerStatuses": [ended(code, &at)]}),
        );
    }

    /// The live pod of an index ends.
    #[track_caller]
    pub(super) fn end_index(&mut self, index: i32, code: i32) {
        let wanted = format!("j-{index}-");
        let live = self.live();
        let mut pods = live.iter();
        let pod = pods.find(|p| p.metadata.name.as_deref().unwrap().starts_with(&wanted));
        self.end(pod.unwrap(), code);
    }

    /// All live pods end.
    pub(super) fn end_all(&mut self, code: i32) {
        for pod in self.live() {
            self.end(&pod, code);
        }
    }

    /// Somebody asks for a pod's deletion.
    pub(super) fn delete(&mut self, pod: &Pod) {
        let key = Self::key(Kind::Pod, pod.metadata.name.as_deref().unwrap());
        requests::delete_pod(&mut self.world, &key).unwrap();
    }

    /// The kubelet has ended the containers of all pods that are being deleted.
    pub(super) fn terminate(&mut self) {
        for pod in self.pods() {
            if pod.metadata.deletion_timestamp.is_some() {
                self.change(&pod, |p| p.metadata.deletion_grace_period_seconds = Some(0));
                let key = Self::key(Kind::Pod, pod.metadata.name.as_deref().unwrap());
                requests::change_pod(&mut self.world, &key, |_| {});
            }
        }
    }

    /// Pods are on a node from now on, so that their deletion takes time.
    pub(super) fn bind(&mut self) {
        let mut node = k8s_openapi::api::core::v1::Node::default();
        node.metadata.name = Some("n".to_owned());
        // The test itself says what its pods do.
        self.world.kubelets.give_away("n");
        self.world.put(node.into());
        for pod in self.pods() {
            self.change(&pod, |p| {
                p.spec.as_mut().unwrap().node_name = Some("n".to_owned())
            });
        }
    }

    /// Changes the Job's spec.
    pub(super) fn patch(&mut self, patch: Value) {
        let patch = Patch::Merge(json!({"spec": patch}));
        let request = Request {
            user: "kubernetes-admin".to_owned(),
            kind: Kind::Job,
            namespace: Some("default".to_owned()),
            name: Some("j".to_owned()),
            subresource: None,
            verb: Verb::Patch(WriteOptions::default(), patch),
        };
        self.world.call(&request).unwrap();
    }

    /// `Reason message` of the events about Jobs, names of pods without their letters.
    pub(super) fn events(&self) -> Vec<String> {
        let mut events: Vec<Arc<Object>> = self
            .world
            .store
            .list(Kind::Event, Some("default"))
            .filter(|e| matches!(&***e, Object::Event(e) if e.involved_object.kind.as_deref() == Some("Job")))
            .map(Arc::clone)
            .collect();
        events.sort_by_key(|e| {
            e.meta()
                .resource_version
                .as_ref()
                .unwrap()
                .parse::<u64>()
                .unwrap()
        });
        let text = |o: &Arc<Object>| {
            let Object::Event(event) = &**o else {
                return String::new();
            };
            let message = event.message.clone().unwrap();
            let cut = if message.contains(" pod: ") { 6 } else { 0 };
            let kept = &message[..message.len() - cut];
            format!("{} {kept}", event.reason.as_deref().unwrap())
        };
        events.iter().map(text).collect()
    }

    /// Each status of the Job as a watch told it, from the first on.
    pub(super) fn told(&self) -> Vec<Told> {
        let changes = self.world.store.changes_after(Kind::Job, 0).unwrap();
        changes
            .filter(|c| c.kind != ChangeKind::Deleted && c.object.name() == "j")
            .map(|c| c.object.to_json().unwrap()["status"].clone())
            .collect()
    }

    /// A time as the status writes it, milliseconds after the start.
    pub(super) fn time(&self, ms: i64) -> Value {
        let at = self.start + SignedDuration::from_millis(ms);
        json!(Time(Timestamp::from_second(at.as_second()).unwrap()))
    }
}

/// RFC 7386, without removal.
fn merge(target: &mut Value, patch: Value) {
    match (target, patch) {
        (Value::Object(fields), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(fields.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch,
    }
}
