//! Flags of `run` and `attach`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::duration;
use crate::cli::words::{
    AttachOutput, DryRun, FailAt, OnConflict, OnInterrupt, OnTimeout, RemoveWhen, RunOutput,
    Validate,
};

/// Where the one manifest comes from.
#[derive(Args, Clone, Debug)]
pub struct ManifestArgs {
    /// The manifest: YAML or JSON; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "filenames", conflicts_with = "filenames",
        value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// The manifest, as in kubectl (can be repeated; one JobSet in all)
    #[arg(short = 'f', long = "filename", id = "filenames", value_name = "FILE",
        value_hint = clap::ValueHint::FilePath)]
    pub filenames: Vec<PathBuf>,
    /// Fields that this build doesn't know
    #[arg(long, value_name = "HOW", default_value = "strict")]
    pub validate: Validate,
}

/// `run`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  # Run a JobSet, stay attached, return its outcome
  kubectl jobset run train.yaml

  # Follow the leader's log meanwhile
  kubectl jobset run train.yaml --logs leader > leader.log

  # In CI: safe to repeat, stopped after two hours, deleted if it completes
  kubectl jobset run train.yaml --on-conflict attach --timeout 2h --on-timeout stop --rm=success

  # Only start it; drive it later with attach
  kubectl jobset run train.yaml -d")]
pub struct RunArgs {
    /// Manifest.
    #[command(flatten)]
    pub manifest: ManifestArgs,
    /// Create what can be created at once, print the name, leave; nobody drives the run then
    #[arg(short, long, conflicts_with_all = ["timeout", "rm", "logs", "on_timeout", "on_interrupt", "heartbeat"])]
    pub detach: bool,
    /// Name of the run instead of the manifest's
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Flags that `attach` has as well.
    #[command(flatten)]
    pub stay: StayArgs,
    /// Say what would be made
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub dry_run: DryRun,
    /// Form of the result on stdout
    #[arg(short, long, value_name = "FORM")]
    pub output: Option<RunOutput>,
    /// What to do if a run of that name exists
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub on_conflict: OnConflict,
    /// Log lines kept of each failed container before a restart deletes it (0: none)
    #[arg(long, value_name = "LINES", default_value_t = crate::engine::state::EVIDENCE_LINES,
        value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub keep_evidence: u32,
    /// When a failing Job is acted on
    #[arg(long, value_name = "WHEN", default_value = "failure-target")]
    pub fail_at: FailAt,
}

/// Flags of a command that stays with a run.
#[derive(Args, Clone, Debug)]
pub struct StayArgs {
    /// Logs to stream to stdout: none, all, failed, or TARGET,…
    /// [default: none; env: KUBECTL_JOBSET_LOGS]
    #[arg(long, value_name = "WHICH")]
    pub logs: Option<String>,
    /// Longest time to stay (0: no limit)
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub timeout: Option<Duration>,
    /// What to do then
    #[arg(long, value_name = "WHAT", default_value = "detach")]
    pub on_timeout: OnTimeout,
    /// What to do on Ctrl-C, SIGTERM and SIGHUP
    /// [default: ask on a terminal, else detach; env: KUBECTL_JOBSET_ON_INTERRUPT]
    #[arg(long, value_name = "WHAT")]
    pub on_interrupt: Option<OnInterrupt>,
    /// Delete everything at the end, or only on success
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
        default_missing_value = "always")]
    pub rm: Option<RemoveWhen>,
    /// Take the driver's seat even if another driver is alive
    #[arg(long)]
    pub take_over: bool,
    /// How often to say that nothing has changed (0: never) [default: 10m]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub heartbeat: Option<Duration>,
}

/// `attach`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  # Drive a run again that was left or whose driver died
  kubectl jobset attach train

  # Only look
  kubectl jobset attach train --read-only")]
pub struct AttachArgs {
    /// Name of the run, or @latest; may be left out where only one can be meant
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Look on, decide nothing
    #[arg(long, conflicts_with_all = ["take_over", "rm", "on_timeout", "on_interrupt"])]
    pub read_only: bool,
    /// Flags that `run` has as well.
    #[command(flatten)]
    pub stay: StayArgs,
    /// Form of the result on stdout
    #[arg(short, long, value_name = "FORM")]
    pub output: Option<AttachOutput>,
}
