//! Jobs that are refused, with every cause.

use serde_json::{Value, json};

use crate::objects::job;
use crate::server::Server;

checks![
    names,
    names_that_pods_cannot_bear,
    a_template_is_required,
    restart_policies,
    negative_numbers,
    completion_modes,
    indexed_jobs_need_completions,
    limits_of_indexed_jobs,
    limits_per_index,
    selectors_are_made,
    manual_selectors,
    labels,
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

fn restart(policy: &str) -> Value {
    json!({"template": {"spec": {"restartPolicy": policy}}})
}

async fn names(s: &Server) {
    let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
                '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex \
                used for validation is \
                '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    s.post(&s.jobs("?dryRun=All"), job("A_b", json!({})))
        .await
        .invalid(
            "Job.batch",
            "A_b",
            &[(
                INVALID,
                &format!("Invalid value: \"A_b\": {rule}"),
                "metadata.name",
            )],
        );
    s.post(&s.jobs("?dryRun=All"), job("a.b", json!({})))
        .await
        .is(201)
        .warns(&[
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising \
             behavior; a DNS label is recommended: [must not contain dots]",
        ]);
}

async fn names_that_pods_cannot_bear(s: &Server) {
    let long = "a".repeat(64);
    s.post(&s.jobs("?dryRun=All"), job(&long, json!({})))
        .await
        .invalid(
            "Job.batch",
            &long,
            &[(
                INVALID,
                &format!("Invalid value: \"{long}\": must be no more than 63 bytes"),
                "spec.template.labels",
            )],
        );
    let name = "a".repeat(62);
    let spec = json!({"completionMode": "Indexed", "completions": 100});
    s.post(&s.jobs("?dryRun=All"), job(&name, spec)).await.invalid(
        "Job.batch",
        &name,
        &[(
            INVALID,
            &format!(
                "Invalid value: \"{name}\": will not able to create pod with invalid DNS label: {name}-99"
            ),
            "metadata.name",
        )],
    );
    let spec = json!({"completionMode": "Indexed", "completions": 100});
    s.post(&s.jobs("?dryRun=All"), job(&"a".repeat(60), spec))
        .await
        .is(201);
}

async fn a_template_is_required(s: &Server) {
    s.post(&s.jobs(""), json!({"metadata": {"name": "a"}, "spec": {}}))
        .await
        .invalid(
            "Job.batch",
            "a",
            &[
                (REQUIRED, "Required value", "spec.template.spec.containers"),
                (
                    REQUIRED,
                    "Required value: valid values: \"OnFailure\", \"Never\"",
                    "spec.template.spec.restartPolicy",
                ),
            ],
        );
}

async fn restart_policies(s: &Server) {
    let field = "spec.template.spec.restartPolicy";
    let required = "Required value: valid values: \"OnFailure\", \"Never\"";
    refused(s, restart("Always"), &[(REQUIRED, required, field)]).await;
    // None is Always.
    let none = json!({"template": {"spec": {"restartPolicy": null}}});
    refused(s, none, &[(REQUIRED, required, field)]).await;
    let causes = [
        "Unsupported value: \"Odd\": supported values: \"Always\", \"OnFailure\", \"Never\"",
        "Unsupported value: \"Odd\": supported values: \"OnFailure\", \"Never\"",
    ];
    refused(s, restart("Odd"), &causes.map(|c| (UNSUPPORTED, c, field))).await;
    accepted(s, restart("OnFailure")).await;
}

async fn negative_numbers(s: &Server) {
    let fields = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
    ];
    let mut spec = json!({});
    for field in fields {
        spec[field] = json!(-1);
    }
    let paths = fields.map(|f| format!("spec.{f}"));
    let why = "Invalid value: -1: must be greater than or equal to 0";
    let causes: Vec<Cause<'_>> = paths.iter().map(|p| (INVALID, why, p.as_str())).collect();
    refused(s, spec, &causes).await;
    let mut spec = json!({});
    for field in fields {
        spec[field] = json!(0);
    }
    accepted(s, spec).await;
}

async fn completion_modes(s: &Server) {
    refused(
        s,
        json!({"completionMode": "Odd"}),
        &[(
            UNSUPPORTED,
            "Unsupported value: \"Odd\": supported values: \"NonIndexed\", \"Indexed\"",
            "spec.completionMode",
        )],
    )
    .await;
}

