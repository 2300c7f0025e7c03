//! Requests: what the API server does with the engine's actions, and what others do to the objects.

use k8s_openapi::jiff::SignedDuration;
use kubectl_jobset::api::JobTemplate;
use kubectl_jobset::api::names::{
    JOB_INDEX, JOB_RESTART_ATTEMPT, REPLICATED_JOB_NAME, RESTART_ATTEMPT, job_name, subdomain,
};
use kubectl_jobset::engine::action::Action;
use kubectl_jobset::engine::build::{Identity, JobBuilder, OwnerRef};
use kubectl_jobset::engine::input::ActionResult;
use kubectl_jobset::engine::{ActionId, Observation, RunState};
use serde_json::Value;

use super::job::Job;
use super::pod::{Pod, PodChange};
use super::world::{Due, World};

/// What the server and the cluster are told to do out of the ordinary.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// Creates of that name are refused: code, reason, message.
    pub(crate) refuse: Vec<(String, u16, String, String)>,
    /// The answer to the next create of that name is lost; the driver finds the object when it asks again.
    pub(crate) unclear: Vec<String>,
    /// Admission refuses every pod, with that message.
    pub(crate) quota: Option<String>,
    /// New pods do this at once.
    pub(crate) new_pods: Option<PodChange>,
    /// The last lines of any container.
    pub(crate) log_lines: Vec<String>,
}

/// An action as it met the world, for invariants.
#[derive(Clone, Debug)]
pub(crate) struct Executed {
    pub(crate) action: Action,
    pub(crate) result: ActionResult,
    /// Its driver was dead by then.
    pub(crate) stale: bool,
    /// Creates: pods of an older Job of that name stood there.
    pub(crate) old_pods_of_name: usize,
    /// Creates: Jobs or pods of ours of an earlier attempt stood anywhere.
    pub(crate) earlier: usize,
    /// Deletes: both attempts of the Job, and whether it had ended.
    pub(crate) deleted: Option<(u32, u32, bool)>,
    /// What the record held then.
    pub(crate) durable: RunState,
}

impl World {
    /// A request arrives; its answer is on the way back afterwards.
    pub(crate) fn carry_out(&mut self, driver: u32, id: ActionId, action: Action) {
        let facts = self.facts(&action, driver != self.driver);
        let mut wait = self.pace.api;
        let result = match &action {
            Action::CreateService => {
                if !self.service {
                    self.history
                        .push(format!("service created {}", subdomain(&self.jobset)));
                }
                self.service = true;
                let due = self.now + self.pace.watch;
                self.other_watch
                    .push(due, Observation::Service { present: true });
                ActionResult::Ok {
                    uid: Some("service".to_owned()),
                }
            }
            Action::CreateJob {
                role,
                index,
                restarts,
                job_restarts,
                suspend,
            } => self.create_job(*role, *index, *restarts, *job_restarts, *suspend),
            Action::DeleteJob { name, uid, .. } => self.delete_job(name, uid),
            Action::SuspendJob { name, uid } => self.set_suspend(name, uid, true, false, None),
            Action::ResumeJob {
                name,
                uid,
                clear_start_time,
                template,
            } => self.set_suspend(name, uid, false, *clear_start_time, template.as_ref()),
            Action::KeepEvidence {
                pod_uid,
                container,
                lines,
                ..
            } => {
                wait = self.pace.logs;
                let (pod_uid, container) = (pod_uid.clone(), container.clone());
                let there = self.pods.contains_key(&pod_uid);
                let keep = usize::try_from(*lines).unwrap();
                let all = if there {
                    self.rules.log_lines.clone()
                } else {
                    Vec::new()
                };
                let lines = all.into_iter().rev().take(keep).rev().collect();
                self.answer(
                    driver,
                    wait,
                    Observation::Evidence {
                        pod_uid,
                        container,
                        lines,
                    },
                );
                ActionResult::Ok { uid: None }
            }
        };
        self.executed.push(Executed {
            action,
            result: result.clone(),
            ..facts
        });
        self.answer(driver, wait, Observation::Done { id, result });
    }

