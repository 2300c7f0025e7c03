//! Pods that are refused, and what they are filled up with.

use serde_json::{Value, json};

use crate::objects::pod;
use crate::server::{MERGE, Server};

checks![
    containers_are_required,
    names_of_containers,
    unknown_words,
    parts_of_containers,
    resources,
    quantities,
    host_names,
    volumes,
    changes_of_a_pod,
    defaults_of_a_pod,
    defaults_of_requests,
    tolerations_are_added,
];

type Cause<'a> = (&'a str, &'a str, &'a str);

const INVALID: &str = "FieldValueInvalid";

const REQUIRED: &str = "FieldValueRequired";

const UNSUPPORTED: &str = "FieldValueNotSupported";

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
                     must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex \
                     used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

async fn refused(s: &Server, spec: Value, causes: &[Cause<'_>]) {
    let body = json!({"metadata": {"name": "a"}, "spec": spec});
    s.post(&s.pods("?dryRun=All"), body)
        .await
        .invalid("Pod", "a", causes);
}

fn asks(resources: Value) -> Value {
    json!({"containers": [{"name": "b", "image": "x", "resources": resources}]})
}

async fn containers_are_required(s: &Server) {
    refused(
        s,
        json!({}),
        &[(REQUIRED, "Required value", "spec.containers")],
    )
    .await;
    refused(
        s,
        json!({"containers": [{}]}),
        &[
            (REQUIRED, "Required value", "spec.containers[0].name"),
            (REQUIRED, "Required value", "spec.containers[0].image"),
        ],
    )
    .await;
}

async fn names_of_containers(s: &Server) {
    refused(
        s,
        json!({"containers": [{"name": "A", "image": "x"}, {"name": "b", "image": "x"}, {"name": "b", "image": "x"}]}),
        &[
            (
                INVALID,
                &format!("Invalid value: \"A\": {LABEL}"),
                "spec.containers[0].name",
            ),
            (
                "FieldValueDuplicate",
                "Duplicate value: \"b\"",
                "spec.containers[2].name",
            ),
        ],
    )
    .await;
}

async fn unknown_words(s: &Server) {
    refused(
        s,
        json!({
            "restartPolicy": "Odd", "dnsPolicy": "Odd",
            "containers": [{"name": "b", "image": "x", "imagePullPolicy": "Odd"}],
        }),
        &[
            (
                UNSUPPORTED,
                "Unsupported value: \"Odd\": supported values: \"Always\", \"IfNotPresent\", \"Never\"",
                "spec.containers[0].imagePullPolicy",
            ),
            (
                UNSUPPORTED,
                "Unsupported value: \"Odd\": supported values: \"Always\", \"OnFailure\", \"Never\"",
                "spec.restartPolicy",
            ),
            (
                UNSUPPORTED,
                "Unsupported value: \"Odd\": supported values: \"ClusterFirstWithHostNet\", \
                 \"ClusterFirst\", \"Default\", \"None\"",
                "spec.dnsPolicy",
            ),
        ],
    )
    .await;
}

async fn parts_of_containers(s: &Server) {
    refused(
        s,
        json!({"containers": [{
            "name": "b", "image": "x", "ports": [{"containerPort": 0}],
            "env": [{"name": "", "value": "x"}, {"name": "a=b", "value": "x"}],
            "volumeMounts": [{"name": "none", "mountPath": "/x"}],
        }]}),
        &[
            (
                REQUIRED,
                "Required value",
                "spec.containers[0].ports[0].containerPort",
            ),
            (REQUIRED, "Required value", "spec.containers[0].env[0].name"),
            (
                INVALID,
                "Invalid value: \"a=b\": a valid environment variable name must consist only of printable \
                 ASCII characters other than '='",
                "spec.containers[0].env[1].name",
            ),
            (
                "FieldValueNotFound",
                "Not found: \"none\"",
                "spec.containers[0].volumeMounts[0].name",
            ),
        ],
    )
    .await;
}

async fn resources(s: &Server) {
    refused(
        s,
        asks(json!({"requests": {"cpu": "2"}, "limits": {"cpu": "1"}})),
        &[(
            INVALID,
            "Invalid value: \"2\": must be less than or equal to cpu limit of 1",
            "spec.containers[0].resources.requests",
        )],
    )
    .await;
    refused(
        s,
        asks(json!({"requests": {"test.io/gpu": "1"}})),
        &[(
            REQUIRED,
            "Required value: Limit must be set for non overcommitable resources",
            "spec.containers[0].resources.limits",
        )],
    )
    .await;
    refused(
        s,
        asks(json!({"requests": {"odd": "1"}, "limits": {"odd": "1"}})),
        &[
            (
                INVALID,
                "Invalid value: \"odd\": must be a standard resource type or fully qualified",
                "spec.containers[0].resources.limits[odd]",
            ),
            (
                INVALID,
                "Invalid value: \"odd\": must be a standard resource for containers",
                "spec.containers[0].resources.limits[odd]",
            ),
            (
                INVALID,
                "Invalid value: \"odd\": must be a standard resource type or fully qualified",
                "spec.containers[0].resources.requests[odd]",
            ),
            (
                INVALID,
                "Invalid value: \"odd\": must be a standard resource for containers",
                "spec.containers[0].resources.requests[odd]",
            ),
        ],
    )
    .await;
}

async fn quantities(s: &Server) {
    let body = json!({"metadata": {"name": "a"}, "spec": asks(json!({"requests": {"cpu": "xx"}}))});
    s.post(&s.pods(""), body).await.fails(
        400,
        "BadRequest",
        "Pod in version \"v1\" cannot be handled as a Pod: quantities must match the regular expression \
         '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        Value::Null,
    );
    // Written as they are meant.
    let spec =
        asks(json!({"requests": {"cpu": "1500m", "memory": "1024Mi"}, "limits": {"cpu": 2}}));
    s.post(
        &s.pods("?dryRun=All"),
        json!({"metadata": {"name": "a"}, "spec": spec}),
    )
    .await
    .is(201)
    .like(json!({"spec": {"containers": [{"resources": {
        "requests": {"cpu": "1500m", "memory": "1Gi"}, "limits": {"cpu": "2"},
    }}]}}));
}

async fn host_names(s: &Server) {
    let mut spec = asks(json!({}));
    spec["hostname"] = json!("a.b");
    spec["subdomain"] = json!("A_b");
    refused(
        s,
        spec,
        &[
            (
                INVALID,
                "Invalid value: \"a.b\": must not contain dots",
                "spec.hostname",
            ),
            (
                INVALID,
                &format!("Invalid value: \"A_b\": {LABEL}"),
                "spec.subdomain",
            ),
        ],
    )
    .await;
}

async fn volumes(s: &Server) {
    let mut spec = asks(json!({}));
    spec["volumes"] = json!([{"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {}}]);
    refused(
        s,
        spec,
        &[(
            "FieldValueDuplicate",
            "Duplicate value: \"v\"",
            "spec.volumes[1].name",
        )],
    )
    .await;
}

async fn changes_of_a_pod(s: &Server) {
    let mut one = pod("a");
    one["spec"]["schedulerName"] = json!("nobody");
    s.post(&s.pods(""), one).await.ok();
    for patch in [
        json!({"restartPolicy": "Never"}),
        json!({"nodeName": "node-1"}),
        json!({"nodeSelector": {"a": "b"}}),
    ] {
        let reply = s.patch(&s.pods("/a"), MERGE, json!({"spec": patch})).await;
        reply.is(422).like(json!({"details": {"causes": [{
            "reason": "FieldValueForbidden", "field": "spec",
        }]}}));
        // A drawing of the difference follows.
        s.holds(
            &reply.text,
            reply.at("/message").starts_with(
                "Pod \"a\" is invalid: spec: Forbidden: pod updates may not change fields other than \
                 `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
                 `spec.tolerations` (only additions to existing tolerations),\
                 `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously \
                 negative)",
            ),
        );
    }
    s.patch(
        &s.pods("/a"),
        MERGE,
        json!({"spec": {"activeDeadlineSeconds": 500}}),
    )
    .await
    .is(200)
    .like(json!({"spec": {"activeDeadlineSeconds": 500}, "metadata": {"generation": 2}}));
    s.patch(
        &s.pods("/a"),
        MERGE,
        json!({"metadata": {"labels": {"x": "y"}}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"generation": 2}}));
}

async fn defaults_of_a_pod(s: &Server) {
    let body = json!({
        "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "b", "image": "x:1"}, {"name": "c", "image": "x"}]},
    });
    let made = s.post(&s.pods("?dryRun=All"), body).await;
    let container = |name: &str, image: &str, pull: &str| {
        json!({
            "name": name,
            "image": image,
            "imagePullPolicy": pull,
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
        })
    };
    s.same(
        &made.is(201).body["spec"],
        json!({
            "containers": [container("b", "x:1", "IfNotPresent"), container("c", "x", "Always")],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "securityContext": {},
            "schedulerName": "default-scheduler",
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
                 "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
                 "tolerationSeconds": 300},
            ],
            "priority": 0,
            "enableServiceLinks": true,
            "preemptionPolicy": "PreemptLowerPriority",
        }),
    );
    s.same(
        &made.body["status"],
        json!({"phase": "Pending", "qosClass": "BestEffort"}),
    );
}

async fn defaults_of_requests(s: &Server) {
    let post = async |resources: Value| {
        let body = json!({"metadata": {"name": "a"}, "spec": asks(resources)});
        s.post(&s.pods("?dryRun=All"), body).await
    };
    let limits = json!({"cpu": "1", "memory": "1Gi"});
    post(json!({"limits": limits.clone()})).await.is(201).like(json!({
        "spec": {"containers": [{"resources": {"limits": limits.clone(), "requests": limits.clone()}}]},
        "status": {"qosClass": "Guaranteed"},
    }));
    post(json!({"requests": {"cpu": "1"}}))
        .await
        .is(201)
        .like(json!({
            "spec": {"containers": [{"resources": {"limits": null}}]},
            "status": {"qosClass": "Burstable"},
        }));
}

async fn tolerations_are_added(s: &Server) {
    let mut one = pod("a");
    one["spec"]["tolerations"] = json!([{"key": "test.io/a", "operator": "Exists"}]);
    s.post(&s.pods("?dryRun=All"), one)
        .await
        .is(201)
        .like(json!({"spec": {"tolerations": [
            {"key": "test.io/a"},
            {"key": "node.kubernetes.io/not-ready"},
            {"key": "node.kubernetes.io/unreachable"},
        ]}}));
    let mut one = pod("a");
    one["spec"]["tolerations"] = json!([{"operator": "Exists"}]);
    s.post(&s.pods("?dryRun=All"), one)
        .await
        .is(201)
        .like(json!({"spec": {"tolerations": [{"operator": "Exists", "key": null}]}}));
}
