//! What may be typed: the clap tree, nothing else. `settings` turns it into plain structs.

mod global;
mod logs;
mod pocket;
mod run;
mod simulate;
mod verbs;

use clap::{Parser, Subcommand};

pub use global::{ConnectionArgs, GlobalArgs, LocalArgs, TalkArgs};
pub use logs::LogsArgs;
pub use pocket::PocketArgs;
pub use run::{AttachArgs, ManifestArgs, RunArgs, StayArgs};
pub use simulate::SimulateArgs;
pub use verbs::{
    ChangeArgs, CompleteArgs, CompletionArgs, CompletionWhat, DeleteArgs, HelpArgs, InstallArgs,
    LocalHostArgs, RenderArgs, StatusArgs, StopArgs, SuspendArgs, ValidateArgs, VersionArgs,
};

/// The whole command line.
#[derive(Parser, Clone, Debug)]
#[command(
    name = "kubectl-jobset",
    version,
    about = "Run JobSets from the client",
    long_about = "Run JobSets from the client: startup order, failure and success policy, \
        one honest exit code.\n\nNo controller is needed in the cluster: the run's record, its \
        Service and its Jobs are made in your namespace with your rights. Put flags after \
        `jobset`; kubectl refuses them before it.",
    subcommand_required = true,
    disable_help_subcommand = true,
    after_help = "Exit codes: kubectl jobset help exit-codes\n\n\
        Environment: KUBECONFIG, KUBECTL_JOBSET_COLOR, KUBECTL_JOBSET_PROGRESS, \
        KUBECTL_JOBSET_ON_INTERRUPT, KUBECTL_JOBSET_LOGS, NO_COLOR, CLICOLOR, CLICOLOR_FORCE, CI",
    max_term_width = 100
)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// The verb.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs, in the order of the help text.
#[derive(Subcommand, Clone, Debug)]
pub enum Verb {
    /// Run a JobSet, stay attached, return its outcome
    Run(Box<RunArgs>),
    /// Take the driver's seat of a run again
    Attach(Box<AttachArgs>),
    /// Show runs, or one run
    Status(StatusArgs),
    /// Show the logs of a run, across roles and attempts
    Logs(Box<LogsArgs>),
    /// Suspend a run: its pods go away, nothing is counted
    Suspend(SuspendArgs),
    /// Resume a suspended run
    Resume(SuspendArgs),
    /// End a run for good, keep its record and logs
    Stop(StopArgs),
    /// Delete runs with everything they made
    Delete(DeleteArgs),
    /// Check manifests, without a cluster
    Validate(ValidateArgs),
    /// Print the Service and the Jobs of a manifest, without a cluster
    Render(RenderArgs),
    /// What if: play a manifest in virtual time, without a cluster
    Simulate(Box<SimulateArgs>),
    /// Print versions
    Version(VersionArgs),
    /// Completion for shells and for kubectl
    Completion(CompletionArgs),
    /// Host local runs: started by `--local`, ends by itself.
    #[command(name = "local-host", hide = true)]
    LocalHost(LocalHostArgs),
    /// Help about a command, or about the exit codes
    Help(HelpArgs),
    /// Serve a small Kubernetes of our own on this machine, for trying things and for tests
    #[command(hide = true)]
    Pocket(PocketArgs),
    /// Answer kubectl's question for completions.
    #[command(name = "__complete", hide = true, disable_help_flag = true)]
    Complete(CompleteArgs),
}
