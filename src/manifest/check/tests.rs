//! Tests of the type check.

use k8s_openapi::api::batch::v1::JobTemplateSpec;
use serde_json::json;

use super::*;

fn problems(value: &Value) -> Vec<(String, ProblemKind)> {
    check::<JobTemplateSpec>(value, &FieldPath::root())
        .into_iter()
        .map(|p| (p.path.to_string(), p.kind))
        .collect()
}

#[test]
fn everything_wrong_is_found_in_one_pass() {
    let value = json!({"spec": {
        "parallelism": "4",
        "completions": 5_000_000_000_i64,
        "backoffLimit": 1.0,
        "suspend": "no",
        "template": {"spec": {
            "containers": [
                {"name": true, "imagee": "x", "ports": [{"containerPort": 80}]},
                "not a mapping",
            ],
            "nodeSelector": {"a": 1},
            "tolerations": {},
        }},
    }});
    let mut found = problems(&value);
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let paths: Vec<_> = found.iter().map(|(p, _)| p.as_str()).collect();
    assert_eq!(
        paths,
        [
            "spec.backoffLimit",
            "spec.completions",
            "spec.parallelism",
            "spec.suspend",
            "spec.template.spec.containers[0].imagee",
            "spec.template.spec.containers[0].name",
            "spec.template.spec.containers[1]",
            "spec.template.spec.nodeSelector.a",
            "spec.template.spec.tolerations",
        ]
    );
    assert_eq!(found[0].1, ProblemKind::Float { integer: 1 });
    assert!(matches!(found[1].1, ProblemKind::Range { .. }));
    let ProblemKind::Unknown(known) = found[4].1 else {
        panic!("{:?}", found[4])
    };
    assert!(known.contains(&"image"));
}

#[test]
fn a_type_that_gives_up_does_not_hide_the_rest() {
    let value = json!({
        "metadata": {"creationTimestamp": "yesterday"},
        "spec": {
            "suspend": 1,
            "template": {"spec": {"containers": [
                {"name": "c", "readinessProbe": {"httpGet": {"port": true}}}
            ]}},
        },
    });
    let mut paths: Vec<_> = problems(&value).into_iter().map(|(p, _)| p).collect();
    paths.sort();
    assert_eq!(
        paths,
        [
            "metadata.creationTimestamp",
            "spec.suspend",
            "spec.template.spec.containers[0].readinessProbe.httpGet.port",
        ]
    );
}

#[test]
fn numbers_are_quantities_and_ports() {
    let value = json!({"spec": {"template": {"spec": {"containers": [{
        "name": "c",
        "resources": {"limits": {"cpu": 4, "memory": "1Gi", "example.com/x": 1.5}},
        "livenessProbe": {"tcpSocket": {"port": "web"}, "initialDelaySeconds": null},
    }]}}}});
    assert_eq!(problems(&value), []);
}

#[test]
fn what_is_no_quantity_is_found_once_and_hides_nothing() {
    let value = json!({"spec": {"template": {"spec": {"containers": [{
        "name": "c",
        "resources": {"limits": {"cpu": true, "memory": [1], "a": null}, "requests": {"b": {}}},
        "stdin": "x",
    }]}}}});
    let mut paths: Vec<_> = problems(&value).into_iter().map(|(p, _)| p).collect();
    paths.sort();
    let at = "spec.template.spec.containers[0]";
    assert_eq!(
        paths,
        [
            format!("{at}.resources.limits.cpu"),
            format!("{at}.resources.limits.memory"),
            format!("{at}.resources.requests.b"),
            format!("{at}.stdin"),
        ]
    );
}
