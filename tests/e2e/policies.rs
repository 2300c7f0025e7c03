//! Each action of the failure policy, success policy and startup order, against the real Job
//! controller.

use serde_json::{Value, json};

use crate::support::{Namespace, Role, manifest, status};

const FAIL_ONCE: &[(&str, &str)] = &[("run-for", "1"), ("exit-code", "3"), ("fail-attempts", "0")];
const FAIL: &[(&str, &str)] = &[("run-for", "1"), ("exit-code", "3")];
const SUCCEED: &[(&str, &str)] = &[("run-for", "1")];
const STAY: &[(&str, &str)] = &[];

fn label<'a>(job: &'a Value, key: &str) -> &'a str {
    job["metadata"]["labels"][format!("jobset.sigs.k8s.io/{key}")]
        .as_str()
        .unwrap()
}

fn run(ns: &Namespace, text: &str) -> crate::support::Output {
    let file = ns.file("jobset.yaml", text);
    ns.jobset(&["run", &file])
}

#[test]
fn a_set_that_succeeds_ends_with_0() {
    let ns = Namespace::new("ok");
    let text = manifest(
        "ok",
        "",
        &[Role {
            replicas: 3,
            annotations: SUCCEED,
            ..Role::default()
        }],
    );
    let _ = run(&ns, &text).expect(0);
    assert_eq!(status(&ns, "ok")["state"], "Completed");
    let service = ns.get("services", "ok");
    assert_eq!(service["spec"]["clusterIP"], "None");
    assert_eq!(
        ns.items("jobs", "jobset.sigs.k8s.io/jobset-name=ok").len(),
        3
    );
}

#[test]
fn without_a_policy_a_failure_ends_the_set_with_10() {
    let ns = Namespace::new("nopolicy");
    let roles = [
        Role {
            name: "leader",
            annotations: FAIL,
            ..Role::default()
        },
        Role {
            name: "worker",
            replicas: 2,
            annotations: STAY,
            ..Role::default()
        },
    ];
    let out = run(&ns, &manifest("np", "", &roles)).expect(10);
    assert!(out.stderr.contains("leader/0"), "{}", out.stderr);
    assert!(out.stderr.contains("exit code 3"), "{}", out.stderr);
    let status = status(&ns, "np");
    assert_eq!(status["state"], "Failed");
    assert_eq!(status["reason"], "FailedJobs");
}

#[test]
fn restart_jobset_recreates_everything_and_counts() {
    let ns = Namespace::new("restart");
    let roles = [
        Role {
            name: "leader",
            annotations: FAIL_ONCE,
            ..Role::default()
        },
        Role {
            name: "worker",
            replicas: 2,
            annotations: &[("run-for", "4")],
            ..Role::default()
        },
    ];
    let text = manifest("rs", "  failurePolicy: {maxRestarts: 2}\n", &roles);
    let _ = run(&ns, &text).expect(0);
    let status = status(&ns, "rs");
    assert_eq!(status["restarts"], 1);
    for job in ns.items("jobs", "jobset.sigs.k8s.io/jobset-name=rs") {
        assert_eq!(label(&job, "restart-attempt"), "1");
    }
}

/// C04: the limit is the number of restarts; its own exit code and reason.
#[test]
fn the_limit_ends_the_set_with_11() {
    let ns = Namespace::new("limit");
    let roles = [Role {
        annotations: FAIL,
        ..Role::default()
    }];
    let text = manifest("lim", "  failurePolicy: {maxRestarts: 2}\n", &roles);
    let _ = run(&ns, &text).expect(11);
    let status = status(&ns, "lim");
    assert_eq!(status["reason"], "ReachedMaxRestarts");
    assert_eq!(status["restarts"], 2);
}

