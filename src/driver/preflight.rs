//! Before anything is made: are we allowed to, is anything in the way, does the server take what would
//! be made. All at once, with few requests: one for all rights, one per distinct object as a dry run
//! (which also finds what stands under its name), one page per 500 Jobs of the namespace for the names
//! of the others. A refusal leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use futures::stream;
use serde_json::Value;

use crate::driver::kube::retry::IN_FLIGHT;
use crate::driver::kube::rights::{self, Missing, NEEDS};
use crate::driver::kube::slim::{Bare, Meta, Page};
use crate::driver::kube::{Call, Connection, Failure, Resource, Trouble, list};
use crate::error::{Error, Kind, Result};

/// UID that objects of a dry run name as their owner's: the record doesn't exist yet, and the server
/// doesn't look it up.
pub const DRY_RUN_UID: &str = "00000000-0000-0000-0000-000000000000";

/// `--validate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// Unknown fields are refused.
    #[default]
    Strict,
    /// They are warned of.
    Warn,
    /// They are let pass.
    Ignore,
}

impl FieldValidation {
    fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "Strict",
            Self::Warn => "Warn",
            Self::Ignore => "Ignore",
        }
    }
}

/// What would be made. Owners are given as [`DRY_RUN_UID`].
#[derive(Debug)]
pub struct Objects<'a> {
    /// The record.
    pub record: &'a Value,
    /// The Lease.
    pub lease: &'a Value,
    /// The headless Service, if there is one.
    pub service: Option<&'a Value>,
    /// One Job per role, with the role.
    pub jobs: &'a [(String, Value)],
    /// Names of all Jobs.
    pub job_names: &'a [String],
}

/// How the checks came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// All is well.
    Clear(Preflight),
    /// An object stands under the record's name: whether it is a run, and which, is told by reading it.
    RecordStands,
}

/// All is well; what else was found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preflight {
    /// Sentences for people.
    pub notes: Vec<String>,
    /// Logs of pods may be read.
    pub logs: bool,
    /// Events may be read.
    pub events: bool,
    /// JobSet's own API group is served: its controller may be installed.
    pub jobset_served: bool,
}

/// Checks everything at once.
///
/// # Errors
///
/// Unless the record stands, in this order: rights that are missing (all of them named, kind `NotAllowed`); objects in the way,
/// with their owners (kind `InTheWay`); what the server refuses to take (kind `Manifest`, or `NotAllowed`
/// for what a quota or a policy refuses); no contact.
pub async fn check(
    conn: &Connection,
    namespace: &str,
    objects: &Objects<'_>,
    validate: FieldValidation,
) -> Result<Checked> {
    let (missing, names, tried, jobset_served) = futures::join!(
        rights::missing(conn, namespace, &NEEDS),
        taken_names(conn, namespace, objects.job_names),
        dry_runs(conn, namespace, objects, validate),
        jobset_served(conn),
    );
    if record_stands(conn, namespace, &tried).await {
        return Ok(Checked::RecordStands);
    }
    let missing = missing.map_err(|f| conn.error(&f, "rights can't be checked"))?;
    if let Some(error) = not_allowed(&missing, namespace) {
        return Err(error);
    }
    let mut found = Found::default();
    for meta in names.map_err(|f| conn.error(&f, "the names of jobs can't be checked"))? {
        found.stands(Resource::Jobs, &meta);
    }
    for (object, answer) in tried {
        found.tried(conn, namespace, &object, answer).await?;
    }
    if let Some(error) = found.in_the_way(namespace) {
        return Err(error);
    }
    if let Some(error) = found.refused(conn) {
        return Err(error);
    }
    let lacks = |resource| missing.iter().any(|m| m.resource == resource);
    let mut preflight = Preflight {
        notes: found.notes,
        logs: !lacks(Resource::PodLog),
        events: !lacks(Resource::Events),
        jobset_served,
    };
    for m in &missing {
        preflight.notes.push(format!(
            "no right to {} {}: {}",
            m.verb,
            m.resource,
            lost(*m)
        ));
    }
    if jobset_served {
        preflight.notes.push(
            "JobSet's API is served here: an installed controller leaves this run alone, but its \
             webhooks see its pods"
                .to_owned(),
        );
    }
    Ok(Checked::Clear(preflight))
}

/// Whether an object stands under the record's name. It is asked for whatever the dry run was refused
/// for: a quota hides what stands under a name.
async fn record_stands(conn: &Connection, namespace: &str, tried: &[Attempt]) -> bool {
    let refused = tried.iter().find_map(|(object, answer)| {
        let failure = answer.as_ref().err()?;
        (object.resource == Resource::ConfigMaps && !failure.trouble.passes()).then_some(object)
    });
    let Some(object) = refused else { return false };
    // Where it can't be read either, the checks below say why.
    matches!(
        look(conn, object.resource, namespace, &object.name).await,
        Ok(Some(_))
    )
}

