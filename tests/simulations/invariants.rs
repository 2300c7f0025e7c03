//! What must hold in the world, by name: checked on every change of the store in order, as an administrator
//! sees it, with the requests that made them beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::api::{JobSet, names};
use kubectl_jobset::cluster::object::{Kind, Object};
use kubectl_jobset::cluster::store::{Change, ChangeKind};
use kubectl_jobset::cluster::world::World;
use kubectl_jobset::engine::{FailAt, JobSeen, RunState};

use crate::model::{JobKey, Model};
use crate::network::{Book, NAMESPACE, Who, Written};
use crate::objects::{self, PodAt, RecordAt};

/// `Err` names the invariant first.
pub(crate) type Held = Result<(), String>;

pub(crate) const ORDER: &str = "startup order";
pub(crate) const COUNTS: &str = "restarts are counted one by one, and made";
pub(crate) const WRITTEN: &str = "written before it is acted on";
pub(crate) const NAME: &str = "no Job beside the pods of its name";
pub(crate) const OVERLAP: &str = "no overlap under BlockingRecreate";
pub(crate) const OWNER: &str = "one owner";
pub(crate) const ORPHANS: &str = "nothing is orphaned";
pub(crate) const TWICE: &str = "nothing is made twice";
pub(crate) const VERDICT: &str = "the verdict is the model's";
pub(crate) const ENDS: &str = "it ends";

/// Every invariant, for the list of deliberate breaks.
pub(crate) const NAMES: &[&str] = &[
    ORDER, COUNTS, WRITTEN, NAME, OVERLAP, OWNER, ORPHANS, TWICE, VERDICT, ENDS,
];

/// A driver trusts its seat for so long after it was last confirmed.
const TRUST: SignedDuration = SignedDuration::from_secs(30);
/// Decisions that one write may carry.
const DECISIONS: usize = 12;

pub(crate) fn broken(name: &str, what: impl std::fmt::Debug) -> Held {
    assert!(NAMES.contains(&name), "{name} is not in the list");
    Err(format!("{name}: {what:?}"))
}

/// Counters of a record, to be held against those of the model.
type Counters = (u32, u32, BTreeMap<JobKey, u32>, BTreeMap<JobKey, u32>, bool);

/// Follows a run through all its drivers.
pub(crate) struct Checker {
    jobset: JobSet,
    fail_at: FailAt,
    book: Book,
    written: Vec<Written>,
    version: u64,
    model: Model,
    /// Jobs as they were at each moment since the last decision at which one had failed.
    views: Vec<BTreeMap<String, JobSeen>>,
    /// Watches may skip a change.
    pub(crate) skips: bool,
    success_seen: bool,
    jobs: BTreeMap<String, JobSeen>,
    pods: BTreeMap<String, PodAt>,
    pub(crate) record: Option<RecordAt>,
    /// There was one.
    pub(crate) had_record: bool,
    record_uid: String,
    /// Restarts of the set that were written, by version.
    restarts: Vec<(u64, u32)>,
    /// Who took the seat, when, at which version.
    seats: Vec<(Who, Timestamp, u64)>,
    made: BTreeMap<(JobKey, u32, u32), String>,
    reached: BTreeSet<(usize, bool)>,
    /// Since which version it counts.
    reached_since: u64,
    suspended: bool,
    pub(crate) story: Vec<String>,
}

impl Checker {
    pub(crate) fn new(jobset: &JobSet, fail_at: FailAt, book: &Book) -> Self {
        Self {
            jobset: jobset.clone(),
            fail_at,
            book: book.clone(),
            written: Vec::new(),
            version: 0,
            model: Model::new(jobset, fail_at, &RunState::default()),
            views: Vec::new(),
            skips: false,
            success_seen: false,
            jobs: BTreeMap::new(),
            pods: BTreeMap::new(),
            record: None,
            had_record: false,
            record_uid: String::new(),
            restarts: Vec::new(),
            seats: Vec::new(),
            made: BTreeMap::new(),
            reached: BTreeSet::new(),
            reached_since: 0,
            suspended: false,
            story: Vec::new(),
        }
    }

