//! The closed sets of words that flags take. Plain enums: the rest of the crate matches on them, and
//! both the parser and the environment variables read them by the same table.

use clap::ValueEnum;

/// `--color`, `KUBECTL_JOBSET_COLOR`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// By terminal and environment (plugin-conventions C.7)
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// `--progress`, `KUBECTL_JOBSET_PROGRESS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressWhen {
    /// A live display on a terminal, plain lines elsewhere
    #[default]
    Auto,
    /// A live display
    Tty,
    /// One line per change
    Plain,
    /// One JSON event per line on stdout, as -o json
    Json,
    /// Nothing but the verdict and errors
    Quiet,
}

/// `--on-interrupt`, `KUBECTL_JOBSET_ON_INTERRUPT`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnInterrupt {
    /// Show the choices; without a terminal the same as detach
    #[default]
    Ask,
    /// Leave, the run goes on without a driver
    Detach,
    /// End the run, keep its record and logs
    Stop,
    /// Delete everything the run made
    Delete,
}

/// `--on-timeout`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnTimeout {
    /// Leave, the run goes on without a driver
    #[default]
    Detach,
    /// End the run, keep its record and logs
    Stop,
    /// Delete everything the run made
    Delete,
}

/// `--on-conflict`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnConflict {
    /// Refuse
    #[default]
    Refuse,
    /// Attach to it, if its spec is the same
    Attach,
}

/// `--dry-run`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DryRun {
    /// Do it
    #[default]
    None,
    /// Say what would be done, without asking the server to check it
    Client,
    /// Have the server check it, change nothing
    Server,
}

impl DryRun {
    /// What kubectl puts behind `TYPE/name verbed`.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Client => " (dry run)",
            Self::Server => " (server dry run)",
        }
    }
}

/// `--validate`: fields that this build doesn't know. The synonyms are kubectl's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Validate {
    /// Refuse them
    #[default]
    #[value(alias = "true")]
    Strict,
    /// Warn and pass them on to the server
    Warn,
    /// Pass them on to the server
    #[value(alias = "false")]
    Ignore,
}

/// `--fail-at`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailAt {
    /// As soon as the Job is bound to fail
    #[default]
    FailureTarget,
    /// When all its pods have ended, as the in-cluster controller does
    Failed,
}

/// `--rm[=…]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RemoveWhen {
    /// However the run ends
    Always,
    /// Only if it completes
    Success,
}

/// `run -o`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RunOutput {
    /// Only the name
    Name,
    /// With --dry-run the JobSet as JSON, else one JSON event per line
    Json,
    /// The JobSet as YAML
    Yaml,
}

/// `attach -o`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AttachOutput {
    /// One JSON event per line
    Json,
}

/// `status -o`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatusOutput {
    /// The table with more columns
    Wide,
    /// `jobset.status/v1`
    Json,
    /// The JobSet as admitted, with its status
    Yaml,
    /// Only names
    Name,
}

/// `-o` of the commands that change a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NameOutput {
    /// Only the name
    Name,
}

/// `render -o`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RenderOutput {
    /// Documents that kubectl apply takes
    #[default]
    Yaml,
    /// A List
    Json,
}

/// `-o` of commands that have text and JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JsonOutput {
    /// One JSON object
    Json,
}

/// `simulate -o`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TextOutput {
    /// Lines for people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// `logs -o`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogsOutput {
    /// Lines with a prefix
    #[default]
    Text,
    /// One JSON object per line
    Json,
    /// Lines as they are
    Raw,
}

/// `logs --timestamps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimestampStyle {
    /// As the server tells them
    Rfc3339,
    /// Local time of day
    Short,
    /// Since the attempt began
    Elapsed,
}

/// `logs --prefix`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PrefixWhen {
    /// If there is more than one source
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// `logs --order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogOrder {
    /// As lines arrive
    Arrival,
    /// By time, within a second when following
    Time,
}