/// What a right that is not a must is for.
fn lost(missing: Missing) -> &'static str {
    match missing.resource {
        Resource::PodLog => "logs are neither shown nor kept",
        _ => "pods that are refused are not explained",
    }
}

fn not_allowed(missing: &[Missing], namespace: &str) -> Option<Error> {
    let mut verbs: BTreeMap<Resource, Vec<&str>> = BTreeMap::new();
    for m in missing.iter().filter(|m| m.must) {
        verbs.entry(m.resource).or_default().push(m.verb);
    }
    if verbs.is_empty() {
        return None;
    }
    let list: Vec<_> = verbs
        .iter()
        .map(|(resource, verbs)| format!("{} {resource}", verbs.join(", ")))
        .collect();
    Some(
        Error::new(
            Kind::NotAllowed,
            format!("not allowed in namespace {namespace}: {}", list.join("; ")),
        )
        .hint("the README has a Role with all that is needed (examples/role.yaml)"),
    )
}

/// Jobs that stand under our names. With few names each is asked for, else the namespace's Jobs are
/// listed, metadata only.
async fn taken_names(
    conn: &Connection,
    namespace: &str,
    names: &[String],
) -> std::result::Result<Vec<Meta>, Failure> {
    if names.len() <= ASK_EACH {
        return each(conn, namespace, names).await;
    }
    let call = Call::list(Resource::Jobs, Some(namespace)).metadata_only();
    let first: Page<Bare> = conn
        .send(&call.clone().query("limit", list::PAGE.to_string()))
        .await?
        .json()?;
    let more = first.metadata.remaining_item_count.unwrap_or(0);
    if more / u64::from(list::PAGE) > u64::try_from(names.len()).unwrap_or(u64::MAX) {
        return each(conn, namespace, names).await;
    }
    let there = if first.metadata.continue_.is_empty() {
        first.items.unwrap_or_default()
    } else {
        list::all::<Bare>(conn, &call).await?.items
    };
    let ours: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    Ok(there
        .into_iter()
        .map(|bare| bare.metadata)
        .filter(|meta| ours.contains(meta.name.as_str()))
        .collect())
}

/// So many names are asked for one by one: as quick as one list, whatever else is in the namespace.
const ASK_EACH: usize = 4;

async fn each(
    conn: &Connection,
    namespace: &str,
    names: &[String],
) -> std::result::Result<Vec<Meta>, Failure> {
    let answers: Vec<_> = stream::iter(names)
        .map(|name| look(conn, Resource::Jobs, namespace, name))
        .buffered(IN_FLIGHT)
        .collect()
        .await;
    let mut found = Vec::new();
    for answer in answers {
        found.extend(answer?);
    }
    Ok(found)
}