async fn indexed_jobs_need_completions(s: &Server) {
    refused(
        s,
        json!({"completionMode": "Indexed", "parallelism": 2}),
        &[(
            REQUIRED,
            "Required value: when completion mode is Indexed",
            "spec.completions",
        )],
    )
    .await;
    // With neither, both are 1.
    accepted(s, json!({"completionMode": "Indexed"})).await;
}

async fn limits_of_indexed_jobs(s: &Server) {
    refused(
        s,
        json!({"completionMode": "Indexed", "completions": 200_000, "parallelism": 200_000}),
        &[(
            INVALID,
            "Invalid value: 200000: must be less than or equal to 100000 when completion mode is Indexed",
            "spec.parallelism",
        )],
    )
    .await;
}

async fn limits_per_index(s: &Server) {
    refused(
        s,
        json!({"backoffLimitPerIndex": 1}),
        &[(
            INVALID,
            "Invalid value: 1: requires indexed completion mode",
            "spec.backoffLimitPerIndex",
        )],
    )
    .await;
    refused(
        s,
        json!({"maxFailedIndexes": 1}),
        &[
            (
                REQUIRED,
                "Required value: when maxFailedIndexes is specified",
                "spec.backoffLimitPerIndex",
            ),
            (
                INVALID,
                "Invalid value: 1: requires indexed completion mode",
                "spec.maxFailedIndexes",
            ),
        ],
    )
    .await;
    refused(
        s,
        json!({
            "completionMode": "Indexed", "completions": 2, "backoffLimitPerIndex": -1, "maxFailedIndexes": 5,
        }),
        &[
            (
                INVALID,
                "Invalid value: -1: must be greater than or equal to 0",
                "spec.backoffLimitPerIndex",
            ),
            (
                INVALID,
                "Invalid value: 5: must be less than or equal to completions",
                "spec.maxFailedIndexes",
            ),
        ],
    )
    .await;
}

async fn selectors_are_made(s: &Server) {
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}});
    let reply = s.post(&s.jobs("?dryRun=All"), job("a", spec)).await;
    reply.is(422).like(json!({"details": {"causes": [
        {"reason": INVALID, "field": "spec.selector"},
        {"reason": INVALID, "field": "spec.template.metadata.labels"},
    ]}}));
    let message = reply.at("/message");
    s.holds(
        &message,
        message.contains("}}: `selector` not auto-generated, "),
    );
    s.holds(
        &message,
        message.ends_with("}: `selector` does not match template `labels`]"),
    );
}

async fn manual_selectors(s: &Server) {
    let mismatch = "Invalid value: null: `selector` does not match template `labels`";
    let labels = "spec.template.metadata.labels";
    refused(
        s,
        json!({"manualSelector": true, "selector": {"matchLabels": {"a": "b"}}}),
        &[(INVALID, mismatch, labels)],
    )
    .await;
    refused(
        s,
        json!({"manualSelector": true}),
        &[
            (REQUIRED, "Required value", "spec.selector"),
            (INVALID, mismatch, labels),
        ],
    )
    .await;
    let spec = json!({
        "manualSelector": true,
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}},
    });
    s.post(&s.jobs("?dryRun=All"), job("a", spec))
        .await
        .is(201)
        .like(json!({
            // Without labels of its own it has its pods'.
            "metadata": {"labels": {"a": "b", "job-name": null}},
            "spec": {"template": {"metadata": {"labels": {"a": "b", "job-name": null}}}},
        }));
}

async fn labels(s: &Server) {
    let mut one = job("a", json!({}));
    one["metadata"]["labels"] = json!({"x y": "a"});
    one["metadata"]["annotations"] = json!({"x y": "a"});
    let why = "Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', \
               and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
               '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    s.post(&s.jobs(""), one).await.invalid(
        "Job.batch",
        "a",
        &[
            (INVALID, why, "metadata.labels"),
            (INVALID, why, "metadata.annotations"),
        ],
    );
    let long = "v".repeat(64);
    let mut one = job("a", json!({}));
    one["metadata"]["labels"] = json!({"x": long});
    s.post(&s.jobs(""), one).await.invalid(
        "Job.batch",
        "a",
        &[(
            INVALID,
            &format!("Invalid value: \"{long}\": must be no more than 63 bytes"),
            "metadata.labels",
        )],
    );
}
