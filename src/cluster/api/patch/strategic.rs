//! Strategic merge patch: a merge patch that knows which lists merge by key, with its directives
//! (`$patch`, `$setElementOrder`, `$deleteFromPrimitiveList`, `$retainKeys`).

use serde_json::{Map, Value};

use crate::cluster::api::patch::schema::{self, Merge};
use crate::cluster::api::status::Status;
use crate::cluster::object::Kind;

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const ORDER: &str = "$setElementOrder/";
const DELETE: &str = "$deleteFromPrimitiveList/";

type Object = Map<String, Value>;

pub(super) fn merged(kind: Kind, before: Value, patch: &Value) -> Result<Value, Status> {
    let (Value::Object(before), Value::Object(patch)) = (before, patch.clone()) else {
        return Err(Status::bad_request(format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            crate::cluster::api::gotype::json_word(patch)
        )));
    };
    Merger { kind }
        .maps(before, patch, "")
        .map(Value::Object)
        .map_err(Status::from)
}

/// Why a patch can't be applied.
enum Wrong {
    /// 400.
    Format(&'static str),
    /// 500: the API has no better word for it.
    Other(String),
}

impl From<Wrong> for Status {
    fn from(wrong: Wrong) -> Self {
        match wrong {
            Wrong::Format(why) => Self::bad_request(why),
            Wrong::Other(why) => Self::new(500, "", why),
        }
    }
}

const BAD_RETAIN: Wrong = Wrong::Format("invalid patch format of retainKeys");
const BAD_ORDER: Wrong = Wrong::Format("invalid patch format of setElementOrder list");
const BAD_DELETE: Wrong = Wrong::Format("invalid patch format of primitive list");

struct Merger {
    kind: Kind,
}

impl Merger {
    fn maps(&self, mut before: Object, mut patch: Object, at: &str) -> Result<Object, Wrong> {
        match patch.remove(DIRECTIVE) {
            None => {}
            Some(Value::String(word)) if word == "replace" => return Ok(patch),
            Some(Value::String(word)) if word == "delete" => return Ok(Object::new()),
            Some(Value::String(word)) if word == "merge" && at.is_empty() => {}
            Some(other) => return Err(unknown(&other, &patch)),
        }
        retain(&mut before, &mut patch)?;
        self.ordered(&mut before, &mut patch, at)?;
        for (key, value) in patch {
            if let Some(list) = key.strip_prefix(DELETE) {
                let Value::Array(gone) = value else {
                    return Err(BAD_DELETE);
                };
                if let Some(Value::Array(items)) = before.get_mut(list) {
                    items.retain(|item| !gone.contains(item));
                }
                continue;
            }
            if value.is_null() {
                before.remove(&key);
                continue;
            }
            let new = match (before.remove(&key), value) {
                (Some(Value::Object(old)), Value::Object(value)) => {
                    Some(Value::Object(self.maps(old, value, &key)?))
                }
                (Some(Value::Array(old)), Value::Array(value)) => {
                    Some(Value::Array(match schema::list(self.kind, at, &key) {
                        Some(how) => self.lists(old, value, how, &key)?,
                        None => value,
                    }))
                }
                (_, value) => plain(value),
            };
            if let Some(new) = new {
                before.insert(key, new);
            }
        }
        Ok(before)
    }

    fn lists(
        &self,
        before: Vec<Value>,
        patch: Vec<Value>,
        how: Merge,
        at: &str,
    ) -> Result<Vec<Value>, Wrong> {
        let key = match how {
            Merge::Set => {
                let mut all = before.clone();
                for item in &patch {
                    if !all.contains(item) {
                        all.push(item.clone());
                    }
                }
                return Ok(in_order(all, &patch, &before, None));
            }
            Merge::By(key) => key,
        };
        let mut all = before.clone();
        let (mut plain_items, mut replace) = (Vec::new(), false);
        for item in patch {
            let Value::Object(mut item) = item else {
                return Err(Wrong::Other(format!(
                    "expected a map, but received a {}",
                    crate::cluster::api::gotype::json_word(&item)
                )));
            };
            match item.get(DIRECTIVE).and_then(Value::as_str) {
                None if item.contains_key(DIRECTIVE) => {
                    let word = item.remove(DIRECTIVE).unwrap_or_default();
                    return Err(unknown(&word, &item));
                }
                None => plain_items.push(item),
                Some("replace") => replace = true,
                Some("delete") => {
                    let name = item.get(key).ok_or_else(|| no_key(&item, key))?;
                    all.retain(|other| other.get(key) != Some(name));
                }
                Some("merge") => {
                    return Err(Wrong::Other(
                        "merging lists cannot yet be specified in the patch".to_owned(),
                    ));
                }
                Some(other) => return Err(unknown(&Value::from(other), &item)),
            }
        }
        let order: Vec<Value> = plain_items.iter().cloned().map(Value::Object).collect();
        if replace {
            return Ok(order.into_iter().filter_map(plain).collect());
        }
        for item in plain_items {
            let name = item.get(key).ok_or_else(|| no_key(&item, key))?.clone();
            let there = all.iter_mut().find(|other| other.get(key) == Some(&name));
            match there {
                Some(slot) => {
                    let Value::Object(old) = slot.take() else {
                        continue;
                    };
                    *slot = Value::Object(self.maps(old, item, at)?);
                }
                None => all.extend(plain(Value::Object(item))),
            }
        }
        Ok(in_order(all, &order, &before, Some(key)))
    }

