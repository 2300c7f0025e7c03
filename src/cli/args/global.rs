//! Flags that every command takes, before or after the verb.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};

use crate::cli::duration;
use crate::cli::words::{ColorWhen, ProgressWhen};

/// The connection, as in kubectl, and the manner of talking.
#[derive(Args, Clone, Debug, Default)]
pub struct GlobalArgs {
    /// Connection flags.
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Local runs.
    #[command(flatten)]
    pub local: LocalArgs,
    /// Output flags.
    #[command(flatten)]
    pub talk: TalkArgs,
}

/// kubectl's connection flags.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionArgs {
    /// Namespace
    #[arg(short, long, global = true, value_name = "NAME")]
    pub namespace: Option<String>,
    /// Context of the kubeconfig
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,
    /// Cluster of the kubeconfig
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub cluster: Option<String>,
    /// User of the kubeconfig
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub user: Option<String>,
    /// The kubeconfig, instead of KUBECONFIG and ~/.kube/config
    #[arg(long, global = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub kubeconfig: Option<PathBuf>,
    /// Address of the API server
    #[arg(short, long, global = true, hide_short_help = true, value_name = "URL")]
    pub server: Option<String>,
    /// Bearer token
    #[arg(long, global = true, hide_short_help = true, value_name = "TOKEN")]
    pub token: Option<String>,
    /// User to act as
    #[arg(
        long = "as",
        global = true,
        hide_short_help = true,
        value_name = "USER"
    )]
    pub as_user: Option<String>,
    /// Group to act as (can be repeated)
    #[arg(
        long = "as-group",
        global = true,
        hide_short_help = true,
        value_name = "GROUP"
    )]
    pub as_groups: Vec<String>,
    /// UID to act as
    #[arg(
        long = "as-uid",
        global = true,
        hide_short_help = true,
        value_name = "UID"
    )]
    pub as_uid: Option<String>,
    /// Extra field to act with (can be repeated)
    #[arg(long = "as-user-extra", global = true, hide_short_help = true, value_name = "KEY=VALUE", value_parser = key_value)]
    pub as_user_extra: Vec<(String, String)>,
    /// Client certificate
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub client_certificate: Option<PathBuf>,
    /// Client key
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub client_key: Option<PathBuf>,
    /// Certificate of the API server's authority
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub certificate_authority: Option<PathBuf>,
    /// Don't check the API server's certificate
    #[arg(
        long, global = true, hide_short_help = true, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", hide_possible_values = true
    )]
    pub insecure_skip_tls_verify: Option<bool>,
    /// Name that the API server's certificate must have
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub tls_server_name: Option<String>,
    /// Longest wait for one request, watches and log streams excepted (0: no limit)
    #[arg(long, global = true, hide_short_help = true, value_name = "DURATION", value_parser = duration::parse_request_timeout)]
    pub request_timeout: Option<Duration>,
    /// Don't ask for compressed answers
    #[arg(
        long, global = true, hide_short_help = true, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", hide_possible_values = true
    )]
    pub disable_compression: Option<bool>,
    /// Taken for kubectl's sake; nothing is cached
    #[arg(long, global = true, hide_short_help = true, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub cache_dir: Option<PathBuf>,
}

/// Local runs instead of a cluster.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Local runs")]
pub struct LocalArgs {
    /// Pods are processes of this machine, no cluster is asked
    #[arg(long, global = true, conflicts_with_all = ["context", "cluster", "user", "kubeconfig", "server", "token", "as_user"])]
    pub local: bool,
    /// Folder of local runs [default: kubectl-jobset in the user's state folder; env: KUBECTL_JOBSET_LOCAL_DIR]
    #[arg(long, global = true, hide_short_help = true, requires = "local", value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub local_dir: Option<PathBuf>,
}

/// How to talk.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct TalkArgs {
    /// Say only the verdict and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more: -v decisions, -vv API calls
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// Colour [default: auto; env: KUBECTL_JOBSET_COLOR]
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<ColorWhen>,
    /// Form of the progress report on stderr [default: auto; env: KUBECTL_JOBSET_PROGRESS]
    #[arg(long, global = true, value_name = "FORM")]
    pub progress: Option<ProgressWhen>,
}

/// Reads `KEY=VALUE`.
fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("not of the form KEY=VALUE".to_owned()),
    }
}
