//! podFailurePolicy and successPolicy in a running Job.

use serde_json::json;

use super::super::testing::Small;

#[test]
fn a_rule_fails_the_job_with_its_message() {
    let mut small = Small::new(
        json!({"parallelism": 2, "completions": 2, "podFailurePolicy": {"rules": [
        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]}}),
    );
    small.pass(100);
    let pods = small.live();
    small.end(&pods[0], 42);
    small.pass(1_010);
    small.pass(1_010);
    let name = pods[0].metadata.name.clone().unwrap();
    assert_eq!(
        small.conditions(),
        [
            "FailureTarget=True PodFailurePolicy",
            "Failed=True PodFailurePolicy"
        ]
    );
    assert_eq!(
        small.message("Failed"),
        format!(
            "Container c for pod default/{name} failed with exit code 42 matching FailJob rule at index 0"
        )
    );
}

#[test]
fn an_ignored_failure_is_replaced_without_being_counted() {
    let mut small = Small::new(json!({"backoffLimit": 0, "podFailurePolicy": {"rules": [
        {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}]}}));
    small.pass(100);
    small.end_all(42);
    small.pass(1_010);
    small.check(json!({"failed": null, "active": null, "conditions": null}));
    small.pass(10_000);
    small.check(json!({"failed": null, "active": 1, "conditions": null}));
}

#[test]
fn a_success_policy_ends_the_job_and_the_rest_is_not_a_failure() {
    let mut small = Small::new(
        json!({"completionMode": "Indexed", "completions": 3, "parallelism": 3,
        "successPolicy": {"rules": [{"succeededIndexes": "1"}]}}),
    );
    small.pass(100);
    small.bind();
    small.end_index(1, 0);
    small.pass(1_010);
    small.check(json!({"succeeded": 1, "failed": null, "active": null, "terminating": 2}));
    assert_eq!(
        small.conditions(),
        ["SuccessCriteriaMet=True SuccessPolicy"]
    );
    assert_eq!(
        small.message("SuccessCriteriaMet"),
        "Matched rules at index 0"
    );
    small.terminate();
    small.pass(1_010);
    small.check(json!({"succeeded": 1, "failed": null, "terminating": 0}));
    assert_eq!(small.conditions()[1], "Complete=True SuccessPolicy");
    assert_eq!(small.message("Complete"), "Matched rules at index 0");
}
