//! For the tests of this module: JobSets in one line, and a world that does what it is told at once.

use std::collections::BTreeMap;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::api::JobSet;
use crate::engine::input::{
    ActionResult, ContainerEnd, Deleting, JobEnd, JobSeen, Observation, PodPhase, PodSeen, Waiting,
};
use crate::engine::{Action, Engine, Event, EventKind, Options, Outcome, Run, RunState, Step};

/// A JobSet; `spec` is merged over the roles.
pub(super) fn jobset(roles: &[(&str, u32)], spec: Value) -> JobSet {
    let roles: Vec<Value> = roles
        .iter()
        .map(|(name, replicas)| {
            json!({"name": name, "replicas": replicas, "template": {"spec": {
                "parallelism": 1, "completions": 1, "template": {"spec": {"containers": [
                    {"name": "main", "resources": {"limits": {"memory": "64Gi"}}}]}}}}})
        })
        .collect();
    let mut all = json!({"replicatedJobs": roles});
    for (k, v) in spec.as_object().unwrap() {
        all[k] = v.clone();
    }
    serde_json::from_value(
        json!({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
        "metadata": {"name": "set"}, "spec": all}),
    )
    .unwrap()
}

/// `dependsOn` for a role.
pub(super) fn depends(mut set: JobSet, role: &str, on: &[(&str, &str)]) -> JobSet {
    let role = set
        .spec
        .replicated_jobs
        .iter_mut()
        .find(|r| r.name == role)
        .unwrap();
    role.depends_on = on
        .iter()
        .map(|(name, status)| {
            serde_json::from_value(json!({"name": name, "status": status})).unwrap()
        })
        .collect();
    set
}

/// Time zero of the tests.
pub(super) fn t0() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// A Job that has just been created.
pub(super) fn job(role: &str, index: u32, attempt: u32, uid: &str) -> JobSeen {
    JobSeen {
        name: format!("set-{role}-{index}"),
        uid: uid.to_owned(),
        role: role.to_owned(),
        index,
        restart_attempt: attempt,
        job_restart_attempt: 0,
        created: t0(),
        deleting_since: None,
        suspend: false,
        started: true,
        active: 1,
        ready: 0,
        succeeded: 0,
        failed: 0,
        terminating: 0,
        complete: None,
        failed_condition: None,
        failure_target: None,
        success_criteria_met: false,
    }
}

/// A pod of a Job.
pub(super) fn pod(of: &JobSeen, index: u32) -> PodSeen {
    PodSeen {
        name: format!("{}-{index}-x{}", of.name, of.uid),
        uid: format!("p{}-{index}", of.uid),
        job: of.name.clone(),
        job_uid: of.uid.clone(),
        role: of.role.clone(),
        job_index: of.index,
        completion_index: Some(index),
        restart_attempt: of.restart_attempt,
        job_restart_attempt: of.job_restart_attempt,
        node: Some("node-1".to_owned()),
        phase: PodPhase::Pending,
        ready: false,
        created: of.created,
        started: None,
        deleting: None,
        waiting: None,
        ends: Vec::new(),
        restarts: 0,
        reason: None,
        message: None,
        disruption: None,
    }
}

/// A container's end.
pub(super) fn end(exit_code: i32, at: Timestamp) -> ContainerEnd {
    ContainerEnd {
        container: "main".to_owned(),
        init: false,
        exit_code,
        signal: None,
        reason: Some("Error".to_owned()),
        message: None,
        started: None,
        finished: Some(at),
        restarted: false,
    }
}

pub(super) fn waiting(reason: &str, message: &str) -> Waiting {
    Waiting {
        reason: reason.to_owned(),
        message: message.to_owned(),
        since: None,
    }
}

pub(super) fn deleting(since: Timestamp, grace_s: i64) -> Deleting {
    Deleting {
        since,
        grace_s,
        held_by_finalizer: false,
    }
}

