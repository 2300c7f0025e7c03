//! Policies of Jobs that are refused, with every cause.

use serde_json::{Value, json};

use crate::objects::job;
use crate::server::Server;

checks![
    replacement_policies,
    managers,
    failure_policies_need_never,
    failure_policy_actions,
    failure_policy_exit_codes,
    failure_policy_conditions,
    success_policies_are_for_indexed_jobs,
    success_policy_rules,
];

type Cause<'a> = (&'a str, &'a str, &'a str);

const INVALID: &str = "FieldValueInvalid";

const REQUIRED: &str = "FieldValueRequired";

const UNSUPPORTED: &str = "FieldValueNotSupported";

async fn refused(s: &Server, spec: Value, causes: &[Cause<'_>]) {
    s.post(&s.jobs("?dryRun=All"), job("a", spec))
        .await
        .invalid("Job.batch", "a", causes);
}

async fn accepted(s: &Server, spec: Value) {
    s.post(&s.jobs("?dryRun=All"), job("a", spec)).await.is(201);
}

fn rules(rules: Value) -> Value {
    json!({"podFailurePolicy": {"rules": rules}})
}

fn codes(action: &str, operator: &str, values: Value) -> Value {
    json!({"action": action, "onExitCodes": {"operator": operator, "values": values}})
}

async fn replacement_policies(s: &Server) {
    refused(
        s,
        json!({"podReplacementPolicy": "Odd"}),
        &[(
            UNSUPPORTED,
            "Unsupported value: \"Odd\": supported values: \"Failed\", \"TerminatingOrFailed\"",
            "spec.podReplacementPolicy",
        )],
    )
    .await;
    let mut spec =
        rules(json!([{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]));
    accepted(s, spec.clone()).await;
    spec["podReplacementPolicy"] = json!("TerminatingOrFailed");
    refused(
        s,
        spec,
        &[(
            UNSUPPORTED,
            "Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\"",
            "spec.podReplacementPolicy",
        )],
    )
    .await;
}

async fn managers(s: &Server) {
    refused(
        s,
        json!({"managedBy": "nosolidus"}),
        &[(
            INVALID,
            "Invalid value: \"nosolidus\": must be a domain-prefixed path (such as \"acme.io/foo\")",
            "spec.managedBy",
        )],
    )
    .await;
    accepted(s, json!({"managedBy": "acme.io/foo"})).await;
}

async fn failure_policies_need_never(s: &Server) {
    let mut spec = rules(json!([codes("FailJob", "In", json!([1]))]));
    spec["template"]["spec"]["restartPolicy"] = json!("OnFailure");
    refused(
        s,
        spec,
        &[(
            INVALID,
            "Invalid value: \"OnFailure\": only \"Never\" is supported when podFailurePolicy is specified",
            "spec.template.spec.restartPolicy",
        )],
    )
    .await;
}

async fn failure_policy_actions(s: &Server) {
    refused(
        s,
        rules(json!([
            codes("Odd", "In", json!([1])),
            {"action": "FailJob"},
            codes("FailIndex", "In", json!([1])),
        ])),
        &[
            (
                UNSUPPORTED,
                "Unsupported value: \"Odd\": supported values: \"Count\", \"FailIndex\", \"FailJob\", \
                 \"Ignore\"",
                "spec.podFailurePolicy.rules[0].action",
            ),
            (
                INVALID,
                "Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
                "spec.podFailurePolicy.rules[1]",
            ),
            (
                INVALID,
                "Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be set",
                "spec.podFailurePolicy.rules[2].action",
            ),
        ],
    )
    .await;
}

async fn failure_policy_exit_codes(s: &Server) {
    refused(
        s,
        rules(json!([
            codes("FailJob", "In", json!([0, 2, 1, 2])),
            codes("Ignore", "Odd", json!([])),
            {"action": "Ignore", "onExitCodes": {"containerName": "none", "operator": "In", "values": [1]}},
        ])),
        &[
            (
                INVALID,
                "Invalid value: 0: must not be 0 for the In operator",
                "spec.podFailurePolicy.rules[0].onExitCodes.values[0]",
            ),
            (
                "FieldValueDuplicate",
                "Duplicate value: 2",
                "spec.podFailurePolicy.rules[0].onExitCodes.values[3]",
            ),
            (
                INVALID,
                "Invalid value: [0,2,1,2]: must be ordered",
                "spec.podFailurePolicy.rules[0].onExitCodes.values",
            ),
            (
                UNSUPPORTED,
                "Unsupported value: \"Odd\": supported values: \"In\", \"NotIn\"",
                "spec.podFailurePolicy.rules[1].onExitCodes.operator",
            ),
            (
                INVALID,
                "Invalid value: []: at least one value is required",
                "spec.podFailurePolicy.rules[1].onExitCodes.values",
            ),
            (
                INVALID,
                "Invalid value: \"none\": must be one of the container or initContainer names in the pod \
                 template",
                "spec.podFailurePolicy.rules[2].onExitCodes.containerName",
            ),
        ],
    )
    .await;
    accepted(s, rules(json!([codes("FailJob", "NotIn", json!([0, 1]))]))).await;
}

async fn failure_policy_conditions(s: &Server) {
    refused(
        s,
        rules(json!([{
            "action": "Ignore",
            "onPodConditions": [{"type": "DisruptionTarget", "status": "Odd"}],
            "onExitCodes": {"operator": "In", "values": [1]},
        }])),
        &[
            (
                UNSUPPORTED,
                "Unsupported value: \"Odd\": supported values: \"False\", \"True\", \"Unknown\"",
                "spec.podFailurePolicy.rules[0].onPodConditions[0].status",
            ),
            (
                INVALID,
                "Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
                "spec.podFailurePolicy.rules[0]",
            ),
        ],
    )
    .await;
}

async fn success_policies_are_for_indexed_jobs(s: &Server) {
    refused(
        s,
        json!({"successPolicy": {"rules": [{"succeededCount": 1}]}}),
        &[(
            INVALID,
            "Invalid value: {\"Rules\":[{\"SucceededIndexes\":null,\"SucceededCount\":1}]}: requires \
             indexed completion mode",
            "spec.successPolicy",
        )],
    )
    .await;
}

async fn success_policy_rules(s: &Server) {
    let with = |rules: Value| json!({"completionMode": "Indexed", "completions": 3, "successPolicy": {"rules": rules}});
    refused(
        s,
        with(json!([])),
        &[(
            REQUIRED,
            "Required value: at least one rules must be specified when the successPolicy is specified",
            "spec.successPolicy.rules",
        )],
    )
    .await;
    let many = json!([
        {}, {"succeededCount": 9}, {"succeededIndexes": "1,0"}, {"succeededIndexes": "0-7"},
        {"succeededIndexes": "0", "succeededCount": 2}, {"succeededCount": -1}, {"succeededIndexes": "x"},
    ]);
    refused(
        s,
        with(many),
        &[
            (
                REQUIRED,
                "Required value: at least one of succeededCount or succeededIndexes must be specified",
                "spec.successPolicy.rules[0]",
            ),
            (
                INVALID,
                "Invalid value: 9: must be less than or equal to 3 (the number of specified completions)",
                "spec.successPolicy.rules[1].succeededCount",
            ),
            (
                INVALID,
                "Invalid value: \"1,0\": error parsing succeededIndexes: non-increasing order, previous: \
                 1, current: 0",
                "spec.successPolicy.rules[2].succeededIndexes",
            ),
            (
                INVALID,
                "Invalid value: \"0-7\": error parsing succeededIndexes: too large index: \"7\"",
                "spec.successPolicy.rules[3].succeededIndexes",
            ),
            (
                INVALID,
                "Invalid value: 2: must be less than or equal to 1 (the number of indexes in the specified \
                 succeededIndexes field)",
                "spec.successPolicy.rules[4].succeededCount",
            ),
            (
                INVALID,
                "Invalid value: -1: must be greater than or equal to 0",
                "spec.successPolicy.rules[5].succeededCount",
            ),
            (
                INVALID,
                "Invalid value: \"x\": error parsing succeededIndexes: cannot convert string to integer \
                 for index: \"x\"",
                "spec.successPolicy.rules[6].succeededIndexes",
            ),
        ],
    )
    .await;
}
