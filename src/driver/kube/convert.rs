//! From the API's objects to what the engine is told. Pure. Objects that don't carry a run's labels
//! give nothing.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::driver::kube::slim;
use crate::engine::input::{
    ContainerEnd, Deleting, JobEnd, JobSeen, Observation, PodPhase, PodSeen, Waiting,
};

/// Finalizer by which the Job controller counts a pod before it may go; it holds up nothing.
const JOB_TRACKING: &str = "batch.kubernetes.io/job-tracking";
/// Bytes of a termination or status message that are kept; the kubelet allows 4 KiB each, times
/// 10,000 pods.
const MESSAGE_BYTES: usize = 1024;
/// Waiting reasons of a container that is merely being started.
const STARTING: [&str; 2] = ["ContainerCreating", "PodInitializing"];

/// A Job, if it carries the labels of a run.
#[must_use]
pub fn job(job: slim::Job) -> Option<JobSeen> {
    let slim::Job {
        metadata,
        spec,
        status,
    } = job;
    let labels = metadata.labels;
    let mut seen = JobSeen {
        name: metadata.name,
        uid: metadata.uid,
        role: labels.role?,
        index: number(labels.job_index.as_deref())?,
        restart_attempt: number(labels.restart_attempt.as_deref())?,
        job_restart_attempt: number(labels.job_restart_attempt.as_deref()).unwrap_or(0),
        created: metadata.creation_timestamp?,
        deleting_since: metadata.deletion_timestamp,
        suspend: spec.suspend.unwrap_or(false),
        started: status.start_time.is_some(),
        active: status.active,
        ready: status.ready.unwrap_or(0),
        succeeded: status.succeeded,
        failed: status.failed,
        terminating: status.terminating.unwrap_or(0),
        complete: None,
        failed_condition: None,
        failure_target: None,
        success_criteria_met: false,
    };
    for condition in status.conditions {
        if condition.status != "True" {
            continue;
        }
        let slot = match condition.type_.as_str() {
            "Complete" => &mut seen.complete,
            "Failed" => &mut seen.failed_condition,
            "FailureTarget" => &mut seen.failure_target,
            "SuccessCriteriaMet" => {
                seen.success_criteria_met = true;
                continue;
            }
            _ => continue,
        };
        *slot = Some(JobEnd {
            at: condition.last_transition_time.unwrap_or(seen.created),
            reason: condition.reason.unwrap_or_default(),
            message: condition.message.unwrap_or_default(),
        });
    }
    Some(seen)
}

/// A pod, if it carries the labels of a run and of its Job.
#[must_use]
pub fn pod(pod: slim::Pod) -> Option<PodSeen> {
    let waiting = waiting(&pod);
    let slim::Pod {
        metadata,
        spec,
        status,
    } = pod;
    let deleting = deleting(&metadata);
    let labels = metadata.labels;
    let is_true = |type_: &str| {
        status
            .conditions
            .iter()
            .find(|c| c.type_ == type_ && c.status == "True")
    };
    let statuses = || {
        status
            .init_container_statuses
            .iter()
            .chain(&status.container_statuses)
    };
    Some(PodSeen {
        job: labels.job_name?,
        job_uid: labels.controller_uid.unwrap_or_default(),
        role: labels.role?,
        job_index: number(labels.job_index.as_deref())?,
        completion_index: number(labels.completion_index.as_deref()),
        restart_attempt: number(labels.restart_attempt.as_deref())?,
        job_restart_attempt: number(labels.job_restart_attempt.as_deref()).unwrap_or(0),
        created: metadata.creation_timestamp?,
        name: metadata.name,
        uid: metadata.uid,
        node: spec.node_name.filter(|node| !node.is_empty()),
        phase: phase(&status.phase),
        ready: is_true("Ready").is_some(),
        started: status.start_time,
        deleting,
        waiting,
        ends: ends(&status),
        restarts: statuses().map(|c| c.restart_count).sum(),
        disruption: is_true("DisruptionTarget")
            .map(|c| c.reason.clone().unwrap_or_else(|| c.type_.clone())),
        reason: status.reason.filter(|reason| !reason.is_empty()),
        message: status
            .message
            .filter(|message| !message.is_empty())
            .map(cut),
    })
}

/// A Warning event as a notice, if it is about a Job or a pod.
#[must_use]
pub fn notice(event: slim::Event) -> Option<Observation> {
    if !matches!(event.involved_object.kind.as_str(), "Job" | "Pod") {
        return None;
    }
    let at = event
        .series
        .and_then(|s| s.last_observed_time)
        .or(event.last_timestamp)
        .or(event.event_time)
        .or(event.first_timestamp)
        .or(event.metadata.creation_timestamp)?;
    Some(Observation::Notice {
        object: event.involved_object.name,
        reason: event.reason.unwrap_or_default(),
        message: cut(event.message.unwrap_or_default()),
        at,
    })
}

