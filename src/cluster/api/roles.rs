//! What Roles and RoleBindings grant. Groups and service accounts are not known: subjects of other kinds
//! than User match nobody, but for the group of all users. There are no ClusterRoles.

use k8s_openapi::api::rbac::v1::{PolicyRule, RoleBinding};

use crate::cluster::api::rights::Rule;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// Everybody who is known.
const EVERYBODY: &str = "system:authenticated";

/// Rules that a user has by the bindings of a namespace.
pub(super) fn granted(world: &World, user: &str, namespace: &str) -> Vec<Rule> {
    let store = world.store();
    store
        .list(Kind::RoleBinding, Some(namespace))
        .filter_map(|object| match object.as_ref() {
            Object::RoleBinding(binding) if binds(binding, user) => Some(&binding.role_ref),
            _ => None,
        })
        .filter(|role| role.kind == "Role")
        .filter_map(|role| store.get(&Key::new(Kind::Role, namespace, &role.name)))
        .flat_map(|object| match object.as_ref() {
            Object::Role(role) => role.rules.as_deref().unwrap_or_default(),
            _ => &[],
        })
        .map(|rule| as_rule(rule, namespace))
        .collect()
}

fn binds(binding: &RoleBinding, user: &str) -> bool {
    binding.subjects.iter().flatten().any(|subject| {
        subject.kind == "User" && subject.name == user
            || subject.kind == "Group" && subject.name == EVERYBODY
    })
}

fn as_rule(rule: &PolicyRule, namespace: &str) -> Rule {
    Rule {
        namespace: Some(namespace.to_owned()),
        verbs: rule.verbs.clone(),
        groups: rule.api_groups.clone().unwrap_or_default(),
        resources: rule.resources.clone().unwrap_or_default(),
        names: rule.resource_names.clone().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::api::rights::{ADMIN, Action};
    use crate::cluster::api::{Request, Verb, WriteOptions};
    use crate::cluster::world::WorldOptions;

    #[test]
    fn a_binding_grants_its_role_in_its_namespace() {
        let start = "2026-12-01T10:00:00Z".parse().unwrap();
        let mut world = World::new(WorldOptions::new(start, 1));
        world.add_namespace("other");
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r"},
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], "resourceNames": ["p"]}],
        });
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "b"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ada"}],
        });
        for (kind, object) in [(Kind::Role, role), (Kind::RoleBinding, binding)] {
            let request = Request {
                user: ADMIN.to_owned(),
                kind,
                namespace: Some("default".to_owned()),
                name: None,
                subresource: None,
                verb: Verb::Create(WriteOptions::default(), object),
            };
            assert_eq!(world.call(&request).map(|a| a.code), Ok(201));
        }
        let may = |user: &str, verb: &str, namespace: &str, name: &str| {
            let action = Action {
                verb,
                group: "",
                resource: "pods",
                subresource: "",
                namespace,
                name,
            };
            world.may(user, &action)
        };
        assert!(may("ada", "get", "default", "p"));
        assert!(!may("ada", "get", "default", "q"));
        assert!(!may("ada", "delete", "default", "p"));
        assert!(!may("ada", "get", "other", "p"));
        assert!(!may("bob", "get", "default", "p"));
        assert_eq!(world.rules("ada", "default").len(), 1);
        assert!(world.rules("ada", "other").is_empty());
    }
}
