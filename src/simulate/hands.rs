//! The engine's actions as requests to the world, by a user with a namespaced Role, and the answers in
//! the engine's words. Pure. It sends what the real driver sends (`driver::kube::apply`, `delete`), and
//! can be told to have requests refused or their answers lost.

use serde_json::{Value, json};

use crate::api::JobSet;
use crate::cluster::api::{
    Answer, Body, DeleteOptions, Patch, Propagation, Request, Status, Subresource, Verb,
    WriteOptions,
};
use crate::cluster::object::Kind;
use crate::cluster::world::World;
use crate::driver::kube::slim::{Bare, Meta};
use crate::engine::Action;
use crate::engine::build::{self, Identity, JobBuilder, OwnerRef};
use crate::engine::input::ActionResult;

/// Tries of a write that meets a conflict or a busy server: the real driver tries for as long as it lives,
/// in the world nothing changes between two tries but what another request did.
const TRIES: u32 = 3;

/// A create that the server is told to refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the object.
    pub name: String,
    /// HTTP code.
    pub code: u16,
    /// `Status.reason`.
    pub reason: String,
    /// `Status.message`.
    pub message: String,
}

/// See the module.
#[derive(Debug)]
pub struct Hands {
    user: String,
    namespace: String,
    identity: Identity,
    jobs: JobBuilder,
    service: Option<Value>,
    /// Creates that are refused.
    pub refuse: Vec<Refusal>,
    /// Creates whose next answer is lost: the driver finds the object when it asks again.
    pub unclear: Vec<String>,
}

impl Hands {
    /// For the run of that record.
    #[must_use]
    pub fn new(user: &str, namespace: &str, jobset: &JobSet, owner: OwnerRef) -> Self {
        let identity = Identity {
            run_uid: owner.uid.clone(),
            owner,
        };
        Self {
            user: user.to_owned(),
            namespace: namespace.to_owned(),
            jobs: JobBuilder::new(jobset, namespace, Some(&identity)),
            service: build::service(jobset, namespace, Some(&identity)),
            identity,
            refuse: Vec::new(),
            unclear: Vec::new(),
        }
    }

    /// The JobSet in the record was changed: Jobs are built from it from now on.
    pub fn rebuild(&mut self, jobset: &JobSet) {
        self.jobs = JobBuilder::new(jobset, &self.namespace, Some(&self.identity));
    }

    /// Carries out an action (all but `KeepEvidence`, which is not about objects).
    pub fn perform(&mut self, world: &mut World, action: &Action) -> ActionResult {
        match action {
            Action::CreateService => match self.service.clone() {
                Some(service) => self.create(world, Kind::Service, service),
                None => impossible("service"),
            },
            Action::CreateJob {
                role,
                index,
                restarts,
                job_restarts,
                suspend,
            } => {
                let job = self
                    .jobs
                    .job(*role, *index, *restarts, *job_restarts, *suspend);
                match job {
                    Some(job) => self.create(world, Kind::Job, job),
                    None => impossible("job"),
                }
            }
            Action::DeleteJob { name, uid, .. } => {
                let options = DeleteOptions {
                    propagation: Some(Propagation::Foreground),
                    uid: Some(uid.clone()),
                    ..DeleteOptions::default()
                };
                self.on_uid(world, name, uid, None, Verb::Delete(options))
            }
            Action::SuspendJob { name, uid } => {
                let patch = json!({"metadata": {"uid": uid}, "spec": {"suspend": true}});
                self.on_uid(world, name, uid, None, merge(patch))
            }
            Action::ResumeJob {
                name,
                uid,
                clear_start_time,
                template,
            } => {
                if *clear_start_time {
                    let patch = json!({"metadata": {"uid": uid}, "status": {"startTime": null}});
                    let status = Some(Subresource::Status);
                    match self.on_uid(world, name, uid, status, merge(patch)) {
                        ActionResult::Ok { .. } => {}
                        other => return other,
                    }
                }
                let mut patch = json!({"metadata": {"uid": uid}, "spec": {"suspend": false}});
                if let Some(template) = template {
                    patch["spec"]["template"] = template.clone();
                }
                self.on_uid(world, name, uid, None, merge(patch))
            }
            Action::KeepEvidence { .. } => ActionResult::Ok { uid: None },
        }
    }

    fn request(&self, kind: Kind, name: Option<&str>, verb: Verb) -> Request {
        Request {
            user: self.user.clone(),
            kind,
            namespace: Some(self.namespace.clone()),
            name: name.map(str::to_owned),
            subresource: None,
            verb,
        }
    }

