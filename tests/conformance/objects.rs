//! Objects that checks make, and what they do with them as a kubelet would.

use serde_json::{Value, json};

use crate::reply::{Reply, text};
use crate::server::{MERGE, STRATEGIC, Server};
use crate::waiting::Objects;

/// Merges as a JSON merge patch does (RFC 7396).
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    target.remove(key);
                } else {
                    merge(target.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

/// A Job whose pods only do what the check writes into their status; `spec` is merged over it.
pub(crate) fn job(name: &str, spec: Value) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": {
            "metadata": {"annotations": {"kubectl-jobset.test/manual": "true"}},
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "test.local/busybox:1"}],
            },
        }},
    });
    merge(&mut job["spec"], &spec);
    job
}

/// The same, with pods that stay terminating until the check ends them.
pub(crate) fn held_job(name: &str, spec: Value) -> Value {
    let mut job = job(name, spec);
    job["spec"]["template"]["metadata"]["annotations"]["kubectl-jobset.test/terminate-after"] =
        json!("never");
    job
}

/// A Job that makes no pods.
pub(crate) fn idle_job(name: &str) -> Value {
    job(name, json!({"suspend": true}))
}

/// A pod that a check plays the kubelet of.
pub(crate) fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "annotations": {
                "kubectl-jobset.test/manual": "true",
                "kubectl-jobset.test/terminate-after": "never",
            },
        },
        "spec": {"containers": [{"name": "main", "image": "test.local/busybox:1"}]},
    })
}

pub(crate) fn config_map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// For lists: nobody but the check makes any in its namespace (a controller makes ConfigMaps).
pub(crate) fn lease(name: &str) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name},
        "spec": {"holderIdentity": "somebody"},
    })
}

/// A label selector for the pods of a Job.
pub(crate) fn of_job(name: &str) -> String {
    format!("batch.kubernetes.io/job-name={name}")
}

/// The condition of a type; null if there is none.
pub(crate) fn condition(object: &Value, kind: &str) -> Value {
    object["status"]["conditions"]
        .as_array()
        .and_then(|all| all.iter().find(|c| c["type"] == kind))
        .cloned()
        .unwrap_or(Value::Null)
}

/// Whether a condition is there and True.
pub(crate) fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind)["status"] == "True"
}

/// Conditions as `Type=Status`, in their order.
pub(crate) fn conditions(object: &Value) -> Vec<String> {
    object["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|c| format!("{}={}", text(c, "/type"), text(c, "/status")))
        .collect()
}

/// Whether nobody has asked for it to go and it has not ended.
pub(crate) fn is_live(pod: &Value) -> bool {
    pod["metadata"]["deletionTimestamp"].is_null()
        && !matches!(text(pod, "/status/phase").as_str(), "Succeeded" | "Failed")
}

/// A pod's completion index.
pub(crate) fn index(pod: &Value) -> String {
    text(
        pod,
        "/metadata/annotations/batch.kubernetes.io~1job-completion-index",
    )
}

/// The live pods.
pub(crate) fn live(pods: &Objects) -> Vec<&Value> {
    pods.values().filter(|p| is_live(p)).collect()
}

pub(crate) fn name(object: &Value) -> String {
    text(object, "/metadata/name")
}

impl Server {
    /// Creates a Job, or ends the check.
    pub(crate) async fn make_job(&self, job: Value) -> Reply {
        self.post(&self.jobs(""), job).await.ok()
    }

    /// Waits for so many live pods of a Job that are bound to a node.
    pub(crate) async fn live_pods(&self, job: &str, count: usize) -> Objects {
        let all = self
            .until(
                &format!("{count} live pods of {job}"),
                &self.pods(""),
                &[("labelSelector", &of_job(job))],
                |pods| {
                    let live = live(pods);
                    live.len() == count && live.iter().all(|p| !p["spec"]["nodeName"].is_null())
                },
            )
            .await;
        all.into_iter().filter(|(_, p)| is_live(p)).collect()
    }

    /// Waits for a Job to be as it should.
    pub(crate) async fn until_job(
        &self,
        what: &str,
        name: &str,
        right: impl Fn(&Value) -> bool,
    ) -> Value {
        self.until_one(what, &self.jobs(""), name, right).await
    }

    /// Waits until a Job is Complete or Failed.
    pub(crate) async fn ended_job(&self, name: &str) -> Value {
        self.until_job("the Job ends", name, |job| {
            is_true(job, "Complete") || is_true(job, "Failed")
        })
        .await
    }

    /// Writes a pod's status as a kubelet would.
    pub(crate) async fn pod_status(&self, pod: &str, status: Value) {
        let path = self.pods(&format!("/{pod}/status"));
        self.patch(&path, STRATEGIC, json!({"status": status}))
            .await
            .ok();
    }

    /// A pod runs, and is ready or not.
    pub(crate) async fn runs(&self, pod: &str, ready: bool) {
        let ready_word = if ready { "True" } else { "False" };
        let status = json!({
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": ready_word}],
            "containerStatuses": [container(json!({"running": {}}), ready)],
        });
        self.pod_status(pod, status).await;
    }

    /// A pod ends with code 0.
    pub(crate) async fn succeeds(&self, pod: &str) {
        self.exits(pod, 0).await;
    }

    /// A pod ends with a code.
    pub(crate) async fn exits(&self, pod: &str, code: i32) {
        let (phase, reason) = if code == 0 {
            ("Succeeded", "Completed")
        } else {
            ("Failed", "Error")
        };
        let state = json!({"terminated": {"exitCode": code, "reason": reason}});
        let status = json!({
            "phase": phase,
            "conditions": [{"type": "Ready", "status": "False"}],
            "containerStatuses": [container(state, false)],
        });
        self.pod_status(pod, status).await;
    }

    /// What a kubelet does at last with a pod that was deleted.
    pub(crate) async fn force_away(&self, pod: &str) {
        let path = self.pods(&format!("/{pod}"));
        self.delete(&path, json!({"gracePeriodSeconds": 0})).await;
    }

    /// Merges into an object, or ends the check.
    pub(crate) async fn change(&self, path: &str, patch: Value) -> Reply {
        self.patch(path, MERGE, patch).await.ok()
    }
}

fn container(state: Value, ready: bool) -> Value {
    json!({
        "name": "main",
        "image": "test.local/busybox:1",
        "imageID": "",
        "ready": ready,
        "restartCount": 0,
        "state": state,
    })
}
