//! Bodies in Kubernetes' protobuf form, turned into JSON: `kubectl create KIND` and `kubectl auth` send
//! nothing else. Known are the messages of those commands; a field that isn't is refused with its number,
//! so that nothing is dropped without a word. Answers are JSON always.

use serde_json::{Map, Value, json};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// What every body in this form begins with.
const MAGIC: &[u8] = b"k8s\0";

/// Why a body can't be read.
pub(super) type Trouble = String;

/// Type of a field.
#[derive(Clone, Copy)]
enum Is {
    Text,
    Int,
    Flag,
    /// A flag that is sent whether it is on or not: off is left out.
    Switch,
    /// A string in a message of its own.
    Quantity,
    IntOrText,
    Time,
    Texts,
    /// Map of text to text.
    TextMap,
    /// Map of text to base64.
    ByteMap,
    /// Map of text to quantity.
    QuantityMap,
    One(Message),
    Many(Message),
    /// There, but of no interest to a server: status, managed fields.
    Ignored,
}

/// Fields of a message: number, name in JSON, type.
type Message = &'static [(u32, &'static str, Is)];

const OWNER: Message = &[
    (1, "kind", Is::Text),
    (3, "name", Is::Text),
    (4, "uid", Is::Text),
    (5, "apiVersion", Is::Text),
    (6, "controller", Is::Flag),
    (7, "blockOwnerDeletion", Is::Flag),
];
const METADATA: Message = &[
    (1, "name", Is::Text),
    (2, "generateName", Is::Text),
    (3, "namespace", Is::Text),
    (4, "selfLink", Is::Text),
    (5, "uid", Is::Text),
    (6, "resourceVersion", Is::Text),
    (7, "generation", Is::Int),
    (8, "creationTimestamp", Is::Time),
    (9, "deletionTimestamp", Is::Time),
    (10, "deletionGracePeriodSeconds", Is::Int),
    (11, "labels", Is::TextMap),
    (12, "annotations", Is::TextMap),
    (13, "ownerReferences", Is::Many(OWNER)),
    (14, "finalizers", Is::Texts),
    (17, "managedFields", Is::Ignored),
];
const SELECTOR_TERM: Message = &[
    (1, "key", Is::Text),
    (2, "operator", Is::Text),
    (3, "values", Is::Texts),
];
const SELECTOR: Message = &[
    (1, "matchLabels", Is::TextMap),
    (2, "matchExpressions", Is::Many(SELECTOR_TERM)),
];
const RESOURCES: Message = &[
    (1, "limits", Is::QuantityMap),
    (2, "requests", Is::QuantityMap),
];
const ENV: Message = &[(1, "name", Is::Text), (2, "value", Is::Text)];
const CONTAINER: Message = &[
    (1, "name", Is::Text),
    (2, "image", Is::Text),
    (3, "command", Is::Texts),
    (4, "args", Is::Texts),
    (5, "workingDir", Is::Text),
    (7, "env", Is::Many(ENV)),
    (8, "resources", Is::One(RESOURCES)),
    (13, "terminationMessagePath", Is::Text),
    (14, "imagePullPolicy", Is::Text),
    (16, "stdin", Is::Switch),
    (17, "stdinOnce", Is::Switch),
    (18, "tty", Is::Switch),
    (20, "terminationMessagePolicy", Is::Text),
];
const POD_SPEC: Message = &[
    (2, "containers", Is::Many(CONTAINER)),
    (3, "restartPolicy", Is::Text),
    (4, "terminationGracePeriodSeconds", Is::Int),
    (5, "activeDeadlineSeconds", Is::Int),
    (6, "dnsPolicy", Is::Text),
    (7, "nodeSelector", Is::TextMap),
    (8, "serviceAccountName", Is::Text),
    (9, "serviceAccount", Is::Text),
    (10, "nodeName", Is::Text),
    (11, "hostNetwork", Is::Switch),
    (12, "hostPID", Is::Switch),
    (13, "hostIPC", Is::Switch),
    // What a pod template gets even when nothing is asked for.
    (14, "securityContext", Is::One(&[])),
    (16, "hostname", Is::Text),
    (17, "subdomain", Is::Text),
    (19, "schedulerName", Is::Text),
    (20, "initContainers", Is::Many(CONTAINER)),
    (24, "priorityClassName", Is::Text),
];
const TEMPLATE: Message = &[
    (1, "metadata", Is::One(METADATA)),
    (2, "spec", Is::One(POD_SPEC)),
];
const JOB_SPEC: Message = &[
    (1, "parallelism", Is::Int),
    (2, "completions", Is::Int),
    (3, "activeDeadlineSeconds", Is::Int),
    (4, "selector", Is::One(SELECTOR)),
    (5, "manualSelector", Is::Flag),
    (6, "template", Is::One(TEMPLATE)),
    (7, "backoffLimit", Is::Int),
    (8, "ttlSecondsAfterFinished", Is::Int),
    (9, "completionMode", Is::Text),
    (10, "suspend", Is::Flag),
];
const PORT: Message = &[
    (1, "name", Is::Text),
    (2, "protocol", Is::Text),
    (3, "port", Is::Int),
    (4, "targetPort", Is::IntOrText),
    (5, "nodePort", Is::Int),
    (6, "appProtocol", Is::Text),
];
const SERVICE_SPEC: Message = &[
    (1, "ports", Is::Many(PORT)),
    (2, "selector", Is::TextMap),
    (3, "clusterIP", Is::Text),
    (4, "type", Is::Text),
    (5, "externalIPs", Is::Texts),
    (7, "sessionAffinity", Is::Text),
    (8, "loadBalancerIP", Is::Text),
    (10, "externalName", Is::Text),
    (11, "externalTrafficPolicy", Is::Text),
    (12, "healthCheckNodePort", Is::Int),
    (13, "publishNotReadyAddresses", Is::Switch),
];
const QUOTA_SPEC: Message = &[(1, "hard", Is::QuantityMap), (2, "scopes", Is::Texts)];
const RULE: Message = &[
    (1, "verbs", Is::Texts),
    (2, "apiGroups", Is::Texts),
    (3, "resources", Is::Texts),
    (4, "resourceNames", Is::Texts),
    (5, "nonResourceURLs", Is::Texts),
];
const ROLE_REF: Message = &[
    (1, "apiGroup", Is::Text),
    (2, "kind", Is::Text),
    (3, "name", Is::Text),
];
const SUBJECT: Message = &[
    (1, "kind", Is::Text),
    (2, "apiGroup", Is::Text),
    (3, "name", Is::Text),
    (4, "namespace", Is::Text),
];
const RESOURCE_ATTRIBUTES: Message = &[
    (1, "namespace", Is::Text),
    (2, "verb", Is::Text),
    (3, "group", Is::Text),
    (4, "version", Is::Text),
    (5, "resource", Is::Text),
    (6, "subresource", Is::Text),
    (7, "name", Is::Text),
];
const PATH_ATTRIBUTES: Message = &[(1, "path", Is::Text), (2, "verb", Is::Text)];
const ACCESS_SPEC: Message = &[
    (1, "resourceAttributes", Is::One(RESOURCE_ATTRIBUTES)),
    (2, "nonResourceAttributes", Is::One(PATH_ATTRIBUTES)),
];
const RULES_SPEC: Message = &[(1, "namespace", Is::Text)];

