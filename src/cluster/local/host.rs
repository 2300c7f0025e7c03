//! The process that hosts local runs: the world, its API, and the pods of this machine. It lives while a
//! driver is there, a process runs or somebody asks, and a moment longer.

use std::collections::BTreeMap;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::jiff::SignedDuration;
use tokio::net::TcpListener;

use crate::api::names::JOBSET_NAME;
use crate::cluster::api::rights::ADMIN;
use crate::cluster::front::{Server, Shared, Users};
use crate::cluster::journal::Journal;
use crate::cluster::local::holds::RunName;
use crate::cluster::local::place::{Address, Lock, Place};
use crate::cluster::local::pods::{self, Machine, Pods};
use crate::cluster::local::tether::Tethers;
use crate::cluster::object::{Kind, Object};
use crate::cluster::pace::Pace;
use crate::cluster::world::{World, WorldOptions};
use crate::driver::clock;
use crate::error::{Error, Result};

/// How long a host stays when nobody needs it: the next command of a script finds it.
const LINGER: Duration = Duration::from_secs(3);

/// What a host is given.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of names and UIDs.
    pub seed: u64,
    /// Name of this machine.
    pub machine: String,
    /// `PATH`, `HOME`, `LANG` for pods.
    pub environment: BTreeMap<String, String>,
}

/// Why the journal can't be written any more.
type Broken = Arc<Mutex<Option<std::io::Error>>>;

/// Nothing here has to wait for an image or another machine.
fn pace() -> Pace {
    Pace {
        job_sync: SignedDuration::from_millis(50),
        job_first_sync: SignedDuration::ZERO,
        schedule: SignedDuration::ZERO,
        gc: SignedDuration::ZERO,
        ..Pace::default()
    }
}

/// Hosts the runs of a folder until nobody needs it. `ready` is told where it listens.
///
/// # Errors
/// The folder or a port can't be used, the journal is broken or can't be written.
pub async fn serve(
    place: &Place,
    lock: Lock,
    options: Options,
    ready: impl FnOnce(&Address),
) -> Result<()> {
    let unusable = |e: std::io::Error| {
        Error::other(format!("{} can't be used", place.dir().display())).caused_by(e)
    };
    let mut start = WorldOptions::new(clock::now(), options.seed);
    start.pace = pace();
    let mut world = World::new(start);
    let restored = Journal::read(&place.journal()).map_err(unusable)?;
    let (tethers, mut wanted) = Tethers::new();
    for run in unfinished(&restored.objects) {
        tethers.with(|holds| holds.close(run));
    }
    world.restore(restored);
    let machine = Machine {
        name: options.machine,
        environment: options.environment,
    };
    pods::add_machine(&mut world, &machine.name);
    world.any_namespace = true;
    let journal = Journal::start(&place.journal(), &world).map_err(unusable)?;
    let broken = Broken::default();
    let keep = keep(journal, Arc::clone(&broken));
    let shared = Shared::kept(world, Some(Box::new(keep)), Some(pods::disk_logs(place)));

    let server = Server::bind(0).await?;
    let token = Users::token().ok_or_else(|| Error::other("the system gives no random numbers"))?;
    let mut users = Users::default();
    users.add(ADMIN, &token);
    place
        .write_kubeconfig(&server.kubeconfig("local", &token, "default"))
        .map_err(unusable)?;
    let listener = TcpListener::bind(("127.0.0.1", 0))
        .await
        .map_err(unusable)?;
    let address = Address {
        tether: listener.local_addr().map_err(unusable)?.port(),
        token: token.clone(),
        pid: std::process::id(),
    };
    let connections = server.connections();
    let _serving = AbortOnDrop(tokio::spawn(server.serve(shared.clone(), users)));
    let _pumping = AbortOnDrop(tokio::spawn(shared.clone().pump()));
    let (listening, at) = (tethers.clone(), place.clone());
    let _tethered = AbortOnDrop(tokio::spawn(async move {
        listening.serve(listener, &token, &at).await;
    }));
    place.announce(&address).map_err(unusable)?;
    ready(&address);

    let mut pods = Pods::new(&shared, place, machine);
    let mut bell = shared.bell();
    let mut idle_since = clock::instant();
    let result = loop {
        if let Err(error) = pods.turn(&tethers).await {
            break Err(error);
        }
        if let Some(error) = broken.lock().unwrap_or_else(PoisonError::into_inner).take() {
            break Err(unusable(error));
        }
        let needed = pods.any() || tethers.with(|holds| holds.any_held()) || connections.any();
        if needed {
            idle_since = clock::instant();
        } else if idle_since.elapsed() >= LINGER {
            break Ok(());
        }
        tokio::select! {
            _ = bell.changed() => {}
            () = tethers.changed() => {}
            () = pods.some_ended() => {}
            Some((run, answer)) = wanted.recv() => match pods.prepare(&run).await {
                Ok(note) => {
                    // A driver that has died meanwhile needs no answer.
                    let _ = answer.send(note).ok();
                }
                Err(error) => break Err(error),
            },
            () = clock::sleep_until(clock::instant().after(LINGER / 4)) => {}
        }
    };
    // In this order: whoever finds no address and no lock starts a host of their own.
    place.withdraw();
    drop(pods);
    drop(lock);
    result
}

/// Ends a task with its owner.
struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs that have pods which have not ended: their driver died with the host before.
fn unfinished(objects: &[Object]) -> Vec<RunName> {
    objects
        .iter()
        .filter(|object| matches!(object.kind(), Kind::Pod | Kind::Job))
        .filter_map(|object| {
            Some((
                object.namespace().to_owned(),
                object.label(JOBSET_NAME)?.to_owned(),
            ))
        })
        .collect()
}

/// Writes each change before it is answered. A journal that can't be written ends the host.
fn keep(mut journal: Journal, broken: Broken) -> impl FnMut(&World) + Send + 'static {
    move |world| {
        if let Err(error) = journal.append(world) {
            *broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }
}
