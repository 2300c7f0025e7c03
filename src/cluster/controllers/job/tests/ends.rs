//! How Jobs start and end, without further policies.

use serde_json::json;

use super::super::testing::Small;

#[test]
fn an_indexed_job_completes() {
    let mut small =
        Small::new(json!({"completionMode": "Indexed", "completions": 3, "parallelism": 2}));
    small.pass(100);
    assert_eq!(small.live_names(), ["j-0", "j-1"]);
    small.check(
        json!({"active": 2, "ready": 0, "terminating": 0, "startTime": small.time(0),
        "uncountedTerminatedPods": {}, "conditions": null}),
    );
    for pod in small.live() {
        small.ready(&pod);
    }
    small.check(json!({"ready": 0}));
    small.pass(1_010);
    small.check(json!({"ready": 2}));
    small.end_index(1, 0);
    small.pass(1_010);
    small.check(json!({"active": 2, "ready": 1, "succeeded": 1, "completedIndexes": "1"}));
    assert_eq!(small.live_names(), ["j-0", "j-2"]);
    small.end_all(0);
    small.pass(1_010);
    small.check(json!({"active": null, "ready": 0, "succeeded": 3, "failed": null,
        "completedIndexes": "0-2", "completionTime": small.time(3_000), "uncountedTerminatedPods": {}}));
    assert_eq!(
        small.conditions(),
        [
            "SuccessCriteriaMet=True CompletionsReached",
            "Complete=True CompletionsReached"
        ]
    );
    assert_eq!(
        small.message("Complete"),
        "Reached expected number of succeeded pods"
    );
    assert_eq!(small.pods().len(), 3, "pods that have ended stay");
    assert!(small.pods().iter().all(|p| p.metadata.finalizers.is_none()));
    assert_eq!(
        small.events(),
        [
            "SuccessfulCreate Created pod: j-0",
            "SuccessfulCreate Created pod: j-1",
            "SuccessfulCreate Created pod: j-2",
            "Completed Job completed",
        ]
    );
}

#[test]
fn the_end_is_told_in_two_steps() {
    let mut small = Small::new(json!({}));
    small.pass(100);
    small.end_all(0);
    small.pass(1_500);
    let told = small.told();
    let [.., first, last] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(first["conditions"].as_array().unwrap().len(), 1);
    assert_eq!(first["conditions"][0]["type"], "SuccessCriteriaMet");
    assert_eq!(
        first["uncountedTerminatedPods"]["succeeded"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(first["succeeded"], json!(null));
    assert_eq!(last["conditions"][1]["type"], "Complete");
    assert_eq!(last["uncountedTerminatedPods"], json!({}));
    assert_eq!(last["succeeded"], 1);
}

#[test]
fn one_failure_more_than_the_limit_fails_the_job() {
    let mut small = Small::new(json!({"backoffLimit": 1}));
    small.pass(100);
    small.end_all(1);
    small.pass(1_010);
    small.check(json!({"failed": 1, "active": null, "conditions": null}));
    // 10 s from the pod's end, which the API keeps in whole seconds.
    small.pass(8_880);
    assert_eq!((small.live().len(), small.now()), (0, 9_990));
    small.pass(20);
    assert_eq!(small.live_names(), ["j"]);
    small.end_all(1);
    small.pass(1_010);
    small.check(json!({"failed": 2, "active": null, "completionTime": null}));
    let failed = "Failed=True BackoffLimitExceeded";
    assert_eq!(
        small.conditions(),
        ["FailureTarget=True BackoffLimitExceeded", failed]
    );
    assert_eq!(
        small.message("Failed"),
        "Job has reached the specified backoff limit"
    );
    let events = small.events();
    assert_eq!(
        events.last().unwrap(),
        "BackoffLimitExceeded Job has reached the specified backoff limit"
    );
}

#[test]
fn failed_comes_when_the_other_pods_have_ended() {
    let mut small = Small::new(json!({"backoffLimit": 0, "parallelism": 3, "completions": 3}));
    small.pass(100);
    small.bind();
    let pods = small.live();
    small.end(&pods[0], 1);
    small.pass(1_010);
    small.check(json!({"failed": 3, "active": null, "terminating": 2}));
    assert_eq!(
        small.conditions(),
        ["FailureTarget=True BackoffLimitExceeded"]
    );
    small.pass(60_000);
    assert_eq!(small.conditions().len(), 1);
    small.terminate();
    small.pass(1_010);
    small.check(json!({"failed": 3, "terminating": 0}));
    assert_eq!(small.conditions()[1], "Failed=True BackoffLimitExceeded");
}

#[test]
fn pods_carry_what_the_controller_gives_them() {
    let mut small = Small::new(
        json!({"completionMode": "Indexed", "completions": 1, "parallelism": 1,
        "template": {"metadata": {"annotations": {"a": "b"}}, "spec": {"subdomain": "s",
            "initContainers": [{"name": "i", "image": "x", "env": [{"name": "JOB_COMPLETION_INDEX", "value": "mine"}]}]}}}),
    );
    small.pass(100);
    let pod = serde_json::to_value(&small.pods()[0]).unwrap();
    let uid = pod["metadata"]["labels"]["controller-uid"].clone();
    assert_eq!(pod["metadata"]["generateName"], "j-0-");
    assert_eq!(
        pod["metadata"]["labels"],
        json!({"controller-uid": uid, "batch.kubernetes.io/controller-uid": uid, "job-name": "j",
            "batch.kubernetes.io/job-name": "j", "batch.kubernetes.io/job-completion-index": "0"})
    );
    assert_eq!(
        pod["metadata"]["annotations"],
        json!({"a": "b", "batch.kubernetes.io/job-completion-index": "0"})
    );
    assert_eq!(
        pod["metadata"]["finalizers"],
        json!(["batch.kubernetes.io/job-tracking"])
    );
    assert_eq!(
        pod["metadata"]["ownerReferences"],
        json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": uid, "controller": true,
            "blockOwnerDeletion": true}])
    );
    let spec = &pod["spec"];
    assert_eq!(
        (&spec["hostname"], &spec["subdomain"]),
        (&json!("j-0"), &json!("s"))
    );
    assert_eq!(
        spec["initContainers"][0]["env"],
        json!([{"name": "JOB_COMPLETION_INDEX", "value": "mine"}])
    );
    let path = "metadata.labels['batch.kubernetes.io/job-completion-index']";
    assert_eq!(
        spec["containers"][0]["env"],
        json!([{"name": "JOB_COMPLETION_INDEX",
            "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}])
    );
}
