//! Deleted pods, deleted Jobs, and pods that change hands.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::SignedDuration;
use serde_json::json;

use super::super::testing::Small;
use crate::cluster::object::Kind;

#[test]
fn a_pod_that_is_being_deleted_counts_as_failed_and_is_replaced_after_the_back_off() {
    let mut small = Small::new(json!({}));
    small.pass(100);
    small.bind();
    let pod = small.live()[0].clone();
    small.delete(&pod);
    small.pass(1_010);
    small.check(json!({"failed": 1, "active": null, "terminating": 1}));
    small.pass(9_000);
    small.check(json!({"failed": 1, "active": 1, "terminating": 1}));
    small.terminate();
    small.pass(1_010);
    small.check(json!({"failed": 1, "active": 1, "terminating": 0}));
}

#[test]
fn with_the_policy_failed_it_is_replaced_when_it_has_ended() {
    let mut small = Small::new(json!({"podReplacementPolicy": "Failed"}));
    small.pass(100);
    small.bind();
    let pod = small.live()[0].clone();
    small.delete(&pod);
    small.pass(20_000);
    small.check(json!({"failed": null, "active": null, "terminating": 1}));
    assert_eq!(small.live(), []);
    small.end(&pod, 137);
    small.pass(1_010);
    small.check(json!({"failed": 1, "active": null, "terminating": 0}));
    small.pass(10_000);
    small.check(json!({"failed": 1, "active": 1}));
}

#[test]
fn a_job_in_deletion_makes_no_pods_and_lets_its_pods_go() {
    let mut small = Small::new(json!({"parallelism": 2, "completions": 2}));
    small.pass(100);
    small.bind();
    let key = Small::key(Kind::Job, "j");
    let mut job = small
        .world
        .store
        .get(&key)
        .unwrap()
        .as_job()
        .unwrap()
        .clone();
    job.metadata.deletion_timestamp = Some(Time(small.world.second()));
    job.metadata.finalizers = Some(vec!["test.io/held".to_owned()]);
    job.metadata.generation = Some(2);
    small.world.put(job.into());
    let (pod, other) = (small.live()[0].clone(), small.live()[1].clone());
    small.end(&pod, 1);
    small.pass(20_000);
    // The garbage collector waits for the Job to be gone, and its finalizer holds it.
    let left: Vec<_> = small
        .live()
        .iter()
        .map(|p| p.metadata.uid.clone())
        .collect();
    assert_eq!(left, [other.metadata.uid], "no other is made");
    assert!(small.pods().iter().all(|p| p.metadata.finalizers.is_none()));
}

#[test]
fn pods_of_a_job_that_is_gone_lose_their_finalizer() {
    let mut small = Small::new(json!({"parallelism": 2, "completions": 2}));
    small.pass(100);
    // The garbage collector is slow to take them.
    small.world.pace.gc = SignedDuration::from_hours(1);
    small.world.remove(&Small::key(Kind::Job, "j"));
    small.pass(100);
    assert!(
        small.pods().iter().all(|p| p.metadata.finalizers.is_none()),
        "nothing holds them against the garbage collector"
    );
}

#[test]
fn a_pod_without_an_owner_is_adopted_and_one_without_the_label_is_let_go() {
    let mut small = Small::new(json!({"parallelism": 2, "completions": 2}));
    small.pass(100);
    let [a, b] = &small.live()[..] else {
        panic!("two pods");
    };
    small.change(a, |p| p.metadata.owner_references = None);
    small.change(b, |p| {
        let labels = p.metadata.labels.as_mut().unwrap();
        labels.remove("batch.kubernetes.io/controller-uid");
    });
    small.pass(1_100);
    let pods = small.pods();
    assert_eq!(pods.len(), 3, "one more for the one that was let go");
    let of = |name: &Option<String>| pods.iter().find(|p| p.metadata.name == *name).unwrap();
    let (a, b) = (of(&a.metadata.name), of(&b.metadata.name));
    let owner = &a.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!((owner.name.as_str(), owner.controller), ("j", Some(true)));
    assert!(a.metadata.finalizers.is_some());
    assert_eq!(b.metadata.finalizers, None);
    assert!(
        b.metadata
            .owner_references
            .iter()
            .flatten()
            .next()
            .is_none()
    );
    small.check(json!({"active": 2, "failed": null}));
}

#[test]
fn a_finished_job_goes_after_its_time() {
    let mut small = Small::new(json!({"ttlSecondsAfterFinished": 30}));
    small.pass(100);
    small.end_all(0);
    small.pass(1_010);
    small.check(json!({"succeeded": 1}));
    let deleting = |small: &Small| {
        let job = small.world.store.get(&Small::key(Kind::Job, "j"));
        job.is_none_or(|j| j.meta().deletion_timestamp.is_some())
    };
    small.pass(29_880);
    assert!(!deleting(&small), "{}", small.now());
    small.pass(20);
    assert!(deleting(&small), "{}", small.now());
}

#[test]
fn a_job_of_another_manager_is_left_alone() {
    let mut small = Small::new(json!({"managedBy": "example.com/other"}));
    small.pass(10_000);
    assert_eq!((small.pods().len(), small.status()), (0, json!({})));
    let mut small = Small::new(json!({"managedBy": "kubernetes.io/job-controller"}));
    small.pass(100);
    assert_eq!(small.pods().len(), 1);
}

#[test]
fn a_pod_that_was_never_on_a_node_and_one_whose_node_is_gone_end_as_failures() {
    let mut small =
        Small::new(json!({"podReplacementPolicy": "Failed", "parallelism": 2, "completions": 2}));
    small.pass(100);
    let pods = small.live();
    small.delete(&pods[0]);
    small.pass(5_000);
    small.check(json!({"terminating": 1, "failed": null}));
    // The collector looks every 20 s, the Job controller a second later.
    small.pass(16_000);
    small.check(json!({"terminating": 0, "failed": 1}));
    small.change(&pods[1], |p| {
        p.spec.as_mut().unwrap().node_name = Some("gone".to_owned())
    });
    small.pass(40_000);
    small.check(json!({"failed": 1}));
    small.pass(40_000);
    small.check(json!({"failed": 2}));
    assert!(
        small
            .pods()
            .iter()
            .all(|p| p.metadata.name != pods[1].metadata.name)
    );
}
