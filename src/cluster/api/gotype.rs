//! What the API says of a JSON value whose type doesn't fit: it names the Go struct, the path and the Go
//! type. A field whose struct isn't in the table is told with the kind's name in its place.

use serde_json::Value;

use crate::cluster::object::{Kind, Object};

/// `string`, `number`, … as Go names the types of JSON.
pub(super) fn json_word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Words for an object that can't be read.
pub(super) fn mismatch(kind: Kind, value: &Value, error: &serde_json::Error) -> String {
    let text = error.to_string();
    let path = culprit(kind, value, &text);
    let Some(found) = path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::At(at) => value.get(at),
    }) else {
        return text;
    };
    let keys: Vec<&str> = path
        .iter()
        .filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::At(_) => None,
        })
        .collect();
    if keys.is_empty() {
        return format!(
            "json: cannot unmarshal {} into Go value of type v1.{}",
            json_word(found),
            kind.info().kind
        );
    }
    let Some(wanted) = go_type(&text, keys.last().copied().unwrap_or_default()) else {
        return text;
    };
    format!(
        "json: cannot unmarshal {} into Go struct field {}.{} of type {wanted}",
        json_word(found),
        go_struct(kind, &keys),
        keys.join(".")
    )
}

enum Step {
    Key(String),
    At(usize),
}

/// Where the value is that can't be read: the deepest one without which the complaint is another.
/// Slow, and asked only when a request is refused.
fn culprit(kind: Kind, value: &Value, complaint: &str) -> Vec<Step> {
    let mut path = Vec::new();
    let mut pointer = String::new();
    loop {
        let here = value.pointer(&pointer);
        let steps: Vec<Step> = match here {
            Some(Value::Object(map)) => map.keys().cloned().map(Step::Key).collect(),
            Some(Value::Array(items)) => (0..items.len()).map(Step::At).collect(),
            _ => return path,
        };
        let next = steps.into_iter().find(|step| {
            let mut without = value.clone();
            match (without.pointer_mut(&pointer), step) {
                (Some(Value::Object(map)), Step::Key(key)) => {
                    map.remove(key);
                }
                (Some(Value::Array(items)), Step::At(at)) => {
                    items.remove(*at);
                }
                _ => {}
            }
            match Object::from_json(kind, &without, |_| ()) {
                Ok(_) => true,
                Err(error) => error.to_string() != complaint,
            }
        });
        let Some(step) = next else {
            return path;
        };
        match &step {
            Step::Key(key) => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Step::At(at) => {
                pointer.push('/');
                pointer.push_str(&at.to_string());
            }
        }
        path.push(step);
    }
}

/// The Go type of what was expected: serde's words end with `expected …`.
fn go_type(complaint: &str, key: &str) -> Option<String> {
    let expected = complaint.rsplit_once("expected ")?.1;
    Some(match expected {
        "i32" => "int32".to_owned(),
        "i64" => "int64".to_owned(),
        "u32" | "u16" | "u8" | "u64" | "f64" => expected.to_owned(),
        "a string" | "string" => "string".to_owned(),
        "a boolean" => "bool".to_owned(),
        "a map" => "map[string]string".to_owned(),
        "a sequence" => format!("[]v1.{}", item(key).unwrap_or("string")),
        other => format!("v1.{}", other.strip_prefix("struct ").unwrap_or(other)),
    })
}

/// What the items of a list are.
fn item(key: &str) -> Option<&'static str> {
    Some(match key {
        "containers" | "initContainers" => "Container",
        "env" => "EnvVar",
        "envFrom" => "EnvFromSource",
        "volumes" => "Volume",
        "volumeMounts" => "VolumeMount",
        "ports" => "ContainerPort",
        "tolerations" => "Toleration",
        "ownerReferences" => "OwnerReference",
        _ => return None,
    })
}

/// The struct that holds the last of these keys.
fn go_struct(kind: Kind, keys: &[&str]) -> String {
    let info = kind.info();
    let Some(holder) = keys.len().checked_sub(2).map(|at| keys[at]) else {
        return info.kind.to_owned();
    };
    match holder {
        "metadata" => "ObjectMeta".to_owned(),
        "spec" if keys.len() > 2 && kind != Kind::Pod => "PodSpec".to_owned(),
        "spec" => format!("{}Spec", info.kind),
        "status" => format!("{}Status", info.kind),
        "template" => "PodTemplateSpec".to_owned(),
        "resources" => "ResourceRequirements".to_owned(),
        "ports" if kind == Kind::Service => "ServicePort".to_owned(),
        "podFailurePolicy" => "PodFailurePolicy".to_owned(),
        "successPolicy" => "SuccessPolicy".to_owned(),
        "securityContext" => "SecurityContext".to_owned(),
        other => item(other).unwrap_or(info.kind).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words() {
        for (kind, value, words) in [
            (
                Kind::ConfigMap,
                json!({"metadata": {"name": 7}}),
                "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
            ),
            (
                Kind::Job,
                json!({"metadata": {"name": "a"}, "spec": {"parallelism": "two", "template": {}}}),
                "json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32",
            ),
            (
                Kind::Job,
                json!({"spec": {"template": {"spec": {"containers": [{"name": "a"}, {"name": "b", "image": true}]}}}}),
                "json: cannot unmarshal bool into Go struct field Container.spec.template.spec.containers.image of type string",
            ),
        ] {
            let error = Object::from_json(kind, &value, |_| ()).unwrap_err();
            assert_eq!(mismatch(kind, &value, &error), words);
        }
    }
}
