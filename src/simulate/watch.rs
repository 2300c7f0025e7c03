//! The watches of a simulated driver: changes of the world as facts for the engine, in order, late, and
//! on demand held back, doubled, cut and listed anew. Pure.

use std::collections::VecDeque;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::api::names::JOBSET_UID;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Change, ChangeKind};
use crate::cluster::world::World;
use crate::driver::kube::convert;
use crate::driver::kube::slim;
use crate::engine::Observation;

/// Which objects are a run's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Namespace.
    pub namespace: String,
    /// UID of the record.
    pub run_uid: String,
}

impl Scope {
    /// It carries the run's label.
    #[must_use]
    pub fn has(&self, object: &Object) -> bool {
        object.namespace() == self.namespace && object.label(JOBSET_UID) == Some(&self.run_uid)
    }
}

/// One watch.
#[derive(Debug)]
pub struct Watch {
    kind: Kind,
    /// Changes up to that version have been taken.
    taken: u64,
    queue: VecDeque<(Timestamp, Observation)>,
    /// Nothing is delivered, nothing is lost.
    pub held: bool,
    /// Changes are lost until the next list.
    lost: bool,
    /// Each delivery comes twice.
    pub double: bool,
}

impl Watch {
    /// A watch that nobody has opened yet.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            taken: 0,
            queue: VecDeque::new(),
            held: false,
            lost: true,
            double: false,
        }
    }

    /// Lists what there is; what was still under way is older and dropped. Changes follow.
    pub fn list(&mut self, world: &World, scope: &Scope, late: SignedDuration) {
        self.queue.clear();
        self.lost = false;
        self.taken = world.version();
        if let Some(fact) = self.complete(world, scope) {
            self.queue.push_back((due(world, late), fact));
        }
    }

    fn complete(&self, world: &World, scope: &Scope) -> Option<Observation> {
        let ours = world
            .store()
            .list(self.kind, Some(&scope.namespace))
            .filter(|object| scope.has(object));
        match self.kind {
            Kind::Job => {
                let jobs = ours.filter_map(|o| convert::job(slim::Job::from(o.as_job()?)));
                Some(Observation::JobsListed(jobs.collect()))
            }
            Kind::Pod => {
                let pods = ours.filter_map(|o| convert::pod(slim::Pod::from(o.as_pod()?)));
                Some(Observation::PodsListed(pods.collect()))
            }
            Kind::Service => Some(Observation::Service {
                present: { ours }.next().is_some(),
            }),
            _ => None,
        }
    }

    /// Takes what has changed since the last call.
    pub fn poll(&mut self, world: &World, scope: &Scope, late: SignedDuration) {
        if self.lost {
            self.taken = world.version();
            return;
        }
        let Ok(changes) = world.store().changes_after(self.kind, self.taken) else {
            // 410: the history doesn't reach back that far.
            self.list(world, scope, late);
            return;
        };
        let due = due(world, late);
        for change in changes {
            if let Some(fact) = fact(change, scope) {
                self.queue.push_back((due, fact));
            }
        }
        self.taken = world.version();
    }

    /// Changes up to that version have been taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The connection breaks: what was under way is lost, and what happens until the next list.
    pub fn cut(&mut self) {
        self.queue.clear();
        self.lost = true;
    }

    /// When the next delivery is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        self.queue
            .front()
            .filter(|_| !self.held)
            .map(|(due, _)| *due)
    }

    /// The next delivery that is due, twice if so told.
    pub fn pop(&mut self, now: Timestamp) -> Vec<Observation> {
        match self.next_due() {
            Some(due) if due <= now => {
                let fact = self.queue.pop_front().map(|(_, fact)| fact);
                let again = if self.double { fact.clone() } else { None };
                fact.into_iter().chain(again).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn due(world: &World, late: SignedDuration) -> Timestamp {
    world.now().saturating_add(late).unwrap_or(world.now())
}

/// A change as the driver is told of it.
fn fact(change: &Change, scope: &Scope) -> Option<Observation> {
    let gone = change.kind == ChangeKind::Deleted;
    match &*change.object {
        Object::Event(event) => (event.type_.as_deref() == Some("Warning") && !gone)
            .then(|| convert::notice(event.into()))?,
        object if !scope.has(object) => None,
        Object::Job(_) if gone => Some(Observation::JobGone {
            name: change.object.name().to_owned(),
            uid: change.object.uid().to_owned(),
        }),
        Object::Job(job) => convert::job(job.into()).map(Observation::Job),
        Object::Pod(_) if gone => Some(Observation::PodGone {
            name: change.object.name().to_owned(),
            uid: change.object.uid().to_owned(),
        }),
        Object::Pod(pod) => convert::pod(pod.into()).map(Observation::Pod),
        Object::Service(_) => Some(Observation::Service { present: !gone }),
        _ => None,
    }
}
