//! backoffLimitPerIndex, maxFailedIndexes, FailIndex.

use serde_json::{Value, json};

use super::super::testing::Small;

fn small(more: Value) -> Small {
    let mut spec = json!({"completionMode": "Indexed", "completions": 3, "parallelism": 3,
        "backoffLimit": i32::MAX, "backoffLimitPerIndex": 1});
    for (key, value) in more.as_object().unwrap() {
        spec[key] = value.clone();
    }
    let mut small = Small::new(spec);
    small.pass(100);
    small
}

#[test]
fn an_index_fails_after_its_own_limit_and_the_others_go_on() {
    let mut small = small(json!({}));
    small.end_index(1, 1);
    small.pass(1_010);
    // Its failure is counted when its replacement has taken over the count.
    small.check(json!({"failed": null, "failedIndexes": "", "active": 2}));
    small.pass(9_000);
    assert_eq!(small.live_names(), ["j-0", "j-1", "j-2"]);
    let annotation = |small: &Small, index: usize| {
        let pods = small.live();
        let annotations = pods[index].metadata.annotations.clone().unwrap();
        annotations["batch.kubernetes.io/job-index-failure-count"].clone()
    };
    assert_eq!(
        (annotation(&small, 0), annotation(&small, 1)),
        ("0".to_owned(), "1".to_owned())
    );
    small.pass(1_010);
    small.check(json!({"failed": 1, "failedIndexes": "", "active": 3}));
    small.end_index(1, 1);
    small.pass(1_010);
    small.check(json!({"failed": 2, "failedIndexes": "1", "active": 2, "conditions": null}));
    small.end_all(0);
    small.pass(1_010);
    small.check(
        json!({"failed": 2, "succeeded": 2, "failedIndexes": "1", "completedIndexes": "0,2"}),
    );
    assert_eq!(
        small.conditions(),
        [
            "FailureTarget=True FailedIndexes",
            "Failed=True FailedIndexes"
        ]
    );
    assert_eq!(small.message("Failed"), "Job has failed indexes");
}

#[test]
fn too_many_failed_indexes_end_the_job() {
    let mut small = small(json!({"backoffLimitPerIndex": 0, "maxFailedIndexes": 1}));
    small.end_index(0, 1);
    small.pass(1_010);
    small.check(json!({"failedIndexes": "0", "conditions": null, "failed": 1}));
    small.end_index(2, 1);
    small.pass(1_010);
    small.check(json!({"failedIndexes": "0,2", "active": null, "terminating": 1}));
    assert_eq!(
        small.conditions(),
        ["FailureTarget=True MaxFailedIndexesExceeded"]
    );
    small.pass(1_010);
    assert_eq!(
        small.message("Failed"),
        "Job has exceeded the specified maximal number of failed indexes"
    );
}

#[test]
fn a_rule_fails_an_index_at_once() {
    let mut small = small(
        json!({"backoffLimitPerIndex": 5, "podFailurePolicy": {"rules": [
        {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [9]}}]}}),
    );
    small.end_index(2, 9);
    small.pass(1_010);
    small.check(json!({"failedIndexes": "2", "failed": 1, "active": 2}));
    small.pass(60_000);
    assert_eq!(small.live_names(), ["j-0", "j-1"]);
}