    /// Lists whose order the patch tells.
    fn ordered(&self, before: &mut Object, patch: &mut Object, at: &str) -> Result<(), Wrong> {
        let keys: Vec<String> = patch
            .keys()
            .filter(|key| key.starts_with(ORDER))
            .cloned()
            .collect();
        for directive in keys {
            let Some(Value::Array(order)) = patch.remove(&directive) else {
                return Err(BAD_ORDER);
            };
            let list = &directive[ORDER.len()..];
            let how = schema::list(self.kind, at, list);
            let key = match how {
                Some(Merge::By(key)) => Some(key),
                _ => None,
            };
            let of = |map: &mut Object| match map.remove(list) {
                None => Ok(None),
                Some(Value::Array(items)) => Ok(Some(items)),
                Some(other) => Err(Wrong::Other(format!(
                    "expected a slice, but received a {}",
                    crate::cluster::api::gotype::json_word(&other)
                ))),
            };
            let given = of(patch)?;
            if let Some(given) = &given {
                told(given, &order, key)?;
            }
            let old = of(before)?;
            let base = old.clone().unwrap_or_default();
            let all = match (old, given) {
                (None, None) => continue,
                (Some(old), None) => old,
                (None, Some(given)) => given.into_iter().filter_map(plain).collect(),
                (Some(old), Some(given)) => match how {
                    Some(how) => self.lists(old, given, how, list)?,
                    None => given,
                },
            };
            // Words to take out are told apart from the order.
            before.insert(
                list.to_owned(),
                Value::Array(in_order(all, &order, &base, key)),
            );
        }
        Ok(())
    }
}

/// Only the named keys stay.
fn retain(before: &mut Object, patch: &mut Object) -> Result<(), Wrong> {
    let Some(keys) = patch.remove(RETAIN) else {
        return Ok(());
    };
    let Value::Array(keys) = keys else {
        return Err(BAD_RETAIN);
    };
    let kept = |key: &str| keys.iter().any(|k| k == key);
    for (key, value) in &*patch {
        let directive = key.starts_with(DELETE) || key.starts_with(ORDER);
        if !value.is_null() && !directive && !kept(key) {
            return Err(BAD_RETAIN);
        }
    }
    before.retain(|key, _| kept(key));
    Ok(())
}

/// Each item of a patch has to be in the order that the patch tells, in that order.
fn told(items: &[Value], order: &[Value], key: Option<&str>) -> Result<(), Wrong> {
    let mut from = 0;
    for item in items {
        if item.get(DIRECTIVE).is_some() {
            continue;
        }
        let place = order[from..].iter().position(|o| same(o, item, key));
        match place {
            Some(at) => from += at + 1,
            None => return Err(BAD_ORDER),
        }
    }
    Ok(())
}

fn same(a: &Value, b: &Value, key: Option<&str>) -> bool {
    match key {
        Some(key) => a.get(key).is_some() && a.get(key) == b.get(key),
        None => a == b,
    }
}

/// Items that the patch names, in its order, among those that only the server has, in theirs: as far as
/// both have a place in the old list, that decides; else what the patch names comes first.
fn in_order(
    all: Vec<Value>,
    patch_order: &[Value],
    server_order: &[Value],
    key: Option<&str>,
) -> Vec<Value> {
    let place = |order: &[Value], item: &Value| order.iter().position(|o| same(o, item, key));
    let (mut named, mut others): (Vec<Value>, Vec<Value>) = all
        .into_iter()
        .partition(|item| place(patch_order, item).is_some());
    named.sort_by_key(|item| place(patch_order, item));
    others.sort_by_key(|item| place(server_order, item));
    let mut out = Vec::with_capacity(named.len() + others.len());
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    while let (Some(n), Some(o)) = (named.peek(), others.peek()) {
        let before = place(server_order, o)
            .zip(place(server_order, n))
            .is_some_and(|(o, n)| o < n);
        out.extend(if before { others.next() } else { named.next() });
    }
    out.extend(others);
    out.extend(named);
    out
}

/// A new value without directives and nulls; none where it only says what is to go.
fn plain(value: Value) -> Option<Value> {
    match value {
        Value::Object(map) => {
            if map.get(DIRECTIVE).and_then(Value::as_str) == Some("delete") {
                return None;
            }
            let kept = map
                .into_iter()
                .filter(|(key, value)| !key.starts_with('$') && !value.is_null())
                .filter_map(|(key, value)| plain(value).map(|value| (key, value)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => Some(Value::Array(items.into_iter().filter_map(plain).collect())),
        other => Some(other),
    }
}

fn shown(map: &Object) -> String {
    let fields: Vec<String> = map.iter().map(|(k, v)| format!("{k}:{v}")).collect();
    format!("map[{}]", fields.join(" "))
}

fn no_key(item: &Object, key: &str) -> Wrong {
    Wrong::Other(format!(
        "map: {} does not contain declared merge key: {key}",
        shown(item)
    ))
}

fn unknown(word: &Value, patch: &Object) -> Wrong {
    let word = word
        .as_str()
        .map_or_else(|| word.to_string(), str::to_owned);
    let mut patch = patch.clone();
    patch.insert(DIRECTIVE.to_owned(), Value::from(word.as_str()));
    let shown = shown(&patch).replace('"', "");
    Wrong::Other(format!("unknown patch type: {word} in map: {shown}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(patch: &Value) -> Value {
        let before = json!({"spec": {"containers": [
            {"name": "a", "image": "x", "env": [{"name": "K", "value": "1"}]},
            {"name": "b", "image": "y"}],
            "tolerations": [{"key": "t"}]},
            "metadata": {"finalizers": ["f", "g"], "labels": {"a": "b"}}});
        match merged(Kind::Pod, before, patch) {
            Ok(value) => value,
            Err(status) => json!(status.message),
        }
    }

    #[test]
    fn lists_by_key() {
        for (patch, pointer, expected) in [
            (
                json!({"spec": {"containers": [{"name": "b", "image": "z"}]}}),
                "/spec/containers",
                json!([{"name": "a", "image": "x", "env": [{"name": "K", "value": "1"}]}, {"name": "b", "image": "z"}]),
            ),
            (
                json!({"spec": {"containers": [{"name": "a", "env": [{"name": "L", "value": "2"}]}]}}),
                "/spec/containers/0/env",
                json!([{"name": "L", "value": "2"}, {"name": "K", "value": "1"}]),
            ),
            (
                json!({"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}),
                "/spec/containers",
                json!([{"name": "b", "image": "y"}]),
            ),
            (
                json!({"spec": {"containers": [{"name": "c"}, {"$patch": "replace"}]}}),
                "/spec/containers",
                json!([{"name": "c"}]),
            ),
            (
                json!({"spec": {"containers": [{"name": "c"}],
                    "$setElementOrder/containers": [{"name": "b"}, {"name": "c"}, {"name": "a"}]}}),
                "/spec/containers",
                json!([{"name": "b", "image": "y"}, {"name": "c"},
                    {"name": "a", "image": "x", "env": [{"name": "K", "value": "1"}]}]),
            ),
            (
                json!({"spec": {"tolerations": [{"key": "u"}]}}),
                "/spec/tolerations",
                json!([{"key": "u"}]),
            ),
            (
                json!({"metadata": {"finalizers": ["h"]}}),
                "/metadata/finalizers",
                json!(["h", "f", "g"]),
            ),
            (
                json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["f"]}}),
                "/metadata/finalizers",
                json!(["g"]),
            ),
            (
                json!({"metadata": {"labels": {"$patch": "replace", "c": "d"}}}),
                "/metadata/labels",
                json!({"c": "d"}),
            ),
            (
                json!({"metadata": {"labels": {"$retainKeys": ["c"], "c": "d"}}}),
                "/metadata/labels",
                json!({"c": "d"}),
            ),
            (
                json!({"metadata": {"labels": {"a": null}, "annotations": {"x": null, "y": "z"}}}),
                "/metadata",
                json!({"finalizers": ["f", "g"], "labels": {}, "annotations": {"y": "z"}}),
            ),
        ] {
            let after = pod(&patch);
            assert_eq!(after.pointer(pointer), Some(&expected), "{patch}: {after}");
        }
    }

    #[test]
    fn refusals() {
        for (patch, why) in [
            (
                json!({"spec": {"containers": [{"image": "z"}]}}),
                "map: map[image:\"z\"] does not contain declared merge key: name",
            ),
            (
                json!({"metadata": {"labels": {"$retainKeys": ["c"], "d": "e"}}}),
                "invalid patch format of retainKeys",
            ),
            (
                json!({"spec": {"containers": [{"name": "a"}], "$setElementOrder/containers": [{"name": "b"}]}}),
                "invalid patch format of setElementOrder list",
            ),
        ] {
            assert_eq!(pod(&patch), json!(why));
        }
    }
}
