//! The pocket cluster's world: objects, a clock that only moves when told, and what happens when. Pure and
//! deterministic: the same seed and the same calls give the same world. Each controller keeps its own state
//! and its own kind of due work; this file only knows their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::cluster::api::rights::Rights;
use crate::cluster::controllers::{gc, job, node, podgc, quota, scheduler};
use crate::cluster::kubelet::scripted;
use crate::cluster::object::{Kind, Object};
use crate::cluster::pace::Pace;
use crate::cluster::store::{Change, HISTORY, Key, Restored, Store};

/// Work of a controller that is due at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) enum Due {
    /// The Job controller.
    Job(job::Due),
    /// The garbage collector.
    Gc(gc::Due),
    /// The quota controller.
    Quota(quota::Due),
    /// The garbage collector of pods.
    PodGc(podgc::Due),
    /// The scheduler.
    Scheduler(scheduler::Due),
    /// The node controllers.
    Node(node::Due),
    /// The scripted kubelets.
    Kubelet(scripted::Due),
}

/// What a world is made with.
#[derive(Clone, Debug)]
pub struct WorldOptions {
    /// The first moment.
    pub start: Timestamp,
    /// Decides names, UIDs and jitter.
    pub seed: u64,
    /// How long things take.
    pub pace: Pace,
    /// Changes kept for watches, for each kind.
    pub history: usize,
}

impl WorldOptions {
    /// A world that starts then, with the usual pace.
    #[must_use]
    pub fn new(start: Timestamp, seed: u64) -> Self {
        Self {
            start,
            seed,
            pace: Pace::default(),
            history: HISTORY,
        }
    }
}

/// See the module.
#[derive(Debug)]
pub struct World {
    now: Timestamp,
    pub(in crate::cluster) store: Store,
    pub(in crate::cluster) rng: fastrand::Rng,
    pub(in crate::cluster) pace: Pace,
    /// Any namespace will do, without an object of its own.
    pub(in crate::cluster) any_namespace: bool,
    pub(in crate::cluster) rights: Rights,
    queue: BTreeMap<(Timestamp, u64), Due>,
    serial: u64,
    pub(in crate::cluster) jobs: job::State,
    pub(in crate::cluster) gc: gc::State,
    pub(in crate::cluster) quotas: quota::State,
    pub(in crate::cluster) nodes: node::State,
    pub(in crate::cluster) podgc: podgc::State,
    pub(in crate::cluster) scheduler: scheduler::State,
    pub(in crate::cluster) kubelets: scripted::State,
}

impl World {
    /// A cluster with the namespaces `default` and `kube-system`, and no node.
    #[must_use]
    pub fn new(options: WorldOptions) -> Self {
        let mut world = Self {
            now: options.start,
            store: Store::new(options.history),
            rng: fastrand::Rng::with_seed(options.seed),
            pace: options.pace,
            any_namespace: false,
            rights: Rights::default(),
            queue: BTreeMap::new(),
            serial: 0,
            jobs: job::State::default(),
            gc: gc::State::default(),
            quotas: quota::State::default(),
            nodes: node::State::default(),
            podgc: podgc::State::default(),
            scheduler: scheduler::State::default(),
            kubelets: scripted::State::default(),
        };
        for name in ["default", "kube-system"] {
            world.add_namespace(name);
        }
        world
    }

    /// Puts back what another world held, UIDs and times included: each controller sees its objects as new,
    /// as after a restart of its own. Nodes are left out: who restores brings the nodes of now.
    pub fn restore(&mut self, restored: Restored) {
        self.store.skip_to(restored.version);
        // Owners before their children.
        let (jobs, others): (Vec<_>, Vec<_>) = restored
            .objects
            .into_iter()
            .filter(|object| object.kind() != Kind::Node)
            .partition(|object| matches!(object.kind(), Kind::Namespace | Kind::Job));
        for object in jobs.into_iter().chain(others) {
            self.put(object);
        }
    }

