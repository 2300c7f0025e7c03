//! Names that completion offers: from the kubeconfig, and from the cluster within less than a second.

use std::path::PathBuf;

use kube::config::Kubeconfig;

use crate::cli::settings::Connection;

/// Where names come from.
#[derive(Debug)]
pub(super) struct Names {
    connection: Connection,
}

impl Names {
    /// For a line with these connection flags.
    #[must_use]
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection }
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
        let files: Vec<PathBuf> = match (&c.kubeconfig, c.kubeconfig_env.as_slice()) {
            (Some(file), _) => vec![file.clone()],
            (None, []) => c.kubeconfig_home.iter().cloned().collect(),
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
