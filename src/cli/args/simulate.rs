//! Flags of `simulate`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::duration;
use crate::cli::target::Target;
use crate::cli::words::{TextOutput, Validate};
use crate::simulate::{Evict, Expectation, Fail, Nodes};

/// `simulate`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A failure happens some time after its pod has begun to run, once for each place unless *TIMES says more.
exit=, signal= and a container's reason= end a container; a Job's reason= (BackoffLimitExceeded,
DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded, PodFailurePolicy), or message= alone, fail the
Job itself, as its controller would.

Examples:
  # What if a worker runs out of memory ten minutes into each of four attempts?
  kubectl jobset simulate train.yaml --fail worker/2/1:exit=137@10m*4 --run-time worker=1h

  # In CI: the failure policy must survive one eviction, code 9 if it doesn't
  kubectl jobset simulate train.yaml --evict worker/0@5m --expect completed

  # Does it start on two nodes with 8 GPUs each?
  kubectl jobset simulate train.yaml --nodes 2:cpu=64,memory=512Gi,nvidia.com/gpu=8

  # A story of your own, in the text format of the scenario tests
  kubectl jobset simulate --script story.txt")]
pub struct SimulateArgs {
    /// The manifest: YAML or JSON; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["filenames", "script"], conflicts_with = "filenames",
        value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// The manifest, as in kubectl (can be repeated; one JobSet in all)
    #[arg(short = 'f', long = "filename", id = "filenames", value_name = "FILE",
        value_hint = clap::ValueHint::FilePath)]
    pub filenames: Vec<PathBuf>,
    /// Fields that this build doesn't know
    #[arg(long, value_name = "HOW", default_value = "strict")]
    pub validate: Validate,
    /// TARGET:exit=N|signal=N|reason=R|message=TEXT@TIME[*TIMES]: fails so long after it began to run
    /// (can be repeated)
    #[arg(long = "fail", value_name = "FAILURE")]
    pub fails: Vec<Fail>,
    /// TARGET@TIME[*TIMES]: pods are evicted so long after they began to run (can be repeated)
    #[arg(long = "evict", value_name = "EVICTION")]
    pub evicts: Vec<Evict>,
    /// Pods that run, but never become ready (can be repeated)
    #[arg(long = "never-ready", value_name = "TARGET")]
    pub never_ready: Vec<Target>,
    /// ROLE=DURATION: how long the role's pods run until they succeed [default: 1h] (can be repeated)
    #[arg(long = "run-time", value_name = "ROLE=D", value_parser = role_duration)]
    pub run_times: Vec<(String, Duration)>,
    /// N[:RESOURCE=AMOUNT,…]: nodes of the cluster [default: enough for every pod] (can be repeated)
    #[arg(long = "nodes", value_name = "NODES")]
    pub nodes: Vec<Nodes>,
    /// Decides names, UIDs and jitter
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Virtual time after which it is given up
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = duration::parse)]
    pub until: Duration,
    /// How it should end: completed, failed or failed:REASON; code 9 otherwise
    #[arg(long, value_name = "END")]
    pub expect: Option<Expectation>,
    /// Commands and expectations instead of the flags above; with FILE, of that manifest
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath,
        conflicts_with_all = ["fails", "evicts", "never_ready", "run_times", "nodes", "until", "expect"])]
    pub script: Option<PathBuf>,
    /// Form of the result
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    pub output: TextOutput,
}

/// Reads `ROLE=D`.
fn role_duration(text: &str) -> Result<(String, Duration), String> {
    let (role, time) = text
        .split_once('=')
        .filter(|(role, _)| !role.is_empty())
        .ok_or_else(|| "not of the form ROLE=DURATION, as in worker=1h".to_owned())?;
    Ok((role.to_owned(), duration::parse(time)?))
}
