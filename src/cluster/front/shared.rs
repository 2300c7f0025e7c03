//! A world that several can speak with: behind a lock, with a clock that moves by itself and a bell for
//! those who wait for changes. Under tokio's paused time the clock is virtual, else it is the real one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, watch};

use crate::cluster::world::World;
use crate::driver::clock;

/// Longest sleep while nothing is due; a call ends it earlier.
const IDLE: SignedDuration = SignedDuration::from_hours(1);

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Shared(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    /// Where the output of containers is that no script has written.
    disk: Option<DiskLogs>,
    /// Something may have changed.
    bell: watch::Sender<()>,
    /// Something is due earlier than the pump thinks.
    sooner: Notify,
}

/// Is shown the world after each change, before anybody else learns of it.
type Keep = Box<dyn FnMut(&World) + Send>;

/// Finds the folder of a container's output.
pub(in crate::cluster) type DiskLogs = Box<dyn Fn(&Pod, &str) -> PathBuf + Send + Sync>;

struct State {
    world: World,
    keep: Option<Keep>,
    /// What the pump sleeps for.
    due: Option<Timestamp>,
}

impl State {
    fn keep(&mut self) {
        if let Some(keep) = &mut self.keep {
            keep(&self.world);
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

impl Shared {
    /// Takes a world. Its clock moves with calls, and with [`Self::pump`] between them.
    #[must_use]
    pub fn new(world: World) -> Self {
        Self::kept(world, None, None)
    }

    /// A world whose changes are kept as they happen, and whose containers' output is on disk.
    #[must_use]
    pub(in crate::cluster) fn kept(
        world: World,
        keep: Option<Keep>,
        disk: Option<DiskLogs>,
    ) -> Self {
        let state = State {
            world,
            keep,
            due: None,
        };
        Self(Arc::new(Inner {
            state: Mutex::new(state),
            disk,
            bell: watch::Sender::new(()),
            sooner: Notify::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A world is whole between its calls; a panic in one of them has been told already.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets all happen that is due by now, then does something with the world; who waits is told.
    pub fn with<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        let mut state = self.lock();
        let before = state.world.version();
        let due = state.due;
        state.world.advance(clock::now());
        let out = act(&mut state.world);
        let changed = state.world.version() != before;
        let next = state.world.next_due();
        state.keep();
        drop(state);
        if changed {
            self.0.bell.send_replace(());
        }
        if next.is_some_and(|next| due.is_none_or(|due| next < due)) {
            self.0.sooner.notify_one();
        }
        out
    }

    /// Where the output of containers is, if no script writes it.
    #[must_use]
    pub(super) fn disk(&self) -> Option<&DiskLogs> {
        self.0.disk.as_ref()
    }

    /// Looks at the world as it is.
    pub fn look<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&self.lock().world)
    }

    /// A bell that rings whenever something may have changed.
    #[must_use]
    pub(in crate::cluster) fn bell(&self) -> watch::Receiver<()> {
        self.0.bell.subscribe()
    }

    /// Moves the clock for as long as it is polled: to each moment at which something is due. Rings the
    /// bell each time, as logs grow without a change of an object.
    pub async fn pump(self) {
        loop {
            let wait = {
                let mut state = self.lock();
                let now = clock::now();
                if state.world.next_due().is_some_and(|due| due <= now) {
                    state.world.advance(now);
                    state.keep();
                    self.0.bell.send_replace(());
                }
                state.due = state.world.next_due();
                state.due.map_or(IDLE, |due| due.duration_since(now))
            };
            if wait.is_positive() {
                tokio::select! {
                    biased;
                    () = clock::sleep(wait) => {}
                    () = self.0.sooner.notified() => {}
                }
            } else {
                // More is due at once: others get their turn between.
                tokio::task::yield_now().await;
            }
        }
    }
}