    /// Adds a namespace. Nothing happens with one that is there, or with a name that can't be one.
    pub fn add_namespace(&mut self, name: &str) {
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.to_owned());
        let _ = self.create(namespace.into());
    }

    /// The moment it is.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The objects.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The newest resourceVersion: it grows with each change.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.store.version()
    }

    /// Forgets the history up to a version, which nobody will ask for any more.
    pub fn forget(&mut self, version: u64) {
        self.store.forget(version);
    }

    /// Changes how long things take from now on.
    pub fn change_pace(&mut self, change: impl FnOnce(&mut Pace)) {
        change(&mut self.pace);
    }

    /// When something happens next, if nobody does anything.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        self.queue.keys().next().map(|(at, _)| *at)
    }

    /// Moves the clock to `to` (never back) and lets everything happen that is due by then, in order.
    pub fn advance(&mut self, to: Timestamp) {
        while let Some(first) = self.queue.first_entry()
            && first.key().0 <= to
        {
            let ((at, _), due) = first.remove_entry();
            self.now = self.now.max(at);
            match due {
                Due::Job(due) => job::run(self, due),
                Due::Gc(due) => gc::run(self, due),
                Due::Quota(due) => quota::run(self, due),
                Due::PodGc(due) => podgc::run(self, due),
                Due::Scheduler(due) => scheduler::run(self, due),
                Due::Node(due) => node::run(self, due),
                Due::Kubelet(due) => scripted::run(self, due),
            }
        }
        self.now = self.now.max(to);
    }

    /// Lets something happen after a while (at once for zero and less, but not before this call returns).
    pub(in crate::cluster) fn after(&mut self, wait: SignedDuration, due: Due) {
        let at = self.now.saturating_add(wait).unwrap_or(self.now);
        self.at(at.max(self.now), due);
    }

    /// Lets something happen at a moment.
    pub(in crate::cluster) fn at(&mut self, at: Timestamp, due: Due) {
        self.serial += 1;
        self.queue.insert((at, self.serial), due);
    }

    /// Puts an object in its place as the system does: no checks, a new resourceVersion; everybody who
    /// watches is told. An object that is equal to what is there is left as it is.
    pub(in crate::cluster) fn put(&mut self, object: Object) -> Arc<Object> {
        if let Some(there) = self.store.get(&Key::of(&object))
            && **there == object
        {
            return Arc::clone(there);
        }
        let change = self.store.put(object);
        self.notice(&change);
        change.object
    }

    /// Takes an object away for good, whatever its finalizers. Deleting as the API does is in `api`.
    pub(in crate::cluster) fn remove(&mut self, key: &Key) {
        if let Some(change) = self.store.remove(key) {
            self.notice(&change);
        }
    }

    fn notice(&mut self, change: &Change) {
        job::notice(self, change);
        gc::notice(self, change);
        quota::notice(self, change);
        podgc::notice(self, change);
        scheduler::notice(self, change);
        node::notice(self, change);
        scripted::notice(self, change);
    }

    /// UID and creation time of a new object.
    pub(in crate::cluster) fn stamp(
        &mut self,
        meta: &mut k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
    ) {
        meta.uid = Some(self.uid());
        meta.creation_timestamp = Some(Time(self.second()));
    }

    /// The moment as the API writes it: whole seconds.
    #[must_use]
    pub fn second(&self) -> Timestamp {
        Timestamp::from_second(self.now.as_second()).unwrap_or(self.now)
    }

    /// A new UID, in the form of a random UUID.
    pub(in crate::cluster) fn uid(&mut self) -> String {
        let (a, b) = (self.rng.u64(..), self.rng.u64(..));
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            a >> 32,
            (a >> 16) & 0xffff,
            a & 0xfff,
            0x8000 | (b >> 48) & 0x3fff,
            b & 0xffff_ffff_ffff
        )
    }

    /// Five letters as `generateName` appends them: no vowels, no digits that look like letters.
    pub(in crate::cluster) fn suffix(&mut self) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..5)
            .map(|_| char::from(LETTERS[self.rng.usize(..LETTERS.len())]))
            .collect()
    }
}