/// The fields of an object of a kind, beside `apiVersion` and `kind`.
fn object(kind: &str) -> Option<Message> {
    Some(match kind {
        "ConfigMap" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "data", Is::TextMap),
            (3, "binaryData", Is::ByteMap),
            (4, "immutable", Is::Flag),
        ],
        "Secret" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "data", Is::ByteMap),
            (3, "type", Is::Text),
            (4, "stringData", Is::TextMap),
            (5, "immutable", Is::Flag),
        ],
        "Namespace" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "spec", Is::One(&[(1, "finalizers", Is::Texts)])),
            (3, "status", Is::Ignored),
        ],
        "Service" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "spec", Is::One(SERVICE_SPEC)),
            (3, "status", Is::Ignored),
        ],
        "ResourceQuota" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "spec", Is::One(QUOTA_SPEC)),
            (3, "status", Is::Ignored),
        ],
        "Job" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "spec", Is::One(JOB_SPEC)),
            (3, "status", Is::Ignored),
        ],
        "Role" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "rules", Is::Many(RULE)),
        ],
        "RoleBinding" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "subjects", Is::Many(SUBJECT)),
            (3, "roleRef", Is::One(ROLE_REF)),
        ],
        "SelfSubjectAccessReview" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "spec", Is::One(ACCESS_SPEC)),
            (3, "status", Is::Ignored),
        ],
        "SelfSubjectRulesReview" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "spec", Is::One(RULES_SPEC)),
            (3, "status", Is::Ignored),
        ],
        "SelfSubjectReview" => &[
            (1, "metadata", Is::One(METADATA)),
            (2, "status", Is::Ignored),
        ],
        _ => return None,
    })
}