    fn facts(&self, action: &Action, stale: bool) -> Executed {
        let (mut old_pods_of_name, mut earlier, mut deleted) = (0, 0, None);
        match action {
            Action::CreateJob {
                role,
                index,
                restarts,
                ..
            } => {
                let name = self.job_name(*role, *index);
                let standing = self.jobs.get(&name).map(|j| &j.uid);
                let old = |p: &&Pod| p.job == name && Some(&p.job_uid) != standing;
                old_pods_of_name = self.pods.values().filter(old).count();
                earlier = self
                    .jobs
                    .values()
                    .filter(|j| !j.foreign && j.restart_attempt < *restarts)
                    .count()
                    + self
                        .pods
                        .values()
                        .filter(|p| p.restart_attempt < *restarts)
                        .count();
            }
            Action::DeleteJob { name, uid, .. } => {
                let job = self.jobs.get(name).filter(|j| j.uid == *uid);
                deleted = job.map(|j| (j.restart_attempt, j.job_restart_attempt, j.ended()));
            }
            _ => {}
        }
        Executed {
            action: action.clone(),
            result: ActionResult::NotFound,
            stale,
            old_pods_of_name,
            earlier,
            deleted,
            durable: self.record.state.clone(),
        }
    }

    /// The name of a Job of the set.
    pub(crate) fn job_name(&self, role: usize, index: u32) -> String {
        job_name(
            &self.jobset.metadata.name,
            &self.jobset.spec.replicated_jobs[role].name,
            index,
        )
    }

    /// The Job as the driver sends it.
    fn build(
        &self,
        role: usize,
        index: u32,
        restarts: u32,
        job_restarts: u32,
        suspend: bool,
    ) -> Option<Value> {
        let owner = OwnerRef {
            api_version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            name: "record".to_owned(),
            uid: self.run_uid.clone(),
        };
        let identity = Identity {
            run_uid: self.run_uid.clone(),
            owner,
        };
        let builder = JobBuilder::new(&self.record.jobset, &self.namespace, Some(&identity));
        builder.job(role, index, restarts, job_restarts, suspend)
    }

