//! What must hold after every step of an engine, by name.

use std::collections::{BTreeMap, BTreeSet};

use kubectl_jobset::api::JobSet;
use kubectl_jobset::engine::action::Action;
use kubectl_jobset::engine::input::{ActionResult, PodPhase};
use kubectl_jobset::engine::{
    ActionId, EventKind, FailAt, JobSeen, Observation, PodSeen, RunState, Snapshot,
};

use crate::model::{JobKey, Model};
use crate::support::lines;
use crate::support::server::Executed;
use crate::support::sim::{Happened, Stepped};

/// `Err` names the invariant first.
pub(crate) type Held = Result<(), String>;

/// Every invariant that is checked, for the list of deliberate breaks.
pub(crate) const NAMES: &[&str] = &[
    "startup order",
    "one Job of a name",
    "no creation over old pods",
    "no overlap under BlockingRecreate",
    "restarts as the model counts them",
    "restarts within the limit",
    "written before it is acted on",
    "deletes have a reason",
    "nothing after the outcome",
    "success as the model sees it",
    "events are numbered",
    "actions are numbered",
    "snapshot sums add up",
];

/// A create on its way.
struct Asked {
    name: String,
    key: JobKey,
    attempts: (u32, u32),
}

/// Follows one run through all its drivers.
pub(crate) struct Checker {
    jobset: JobSet,
    fail_at: FailAt,
    model: Model,
    pods: BTreeMap<String, PodSeen>,
    /// Creates and deletes on their way, by name.
    creating: BTreeSet<String>,
    /// Roles that were started or complete at some time since the attempt began or was suspended.
    reached: BTreeSet<(usize, bool)>,
    jobs_listed: bool,
    pods_listed: bool,
    ended: bool,
    suspended: bool,
    last_seq: u64,
    last_action: Option<ActionId>,
    asked: BTreeMap<ActionId, Asked>,
    /// Jobs of any attempt that were ever told Complete.
    completed: BTreeSet<(JobKey, (u32, u32))>,
    /// Deletes, suspends and resumes on their way: name, UID, whether it is a delete.
    calls: BTreeMap<ActionId, (String, String, bool)>,
    /// UIDs of Jobs whose foreground deletion was accepted.
    foreground: BTreeSet<String>,
    /// UIDs of Jobs that an answer has shown to be gone to this driver.
    known_gone: BTreeSet<String>,
    /// Jobs known from the answers to creates, by UID.
    created: BTreeMap<String, Asked>,
    /// Somebody has deleted a Job in the background: its pods may be unknown to anyone.
    pub(crate) strangers: bool,
}

impl Checker {
    /// Before the first driver.
    pub(crate) fn new(jobset: &JobSet, fail_at: FailAt) -> Self {
        Self {
            jobset: jobset.clone(),
            fail_at,
            model: Model::new(jobset, fail_at, &RunState::default()),
            pods: BTreeMap::new(),
            creating: BTreeSet::new(),
            reached: BTreeSet::new(),
            jobs_listed: false,
            pods_listed: false,
            ended: false,
            suspended: false,
            last_seq: 0,
            last_action: None,
            asked: BTreeMap::new(),
            created: BTreeMap::new(),
            completed: BTreeSet::new(),
            calls: BTreeMap::new(),
            foreground: BTreeSet::new(),
            known_gone: BTreeSet::new(),
            strangers: false,
        }
    }

    /// Follows what happened and checks each step.
    pub(crate) fn follow(&mut self, happened: Vec<Happened>) -> Held {
        for what in happened {
            match what {
                Happened::Attached(state) => self.attached(&state)?,
                Happened::Told(fact) => self.told(*fact),
                Happened::Stepped(stepped) => self.stepped(&stepped)?,
                Happened::Executed(executed) => self.executed(&executed)?,
                Happened::Died => (self.jobs_listed, self.pods_listed) = (false, false),
            }
        }
        Ok(())
    }

