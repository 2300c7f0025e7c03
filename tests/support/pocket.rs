//! A pocket cluster in a thread of the test's own process: nothing has to be installed, and it ends with
//! the test.

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use kubectl_jobset::cluster::api::rights::ADMIN;
use kubectl_jobset::cluster::front::{NAMESPACES, OTHER, Pocket, PocketOptions, USER};
use kubectl_jobset::cluster::pace::Pace;
use kubectl_jobset::driver::clock;

/// Kubeconfigs that lead to a pocket cluster.
#[derive(Clone, Debug)]
pub(crate) struct Kubeconfigs {
    /// May do all.
    pub(crate) admin: PathBuf,
    /// Has the Role of `examples/role.yaml` in two namespaces.
    pub(crate) user: PathBuf,
}

/// Starts one; its kubeconfigs go into that folder.
pub(crate) fn start(folder: &Path, pace: Pace) -> Kubeconfigs {
    std::fs::create_dir_all(folder).unwrap();
    let folder = folder.to_owned();
    let (ready, wait) = mpsc::channel();
    std::thread::Builder::new()
        .name("pocket cluster".to_owned())
        .spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let options = PocketOptions {
                    pace,
                    ..PocketOptions::new(clock::now(), SEED)
                };
                let mut pocket = Pocket::bind(&options).await.unwrap();
                let mut write = |user: &str| {
                    let path = folder.join(format!("{user}.kubeconfig"));
                    let text = pocket.kubeconfig(user, NAMESPACES[0]).unwrap();
                    std::fs::write(&path, text).unwrap();
                    path
                };
                let configs = Kubeconfigs {
                    admin: write(ADMIN),
                    user: write(USER),
                };
                write(OTHER);
                ready.send(configs).unwrap();
                pocket.serve().await;
            });
        })
        .unwrap();
    wait.recv().unwrap()
}

/// Names and UIDs differ from run to run of a process only by what happens in it.
const SEED: u64 = 1;
