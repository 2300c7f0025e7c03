//! The world on disk: a line for each change, so that a local run outlives the process that hosts it. Written
//! before a request is answered, as a cluster's own store does. Not synced to the disk itself: it outlives
//! our death, not the machine's.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{ChangeKind, Gone, Key, Restored};
use crate::cluster::world::World;

/// A line. The kind is named by its plural, which is unique among the served kinds.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    /// resourceVersion.
    version: u64,
    resource: String,
    namespace: String,
    name: String,
    /// As it is now; none: gone.
    object: Option<Value>,
}

/// See the module.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// The world's version up to which all is written.
    version: u64,
}

impl Journal {
    /// Reads what a journal holds; nothing where there is none. A last line that was cut by a death is
    /// dropped: its change was never answered.
    ///
    /// # Errors
    /// The file can't be read, or holds something else in its middle.
    pub fn read(path: &Path) -> io::Result<Restored> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Restored::default()),
            Err(error) => return Err(error),
        };
        let mut last: BTreeMap<Key, Value> = BTreeMap::new();
        let mut version = 0;
        let mut broken = None;
        for (number, text) in BufReader::new(file).lines().enumerate() {
            if let Some(number) = broken {
                return Err(invalid(format!("line {number} is broken")));
            }
            let Ok(line) = serde_json::from_str::<Line>(&text?) else {
                broken = Some(number + 1);
                continue;
            };
            let kind = Kind::ALL
                .iter()
                .find(|kind| kind.info().plural == line.resource)
                .ok_or_else(|| invalid(format!("line {}: no such resource", number + 1)))?;
            version = version.max(line.version);
            let key = Key::new(*kind, &line.namespace, &line.name);
            match line.object {
                Some(object) => last.insert(key, object),
                None => last.remove(&key),
            };
        }
        let objects = last
            .into_iter()
            .map(|(key, value)| Object::from_json(key.kind, &value, |_| {}))
            .collect::<serde_json::Result<_>>()?;
        Ok(Restored { objects, version })
    }

    /// Starts a journal with all that a world holds; what was there before is replaced at once, or not at all.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn start(path: &Path, world: &World) -> io::Result<Self> {
        let new = path.with_extension("new");
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .open(&new)?;
        let mut text = Vec::new();
        for kind in Kind::ALL {
            for object in world.store().list(*kind, None) {
                line(&mut text, world.version(), object, false)?;
            }
        }
        file.write_all(&text)?;
        std::fs::rename(&new, path)?;
        Ok(Self {
            file,
            version: world.version(),
        })
    }

    /// Writes what has changed since the last call.
    ///
    /// # Errors
    /// The file can't be written (a full disk), or the world forgets faster than it is asked.
    pub fn append(&mut self, world: &World) -> io::Result<()> {
        if world.version() == self.version {
            return Ok(());
        }
        let mut text = Vec::new();
        for kind in Kind::ALL {
            let changes = world
                .store()
                .changes_after(*kind, self.version)
                .map_err(|Gone { oldest }| invalid(format!("changes before {oldest} are lost")))?;
            for change in changes {
                let gone = change.kind == ChangeKind::Deleted;
                line(&mut text, change.version, &change.object, gone)?;
            }
        }
        self.file.write_all(&text)?;
        self.version = world.version();
        Ok(())
    }
}

fn line(text: &mut Vec<u8>, version: u64, object: &Object, gone: bool) -> io::Result<()> {
    let line = Line {
        version,
        resource: object.kind().info().plural.to_owned(),
        namespace: object.namespace().to_owned(),
        name: object.name().to_owned(),
        object: if gone { None } else { Some(object.to_json()?) },
    };
    serde_json::to_writer(&mut *text, &line)?;
    text.push(b'\n');
    Ok(())
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::world::WorldOptions;
    use k8s_openapi::api::core::v1::ConfigMap;

    fn map(name: &str, value: &str) -> Object {
        let mut map = ConfigMap::default();
        map.metadata.namespace = Some("default".to_owned());
        map.metadata.name = Some(name.to_owned());
        map.metadata.uid = Some(format!("uid-{name}"));
        map.data = Some([("k".to_owned(), value.to_owned())].into());
        map.into()
    }

    fn world() -> World {
        World::new(WorldOptions::new(
            "2026-01-01T00:00:00Z".parse().unwrap(),
            1,
        ))
    }

    #[test]
    fn what_was_written_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("world.jsonl");
        let mut first = world();
        first.put(map("kept", "old"));
        let mut journal = Journal::start(&path, &first).unwrap();
        first.put(map("kept", "new"));
        first.put(map("gone", "x"));
        journal.append(&first).unwrap();
        first.remove(&Key::new(Kind::ConfigMap, "default", "gone"));
        journal.append(&first).unwrap();
        // The last line is cut, as by a death in the middle of it.
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"version\":99,\"reso");
        std::fs::write(&path, text).unwrap();

        let restored = Journal::read(&path).unwrap();
        assert_eq!(restored.version, first.version());
        let mut second = world();
        second.restore(restored);
        let of = |world: &World| {
            let mut all: Vec<Object> = Vec::new();
            for kind in Kind::ALL {
                all.extend(world.store().list(*kind, None).map(|o| {
                    let mut object = Object::clone(o);
                    object.meta_mut().resource_version = None;
                    object
                }));
            }
            all
        };
        assert_eq!(of(&second), of(&first));
        assert!(second.version() > first.version());
    }

    #[test]
    fn a_broken_middle_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("world.jsonl");
        let _ = Journal::start(&path, &world()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("nonsense\n{text}")).unwrap();
        let error = Journal::read(&path).unwrap_err();
        assert!(error.to_string().contains("line 1"), "{error}");
    }

    #[test]
    fn no_journal_is_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let restored = Journal::read(&dir.path().join("none")).unwrap();
        assert!(restored.objects.is_empty());
    }
}
