//! Field selectors: their text form, and the fields that each kind can be selected by.

use std::borrow::Cow;

use k8s_openapi::api::core::v1::{Event, Pod};

use crate::cluster::object::{Kind, Object};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    field: String,
    equal: bool,
    value: String,
}

/// All of its terms are to hold; the empty one matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

impl FieldSelector {
    /// Reads one for a kind.
    ///
    /// # Errors
    /// It can't be read, or the kind can't be selected by that field.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, String> {
        let mut parts = split(text);
        parts.sort_unstable();
        let mut terms = Vec::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let Some((field, equal, value)) = term(part) else {
                return Err(format!(
                    "invalid selector: '{text}'; can't understand '{part}'"
                ));
            };
            let value = unescape(value)?;
            terms.push((field, equal, value));
        }
        terms
            .into_iter()
            .map(|(field, equal, value)| {
                let field = known(kind, field)?.to_owned();
                Ok(Term {
                    field,
                    equal,
                    value,
                })
            })
            .collect::<Result<_, String>>()
            .map(|terms| Self { terms })
    }

    /// Whether it selects an object.
    #[must_use]
    pub fn matches(&self, object: &Object) -> bool {
        self.terms
            .iter()
            .all(|term| (value(object, &term.field) == term.value) == term.equal)
    }

    /// Whether it selects everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == ',' {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

fn term(part: &str) -> Option<(&str, bool, &str)> {
    part.char_indices().find_map(|(at, _)| {
        let rest = &part[at..];
        [("!=", false), ("==", true), ("=", true)]
            .iter()
            .find(|(operator, _)| rest.starts_with(operator))
            .map(|(operator, equal)| (&part[..at], *equal, &rest[operator.len()..]))
    })
}

fn unescape(value: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(next @ ('\\' | ',' | '=')) => out.push(next),
                Some(next) => {
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{next}"
                    ));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_owned());
                }
            },
            ',' | '=' => {
                return Err(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(c)
                ));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

const POD: &[&str] = &[
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
];
const EVENT: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];

/// The field's name where a kind can be selected by it.
fn known(kind: Kind, field: &str) -> Result<&str, String> {
    let own: &[&str] = match kind {
        Kind::Pod if field == "spec.host" => return Ok("spec.nodeName"),
        Kind::Pod => POD,
        Kind::Event => EVENT,
        Kind::Node => &["spec.unschedulable"],
        Kind::Namespace => &["status.phase"],
        Kind::Secret => &["type"],
        Kind::Service => &["spec.clusterIP", "spec.type"],
        Kind::Job => &["status.successful"],
        Kind::ConfigMap
        | Kind::PersistentVolumeClaim
        | Kind::ResourceQuota
        | Kind::Lease
        | Kind::Role
        | Kind::RoleBinding => &[],
    };
    let of_metadata = field == "metadata.name"
        || field == "metadata.namespace" && !matches!(kind, Kind::Node | Kind::Namespace);
    if of_metadata || own.contains(&field) {
        return Ok(field);
    }
    Err(match kind {
        Kind::Job => format!("field label \"{field}\" not supported for Job"),
        _ if own.is_empty() => format!(
            "\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ),
        _ => format!("field label not supported: {field}"),
    })
}

fn value<'a>(object: &'a Object, field: &str) -> Cow<'a, str> {
    match field {
        "metadata.name" => return object.name().into(),
        "metadata.namespace" => return object.namespace().into(),
        _ => {}
    }
    match object {
        Object::Pod(pod) => of_pod(pod, field),
        Object::Event(event) => of_event(event, field).unwrap_or_default().into(),
        Object::Node(node) => {
            let off = node.spec.as_ref().and_then(|s| s.unschedulable);
            off.unwrap_or_default().to_string().into()
        }
        Object::Namespace(namespace) => {
            let phase = namespace.status.as_ref().and_then(|s| s.phase.as_deref());
            phase.unwrap_or_default().into()
        }
        Object::Secret(secret) => secret.type_.as_deref().unwrap_or_default().into(),
        Object::Service(service) => {
            let spec = service.spec.as_ref();
            let found = match field {
                "spec.clusterIP" => spec.and_then(|s| s.cluster_ip.as_deref()),
                _ => spec.and_then(|s| s.type_.as_deref()),
            };
            found.unwrap_or_default().into()
        }
        Object::Job(job) => {
            let succeeded = job.status.as_ref().and_then(|s| s.succeeded);
            succeeded.unwrap_or_default().to_string().into()
        }
        _ => "".into(),
    }
}

