//! The objects of the pocket cluster: the kinds it serves, and one type that holds any of them. Typed, so
//! that controllers read fields and not paths; JSON only at the edges.

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{
    ConfigMap, Event, Namespace, Node, PersistentVolumeClaim, Pod, ResourceQuota, Secret, Service,
};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

/// What the API tells of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// `batch`; empty for the core group.
    pub group: &'static str,
    /// `v1`.
    pub version: &'static str,
    /// `Job`.
    pub kind: &'static str,
    /// `jobs`: the word in paths.
    pub plural: &'static str,
    /// `job`.
    pub singular: &'static str,
    /// What kubectl takes as well: `po`.
    pub short: &'static [&'static str],
    /// It lives in a namespace.
    pub namespaced: bool,
    /// It has `/status`.
    pub status: bool,
}

impl KindInfo {
    /// `batch/v1`, `v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
    /// `jobs.batch`, `pods`: as error messages name a resource.
    #[must_use]
    pub fn resource(&self) -> String {
        if self.group.is_empty() {
            self.plural.to_owned()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }
}

macro_rules! kinds {
    ($($kind:ident, $group:literal, $plural:literal, $singular:literal, [$($short:literal),*], $namespaced:literal, $status:literal;)*) => {
        /// A kind that is served.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind {
            $(
                #[doc = concat!("`", stringify!($kind), "`")]
                $kind,
            )*
        }

        /// An object of any kind.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(clippy::large_enum_variant, reason = "objects live in an Arc")]
        pub enum Object {
            $(
                #[doc = concat!("`", stringify!($kind), "`")]
                $kind($kind),
            )*
        }

        impl Kind {
            /// All, in a fixed order.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Names and traits.
            #[must_use]
            pub fn info(self) -> &'static KindInfo {
                match self {
                    $(Self::$kind => &KindInfo {
                        group: $group,
                        version: "v1",
                        kind: stringify!($kind),
                        plural: $plural,
                        singular: $singular,
                        short: &[$($short),*],
                        namespaced: $namespaced,
                        status: $status,
                    },)*
                }
            }
        }

        impl Object {
            /// Its kind.
            #[must_use]
            pub fn kind(&self) -> Kind {
                match self { $(Self::$kind(_) => Kind::$kind,)* }
            }
            /// Its metadata.
            #[must_use]
            pub fn meta(&self) -> &ObjectMeta {
                match self { $(Self::$kind(o) => &o.metadata,)* }
            }
            /// Its metadata.
            pub fn meta_mut(&mut self) -> &mut ObjectMeta {
                match self { $(Self::$kind(o) => &mut o.metadata,)* }
            }
            /// As JSON, with `apiVersion` and `kind`.
            ///
            /// # Errors
            /// None that the served kinds have.
            pub fn to_json(&self) -> serde_json::Result<Value> {
                match self { $(Self::$kind(o) => serde_json::to_value(o),)* }
            }
            /// As JSON text, with `apiVersion` and `kind`.
            ///
            /// # Errors
            /// None that the served kinds have.
            pub fn to_json_text(&self) -> serde_json::Result<String> {
                match self { $(Self::$kind(o) => serde_json::to_string(o),)* }
            }
            /// From JSON; `ignored` is told the path of each field that the kind doesn't know.
            ///
            /// # Errors
            /// A field has another type.
            pub fn from_json(kind: Kind, value: &Value, mut ignored: impl FnMut(String)) -> serde_json::Result<Self> {
                match kind {
                    $(Kind::$kind => serde_ignored::deserialize(value, |path| ignored(path.to_string())).map(Self::$kind),)*
                }
            }
            /// From any deserializer.
            ///
            /// # Errors
            /// Those of the deserializer.
            pub fn decode<'de, D: serde::Deserializer<'de>>(kind: Kind, from: D) -> Result<Self, D::Error> {
                match kind {
                    $(Kind::$kind => serde::Deserialize::deserialize(from).map(Self::$kind),)*
                }
            }
        }

        $(
            impl From<$kind> for Object {
                fn from(object: $kind) -> Self {
                    Self::$kind(object)
                }
            }
        )*
    };
}

kinds! {
    Namespace, "", "namespaces", "namespace", ["ns"], false, true;
    Node, "", "nodes", "node", ["no"], false, true;
    ConfigMap, "", "configmaps", "configmap", ["cm"], true, false;
    Secret, "", "secrets", "secret", [], true, false;
    Service, "", "services", "service", ["svc"], true, true;
    PersistentVolumeClaim, "", "persistentvolumeclaims", "persistentvolumeclaim", ["pvc"], true, true;
    ResourceQuota, "", "resourcequotas", "resourcequota", ["quota"], true, true;
    Event, "", "events", "event", ["ev"], true, false;
    Pod, "", "pods", "pod", ["po"], true, true;
    Job, "batch", "jobs", "job", [], true, true;
    Lease, "coordination.k8s.io", "leases", "lease", [], true, false;
    Role, "rbac.authorization.k8s.io", "roles", "role", [], true, false;
    RoleBinding, "rbac.authorization.k8s.io", "rolebindings", "rolebinding", [], true, false;
}

impl Kind {
    /// By the words of a path: group, version, plural.
    #[must_use]
    pub fn find(group: &str, version: &str, plural: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| {
            let info = kind.info();
            info.group == group && info.version == version && info.plural == plural
        })
    }
}

impl Object {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.meta().name.as_deref().unwrap_or_default()
    }
    /// Its namespace; empty for a kind without.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.meta().namespace.as_deref().unwrap_or_default()
    }
    /// Its UID.
    #[must_use]
    pub fn uid(&self) -> &str {
        self.meta().uid.as_deref().unwrap_or_default()
    }
    /// The value of a label.
    #[must_use]
    pub fn label(&self, key: &str) -> Option<&str> {
        Some(self.meta().labels.as_ref()?.get(key)?.as_str())
    }
    /// The Job, if it is one.
    #[must_use]
    pub fn as_job(&self) -> Option<&Job> {
        match self {
            Self::Job(job) => Some(job),
            _ => None,
        }
    }
    /// The pod, if it is one.
    #[must_use]
    pub fn as_pod(&self) -> Option<&Pod> {
        match self {
            Self::Pod(pod) => Some(pod),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_fields_are_told_with_their_path() {
        let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"},
            "spec": {"template": {"spec": {"containers": [{"name": "c", "imagee": "x"}]}}}});
        let mut ignored = Vec::new();
        let object = Object::from_json(Kind::Job, &job, |path| ignored.push(path)).unwrap();
        assert_eq!(object.name(), "a");
        assert_eq!(ignored.len(), 1, "{ignored:?}");
        assert!(ignored[0].contains("imagee"), "{ignored:?}");
    }
}
