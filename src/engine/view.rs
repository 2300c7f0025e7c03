//! What has been seen of the run, indexed so that one event costs the same at any size: a slot per
//! Job of the spec, a counter per role and class, and sets of the slots that need something.
//!
//! Every change goes through [`View::settle`], which takes a slot's old share out of the counters,
//! classifies it anew and puts the new share in. Nothing here decides or speaks.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::Timestamp;

use crate::api::JobSet;
use crate::engine::action::ActionId;
use crate::engine::input::{JobEnd, JobSeen};
use crate::engine::pods::Pods;
use crate::engine::run::FailAt;

/// Position of a Job of the spec: roles in order, indexes within.
pub(super) type SlotId = usize;

/// What a Job of the spec is at the moment; each is exactly one (the sums of cli.md 6.8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Class {
    /// No Job of this attempt, none asked for.
    #[default]
    Absent,
    /// Exists or has been asked for, not ready.
    Starting,
    /// Its pods are ready or have succeeded (spec 6).
    Ready,
    /// `FailureTarget`, not yet Failed.
    Failing,
    /// Complete, or remembered as such.
    Succeeded,
    /// Failed.
    Failed,
    /// `spec.suspend`.
    Suspended,
}

/// Number of [`Class`] values.
const CLASSES: usize = 7;

/// A Job object that stands under a slot's name.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) seen: JobSeen,
    /// Known from the answer to our create only; the watch hasn't shown it.
    pub(super) expected: bool,
    /// A list did not have the expected Job: gone, or the list was older than the create.
    pub(super) missed_at: Option<Timestamp>,
    /// Our delete was accepted.
    pub(super) delete_sent: bool,
    /// When the delete became due; evidence may hold it back a little.
    pub(super) delete_due: Option<Timestamp>,
    /// It must be deleted and made again within its attempt (its template can't be changed).
    pub(super) replace: bool,
    /// `spec.suspend` as we patched it, until the watch shows it.
    pub(super) suspend_sent: Option<(bool, Timestamp)>,
    /// It was suspended and the watch hasn't shown it: what is known of its pods is from before.
    pub(super) pods_before: bool,
    pub(super) said_created: bool,
    pub(super) said_ready: bool,
    pub(super) said_failed: bool,
    pub(super) said_no_pods: bool,
    /// Completion indexes that had a pod, a bit each (C01).
    pub(super) had_pod: Vec<u64>,
    /// Pods of a NonIndexed Job that were lost and not made up for.
    pub(super) lost: u32,
}

impl Entry {
    pub(super) fn new(seen: JobSeen, expected: bool) -> Self {
        Self {
            seen,
            expected,
            missed_at: None,
            delete_sent: false,
            delete_due: None,
            replace: false,
            suspend_sent: None,
            pods_before: false,
            said_created: false,
            said_ready: false,
            said_failed: false,
            said_no_pods: false,
            had_pod: Vec::new(),
            lost: 0,
        }
    }
    /// `spec.suspend` as it is or will be.
    pub(super) fn suspended(&self) -> bool {
        self.suspend_sent.map_or(self.seen.suspend, |(to, _)| to)
    }
    /// The Job ended, one way or the other.
    pub(super) fn ended(&self) -> bool {
        self.seen.complete.is_some() || self.seen.failed_condition.is_some()
    }
}

/// What a slot waits for after a refused or hindered create or delete.
#[derive(Clone, Debug)]
pub(super) struct Retry {
    pub(super) at: Timestamp,
    pub(super) tries: u32,
    /// One word and a sentence, for notes.
    pub(super) reason: String,
    pub(super) message: String,
}

/// The mutating call in flight for a slot; at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Create {
        restarts: u32,
        job_restarts: u32,
        suspend: bool,
    },
    Delete,
    Suspend,
    Resume,
}

/// A Warning event about a Job.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) at: Timestamp,
}

