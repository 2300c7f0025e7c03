//! Reads, writes and watches records.

use futures::StreamExt as _;
use futures::stream::LocalBoxStream;
use serde_json::json;

use crate::api::names;
use crate::driver::kube::feed::{Change, Start, Target, feed};
use crate::driver::kube::retry::{BUSY, Backoff};
use crate::driver::kube::{Call, Connection, Failure, Resource, Trouble, list};
use crate::driver::record::configmap::{self, ConfigMap, decode};
use crate::driver::record::types::{NewRecord, Record, RecordEvent, WriteError, reference};
use crate::error::{Error, Kind, Result};

/// The records of a namespace.
#[derive(Clone, Debug)]
pub struct Records {
    conn: Connection,
    namespace: String,
}

/// Why a record was not created.
#[derive(Debug)]
pub enum CreateError {
    /// A ConfigMap of that name stands there.
    Exists,
    /// The server refuses.
    Refused(Error),
}

/// What deleting a record does to what it owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// The record goes at once, the garbage collector deletes the rest after it.
    Background,
    /// The record stays until the collector has deleted the rest.
    Foreground,
}

impl Propagation {
    fn as_str(self) -> &'static str {
        match self {
            Self::Background => "Background",
            Self::Foreground => "Foreground",
        }
    }
}

impl Records {
    /// The records of that namespace; calls are as patient as the connection.
    #[must_use]
    pub fn new(conn: &Connection, namespace: &str) -> Self {
        Self {
            conn: conn.clone(),
            namespace: namespace.to_owned(),
        }
    }

    /// The record of that JobSet.
    ///
    /// # Errors
    ///
    /// No contact, no right, a ConfigMap of that name that is no record, a newer format.
    pub async fn get(&self, name: &str) -> Result<Option<Record>> {
        self.read(name)
            .await
            .map_err(|failure| self.conn.error(&failure, &format!("{name} can't be read")))?
            .map(decode)
            .transpose()
    }

    /// All records, of this or all namespaces, by namespace and name. One that can't be read is left
    /// out with a warning ([`Connection::take_warnings`]).
    ///
    /// # Errors
    ///
    /// No contact, no right.
    pub async fn list(&self, all_namespaces: bool) -> Result<Vec<Record>> {
        let namespace = (!all_namespaces).then_some(self.namespace.as_str());
        let call =
            Call::list(Resource::ConfigMaps, namespace).query("labelSelector", names::RECORD_LABEL);
        let listed = list::all::<ConfigMap>(&self.conn, &call)
            .await
            .map_err(|failure| self.conn.error(&failure, "runs can't be listed"))?;
        let mut records = Vec::new();
        for map in listed.items {
            match decode(map) {
                Ok(record) => records.push(record),
                Err(error) => self.conn.warn(error.to_string()),
            }
        }
        records.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
        Ok(records)
    }

    /// Makes a record. After an unclear answer it is looked up: the seat tells whether it is ours.
    ///
    /// # Errors
    ///
    /// See [`CreateError`].
    pub async fn create(&self, new: &NewRecord) -> std::result::Result<Record, CreateError> {
        let name = &new.jobset.metadata.name;
        let what = format!("{} can't be made", reference(name));
        let body = configmap::encode(new);
        let object = names::record_name(name);
        let call = Call::create(
            Resource::ConfigMaps,
            Some(&self.namespace),
            Some(&object),
            &body,
        );
        let mut backoff = Backoff::new(self.conn.patience);
        let mut unclear = false;
        loop {
            let failure = match self.conn.send_once(&call).await {
                Ok(answer) => match answer.json() {
                    Ok(map) => return decode(map).map_err(CreateError::Refused),
                    Err(failure) => failure,
                },
                Err(failure) => failure,
            };
            unclear |= failure.trouble.unclear();
            let taken = failure.trouble == Trouble::AlreadyExists;
            if taken && !unclear {
                return Err(CreateError::Exists);
            }
            if taken || failure.trouble.unclear() {
                let there = self.read(name).await.map_err(|f| self.refused(&f, &what))?;
                match there.map(decode) {
                    Some(Ok(record)) if record.seat == new.seat => return Ok(record),
                    Some(_) => return Err(CreateError::Exists),
                    None => {}
                }
            }
            let passing = match failure.trouble {
                Trouble::AlreadyExists | Trouble::Garbled => BUSY,
                trouble => trouble,
            };
            if !self.conn.again(&mut backoff, passing, &failure).await {
                return Err(self.refused(&failure, &what));
            }
        }
    }