    /// Follows all changes since the last call.
    pub(crate) fn follow(&mut self, world: &World) -> Held {
        if world.version() == self.version {
            return Ok(());
        }
        let mut changes: Vec<Change> = Vec::new();
        for kind in [Kind::Job, Kind::Pod, Kind::ConfigMap] {
            let new = world.store().changes_after(kind, self.version);
            changes.extend(new.map_err(|_| "the history is too short")?.cloned());
        }
        changes.sort_by_key(|c| c.version);
        self.version = world.version();
        self.written = self.book.take();
        for change in changes {
            if change.object.namespace() == NAMESPACE {
                self.tell(world.now(), &change);
                self.change(&change)?;
            }
        }
        let written = std::mem::take(&mut self.written);
        for w in &written {
            self.sender(w)?;
        }
        Ok(())
    }

    fn tell(&mut self, now: Timestamp, change: &Change) {
        let by = self.writer(change.version).map_or_else(
            || "the cluster".to_owned(),
            |w| format!("{} (sent {})", w.who, w.sent),
        );
        let object = &change.object;
        let detail = match &**object {
            Object::Job(job) => {
                let j = objects::job(job);
                format!(
                    "@{}.{} ready {} succeeded {} failed {} failing {:?} complete {} deleting {} suspend {}",
                    j.restart_attempt,
                    j.job_restart_attempt,
                    j.ready,
                    j.succeeded,
                    j.failed_condition.is_some(),
                    j.failure_target.map(|e| e.reason),
                    j.complete.is_some(),
                    j.deleting_since.is_some(),
                    j.suspend
                )
            }
            Object::Pod(pod) => {
                let p = objects::pod(pod);
                format!("@{} lives {}", p.attempt, p.lives)
            }
            Object::ConfigMap(map) => objects::record(map).map_or_else(String::new, |r| {
                let s = &r.state;
                let own: Vec<_> = s
                    .status
                    .replicated_jobs_status
                    .iter()
                    .map(|r| &r.job_restarts)
                    .collect();
                format!(
                    "epoch {} restarts {}/{} {own:?} {:?} {:?} {:?}",
                    r.seat.epoch,
                    s.status.restarts,
                    s.status.restarts_count_towards_max,
                    s.outcome,
                    r.control,
                    r.jobset.spec.suspend
                )
            }),
            _ => String::new(),
        };
        self.story.push(format!(
            "by {now} {} {:?} {:?} {} {detail} by {by}",
            change.version,
            change.kind,
            object.kind(),
            object.name()
        ));
    }

    /// Whose request made that change.
    fn writer(&self, version: u64) -> Option<&Written> {
        let made = |w: &&Written| w.after < version && version <= w.up_to;
        self.written.iter().find(made)
    }

    fn change(&mut self, change: &Change) -> Held {
        let gone = change.kind == ChangeKind::Deleted;
        match &*change.object {
            Object::Job(job) => {
                let seen = objects::job(job);
                self.job(change, seen, gone)
            }
            Object::Pod(pod) => {
                let uid = change.object.uid().to_owned();
                if gone {
                    self.pods.remove(&uid);
                } else {
                    self.pods.insert(uid, objects::pod(pod));
                }
                Ok(())
            }
            Object::ConfigMap(map)
                if map.metadata.name.as_deref()
                    == Some(&names::record_name(&self.jobset.metadata.name)) =>
            {
                if gone {
                    self.record = None;
                    return Ok(());
                }
                self.record_uid = change.object.uid().to_owned();
                match objects::record(map) {
                    Some(record) => self.record(change.version, record),
                    None => broken(OWNER, "the record can't be read"),
                }
            }
            _ => Ok(()),
        }
    }

    fn job(&mut self, change: &Change, seen: JobSeen, gone: bool) -> Held {
        let before = self.jobs.get(&seen.uid).cloned();
        if gone {
            if before.as_ref().is_some_and(|b| b.deleting_since.is_none()) {
                self.deleted(&seen)?;
            }
            self.jobs.remove(&seen.uid);
            self.model.jobs.retain(|_, j| j.uid != seen.uid);
            return Ok(());
        }
        match &before {
            None => self.made(change, &seen)?,
            Some(before) => {
                if seen.deleting_since.is_some() && before.deleting_since.is_none() {
                    self.deleted(&seen)?;
                }
                if before.suspend && !seen.suspend {
                    self.order(change.version, &seen)?;
                }
            }
        }
        self.jobs.insert(seen.uid.clone(), seen.clone());
        self.model.see(seen);
        self.reach();
        Ok(())
    }