/// One Job of the spec.
#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) role: usize,
    pub(super) index: u32,
    /// Restarts of this Job by itself, as counted.
    pub(super) job_restarts: u32,
    pub(super) job: Option<Box<Entry>>,
    /// All pods seen under this slot's labels.
    pub(super) pods: Vec<u32>,
    /// Those that keep a successor from being created.
    pub(super) blockers: u32,
    /// Pods of earlier attempts among them.
    pub(super) old_pods: u32,
    /// Pods of this attempt that are ready or succeeded.
    pub(super) pods_ok: u32,
    /// Succeeded in this attempt, whether or not the Job still stands (trap D.1.9).
    pub(super) remembered: bool,
    pub(super) call: Option<(ActionId, Call)>,
    /// UID of the Job that went last: late news about it are no news.
    pub(super) last_gone: Option<Box<str>>,
    pub(super) evidence_open: u32,
    pub(super) retry: Option<Box<Retry>>,
    pub(super) notice: Option<Box<Notice>>,
    share: Share,
}

/// A slot's part in its role's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    counted: bool,
    class: Class,
    active: bool,
    previous: bool,
    standing: bool,
    made: bool,
    pods_ok: u32,
    old_pods: u32,
}

/// One role.
#[derive(Debug, Default)]
pub(super) struct Role {
    pub(super) name: String,
    pub(super) first: SlotId,
    pub(super) replicas: u32,
    /// Pods of one Job that make it ready (spec 6).
    pub(super) expected: u32,
    counts: [u32; CLASSES],
    /// Jobs of this attempt with `status.active > 0`.
    pub(super) active: u32,
    /// Jobs of earlier attempts that stand.
    pub(super) previous: u32,
    /// Jobs of this attempt that exist or are remembered.
    pub(super) made: u32,
    /// Pods ready or succeeded, at most `expected` per Job.
    pub(super) pods_ok: u32,
    /// Pods that wait to run, and pods on their way out.
    pub(super) pending: BTreeSet<u32>,
    pub(super) leaving: BTreeSet<u32>,
}

impl Role {
    /// Jobs of that class.
    pub(super) fn count(&self, class: Class) -> u32 {
        self.counts[class as usize]
    }
    /// Slots of the role.
    pub(super) fn slots(&self) -> std::ops::Range<SlotId> {
        self.first..self.first + self.replicas as usize
    }
}

/// Everything seen.
#[derive(Debug)]
pub(super) struct View {
    pub(super) roles: Vec<Role>,
    pub(super) slots: Vec<Slot>,
    by_role: BTreeMap<String, usize>,
    pub(super) pods: Pods,
    /// `status.restarts`: what is older is previous.
    pub(super) restarts: u32,
    pub(super) fail_at: FailAt,
    /// The run has ended: what still runs must go.
    pub(super) finished: bool,
    pub(super) jobs_listed: bool,
    pub(super) pods_listed: bool,
    pub(super) service: Option<bool>,
    /// Failed Jobs of this attempt.
    pub(super) failed: BTreeSet<SlotId>,
    /// Nothing stands in the way of creating these.
    pub(super) creatable: BTreeSet<SlotId>,
    /// Jobs that must be deleted.
    pub(super) deletable: BTreeSet<SlotId>,
    /// Current Jobs that run, and that are suspended.
    pub(super) unsuspended: BTreeSet<SlotId>,
    pub(super) suspended: BTreeSet<SlotId>,
    /// Jobs with a notice, a retry or another trouble worth a note.
    pub(super) troubled: BTreeSet<SlotId>,
    /// Previous Jobs of all roles, and pods of earlier attempts (BlockingRecreate waits for both).
    pub(super) previous_jobs: u32,
    pub(super) old_pods: u32,
    /// Job objects that stand, of any attempt.
    pub(super) standing: u32,
    /// Roles whose counters changed since they were last looked at.
    pub(super) dirty_roles: BTreeSet<usize>,
}

