//! Work queues, changed parallelism, and pods in great numbers.

use serde_json::json;

use super::super::testing::Small;
use crate::cluster::object::Kind;

#[test]
fn a_work_queue_ends_with_the_first_success_and_its_last_pod() {
    let mut small = Small::new(json!({"parallelism": 3}));
    small.pass(100);
    assert_eq!(small.live().len(), 3);
    let pods = small.live();
    small.end(&pods[0], 0);
    small.pass(5_000);
    assert_eq!(small.live().len(), 2, "nothing is added after a success");
    assert!(small.conditions().is_empty());
    small.end(&pods[1], 1);
    small.pass(60_000);
    assert_eq!(small.live().len(), 1);
    small.end(&pods[2], 0);
    small.pass(1_500);
    small.check(json!({"succeeded": 2, "failed": 1}));
    assert_eq!(small.conditions()[1], "Complete=True CompletionsReached");
}

#[test]
fn parallelism_can_be_raised_and_lowered() {
    let mut small =
        Small::new(json!({"completionMode": "Indexed", "parallelism": 2, "completions": 5}));
    small.pass(100);
    small.patch(json!({"parallelism": 4}));
    small.pass(100);
    assert_eq!(small.live_names(), ["j-0", "j-1", "j-2", "j-3"]);
    let pods = small.live();
    small.ready(&pods[0]);
    small.patch(json!({"parallelism": 1}));
    small.pass(100);
    assert_eq!(
        small.live_names(),
        ["j-0"],
        "pods that have come less far go first"
    );
    small.check(json!({"active": 1, "failed": null}));
    small.patch(json!({"parallelism": 0}));
    small.pass(1_500);
    assert_eq!(small.live().len(), 0);
    small.check(json!({"active": null, "failed": null, "conditions": null}));
}

#[test]
fn no_completions_wanted_is_complete_at_once() {
    let mut small =
        Small::new(json!({"completionMode": "Indexed", "completions": 0, "parallelism": 1}));
    small.pass(100);
    assert_eq!(small.conditions()[1], "Complete=True CompletionsReached");
    assert_eq!(small.pods().len(), 0);
}

#[test]
fn five_hundred_pods_at_a_time() {
    let mut small =
        Small::new(json!({"completionMode": "Indexed", "parallelism": 1200, "completions": 1200}));
    small.pass(100);
    small.check(json!({"active": 500}));
    small.pass(1_000);
    small.check(json!({"active": 1000}));
    small.pass(1_000);
    small.check(json!({"active": 1200}));
    small.end_all(0);
    small.pass(1_010);
    // All indexes are told at once, but no more than 500 finalizers go in one look.
    small.check(json!({"completedIndexes": "0-1199", "succeeded": 1200}));
    assert_eq!(
        small.conditions(),
        ["SuccessCriteriaMet=True CompletionsReached"]
    );
    let tracked = small
        .pods()
        .iter()
        .filter(|p| p.metadata.finalizers.is_some())
        .count();
    assert_eq!(tracked, 700);
    small.pass(3_000);
    small.check(json!({"completedIndexes": "0-1199", "succeeded": 1200, "active": null}));
    assert_eq!(small.conditions()[1], "Complete=True CompletionsReached");
}

#[test]
fn events_are_combined_and_limited() {
    let mut small = Small::new(json!({"parallelism": 100, "completions": 100}));
    small.pass(100);
    let events = small.events();
    assert_eq!(events.len(), 10, "{events:#?}");
    assert!(events[8].starts_with("SuccessfulCreate Created pod: "));
    let combined = "SuccessfulCreate (combined from similar events): Created pod: j";
    assert_eq!(events[9], combined);
}

#[test]
fn refused_pods_are_told_and_tried_again_after_longer_and_longer_waits() {
    let mut small = Small::new(json!({"parallelism": 4, "completions": 4, "suspend": true}));
    small.pass(100);
    // As if admission had become stricter after the Job was made.
    let label = |small: &mut Small, value: &str| {
        let key = Small::key(Kind::Job, "j");
        let mut job = small
            .world
            .store
            .get(&key)
            .unwrap()
            .as_job()
            .unwrap()
            .clone();
        let spec = job.spec.as_mut().unwrap();
        spec.suspend = Some(false);
        let metadata = spec.template.metadata.as_mut().unwrap();
        let labels = metadata.labels.as_mut().unwrap();
        labels.insert("color".to_owned(), value.to_owned());
        job.metadata.generation = job.metadata.generation.map(|g| g + 1);
        small.world.put(job.into());
    };
    label(&mut small, "not a label");
    let refused = |small: &Small| {
        let events = small.events();
        let told = events
            .iter()
            .filter(|e| e.starts_with("FailedCreate Error creating: Pod \"j-"));
        told.count()
    };
    // One pod for each look: at once, after 1 s, after 2 more, after 4 more.
    for (until, times) in [
        (150, 1),
        (1_200, 2),
        (3_200, 3),
        (7_200, 4),
        (14_000, 4),
        (15_200, 5),
    ] {
        small.pass(until - small.now());
        assert_eq!(refused(&small), times, "at {until} ms");
    }
    small.check(json!({"active": null, "failed": null}));
    label(&mut small, "red");
    small.pass(100);
    small.check(json!({"active": 4}));
}
