//! Tables of what is refused.

use serde_json::{Value, json};

use super::*;
use crate::cluster::api::defaults;
use crate::cluster::object::Kind;

fn read(kind: Kind, value: &Value) -> Object {
    let mut object = Object::from_json(kind, value, |field| panic!("{field}")).unwrap();
    defaults::apply(&mut object);
    object
}

fn causes(problems: Problems) -> Vec<String> {
    let causes = problems.into_causes();
    causes
        .iter()
        .map(|c| format!("{}: {}", c.field, c.message))
        .collect()
}

fn merged(mut base: Value, change: &Value) -> Value {
    json_patch::merge(&mut base, change);
    base
}

fn job(change: &Value) -> Value {
    let labels = json!({"controller-uid": "u", "batch.kubernetes.io/controller-uid": "u",
        "job-name": "a", "batch.kubernetes.io/job-name": "a"});
    let base = json!({"metadata": {"name": "a", "namespace": "n", "uid": "u"}, "spec": {
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}},
        "template": {"metadata": {"labels": labels}, "spec": {"restartPolicy": "Never",
            "containers": [{"name": "c", "image": "i"}]}}}});
    merged(base, change)
}

#[test]
fn jobs() {
    for (change, expected) in [
        (json!({}), vec![]),
        (
            json!({"spec": {"parallelism": -1}}),
            vec!["spec.parallelism: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            json!({"spec": {"completionMode": "Indexed"}}),
            // One completion is the default only where neither is given.
            vec![],
        ),
        (
            json!({"spec": {"completionMode": "Indexed", "parallelism": 2}}),
            vec!["spec.completions: Required value: when completion mode is Indexed"],
        ),
        (
            json!({"spec": {"completionMode": "Some"}}),
            vec![
                "spec.completionMode: Unsupported value: \"Some\": supported values: \"NonIndexed\", \"Indexed\"",
            ],
        ),
        (
            json!({"spec": {"backoffLimitPerIndex": 1}}),
            vec!["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
        ),
        (
            json!({"spec": {"completionMode": "Indexed", "completions": 2, "backoffLimitPerIndex": 1, "maxFailedIndexes": 3}}),
            vec![
                "spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions",
            ],
        ),
        (
            json!({"spec": {"template": {"spec": {"restartPolicy": "Always"}}}}),
            vec![
                "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"",
            ],
        ),
        (
            json!({"spec": {"template": {"spec": {"restartPolicy": "OnFailure"}},
                "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [0, 2, 1, 1]}}]}}}),
            vec![
                "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
                "spec.podFailurePolicy.rules[0].onExitCodes.values[3]: Duplicate value: 1",
                "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [0,2,1,1]: must be ordered",
                "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported when podFailurePolicy is specified",
            ],
        ),
        (
            json!({"spec": {"podFailurePolicy": {"rules": [{"action": "FailIndex"}]}}}),
            vec![
                "spec.podFailurePolicy.rules[0].action: Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be set",
                "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
            ],
        ),
        (
            json!({"spec": {"completionMode": "Indexed", "completions": 3, "successPolicy": {"rules": [
                {"succeededIndexes": "0,2-3"}, {"succeededCount": 2, "succeededIndexes": "1"}, {}]}}}),
            vec![
                "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"0,2-3\": error parsing succeededIndexes: too large index: \"3\"",
                "spec.successPolicy.rules[1].succeededCount: Invalid value: 2: must be less than or equal to 1 (the number of indexes in the specified succeededIndexes field)",
                "spec.successPolicy.rules[2]: Required value: at least one of succeededCount or succeededIndexes must be specified",
            ],
        ),
        (
            json!({"spec": {"managedBy": "me"}}),
            vec![
                "spec.managedBy: Invalid value: \"me\": must be a domain-prefixed path (such as \"acme.io/foo\")",
            ],
        ),
        (
            json!({"spec": {"template": {"metadata": {"labels": {"job-name": "b"}}}}}),
            vec![
                "spec.template.metadata.labels[job-name]: Invalid value: {\"batch.kubernetes.io/controller-uid\":\"u\",\"batch.kubernetes.io/job-name\":\"a\",\"controller-uid\":\"u\",\"job-name\":\"b\"}: must be 'a'",
            ],
        ),
    ] {
        let job = read(Kind::Job, &job(&change));
        assert_eq!(causes(create(&job)), expected, "{change}");
    }
}

#[test]
fn names_of_indexed_pods_fit() {
    let name = "a".repeat(62);
    let labels =
        json!({"controller-uid": "u", "job-name": name, "batch.kubernetes.io/job-name": name});
    let long = job(
        &json!({"metadata": {"name": name}, "spec": {"completionMode": "Indexed", "completions": 1,
        "template": {"metadata": {"labels": labels}}}}),
    );
    let expected = format!(
        "metadata.name: Invalid value: \"{name}\": will not able to create pod with invalid DNS label: {name}-0"
    );
    assert_eq!(causes(create(&read(Kind::Job, &long))), [expected]);
}

#[test]
fn changes_of_jobs() {
    let suspended = json!({"spec": {"suspend": true}});
    let indexed =
        json!({"spec": {"completionMode": "Indexed", "completions": 2, "parallelism": 2}});
    for (before, change, fields) in [
        (
            json!({}),
            json!({"spec": {"parallelism": 3, "suspend": true, "backoffLimit": 1}}),
            vec![],
        ),
        (
            json!({}),
            json!({"spec": {"completions": 3}}),
            vec!["spec.completions"],
        ),
        (
            indexed.clone(),
            json!({"spec": {"completions": 3}}),
            vec!["spec.completions"],
        ),
        (
            indexed,
            json!({"spec": {"completions": 3, "parallelism": 3}}),
            vec![],
        ),
        (
            json!({}),
            json!({"spec": {"completionMode": "Indexed"}}),
            vec!["spec.completionMode"],
        ),
        (
            json!({}),
            json!({"spec": {"managedBy": "a.io/b"}}),
            vec!["spec.managedBy"],
        ),
        (
            json!({}),
            json!({"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}),
            vec!["spec.template"],
        ),
        (
            suspended.clone(),
            json!({"spec": {"template": {"metadata": {"annotations": {"x": "y"}}, "spec": {"nodeSelector": {"a": "b"},
                "tolerations": [{"operator": "Exists"}]}}}}),
            vec![],
        ),
        (
            suspended.clone(),
            json!({"spec": {"template": {"spec": {"containers": [
                {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}}),
            vec![],
        ),
        (
            suspended,
            json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "j"}]}}}}),
            vec!["spec.template.spec"],
        ),
        (
            json!({"spec": {"suspend": true}, "status": {"startTime": "2026-01-01T00:00:00Z", "active": 1}}),
            json!({"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}),
            vec!["spec.template"],
        ),
    ] {
        let before = job(&before);
        let old = read(Kind::Job, &before);
        let mut after = old.to_json().unwrap();
        json_patch::merge(&mut after, &change);
        let new = read(Kind::Job, &after);
        let problems = update(&new, &old, false);
        let found: Vec<String> = problems
            .into_causes()
            .into_iter()
            .map(|c| c.field)
            .collect();
        assert_eq!(found, fields, "{change}");
    }
}

#[test]
fn pods() {
    let base = json!({"metadata": {"name": "a", "namespace": "n"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    for (change, expected) in [
        (json!({}), vec![]),
        (
            json!({"spec": {"containers": []}}),
            vec!["spec.containers: Required value"],
        ),
        (
            json!({"spec": {"containers": [{"name": "c"}, {"name": "c", "image": "i"}]}}),
            vec![
                "spec.containers[0].image: Required value",
                "spec.containers[1].name: Duplicate value: \"c\"",
            ],
        ),
        (
            json!({"spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": ""}, {"name": "a=b"}],
                "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}}),
            vec![
                "spec.containers[0].env[0].name: Required value",
                "spec.containers[0].env[1].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
                "spec.containers[0].volumeMounts[0].name: Not found: \"v\"",
            ],
        ),
        (
            json!({"spec": {"containers": [{"name": "c", "image": "i",
                "ports": [{"containerPort": 0}, {"containerPort": 70000, "protocol": "X"}],
                "resources": {"requests": {"cpu": "2", "nvidia.com/gpu": "1"}, "limits": {"cpu": "1"}}}]}}),
            vec![
                "spec.containers[0].ports[0].containerPort: Required value",
                "spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
                "spec.containers[0].ports[1].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1",
                "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources",
            ],
        ),
        (
            json!({"spec": {"volumes": [{"name": "v", "emptyDir": {}, "configMap": {"name": "m"}}, {"name": "w"}, {"name": "w"}]}}),
            vec![
                "spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type",
                "spec.volumes[2].name: Duplicate value: \"w\"",
            ],
        ),
    ] {
        let pod = read(Kind::Pod, &merged(base.clone(), &change));
        assert_eq!(causes(create(&pod)), expected, "{change}");
    }
}

#[test]
fn services() {
    let base = json!({"metadata": {"name": "a", "namespace": "n"}});
    for (spec, expected) in [
        (json!({"clusterIP": "None"}), vec![]),
        (json!({}), vec!["spec.ports: Required value"]),
        (
            json!({"ports": [{"port": 1}, {"port": 0, "name": "x"}]}),
            vec![
                "spec.ports[0].name: Required value",
                "spec.ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive",
                "spec.ports[1].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
            ],
        ),
        (
            json!({"type": "Some", "clusterIP": "None"}),
            vec![
                "spec.type: Unsupported value: \"Some\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \"NodePort\"",
            ],
        ),
    ] {
        let service = read(Kind::Service, &merged(base.clone(), &json!({"spec": spec})));
        assert_eq!(causes(create(&service)), expected, "{spec}");
    }
}
