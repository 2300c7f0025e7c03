//! A pod's row: the word under STATUS is made of its phase, reasons, containers and deletion, in the
//! order in which the real API server looks at them.

use k8s_openapi::api::core::v1::{ContainerState, ContainerStatus, Pod, PodStatus};
use k8s_openapi::jiff::Timestamp;

use super::age;

/// Ready containers, the word, restarts with the age of the last.
pub(super) struct Row {
    pub(super) ready: String,
    pub(super) status: String,
    pub(super) restarts: String,
}

/// What containers say so far.
struct Word {
    text: String,
    restarts: i32,
    last: Option<Timestamp>,
}

impl Word {
    fn count(&mut self, container: &ContainerStatus) {
        self.restarts += container.restart_count;
        let ended = container
            .last_state
            .as_ref()
            .and_then(|s| s.terminated.as_ref()?.finished_at.as_ref());
        self.last = self.last.max(ended.map(|t| t.0));
    }
}

/// The row.
pub(super) fn row(pod: &Pod, now: Timestamp) -> Row {
    let none = PodStatus::default();
    let status = pod.status.as_ref().unwrap_or(&none);
    let spec = pod.spec.as_ref();
    let phase = status.phase.clone().unwrap_or_default();
    let mut word = Word {
        text: status.reason.clone().unwrap_or(phase.clone()),
        restarts: 0,
        last: None,
    };
    let gated = condition(status, "PodScheduled")
        .is_some_and(|c| c.reason.as_deref() == Some("SchedulingGated"));
    if gated {
        "SchedulingGated".clone_into(&mut word.text);
    }
    let mut total = spec.map_or(0, |s| s.containers.len());
    let mut ready = 0;
    let sidecars: Vec<&str> = spec
        .and_then(|s| s.init_containers.as_ref())
        .into_iter()
        .flatten()
        .filter(|c| c.restart_policy.as_deref() == Some("Always"))
        .map(|c| c.name.as_str())
        .collect();
    total += sidecars.len();
    let inits = spec
        .and_then(|s| s.init_containers.as_ref())
        .map_or(0, Vec::len);
    let initializing = init_word(status, &sidecars, inits, &mut word, &mut ready);
    let initialized = condition(status, "Initialized").is_some_and(|c| c.status == "True");
    if !initializing || initialized {
        let running = container_word(status, &sidecars, &mut word, &mut ready);
        if word.text == "Completed" && running {
            let is_ready = condition(status, "Ready").is_some_and(|c| c.status == "True");
            (if is_ready { "Running" } else { "NotReady" }).clone_into(&mut word.text);
        }
    }
    if pod.metadata.deletion_timestamp.is_some() {
        if status.reason.as_deref() == Some("NodeLost") {
            "Unknown".clone_into(&mut word.text);
        } else if phase != "Succeeded" && phase != "Failed" {
            "Terminating".clone_into(&mut word.text);
        }
    }
    let restarts = match word.last {
        Some(last) if word.restarts > 0 => {
            format!("{} ({} ago)", word.restarts, age::since(Some(last), now))
        }
        _ => word.restarts.to_string(),
    };
    Row {
        ready: format!("{ready}/{total}"),
        status: word.text,
        restarts,
    }
}

/// Looks at init containers in order, until one that isn't through: its word counts.
fn init_word(
    status: &PodStatus,
    sidecars: &[&str],
    inits: usize,
    word: &mut Word,
    ready: &mut usize,
) -> bool {
    let statuses = status
        .init_container_statuses
        .as_deref()
        .unwrap_or_default();
    for (i, container) in statuses.iter().enumerate() {
        word.count(container);
        let state = container.state.clone().unwrap_or_default();
        let sidecar = sidecars.contains(&container.name.as_str());
        if let Some(ended) = &state.terminated {
            if ended.exit_code == 0 {
                continue;
            }
            word.text = format!("Init:{}", ended_word(&state));
            return true;
        }
        if sidecar && container.started == Some(true) {
            if container.ready {
                *ready += 1;
            }
            continue;
        }
        let waits = state.waiting.as_ref().and_then(|w| w.reason.as_deref());
        word.text = match waits {
            Some(reason) if reason != "PodInitializing" => format!("Init:{reason}"),
            _ => format!("Init:{i}/{inits}"),
        };
        return true;
    }
    false
}

