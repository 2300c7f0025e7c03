//! `simulate`: flags reach the simulation, forms and codes are those of the table. What must come of a
//! simulation is tested with it.

use crate::place::Place;

const TRAIN: &str = "\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  failurePolicy:
    maxRestarts: 1
    rules:
    - {name: fatal, action: FailJobSet, onJobFailureReasons: [DeadlineExceeded]}
  replicatedJobs:
  - name: worker
    replicas: 2
    template:
      spec:
        parallelism: 1
        completions: 1
        backoffLimit: 0
        activeDeadlineSeconds: 86400
        template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}
";

/// Without its JobSet.
const SCRIPT: &str = "\
create
expect creates worker-0 worker-1
pods ready
pod worker-1-0 failed exit=3
expect event policy.decided action=RestartJobSet restarts=1
expect state Restarting
";

fn place() -> Place {
    let place = Place::new();
    place.write("train.yaml", TRAIN);
    place
}

#[test]
fn a_failure_is_survived_and_told() {
    let told = place()
        .run("simulate train.yaml --fail worker/1:exit=3@10m --run-time worker=20m")
        .good();
    for part in [
        "worker/1/0 fails: exit code 3",
        "(you asked for it, 1 of 1)",
        "no rule matches worker/1 -> RestartJobSet, counts 1/1",
        "result: completed after 31m",
        "note: rule 1 \"fatal\" was looked at 1 time and never matched: the reason is BackoffLimitExceeded",
        "assumed: 30s for a pod to start",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("for a pod to run"), "{told}");
}

#[test]
fn an_expectation_that_is_not_met_is_code_9() {
    let place = place();
    let line = "simulate train.yaml -q --fail worker/1:exit=3@1m*2 --expect";
    let met = place
        .run(&format!("{line} failed:ReachedMaxRestarts"))
        .good();
    assert!(
        met.ends_with("expected: failed:ReachedMaxRestarts: met\n"),
        "{met}"
    );
    assert_eq!(met.lines().count(), 2, "{met}");
    let done = place.run(&format!("{line} completed"));
    assert_eq!((done.code, done.err.as_str()), (9, ""), "{done}");
    assert!(
        done.out.ends_with("expected: completed: not met\n"),
        "{done}"
    );
}

#[test]
fn json_is_versioned() {
    let told = place()
        .run("simulate train.yaml -o json --seed 7 --fail worker/0:reason=DeadlineExceeded@1m")
        .good();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["schema"], "jobset.simulation/v1");
    assert_eq!(told["seed"], 7);
    assert_eq!(told["result"]["reason"], "FailJobSetFailurePolicyAction");
    assert_eq!(told["rules"][0]["matched"], 1);
}

#[test]
fn what_is_not_there_is_named() {
    let place = place();
    for (flags, part) in [
        ("--fail boss:exit=1", "nothing in the run is called boss"),
        ("--evict worker/7@1m", "worker has no Job 7"),
        ("--never-ready worker/*/4", "worker has no index 4"),
        ("--run-time boss=1h", "roles of train: worker"),
    ] {
        let said = place.run(&format!("simulate train.yaml {flags}")).bad(2);
        assert!(said.contains(part), "{flags}: {said}");
    }
    place.write("bad.yaml", &TRAIN.replace("FailJobSet", "FailEverything"));
    assert_eq!(place.run("simulate bad.yaml").code, 3);
}

#[test]
fn scripts_play_on_a_manifest_or_bring_their_own() {
    let place = place();
    place.write("story.txt", SCRIPT);
    let told = place.run("simulate train.yaml --script story.txt").good();
    assert!(
        told.ends_with("result: 3 of 3 expectations met\n"),
        "{told}"
    );
    assert!(
        told.contains("\n  create train-worker-0 attempt=1.0\n"),
        "{told}"
    );

    place.write(
        "whole.txt",
        &format!("jobset:\n{TRAIN}---\n{SCRIPT}expect outcome Completed\n"),
    );
    let done = place.run("simulate -q --script whole.txt");
    assert_eq!(
        (done.code, done.out.as_str()),
        (9, "result: 3 of 4 expectations met\n"),
        "{done}"
    );
    assert!(
        done.err.contains("whole.txt:") && done.err.contains("expect outcome Completed: got none"),
        "{done}"
    );

    let both = place.run("simulate train.yaml --script whole.txt").bad(2);
    assert!(both.contains("brings its own JobSet"), "{both}");
    let none = place.run("simulate --script story.txt").bad(2);
    assert!(none.contains("has no JobSet"), "{none}");
    place.write("wrong.txt", "create\njump\n");
    let wrong = place.run("simulate train.yaml --script wrong.txt").bad(2);
    assert!(
        wrong.contains("line 2: jump: there is no command jump"),
        "{wrong}"
    );
}