impl View {
    pub(super) fn new(jobset: &JobSet, fail_at: FailAt) -> Self {
        let mut view = Self {
            roles: Vec::new(),
            slots: Vec::new(),
            by_role: BTreeMap::new(),
            pods: Pods::default(),
            restarts: 0,
            fail_at,
            finished: false,
            jobs_listed: false,
            pods_listed: false,
            service: None,
            failed: BTreeSet::new(),
            creatable: BTreeSet::new(),
            deletable: BTreeSet::new(),
            unsuspended: BTreeSet::new(),
            suspended: BTreeSet::new(),
            troubled: BTreeSet::new(),
            previous_jobs: 0,
            old_pods: 0,
            standing: 0,
            dirty_roles: BTreeSet::new(),
        };
        for (position, role) in jobset.spec.replicated_jobs.iter().enumerate() {
            let first = view.slots.len();
            view.by_role.insert(role.name.clone(), position);
            view.roles.push(Role {
                name: role.name.clone(),
                first,
                replicas: role.replicas(),
                expected: u32::try_from(role.template.pods_expected().max(0)).unwrap_or(u32::MAX),
                ..Role::default()
            });
            view.slots.extend((0..role.replicas()).map(|index| Slot {
                role: position,
                index,
                ..Slot::default()
            }));
            view.dirty_roles.insert(position);
        }
        view
    }

    /// Position of a role.
    pub(super) fn role_of(&self, name: &str) -> Option<usize> {
        self.by_role.get(name).copied()
    }

    /// Slot of a role's Job; none if the spec has no such Job.
    pub(super) fn slot_of(&self, role: &str, index: u32) -> Option<SlotId> {
        let role = &self.roles[self.role_of(role)?];
        (index < role.replicas).then(|| role.first + index as usize)
    }

    /// The Job under that slot is of the current attempt.
    pub(super) fn current(&self, id: SlotId) -> Option<&Entry> {
        let slot = &self.slots[id];
        slot.job
            .as_deref()
            .filter(|e| !self.is_old(slot, e.seen.restart_attempt, e.seen.job_restart_attempt))
    }

    /// Labels of an earlier attempt (spec 5.1, trap D.4.4).
    pub(super) fn is_old(&self, slot: &Slot, restarts: u32, job_restarts: u32) -> bool {
        restarts < self.restarts || job_restarts < slot.job_restarts
    }

