//! What several verbs have in common: where manifests come from, how to reach the cluster, how to talk.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::args::{ConnectionArgs, ManifestArgs, TalkArgs};
use crate::cli::env::{self, Env};
use crate::cli::words::{ColorWhen, ProgressWhen, Validate};
use crate::driver::kube::ConnectOptions;
use crate::error::{Error, Result};

/// Where a manifest is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" {
            Self::Stdin
        } else {
            Self::File(path)
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stdin => f.write_str("<stdin>"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The one manifest of `run` and `render`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestSettings {
    /// Files that together hold one JobSet.
    pub sources: Vec<Source>,
    /// Fields that this build doesn't know.
    pub validate: Validate,
}

impl From<ManifestArgs> for ManifestSettings {
    fn from(args: ManifestArgs) -> Self {
        Self {
            sources: args
                .file
                .into_iter()
                .chain(args.filenames)
                .map(Source::from)
                .collect(),
            validate: args.validate,
        }
    }
}

/// How to reach the cluster (plugin-conventions C.6): flags and environment together.
#[must_use]
pub fn connection(args: ConnectionArgs, env: &Env) -> ConnectOptions {
    ConnectOptions {
        kubeconfig: args.kubeconfig,
        context: args.context,
        cluster: args.cluster,
        user: args.user,
        namespace: args.namespace,
        server: args.server,
        token: args.token,
        as_user: args.as_user,
        as_groups: args.as_groups,
        as_uid: args.as_uid,
        as_user_extra: args.as_user_extra,
        client_certificate: args.client_certificate,
        client_key: args.client_key,
        certificate_authority: args.certificate_authority,
        insecure_skip_tls_verify: args.insecure_skip_tls_verify,
        tls_server_name: args.tls_server_name,
        request_timeout: args.request_timeout,
        disable_compression: args.disable_compression,
        env_kubeconfig: env.kubeconfig_files(),
        env_home: env.home(),
        env_pod_namespace: env.text(env::POD_NAMESPACE).map(str::to_owned),
    }
}

/// How to talk, and what the environment says of the terminal (plugin-conventions C.7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Talk {
    /// `-q`.
    pub quiet: bool,
    /// Number of `-v`.
    pub verbosity: u8,
    /// `--color`.
    pub color: ColorWhen,
    /// `--progress`.
    pub progress: ProgressWhen,
    /// `NO_COLOR`, as found.
    pub no_color: Option<String>,
    /// `CLICOLOR`, as found.
    pub clicolor: Option<String>,
    /// `CLICOLOR_FORCE`, as found.
    pub clicolor_force: Option<String>,
    /// `TERM`, as found.
    pub term: Option<String>,
    /// `CI` is set and not empty.
    pub ci: bool,
    /// The locale is UTF-8.
    pub utf8: bool,
    /// `COLUMNS`.
    pub columns: Option<u16>,
}

impl Talk {
    /// The terminal can neither move its cursor nor show colours.
    #[must_use]
    pub fn dumb(&self) -> bool {
        self.term.as_deref() == Some("dumb")
    }

    /// Takes flags and environment together.
    ///
    /// # Errors
    /// `Usage`: a word of the environment that means nothing.
    pub fn resolve(args: &TalkArgs, env: &Env) -> Result<Self> {
        let found = |name| env.os(name).map(|v| v.to_string_lossy().into_owned());
        Ok(Self {
            quiet: args.quiet,
            verbosity: args.verbose,
            color: match args.color {
                Some(when) => when,
                None => word(env, env::COLOR)?.unwrap_or_default(),
            },
            progress: match args.progress {
                Some(form) => form,
                None => word(env, env::PROGRESS)?.unwrap_or_default(),
            },
            no_color: found(env::NO_COLOR),
            clicolor: found(env::CLICOLOR),
            clicolor_force: found(env::CLICOLOR_FORCE),
            term: found(env::TERM),
            ci: env.text(env::CI).is_some(),
            utf8: env.is_utf8(),
            columns: env.text(env::COLUMNS).and_then(|c| c.parse().ok()),
        })
    }
}

/// Reads a word of the environment as the flag of the same set would.
pub(super) fn word<T: ValueEnum>(env: &Env, name: &str) -> Result<Option<T>> {
    let Some(text) = env.text(name) else {
        return Ok(None);
    };
    T::from_str(text, false).map(Some).map_err(|_| {
        let known: Vec<String> = T::value_variants()
            .iter()
            .filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned()))
            .collect();
        Error::usage(format!(
            "{name}: `{text}` is not one of {}",
            known.join(", ")
        ))
    })
}
