//! Flags of the remaining verbs.

use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand};
use clap_complete::Shell;

use crate::cli::args::run::ManifestArgs;
use crate::cli::words::{DryRun, JsonOutput, NameOutput, RenderOutput, StatusOutput, Validate};

/// `status`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  # The runs of the namespace
  kubectl jobset status

  # One run: roles, restarts, driver
  kubectl jobset status train

  # In a script: the code of the outcome, 21 while it is not finished
  kubectl jobset status train --exit-code -q")]
pub struct StatusArgs {
    /// Name of the run, or @latest; without it all runs are listed
    #[arg(value_name = "NAME", conflicts_with_all = ["all_namespaces", "selector"])]
    pub name: Option<String>,
    /// Look again whenever something changes
    #[arg(short, long)]
    pub watch: bool,
    /// Runs of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,
    /// Only runs with these labels
    #[arg(short = 'l', long, value_name = "LABELS")]
    pub selector: Option<String>,
    /// Form of the result
    #[arg(short, long, value_name = "FORM")]
    pub output: Option<StatusOutput>,
    /// Table without headings
    #[arg(long)]
    pub no_headers: bool,
    /// Return the code of the run's outcome, 21 while it is not finished
    #[arg(long, conflicts_with_all = ["all_namespaces", "selector", "watch"])]
    pub exit_code: bool,
}

/// `local-host`.
#[derive(Args, Clone, Debug)]
pub struct LocalHostArgs {
    /// Folder of the runs
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub dir: PathBuf,
}

/// `suspend`, `resume`.
#[derive(Args, Clone, Debug)]
pub struct SuspendArgs {
    /// Name of the run, or @latest; may be left out where only one can be meant
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// How to change it.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// `stop`.
#[derive(Args, Clone, Debug)]
pub struct StopArgs {
    /// Name of the run, or @latest; may be left out where only one can be meant
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Wait until its pods are gone
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_value = "true", default_missing_value = "true", action = ArgAction::Set,
        hide_possible_values = true)]
    pub wait: bool,
    /// How to change it.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// `delete`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  # One run with its Jobs, pods, Service and record
  kubectl jobset delete train

  # Every run of the namespace, without a question
  kubectl jobset delete --all -y")]
pub struct DeleteArgs {
    /// Names of the runs
    #[arg(
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub names: Vec<String>,
    /// Every run of the namespace
    #[arg(long)]
    pub all: bool,
    /// Don't ask
    #[arg(short, long)]
    pub yes: bool,
    /// A run that isn't there is no error
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_value = "false", default_missing_value = "true", action = ArgAction::Set,
        hide_possible_values = true)]
    pub ignore_not_found: bool,
    /// Wait until everything is gone
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_value = "true", default_missing_value = "true", action = ArgAction::Set,
        hide_possible_values = true)]
    pub wait: bool,
    /// How to change it.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// Flags of everything that changes a run which exists.
#[derive(Args, Clone, Debug)]
pub struct ChangeArgs {
    /// Say what would be changed
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub dry_run: DryRun,
    /// Form of the result on stdout
    #[arg(short, long, value_name = "FORM")]
    pub output: Option<NameOutput>,
}

/// `validate`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  # All findings with their places; code 3 if there is an error
  kubectl jobset validate train.yaml

  # Every manifest of a directory, for a machine
  kubectl jobset validate jobs/*.yaml -o json")]
pub struct ValidateArgs {
    /// Manifests, each with one JobSet; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "filenames",
        value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Manifest, as in kubectl (can be repeated)
    #[arg(short = 'f', long = "filename", id = "filenames", value_name = "FILE",
        value_hint = clap::ValueHint::FilePath)]
    pub filenames: Vec<PathBuf>,
    /// Fields that this build doesn't know
    #[arg(long, value_name = "HOW", default_value = "strict")]
    pub validate: Validate,
    /// Form of the result
    #[arg(short, long, value_name = "FORM")]
    pub output: Option<JsonOutput>,
}

/// `render`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  # What run would make
  kubectl jobset render train.yaml

  # The Service and the Jobs without a driver: no order, no restarts, no outcome
  kubectl jobset render train.yaml | kubectl apply -f -")]
pub struct RenderArgs {
    /// Manifest.
    #[command(flatten)]
    pub manifest: ManifestArgs,
    /// Form of the result
    #[arg(short, long, value_name = "FORM", default_value = "yaml")]
    pub output: RenderOutput,
}

/// `version`.
#[derive(Args, Clone, Debug)]
pub struct VersionArgs {
    /// Only this program, ask no server
    #[arg(long)]
    pub client: bool,
    /// Form of the result
    #[arg(short, long, value_name = "FORM")]
    pub output: Option<JsonOutput>,
}

/// `completion`.
#[derive(Args, Clone, Debug)]
pub struct CompletionArgs {
    /// What.
    #[command(subcommand)]
    pub what: CompletionWhat,
}

/// What of completion.
#[derive(Subcommand, Clone, Debug)]
pub enum CompletionWhat {
    /// Print the script for bash
    Bash,
    /// Print the script for zsh
    Zsh,
    /// Print the script for fish
    Fish,
    /// Print the script for PowerShell
    Powershell,
    /// Print the script for elvish
    Elvish,
    /// Write the helper by which kubectl 1.26 and later completes `kubectl jobset`
    Install(InstallArgs),
}

impl CompletionWhat {
    /// The shell whose script is wanted; none for `install`.
    #[must_use]
    pub fn shell(&self) -> Option<Shell> {
        match self {
            Self::Bash => Some(Shell::Bash),
            Self::Zsh => Some(Shell::Zsh),
            Self::Fish => Some(Shell::Fish),
            Self::Powershell => Some(Shell::PowerShell),
            Self::Elvish => Some(Shell::Elvish),
            Self::Install(_) => None,
        }
    }
}

/// `completion install`.
#[derive(Args, Clone, Debug)]
pub struct InstallArgs {
    /// Directory of the helper, on PATH [default: where this program is]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

/// `help`.
#[derive(Args, Clone, Debug)]
pub struct HelpArgs {
    /// A command, or exit-codes
    #[arg(value_name = "TOPIC")]
    pub topic: Vec<String>,
}

/// The hidden `__complete`.
#[derive(Args, Clone, Debug)]
pub struct CompleteArgs {
    /// Words after `jobset`, the last one unfinished.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}
