//! Conformance: what an API server and its Job controller answer, asked over plain HTTP.
//!
//! One suite of checks runs against any server that a kubeconfig of an administrator leads to. What
//! is expected was measured on a real control plane (Kubernetes 1.37), and still must hold there:
//!
//! ```text
//! tests/cluster/up -- cargo test --test conformance -- --ignored
//! KUBECTL_JOBSET_CONFORMANCE=api::watch cargo test ...      # only checks whose name has this in it
//! ```
//!
//! `cargo test` runs it against the pocket cluster. Where that can't agree, `difference` lists the check and why.
//!
//! Namespaces are left behind (label `kubectl-jobset.test/conformance`): a cluster for tests goes with them,
//! and to delete hundreds at once keeps a control plane busy for minutes.
//!
//! A check owns a namespace and nothing else; checks run at the same time. Nothing here uses the
//! driver's code: requests are raw paths and JSON, so that details of the wire are seen.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests read where the cluster is, tell what they found, and fail by panicking"
)]

#[macro_use]
mod suite;

mod compare;
mod difference;
mod objects;
mod reply;
mod server;
mod waiting;
mod watching;

mod api;
mod jobs;
mod nodes;

use k8s_openapi::jiff::Timestamp;
use kubectl_jobset::cluster::api::rights::ADMIN;
use kubectl_jobset::cluster::front::{Pocket, PocketOptions};
use suite::Check;

/// Names and UIDs of the pocket cluster come from it.
const SEED: u64 = 1;

/// All checks. Those that take longest come first, so that the rest fills the gaps.
fn checks() -> Vec<Check> {
    [jobs::checks(), nodes::checks(), api::checks()].concat()
}

#[test]
#[ignore = "needs a control plane: tests/cluster/up -- cargo test --test conformance -- --ignored"]
fn real_control_plane() {
    let path = std::env::var("KUBECTL_JOBSET_E2E_ADMIN")
        .expect("KUBECTL_JOBSET_E2E_ADMIN is not set: run this under tests/cluster/up");
    suite::run(checks(), path.as_ref(), &[]);
}

/// The pocket cluster, served by a thread of its own.
#[test]
fn pocket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kubeconfig");
    let (ready, listening) = std::sync::mpsc::channel();
    let file = path.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let options = PocketOptions::new(Timestamp::now(), SEED);
            let mut pocket = Pocket::bind(&options).await.unwrap();
            let text = pocket.kubeconfig(ADMIN, "default").unwrap();
            std::fs::write(&file, text).unwrap();
            ready.send(()).unwrap();
            pocket.serve().await;
        });
    });
    listening.recv().unwrap();
    suite::run(checks(), &path, difference::POCKET);
}
