//! What a user must be allowed to do, and whether it is so.
//!
//! One SelfSubjectRulesReview tells all rights of a namespace at once; what it doesn't show (an
//! authorizer that can't list its rules, rules that name single objects) is asked for one by one with
//! SelfSubjectAccessReviews. So the usual case costs one request, not thirty.

use futures::StreamExt as _;
use futures::stream;
use serde::Deserialize;
use serde_json::json;

use crate::driver::kube::call::Call;
use crate::driver::kube::client::Connection;
use crate::driver::kube::error::Failure;
use crate::driver::kube::resource::Resource;
use crate::driver::kube::retry::IN_FLIGHT;

/// Rights on one resource.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Resource.
    pub resource: Resource,
    /// Verbs.
    pub verbs: &'static [&'static str],
    /// Without it a run can't be driven. The others switch off something, with a note.
    pub must: bool,
}

/// Everything that driving a run takes: what `examples/role.yaml` and the Role in the README grant, no
/// more and no less (tested). `delete` on what we give an owner to is asked for by servers with the
/// OwnerReferencesPermissionEnforcement plugin.
pub const NEEDS: [Need; 8] = [
    Need {
        resource: Resource::Jobs,
        verbs: &["get", "list", "watch", "create", "delete", "patch"],
        must: true,
    },
    Need {
        resource: Resource::JobStatus,
        verbs: &["patch"],
        must: true,
    },
    Need {
        resource: Resource::Pods,
        verbs: &["get", "list", "watch"],
        must: true,
    },
    Need {
        resource: Resource::PodLog,
        verbs: &["get"],
        must: false,
    },
    Need {
        resource: Resource::Services,
        verbs: &["get", "list", "watch", "create", "delete"],
        must: true,
    },
    Need {
        resource: Resource::ConfigMaps,
        verbs: &["get", "list", "watch", "create", "patch", "delete"],
        must: true,
    },
    Need {
        resource: Resource::Leases,
        verbs: &["get", "list", "create", "patch", "delete"],
        must: true,
    },
    Need {
        resource: Resource::Events,
        verbs: &["list", "watch"],
        must: false,
    },
];