/// Turns a body into JSON.
pub(super) fn to_json(body: &[u8]) -> Result<Value, Trouble> {
    let body = body
        .strip_prefix(MAGIC)
        .ok_or_else(|| "the body does not begin as Kubernetes' protobuf does".to_owned())?;
    let (mut kind, mut version, mut raw) = (String::new(), String::new(), &[][..]);
    each(body, |number, field| {
        match (number, field) {
            (1, Field::Bytes(meta)) => each(meta, |number, field| {
                match (number, field) {
                    (1, Field::Bytes(bytes)) => version = text(bytes)?,
                    (2, Field::Bytes(bytes)) => kind = text(bytes)?,
                    _ => {}
                }
                Ok(())
            })?,
            (2, Field::Bytes(bytes)) => raw = bytes,
            // How the rest is encoded: in this form only.
            _ => {}
        }
        Ok(())
    })?;
    let fields = object(&kind).ok_or_else(|| format!("a {kind} is not known in protobuf"))?;
    let mut value = message(raw, fields, &kind)?;
    value["apiVersion"] = json!(version);
    value["kind"] = json!(kind);
    Ok(value)
}

fn message(bytes: &[u8], fields: Message, of: &str) -> Result<Value, Trouble> {
    let mut out = Map::new();
    each(bytes, |number, field| {
        let (_, name, is) = fields
            .iter()
            .find(|(known, _, _)| *known == number)
            .ok_or_else(|| format!("field {number} of {of} is not known in protobuf"))?;
        match (is, field) {
            (Is::Ignored, _) => {}
            (Is::Int, Field::Number(n)) => {
                out.insert((*name).to_owned(), json!(n.cast_signed()));
            }
            (Is::Flag, Field::Number(n)) => {
                out.insert((*name).to_owned(), json!(n != 0));
            }
            (Is::Switch, Field::Number(0)) => {}
            (Is::Switch, Field::Number(_)) => {
                out.insert((*name).to_owned(), json!(true));
            }
            // An empty text is what is sent of one that isn't there.
            (Is::Text, Field::Bytes([])) => {}
            (Is::Text, Field::Bytes(bytes)) => {
                out.insert((*name).to_owned(), json!(text(bytes)?));
            }
            (Is::Quantity | Is::IntOrText | Is::Time | Is::One(_), Field::Bytes(bytes)) => {
                let value = one(*is, bytes, name)?;
                // A moment that isn't there has no seconds.
                if !value.is_null() {
                    out.insert((*name).to_owned(), value);
                }
            }
            (Is::Texts, Field::Bytes(bytes)) => push(&mut out, name, json!(text(bytes)?)),
            (Is::Many(fields), Field::Bytes(bytes)) => {
                push(&mut out, name, message(bytes, fields, name)?);
            }
            (Is::TextMap | Is::ByteMap | Is::QuantityMap, Field::Bytes(bytes)) => {
                let (key, value) = entry(*is, bytes)?;
                let map = out.entry((*name).to_owned()).or_insert_with(|| json!({}));
                map[key] = value;
            }
            _ => return Err(format!("{name} of {of} has another type in protobuf")),
        }
        Ok(())
    })?;
    Ok(Value::Object(out))
}

fn push(out: &mut Map<String, Value>, name: &str, value: Value) {
    let list = out.entry(name.to_owned()).or_insert_with(|| json!([]));
    if let Value::Array(list) = list {
        list.push(value);
    }
}

fn one(is: Is, bytes: &[u8], name: &str) -> Result<Value, Trouble> {
    let (mut numbers, mut texts) = ([0_u64; 4], [const { String::new() }; 4]);
    if let Is::One(fields) = is {
        return message(bytes, fields, name);
    }
    each(bytes, |number, field| {
        let at = usize::try_from(number).unwrap_or(0) % 4;
        match field {
            Field::Number(n) => numbers[at] = n,
            Field::Bytes(bytes) => texts[at] = text(bytes)?,
        }
        Ok(())
    })?;
    Ok(match is {
        Is::Quantity => json!(texts[1]),
        // 0: a number, 1: a text.
        Is::IntOrText if numbers[1] == 0 => json!(numbers[2].cast_signed()),
        Is::IntOrText => json!(texts[3]),
        _ if numbers[1] == 0 => Value::Null,
        _ => {
            let at = k8s_openapi::jiff::Timestamp::from_second(numbers[1].cast_signed());
            json!(at.map_err(|e| e.to_string())?.to_string())
        }
    })
}

