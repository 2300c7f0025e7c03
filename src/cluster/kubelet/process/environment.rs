//! The environment of a container: what the machine gives, what the pod says, in Kubernetes' order.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, EnvVarSource, Pod};

use super::expand::expand;
use super::fields::{self, Place};
use super::lookups::Lookups;

/// Variables that the pod gives the container: what `$(NAME)` in its command can refer to.
///
/// # Errors
/// Something it needs isn't there, in the words of `CreateContainerConfigError`.
pub(super) fn of_container(
    pod: &Pod,
    container: &Container,
    place: &Place,
    lookups: &dyn Lookups,
) -> Result<BTreeMap<String, String>, String> {
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let mut env = BTreeMap::new();
    for from in container.env_from.iter().flatten() {
        let prefix = from.prefix.as_deref().unwrap_or_default();
        let mut put = |key: &String, value: String| {
            env.insert(format!("{prefix}{key}"), value);
        };
        if let Some(source) = &from.config_map_ref {
            match lookups.config_map(namespace, &source.name) {
                Some(map) => map
                    .data
                    .iter()
                    .flatten()
                    .for_each(|(key, value)| put(key, value.clone())),
                None if source.optional == Some(true) => {}
                None => return Err(format!("configmap \"{}\" not found", source.name)),
            }
        }
        if let Some(source) = &from.secret_ref {
            match lookups.secret(namespace, &source.name) {
                Some(secret) => secret.data.iter().flatten().for_each(|(key, value)| {
                    put(key, String::from_utf8_lossy(&value.0).into_owned());
                }),
                None if source.optional == Some(true) => {}
                None => return Err(format!("secret \"{}\" not found", source.name)),
            }
        }
    }
    for var in container.env.iter().flatten() {
        let value = match (&var.value, &var.value_from) {
            (_, Some(source)) => match from(pod, container, place, lookups, namespace, source)? {
                Some(value) => value,
                None => continue,
            },
            (Some(value), None) => expand(value, &env),
            (None, None) => String::new(),
        };
        env.insert(var.name.clone(), value);
    }
    Ok(env)
}

/// `None` for something optional that isn't there.
fn from(
    pod: &Pod,
    container: &Container,
    place: &Place,
    lookups: &dyn Lookups,
    namespace: &str,
    source: &EnvVarSource,
) -> Result<Option<String>, String> {
    if let Some(field) = &source.field_ref {
        return fields::field(pod, place, &field.field_path).map(Some);
    }
    if let Some(resource) = &source.resource_field_ref {
        return fields::resource(pod, Some(container), place, resource).map(Some);
    }
    if let Some(key) = &source.config_map_key_ref {
        let optional = key.optional == Some(true);
        let Some(map) = lookups.config_map(namespace, &key.name) else {
            return missing(optional, format!("configmap \"{}\" not found", key.name));
        };
        return match map.data.and_then(|mut data| data.remove(&key.key)) {
            Some(value) => Ok(Some(value)),
            None => missing(
                optional,
                format!(
                    "couldn't find key {} in ConfigMap {namespace}/{}",
                    key.key, key.name
                ),
            ),
        };
    }
    if let Some(key) = &source.secret_key_ref {
        let optional = key.optional == Some(true);
        let Some(secret) = lookups.secret(namespace, &key.name) else {
            return missing(optional, format!("secret \"{}\" not found", key.name));
        };
        return match secret.data.and_then(|mut data| data.remove(&key.key)) {
            Some(value) => Ok(Some(String::from_utf8_lossy(&value.0).into_owned())),
            None => missing(
                optional,
                format!(
                    "couldn't find key {} in Secret {namespace}/{}",
                    key.key, key.name
                ),
            ),
        };
    }
    Err("a variable has a valueFrom that is not supported here".to_owned())
}

fn missing(optional: bool, message: String) -> Result<Option<String>, String> {
    if optional { Ok(None) } else { Err(message) }
}

/// The whole environment: `base` of the machine, the host name, then the pod's.
pub(super) fn whole(
    base: &BTreeMap<String, String>,
    hostname: &str,
    own: &BTreeMap<String, String>,
) -> Vec<(String, String)> {
    let mut all = base.clone();
    all.insert("HOSTNAME".to_owned(), hostname.to_owned());
    all.extend(own.iter().map(|(k, v)| (k.clone(), v.clone())));
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};

    struct World;
    impl Lookups for World {
        fn config_map(&self, _: &str, name: &str) -> Option<ConfigMap> {
            (name == "cm").then(|| ConfigMap {
                data: Some(BTreeMap::from([("k".to_owned(), "v".to_owned())])),
                ..ConfigMap::default()
            })
        }
        fn secret(&self, _: &str, _: &str) -> Option<Secret> {
            None
        }
    }

    fn env(container: serde_json::Value) -> Result<BTreeMap<String, String>, String> {
        let place = Place {
            pod_ip: "127.1.2.3".to_owned(),
            host_ip: "127.0.0.1".to_owned(),
            node: "node".to_owned(),
            cpus: 1,
            memory: 1,
        };
        let container = serde_json::from_value(container).unwrap();
        let mut pod = Pod::default();
        pod.metadata.namespace = Some("ns".to_owned());
        of_container(&pod, &container, &place, &World)
    }

    #[test]
    fn later_values_refer_to_earlier_ones_and_env_wins_over_env_from() {
        let env = env(serde_json::json!({"name": "c",
            "envFrom": [{"prefix": "P_", "configMapRef": {"name": "cm"}}],
            "env": [{"name": "A", "value": "$(P_k)-$(B)"}, {"name": "B", "value": "$(A)"},
                    {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                    {"name": "NONE", "valueFrom": {"configMapKeyRef": {"name": "cm", "key": "x", "optional": true}}}]}))
        .unwrap();
        assert_eq!(env["A"], "v-$(B)");
        assert_eq!(env["B"], "v-$(B)");
        assert_eq!(env["IP"], "127.1.2.3");
        assert!(!env.contains_key("NONE"));
    }

    #[test]
    fn what_is_missing_is_named_as_the_kubelet_names_it() {
        let of = |source: serde_json::Value| {
            env(serde_json::json!({"name": "c", "env": [{"name": "A", "valueFrom": source}]}))
                .unwrap_err()
        };
        assert_eq!(
            of(serde_json::json!({"configMapKeyRef": {"name": "cm", "key": "x"}})),
            "couldn't find key x in ConfigMap ns/cm"
        );
        assert_eq!(
            of(serde_json::json!({"secretKeyRef": {"name": "s", "key": "x"}})),
            "secret \"s\" not found"
        );
    }
}
