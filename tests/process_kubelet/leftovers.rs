//! Nothing outlives a pod. A FIFO tells: its reader sees the end when the last process that holds it is gone.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use kubectl_jobset::cluster::kubelet::process::{NoLookups, Node};
use serde_json::{Value, json};

use crate::support::{Place, options, pod, sh};

/// Folder of the process that is killed.
const FOLDER: &str = "PROCESS_KUBELET_FOLDER";
/// It has namespaces.
const ISOLATE: &str = "PROCESS_KUBELET_ISOLATE";

/// Three processes that hold the FIFO: the container's, its child, and a daemon that has left its session and ignores
/// what it can.
fn clingers(folder: &Path) -> Value {
    let fifo = folder.join("fifo");
    let script = format!(
        "exec 9> {}; trap '' TERM HUP INT; echo x >&9; (trap '' TERM; sleep 1000) & \
         setsid sh -c 'trap \"\" TERM HUP; echo x >&9; sleep 1000' & wait; wait; wait",
        fifo.display()
    );
    json!({"containers": [sh("main", &script)]})
}

fn fifo(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    path
}

/// Waits until two have spoken, calls `kill`, waits until nobody is left.
fn outlived(fifo: &Path, kill: impl FnOnce()) {
    let mut file = File::open(fifo).unwrap();
    let mut words = [0; 4];
    file.read_exact(&mut words).unwrap();
    kill();
    let mut rest = Vec::new();
    file.read_to_end(&mut rest).unwrap();
}

/// Not a test: the process that the tests below kill.
#[tokio::test]
#[ignore = "is started by other tests"]
async fn host() {
    let folder = std::path::PathBuf::from(std::env::var(FOLDER).unwrap());
    let isolate = std::env::var(ISOLATE).unwrap() == "true";
    let node = Node::new(options(folder.clone(), isolate), Arc::new(NoLookups))
        .await
        .unwrap();
    let mut handle = node.start(pod("p", clingers(&folder)));
    while handle.next().await.is_some() {}
}

fn kill_the_host(isolate: bool) {
    let folder = tempfile::tempdir().unwrap();
    let fifo = fifo(folder.path());
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "leftovers::host"])
        .env(FOLDER, folder.path())
        .env(ISOLATE, isolate.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    outlived(&fifo, || {
        host.kill().unwrap();
        host.wait().unwrap();
    });
}

#[test]
fn nothing_is_left_when_the_kubelet_is_killed() {
    kill_the_host(true);
}

#[test]
fn nothing_is_left_without_namespaces_either() {
    kill_the_host(false);
}

#[tokio::test]
async fn a_container_that_ends_takes_its_daemons_along() {
    let Some(place) = Place::isolated(crate::support::World::default()).await else {
        return;
    };
    let fifo = fifo(place.folder.path());
    // A second container goes on, so it isn't the pod's end that ends the daemon.
    let script = format!(
        "exec 9> {}; setsid sh -c 'trap \"\" TERM HUP; echo x >&9; sleep 1000' & \
         while ! test -e {}/go; do sleep 0.05; done",
        fifo.display(),
        place.folder.path().display()
    );
    let mut running = place.start(
        "p",
        json!({"containers": [sh("main", &script), sh("other", "sleep 1000")]}),
    );
    let go = place.folder.path().join("go");
    let reader = tokio::task::spawn_blocking(move || {
        let mut file = File::open(fifo).unwrap();
        let mut word = [0; 2];
        file.read_exact(&mut word).unwrap();
        std::fs::write(go, "").unwrap();
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).unwrap();
    });
    running
        .until(|s| {
            s.container_statuses.iter().flatten().any(|c| {
                c.name == "main" && c.state.as_ref().is_some_and(|s| s.terminated.is_some())
            })
        })
        .await;
    reader.await.unwrap();
    assert_eq!(running.status.phase.as_deref(), Some("Running"));
}

#[tokio::test]
async fn dropping_the_handle_ends_the_pod() {
    let place = Place::new().await;
    let fifo = fifo(place.folder.path());
    let running = place.start("p", clingers(place.folder.path()));
    tokio::task::spawn_blocking(move || {
        outlived(&fifo, || drop(running));
    })
    .await
    .unwrap();
}