fn entry(is: Is, bytes: &[u8]) -> Result<(String, Value), Trouble> {
    let (mut key, mut value) = (String::new(), &[][..]);
    each(bytes, |number, field| {
        match (number, field) {
            (1, Field::Bytes(bytes)) => key = text(bytes)?,
            (2, Field::Bytes(bytes)) => value = bytes,
            _ => return Err("an entry of a map has more than a key and a value".to_owned()),
        }
        Ok(())
    })?;
    let value = match is {
        Is::ByteMap => json!(STANDARD.encode(value)),
        Is::QuantityMap => one(Is::Quantity, value, &key)?,
        _ => json!(text(value)?),
    };
    Ok((key, value))
}

fn text(bytes: &[u8]) -> Result<String, Trouble> {
    String::from_utf8(bytes.to_vec()).map_err(|e| e.to_string())
}

/// A field as it is on the wire.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Goes through the fields of a message.
fn each<'a>(
    mut bytes: &'a [u8],
    mut take: impl FnMut(u32, Field<'a>) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let short = || "the body ends too early".to_owned();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes).ok_or_else(short)?;
        let number = u32::try_from(tag >> 3).map_err(|e| e.to_string())?;
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut bytes).ok_or_else(short)?),
            2 => {
                let length = varint(&mut bytes).ok_or_else(short)?;
                let length = usize::try_from(length).map_err(|e| e.to_string())?;
                let (field, rest) = bytes.split_at_checked(length).ok_or_else(short)?;
                bytes = rest;
                Field::Bytes(field)
            }
            // Kubernetes has no others in these messages.
            kind => return Err(format!("field {number} has the unknown wire type {kind}")),
        };
        take(number, field)?;
    }
    Ok(())
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
        out.extend_from_slice(content);
        out
    }

    fn body(kind: &str, version: &str, raw: &[u8]) -> Vec<u8> {
        let meta = [field(1, version.as_bytes()), field(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), field(1, &meta), field(2, raw)].concat()
    }

    #[test]
    fn a_quota_with_its_metadata() {
        let label = [field(1, b"a"), field(2, b"b")].concat();
        // No moment of creation, as clients send it.
        let metadata = [field(1, b"q"), field(8, b""), field(11, &label)].concat();
        let pods = [field(1, b"pods"), field(2, &field(1, b"3"))].concat();
        let raw = [
            field(1, &metadata),
            field(2, &field(1, &pods)),
            field(3, b""),
        ]
        .concat();
        assert_eq!(
            to_json(&body("ResourceQuota", "v1", &raw)).unwrap(),
            json!({
                "apiVersion": "v1", "kind": "ResourceQuota",
                "metadata": {"name": "q", "labels": {"a": "b"}}, "spec": {"hard": {"pods": "3"}},
            })
        );
    }

    #[test]
    fn lists_numbers_and_either() {
        // 80 as a number, and a name.
        let port = [vec![3 << 3, 80], field(4, &[1 << 3, 0, 2 << 3, 80])].concat();
        let named = field(4, &[vec![1 << 3, 1], field(3, b"http")].concat());
        let spec = [field(1, &port), field(1, &named)].concat();
        let value = to_json(&body("Service", "v1", &field(2, &spec))).unwrap();
        assert_eq!(
            value["spec"]["ports"],
            json!([{"port": 80, "targetPort": 80}, {"targetPort": "http"}])
        );
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let unknown = to_json(&body("ConfigMap", "v1", &field(9, b"x"))).unwrap_err();
        assert!(unknown.contains("field 9 of ConfigMap"), "{unknown}");
        assert!(to_json(&body("Deployment", "apps/v1", b"")).is_err());
        assert!(to_json(b"{}").is_err());
        let mut cut = body("ConfigMap", "v1", &field(2, b"x"));
        cut.pop();
        assert!(to_json(&cut).is_err());
    }
}
