//! Watches: a cursor in a kind's history. A watch does nothing by itself; who has one polls it.

use std::collections::VecDeque;
use std::sync::Arc;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::cluster::api::list::{self, Filter};
use crate::cluster::api::problems::Problems;
use crate::cluster::api::request::{ListOptions, WatchEvent};
use crate::cluster::api::status::Status;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::{Change, ChangeKind};
use crate::cluster::world::World;

/// Time between bookmarks: about what a real API server takes.
const BOOKMARK: SignedDuration = SignedDuration::from_secs(60);

/// See the module.
#[derive(Clone, Debug)]
pub struct Watch {
    kind: Kind,
    namespace: Option<String>,
    filter: Filter,
    /// All up to here has been told.
    from: u64,
    /// What is told before all else.
    initial: VecDeque<WatchEvent>,
    bookmarks: bool,
    told_at: Timestamp,
}

impl World {
    /// Starts to watch: from a version on, or, without one, with an ADDED for all that is there.
    ///
    /// # Errors
    /// 400 for selectors that can't be read, 422 for options that don't go together, 410 for a version
    /// that the history doesn't reach back to. A version of the future is waited for.
    pub fn watch(
        &self,
        kind: Kind,
        namespace: Option<&str>,
        options: &ListOptions,
    ) -> Result<Watch, Status> {
        let filter = Filter::new(kind, options)?;
        check(options)?;
        let newest = self.store.version();
        // Here the real one has no better word than its own failure.
        let version = list::version(options).map_err(|status| {
            let prefix = "invalid resource version: ";
            Status::new(500, "", status.message.replacen(prefix, "", 1))
        })?;
        let mut watch = Watch {
            kind,
            namespace: namespace
                .filter(|_| kind.info().namespaced)
                .map(str::to_owned),
            filter,
            from: version.unwrap_or(newest),
            initial: VecDeque::new(),
            bookmarks: options.bookmarks,
            told_at: self.now(),
        };
        let initial = options.initial_events.unwrap_or(version.is_none());
        if initial {
            watch.from = newest;
            let namespace = watch.namespace.as_deref();
            let there = self.store.list(kind, namespace);
            watch.initial = there
                .filter(|object| watch.filter.matches(object))
                .map(|object| WatchEvent::Change(ChangeKind::Added, Arc::clone(object)))
                .collect();
            if options.initial_events == Some(true) && options.bookmarks {
                watch.initial.push_back(WatchEvent::Bookmark {
                    version: newest,
                    initial: true,
                });
            }
        } else {
            drop(
                self.store
                    .changes_after(kind, watch.from)
                    .map_err(|gone| too_old(watch.from, gone.oldest))?,
            );
        }
        Ok(watch)
    }
}

impl Watch {
    /// What is new since the last poll.
    ///
    /// # Errors
    /// 410: the history doesn't reach back to the last poll; list and watch anew.
    pub fn poll(&mut self, world: &World) -> Result<Vec<WatchEvent>, Status> {
        let mut events: Vec<WatchEvent> = self.initial.drain(..).collect();
        let changes = world
            .store
            .changes_after(self.kind, self.from)
            .map_err(|gone| too_old(self.from, gone.oldest))?;
        events.extend(changes.filter_map(|change| self.seen(change)));
        // A watch from a version that is yet to come waits for it.
        self.from = self.from.max(world.store.version());
        if !events.is_empty() {
            self.told_at = world.now();
        } else if self.bookmarks && world.now().duration_since(self.told_at) >= BOOKMARK {
            self.told_at = world.now();
            events.push(WatchEvent::Bookmark {
                version: self.from,
                initial: false,
            });
        }
        Ok(events)
    }

    /// The version up to which all has been told.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.from
    }

    /// A change as the selectors see it.
    fn seen(&self, change: &Change) -> Option<WatchEvent> {
        if let Some(namespace) = &self.namespace
            && change.object.namespace() != namespace
        {
            return None;
        }
        let before = change
            .previous
            .as_ref()
            .is_some_and(|previous| self.filter.matches(previous));
        let now = change.kind != ChangeKind::Deleted && self.filter.matches(&change.object);
        match (before, now) {
            (false, false) => None,
            (false, true) => Some(WatchEvent::Change(
                ChangeKind::Added,
                Arc::clone(&change.object),
            )),
            (true, true) => Some(WatchEvent::Change(
                ChangeKind::Modified,
                Arc::clone(&change.object),
            )),
            (true, false) => Some(WatchEvent::Change(ChangeKind::Deleted, last_seen(change))),
        }
    }
}

/// An object as it was when it was last selected, with the version of the change.
fn last_seen(change: &Change) -> Arc<Object> {
    match &change.previous {
        Some(previous) if change.kind != ChangeKind::Deleted => {
            let mut last = Object::clone(previous);
            last.meta_mut().resource_version = Some(change.version.to_string());
            Arc::new(last)
        }
        _ => Arc::clone(&change.object),
    }
}

fn too_old(version: u64, oldest: u64) -> Status {
    Status::expired(format!("too old resource version: {version} ({oldest})"))
}

fn check(options: &ListOptions) -> Result<(), Status> {
    let mut problems = Problems::default();
    let matching = options.version_match.as_deref().unwrap_or_default();
    if options.initial_events.is_some() && matching != "NotOlderThan" {
        problems.forbidden(
            "resourceVersionMatch",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        );
    }
    if options.initial_events.is_none() && !matching.is_empty() {
        problems.forbidden(
            "resourceVersionMatch",
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        );
    }
    list::bad_options(problems)
}
