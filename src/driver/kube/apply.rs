//! Carries out the engine's actions: creates, suspends, resumes (deletes are in `delete`). What passes
//! (429, 5xx, no network, expired credentials) is tried again for as long as the future is awaited.
//!
//! A create is never repeated blindly: after an answer that leaves open whether it was carried out,
//! the object is looked up first, and only if it isn't there the create is sent again (trap D.9.4).

use serde_json::{Value, json};

use crate::driver::kube::call::{Answer, Call};
use crate::driver::kube::client::Connection;
use crate::driver::kube::error::{Failure, Trouble};
use crate::driver::kube::fence::Fence;
use crate::driver::kube::resource::Resource;
use crate::driver::kube::retry::{BUSY, Backoff, Pass, Patience};
use crate::driver::kube::slim::{Bare, Meta};
use crate::engine::input::ActionResult;

/// Writes the children of one run.
#[derive(Clone, Debug)]
pub struct Applier {
    pub(crate) conn: Connection,
    pub(crate) namespace: String,
    pub(super) fence: Fence,
}

/// What tells our object from another one of the same name: its owner and, for a Job, its attempt.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    owner: Option<String>,
    attempt: Option<String>,
    job_attempt: Option<String>,
}

impl Mark {
    fn of(meta: &Meta) -> Self {
        Self {
            owner: meta
                .owner_references
                .iter()
                .find(|o| o.controller)
                .map(|o| o.uid.clone()),
            attempt: meta.labels.restart_attempt.clone(),
            job_attempt: meta.labels.job_restart_attempt.clone(),
        }
    }
}

impl Applier {
    /// For the children of a run in that namespace.
    #[must_use]
    pub fn new(conn: &Connection, namespace: &str) -> Self {
        Self {
            conn: conn.patient(),
            namespace: namespace.to_owned(),
            fence: Fence::default(),
        }
    }

    /// Creates the headless Service as built.
    pub async fn create_service(&self, body: &Value) -> ActionResult {
        self.create(Resource::Services, body, || true).await
    }

    /// Creates a Job as built, for as long as it is `wanted`, which is asked before each try; then
    /// [`ActionResult::NotFound`].
    pub async fn create_job(&self, body: &Value, wanted: impl Fn() -> bool) -> ActionResult {
        self.create(Resource::Jobs, body, wanted).await
    }

    /// Sets `spec.suspend: true`, on that UID only.
    pub async fn suspend_job(&self, name: &str, uid: &str) -> ActionResult {
        let patch = json!({"metadata": {"uid": uid}, "spec": {"suspend": true}});
        self.patch_job(Resource::Jobs, name, uid, &patch).await
    }

    /// Sets `spec.suspend: false` and merges `template` into `spec.template`, on that UID only. With
    /// `clear_start_time` first clears `status.startTime`, without which the server takes no change of
    /// the template (trap D.7.2).
    pub async fn resume_job(
        &self,
        name: &str,
        uid: &str,
        clear_start_time: bool,
        template: Option<&Value>,
    ) -> ActionResult {
        if clear_start_time {
            let patch = json!({"metadata": {"uid": uid}, "status": {"startTime": null}});
            match self.patch_job(Resource::JobStatus, name, uid, &patch).await {
                ActionResult::Ok { .. } => {}
                other => return other,
            }
        }
        let mut patch = json!({"metadata": {"uid": uid}, "spec": {"suspend": false}});
        if let Some(template) = template {
            patch["spec"]["template"] = template.clone();
        }
        self.patch_job(Resource::Jobs, name, uid, &patch).await
    }