fn of_pod<'a>(pod: &'a Pod, field: &str) -> Cow<'a, str> {
    let (spec, status) = (pod.spec.as_ref(), pod.status.as_ref());
    let found = match field {
        "spec.nodeName" => spec.and_then(|s| s.node_name.as_deref()),
        "spec.restartPolicy" => spec.and_then(|s| s.restart_policy.as_deref()),
        "spec.schedulerName" => spec.and_then(|s| s.scheduler_name.as_deref()),
        "spec.serviceAccountName" => spec.and_then(|s| s.service_account_name.as_deref()),
        "status.phase" => status.and_then(|s| s.phase.as_deref()),
        "status.podIP" | "status.podIPs" => status.and_then(|s| s.pod_ip.as_deref()),
        "status.nominatedNodeName" => status.and_then(|s| s.nominated_node_name.as_deref()),
        "spec.hostNetwork" => {
            let on = spec.and_then(|s| s.host_network).unwrap_or_default();
            return on.to_string().into();
        }
        _ => None,
    };
    found.unwrap_or_default().into()
}

fn of_event<'a>(event: &'a Event, field: &str) -> Option<&'a str> {
    let about = &event.involved_object;
    match field {
        "involvedObject.kind" => about.kind.as_deref(),
        "involvedObject.namespace" => about.namespace.as_deref(),
        "involvedObject.name" => about.name.as_deref(),
        "involvedObject.uid" => about.uid.as_deref(),
        "involvedObject.apiVersion" => about.api_version.as_deref(),
        "involvedObject.resourceVersion" => about.resource_version.as_deref(),
        "involvedObject.fieldPath" => about.field_path.as_deref(),
        "reason" => event.reason.as_deref(),
        "type" => event.type_.as_deref(),
        "reportingComponent" => event.reporting_component.as_deref(),
        "source" => event
            .source
            .as_ref()
            .and_then(|s| s.component.as_deref())
            .filter(|c| !c.is_empty())
            .or(event.reporting_component.as_deref()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints() {
        for (kind, text, why) in [
            (
                Kind::ConfigMap,
                "data.k=v",
                "\"data.k\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            ),
            (
                Kind::Pod,
                "spec.hostname=a",
                "field label not supported: spec.hostname",
            ),
            (
                Kind::Job,
                "status.active=1",
                "field label \"status.active\" not supported for Job",
            ),
            (
                Kind::ConfigMap,
                "metadata.name",
                "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
            ),
        ] {
            assert_eq!(FieldSelector::parse(kind, text).err().as_deref(), Some(why));
        }
    }

    #[test]
    fn pods() {
        let mut pod = Pod::default();
        pod.metadata.name = Some("a".to_owned());
        pod.status.get_or_insert_default().phase = Some("Running".to_owned());
        let pod = Object::from(pod);
        for (text, matches) in [
            ("", true),
            ("status.phase=Running", true),
            ("status.phase!=Running", false),
            ("spec.nodeName=", true),
            ("spec.nodeName!=", false),
            ("metadata.name=a,status.phase==Running", true),
            ("metadata.name=a,metadata.name=b", false),
        ] {
            let selector = FieldSelector::parse(Kind::Pod, text).unwrap();
            assert_eq!(selector.matches(&pod), matches, "{text}");
        }
    }
}