/// C05: a rule without reasons matches every failure of its targets.
#[test]
fn fail_jobset_on_the_leader_ends_at_once() {
    let ns = Namespace::new("leader");
    let roles = [
        Role {
            name: "leader",
            annotations: FAIL,
            ..Role::default()
        },
        Role {
            name: "worker",
            replicas: 2,
            annotations: STAY,
            ..Role::default()
        },
    ];
    let policy = "  failurePolicy:\n    maxRestarts: 10\n    rules:\n    - {name: leaderDown, action: \
                  FailJobSet, targetReplicatedJobs: [leader]}\n";
    let out = run(&ns, &manifest("ld", policy, &roles)).expect(10);
    assert!(out.stderr.contains("leaderDown"), "{}", out.stderr);
    let status = status(&ns, "ld");
    assert_eq!(status["reason"], "FailJobSetFailurePolicyAction");
    assert_eq!(status["restarts"], 0);
}

#[test]
fn ignore_max_restarts_does_not_count() {
    let ns = Namespace::new("ignoremax");
    let annotations = &[
        ("run-for", "1"),
        ("exit-code", "3"),
        ("fail-attempts", "0,1"),
    ];
    let roles = [Role {
        annotations,
        ..Role::default()
    }];
    let policy = "  failurePolicy:\n    maxRestarts: 0\n    rules:\n    - {name: free, action: \
                  RestartJobSetAndIgnoreMaxRestarts}\n";
    let _ = run(&ns, &manifest("im", policy, &roles)).expect(0);
    let status = status(&ns, "im");
    assert_eq!(status["restarts"], 2);
    assert_eq!(status["restartsCounted"], 0);
}

