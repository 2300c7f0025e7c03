//! All objects by kind, namespace and name; the resourceVersion; a bounded history of changes for watches.
//! It knows nothing of what an object means: whoever writes says what is to be there.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::cluster::object::{Kind, Object};

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Kind.
    pub kind: Kind,
    /// Namespace; empty for a kind without.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl Key {
    /// A key.
    #[must_use]
    pub fn new(kind: Kind, namespace: &str, name: &str) -> Self {
        Self {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
    /// Of an object.
    #[must_use]
    pub fn of(object: &Object) -> Self {
        Self::new(object.kind(), object.namespace(), object.name())
    }
}

/// What a watch tells of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// It was there.
    Modified,
    /// It is gone; the object is as it was last, with the version of its removal.
    Deleted,
}

/// A change of an object.
#[derive(Clone, Debug)]
pub struct Change {
    /// resourceVersion of the change.
    pub version: u64,
    /// What happened.
    pub kind: ChangeKind,
    /// As it is now.
    pub object: Arc<Object>,
    /// As it was before: a selector that stops matching is told as a deletion.
    pub previous: Option<Arc<Object>>,
}

/// A version that the history no longer reaches back to: 410.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Oldest version that can still be watched from.
    pub oldest: u64,
}

/// Changes kept for each kind where nothing else is said; etcd keeps five minutes.
pub const HISTORY: usize = 10_000;

/// What another store held, to be put back.
#[derive(Debug, Default)]
pub struct Restored {
    /// The objects, by kind.
    pub objects: Vec<Object>,
    /// The newest resourceVersion.
    pub version: u64,
}

type Objects = BTreeMap<(String, String), Arc<Object>>;

/// See the module.
#[derive(Debug)]
pub struct Store {
    version: u64,
    objects: BTreeMap<Kind, Objects>,
    by_uid: BTreeMap<String, Key>,
    history: BTreeMap<Kind, VecDeque<Change>>,
    /// Newest version that was dropped from a kind's history.
    forgotten: BTreeMap<Kind, u64>,
    keep: usize,
}

impl Store {
    /// An empty one that keeps `keep` changes of each kind.
    #[must_use]
    pub fn new(keep: usize) -> Self {
        Self {
            version: 1,
            objects: BTreeMap::new(),
            by_uid: BTreeMap::new(),
            history: BTreeMap::new(),
            forgotten: BTreeMap::new(),
            keep,
        }
    }

    /// Goes on counting from `version`, if that is ahead.
    pub fn skip_to(&mut self, version: u64) {
        self.version = self.version.max(version);
    }

