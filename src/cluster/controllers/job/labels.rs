//! Names that the Job controller puts on pods, and selectors.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};

/// Label and annotation of an Indexed Job's pod.
pub(super) const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// A pod's earlier failures within its index that count.
pub(super) const INDEX_FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";
/// A pod's earlier failures within its index that were ignored.
pub(super) const INDEX_IGNORED: &str = "batch.kubernetes.io/job-index-ignored-failure-count";
/// On each pod until its end has been counted.
pub(super) const TRACKING_FINALIZER: &str = "batch.kubernetes.io/job-tracking";
/// `spec.managedBy` of a Job that is ours.
pub(super) const CONTROLLER: &str = "kubernetes.io/job-controller";

/// The owner that controls an object.
pub(super) fn controller_of(owners: Option<&Vec<OwnerReference>>) -> Option<&OwnerReference> {
    owners?.iter().find(|o| o.controller == Some(true))
}

/// Whether a selector matches; an empty one matches everything, none matches nothing.
pub(super) fn selects(
    selector: Option<&LabelSelector>,
    labels: Option<&BTreeMap<String, String>>,
) -> bool {
    let Some(selector) = selector else {
        return false;
    };
    let value = |key: &str| labels.and_then(|l| l.get(key));
    let equal = selector.match_labels.iter().flatten();
    let mut terms = selector.match_expressions.iter().flatten();
    equal
        .into_iter()
        .all(|(key, wanted)| value(key) == Some(wanted))
        && terms.all(|term| {
            let listed = |v: &String| term.values.iter().flatten().any(|wanted| wanted == v);
            match (term.operator.as_str(), value(&term.key)) {
                ("In", Some(v)) => listed(v),
                ("NotIn", Some(v)) => !listed(v),
                ("Exists", Some(_)) | ("NotIn" | "DoesNotExist", None) => true,
                _ => false,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn selectors() {
        let labels = BTreeMap::from([("a".to_owned(), "1".to_owned())]);
        let term = |op: &str, key: &str, values: &[&str]| json!({"matchExpressions": [{"key": key, "operator": op, "values": values}]});
        for (selector, expected) in [
            (json!({}), true),
            (json!({"matchLabels": {"a": "1"}}), true),
            (json!({"matchLabels": {"a": "2"}}), false),
            (json!({"matchLabels": {"a": "1", "b": "1"}}), false),
            (term("In", "a", &["0", "1"]), true),
            (term("In", "b", &["1"]), false),
            (term("NotIn", "a", &["1"]), false),
            (term("NotIn", "b", &["1"]), true),
            (term("Exists", "a", &[]), true),
            (term("Exists", "b", &[]), false),
            (term("DoesNotExist", "a", &[]), false),
            (term("DoesNotExist", "b", &[]), true),
        ] {
            let parsed: LabelSelector = serde_json::from_value(selector.clone()).unwrap();
            assert_eq!(
                selects(Some(&parsed), Some(&labels)),
                expected,
                "{selector}"
            );
        }
        assert!(!selects(None, Some(&labels)));
    }
}