/// The same for the children of one JobSet since a moment: older events are about another run of that
/// name.
#[must_use]
pub fn notice_of_run(event: slim::Event, jobset: &str, since: Timestamp) -> Option<Observation> {
    let child = event.involved_object.name.strip_prefix(jobset)?;
    if !child.starts_with('-') {
        return None;
    }
    notice(event).filter(|n| matches!(n, Observation::Notice { at, .. } if *at >= since))
}

fn number(label: Option<&str>) -> Option<u32> {
    label?.parse().ok()
}

fn phase(phase: &str) -> PodPhase {
    match phase {
        "Running" => PodPhase::Running,
        "Succeeded" => PodPhase::Succeeded,
        "Failed" => PodPhase::Failed,
        "Unknown" => PodPhase::Unknown,
        // The API server sets Pending on every pod that it admits.
        _ => PodPhase::Pending,
    }
}

fn deleting(meta: &slim::Meta) -> Option<Deleting> {
    let by = meta.deletion_timestamp?;
    let grace_s = meta.deletion_grace_period_seconds.unwrap_or(0);
    Some(Deleting {
        since: by
            .checked_sub(SignedDuration::from_secs(grace_s))
            .unwrap_or(by),
        grace_s,
        held_by_finalizer: meta.finalizers.iter().any(|f| f != JOB_TRACKING),
    })
}

/// Why it isn't running: the scheduler's word while it has no node, then the containers', those with
/// trouble before those that are just being started, init containers before the others.
fn waiting(pod: &slim::Pod) -> Option<Waiting> {
    let status = &pod.status;
    if matches!(status.phase.as_str(), "Succeeded" | "Failed") {
        return None;
    }
    let scheduled = status.conditions.iter().find(|c| c.type_ == "PodScheduled");
    if let Some(condition) = scheduled
        && condition.status == "False"
    {
        return Some(Waiting {
            reason: condition
                .reason
                .clone()
                .unwrap_or_else(|| "Unschedulable".to_owned()),
            message: cut(condition.message.clone().unwrap_or_default()),
            since: condition.last_transition_time,
        });
    }
    let mut found: Option<&slim::ContainerWaiting> = None;
    for container in status
        .init_container_statuses
        .iter()
        .chain(&status.container_statuses)
    {
        let Some(waiting) = &container.state.waiting else {
            continue;
        };
        if found.is_none_or(|f| is_starting(f) && !is_starting(waiting)) {
            found = Some(waiting);
        }
    }
    let found = found?;
    Some(Waiting {
        reason: found.reason.clone().unwrap_or_else(|| "Waiting".to_owned()),
        message: cut(found.message.clone().unwrap_or_default()),
        since: status
            .start_time
            .or_else(|| scheduled?.last_transition_time),
    })
}

fn is_starting(waiting: &slim::ContainerWaiting) -> bool {
    waiting
        .reason
        .as_deref()
        .is_none_or(|reason| STARTING.contains(&reason))
}

fn ends(status: &slim::PodStatus) -> Vec<ContainerEnd> {
    let mut ends: Vec<ContainerEnd> = [
        (true, &status.init_container_statuses),
        (false, &status.container_statuses),
    ]
    .into_iter()
    .flat_map(|(init, list)| list.iter().map(move |container| (init, container)))
    .flat_map(|(init, container)| {
        let last = container.last_state.terminated.as_ref().map(|t| (t, true));
        let now = container.state.terminated.as_ref().map(|t| (t, false));
        [last, now]
            .into_iter()
            .flatten()
            .map(move |(t, restarted)| ContainerEnd {
                container: container.name.clone(),
                init,
                exit_code: t.exit_code,
                signal: t.signal.filter(|signal| *signal != 0),
                reason: t.reason.clone(),
                message: t.message.clone().map(cut),
                started: known(t.started_at),
                finished: known(t.finished_at),
                restarted,
            })
    })
    .collect();
    // Stable: those without a time, and those of the same second, stay in the order of the spec.
    ends.sort_by_key(|end| end.finished);
    ends
}

/// Runtimes that don't know a time write the year 1 or 1970.
fn known(time: Option<Timestamp>) -> Option<Timestamp> {
    time.filter(|time| time.as_second() > 0)
}

fn cut(mut text: String) -> String {
    if text.len() > MESSAGE_BYTES {
        let end = (0..=MESSAGE_BYTES)
            .rev()
            .find(|i| text.is_char_boundary(*i))
            .unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