    /// The newest resourceVersion.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// An object.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Arc<Object>> {
        // Two strings for a look-up: cheap beside what comes after it.
        self.objects
            .get(&key.kind)?
            .get(&(key.namespace.clone(), key.name.clone()))
    }

    /// An object by its UID.
    #[must_use]
    pub fn by_uid(&self, uid: &str) -> Option<&Arc<Object>> {
        self.get(self.by_uid.get(uid)?)
    }

    /// Objects of a kind, by namespace and name; all namespaces where none is given.
    pub fn list<'a>(
        &'a self,
        kind: Kind,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Arc<Object>> + 'a {
        let from = (namespace.unwrap_or_default().to_owned(), String::new());
        self.objects
            .get(&kind)
            .into_iter()
            .flat_map(move |objects| objects.range(from.clone()..))
            .take_while(move |((ns, _), _)| namespace.is_none_or(|wanted| ns == wanted))
            .map(|(_, object)| object)
    }

    /// Puts an object in its place with a new resourceVersion, and keeps the change.
    pub fn put(&mut self, mut object: Object) -> Change {
        self.version += 1;
        object.meta_mut().resource_version = Some(self.version.to_string());
        let key = Key::of(&object);
        let object = Arc::new(object);
        self.by_uid.insert(object.uid().to_owned(), key.clone());
        let previous = self
            .objects
            .entry(key.kind)
            .or_default()
            .insert((key.namespace, key.name), Arc::clone(&object));
        let kind = if previous.is_some() {
            ChangeKind::Modified
        } else {
            ChangeKind::Added
        };
        self.remember(Change {
            version: self.version,
            kind,
            object,
            previous,
        })
    }

    /// Takes an object away. None: it was not there.
    pub fn remove(&mut self, key: &Key) -> Option<Change> {
        let previous = self
            .objects
            .get_mut(&key.kind)?
            .remove(&(key.namespace.clone(), key.name.clone()))?;
        self.by_uid.remove(previous.uid());
        self.version += 1;
        let mut last = Object::clone(&previous);
        last.meta_mut().resource_version = Some(self.version.to_string());
        Some(self.remember(Change {
            version: self.version,
            kind: ChangeKind::Deleted,
            object: Arc::new(last),
            previous: Some(previous),
        }))
    }

    fn remember(&mut self, change: Change) -> Change {
        let kind = change.object.kind();
        let history = self.history.entry(kind).or_default();
        history.push_back(change.clone());
        if history.len() > self.keep
            && let Some(dropped) = history.pop_front()
        {
            self.forgotten.insert(kind, dropped.version);
        }
        change
    }

    /// Changes of a kind after a version, oldest first.
    ///
    /// # Errors
    /// The history doesn't reach back that far.
    pub fn changes_after(
        &self,
        kind: Kind,
        version: u64,
    ) -> Result<impl Iterator<Item = &Change> + '_, Gone> {
        if let Some(forgotten) = self.forgotten.get(&kind)
            && version < *forgotten
        {
            return Err(Gone { oldest: *forgotten });
        }
        let history = self.history.get(&kind);
        let from = history.map_or(0, |h| h.partition_point(|c| c.version <= version));
        Ok(history.into_iter().flat_map(move |h| h.range(from..)))
    }

    /// Forgets what everybody has seen: the changes of all kinds up to a version.
    pub fn forget(&mut self, version: u64) {
        for (kind, history) in &mut self.history {
            while let Some(first) = history.front().filter(|c| c.version <= version) {
                self.forgotten.insert(*kind, first.version);
                history.pop_front();
            }
        }
    }

    /// Forgets the history of a kind, as a compaction does: watches from before get 410.
    pub fn compact(&mut self, kind: Kind) {
        self.history.remove(&kind);
        self.forgotten.insert(kind, self.version);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::ConfigMap;

    fn map(namespace: &str, name: &str) -> Object {
        let mut map = ConfigMap::default();
        map.metadata.namespace = Some(namespace.to_owned());
        map.metadata.name = Some(name.to_owned());
        map.metadata.uid = Some(format!("{namespace}-{name}"));
        map.into()
    }

    #[test]
    fn versions_grow_and_changes_are_kept() {
        let mut store = Store::new(2);
        let first = store.put(map("a", "x")).version;
        let _ = store.put(map("b", "x"));
        assert_eq!(store.list(Kind::ConfigMap, None).count(), 2);
        assert_eq!(store.list(Kind::ConfigMap, Some("a")).count(), 1);
        assert_eq!(store.changes_after(Kind::ConfigMap, 0).unwrap().count(), 2);
        let gone = store.remove(&Key::new(Kind::ConfigMap, "a", "x")).unwrap();
        assert_eq!(gone.kind, ChangeKind::Deleted);
        assert!(store.by_uid("a-x").is_none());
        let kinds: Vec<_> = store
            .changes_after(Kind::ConfigMap, first)
            .unwrap()
            .map(|c| c.kind)
            .collect();
        assert_eq!(kinds, [ChangeKind::Added, ChangeKind::Deleted]);
        assert_eq!(
            store.changes_after(Kind::ConfigMap, 0).err(),
            Some(Gone { oldest: first })
        );
        store.forget(first + 1);
        let left = store.changes_after(Kind::ConfigMap, first + 1).unwrap();
        assert_eq!(left.count(), 1, "what was not seen is still there");
        assert!(store.changes_after(Kind::ConfigMap, first).is_err());
    }
}
