//! The cluster that the tests run on: the one that tests/cluster/up has started, else a pocket cluster.

use std::path::PathBuf;
use std::sync::OnceLock;

use k8s_openapi::jiff::SignedDuration;
use kubectl_jobset::cluster::pace::Pace;

use crate::pocket;

/// How to reach it.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Kubeconfig of the administrator.
    pub(crate) admin: PathBuf,
    /// Kubeconfig of `jobset-user`.
    pub(crate) user: PathBuf,
    /// Its folder, if it is one of tests/cluster/up.
    pub(crate) dir: Option<PathBuf>,
    /// It has a real kubelet.
    pub(crate) real_node: bool,
}

/// The cluster of this process.
pub(crate) fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        let given = |name: &str| std::env::var_os(name).map(PathBuf::from);
        match given("KUBECTL_JOBSET_E2E_ADMIN") {
            Some(admin) => Cluster {
                admin,
                user: given("KUBECONFIG").expect("KUBECONFIG is not set"),
                dir: given("KUBECTL_JOBSET_E2E_DIR"),
                real_node: given("KUBECTL_JOBSET_E2E_NODE").is_some_and(|n| n == *"real"),
            },
            None => own(),
        }
    })
}

/// Nobody learns anything from waiting for a controller that collects changes for a second.
fn own() -> Cluster {
    let pace = Pace {
        job_sync: SignedDuration::from_millis(100),
        ..Pace::default()
    };
    let name = format!("pocket-{}", std::process::id());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let configs = pocket::start(&folder, pace);
    Cluster {
        admin: configs.admin,
        user: configs.user,
        dir: None,
        real_node: false,
    }
}