    async fn create(
        &self,
        resource: Resource,
        body: &Value,
        still: impl Fn() -> bool,
    ) -> ActionResult {
        let wanted: Bare = match serde_json::from_value(json!({"metadata": body["metadata"]})) {
            Ok(wanted) => wanted,
            Err(error) => {
                return ActionResult::Refused {
                    code: 0,
                    reason: "BadObject".to_owned(),
                    message: error.to_string(),
                };
            }
        };
        let name = wanted.metadata.name.as_str();
        let call = Call::create(resource, Some(&self.namespace), Some(name), body).metadata_only();
        let mut backoff = Backoff::new(Patience::Endless);
        loop {
            let Some(answer) = self.once_if(&call, &still).await else {
                return ActionResult::NotFound;
            };
            let failure = match answer.and_then(|answer| answer.json::<Bare>()) {
                Ok(made) => {
                    let uid = Some(made.metadata.uid);
                    return ActionResult::Ok { uid };
                }
                Err(failure) => failure,
            };
            let taken = failure.trouble == Trouble::AlreadyExists;
            if taken || failure.trouble.unclear() {
                match self.look(resource, name).await {
                    Ok(Some(there)) => {
                        return ActionResult::Exists {
                            ours: Mark::of(&there) == Mark::of(&wanted.metadata),
                            deleting: there.deletion_timestamp.is_some(),
                            uid: there.uid,
                        };
                    }
                    Ok(None) => {}
                    Err(failure) => return refused(failure),
                }
            }
            let passing = match failure.trouble {
                // A conflict is one of a quota that was changed meanwhile.
                Trouble::Conflict | Trouble::AlreadyExists | Trouble::Garbled => BUSY,
                trouble => trouble,
            };
            if !self.conn.again(&mut backoff, passing, &failure).await {
                return refused(failure);
            }
        }
    }

    /// The object of that name, if there is one.
    pub(crate) async fn look(
        &self,
        resource: Resource,
        name: &str,
    ) -> Result<Option<Meta>, Failure> {
        let call = Call::get(resource, &self.namespace, name).metadata_only();
        match self.conn.send(&call).await {
            Ok(answer) => Ok(Some(answer.json::<Bare>()?.metadata)),
            Err(failure) if failure.trouble == Trouble::NotFound => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    async fn patch_job(
        &self,
        resource: Resource,
        name: &str,
        uid: &str,
        patch: &Value,
    ) -> ActionResult {
        let call = Call::patch(resource, &self.namespace, name, patch).metadata_only();
        self.on_uid(&call, name, uid).await
    }

    /// Sends a call that is bound to a UID and may be repeated. A refusal that a wrong UID may be the
    /// reason of is settled by looking at the object.
    pub(crate) async fn on_uid(&self, call: &Call, name: &str, uid: &str) -> ActionResult {
        let mut backoff = Backoff::new(Patience::Endless);
        loop {
            let Err(failure) = self.once(call).await else {
                return ActionResult::Ok { uid: None };
            };
            match failure.trouble {
                Trouble::NotFound => return ActionResult::NotFound,
                Trouble::Conflict | Trouble::Invalid => {
                    match self.look(Resource::Jobs, name).await {
                        Ok(Some(there)) if there.uid == uid => {}
                        Ok(_) => return ActionResult::NotFound,
                        Err(failure) => return refused(failure),
                    }
                    if failure.trouble == Trouble::Invalid {
                        return refused(failure);
                    }
                    self.conn.again(&mut backoff, BUSY, &failure).await;
                }
                trouble => {
                    if !self.conn.again(&mut backoff, trouble, &failure).await {
                        return refused(failure);
                    }
                }
            }
        }
    }

    /// One try, when gate and fence let it through.
    async fn once(&self, call: &Call) -> Result<Answer, Failure> {
        let pass = self.enter().await;
        self.passed(call, pass).await
    }

    /// One try, if it is still wanted when gate and fence let it through.
    async fn once_if(
        &self,
        call: &Call,
        wanted: impl Fn() -> bool,
    ) -> Option<Result<Answer, Failure>> {
        let pass = self.enter().await;
        if !wanted() {
            return None;
        }
        Some(self.passed(call, pass).await)
    }

    async fn enter(&self) -> Pass<'_> {
        let pass = self.conn.shared.gate.enter().await;
        self.fence.passed().await;
        pass
    }

    async fn passed(&self, call: &Call, pass: Pass<'_>) -> Result<Answer, Failure> {
        let result = self.conn.send_once(call).await;
        pass.done(
            result
                .as_ref()
                .map(|_| ())
                .map_err(|failure| failure.trouble),
        );
        result
    }
}

pub(crate) fn refused(failure: Failure) -> ActionResult {
    ActionResult::Refused {
        code: failure.code,
        reason: failure.reason,
        message: failure.message,
    }
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
