//! Suspended and resumed Jobs.

use serde_json::json;

use super::super::testing::Small;

#[test]
fn a_job_that_is_made_suspended_starts_when_it_is_resumed() {
    let mut small = Small::new(json!({"suspend": true}));
    small.pass(5_000);
    assert_eq!(small.pods(), []);
    small.check(json!({"startTime": null, "active": null, "ready": 0}));
    assert_eq!(small.conditions(), ["Suspended=True JobSuspended"]);
    assert_eq!(small.message("Suspended"), "Job suspended");
    small.patch(json!({"suspend": false}));
    small.pass(100);
    assert_eq!(small.live().len(), 1);
    small.check(json!({"startTime": small.time(5_000), "active": 1}));
    assert_eq!(small.conditions(), ["Suspended=False JobResumed"]);
    assert_eq!(small.message("Suspended"), "Job resumed");
    let events = [
        "Suspended Job suspended",
        "SuccessfulCreate Created pod: j",
        "Resumed Job resumed",
    ];
    assert_eq!(small.events(), events);
}

#[test]
fn suspending_deletes_pods_without_counting_them_and_clears_the_start_time() {
    let mut small = Small::new(json!({"parallelism": 2, "completions": 2, "backoffLimit": 0}));
    small.pass(100);
    small.bind();
    for pod in small.live() {
        small.ready(&pod);
    }
    small.pass(1_010);
    small.check(json!({"active": 2, "ready": 2}));
    small.patch(json!({"suspend": true}));
    small.pass(100);
    small.check(
        json!({"active": null, "ready": 0, "terminating": 2, "failed": null, "startTime": null}),
    );
    assert!(small.pods().iter().all(|p| p.metadata.finalizers.is_none()));
    small.terminate();
    small.pass(1_010);
    small.check(json!({"terminating": 0, "failed": null}));
    small.pass(600_000);
    assert_eq!(small.pods(), []);
    small.patch(json!({"suspend": false}));
    small.pass(100);
    let now = small.now();
    small.check(json!({"active": 2, "failed": null, "startTime": small.time(now)}));
}

#[test]
fn a_pod_that_had_succeeded_counts_in_a_suspended_job() {
    let mut small =
        Small::new(json!({"completionMode": "Indexed", "parallelism": 2, "completions": 2}));
    small.pass(100);
    small.end_index(0, 0);
    small.patch(json!({"suspend": true}));
    small.pass(1_500);
    small.check(json!({"succeeded": 1, "completedIndexes": "0", "active": null}));
    small.patch(json!({"suspend": false}));
    small.pass(100);
    assert_eq!(small.live_names(), ["j-1"]);
}

#[test]
fn a_job_whose_last_pod_succeeds_completes_although_it_is_suspended() {
    let mut small = Small::new(json!({}));
    small.pass(100);
    small.end_all(0);
    small.patch(json!({"suspend": true}));
    small.pass(1_500);
    assert_eq!(small.conditions()[1], "Complete=True CompletionsReached");
}