    fn create_job(
        &mut self,
        role: usize,
        index: u32,
        restarts: u32,
        job_restarts: u32,
        suspend: bool,
    ) -> ActionResult {
        let name = self.job_name(role, index);
        if let Some((_, code, reason, message)) = self.rules.refuse.iter().find(|r| r.0 == name) {
            return ActionResult::Refused {
                code: *code,
                reason: reason.clone(),
                message: message.clone(),
            };
        }
        if let Some(job) = self.jobs.get(&name) {
            let ours = !job.foreign
                && job.restart_attempt == restarts
                && job.job_restart_attempt == job_restarts;
            return ActionResult::Exists {
                ours,
                uid: job.uid.clone(),
                deleting: job.deleting_since.is_some(),
            };
        }
        let uid = format!("job-{}", self.serial());
        let Some(built) = self.build(role, index, restarts, job_restarts, suspend) else {
            panic!("no role {role} or no index {index}");
        };
        let label = |key: &str| {
            built["metadata"]["labels"][key]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let job = Job {
            role: label(REPLICATED_JOB_NAME),
            index: label(JOB_INDEX).parse().unwrap(),
            restart_attempt: label(RESTART_ATTEMPT).parse().unwrap(),
            job_restart_attempt: label(JOB_RESTART_ATTEMPT).parse().unwrap(),
            suspend,
            suspended: suspend,
            ..Job::new(&name, &uid, &JobTemplate(built), self.now)
        };
        self.history
            .push(format!("job created {} suspend={suspend}", job.label()));
        self.jobs.insert(name.clone(), job);
        self.tell_job(&name);
        self.after(SignedDuration::from_millis(20), Due::Sync(uid.clone()));
        if let Some(i) = self.rules.unclear.iter().position(|n| *n == name) {
            self.rules.unclear.remove(i);
            return ActionResult::Exists {
                ours: true,
                uid,
                deleting: false,
            };
        }
        ActionResult::Ok { uid: Some(uid) }
    }

    fn delete_job(&mut self, name: &str, uid: &str) -> ActionResult {
        let now = self.now;
        let Some(job) = self.jobs.get_mut(name).filter(|j| j.uid == uid) else {
            return ActionResult::NotFound;
        };
        if job.deleting_since.is_none() {
            job.deleting_since = Some(now);
            let line = format!(
                "job delete-requested {} propagation=Foreground",
                job.label()
            );
            self.history.push(line);
            self.tell_job(name);
            self.collect(uid);
        }
        ActionResult::Ok { uid: None }
    }

    fn set_suspend(
        &mut self,
        name: &str,
        uid: &str,
        suspend: bool,
        clear_start_time: bool,
        template: Option<&Value>,
    ) -> ActionResult {
        let Some(job) = self.jobs.get_mut(name).filter(|j| j.uid == uid) else {
            return ActionResult::NotFound;
        };
        if clear_start_time {
            job.started = None;
        }
        if let Some(patch) = template {
            if job.started.is_some() {
                let message = "spec.template: Invalid value: field is immutable".to_owned();
                return ActionResult::Refused {
                    code: 422,
                    reason: "Invalid".to_owned(),
                    message,
                };
            }
            let before = job.pod_template.clone();
            merge(&mut job.pod_template, patch);
            let label = job.label();
            self.history
                .extend(template_changes(&label, &before, &job.pod_template));
        }
        if job.suspend != suspend {
            let word = if suspend { "suspended" } else { "resumed" };
            self.history.push(format!("job {word} {}", job.label()));
        }
        job.suspend = suspend;
        self.tell_job(name);
        self.after(SignedDuration::from_millis(20), Due::Sync(uid.to_owned()));
        ActionResult::Ok { uid: None }
    }

    /// Somebody deletes a Job in the background: it is gone at once, its pods follow.
    pub(crate) fn someone_deletes_job(&mut self, name: &str) {
        let job = self
            .jobs
            .remove(name)
            .unwrap_or_else(|| panic!("no Job {name}"));
        let due = self.now + self.pace.watch;
        if !job.foreign {
            self.history.push(format!("job gone {}", job.label()));
            self.job_watch.push(
                due,
                Observation::JobGone {
                    name: job.name,
                    uid: job.uid.clone(),
                },
            );
        }
        let pods: Vec<String> = self
            .pods
            .values()
            .filter(|p| p.job_uid == job.uid)
            .map(|p| p.uid.clone())
            .collect();
        for uid in pods {
            self.delete_pod(&uid, false);
        }
    }

    /// Somebody suspends or resumes one of our Jobs, as a queue would.
    pub(crate) fn someone_sets_suspend(&mut self, name: &str, suspend: bool) {
        let uid = self.jobs[name].uid.clone();
        self.set_suspend(name, &uid, suspend, false, None);
    }

    /// What held deleted pods lets them go.
    pub(crate) fn free_pods(&mut self) {
        let held: Vec<String> = self
            .pods
            .values()
            .filter(|p| p.deleting.is_some())
            .map(|p| p.uid.clone())
            .collect();
        for uid in held {
            if let Some(deleting) = self.pods.get_mut(&uid).and_then(|p| p.deleting.as_mut()) {
                deleting.held_by_finalizer = false;
            }
            self.after(SignedDuration::ZERO, Due::PodEnds(uid));
        }
    }

    /// Somebody else's Job takes a name.
    pub(crate) fn foreign_job(&mut self, name: &str) {
        let uid = format!("foreign-{}", self.serial());
        let template = self.jobset.spec.replicated_jobs[0].template.clone();
        let job = Job::new(name, &uid, &template, self.now);
        self.jobs.insert(
            name.to_owned(),
            Job {
                foreign: true,
                ..job
            },
        );
    }

    /// Somebody deletes the Service.
    pub(crate) fn someone_deletes_service(&mut self) {
        self.service = false;
        self.history
            .push(format!("service gone {}", subdomain(&self.jobset)));
        self.other_watch.push(
            self.now + self.pace.watch,
            Observation::Service { present: false },
        );
    }
}

/// `job template-changed NAME … FIELD WHAT`: what is new or different in the fields that a resume merges.
fn template_changes(label: &str, before: &Value, after: &Value) -> Vec<String> {
    let fields = [
        ("labels", "/metadata/labels"),
        ("annotations", "/metadata/annotations"),
        ("nodeSelector", "/spec/nodeSelector"),
        ("tolerations", "/spec/tolerations"),
        ("schedulingGates", "/spec/schedulingGates"),
    ];
    let changed = |(name, path): &(&str, &str)| {
        let (old, new) = (before.pointer(path), after.pointer(path)?);
        let differs = match (old, new) {
            (Some(Value::Object(old)), Value::Object(new)) => {
                let map: serde_json::Map<_, _> = new
                    .iter()
                    .filter(|(k, v)| old.get(*k) != Some(v))
                    .map(|(k, v)| (k.clone(), v.clone()))
                    .collect();
                (!map.is_empty()).then_some(Value::Object(map))
            }
            _ => (old != Some(new)).then(|| new.clone()),
        };
        differs.map(|d| format!("job template-changed {label} {name} {d}"))
    };
    fields.iter().filter_map(changed).collect()
}

/// JSON merge patch (RFC 7386).
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    if let Value::Object(map) = target {
        for (key, value) in patch {
            if value.is_null() {
                map.remove(key);
            } else {
                merge(map.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
    }
}