    /// How and when a Job failed, as far as the failure policy is concerned.
    pub(super) fn failure<'a>(&self, seen: &'a JobSeen) -> Option<&'a JobEnd> {
        match self.fail_at {
            FailAt::FailureTarget => seen
                .failure_target
                .as_ref()
                .or(seen.failed_condition.as_ref()),
            FailAt::Failed => seen.failed_condition.as_ref(),
        }
    }

    /// What that slot is now.
    pub(super) fn class(&self, id: SlotId) -> Class {
        self.slots[id].share.class
    }

    /// All roles have been started: ready, succeeded or failed (spec 9).
    pub(super) fn started(&self, role: usize) -> bool {
        let r = &self.roles[role];
        r.count(Class::Ready) + r.count(Class::Succeeded) + self.failed_of(role) == r.replicas
    }

    /// Failed Jobs of a role as the status counts them.
    pub(super) fn failed_of(&self, role: usize) -> u32 {
        let r = &self.roles[role];
        r.count(Class::Failed)
            + match self.fail_at {
                FailAt::FailureTarget => r.count(Class::Failing),
                FailAt::Failed => 0,
            }
    }

    /// Brings a slot's share of the counters and its place in the sets up to date.
    pub(super) fn settle(&mut self, id: SlotId) {
        let slot = &self.slots[id];
        let role = &self.roles[slot.role];
        let mut new = Share {
            counted: true,
            pods_ok: slot.pods_ok.min(role.expected),
            old_pods: slot.old_pods,
            standing: slot.job.is_some(),
            ..Share::default()
        };
        let mut wants = Wants::default();
        match slot.job.as_deref() {
            None => {
                new.class = if slot.remembered {
                    Class::Succeeded
                } else if matches!(slot.call, Some((_, Call::Create { .. }))) {
                    Class::Starting
                } else {
                    Class::Absent
                };
                wants.create =
                    !self.finished && !slot.remembered && slot.call.is_none() && slot.blockers == 0;
            }
            Some(e) => {
                let idle = slot.call.is_none();
                let deletable = idle && !e.delete_sent && e.seen.deleting_since.is_none();
                if self.is_old(slot, e.seen.restart_attempt, e.seen.job_restart_attempt) {
                    new.previous = true;
                    new.class = if slot.remembered {
                        Class::Succeeded
                    } else {
                        Class::Absent
                    };
                    wants.delete = deletable;
                } else {
                    let failure = self.failure(&e.seen).is_some();
                    new.class = if e.seen.complete.is_some() || slot.remembered {
                        Class::Succeeded
                    } else if e.seen.failed_condition.is_some() {
                        Class::Failed
                    } else if e.seen.failure_target.is_some() {
                        Class::Failing
                    } else if e.suspended() {
                        Class::Suspended
                    } else if !e.expected
                        && !e.pods_before
                        && u64::from(e.seen.ready) + u64::from(e.seen.succeeded)
                            >= u64::from(role.expected)
                    {
                        Class::Ready
                    } else {
                        Class::Starting
                    };
                    let running = !failure && !e.ended() && new.class != Class::Succeeded;
                    new.active = running && e.seen.active > 0;
                    wants.failed = failure && new.class != Class::Succeeded;
                    wants.delete = deletable && (e.replace || (self.finished && running));
                    wants.suspend = running && idle && !e.suspended();
                    wants.resume = running && idle && e.suspended() && !e.replace;
                }
            }
        }
        if new.class == Class::Succeeded {
            new.pods_ok = role.expected;
        }
        new.made =
            new.class != Class::Absent && !(new.class == Class::Starting && slot.job.is_none());
        wants.trouble = slot.notice.is_some()
            || slot.retry.is_some()
            || slot.job.as_deref().is_some_and(|e| e.said_no_pods);
        self.apply(id, new, &wants);
    }

    fn apply(&mut self, id: SlotId, new: Share, wants: &Wants) {
        let old = std::mem::replace(&mut self.slots[id].share, new);
        let position = self.slots[id].role;
        if old != new {
            let role = &mut self.roles[position];
            if old.counted {
                role.counts[old.class as usize] -= 1;
                role.active -= u32::from(old.active);
                role.previous -= u32::from(old.previous);
                role.made -= u32::from(old.made);
                role.pods_ok -= old.pods_ok;
                self.previous_jobs -= u32::from(old.previous);
                self.standing -= u32::from(old.standing);
                self.old_pods -= old.old_pods;
            }
            role.counts[new.class as usize] += 1;
            role.active += u32::from(new.active);
            role.previous += u32::from(new.previous);
            role.made += u32::from(new.made);
            role.pods_ok += new.pods_ok;
            self.previous_jobs += u32::from(new.previous);
            self.standing += u32::from(new.standing);
            self.old_pods += new.old_pods;
            // Pod counts are for display; they decide nothing that a step doesn't look at anyway.
            if !old.counted || old.class != new.class || old.made != new.made {
                self.dirty_roles.insert(position);
            }
        }
        place(&mut self.creatable, id, wants.create);
        place(&mut self.deletable, id, wants.delete);
        place(&mut self.failed, id, wants.failed);
        place(&mut self.unsuspended, id, wants.suspend);
        place(&mut self.suspended, id, wants.resume);
        place(&mut self.troubled, id, wants.trouble);
    }

    /// After a change that touches all: a restart, the end, another record.
    pub(super) fn settle_all(&mut self) {
        for id in 0..self.slots.len() {
            self.count_pods(id);
            self.settle(id);
        }
    }

    /// A set completes when nothing of it runs: Jobs of all roles.
    pub(super) fn replicas(&self) -> u32 {
        self.roles.iter().map(|r| r.replicas).sum()
    }
}

/// The sets a slot belongs to.
#[derive(Default)]
struct Wants {
    create: bool,
    delete: bool,
    failed: bool,
    suspend: bool,
    resume: bool,
    trouble: bool,
}

fn place(set: &mut BTreeSet<SlotId>, id: SlotId, member: bool) {
    if member {
        set.insert(id);
    } else {
        set.remove(&id);
    }
}