    /// Notes what holds now and may be acted on later.
    fn reach(&mut self) {
        for role in 0..self.jobset.spec.replicated_jobs.len() {
            if self.model.started(role) {
                self.reached.insert((role, false));
            }
            if self.model.completed(role) {
                self.reached.insert((role, true));
            }
        }
        self.success_seen |= self.model.success();
        let failed = |j: &JobSeen| j.failed_condition.is_some() || j.failure_target.is_some();
        if self.model.jobs.values().any(failed) {
            self.views.push(self.model.jobs.clone());
        }
    }

    fn made(&mut self, change: &Change, job: &JobSeen) -> Held {
        let key = self.model.key(job);
        let attempts = (job.restart_attempt, job.job_restart_attempt);
        if !objects::owners(change.object.meta()).contains(&self.record_uid.as_str()) {
            return broken(ORPHANS, ("made without its owner", &job.name));
        }
        let sent_at = self
            .writer(change.version)
            .map_or(change.version, |w| w.sent_at);
        // A request that was sent before a later decision was written is nobody's fault.
        let then = self.restarts.iter().rfind(|(v, _)| *v <= sent_at);
        let late =
            then.is_some_and(|(_, r)| *r < self.model.restarts) && attempts.0 < self.model.restarts;
        if let Some(there) = self
            .made
            .insert((key, attempts.0, attempts.1), job.uid.clone())
            && !late
        {
            return broken(TWICE, (&job.name, attempts, there));
        }
        if attempts.0 > self.model.restarts || attempts.1 > self.model.target(key) {
            return broken(WRITTEN, (&job.name, attempts, self.model.restarts));
        }
        if late {
            return Ok(());
        }
        if attempts.0 < self.model.restarts {
            return broken(
                WRITTEN,
                ("of the past", &job.name, attempts, self.model.restarts),
            );
        }
        let old = |p: &&PodAt| p.lives && p.job == job.name && p.job_uid != job.uid;
        if let Some(pod) = self.pods.values().find(old) {
            return broken(NAME, (&job.name, attempts, pod));
        }
        if self.model.blocking() {
            let old = |p: &&PodAt| p.lives && p.attempt < attempts.0;
            if let Some(pod) = self.pods.values().find(old) {
                return broken(OVERLAP, (&job.name, attempts, pod));
            }
            let old = |j: &&JobSeen| j.restart_attempt < attempts.0;
            if let Some(old) = self.jobs.values().find(old) {
                return broken(OVERLAP, (&job.name, attempts, &old.name));
            }
        }
        if job.suspend {
            Ok(())
        } else {
            self.order(change.version, job)
        }
    }

    fn order(&self, version: u64, job: &JobSeen) -> Held {
        let sent_at = self.writer(version).map_or(version, |w| w.sent_at);
        // Sent before the roles had to start anew: nobody's fault.
        if sent_at < self.reached_since {
            return Ok(());
        }
        let (role, _) = self.model.key(job);
        for waits in self.model.waits_for(role) {
            if !self.reached.contains(&waits) {
                return broken(ORDER, (&job.name, waits));
            }
        }
        Ok(())
    }

    fn deleted(&self, job: &JobSeen) -> Held {
        let Some(record) = &self.record else {
            return Ok(());
        };
        let state = &record.state;
        let over = state.status.terminal_state.is_some() || state.stop.is_some();
        let old = !self.model.current(job);
        if over || old || record.control.delete.is_some() {
            return Ok(());
        }
        broken(
            WRITTEN,
            ("deleted for no reason", &job.name, job.restart_attempt),
        )
    }

