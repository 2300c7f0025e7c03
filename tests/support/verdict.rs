//! When a Job has failed or succeeded, and the reason and message that the Job controller writes.

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::engine::input::{JobEnd, PodPhase};

use super::job::Job;
use super::pod::Pod;
use super::template::PodRule;

/// What a `podFailurePolicy` says of one failed pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PodVerdict {
    /// Counts towards the back-off limit (also where no rule matches).
    Count,
    /// Does not count.
    Ignore,
    /// Its index has failed for good.
    FailIndex,
    /// The Job has failed, with this message.
    FailJob(String),
}

/// The first rule that matches decides.
pub(crate) fn of_pod(job: &Job, pod: &Pod, namespace: &str) -> PodVerdict {
    for (i, rule) in job.spec.failure_rules.iter().enumerate() {
        let Some(what) = matches(rule, pod, namespace) else {
            continue;
        };
        return match rule.action.as_str() {
            "FailJob" => PodVerdict::FailJob(format!("{what} matching FailJob rule at index {i}")),
            "Ignore" => PodVerdict::Ignore,
            "FailIndex" => PodVerdict::FailIndex,
            _ => PodVerdict::Count,
        };
    }
    PodVerdict::Count
}

fn matches(rule: &PodRule, pod: &Pod, namespace: &str) -> Option<String> {
    let name = &pod.name;
    if rule.conditions.iter().any(|c| c == "DisruptionTarget") && pod.disruption.is_some() {
        return Some(format!(
            "Pod {namespace}/{name} has condition DisruptionTarget"
        ));
    }
    if pod.phase != PodPhase::Failed {
        return None;
    }
    let end = pod.ends.iter().find(|e| {
        e.exit_code != 0
            && rule.container.as_ref().is_none_or(|c| *c == e.container)
            && !rule.exit_codes.is_empty()
            && rule.exit_codes.contains(&i64::from(e.exit_code)) != rule.not_in
    })?;
    Some(format!(
        "Container {} for pod {namespace}/{name} failed with exit code {}",
        end.container, end.exit_code
    ))
}

/// Why the Job must end as failed now, if it must. `new_failure`: a pod has failed since the last look;
/// `restarts`: container restarts of its pods.
pub(crate) fn failure(
    job: &Job,
    new_failure: bool,
    restarts: u32,
    now: Timestamp,
) -> Option<JobEnd> {
    let spec = &job.spec;
    let over_restarts = spec.restart_on_failure && restarts > 0 && restarts >= spec.backoff_limit;
    let completions = spec.completions.unwrap_or(0);
    let failed_indexes = u32::try_from(job.failed_indexes.len()).unwrap();
    let ended_indexes = failed_indexes + u32::try_from(job.succeeded_indexes.len()).unwrap();
    let started = job.started.filter(|_| !job.suspend);
    let deadline = started
        .zip(spec.active_deadline_s)
        .map(|(t, s)| t + SignedDuration::from_secs(s));
    let (reason, message) =
        if (new_failure && job.counts.failed > spec.backoff_limit) || over_restarts {
            (
                "BackoffLimitExceeded",
                "Job has reached the specified backoff limit",
            )
        } else if deadline.is_some_and(|d| now >= d) {
            (
                "DeadlineExceeded",
                "Job was active longer than specified deadline",
            )
        } else if spec
            .max_failed_indexes
            .is_some_and(|max| failed_indexes > max)
        {
            (
                "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes",
            )
        } else if failed_indexes > 0 && ended_indexes >= completions {
            ("FailedIndexes", "Job has failed indexes")
        } else {
            return None;
        };
    Some(JobEnd {
        at: now,
        reason: reason.to_owned(),
        message: message.to_owned(),
    })
}

/// Why the Job has succeeded, if it has. `running`: pods that have not ended.
pub(crate) fn success(job: &Job, running: u32, now: Timestamp) -> Option<JobEnd> {
    let spec = &job.spec;
    for (i, rule) in spec.success_rules.iter().enumerate() {
        let of_rule = |x: &&u32| rule.indexes.as_ref().is_none_or(|want| want.contains(x));
        let done = job.succeeded_indexes.iter().filter(of_rule).count();
        let want = match (rule.count, &rule.indexes) {
            (Some(n), _) => usize::try_from(n).unwrap(),
            (None, Some(indexes)) => indexes.len(),
            (None, None) => usize::MAX,
        };
        if done >= want {
            let message = format!("Matched rules at index {i}");
            return Some(JobEnd {
                at: now,
                reason: "SuccessPolicy".to_owned(),
                message,
            });
        }
    }
    let complete = match spec.completions {
        Some(n) => job.counts.succeeded >= n,
        // A work queue: one pod has succeeded and all have ended.
        None => job.counts.succeeded > 0 && running == 0,
    };
    complete.then(|| JobEnd {
        at: now,
        reason: "CompletionsReached".to_owned(),
        message: "Reached expected number of succeeded pods".to_owned(),
    })
}