/// One right that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// Resource.
    pub resource: Resource,
    /// Verb.
    pub verb: &'static str,
    /// As in [`Need`].
    pub must: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RulesReview {
    status: RulesStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RulesStatus {
    resource_rules: Option<Vec<Rule>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Rule {
    verbs: Vec<String>,
    api_groups: Option<Vec<String>>,
    resources: Option<Vec<String>>,
    resource_names: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AccessReview {
    status: AccessStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AccessStatus {
    allowed: bool,
}

impl Rule {
    fn grants(&self, resource: Resource, verb: &str) -> bool {
        let has = |list: &[String], wanted: &str| list.iter().any(|x| x == "*" || x == wanted);
        let names = self.resource_names.as_deref().unwrap_or_default();
        names.is_empty()
            && has(&self.verbs, verb)
            && has(
                self.api_groups.as_deref().unwrap_or_default(),
                resource.group(),
            )
            && self.resources.iter().flatten().any(|r| covers(r, resource))
    }
}

/// Whether the `resources` entry of a rule means that resource: `*`, `pods`, `pods/log`, `*/log`.
fn covers(entry: &str, resource: Resource) -> bool {
    match (entry.split_once('/'), resource.subresource()) {
        _ if entry == "*" => true,
        (None, None) => entry == resource.plural(),
        (Some((plural, sub)), Some(wanted)) => {
            (plural == "*" || plural == resource.plural()) && sub == wanted
        }
        _ => false,
    }
}

/// The rights of `needs` that the user lacks in a namespace, in the order of `needs`.
///
/// # Errors
///
/// No contact; a server that answers no review of rights at all.
pub async fn missing(
    conn: &Connection,
    namespace: &str,
    needs: &[Need],
) -> Result<Vec<Missing>, Failure> {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": namespace},
    });
    // Not carried out for good: a review may be repeated.
    let answer = conn
        .send(&Call::create(Resource::RulesReviews, None, None, &review))
        .await;
    let rules = match answer.and_then(|a| a.json::<RulesReview>()) {
        Ok(review) => review.status.resource_rules.unwrap_or_default(),
        Err(failure) if failure.trouble.passes() => return Err(failure),
        Err(_) => Vec::new(),
    };
    let open = needs
        .iter()
        .flat_map(|need| need.verbs.iter().map(move |verb| (need, *verb)))
        .filter(|(need, verb)| !rules.iter().any(|rule| rule.grants(need.resource, verb)))
        .map(|(need, verb)| Missing {
            resource: need.resource,
            verb,
            must: need.must,
        });
    let answers: Vec<_> = stream::iter(open)
        .map(|m| async move { Ok::<_, Failure>((m, allowed(conn, namespace, m).await?)) })
        .buffered(IN_FLIGHT)
        .collect()
        .await;
    let mut missing = Vec::new();
    for answer in answers {
        if let (m, false) = answer? {
            missing.push(m);
        }
    }
    Ok(missing)
}

async fn allowed(conn: &Connection, namespace: &str, what: Missing) -> Result<bool, Failure> {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {
            "namespace": namespace,
            "verb": what.verb,
            "group": what.resource.group(),
            "resource": what.resource.plural(),
            "subresource": what.resource.subresource(),
        }},
    });
    let answer = conn
        .send(&Call::create(Resource::AccessReviews, None, None, &review))
        .await?;
    Ok(answer.json::<AccessReview>()?.status.allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Rule {
        let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        Rule {
            verbs: own(verbs),
            api_groups: Some(own(groups)),
            resources: Some(own(resources)),
            resource_names: None,
        }
    }

    #[test]
    fn rules_are_read_as_rbac_means_them() {
        let admin = rule(&["*"], &["*"], &["*"]);
        assert!(admin.grants(Resource::PodLog, "get"));
        let pods = rule(&[""], &["pods"], &["get", "list"]);
        assert!(pods.grants(Resource::Pods, "list"));
        assert!(!pods.grants(Resource::Pods, "watch"));
        assert!(!pods.grants(Resource::PodLog, "get"));
        assert!(!pods.grants(Resource::Jobs, "get"));
        assert!(rule(&[""], &["*/log"], &["get"]).grants(Resource::PodLog, "get"));
        assert!(
            rule(&["batch"], &["jobs/status"], &["patch"]).grants(Resource::JobStatus, "patch")
        );
        assert!(!rule(&["batch"], &["jobs/status"], &["patch"]).grants(Resource::Jobs, "patch"));
    }

    /// A rule for single objects is no right to make others.
    #[test]
    fn rules_for_named_objects_do_not_count() {
        let mut named = rule(&[""], &["configmaps"], &["*"]);
        named.resource_names = Some(vec!["train-run".to_owned()]);
        assert!(!named.grants(Resource::ConfigMaps, "patch"));
    }

    /// The example Role grants exactly what is needed.
    #[test]
    fn the_example_role_is_this_table() {
        #[derive(Deserialize)]
        struct Role {
            rules: Vec<Rule>,
        }
        let text = include_str!("../../../examples/role.yaml");
        let role: Role = serde_saphyr::from_str(text).unwrap();
        let mut granted = Vec::new();
        for rule in &role.rules {
            for group in rule.api_groups.iter().flatten() {
                for resource in rule.resources.iter().flatten() {
                    for verb in &rule.verbs {
                        granted.push(format!("{verb} {resource} in {group:?}"));
                    }
                }
            }
        }
        let mut needed: Vec<_> = NEEDS
            .iter()
            .flat_map(|n| n.verbs.iter().map(move |verb| (n.resource, verb)))
            .map(|(r, verb)| {
                let sub = r.subresource().map(|s| format!("/{s}")).unwrap_or_default();
                format!("{verb} {}{sub} in {:?}", r.plural(), r.group())
            })
            .collect();
        granted.sort();
        needed.sort();
        assert_eq!(granted, needed);
    }
}
