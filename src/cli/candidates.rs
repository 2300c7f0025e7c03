//! Names that completion offers: from the kubeconfig, and from the cluster within less than a second.

use std::path::PathBuf;
use std::sync::OnceLock;

use k8s_openapi::jiff::SignedDuration;
use kube::config::{ExecInteractiveMode, Kubeconfig};

use crate::driver::clock;
use crate::driver::kube::{ConnectOptions, connect};
use crate::driver::record::{Record, Records};

/// Longest time for asking the cluster: a person has pressed a key and waits.
const PATIENCE: SignedDuration = SignedDuration::from_millis(800);

/// Where names come from.
#[derive(Debug)]
pub(super) struct Names {
    connection: ConnectOptions,
    /// The run that the line names, if it does.
    run: Option<String>,
    records: OnceLock<Vec<Record>>,
}

impl Names {
    /// For a line with these connection flags, which names that run.
    #[must_use]
    pub(super) fn new(connection: ConnectOptions, run: Option<String>) -> Self {
        Self {
            connection,
            run,
            records: OnceLock::new(),
        }
    }

    /// Runs of the namespace.
    #[must_use]
    pub(super) fn runs(&self) -> Vec<String> {
        named(self.records().iter().map(|record| record.name.clone()))
    }

    /// Runs that have not ended.
    #[must_use]
    pub(super) fn unfinished_runs(&self) -> Vec<String> {
        let unfinished = self
            .records()
            .iter()
            .filter(|record| record.state.outcome.is_none());
        named(unfinished.map(|record| record.name.clone()))
    }

    /// Roles of the run that is named, else of every run.
    #[must_use]
    pub(super) fn roles(&self) -> Vec<String> {
        let meant = |record: &&Record| self.run.as_ref().is_none_or(|run| *run == record.name);
        let roles = self
            .records()
            .iter()
            .filter(meant)
            .flat_map(|record| record.jobset.spec.replicated_jobs.iter());
        named(roles.map(|role| role.name.clone()))
    }

    /// Roles once a run is named, runs before.
    #[must_use]
    pub(super) fn runs_or_roles(&self) -> Vec<String> {
        if self.run.is_some() {
            self.roles()
        } else {
            self.runs()
        }
    }

    fn records(&self) -> &[Record] {
        self.records.get_or_init(|| self.ask().unwrap_or_default())
    }

    /// The records of the namespace, if they can be had in time and without a question.
    fn ask(&self) -> Option<Vec<Record>> {
        if self.asks_for_a_terminal() {
            return None;
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .ok()?;
        let listed = runtime.block_on(async {
            let work = async {
                let conn = connect(&self.connection, None).await.ok()?;
                Records::new(&conn, conn.namespace()).list(false).await.ok()
            };
            tokio::select! {
                listed = work => listed,
                () = clock::sleep(PATIENCE) => None,
            }
        });
        runtime.shutdown_background();
        listed
    }

    /// A credential plugin that must talk to a person.
    fn asks_for_a_terminal(&self) -> bool {
        self.kubeconfig().auth_infos.iter().any(|user| {
            let exec = user.auth_info.as_ref().and_then(|info| info.exec.as_ref());
            exec.is_some_and(|e| e.interactive_mode == Some(ExecInteractiveMode::Always))
        })
    }

    /// Contexts of the kubeconfig.
    #[must_use]
    pub(super) fn contexts(&self) -> Vec<String> {
        named(self.kubeconfig().contexts.into_iter().map(|c| c.name))
    }

    /// Clusters of the kubeconfig.
    #[must_use]
    pub(super) fn clusters(&self) -> Vec<String> {
        named(self.kubeconfig().clusters.into_iter().map(|c| c.name))
    }

    /// Users of the kubeconfig.
    #[must_use]
    pub(super) fn users(&self) -> Vec<String> {
        named(self.kubeconfig().auth_infos.into_iter().map(|c| c.name))
    }

    /// Namespaces that the kubeconfig's contexts name.
    #[must_use]
    pub(super) fn namespaces(&self) -> Vec<String> {
        let contexts = self.kubeconfig().contexts.into_iter();
        named(contexts.filter_map(|c| c.context?.namespace))
    }

    /// The files in kubectl's order of precedence, merged; files that can't be read count as empty.
    fn kubeconfig(&self) -> Kubeconfig {
        let c = &self.connection;
        let home = c
            .env_home
            .as_ref()
            .map(|home| home.join(".kube").join("config"));
        let files: Vec<PathBuf> = match (&c.kubeconfig, c.env_kubeconfig.as_slice()) {
            (Some(file), _) => vec![file.clone()],
            (None, []) => home.into_iter().collect(),
            (None, list) => list.to_vec(),
        };
        files
            .into_iter()
            .filter_map(|file| Kubeconfig::read_from(file).ok())
            .fold(Kubeconfig::default(), |all, next| {
                all.clone().merge(next).unwrap_or(all)
            })
    }
}

fn named(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    names.sort();
    names.dedup();
    names
}
