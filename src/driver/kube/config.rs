//! Where the API server is and who we are: flags, kubeconfig files, the service account inside a
//! cluster, in kubectl's order (plugin-conventions C.6). Reads files, makes no connection.

use std::path::PathBuf;
use std::time::Duration;

use ::kube::Config;
use ::kube::config::{
    AuthInfo, Cluster, Context, KubeConfigOptions, Kubeconfig, NamedAuthInfo, NamedCluster,
    NamedContext,
};

use crate::error::{Error, Result};

/// The connection flags of the command line and what the environment says, as plain values.
#[derive(Clone, Debug, Default)]
pub struct ConnectOptions {
    /// `--kubeconfig`.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--namespace`.
    pub namespace: Option<String>,
    /// `--server`.
    pub server: Option<String>,
    /// `--token`.
    pub token: Option<String>,
    /// `--as`.
    pub as_user: Option<String>,
    /// `--as-group`, each.
    pub as_groups: Vec<String>,
    /// `--as-uid`.
    pub as_uid: Option<String>,
    /// `--as-user-extra`, each key and value.
    pub as_user_extra: Vec<(String, String)>,
    /// `--client-certificate`.
    pub client_certificate: Option<PathBuf>,
    /// `--client-key`.
    pub client_key: Option<PathBuf>,
    /// `--certificate-authority`.
    pub certificate_authority: Option<PathBuf>,
    /// `--insecure-skip-tls-verify`.
    pub insecure_skip_tls_verify: Option<bool>,
    /// `--tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `--request-timeout`: none: the default, zero: no limit. Watches and log streams have none.
    pub request_timeout: Option<Duration>,
    /// `--disable-compression`.
    pub disable_compression: Option<bool>,
    /// Files of `KUBECONFIG`.
    pub env_kubeconfig: Vec<PathBuf>,
    /// Home directory.
    pub env_home: Option<PathBuf>,
    /// `POD_NAMESPACE`.
    pub env_pod_namespace: Option<String>,
}

/// A configuration, and where it came from.
#[derive(Debug)]
pub struct Found {
    /// For the client.
    pub config: Config,
    /// Namespace that commands work in.
    pub namespace: String,
    /// `https://host:6443 (context dev of /home/ada/.kube/config)`.
    pub origin: String,
}

/// Namespace where nothing names one.
const DEFAULT_NAMESPACE: &str = "default";
/// Name of what is made up from flags.
const FLAGS: &str = "flags";

impl ConnectOptions {
    /// Files that are read, in order, and whether each must exist.
    fn files(&self) -> Vec<(PathBuf, bool)> {
        if let Some(file) = &self.kubeconfig {
            return vec![(file.clone(), true)];
        }
        if !self.env_kubeconfig.is_empty() {
            return self
                .env_kubeconfig
                .iter()
                .map(|f| (f.clone(), false))
                .collect();
        }
        self.env_home
            .iter()
            .map(|home| (home.join(".kube").join("config"), false))
            .collect()
    }

    /// Finds the configuration.
    ///
    /// # Errors
    ///
    /// A file that can't be read, a context, cluster or user that isn't there, no configuration at all
    /// (then the files looked at are named).
    pub async fn find(&self) -> Result<Found> {
        let files = self.files();
        let (merged, read) = merge(&files)?;
        let empty = merged.contexts.is_empty() && merged.clusters.is_empty();
        if empty && self.server.is_none() {
            return self.in_cluster(&files);
        }
        let (kubeconfig, context) = self.with_flags(merged)?;
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
            .await
            .map_err(|error| config_error(&error))?;
        self.adjust(&mut config);
        let namespace = self
            .namespace
            .clone()
            .unwrap_or_else(|| config.default_namespace.clone());
        let server = server_of(&config);
        let origin = if read.is_empty() {
            format!("{server} (from --server)")
        } else {
            format!("{server} (context {context} of {})", read.join(", "))
        };
        Ok(Found {
            config,
            namespace,
            origin,
        })
    }

