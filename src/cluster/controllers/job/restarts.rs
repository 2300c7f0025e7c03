//! `restartPolicy: OnFailure`: restarts of containers in pods that are still there count towards
//! `backoffLimit`. Restarts of a pod that is gone are forgotten.

use k8s_openapi::api::batch::v1::Job;

use super::seen::{Phase, SeenPod};

/// The restarts have reached the limit. Unlike failed pods, which must exceed it.
pub(super) fn reach_limit(job: &Job, limit: i32, pods: &[SeenPod]) -> bool {
    let template = job.spec.as_ref().and_then(|s| s.template.spec.as_ref());
    if template.and_then(|s| s.restart_policy.as_deref()) != Some("OnFailure") {
        return false;
    }
    let running = |p: &&SeenPod| matches!(p.phase, Phase::Running | Phase::Pending);
    let restarts: i32 = pods.iter().filter(running).map(of_pod).sum();
    if limit == 0 {
        restarts > 0
    } else {
        restarts >= limit
    }
}

fn of_pod(pod: &SeenPod) -> i32 {
    let Some(status) = &pod.pod().status else {
        return 0;
    };
    let init = status.init_container_statuses.iter().flatten();
    let containers = status.container_statuses.iter().flatten();
    init.chain(containers).map(|c| c.restart_count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::controllers::job::testing::{job, pod};
    use serde_json::json;

    #[test]
    fn restarts_reach_the_limit() {
        let on_failure =
            job(json!({"template": {"spec": {"containers": [], "restartPolicy": "OnFailure"}}}));
        let never =
            job(json!({"template": {"spec": {"containers": [], "restartPolicy": "Never"}}}));
        let container = |n: i32| json!({"name": "c", "image": "", "imageID": "", "ready": false, "restartCount": n});
        let with = |phase: &str, n: i32| {
            pod(
                json!({"status": {"phase": phase, "containerStatuses": [container(n)],
                "initContainerStatuses": [container(1)]}}),
            )
        };
        for (job, limit, pods, expected) in [
            (&on_failure, 6, vec![with("Running", 5)], true),
            (&on_failure, 6, vec![with("Running", 4)], false),
            (
                &on_failure,
                6,
                vec![with("Running", 2), with("Pending", 2)],
                true,
            ),
            (&on_failure, 6, vec![with("Failed", 9)], false),
            (&on_failure, 0, vec![], false),
            (&on_failure, 0, vec![with("Running", 0)], true),
            (&never, 1, vec![with("Running", 9)], false),
        ] {
            assert_eq!(reach_limit(job, limit, &pods), expected, "{limit} {pods:?}");
        }
    }
}