/// An engine in a world that carries out every action at once and shows it. Pods exist only where a
/// test makes them.
pub(super) struct Play {
    pub(super) engine: Engine,
    pub(super) now: Timestamp,
    pub(super) jobs: BTreeMap<String, JobSeen>,
    /// What was done: `+name#attempt`, `-name#attempt`, `~suspend name`, `!write`.
    pub(super) log: Vec<String>,
    pub(super) events: Vec<Event>,
    pub(super) outcome: Option<Outcome>,
    /// Deletes are accepted but the Jobs stay, terminating.
    pub(super) lingering: bool,
    /// Creates that are answered otherwise.
    pub(super) refuse: BTreeMap<String, ActionResult>,
    /// Every action of the last settle.
    pub(super) actions: Vec<Action>,
    uids: u32,
}

impl Play {
    pub(super) fn new(jobset: JobSet) -> Self {
        Self::with(jobset, RunState::default(), Options::default())
    }
    pub(super) fn with(jobset: JobSet, state: RunState, options: Options) -> Self {
        let run = Run {
            namespace: "ns".to_owned(),
            name: "set".to_owned(),
            uid: "run-uid".to_owned(),
        };
        Self {
            engine: Engine::new(run, jobset, state, options, t0()),
            now: t0(),
            jobs: BTreeMap::new(),
            log: Vec::new(),
            events: Vec::new(),
            outcome: None,
            lingering: false,
            refuse: BTreeMap::new(),
            actions: Vec::new(),
            uids: 0,
        }
    }
    /// Both lists, then everything that follows.
    pub(super) fn start(mut self) -> Self {
        let jobs: Vec<JobSeen> = self.jobs.values().cloned().collect();
        if !jobs.is_empty() {
            // Jobs of an earlier driver: new ones must not get their UIDs.
            self.uids = 100;
        }
        self.see(Observation::JobsListed(jobs));
        self.see(Observation::PodsListed(Vec::new()));
        self.settle();
        self
    }
    pub(super) fn see(&mut self, o: Observation) {
        self.engine.observe(o, self.now);
    }
    pub(super) fn pass(&mut self, seconds: i64) {
        self.now = self
            .now
            .checked_add(SignedDuration::from_secs(seconds))
            .unwrap();
    }
    /// Steps until nothing more is to be done.
    pub(super) fn settle(&mut self) -> &mut Self {
        self.log.clear();
        self.actions.clear();
        for _ in 0..100 {
            let step = self.engine.step(self.now);
            if self.perform(step) {
                return self;
            }
        }
        panic!("never settles: {:?}", self.log);
    }
    /// Carries a step out; true if it was empty.
    pub(super) fn perform(&mut self, step: Step) -> bool {
        let empty = step.write.is_none() && step.actions.is_empty() && step.events.is_empty();
        self.events.extend(step.events);
        if let Some(w) = step.write {
            self.log.push("!write".to_owned());
            self.see(Observation::Written { version: w.version });
        }
        if let Some(o) = step.outcome {
            assert!(self.outcome.is_none(), "the verdict is given once");
            self.outcome = Some(o);
        }
        for (id, action) in step.actions {
            self.actions.push(action.clone());
            let result = self.carry_out(action);
            self.see(Observation::Done { id, result });
        }
        empty
    }
    fn carry_out(&mut self, action: Action) -> ActionResult {
        let ok = ActionResult::Ok { uid: None };
        match action {
            Action::CreateService => {
                self.log.push("+service".to_owned());
                ok
            }
            Action::CreateJob {
                role,
                index,
                restarts,
                job_restarts,
                suspend,
            } => {
                let role = self.engine.jobset().spec.replicated_jobs[role].name.clone();
                let mut new = job(&role, index, restarts, "");
                if let Some(answer) = self.refuse.get(&new.name) {
                    return answer.clone();
                }
                assert!(!self.jobs.contains_key(&new.name), "{} exists", new.name);
                self.uids += 1;
                new.uid = format!("u{}", self.uids);
                new.job_restart_attempt = job_restarts;
                new.suspend = suspend;
                new.created = self.now;
                new.active = u32::from(!suspend);
                let of = if job_restarts > 0 {
                    format!("#{restarts}.{job_restarts}")
                } else {
                    format!("#{restarts}")
                };
                self.log.push(format!("+{}{of}", new.name));
                self.jobs.insert(new.name.clone(), new.clone());
                let uid = Some(new.uid.clone());
                self.see(Observation::Job(new));
                ActionResult::Ok { uid }
            }
            Action::DeleteJob {
                name,
                uid,
                restart_attempt,
            } => {
                self.log.push(format!("-{name}#{restart_attempt}"));
                let Some(j) = self.jobs.get_mut(&name).filter(|j| j.uid == uid) else {
                    return ActionResult::NotFound;
                };
                if self.lingering {
                    j.deleting_since = Some(self.now);
                    let seen = j.clone();
                    self.see(Observation::Job(seen));
                } else {
                    self.gone(&name);
                }
                ok
            }
            Action::SuspendJob { name, .. } => {
                self.log.push(format!("~suspend {name}"));
                self.update(&name, |j| {
                    (j.suspend, j.active, j.ready) = (true, 0, 0);
                });
                ok
            }
            Action::ResumeJob { name, .. } => {
                self.log.push(format!("~resume {name}"));
                self.update(&name, |j| (j.suspend, j.active) = (false, 1));
                ok
            }
            Action::KeepEvidence {
                pod_uid, container, ..
            } => {
                self.log.push(format!("?{pod_uid}/{container}"));
                self.see(Observation::Evidence {
                    pod_uid,
                    container,
                    lines: vec!["last words".to_owned()],
                });
                ok
            }
        }
    }
    /// The object is gone.
    pub(super) fn gone(&mut self, name: &str) {
        let uid = self.jobs.remove(name).unwrap().uid;
        self.see(Observation::JobGone {
            name: name.to_owned(),
            uid,
        });
    }
    pub(super) fn update(&mut self, name: &str, change: impl FnOnce(&mut JobSeen)) {
        let j = self.jobs.get_mut(name).unwrap();
        change(j);
        let seen = j.clone();
        self.see(Observation::Job(seen));
    }
    pub(super) fn ready(&mut self, name: &str) {
        self.update(name, |j| j.ready = 1);
    }
    pub(super) fn ready_all(&mut self) -> &mut Self {
        for name in self.jobs.keys().cloned().collect::<Vec<_>>() {
            self.ready(&name);
        }
        self.settle()
    }
    pub(super) fn complete(&mut self, name: &str) {
        let at = self.now;
        self.update(name, |j| {
            (j.active, j.ready, j.succeeded) = (0, 0, 1);
            j.complete = Some(ended(at, "CompletionsReached", ""));
        });
    }
    pub(super) fn fail(&mut self, name: &str) {
        self.fail_with(
            name,
            "BackoffLimitExceeded",
            "Job has reached the specified backoff limit",
        );
    }
    pub(super) fn fail_with(&mut self, name: &str, reason: &str, message: &str) {
        let at = self.now;
        self.update(name, |j| {
            j.failure_target = Some(ended(at, reason, message))
        });
    }
    /// What was done, without writes.
    pub(super) fn done(&self) -> Vec<&str> {
        self.log
            .iter()
            .map(String::as_str)
            .filter(|l| !l.starts_with('!'))
            .collect()
    }
    /// Condition `type` as `True Reason`.
    pub(super) fn condition(&self, type_: &str) -> String {
        let c = self
            .engine
            .state()
            .status
            .conditions
            .iter()
            .find(|c| c.type_ == type_);
        c.map_or_else(String::new, |c| format!("{} {}", c.status, c.reason))
    }
    pub(super) fn kinds(&self, wanted: impl Fn(&EventKind) -> bool) -> Vec<&EventKind> {
        self.events
            .iter()
            .map(|e| &e.kind)
            .filter(|k| wanted(k))
            .collect()
    }
}

pub(super) fn ended(at: Timestamp, reason: &str, message: &str) -> JobEnd {
    JobEnd {
        at,
        reason: reason.to_owned(),
        message: message.to_owned(),
    }
}