    /// The model at the end, for the liveness check.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    fn attached(&mut self, state: &RunState) -> Held {
        self.model = Model::new(&self.jobset, self.fail_at, state);
        for key in &self.model.succeeded {
            let attempts = (self.model.restarts, self.model.target(*key));
            if !self.completed.contains(&(*key, attempts)) {
                return broken(
                    "success as the model sees it",
                    ("remembered", key, attempts),
                );
            }
        }
        self.pods.clear();
        self.creating.clear();
        self.asked.clear();
        self.calls.clear();
        self.known_gone.clear();
        self.reached.clear();
        self.ended = false;
        self.last_seq = state.seq;
        self.last_action = None;
        Ok(())
    }

    fn told(&mut self, fact: Observation) {
        match fact {
            Observation::Job(job) => self.see(job),
            Observation::JobsListed(jobs) => {
                self.jobs_listed = true;
                let uids: BTreeSet<&str> = jobs.iter().map(|j| j.uid.as_str()).collect();
                let missing = self
                    .model
                    .jobs
                    .values()
                    .filter(|j| !uids.contains(j.uid.as_str()));
                let missing: Vec<_> = missing.map(|j| (j.name.clone(), j.uid.clone())).collect();
                missing.iter().for_each(|(name, uid)| self.gone(name, uid));
                jobs.into_iter().for_each(|j| self.see(j));
            }
            Observation::JobGone { name, uid } => {
                self.gone(&name, &uid);
            }
            Observation::Pod(pod) => {
                self.pods.insert(pod.uid.clone(), pod);
            }
            Observation::PodsListed(pods) => {
                self.pods_listed = true;
                self.pods = pods.into_iter().map(|p| (p.uid.clone(), p)).collect();
            }
            Observation::PodGone { uid, .. } => {
                self.pods.remove(&uid);
            }
            Observation::Done { id, result } => {
                let of = self.calls.remove(&id);
                match (of, &result) {
                    (Some((name, uid, _)), ActionResult::NotFound) => {
                        self.gone(&name, &uid);
                        self.known_gone.insert(uid);
                    }
                    (Some((_, uid, true)), ActionResult::Ok { .. }) => {
                        self.foreground.insert(uid);
                    }
                    _ => {}
                }
                if let Some(asked) = self.asked.remove(&id) {
                    self.creating.remove(&asked.name);
                    if let ActionResult::Ok { uid: Some(uid) } | ActionResult::Exists { uid, .. } =
                        result
                    {
                        self.created.insert(uid, asked);
                    }
                }
            }
            _ => {}
        }
        self.reach();
    }

    /// A Job is gone; with it its pods, if it was deleted in the foreground.
    fn gone(&mut self, name: &str, uid: &str) {
        let deleting = |j: &JobSeen| j.uid == uid && j.deleting_since.is_some();
        let seen = self.model.jobs.get(name).is_some_and(deleting);
        if seen || self.foreground.contains(uid) {
            self.pods.retain(|_, p| p.job_uid != uid);
        }
        self.model.jobs.retain(|n, j| n != name || j.uid != uid);
    }

    fn see(&mut self, job: JobSeen) {
        if self.known_gone.contains(&job.uid) {
            // Late news of a Job that an answer has shown to be gone.
            return;
        }
        // It is there: whatever becomes of the answer to its create.
        self.creating.remove(&job.name);
        if job.complete.is_some() {
            let attempts = (job.restart_attempt, job.job_restart_attempt);
            self.completed.insert((self.model.key(&job), attempts));
        }
        self.model.see(job);
    }

    /// Notes which roles are started or complete now.
    fn reach(&mut self) {
        for role in 0..self.jobset.spec.replicated_jobs.len() {
            if self.model.started(role) {
                self.reached.insert((role, false));
            }
            if self.model.completed(role) {
                self.reached.insert((role, true));
            }
        }
    }

    fn stepped(&mut self, stepped: &Stepped) -> Held {
        let step = &stepped.step;
        // A Job that a dead driver's late request still makes is deleted even then.
        let deletes = |(_, a): &(ActionId, Action)| matches!(a, Action::DeleteJob { .. });
        if self.ended && (!step.actions.iter().all(deletes) || step.outcome.is_some()) {
            return broken("nothing after the outcome", step);
        }
        self.ended |= step.outcome.is_some();
        if stepped.suspended != self.suspended {
            // Resuming follows the order again from what runs then.
            self.suspended = stepped.suspended;
            self.reached.clear();
        }
        self.events(stepped)?;
        self.reach();
        self.counters(stepped)?;
        for (id, action) in &step.actions {
            if self.last_action.is_some_and(|last| last >= *id) {
                return broken("actions are numbered", (self.last_action, id));
            }
            self.last_action = Some(*id);
            match action {
                Action::DeleteJob { name, uid, .. }
                | Action::SuspendJob { name, uid }
                | Action::ResumeJob { name, uid, .. } => {
                    let delete = matches!(action, Action::DeleteJob { .. });
                    self.calls.insert(*id, (name.clone(), uid.clone(), delete));
                }
                _ => {}
            }
            self.action(*id, action, stepped)?;
        }
        Ok(())
    }

    fn events(&mut self, stepped: &Stepped) -> Held {
        for event in &stepped.step.events {
            if event.seq <= self.last_seq {
                return broken("events are numbered", (self.last_seq, lines::event(event)));
            }
            self.last_seq = event.seq;
            match &event.kind {
                EventKind::PolicyDecided {
                    action,
                    counts,
                    restarts,
                    limit_reached,
                    role,
                    job,
                    rule_index,
                    ..
                } => {
                    let Some(want) = self.model.verdict() else {
                        return broken("restarts as the model counts them", lines::event(event));
                    };
                    self.model.apply(&want);
                    let same = want.action.as_str() == action
                        && want.rule == *rule_index
                        && want.limit_reached == *limit_reached
                        && self.name(want.job) == format!("{role}-{job}")
                        && want.counts() == *counts
                        && self.model.used() == *restarts;
                    if !same {
                        return broken(
                            "restarts as the model counts them",
                            (want, lines::event(event)),
                        );
                    }
                    self.reached.clear();
                }
                EventKind::SuccessDecided { .. } if !self.model.success() => {
                    return broken("success as the model sees it", lines::event(event));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn name(&self, (role, index): JobKey) -> String {
        format!("{}-{index}", self.jobset.spec.replicated_jobs[role].name)
    }

    fn counters(&self, stepped: &Stepped) -> Held {
        let status = &stepped.state.status;
        let job_counted: u32 = status
            .replicated_jobs_status
            .iter()
            .flat_map(|r| &r.job_restarts_count_towards_max)
            .sum();
        let job_restarts: u32 = status
            .replicated_jobs_status
            .iter()
            .flat_map(|r| &r.job_restarts)
            .sum();
        let got = (
            status.restarts,
            status.restarts_count_towards_max,
            job_restarts,
            job_counted,
        );
        let model = &self.model;
        let want = (
            model.restarts,
            model.counted,
            model.job_restarts.values().sum(),
            model.job_counted.values().sum(),
        );
        if got != want {
            return broken(
                "restarts as the model counts them",
                format!("model {want:?}, engine {got:?}"),
            );
        }
        if model
            .max()
            .is_some_and(|max| status.restarts_count_towards_max + job_counted > max)
        {
            return broken("restarts within the limit", got);
        }
        let over = stepped.state.stop.is_some() || status.terminal_state.is_some();
        let due = self.jobs_listed && self.pods_listed && !over && stepped.step.write.is_none();
        if let Some(verdict) = model.verdict().filter(|_| due) {
            return broken(
                "restarts as the model counts them",
                format!("not decided: {verdict:?}"),
            );
        }
        Ok(())
    }

    fn action(&mut self, id: ActionId, action: &Action, stepped: &Stepped) -> Held {
        match action {
            Action::CreateJob {
                role,
                index,
                restarts,
                job_restarts,
                suspend,
            } => {
                let name = format!(
                    "{}-{}",
                    self.jobset.metadata.name,
                    self.name((*role, *index))
                );
                if self.model.jobs.contains_key(&name) || !self.creating.insert(name.clone()) {
                    return broken("one Job of a name", action);
                }
                // Pods that have ended and that nobody takes away hold up nothing.
                let stands =
                    |p: &PodSeen| !matches!(p.phase, PodPhase::Succeeded | PodPhase::Failed);
                if self.pods.values().any(|p| p.job == name && stands(p)) {
                    return broken("no creation over old pods", action);
                }
                let old_job = self.model.jobs.values().any(|j| !self.model.current(j));
                let old_pod = self
                    .pods
                    .values()
                    .any(|p| p.restart_attempt < *restarts && stands(p));
                if self.model.blocking() && (old_job || old_pod) {
                    return broken("no overlap under BlockingRecreate", action);
                }
                let key = (*role, *index);
                self.asked.insert(
                    id,
                    Asked {
                        name,
                        key,
                        attempts: (*restarts, *job_restarts),
                    },
                );
                self.order(*role, *suspend, action)
            }
            Action::ResumeJob { name, .. } => {
                let role = self.model.jobs.get(name).map(|j| self.model.key(j).0);
                role.map_or(Ok(()), |r| self.order(r, false, action))
            }
            Action::DeleteJob { name, uid, .. } => {
                let over =
                    stepped.state.stop.is_some() || stepped.state.status.terminal_state.is_some();
                let job = self.model.jobs.get(name).filter(|j| j.uid == *uid);
                let known = match (job, self.created.get(uid)) {
                    (Some(job), _) => Some(self.model.current(job)),
                    (None, Some(c)) => Some(
                        c.attempts.0 >= self.model.restarts
                            && c.attempts.1 >= self.model.target(c.key),
                    ),
                    (None, None) => None,
                };
                let reason = known.is_some_and(|current| over || !current);
                if reason {
                    Ok(())
                } else {
                    broken("deletes have a reason", action)
                }
            }
            _ => Ok(()),
        }
    }

    fn order(&self, role: usize, suspend: bool, action: &Action) -> Held {
        for (other, complete) in self.model.waits_for(role) {
            let in_order_only = !self.jobset.spec.replicated_jobs[role]
                .depends_on
                .iter()
                .any(|d| d.name == self.jobset.spec.replicated_jobs[other].name);
            if suspend && in_order_only {
                continue;
            }
            if !self.reached.contains(&(other, complete)) {
                return broken("startup order", (action, self.name((other, 0)), complete));
            }
        }
        Ok(())
    }

    fn executed(&self, executed: &Executed) -> Held {
        let durable = &executed.durable.status;
        match &executed.action {
            Action::CreateJob {
                role,
                index,
                restarts,
                job_restarts,
                ..
            } => {
                let name = &self.jobset.spec.replicated_jobs[*role].name;
                let of_role = durable
                    .replicated_jobs_status
                    .iter()
                    .find(|r| r.name == *name);
                let index = usize::try_from(*index).unwrap();
                let job_target = of_role
                    .and_then(|r| r.job_restarts.get(index))
                    .copied()
                    .unwrap_or(0);
                if durable.restarts < *restarts || job_target < *job_restarts {
                    return broken("written before it is acted on", executed);
                }
                if executed.stale || self.strangers {
                    return Ok(());
                }
                if executed.old_pods_of_name > 0 {
                    return broken("no creation over old pods", executed);
                }
                if self.model.blocking() && executed.earlier > 0 {
                    return broken("no overlap under BlockingRecreate", executed);
                }
                Ok(())
            }
            Action::DeleteJob { name, .. } => {
                let Some((attempt, job_attempt, _)) = executed.deleted else {
                    return Ok(());
                };
                let over = durable.terminal_state.is_some() || executed.durable.stop.is_some();
                let old = attempt < durable.restarts
                    || durable.replicated_jobs_status.iter().any(|r| {
                        let prefix = format!("{}-{}-", self.jobset.metadata.name, r.name);
                        let index = name
                            .strip_prefix(&prefix)
                            .and_then(|i| i.parse::<usize>().ok());
                        index
                            .and_then(|i| r.job_restarts.get(i))
                            .is_some_and(|target| job_attempt < *target)
                    });
                if over || old {
                    Ok(())
                } else {
                    broken("written before it is acted on", executed)
                }
            }
            _ => Ok(()),
        }
    }
}

/// Jobs of a role add up to its replicas, pods to no more than are wanted.
pub(crate) fn sums(snapshot: &Snapshot) -> Held {
    for r in &snapshot.roles {
        let sum =
            r.ready + r.starting + r.failing + r.succeeded + r.failed + r.suspended + r.waiting;
        if sum != r.replicas || r.pods > r.pods_wanted {
            return broken("snapshot sums add up", r);
        }
    }
    Ok(())
}

fn broken(name: &str, what: impl std::fmt::Debug) -> Held {
    assert!(NAMES.contains(&name), "{name} is not in the list");
    Err(format!("{name}: {what:?}"))
}
