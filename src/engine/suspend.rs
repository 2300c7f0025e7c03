//! Suspend and resume (spec 10, traps D.7): the wish, the condition, and the part of the template that
//! may have changed meanwhile.
//!
//! `Suspended=True` also is the memory of whose suspension it is: while it stands, suspended Jobs are
//! ours to resume; without it somebody else (a queue) suspended them, and they are left alone
//! (trap D.2.6). So it falls only when the last Job has been resumed.

use k8s_openapi::jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::api::names::{condition, reason};
use crate::api::{JobSet, JobTemplate};
use crate::engine::action::Urgency;
use crate::engine::event::EventKind;
use crate::engine::history;
use crate::engine::run::{Engine, Told};
use crate::engine::startup;
use crate::engine::state::AttemptKind;
use crate::engine::status;

/// Keys of the pod template's metadata that may change while suspended (spec 4).
const METADATA: [&str; 2] = ["labels", "annotations"];
/// Keys of the pod spec that may.
const SPEC: [&str; 3] = ["nodeSelector", "tolerations", "schedulingGates"];
/// Labels and annotations that the tool puts on pods; a template can't change them (spec 2).
const RESERVED: [&str; 2] = ["jobset.sigs.k8s.io/", "alpha.jobset.sigs.k8s.io/"];

impl Engine {
    /// Somebody wants the set suspended, or not.
    pub(super) fn want_suspended(&mut self, wanted: bool) {
        if self.jobset.suspended() != wanted {
            self.jobset.spec.suspend = Some(wanted);
            self.changed = true;
            // The wish itself must be durable before anything is done about it.
            self.touch(Urgency::Now);
        }
    }

    /// The record's JobSet was changed by somebody.
    pub(super) fn spec_changed(&mut self, new: JobSet) {
        if self.jobset.suspended() || new.suspended() {
            let roles = self.jobset.spec.replicated_jobs.iter_mut();
            for (position, role) in roles.enumerate() {
                let Some(newer) = new
                    .spec
                    .replicated_jobs
                    .get(position)
                    .filter(|r| r.name == role.name)
                else {
                    continue;
                };
                let before = role.template.clone();
                let gone = adopt(&mut role.template, &newer.template);
                self.state.template_changed |= before != role.template;
                let stale = self
                    .state
                    .stale_template_keys
                    .entry(role.name.clone())
                    .or_default();
                stale.extend(gone);
                let present = keys(&role.template);
                stale.retain(|k| !present.contains(k));
                if stale.is_empty() {
                    self.state.stale_template_keys.remove(&role.name);
                }
            }
        }
        if self.jobset.suspended() != new.suspended() {
            self.jobset.spec.suspend = new.spec.suspend;
            self.changed = true;
            self.touch(Urgency::Soon);
        }
    }

    /// Keeps the condition, and the history, in step with the wish.
    pub(super) fn follow_suspension(&mut self, now: Timestamp) {
        if self.jobset.suspended() {
            let changed = status::set(
                &mut self.state.status,
                condition::SUSPENDED,
                true,
                reason::SUSPENDED_JOBS,
                "jobset is suspended",
                now,
            );
            if changed {
                if status::find(&self.state.status, condition::RESTARTING).is_some() {
                    status::set_restarting(
                        &mut self.state.status,
                        false,
                        status::JOBSET_SUSPENDED,
                        now,
                    );
                }
                history::close(&mut self.state, None, now);
                self.touch(Urgency::Now);
                self.say(now, EventKind::RunSuspended);
            }
            return;
        }
        if !self.is_suspended() {
            return;
        }
        if self.state.attempts.last().is_none_or(|a| a.ended.is_some()) {
            history::begin(&mut self.state, AttemptKind::Resume, false, now);
            for told in &mut self.told {
                *told = Told::default();
            }
            self.said_turn = None;
            self.falls.clear();
            self.touch(Urgency::Now);
            self.say(now, EventKind::RunResumed);
        }
        let in_order = startup::in_order(&self.jobset);
        // The look at every Job comes last: by then it happens once or twice.
        let resumed = self.view.suspended.is_empty()
            && (!in_order || (0..self.view.roles.len()).all(|r| self.view.started(r)))
            && !self.resuming();
        if resumed && self.gate_open() {
            status::set(
                &mut self.state.status,
                condition::SUSPENDED,
                false,
                reason::RESUME_JOBS,
                "jobset is resumed",
                now,
            );
            self.touch(Urgency::Soon);
        }
    }