    fn refused(&self, failure: &Failure, what: &str) -> CreateError {
        CreateError::Refused(self.conn.error(failure, what))
    }

    /// Writes state, seat, settings and source at the record's resourceVersion; gives the record with
    /// its new version. The JobSet and the wishes of others are left as they are: they are changed by
    /// [`Self::set_suspend`], [`Self::request_stop`] and [`Self::request_delete`].
    ///
    /// # Errors
    ///
    /// See [`WriteError`]. After an unclear answer the record is read: it was written if it holds our
    /// seat and our state.
    pub async fn replace(&self, record: &Record) -> std::result::Result<Record, WriteError> {
        let patch = configmap::driver_patch(record);
        let wanted = patch["data"].clone();
        let is_written = |map: &ConfigMap| {
            [configmap::STATE_KEY, configmap::DRIVER_KEY]
                .iter()
                .all(|key| map.data.get(*key).map(String::as_str) == wanted[*key].as_str())
        };
        self.write(record, &patch, is_written).await
    }

    async fn write(
        &self,
        record: &Record,
        patch: &serde_json::Value,
        is_written: impl Fn(&ConfigMap) -> bool,
    ) -> std::result::Result<Record, WriteError> {
        if record.resource_version.is_empty() {
            // Without it the write would not be guarded.
            return Err(WriteError::Conflict);
        }
        let name = names::record_name(&record.name);
        let what = format!("{} can't be written", record.reference());
        let call = Call::patch(Resource::ConfigMaps, &record.namespace, &name, patch);
        let mut backoff = Backoff::new(self.conn.patience);
        let mut unclear = false;
        loop {
            let failure = match self.conn.send_once(&call).await {
                Ok(answer) => match answer.json() {
                    Ok(map) => return decode(map).map_err(WriteError::Refused),
                    Err(failure) => failure,
                },
                Err(failure) => failure,
            };
            let refused = |failure: &Failure| WriteError::Refused(self.conn.error(failure, &what));
            match failure.trouble {
                Trouble::NotFound => return Err(WriteError::Gone),
                // A wrong UID is a conflict or an invalid change, by the server's version.
                Trouble::Conflict | Trouble::Invalid => {
                    return match self.read(&record.name).await {
                        Ok(Some(map)) if map.metadata.uid != record.uid => Err(WriteError::Gone),
                        Ok(None) => Err(WriteError::Gone),
                        Ok(Some(map)) if failure.trouble == Trouble::Conflict => {
                            // An earlier try whose answer was lost may be the one in our way.
                            if unclear && is_written(&map) {
                                decode(map).map_err(WriteError::Refused)
                            } else {
                                Err(WriteError::Conflict)
                            }
                        }
                        Ok(Some(_)) => Err(refused(&failure)),
                        Err(failure) => Err(refused(&failure)),
                    };
                }
                _ => {}
            }
            unclear |= failure.trouble.unclear();
            let passing = match failure.trouble {
                Trouble::Garbled => BUSY,
                trouble => trouble,
            };
            if !self.conn.again(&mut backoff, passing, &failure).await {
                return Err(refused(&failure));
            }
        }
    }