/// C10: only the failed Job is recreated.
#[test]
fn restart_job_leaves_the_others_alone() {
    let ns = Namespace::new("restartjob");
    let roles = [
        Role {
            name: "leader",
            annotations: &[("manual", "true")],
            ..Role::default()
        },
        Role {
            name: "worker",
            replicas: 2,
            annotations: &[("manual", "true")],
            ..Role::default()
        },
    ];
    for (action, counted) in [("RestartJob", 1), ("RestartJobAndIgnoreMaxRestarts", 0)] {
        let name = if counted == 1 { "rj" } else { "rji" };
        let policy = format!(
            "  failurePolicy:\n    maxRestarts: 3\n    rules:\n    - {{name: w, action: {action}, \
             targetReplicatedJobs: [worker]}}\n"
        );
        let file = ns.file("rj.yaml", &manifest(name, &policy, &roles));
        let mut run = ns.spawn(&["run", &file]);
        let uid = |job: &str| {
            ns.get("jobs", job)["metadata"]["uid"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let pods = |n: usize| {
            crate::support::eventually("pods", || {
                ns.items("pods", &format!("jobset.sigs.k8s.io/jobset-name={name}"))
                    .len()
                    == n
            });
        };
        pods(3);
        let before = [format!("{name}-leader-0"), format!("{name}-worker-0")].map(|j| uid(&j));
        let failed = uid(&format!("{name}-worker-1"));
        set_pods(&ns, &format!("{name}-worker-1"), "Failed", 3);
        crate::support::eventually("the new Job", || {
            let job = ns.find("jobs", &format!("{name}-worker-1"));
            job.is_some_and(|job| job["metadata"]["uid"] != *failed)
        });
        let job = ns.get("jobs", &format!("{name}-worker-1"));
        assert_eq!(label(&job, "job-restart-attempt"), "1");
        assert_eq!(label(&job, "restart-attempt"), "0");
        assert_eq!(
            [format!("{name}-leader-0"), format!("{name}-worker-0")].map(|j| uid(&j)),
            before
        );
        pods(3);
        for job in ["leader-0", "worker-0", "worker-1"] {
            set_pods(&ns, &format!("{name}-{job}"), "Succeeded", 0);
        }
        run.wait_for(name);
        let _ = run.wait().expect(0);
        assert_eq!(status(&ns, name)["restartsCounted"], counted);
    }
}

/// Ends the live pods of a Job by hand (`kubectl-jobset.test/manual`).
pub(crate) fn set_pods(ns: &Namespace, job: &str, phase: &str, exit: i32) {
    let selector = format!("batch.kubernetes.io/job-name={job}");
    crate::support::eventually("a pod to end", || !ns.items("pods", &selector).is_empty());
    for pod in ns.items("pods", &selector) {
        let name = pod["metadata"]["name"].as_str().unwrap();
        let reason = if exit == 0 { "Completed" } else { "Error" };
        let ended = json!({
            "exitCode": exit, "reason": reason,
            "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z",
        });
        let container = json!({
            "name": "main", "image": "busybox", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"terminated": ended},
        });
        let patch = json!({"status": {"phase": phase, "containerStatuses": [container]}});
        ns.merge("pods", &format!("{name}/status"), &patch);
    }
}

/// Spec 9: role k+1 only after all of k have started.
#[test]
fn in_order_and_depends_on_hold() {
    let ns = Namespace::new("order");
    let short = &[("run-for", "2")];
    let roles = [
        Role {
            name: "init",
            annotations: SUCCEED,
            ..Role::default()
        },
        Role {
            name: "server",
            annotations: short,
            extra: "    dependsOn: [{name: init, status: Complete}]\n",
            ..Role::default()
        },
        Role {
            name: "client",
            replicas: 2,
            annotations: SUCCEED,
            extra: "    dependsOn: [{name: init, status: Complete}, {name: server, status: Ready}]\n",
            ..Role::default()
        },
    ];
    let _ = run(&ns, &manifest("chain", "", &roles)).expect(0);
    let time = |job: &str, path: &str| -> String {
        let job = ns.get("jobs", job);
        job.pointer(path).unwrap().as_str().unwrap().to_owned()
    };
    let created = "/metadata/creationTimestamp";
    assert!(time("chain-init-0", "/status/completionTime") <= time("chain-server-0", created));
    assert!(time("chain-server-0", created) <= time("chain-client-0", created));
}

/// Spec 8: what still runs when the policy is met is deleted.
#[test]
fn any_success_stops_the_rest() {
    let ns = Namespace::new("any");
    let roles = [
        Role {
            name: "leader",
            annotations: SUCCEED,
            ..Role::default()
        },
        Role {
            name: "worker",
            replicas: 2,
            annotations: STAY,
            ..Role::default()
        },
    ];
    let policy = "  successPolicy: {operator: Any, targetReplicatedJobs: [leader]}\n";
    let _ = run(&ns, &manifest("any", policy, &roles)).expect(0);
    crate::support::eventually("workers gone", || {
        ns.items("jobs", "jobset.sigs.k8s.io/replicatedjob-name=worker")
            .is_empty()
    });
    assert_eq!(
        ns.items("jobs", "jobset.sigs.k8s.io/jobset-name=any").len(),
        1
    );
}

/// C02: BlockingRecreate creates nothing before the last old pod is gone.
#[test]
fn blocking_recreate_never_overlaps() {
    let ns = Namespace::new("blocking");
    let roles = [
        Role {
            name: "driver",
            annotations: FAIL_ONCE,
            ..Role::default()
        },
        Role {
            name: "worker",
            replicas: 2,
            annotations: &[("run-for", "8"), ("terminate-after", "3")],
            ..Role::default()
        },
    ];
    let policy = "  failurePolicy: {maxRestarts: 1, restartStrategy: BlockingRecreate}\n";
    let file = ns.file("b.yaml", &manifest("bl", policy, &roles));
    let mut run = ns.spawn(&["run", &file]);
    run.wait_for("restart 1 of 1");
    loop {
        let pods = ns.items("pods", "jobset.sigs.k8s.io/jobset-name=bl");
        let attempts: Vec<String> = pods
            .iter()
            .map(|p| label(p, "restart-attempt").to_owned())
            .collect();
        let old = attempts.iter().filter(|a| *a == "0").count();
        let new = attempts.iter().filter(|a| *a == "1").count();
        assert!(old == 0 || new == 0, "{old} old and {new} new pods at once");
        if new == 3 {
            break;
        }
    }
    let _ = run.wait().expect(0);
}
