//! Who may do what: rules as a Role has them, for each user, and what Roles grant. Nobody may anything that isn't allowed;
//! the administrator and the system itself may all.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde_json::{Value, json};

use crate::cluster::api::request::{Answer, Body, Request, Subresource, Verb};
use crate::cluster::api::roles;
use crate::cluster::api::status::Status;
use crate::cluster::object::{Kind, Object};
use crate::cluster::world::World;

/// May all.
pub const ADMIN: &str = "kubernetes-admin";
/// Controllers and kubelets.
pub const SYSTEM: &str = "system:masters";

/// What is allowed; `*` is everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Only there; none: everywhere.
    pub namespace: Option<String>,
    /// `get`, `create`, …
    pub verbs: Vec<String>,
    /// `batch`; the empty one is the core group.
    pub groups: Vec<String>,
    /// `jobs`, `pods/log`, …
    pub resources: Vec<String>,
    /// Only those; none: all.
    pub names: Vec<String>,
}

/// What somebody wants to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action<'a> {
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verb: &'a str,
    /// Group.
    pub group: &'a str,
    /// Plural.
    pub resource: &'a str,
    /// `status`; empty without.
    pub subresource: &'a str,
    /// Namespace; empty: in all, or a kind without.
    pub namespace: &'a str,
    /// Name; empty: any.
    pub name: &'a str,
}

impl Action<'_> {
    /// `pods/log`.
    fn path(&self) -> String {
        if self.subresource.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}/{}", self.resource, self.subresource)
        }
    }

    /// What is said to somebody who may not.
    #[must_use]
    pub fn refusal(&self, user: &str) -> String {
        let place = if self.namespace.is_empty() {
            "at the cluster scope".to_owned()
        } else {
            format!("in the namespace \"{}\"", self.namespace)
        };
        format!(
            "User \"{user}\" cannot {} resource \"{}\" in API group \"{}\" {place}",
            self.verb,
            self.path(),
            self.group
        )
    }
}