    /// The record of that JobSet as it is, then each change; `Gone` whenever it isn't there.
    pub fn watch(&self, name: &str) -> LocalBoxStream<'static, RecordEvent> {
        self.watch_from(name, Start::List)
    }

    /// The changes of that record since it was read. One call less than [`Self::watch`].
    pub fn watch_since(&self, record: &Record) -> LocalBoxStream<'static, RecordEvent> {
        self.watch_from(&record.name, Start::After(record.resource_version.clone()))
    }

    fn watch_from(&self, name: &str, start: Start) -> LocalBoxStream<'static, RecordEvent> {
        let target = Target {
            resource: Resource::ConfigMaps,
            namespace: self.namespace.clone(),
            selector: (
                "fieldSelector",
                format!("metadata.name={}", names::record_name(name)),
            ),
            start,
        };
        feed::<ConfigMap>(&self.conn, target)
            .map(|change| match change {
                Change::Listed(mut maps) => match maps.pop() {
                    Some(map) => seen(map),
                    None => RecordEvent::Gone,
                },
                Change::Applied(map) => seen(map),
                Change::Deleted(_) => RecordEvent::Gone,
                Change::Refused(failure) => RecordEvent::Lost(failure.to_string()),
                Change::Allowed => RecordEvent::Back,
            })
            .boxed_local()
    }

    /// Writes the wish to stop the run, unless somebody already has.
    ///
    /// # Errors
    ///
    /// No such run, no contact, no right.
    pub async fn request_stop(&self, name: &str, by: &str) -> Result<Record> {
        self.change(name, configmap::control_patch, |record| {
            let wish = record.control.stop.is_none();
            record.control.stop.get_or_insert_with(|| by.to_owned());
            wish
        })
        .await
    }

    /// Writes the wish to delete the run, unless somebody already has.
    ///
    /// # Errors
    ///
    /// No such run, no contact, no right.
    pub async fn request_delete(&self, name: &str, by: &str) -> Result<Record> {
        self.change(name, configmap::control_patch, |record| {
            let wish = record.control.delete.is_none();
            record.control.delete.get_or_insert_with(|| by.to_owned());
            wish
        })
        .await
    }

    /// Sets `spec.suspend` of the JobSet in the record.
    ///
    /// # Errors
    ///
    /// No such run, no contact, no right.
    pub async fn set_suspend(&self, name: &str, suspend: bool) -> Result<Record> {
        self.change(name, configmap::jobset_patch, |record| {
            let differs = record.jobset.suspended() != suspend;
            record.jobset.spec.suspend = Some(suspend);
            differs
        })
        .await
    }

    /// Read, change, write guarded; again when somebody else has written meanwhile.
    async fn change(
        &self,
        name: &str,
        patch: impl Fn(&Record) -> serde_json::Value,
        change: impl Fn(&mut Record) -> bool,
    ) -> Result<Record> {
        let mut backoff = Backoff::new(self.conn.patience);
        loop {
            let Some(mut record) = self.get(name).await? else {
                return Err(self.no_such_run(name));
            };
            if !change(&mut record) {
                return Ok(record);
            }
            match self.write(&record, &patch(&record), |_| false).await {
                Ok(written) => return Ok(written),
                Err(WriteError::Gone) => return Err(self.no_such_run(name)),
                Err(WriteError::Refused(error)) => return Err(error),
                Err(WriteError::Conflict) => {
                    if !backoff.wait(BUSY).await {
                        return Err(Error::other(format!(
                            "{} is being written by somebody else all the time",
                            record.reference()
                        )));
                    }
                }
            }
        }
    }

    fn no_such_run(&self, name: &str) -> Error {
        Error::new(
            Kind::NoSuchRun,
            format!("no run {name} in namespace {}", self.namespace),
        )
    }

    /// Deletes the record (that UID only) and with it all it owns. One that is gone is deleted.
    ///
    /// # Errors
    ///
    /// No contact, no right.
    pub async fn delete(&self, record: &Record, propagation: Propagation) -> Result<()> {
        let options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": propagation.as_str(),
            "preconditions": {"uid": record.uid},
        });
        let name = names::record_name(&record.name);
        let call = Call::delete(Resource::ConfigMaps, &record.namespace, &name, &options);
        match self.conn.send(&call).await {
            Ok(_) => Ok(()),
            Err(failure) if failure.trouble == Trouble::NotFound => Ok(()),
            Err(failure) if failure.trouble == Trouble::Conflict => {
                match self.read(&record.name).await {
                    Ok(Some(map)) if map.metadata.uid == record.uid => {
                        Err(self.conn.error(&failure, &what_delete(record)))
                    }
                    Ok(_) => Ok(()),
                    Err(failure) => Err(self.conn.error(&failure, &what_delete(record))),
                }
            }
            Err(failure) => Err(self.conn.error(&failure, &what_delete(record))),
        }
    }

    async fn read(&self, name: &str) -> std::result::Result<Option<ConfigMap>, Failure> {
        let object = names::record_name(name);
        match self
            .conn
            .send(&Call::get(Resource::ConfigMaps, &self.namespace, &object))
            .await
        {
            Ok(answer) => answer.json().map(Some),
            Err(failure) if failure.trouble == Trouble::NotFound => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}

fn what_delete(record: &Record) -> String {
    format!("{} can't be deleted", record.reference())
}

fn seen(map: ConfigMap) -> RecordEvent {
    match decode(map) {
        Ok(record) => RecordEvent::Seen(Box::new(record)),
        Err(error) => RecordEvent::Lost(error.to_string()),
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
