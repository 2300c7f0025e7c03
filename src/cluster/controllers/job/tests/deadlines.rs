//! activeDeadlineSeconds and restarts in place.

use serde_json::json;

use super::super::testing::Small;

#[test]
fn a_deadline_fails_the_job() {
    let mut small =
        Small::new(json!({"activeDeadlineSeconds": 5, "parallelism": 2, "completions": 2}));
    small.pass(4_990);
    assert!(small.conditions().is_empty());
    small.pass(20);
    small.check(json!({"failed": 2, "active": null, "terminating": 2}));
    assert_eq!(small.conditions(), ["FailureTarget=True DeadlineExceeded"]);
    small.pass(1_010);
    assert_eq!(small.conditions()[1], "Failed=True DeadlineExceeded");
    assert_eq!(
        small.message("Failed"),
        "Job was active longer than specified deadline"
    );
    assert_eq!(
        small.events().last().unwrap(),
        "DeadlineExceeded Job was active longer than specified deadline"
    );
}

#[test]
fn a_suspended_job_has_no_deadline_and_a_resumed_one_starts_anew() {
    let mut small = Small::new(json!({"activeDeadlineSeconds": 5}));
    small.pass(3_000);
    small.patch(json!({"suspend": true}));
    small.pass(60_000);
    assert_eq!(small.conditions(), ["Suspended=True JobSuspended"]);
    small.patch(json!({"suspend": false}));
    small.pass(4_990);
    assert_eq!(small.conditions(), ["Suspended=False JobResumed"]);
    small.pass(20);
    assert_eq!(small.conditions()[1], "FailureTarget=True DeadlineExceeded");
}

#[test]
fn a_shorter_deadline_counts_at_once() {
    let mut small = Small::new(json!({"activeDeadlineSeconds": 500}));
    small.pass(3_000);
    small.patch(json!({"activeDeadlineSeconds": 2}));
    small.pass(100);
    assert_eq!(small.conditions()[0], "FailureTarget=True DeadlineExceeded");
}

#[test]
fn restarts_in_place_reach_the_limit() {
    let mut small = Small::new(
        json!({"backoffLimit": 2, "template": {"spec": {"restartPolicy": "OnFailure"}}}),
    );
    small.pass(100);
    let restarted = |small: &mut Small, times: i32| {
        let pod = small.live()[0].clone();
        let status = json!({"phase": "Running", "containerStatuses": [{"name": "c", "image": "", "imageID": "",
            "ready": false, "restartCount": times}]});
        small.change(&pod, |pod| {
            pod.status = serde_json::from_value(status).unwrap()
        });
        small.pass(1_010);
    };
    restarted(&mut small, 1);
    small.check(json!({"active": 1, "conditions": null}));
    restarted(&mut small, 2);
    small.check(json!({"active": null, "failed": 1}));
    assert_eq!(
        small.conditions()[0],
        "FailureTarget=True BackoffLimitExceeded"
    );
}