    fn record(&mut self, version: u64, new: RecordAt) -> Held {
        let writer = self.writer(version).cloned();
        let who = writer.as_ref().map(|w| w.who);
        let sent = writer.map_or_else(Timestamp::default, |w| w.sent);
        let old = self.record.replace(new.clone());
        let Some(old) = old else {
            self.had_record = true;
            self.seats.push((who.unwrap_or(Who::MAX), sent, version));
            self.restarts.push((version, new.state.status.restarts));
            // A role without Jobs has started.
            self.reach();
            return Ok(());
        };
        let owner = self.seats.last().map(|s| s.0);
        if new.seat.epoch == old.seat.epoch + 1 {
            self.seats.push((who.unwrap_or(Who::MAX), sent, version));
        } else if new.seat != old.seat {
            return broken(OWNER, ("the epoch", &old.seat, &new.seat));
        } else if new.state != old.state && who != owner {
            return broken(OWNER, ("written by", who, "owned by", owner));
        }
        let suspended = new.jobset.suspended();
        if suspended != self.suspended {
            self.suspended = suspended;
            self.reached.clear();
            self.reached_since = version;
            self.reach();
        }
        self.counters(version, &old.state, &new)
    }

    fn counted(&self, state: &RunState) -> Counters {
        let m = Model::new(&self.jobset, self.fail_at, state);
        let some = |all: BTreeMap<JobKey, u32>| all.into_iter().filter(|(_, n)| *n > 0).collect();
        let failed = state.status.terminal_state.as_deref() == Some("Failed");
        (
            m.restarts,
            m.counted,
            some(m.job_restarts),
            some(m.job_counted),
            failed,
        )
    }

    fn counters(&mut self, version: u64, old: &RunState, new: &RecordAt) -> Held {
        let stopped = new.state.stop.is_some();
        if stopped && new.control.stop.is_none() {
            return broken(VERDICT, "stopped, and nobody wished it");
        }
        let completed = |s: &RunState| s.status.terminal_state.as_deref() == Some("Completed");
        if completed(&new.state) && !completed(old) && !self.success_seen {
            return broken(VERDICT, ("completed", &self.model.succeeded));
        }
        let (before, mut after) = (self.counted(old), self.counted(&new.state));
        if after.0 != before.0 && after.0 != before.0 + 1 {
            return broken(COUNTS, (before, after));
        }
        if stopped {
            after.4 = before.4;
        }
        if before == after {
            return Ok(());
        }
        if self
            .model
            .max()
            .is_some_and(|max| after.1 + after.3.values().sum::<u32>() > max)
        {
            return broken(COUNTS, ("over the limit", after));
        }
        self.restarts.push((version, after.0));
        let Some(decided) = self.explain(&after) else {
            let views: Vec<_> = self.views.iter().map(failures).collect();
            return broken(VERDICT, (before, after, views));
        };
        // What was decided holds; what is there now is looked at anew.
        let jobs = std::mem::take(&mut self.model.jobs);
        let set = decided.restarts > self.model.restarts;
        self.model = decided;
        self.model.jobs.clear();
        self.views.clear();
        self.success_seen = false;
        if set {
            self.reached.clear();
            self.reached_since = version;
        }
        for (_, job) in jobs {
            self.model.see(job);
        }
        self.reach();
        Ok(())
    }

    /// The model after decisions that lead to those counters, each from what could be seen at some moment.
    fn explain(&self, wanted: &Counters) -> Option<Model> {
        let mut models = vec![self.model.clone()];
        for _ in 0..DECISIONS {
            let mut next: Vec<(Counters, Model)> = Vec::new();
            for model in &models {
                for view in &self.views {
                    for part in self.parts(view) {
                        let mut model = model.clone();
                        model.jobs = part;
                        let Some(verdict) = model.verdict() else {
                            continue;
                        };
                        model.apply(&verdict);
                        let counters = counters(&model);
                        if counters == *wanted {
                            return Some(model);
                        }
                        let beyond = |some: &BTreeMap<JobKey, u32>, all: &BTreeMap<JobKey, u32>| {
                            some.iter().any(|(k, n)| n > all.get(k).unwrap_or(&0))
                        };
                        // Counters never fall, but those of Jobs do when the set is restarted.
                        let lost = counters.0 > wanted.0
                            || counters.1 > wanted.1
                            || (counters.0 == wanted.0
                                && (beyond(&counters.2, &wanted.2)
                                    || beyond(&counters.3, &wanted.3)));
                        if lost {
                            continue;
                        }
                        if !next.iter().any(|(c, _)| *c == counters) {
                            next.push((counters, model));
                        }
                    }
                }
            }
            models = next.into_iter().map(|(_, model)| model).collect();
        }
        None
    }