    /// What a Job's pod template must be changed to on resume: nothing if it can't differ. Keys that
    /// were taken out of the spec are taken out of the Job as well (C23).
    pub(super) fn template_patch(&self, role: usize) -> Option<Value> {
        if !self.state.template_changed {
            return None;
        }
        let spec = &self.jobset.spec.replicated_jobs[role];
        let none = std::collections::BTreeSet::new();
        let stale = self
            .state
            .stale_template_keys
            .get(&spec.name)
            .unwrap_or(&none);
        patch(&spec.template, stale.iter().map(String::as_str))
    }
}

/// Copies the part that may change; the keys that are gone (`labels/lane`, `tolerations`).
fn adopt(ours: &mut JobTemplate, newer: &JobTemplate) -> Vec<String> {
    let before = keys(ours);
    if let Some(template) = ours.0.pointer_mut("/spec/template") {
        let part = |key: &str| newer.0.pointer(&format!("/spec/template/{key}"));
        for (place, list) in [("metadata", &METADATA[..]), ("spec", &SPEC[..])] {
            for key in list {
                let value = part(&format!("{place}/{key}")).cloned();
                let Some(object) = template.as_object_mut() else {
                    continue;
                };
                match value {
                    Some(value) => {
                        let holder = object.entry(place).or_insert_with(|| json!({}));
                        if let Some(holder) = holder.as_object_mut() {
                            holder.insert((*key).to_owned(), value);
                        }
                    }
                    None => {
                        if let Some(holder) = object.get_mut(place).and_then(Value::as_object_mut) {
                            holder.remove(*key);
                        }
                    }
                }
            }
        }
    }
    let after = keys(ours);
    before.into_iter().filter(|k| !after.contains(k)).collect()
}

/// What is set of the part that may change, as paths.
fn keys(template: &JobTemplate) -> Vec<String> {
    let mut found = Vec::new();
    for (place, list) in [("metadata", &METADATA[..]), ("spec", &SPEC[..])] {
        for key in list {
            match template.0.pointer(&format!("/spec/template/{place}/{key}")) {
                Some(Value::Object(map)) => {
                    found.extend(map.keys().map(|k| format!("{place}|{key}|{k}")));
                }
                Some(_) => found.push(format!("{place}|{key}")),
                None => {}
            }
        }
    }
    found
}

/// A merge patch for a Job's `spec.template`.
fn patch<'a>(template: &JobTemplate, stale: impl Iterator<Item = &'a str>) -> Option<Value> {
    let mut out: BTreeMapOfMaps = BTreeMapOfMaps::new();
    for path in stale {
        let mut parts = path.splitn(3, '|');
        let (Some(place), Some(key)) = (parts.next(), parts.next()) else {
            continue;
        };
        let holder = out.entry(place.to_owned()).or_default();
        match parts.next() {
            Some(name) if !reserved(name) => {
                let map = holder.entry(key).or_insert_with(|| json!({}));
                if let Some(map) = map.as_object_mut() {
                    map.insert(name.to_owned(), Value::Null);
                }
            }
            Some(_) => {}
            None => {
                holder.insert(key.to_owned(), Value::Null);
            }
        }
    }
    for (place, list) in [("metadata", &METADATA[..]), ("spec", &SPEC[..])] {
        for key in list {
            let Some(value) = template.0.pointer(&format!("/spec/template/{place}/{key}")) else {
                continue;
            };
            let holder = out.entry(place.to_owned()).or_default();
            match value {
                Value::Object(map) => {
                    let target = holder.entry(*key).or_insert_with(|| json!({}));
                    if let Some(target) = target.as_object_mut() {
                        for (k, v) in map.iter().filter(|(k, _)| !reserved(k)) {
                            target.insert(k.clone(), v.clone());
                        }
                    }
                }
                other => {
                    holder.insert((*key).to_owned(), other.clone());
                }
            }
        }
    }
    let out: Map<String, Value> = out
        .into_iter()
        .map(|(place, mut holder)| {
            holder.retain(|_, v| v.as_object().is_none_or(|m| !m.is_empty()));
            (place, holder)
        })
        .filter(|(_, holder)| !holder.is_empty())
        .map(|(place, holder)| (place, Value::Object(holder)))
        .collect();
    (!out.is_empty()).then_some(Value::Object(out))
}

type BTreeMapOfMaps = std::collections::BTreeMap<String, Map<String, Value>>;

fn reserved(key: &str) -> bool {
    RESERVED.iter().any(|prefix| key.starts_with(prefix))
}
