//! Waiting for something to become true, by a list and a watch from there.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::reply::text;
use crate::server::{Server, query};
use crate::watching::PATIENCE;

/// Objects of a collection by name.
pub(crate) type Objects = BTreeMap<String, Value>;

impl Server {
    /// Waits until the objects of a collection (chosen by parameters such as a selector) are as
    /// they should be, and returns them.
    pub(crate) async fn until(
        &self,
        what: &str,
        collection: &str,
        parameters: &[(&str, &str)],
        right: impl Fn(&Objects) -> bool,
    ) -> Objects {
        let path = if parameters.is_empty() {
            collection.to_owned()
        } else {
            query(collection, parameters)
        };
        let list = self.get(&path).await.ok();
        let mut objects: Objects = list
            .items()
            .iter()
            .map(|i| (text(i, "/metadata/name"), i.clone()))
            .collect();
        let mut from = list.at("/metadata/resourceVersion");
        let wait = async {
            loop {
                let mut with = vec![("resourceVersion", from.as_str())];
                with.extend(parameters);
                let mut watch = self.watch(collection, &with).await;
                let mut at = from.clone();
                loop {
                    if right(&objects) {
                        return;
                    }
                    let Some(event) = watch.next().await else {
                        break;
                    };
                    let name = event.name();
                    at = text(&event.object, "/metadata/resourceVersion");
                    match event.kind.as_str() {
                        "ADDED" | "MODIFIED" => drop(objects.insert(name, event.object)),
                        "DELETED" => drop(objects.remove(&name)),
                        other => panic!("{what}: {other} {}", event.object),
                    }
                }
                from = at;
            }
        };
        let came = tokio::time::timeout(PATIENCE, wait).await.is_ok();
        assert!(
            came,
            "{what}: waited in vain; last seen: {}",
            serde_json::to_string_pretty(&trimmed(&objects)).unwrap()
        );
        objects
    }

    /// Waits until one object is as it should be.
    pub(crate) async fn until_one(
        &self,
        what: &str,
        collection: &str,
        name: &str,
        right: impl Fn(&Value) -> bool,
    ) -> Value {
        let field = format!("metadata.name={name}");
        let mut found = self
            .until(what, collection, &[("fieldSelector", &field)], |all| {
                all.get(name).is_some_and(&right)
            })
            .await;
        found.remove(name).unwrap()
    }

    /// Waits until an object is gone.
    pub(crate) async fn until_gone(&self, collection: &str, name: &str) {
        let field = format!("metadata.name={name}");
        let what = format!("{name} gone");
        self.until(
            &what,
            collection,
            &[("fieldSelector", &field)],
            Objects::is_empty,
        )
        .await;
    }
}

/// Without what nobody reads.
fn trimmed(objects: &Objects) -> Objects {
    let mut objects = objects.clone();
    for object in objects.values_mut() {
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
    }
    objects
}