    /// A view, and where watches may skip a change also what is left of it then.
    fn parts(&self, view: &BTreeMap<String, JobSeen>) -> Vec<BTreeMap<String, JobSeen>> {
        let failed: Vec<&JobSeen> = view
            .values()
            .filter(|j| j.failed_condition.is_some() || j.failure_target.is_some())
            .collect();
        if !self.skips || failed.len() < 2 || failed.len() > 8 {
            return vec![view.clone()];
        }
        (1_u32..1 << failed.len())
            .map(|set| {
                let chosen = failed
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| set & (1 << i) != 0);
                chosen
                    .map(|(_, j)| (j.name.clone(), (*j).clone()))
                    .collect()
            })
            .collect()
    }

    /// Whoever has lost the seat changes nothing after it must know.
    fn sender(&self, w: &Written) -> Held {
        if w.what.contains("/leases") || w.what.contains("/configmaps") {
            return Ok(());
        }
        let Some(mine) = self.seats.iter().rposition(|s| s.0 == w.who) else {
            return Ok(());
        };
        match self.seats.get(mine + 1) {
            Some((_, at, version)) if w.sent_at > *version && w.sent > *at + TRUST => {
                broken(OWNER, ("after the seat was lost", &w.what, w.sent, at))
            }
            _ => Ok(()),
        }
    }

    /// What must hold once a run has ended and all has come to rest.
    pub(crate) fn at_rest(&self, world: &World) -> Held {
        let Some(record) = &self.record else {
            return Ok(());
        };
        let there = |uid: &str| world.store().by_uid(uid).is_some();
        for kind in [Kind::Job, Kind::Pod, Kind::Service, Kind::Lease] {
            for object in world.store().list(kind, Some(NAMESPACE)) {
                let owners = objects::owners(object.meta());
                if owners.is_empty() || !owners.iter().all(|uid| there(uid)) {
                    return broken(ORPHANS, (kind, object.name(), owners));
                }
            }
        }
        if let Some(pod) = self.pods.values().find(|p| p.lives) {
            return broken(ENDS, ("a pod still runs", pod));
        }
        let made = self.made.keys().map(|(_, a, _)| *a).max().unwrap_or(0);
        if made > record.state.status.restarts {
            return broken(COUNTS, (made, record.state.status.restarts));
        }
        if record.state.stop.is_none() && made < record.state.status.restarts {
            return broken(
                COUNTS,
                ("a restart was not made", made, record.state.status.restarts),
            );
        }
        Ok(())
    }

    /// What must hold once a run has been deleted.
    pub(crate) fn nothing_left(&self, world: &World) -> Held {
        for kind in [
            Kind::Job,
            Kind::Pod,
            Kind::Service,
            Kind::ConfigMap,
            Kind::Lease,
        ] {
            let left: Vec<&Arc<Object>> = world.store().list(kind, Some(NAMESPACE)).collect();
            if let Some(object) = left.first() {
                return broken(ORPHANS, ("left behind", kind, object.name()));
            }
        }
        Ok(())
    }
}

fn counters(m: &Model) -> Counters {
    let some = |all: &BTreeMap<JobKey, u32>| {
        let some = all.iter().filter(|(_, n)| **n > 0);
        some.map(|(k, n)| (*k, *n)).collect()
    };
    (
        m.restarts,
        m.counted,
        some(&m.job_restarts),
        some(&m.job_counted),
        m.failed,
    )
}

fn failures(view: &BTreeMap<String, JobSeen>) -> Vec<String> {
    let ends = view.values().filter_map(|j| {
        let end = j.failure_target.as_ref().or(j.failed_condition.as_ref())?;
        Some(format!(
            "{}@{}.{} {} {}",
            j.name, j.restart_attempt, j.job_restart_attempt, end.at, end.reason
        ))
    });
    ends.collect()
}
