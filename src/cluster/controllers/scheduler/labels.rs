//! Selectors of labels, as pods' and nodes' specs have them.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{NodeSelectorRequirement, NodeSelectorTerm};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

pub(super) type Labels = BTreeMap<String, String>;

/// Whether a selector takes an object; one that says nothing takes all.
pub(super) fn selects(selector: &LabelSelector, labels: Option<&Labels>) -> bool {
    let get = |key: &String| labels.and_then(|l| l.get(key));
    let equal = selector
        .match_labels
        .iter()
        .flatten()
        .all(|(key, value)| get(key) == Some(value));
    equal
        && selector
            .match_expressions
            .iter()
            .flatten()
            .all(|r: &LabelSelectorRequirement| {
                let values = r.values.as_deref().unwrap_or_default();
                holds(&r.operator, values, get(&r.key).map(String::as_str))
            })
}

/// Whether a node fits a term of a node affinity; an empty one takes none.
pub(super) fn takes(term: &NodeSelectorTerm, name: &str, labels: &Labels) -> bool {
    let expressions = term.match_expressions.as_deref().unwrap_or_default();
    let fields = term.match_fields.as_deref().unwrap_or_default();
    if expressions.is_empty() && fields.is_empty() {
        return false;
    }
    let check = |r: &NodeSelectorRequirement, have: Option<&str>| {
        holds(&r.operator, r.values.as_deref().unwrap_or_default(), have)
    };
    expressions
        .iter()
        .all(|r| check(r, labels.get(&r.key).map(String::as_str)))
        && fields
            .iter()
            // No other field may be named.
            .all(|r| check(r, (r.key == "metadata.name").then_some(name)))
}

fn holds(operator: &str, values: &[String], have: Option<&str>) -> bool {
    let among = have.is_some_and(|have| values.iter().any(|v| v == have));
    let compare = |wanted: fn(i64, i64) -> bool| {
        let (Some(have), [value]) = (have.and_then(|h| h.parse().ok()), values) else {
            return false;
        };
        value.parse().is_ok_and(|value| wanted(have, value))
    };
    match operator {
        "In" => among,
        "NotIn" => !among,
        "Exists" => have.is_some(),
        "DoesNotExist" => have.is_none(),
        "Gt" => compare(|have, value| have > value),
        "Lt" => compare(|have, value| have < value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators() {
        let values = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        for (operator, list, have, expected) in [
            ("In", &["a", "b"][..], Some("b"), true),
            ("In", &["a"], None, false),
            ("NotIn", &["a"], Some("a"), false),
            ("NotIn", &["a"], None, true),
            ("Exists", &[], Some(""), true),
            ("DoesNotExist", &[], Some(""), false),
            ("Gt", &["5"], Some("10"), true),
            ("Lt", &["5"], Some("10"), false),
            ("Gt", &["5"], Some("x"), false),
            ("Near", &["5"], Some("5"), false),
        ] {
            assert_eq!(
                holds(operator, &values(list), have),
                expected,
                "{operator} {have:?}"
            );
        }
        assert!(selects(&LabelSelector::default(), None));
        assert!(!takes(&NodeSelectorTerm::default(), "n", &Labels::new()));
    }
}