/// Looks at containers, last first; true: one is running and ready.
fn container_word(
    status: &PodStatus,
    sidecars: &[&str],
    word: &mut Word,
    ready: &mut usize,
) -> bool {
    // Restarts of init containers are over; those of sidecars count on.
    word.restarts = 0;
    word.last = None;
    for container in status.init_container_statuses.iter().flatten() {
        if sidecars.contains(&container.name.as_str()) {
            word.count(container);
        }
    }
    let mut running = false;
    for container in status.container_statuses.iter().flatten().rev() {
        word.count(container);
        let state = container.state.clone().unwrap_or_default();
        let waits = state.waiting.as_ref().and_then(|w| w.reason.clone());
        if let Some(reason) = waits.filter(|r| !r.is_empty()) {
            word.text = reason;
        } else if state.terminated.is_some() {
            word.text = ended_word(&state);
        } else if container.ready && state.running.is_some() {
            running = true;
            *ready += 1;
        }
    }
    running
}

/// `Completed`, `Error`, `ExitCode:3`, `Signal:9`.
fn ended_word(state: &ContainerState) -> String {
    let Some(ended) = &state.terminated else {
        return String::new();
    };
    match (ended.reason.as_deref(), ended.signal) {
        (Some(reason), _) if !reason.is_empty() => reason.to_owned(),
        (_, Some(signal)) if signal != 0 => format!("Signal:{signal}"),
        _ => format!("ExitCode:{}", ended.exit_code),
    }
}

fn condition<'a>(
    status: &'a PodStatus,
    kind: &str,
) -> Option<&'a k8s_openapi::api::core::v1::PodCondition> {
    status.conditions.iter().flatten().find(|c| c.type_ == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn shown(status: Value, deleted: bool) -> (String, String, String) {
        let mut pod: Pod = serde_json::from_value(json!({
            "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "a"}, {"name": "b"}], "initContainers": [{"name": "i"}, {"name": "j"}]},
            "status": status,
        }))
        .unwrap();
        let now: Timestamp = "2026-12-01T10:00:00Z".parse().unwrap();
        if deleted {
            pod.metadata.deletion_timestamp =
                Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(now));
        }
        let row = row(&pod, now);
        (row.ready, row.status, row.restarts)
    }

    fn own(ready: &str, status: &str, restarts: &str) -> (String, String, String) {
        (ready.to_owned(), status.to_owned(), restarts.to_owned())
    }

    #[test]
    fn the_word_is_the_most_telling_one() {
        let container = |name: &str, state: Value, ready: bool| json!({"name": name, "image": "", "imageID": "", "ready": ready, "restartCount": 0, "state": state});
        let up = json!({"running": {}});
        assert_eq!(
            shown(json!({"phase": "Pending"}), false),
            own("0/2", "Pending", "0")
        );
        let running = json!({"phase": "Running", "containerStatuses": [container("a", up.clone(), true), container("b", up.clone(), false)]});
        assert_eq!(shown(running.clone(), false), own("1/2", "Running", "0"));
        assert_eq!(shown(running, true), own("1/2", "Terminating", "0"));
        let failed = json!({"phase": "Failed", "containerStatuses": [
            container("a", json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}}), false),
            container("b", json!({"terminated": {"exitCode": 0, "reason": "Completed"}}), false)]});
        assert_eq!(shown(failed, true), own("0/2", "OOMKilled", "0"));
        let half = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}], "containerStatuses": [
            container("a", json!({"terminated": {"exitCode": 0, "reason": "Completed"}}), false), container("b", up, true)]});
        assert_eq!(shown(half, false), own("1/2", "NotReady", "0"));
        let evicted = json!({"phase": "Failed", "reason": "Evicted"});
        assert_eq!(shown(evicted, false), own("0/2", "Evicted", "0"));
    }

    #[test]
    fn init_containers_and_restarts() {
        let status = json!({"phase": "Pending", "initContainerStatuses": [
            {"name": "i", "image": "", "imageID": "", "ready": true, "restartCount": 0, "state": {"terminated": {"exitCode": 0}}},
            {"name": "j", "image": "", "imageID": "", "ready": false, "restartCount": 2, "state": {"running": {}},
             "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2026-12-01T09:59:00Z"}}}]});
        assert_eq!(shown(status, false), own("0/2", "Init:1/2", "2 (60s ago)"));
        let status = json!({"phase": "Pending", "initContainerStatuses": [
            {"name": "i", "image": "", "imageID": "", "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": 3}}}]});
        assert_eq!(shown(status, false), own("0/2", "Init:ExitCode:3", "0"));
    }
}