impl Rule {
    fn allows(&self, action: &Action<'_>) -> bool {
        let has = |list: &[String], word: &str| list.iter().any(|w| w == "*" || w == word);
        let path = action.path();
        let of_any = format!("*/{}", action.subresource);
        let resource = has(&self.resources, &path)
            || !action.subresource.is_empty() && self.resources.contains(&of_any);
        has(&self.verbs, action.verb)
            && has(&self.groups, action.group)
            && resource
            && (self.names.is_empty() || self.names.iter().any(|n| n == action.name))
            && self
                .namespace
                .as_deref()
                .is_none_or(|n| n == action.namespace)
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Rights {
    users: BTreeMap<String, Vec<Rule>>,
}

impl World {
    /// Gives a user rights, in the place of those that they had.
    pub fn allow(&mut self, user: &str, rules: Vec<Rule>) {
        self.rights.users.insert(user.to_owned(), rules);
    }

    /// Whether a user may do something.
    #[must_use]
    pub fn may(&self, user: &str, action: &Action<'_>) -> bool {
        if matches!(user, ADMIN | SYSTEM) {
            return true;
        }
        let rules = self.rights.users.get(user);
        rules.is_some_and(|rules| rules.iter().any(|rule| rule.allows(action)))
            || !action.namespace.is_empty()
                && roles::granted(self, user, action.namespace)
                    .iter()
                    .any(|rule| rule.allows(action))
    }

    /// Everything that a user may do in a namespace.
    #[must_use]
    pub fn rules(&self, user: &str, namespace: &str) -> Vec<Rule> {
        let all = || vec!["*".to_owned()];
        if matches!(user, ADMIN | SYSTEM) {
            return vec![Rule {
                namespace: None,
                verbs: all(),
                groups: all(),
                resources: all(),
                names: Vec::new(),
            }];
        }
        let given = self.rights.users.get(user).into_iter().flatten();
        given
            .filter(|rule| rule.namespace.as_deref().is_none_or(|n| n == namespace))
            .cloned()
            .chain(roles::granted(self, user, namespace))
            .collect()
    }

    /// The same with the API's refusal: for what isn't a request to [`World::call`] (watches, logs).
    ///
    /// # Errors
    /// 403.
    pub fn authorize(&self, user: &str, kind: Kind, action: &Action<'_>) -> Result<(), Status> {
        if self.may(user, action) {
            return Ok(());
        }
        Err(Status::forbidden(kind, action.name, &action.refusal(user)))
    }

    /// Answers a `SelfSubjectAccessReview`.
    #[must_use]
    pub fn review(&self, user: &str, review: &Value) -> Answer {
        let asked = &review["spec"]["resourceAttributes"];
        let text = |key: &str| asked[key].as_str().unwrap_or_default();
        let action = Action {
            verb: text("verb"),
            group: text("group"),
            resource: text("resource"),
            subresource: text("subresource"),
            namespace: text("namespace"),
            name: text("name"),
        };
        let allowed = if asked.is_object() {
            self.may(user, &action)
        } else {
            matches!(user, ADMIN | SYSTEM)
        };
        Answer {
            code: 201,
            body: Body::Value(json!({
                "kind": "SelfSubjectAccessReview",
                "apiVersion": "authorization.k8s.io/v1",
                "metadata": {"creationTimestamp": null},
                "spec": review["spec"],
                "status": {"allowed": allowed},
            })),
            warnings: Vec::new(),
        }
    }
}

/// 403, if a request may not be made.
pub(super) fn check(world: &World, request: &Request) -> Result<(), Status> {
    let verb = match &request.verb {
        Verb::Get => "get",
        Verb::List(_) => "list",
        Verb::Create(..) => "create",
        Verb::Update(..) => "update",
        Verb::Patch(..) => "patch",
        Verb::Delete(_) => "delete",
        Verb::DeleteCollection(..) => "deletecollection",
    };
    let subresource = match request.subresource {
        None => "",
        Some(Subresource::Status) => "status",
        Some(Subresource::Binding) => "binding",
        Some(Subresource::Eviction) => "eviction",
    };
    let info = request.kind.info();
    let action = Action {
        verb,
        group: info.group,
        resource: info.plural,
        subresource,
        namespace: request.place(),
        name: request.called(),
    };
    world.authorize(&request.user, request.kind, &action)
}

/// Who makes an owner wait for a dependent has to have a say in the owner's finalizers; who changes owners
/// has to be allowed to delete the object.
pub(super) fn may_block_owners(
    world: &World,
    user: &str,
    new: &Object,
    old: Option<&Object>,
) -> Result<(), Status> {
    let owners = |object: &Object| -> Vec<OwnerReference> {
        object.meta().owner_references.clone().unwrap_or_default()
    };
    let (now, before) = (owners(new), old.map(owners).unwrap_or_default());
    if now == before || matches!(user, ADMIN | SYSTEM) {
        return Ok(());
    }
    let kind = new.kind();
    let info = kind.info();
    let refused = |why: &str| Err(Status::forbidden(kind, new.name(), why));
    if old.is_some() {
        let action = Action {
            verb: "delete",
            group: info.group,
            resource: info.plural,
            subresource: "",
            namespace: new.namespace(),
            name: new.name(),
        };
        if !world.may(user, &action) {
            return refused("cannot set an ownerRef on a resource you can't delete: , <nil>");
        }
    }
    let blocked: BTreeSet<&str> = before
        .iter()
        .filter(|owner| owner.block_owner_deletion == Some(true))
        .map(|owner| owner.uid.as_str())
        .collect();
    let blocking = now.iter().filter(|owner| {
        owner.block_owner_deletion == Some(true) && !blocked.contains(owner.uid.as_str())
    });
    for owner in blocking {
        let (group, version) = owner
            .api_version
            .split_once('/')
            .unwrap_or(("", owner.api_version.as_str()));
        let known = Kind::ALL
            .iter()
            .map(|kind| kind.info())
            .find(|info| info.group == group && info.version == version && info.kind == owner.kind);
        let Some(known) = known else {
            return refused(&format!(
                "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {} Kind {}: no matches for kind \"{}\" in version \"{}\"",
                owner.api_version, owner.kind, owner.kind, owner.api_version
            ));
        };
        let action = Action {
            verb: "update",
            group: known.group,
            resource: known.plural,
            subresource: "finalizers",
            namespace: if known.namespaced {
                new.namespace()
            } else {
                ""
            },
            name: &owner.name,
        };
        if !world.may(user, &action) {
            return refused(
                "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
            );
        }
    }
    Ok(())
}