    /// Namespace that commands work in, for those that need no cluster: there may be no configuration, or
    /// one without a current context.
    ///
    /// # Errors
    ///
    /// A file that can't be read, a context that isn't there.
    pub fn offline_namespace(&self) -> Result<String> {
        if let Some(namespace) = &self.namespace {
            return Ok(namespace.clone());
        }
        let (merged, _) = merge(&self.files())?;
        let current = merged.current_context.as_deref().filter(|n| !n.is_empty());
        let found = match self.context.as_deref().or(current) {
            Some(name) => context_of(&merged, name)?.namespace,
            None => self.env_pod_namespace.clone(),
        };
        let found = found.filter(|namespace| !namespace.is_empty());
        Ok(found.unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned()))
    }

    /// One context, cluster and user, with the flags applied.
    fn with_flags(&self, merged: Kubeconfig) -> Result<(Kubeconfig, String)> {
        let current = merged
            .current_context
            .as_deref()
            .filter(|name| !name.is_empty());
        let wanted = self.context.as_deref().or(current);
        let context = match wanted {
            Some(name) => context_of(&merged, name)?,
            None if self.server.is_some() || self.cluster.is_some() => Context::default(),
            None => {
                let names: Vec<_> = merged.contexts.iter().map(|c| c.name.as_str()).collect();
                return Err(Error::other("no current context is set in the kubeconfig")
                    .hint(format!("--context is one of: {}", names.join(", "))));
            }
        };
        let cluster_name = self
            .cluster
            .clone()
            .unwrap_or_else(|| context.cluster.clone());
        let cluster = merged
            .clusters
            .iter()
            .find(|c| c.name == cluster_name)
            .and_then(|c| c.cluster.clone());
        let mut cluster = match cluster {
            Some(cluster) => cluster,
            None if self.server.is_some() && self.cluster.is_none() => Cluster::default(),
            None => {
                let names = merged.clusters.iter().map(|c| c.name.as_str());
                return Err(missing("cluster", &cluster_name, names));
            }
        };
        let user_name = self.user.clone().or_else(|| context.user.clone());
        let user = user_name.as_ref().and_then(|name| {
            merged
                .auth_infos
                .iter()
                .find(|u| u.name == *name)
                .and_then(|u| u.auth_info.clone())
        });
        if let (None, Some(name)) = (&user, &self.user) {
            return Err(missing(
                "user",
                name,
                merged.auth_infos.iter().map(|u| u.name.as_str()),
            ));
        }
        let mut user = user.unwrap_or_default();
        self.cluster_flags(&mut cluster);
        self.user_flags(&mut user);
        let name = wanted.unwrap_or(FLAGS).to_owned();
        let kubeconfig = Kubeconfig {
            clusters: vec![NamedCluster {
                name: FLAGS.to_owned(),
                cluster: Some(cluster),
                ..NamedCluster::default()
            }],
            auth_infos: vec![NamedAuthInfo {
                name: FLAGS.to_owned(),
                auth_info: Some(user),
                ..NamedAuthInfo::default()
            }],
            contexts: vec![NamedContext {
                name: name.clone(),
                context: Some(Context {
                    cluster: FLAGS.to_owned(),
                    user: Some(FLAGS.to_owned()),
                    namespace: context.namespace.filter(|n| !n.is_empty()),
                    ..Context::default()
                }),
                ..NamedContext::default()
            }],
            current_context: Some(name.clone()),
            ..Kubeconfig::default()
        };
        Ok((kubeconfig, name))
    }

    fn cluster_flags(&self, cluster: &mut Cluster) {
        if let Some(server) = &self.server {
            cluster.server = Some(server.clone());
        }
        if let Some(file) = &self.certificate_authority {
            cluster.certificate_authority = Some(file.display().to_string());
            cluster.certificate_authority_data = None;
        }
        if let Some(insecure) = self.insecure_skip_tls_verify {
            cluster.insecure_skip_tls_verify = Some(insecure);
        }
        if let Some(name) = &self.tls_server_name {
            cluster.tls_server_name = Some(name.clone());
        }
        if let Some(off) = self.disable_compression {
            cluster.disable_compression = Some(off);
        }
    }

    fn user_flags(&self, user: &mut AuthInfo) {
        if let Some(token) = &self.token {
            *user = AuthInfo {
                token: Some(token.clone().into()),
                client_certificate: user.client_certificate.take(),
                client_certificate_data: user.client_certificate_data.take(),
                client_key: user.client_key.take(),
                client_key_data: user.client_key_data.take(),
                impersonate: user.impersonate.take(),
                impersonate_uid: user.impersonate_uid.take(),
                impersonate_groups: user.impersonate_groups.take(),
                impersonate_user_extra: user.impersonate_user_extra.take(),
                ..AuthInfo::default()
            };
        }
        if let Some(file) = &self.client_certificate {
            user.client_certificate = Some(file.display().to_string());
            user.client_certificate_data = None;
        }
        if let Some(file) = &self.client_key {
            user.client_key = Some(file.display().to_string());
            user.client_key_data = None;
        }
        self.impersonation(user);
    }

    fn impersonation(&self, user: &mut AuthInfo) {
        if let Some(name) = &self.as_user {
            user.impersonate = Some(name.clone());
        }
        if let Some(uid) = &self.as_uid {
            user.impersonate_uid = Some(uid.clone());
        }
        if !self.as_groups.is_empty() {
            user.impersonate_groups = Some(self.as_groups.clone());
        }
        if !self.as_user_extra.is_empty() {
            let extra = user
                .impersonate_user_extra
                .insert(std::collections::HashMap::new());
            for (key, value) in &self.as_user_extra {
                extra.entry(key.clone()).or_default().push(value.clone());
            }
        }
    }

    /// The service account of the pod we run in.
    fn in_cluster(&self, files: &[(PathBuf, bool)]) -> Result<Found> {
        let mut config = Config::incluster().map_err(|_| {
            let looked: Vec<_> = files.iter().map(|(f, _)| f.display().to_string()).collect();
            let looked = match looked.as_slice() {
                [] => "KUBECONFIG and HOME are not set".to_owned(),
                files => format!("looked at {}", files.join(", ")),
            };
            Error::other(format!(
                "no cluster is configured ({looked}; not inside a cluster)"
            ))
            .hint("set KUBECONFIG, or use --kubeconfig or --server")
        })?;
        if let Some(token) = &self.token {
            config.auth_info.token = Some(token.clone().into());
            config.auth_info.token_file = None;
        }
        self.impersonation(&mut config.auth_info);
        self.adjust(&mut config);
        let namespace = self
            .namespace
            .clone()
            .or_else(|| self.env_pod_namespace.clone())
            .unwrap_or_else(|| config.default_namespace.clone());
        let origin = format!("{} (from inside the cluster)", server_of(&config));
        Ok(Found {
            config,
            namespace,
            origin,
        })
    }

    /// What is the same for every source.
    fn adjust(&self, config: &mut Config) {
        if let Some(off) = self.disable_compression {
            config.disable_compression = off;
        }
        // A POST must not be repeated blindly: tries are counted in `retry` and `apply`.
        config.default_retry = false;
        config.read_timeout = None;
        config.connect_timeout = Some(CONNECT_TIMEOUT);
    }
}