async fn look(
    conn: &Connection,
    resource: Resource,
    namespace: &str,
    name: &str,
) -> std::result::Result<Option<Meta>, Failure> {
    match conn
        .send(&Call::get(resource, namespace, name).metadata_only())
        .await
    {
        Ok(answer) => Ok(Some(answer.json::<Bare>()?.metadata)),
        Err(failure) if failure.trouble == Trouble::NotFound => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// One object of the dry run.
#[derive(Clone, Debug)]
struct Tried {
    resource: Resource,
    name: String,
    role: Option<String>,
}

impl Tried {
    /// `role worker (job/train-worker-0)`, `service/train`.
    fn title(&self) -> String {
        let object = format!("{}/{}", self.resource.word(), self.name);
        match &self.role {
            Some(role) => format!("role {role} ({object})"),
            None => object,
        }
    }
}

/// An object, and what the server said to it.
type Attempt = (Tried, std::result::Result<(), Failure>);

async fn dry_runs(
    conn: &Connection,
    namespace: &str,
    objects: &Objects<'_>,
    validate: FieldValidation,
) -> Vec<Attempt> {
    let all = [
        (Resource::ConfigMaps, None, Some(objects.record)),
        (Resource::Leases, None, Some(objects.lease)),
        (Resource::Services, None, objects.service),
    ]
    .into_iter()
    .chain(
        objects
            .jobs
            .iter()
            .map(|(role, job)| (Resource::Jobs, Some(role.clone()), Some(job))),
    )
    .filter_map(|(resource, role, body)| Some((resource, role, body?)));
    stream::iter(all)
        .map(|(resource, role, body)| async move {
            let name = body["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            let call = Call::create(resource, Some(namespace), Some(&name), body)
                .metadata_only()
                .query("dryRun", "All")
                .query("fieldValidation", validate.as_str());
            // A dry run leaves nothing behind, so it may be repeated.
            let answer = conn.send(&call).await.map(|_| ());
            (
                Tried {
                    resource,
                    name,
                    role,
                },
                answer,
            )
        })
        .buffered(IN_FLIGHT)
        .collect()
        .await
}

/// Whether JobSet's own API group is served. Not knowing is no.
async fn jobset_served(conn: &Connection) -> bool {
    conn.send_once(&Call::read(Resource::JobSetGroup))
        .await
        .is_ok()
}

/// What was found.
#[derive(Debug, Default)]
struct Found {
    /// Title and owner, by title.
    in_the_way: BTreeMap<String, Option<String>>,
    refused: Vec<(Tried, Failure)>,
    notes: Vec<String>,
    going: usize,
}

impl Found {
    /// An object stands under one of our names. One that is on its way out is not in the way: its name
    /// is waited for.
    fn stands(&mut self, resource: Resource, meta: &Meta) {
        if meta.deletion_timestamp.is_some() {
            self.going += 1;
            if self.going == 1 {
                self.notes.push(format!(
                    "{}/{} and what else is being deleted under our names is waited for",
                    resource.word(),
                    meta.name
                ));
            }
            return;
        }
        self.in_the_way.insert(
            format!("{}/{}", resource.word(), meta.name),
            meta.controller(),
        );
    }

    async fn tried(
        &mut self,
        conn: &Connection,
        namespace: &str,
        object: &Tried,
        answer: std::result::Result<(), Failure>,
    ) -> Result<()> {
        let Err(failure) = answer else { return Ok(()) };
        match failure.trouble {
            // Jobs are found by their names.
            Trouble::AlreadyExists if object.resource == Resource::Jobs => {}
            Trouble::AlreadyExists => {
                let there = look(conn, object.resource, namespace, &object.name)
                    .await
                    .map_err(|f| conn.error(&f, &format!("{} can't be read", object.title())))?;
                if let Some(meta) = there {
                    self.stands(object.resource, &meta);
                }
            }
            _ if is_no_dry_run(&failure) => self.notes.push(format!(
                "the server can't try {} beforehand: {}",
                object.title(),
                failure.message
            )),
            _ => self.refused.push((object.clone(), failure)),
        }
        Ok(())
    }

    fn in_the_way(&self, namespace: &str) -> Option<Error> {
        if self.in_the_way.is_empty() {
            return None;
        }
        let all: Vec<_> = self
            .in_the_way
            .iter()
            .map(|(object, owner)| match owner {
                Some(owner) => format!("{object} (owner {owner})"),
                None => format!("{object} (no owner)"),
            })
            .collect();
        let mut shown = all
            .iter()
            .take(SHOWN)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        if all.len() > SHOWN {
            shown = format!("{shown} and {} more", all.len() - SHOWN);
        }
        Some(
            Error::new(
                Kind::InTheWay,
                format!("in the way in namespace {namespace}: {shown}"),
            )
            .hint("delete what is in the way, or use another name: --name"),
        )
    }

    fn refused(&mut self, conn: &Connection) -> Option<Error> {
        let refused = std::mem::take(&mut self.refused);
        let (first, failure) = refused.first()?;
        if failure.trouble.passes() || failure.trouble == Trouble::Garbled {
            return Some(conn.error(failure, &format!("{} can't be tried", first.title())));
        }
        // What is refused with 403 although we have the right is refused by a quota or a policy.
        let kind = if refused.iter().all(|(_, f)| f.trouble == Trouble::Forbidden) {
            Kind::NotAllowed
        } else {
            Kind::Manifest
        };
        let mut error = Error::new(
            kind,
            match refused.len() {
                1 => format!("the server refuses {}", first.title()),
                n => format!("the server refuses {n} objects"),
            },
        );
        for (object, failure) in &refused {
            let reason = &failure.message;
            error = error.caused_by(if refused.len() == 1 {
                reason.clone()
            } else {
                format!("{}: {reason}", object.title())
            });
        }
        Some(error)
    }
}

/// Objects in the way that are named; a set of 1,000 Jobs would fill the screen.
const SHOWN: usize = 10;

/// A webhook with side effects can't be tried; nothing but the text tells.
fn is_no_dry_run(failure: &Failure) -> bool {
    failure.code == 400 && failure.message.contains("does not support dry run")
}

#[cfg(test)]
#[path = "preflight_tests.rs"]
mod tests;
