//! The status of a pod as a kubelet writes it, made anew from what the kubelet knows each time.

use k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting,
    ContainerStatus, HostIP, Pod, PodIP, PodStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use super::state::{Ended, Held, Run, Stage};
use super::{conditions, ids};
use crate::cluster::world::World;

/// Writes the status of a pod, if anybody hears its kubelet.
pub(super) fn write(world: &mut World, uid: &str) {
    let now = world.second();
    let Some(run) = world.kubelets.pods.get(uid) else {
        return;
    };
    if world.kubelets.lost.contains(&run.node) {
        return;
    }
    let Some(object) = world.store.get(&run.key).filter(|o| o.uid() == uid) else {
        return;
    };
    let Some(mut pod) = object.as_pod().cloned() else {
        return;
    };
    pod.status = Some(render(run, &pod, now));
    world.put(pod.into());
}

fn render(run: &Run, pod: &Pod, now: Timestamp) -> PodStatus {
    let old = pod.status.clone().unwrap_or_default();
    let phase = match old.phase.as_deref() {
        // No way leads back.
        Some(word @ ("Succeeded" | "Failed")) => word,
        _ => phase(run),
    };
    let verdict = run.verdict.as_ref().filter(|_| run.ended);
    let host_network = pod.spec.as_ref().and_then(|s| s.host_network) == Some(true);
    let ip = if host_network { &run.host_ip } else { &run.ip };
    PodStatus {
        conditions: Some(conditions::of(run, pod, phase, now)),
        reason: verdict.map(|v| v.reason.to_owned()).or(old.reason),
        message: verdict.map(|v| v.message.clone()).or(old.message),
        start_time: old.start_time.or_else(|| Some(Time(second(run.taken)))),
        host_ip: run.host_ip.clone(),
        host_ips: run.host_ip.clone().map(|ip| vec![HostIP { ip }]),
        pod_ip: ip.clone(),
        pod_ips: ip.clone().map(|ip| vec![PodIP { ip }]),
        init_container_statuses: (!run.init.is_empty())
            .then(|| run.init.iter().map(container).collect()),
        container_statuses: Some(run.main.iter().map(container).collect()),
        observed_generation: pod.metadata.generation,
        phase: Some(phase.to_owned()),
        ..old
    }
}

/// Where the pod is.
fn phase(run: &Run) -> &'static str {
    if run.ended {
        let well = |held: &Held| held.ended().is_some_and(|e| e.code == 0);
        return if run.verdict.is_none() && run.main.iter().all(well) {
            "Succeeded"
        } else {
            "Failed"
        };
    }
    if run.main.iter().any(Held::has_run) {
        "Running"
    } else {
        "Pending"
    }
}

fn container(held: &Held) -> ContainerStatus {
    let state = match &held.stage {
        Stage::Waiting { reason, message } => ContainerState {
            waiting: Some(ContainerStateWaiting {
                reason: Some(reason.clone()),
                message: message.clone(),
            }),
            ..ContainerState::default()
        },
        Stage::Running { since, .. } => ContainerState {
            running: Some(ContainerStateRunning {
                started_at: Some(Time(second(*since))),
            }),
            ..ContainerState::default()
        },
        Stage::Ended(ended) => terminated(ended),
    };
    let id = match &held.stage {
        Stage::Running { id, .. } => Some(id.clone()),
        Stage::Ended(ended) => ended.id.clone(),
        Stage::Waiting { .. } => held.last.as_ref().and_then(|e| e.id.clone()),
    };
    ContainerStatus {
        name: held.name.clone(),
        image: held.image.clone(),
        image_id: id
            .as_ref()
            .map_or_else(String::new, |_| ids::image(&held.image)),
        container_id: id,
        ready: held.ready,
        started: Some(held.running()),
        restart_count: held.restarts,
        state: Some(state),
        last_state: Some(
            held.last
                .as_ref()
                .map_or_else(ContainerState::default, terminated),
        ),
        ..ContainerStatus::default()
    }
}

fn terminated(ended: &Ended) -> ContainerState {
    let at = |moment: Option<Timestamp>| moment.map(|at| Time(second(at)));
    ContainerState {
        terminated: Some(ContainerStateTerminated {
            container_id: ended.id.clone(),
            exit_code: ended.code,
            signal: ended.signal,
            reason: Some(ended.reason.clone()),
            message: ended.message.clone(),
            started_at: at(ended.started),
            finished_at: at(ended.finished),
        }),
        ..ContainerState::default()
    }
}

/// The API knows whole seconds.
fn second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}
