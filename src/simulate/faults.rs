//! Makes happen what was asked for: watches for pods that begin to run, and has them fail, be evicted,
//! or their Job fail, some time after. Pure.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::cli::target::{Place, Target};
use crate::cluster::kubelet::scripted::Exit;
use crate::cluster::world::World;
use crate::simulate::cluster::place_of;
use crate::simulate::fault::How;
use crate::simulate::hurt;
use crate::simulate::wishes::Wishes;

/// What is done to a pod.
#[derive(Clone, Debug)]
enum Deed {
    Fail(How),
    Evict,
}

/// A wish, and how often it has been fulfilled at each place.
#[derive(Debug)]
struct Wish {
    target: Target,
    deed: Deed,
    after: SignedDuration,
    times: u32,
    done: BTreeMap<String, u32>,
}

/// A deed that is due.
#[derive(Debug)]
struct Due {
    wish: usize,
    place: String,
    uid: String,
    /// Restarts of its containers: another run of the same pod is another one.
    restarts: i32,
}

/// A wish was fulfilled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fulfilled {
    pub(super) wish: usize,
    pub(super) place: String,
    pub(super) times: u32,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Faults {
    wishes: Vec<Wish>,
    due: BTreeMap<(Timestamp, u64), Due>,
    serial: u64,
    /// Pods that run, and which run of theirs has been seen.
    running: BTreeMap<String, i32>,
}

impl Faults {
    pub(super) fn new(wishes: &Wishes) -> Self {
        let fails = wishes.fails.iter().map(|fail| Wish {
            target: fail.target.clone(),
            deed: Deed::Fail(fail.how.clone()),
            after: fail.after,
            times: fail.times,
            done: BTreeMap::new(),
        });
        let evicts = wishes.evicts.iter().map(|evict| Wish {
            target: evict.target.clone(),
            deed: Deed::Evict,
            after: evict.after,
            times: evict.times,
            done: BTreeMap::new(),
        });
        Self {
            wishes: fails.chain(evicts).collect(),
            due: BTreeMap::new(),
            serial: 0,
            running: BTreeMap::new(),
        }
    }

    /// The wishes as they were typed, and how many times each is wanted.
    pub(super) fn texts(wishes: &Wishes) -> Vec<(String, u32)> {
        let fails = wishes.fails.iter().map(|f| (f.text.clone(), f.times));
        let evicts = wishes.evicts.iter().map(|e| (e.text.clone(), e.times));
        fails.chain(evicts).collect()
    }

    /// When the next deed is due.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.due.keys().next().map(|(at, _)| *at)
    }

    /// A pod came or changed.
    pub(super) fn see(&mut self, pod: &Pod, now: Timestamp) {
        if self.wishes.is_empty() {
            return;
        }
        let Some(seen) = Seen::of(pod) else { return };
        if !seen.runs {
            self.running.remove(seen.uid);
            return;
        }
        let known = self.running.insert(seen.uid.to_owned(), seen.restarts);
        if known == Some(seen.restarts) {
            return;
        }
        for (at, wish) in self.wishes.iter().enumerate() {
            if !wish.target.matches(&seen.place) {
                continue;
            }
            // A Job fails as a whole: its pods share the count.
            let of_job = matches!(wish.deed, Deed::Fail(How::Job { .. }));
            let index = seen.place.index.filter(|_| !of_job);
            let place = crate::report::words::target(seen.place.role, seen.place.job, index);
            if wish.done.get(&place).copied().unwrap_or(0) >= wish.times {
                continue;
            }
            self.serial += 1;
            let when = now.saturating_add(wish.after).unwrap_or(now);
            self.due.insert(
                (when, self.serial),
                Due {
                    wish: at,
                    place,
                    uid: seen.uid.to_owned(),
                    restarts: seen.restarts,
                },
            );
        }
    }

    /// A pod is gone.
    pub(super) fn gone(&mut self, uid: &str) {
        self.running.remove(uid);
    }

    /// Does what is due by now.
    pub(super) fn run(&mut self, world: &mut World) -> Vec<Fulfilled> {
        let mut out = Vec::new();
        while let Some(first) = self.due.first_entry()
            && first.key().0 <= world.now()
        {
            let due = first.remove();
            if self.running.get(&due.uid) != Some(&due.restarts) {
                continue;
            }
            let wish = &mut self.wishes[due.wish];
            let times = wish.done.entry(due.place.clone()).or_default();
            if *times >= wish.times {
                continue;
            }
            let done = match &wish.deed {
                Deed::Evict => hurt::evict(world, &due.uid),
                Deed::Fail(How::Job { reason, message }) => {
                    hurt::fail_job(world, &due.uid, reason, message)
                }
                Deed::Fail(How::Container {
                    exit,
                    signal,
                    reason,
                    message,
                }) => {
                    let exit = Exit {
                        code: *exit,
                        signal: *signal,
                        reason: reason.clone(),
                        message: message.clone(),
                    };
                    world.end_container(&due.uid, None, &exit)
                }
            };
            if done {
                *times += 1;
                out.push(Fulfilled {
                    wish: due.wish,
                    place: due.place,
                    times: *times,
                });
            }
        }
        out
    }
}

/// A pod of the run as targets see it.
struct Seen<'a> {
    uid: &'a str,
    place: Place<'a>,
    runs: bool,
    restarts: i32,
}

impl<'a> Seen<'a> {
    fn of(pod: &'a Pod) -> Option<Self> {
        let status = pod.status.as_ref();
        let runs = pod.metadata.deletion_timestamp.is_none()
            && status.and_then(|s| s.phase.as_deref()) == Some("Running");
        let restarts = status
            .and_then(|s| s.container_statuses.as_ref())
            .map_or(0, |list| list.iter().map(|c| c.restart_count).sum());
        Some(Self {
            uid: pod.metadata.uid.as_deref()?,
            place: place_of(pod)?,
            runs,
            restarts,
        })
    }
}
