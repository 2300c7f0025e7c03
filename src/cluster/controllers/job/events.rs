//! Events about Jobs, with what the client library of the real controller does to them: the same event again
//! only counts up; from the tenth different message of a reason on, they are combined into one; and a Job
//! gets at most 25 at once and then one more every five minutes.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::cluster::world::World;

/// Who says it.
const COMPONENT: &str = "job-controller";
/// Different messages of a reason from which on they are combined.
const COMBINE_FROM: usize = 10;
/// A reason that nobody heard of for so long starts anew.
const COMBINE_WITHIN: SignedDuration = SignedDuration::from_mins(10);
/// Events of a kind about an object at once.
const BURST: f64 = 25.0;
/// Seconds until there may be one more.
const REFILL: f64 = 300.0;

/// `Normal` or `Warning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tone {
    Normal,
    Warning,
}

/// What has been said about one Job.
#[derive(Debug, Default)]
pub(super) struct Said {
    reasons: BTreeMap<(Tone, String), Reason>,
    events: BTreeMap<(Tone, String, Option<String>), Written>,
    budget: BTreeMap<Tone, Budget>,
}

#[derive(Debug)]
struct Reason {
    messages: BTreeSet<String>,
    last: Timestamp,
}

#[derive(Debug)]
struct Written {
    name: String,
    count: i32,
    first: Timestamp,
}

#[derive(Debug)]
struct Budget {
    left: f64,
    at: Timestamp,
}

impl Said {
    /// The message as it is sent, and the one that it is counted under: none for combined ones.
    fn combine(
        &mut self,
        tone: Tone,
        reason: &str,
        message: &str,
        now: Timestamp,
    ) -> (String, Option<String>) {
        let known = self
            .reasons
            .entry((tone, reason.to_owned()))
            .or_insert_with(|| Reason {
                messages: BTreeSet::new(),
                last: now,
            });
        if now.duration_since(known.last) > COMBINE_WITHIN {
            known.messages.clear();
        }
        known.last = now;
        known.messages.insert(message.to_owned());
        if known.messages.len() < COMBINE_FROM {
            return (message.to_owned(), Some(message.to_owned()));
        }
        known.messages.pop_first();
        (format!("(combined from similar events): {message}"), None)
    }

    fn may_speak(&mut self, tone: Tone, now: Timestamp) -> bool {
        let budget = self.budget.entry(tone).or_insert(Budget {
            left: BURST,
            at: now,
        });
        let more = now.duration_since(budget.at).as_secs_f64() / REFILL;
        budget.left = (budget.left + more).min(BURST);
        budget.at = now;
        let may = budget.left >= 1.0;
        if may {
            budget.left -= 1.0;
        }
        may
    }
}

/// Says something about a Job.
pub(super) fn say(world: &mut World, job: &Job, tone: Tone, reason: &str, message: &str) {
    let metadata = &job.metadata;
    let (now, second) = (world.now(), world.second());
    let uid = metadata.uid.as_deref().unwrap_or_default();
    let job_name = metadata.name.as_deref().unwrap_or_default();
    world.jobs.spoken += 1;
    // Unique also where many are told at one moment.
    let fresh_name = format!(
        "{job_name}.{:x}",
        now.as_nanosecond() + i128::from(world.jobs.spoken)
    );
    let said = &mut world.jobs.record(uid).said;
    let (message, counted_as) = said.combine(tone, reason, message, now);
    let written = said
        .events
        .entry((tone, reason.to_owned(), counted_as))
        .or_insert(Written {
            name: fresh_name,
            count: 0,
            first: second,
        });
    written.count += 1;
    let (name, count, first) = (written.name.clone(), written.count, written.first);
    if !said.may_speak(tone, now) {
        return;
    }
    let mut event = Event {
        count: Some(count),
        first_timestamp: Some(Time(first)),
        involved_object: ObjectReference {
            api_version: Some("batch/v1".to_owned()),
            kind: Some("Job".to_owned()),
            name: metadata.name.clone(),
            namespace: metadata.namespace.clone(),
            resource_version: metadata.resource_version.clone(),
            uid: metadata.uid.clone(),
            ..Default::default()
        },
        last_timestamp: Some(Time(second)),
        message: Some(message),
        reason: Some(reason.to_owned()),
        reporting_component: Some(COMPONENT.to_owned()),
        reporting_instance: Some(String::new()),
        source: Some(EventSource {
            component: Some(COMPONENT.to_owned()),
            host: None,
        }),
        type_: Some(format!("{tone:?}")),
        ..Default::default()
    };
    event.metadata.name = Some(name);
    event.metadata.namespace.clone_from(&metadata.namespace);
    world.stamp(&mut event.metadata);
    world.put(event.into());
}