/// For one connection: TCP, TLS and proxy. A network that drops packets is noticed by then.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The files as one, and the names of those that are there.
fn merge(files: &[(PathBuf, bool)]) -> Result<(Kubeconfig, Vec<String>)> {
    let mut merged = Kubeconfig::default();
    let mut read = Vec::new();
    for (file, must) in files {
        if !must && !file.exists() {
            continue;
        }
        let one = Kubeconfig::read_from(file).map_err(|error| config_error(&error))?;
        merged = merged.merge(one).map_err(|error| config_error(&error))?;
        read.push(file.display().to_string());
    }
    Ok((merged, read))
}

fn context_of(merged: &Kubeconfig, name: &str) -> Result<Context> {
    let there = || merged.contexts.iter().map(|c| c.name.as_str());
    merged
        .contexts
        .iter()
        .find(|c| c.name == name)
        .and_then(|c| c.context.clone())
        .ok_or_else(|| missing("context", name, there()))
}

fn server_of(config: &Config) -> String {
    config
        .cluster_url
        .to_string()
        .trim_end_matches('/')
        .to_owned()
}

fn config_error(error: &::kube::config::KubeconfigError) -> Error {
    Error::other("the kubeconfig can't be used").caused_by(error)
}

fn missing<'a>(what: &str, name: &str, there: impl Iterator<Item = &'a str>) -> Error {
    let names: Vec<_> = there.collect();
    let error = Error::other(format!("{what} {name} is not in the kubeconfig"));
    if names.is_empty() {
        error
    } else {
        error.hint(format!("there are: {}", names.join(", ")))
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
