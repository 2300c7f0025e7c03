//! The record as a ConfigMap `<name>-run`: a JSON text per part, so that each part can be written
//! without the others and `kubectl get -o yaml` shows what it is. Pure.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::names;
use crate::driver::kube::slim::{Meta, Watchable};
use crate::driver::record::size;
use crate::driver::record::types::{Control, NewRecord, Record, Seat, Settings, Source, reference};
use crate::error::{Error, Kind, Result};

/// Format of what is below. A reader refuses a greater one instead of guessing.
pub const FORMAT: u32 = 1;

/// Key of the format.
pub const FORMAT_KEY: &str = "format";
/// Key of the JobSet as admitted.
pub const JOBSET_KEY: &str = "jobset.json";
/// Key of the engine's state.
pub const STATE_KEY: &str = "state.json";
/// Key of seat, settings and source.
pub const DRIVER_KEY: &str = "driver.json";
/// Key of other terminals' wishes.
pub const CONTROL_KEY: &str = "control.json";

/// A ConfigMap as read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ConfigMap {
    /// Metadata.
    pub metadata: Meta,
    /// Texts.
    pub data: BTreeMap<String, String>,
}

impl Watchable for ConfigMap {
    fn meta(&self) -> &Meta {
        &self.metadata
    }
}

/// Without a seat it is broken: a driver must not take epoch 0 for granted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    seat: Seat,
    #[serde(default)]
    settings: Settings,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
}

/// The object to create.
#[must_use]
pub fn encode(new: &NewRecord) -> Value {
    let name = &new.jobset.metadata.name;
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": names::record_name(name),
            "namespace": new.namespace,
            "labels": labels(name),
        },
        "data": {
            FORMAT_KEY: FORMAT.to_string(),
            JOBSET_KEY: text(&new.jobset),
            STATE_KEY: text(&*size::fit(&new.state, size::STATE_BYTES)),
            DRIVER_KEY: driver_text(&new.seat, &new.settings, new.source.as_ref()),
            CONTROL_KEY: text(&Control::default()),
        },
    })
}

/// Labels of the record and the Lease.
#[must_use]
pub fn labels(jobset: &str) -> Value {
    json!({
        names::RECORD_LABEL: FORMAT.to_string(),
        names::JOBSET_NAME: jobset,
        names::MANAGED_BY_LABEL: names::MANAGED_BY,
    })
}

/// What a driver writes: its state and its seat, on that UID and version only. The JobSet and the
/// wishes of others are not in it, so they can't be lost by it.
#[must_use]
pub fn driver_patch(record: &Record) -> Value {
    patch(
        record,
        &[
            (
                STATE_KEY,
                text(&*size::fit(&record.state, size::STATE_BYTES)),
            ),
            (
                DRIVER_KEY,
                driver_text(&record.seat, &record.settings, record.source.as_ref()),
            ),
        ],
    )
}

/// What a wish writes.
#[must_use]
pub fn control_patch(record: &Record) -> Value {
    patch(record, &[(CONTROL_KEY, text(&record.control))])
}

/// What a suspension writes.
#[must_use]
pub fn jobset_patch(record: &Record) -> Value {
    patch(record, &[(JOBSET_KEY, text(&record.jobset))])
}

fn patch(record: &Record, data: &[(&str, String)]) -> Value {
    json!({
        "metadata": {"uid": record.uid, "resourceVersion": record.resource_version},
        "data": data.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect::<BTreeMap<_, _>>(),
    })
}

fn driver_text(seat: &Seat, settings: &Settings, source: Option<&Source>) -> String {
    text(&Driver {
        seat: seat.clone(),
        settings: settings.clone(),
        source: source.cloned(),
    })
}

fn text(value: &impl Serialize) -> String {
    // Only maps with keys that are no strings can't be written as JSON; there are none.
    serde_json::to_string(value).unwrap_or_default()
}

/// Reads a record.
///
/// # Errors
///
/// A ConfigMap that is none (kind `InTheWay`), a newer format, a broken part: each names the object.
pub fn decode(map: ConfigMap) -> Result<Record> {
    let ConfigMap { metadata, data } = map;
    let object = format!("configmap/{}", metadata.name);
    let (Some(_), Some(name)) = (&metadata.labels.record, metadata.labels.jobset_name.clone())
    else {
        let owner = metadata.controller().map(|o| format!(", its owner is {o}"));
        return Err(Error::new(
            Kind::InTheWay,
            format!(
                "{object} in namespace {} is not the record of a run{}",
                metadata.namespace,
                owner.unwrap_or_default()
            ),
        ));
    };
    let format = data.get(FORMAT_KEY).map(String::as_str).unwrap_or_default();
    match format.parse::<u32>() {
        Ok(FORMAT) => {}
        Ok(newer) if newer > FORMAT => {
            return Err(Error::other(format!(
                "{object} was written in format {newer}, this version reads format {FORMAT}"
            ))
            .hint("use the newer kubectl-jobset that wrote it"));
        }
        _ => return Err(broken(&object, FORMAT_KEY, format!("`{format}`"))),
    }
    let driver: Driver = part(&object, &data, DRIVER_KEY)?;
    let record = Record {
        jobset: part(&object, &data, JOBSET_KEY)?,
        state: part(&object, &data, STATE_KEY)?,
        control: part(&object, &data, CONTROL_KEY)?,
        seat: driver.seat,
        settings: driver.settings,
        source: driver.source,
        created: metadata
            .creation_timestamp
            .ok_or_else(|| broken(&object, "creationTimestamp", "missing"))?,
        deleting: metadata.deletion_timestamp.is_some(),
        namespace: metadata.namespace,
        uid: metadata.uid,
        resource_version: metadata.resource_version,
        name,
    };
    if reference(&record.name) != object || record.jobset.metadata.name != record.name {
        return Err(broken(
            &object,
            names::JOBSET_NAME,
            "another name than the JobSet's",
        ));
    }
    Ok(record)
}

fn part<T: DeserializeOwned>(
    object: &str,
    data: &BTreeMap<String, String>,
    key: &str,
) -> Result<T> {
    let text = data
        .get(key)
        .ok_or_else(|| broken(object, key, "missing"))?;
    serde_json::from_str(text).map_err(|error| broken(object, key, error))
}

fn broken(object: &str, part: &str, why: impl std::fmt::Display) -> Error {
    Error::other(format!("{object} can't be read as a record")).caused_by(format!("{part}: {why}"))
}