    fn create(&mut self, world: &mut World, kind: Kind, body: Value) -> ActionResult {
        let wanted = serde_json::from_value::<Bare>(json!({"metadata": body["metadata"]}));
        let wanted = match wanted {
            Ok(wanted) => wanted.metadata,
            Err(error) => return impossible(&error.to_string()),
        };
        if let Some(refusal) = self.refuse.iter().find(|r| r.name == wanted.name) {
            return ActionResult::Refused {
                code: refusal.code,
                reason: refusal.reason.clone(),
                message: refusal.message.clone(),
            };
        }
        let verb = Verb::Create(WriteOptions::default(), body);
        let status = match world.call(&self.request(kind, None, verb)) {
            Ok(answer) => match self.unclear.iter().position(|name| *name == wanted.name) {
                Some(lost) => {
                    self.unclear.remove(lost);
                    return self.there(world, kind, &wanted);
                }
                None => return ActionResult::Ok { uid: uid(&answer) },
            },
            Err(status) => status,
        };
        if status.reason == "AlreadyExists" {
            return self.there(world, kind, &wanted);
        }
        refused(status)
    }

    /// What stands under a name that was to be ours.
    fn there(&self, world: &mut World, kind: Kind, wanted: &Meta) -> ActionResult {
        match self.look(world, kind, &wanted.name) {
            Ok(Some(there)) => ActionResult::Exists {
                ours: mark(&there) == mark(wanted),
                deleting: there.deletion_timestamp.is_some(),
                uid: there.uid,
            },
            Ok(None) => ActionResult::NotFound,
            Err(status) => refused(status),
        }
    }

    fn look(&self, world: &mut World, kind: Kind, name: &str) -> Result<Option<Meta>, Status> {
        match world.call(&self.request(kind, Some(name), Verb::Get)) {
            Ok(Answer {
                body: Body::Object(object),
                ..
            }) => Ok(Some(object.meta().into())),
            Ok(_) => Ok(None),
            Err(status) if status.code == 404 => Ok(None),
            Err(status) => Err(status),
        }
    }

    /// A call that is bound to the UID of a Job.
    fn on_uid(
        &self,
        world: &mut World,
        name: &str,
        uid: &str,
        subresource: Option<Subresource>,
        verb: Verb,
    ) -> ActionResult {
        let request = Request {
            subresource,
            ..self.request(Kind::Job, Some(name), verb)
        };
        for _ in 0..TRIES {
            let Err(status) = world.call(&request) else {
                return ActionResult::Ok { uid: None };
            };
            match status.code {
                404 => return ActionResult::NotFound,
                409 | 422 => match self.look(world, Kind::Job, name) {
                    Ok(Some(there)) if there.uid == uid && status.code == 409 => {}
                    Ok(Some(there)) if there.uid == uid => return refused(status),
                    Ok(_) => return ActionResult::NotFound,
                    Err(status) => return refused(status),
                },
                _ => return refused(status),
            }
        }
        impossible("write that does not meet a conflict")
    }
}

fn merge(patch: Value) -> Verb {
    Verb::Patch(WriteOptions::default(), Patch::Merge(patch))
}

fn uid(answer: &Answer) -> Option<String> {
    match &answer.body {
        Body::Object(object) => Some(object.uid().to_owned()),
        _ => None,
    }
}

/// What tells our object from another one of the same name: its owner and, for a Job, its attempt.
fn mark(meta: &Meta) -> (Option<&str>, Option<&str>, Option<&str>) {
    (
        meta.owner_references
            .iter()
            .find(|owner| owner.controller)
            .map(|owner| owner.uid.as_str()),
        meta.labels.restart_attempt.as_deref(),
        meta.labels.job_restart_attempt.as_deref(),
    )
}

fn refused(status: Status) -> ActionResult {
    ActionResult::Refused {
        code: status.code,
        reason: status.reason.to_owned(),
        message: status.message,
    }
}

/// The engine only asks for what the spec has.
fn impossible(what: &str) -> ActionResult {
    ActionResult::Refused {
        code: 0,
        reason: "Internal".to_owned(),
        message: format!("the spec has no such {what}"),
    }
}

/// The record, as the object that owns everything: its content is the session's own business.
///
/// # Errors
/// The API's, if the user may not.
pub fn create_record(
    world: &mut World,
    user: &str,
    namespace: &str,
    jobset: &JobSet,
) -> Result<OwnerRef, Status> {
    let name = crate::api::names::record_name(&jobset.metadata.name);
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace}});
    let request = Request {
        user: user.to_owned(),
        kind: Kind::ConfigMap,
        namespace: Some(namespace.to_owned()),
        name: None,
        subresource: None,
        verb: Verb::Create(WriteOptions::default(), body),
    };
    let made: Option<String> = uid(&world.call(&request)?);
    Ok(OwnerRef {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name,
        uid: made.unwrap_or_default(),
    })
}
