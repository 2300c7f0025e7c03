//! Settings of the remaining verbs.

use std::path::PathBuf;

use clap_complete::Shell;

use crate::cli::args::{
    ChangeArgs, CompletionArgs, CompletionWhat, DeleteArgs, RenderArgs, StatusArgs, StopArgs,
    SuspendArgs, ValidateArgs, VersionArgs,
};
use crate::cli::settings::{ManifestSettings, Source};
use crate::cli::words::{DryRun, RenderOutput, StatusOutput, Validate};

/// `status`.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusSettings {
    /// Name or `@latest`; none: a list.
    pub name: Option<String>,
    /// Look again whenever something changes.
    pub watch: bool,
    /// Of all namespaces.
    pub all_namespaces: bool,
    /// Only with these labels.
    pub selector: Option<String>,
    /// Form; none: the table.
    pub output: Option<StatusOutput>,
    /// Table without headings.
    pub no_headers: bool,
    /// Return the code of the outcome.
    pub exit_code: bool,
}

/// `suspend`, `resume`, `stop`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeSettings {
    /// Name or `@latest`; none: the one that can be meant.
    pub name: Option<String>,
    /// Only say what would be changed.
    pub dry_run: DryRun,
    /// Print only `jobset/NAME`.
    pub name_only: bool,
    /// Wait until the pods are gone (`stop`).
    pub wait: bool,
}

/// `delete`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteSettings {
    /// Names; empty: every run of the namespace (`--all`).
    pub names: Vec<String>,
    /// Don't ask.
    pub yes: bool,
    /// A run that isn't there is no error.
    pub ignore_not_found: bool,
    /// Wait until everything is gone.
    pub wait: bool,
    /// Only say what would be deleted.
    pub dry_run: DryRun,
    /// Print only `jobset/NAME`.
    pub name_only: bool,
}

/// `validate`.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateSettings {
    /// Manifests, each checked by itself.
    pub sources: Vec<Source>,
    /// Fields that this build doesn't know.
    pub validate: Validate,
    /// Findings as JSON.
    pub json: bool,
}

/// `render`.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderSettings {
    /// The manifest.
    pub manifest: ManifestSettings,
    /// Form.
    pub output: RenderOutput,
}

/// `version`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VersionSettings {
    /// Ask no server.
    pub client: bool,
    /// As JSON.
    pub json: bool,
}

/// `completion`.
#[derive(Clone, Debug, PartialEq)]
pub enum CompletionSettings {
    /// Print that shell's script.
    Script(Shell),
    /// Write kubectl's helper; none: beside this program.
    Install(Option<PathBuf>),
}

impl From<StatusArgs> for StatusSettings {
    fn from(args: StatusArgs) -> Self {
        Self {
            name: args.name,
            watch: args.watch,
            all_namespaces: args.all_namespaces,
            selector: args.selector,
            output: args.output,
            no_headers: args.no_headers,
            exit_code: args.exit_code,
        }
    }
}

impl ChangeSettings {
    fn new(name: Option<String>, change: &ChangeArgs, wait: bool) -> Self {
        Self {
            name,
            dry_run: change.dry_run,
            name_only: change.output.is_some(),
            wait,
        }
    }
}

impl From<SuspendArgs> for ChangeSettings {
    fn from(args: SuspendArgs) -> Self {
        Self::new(args.name, &args.change, false)
    }
}

impl From<StopArgs> for ChangeSettings {
    fn from(args: StopArgs) -> Self {
        Self::new(args.name, &args.change, args.wait)
    }
}

impl From<DeleteArgs> for DeleteSettings {
    fn from(args: DeleteArgs) -> Self {
        Self {
            names: args.names,
            yes: args.yes,
            ignore_not_found: args.ignore_not_found,
            wait: args.wait,
            dry_run: args.change.dry_run,
            name_only: args.change.output.is_some(),
        }
    }
}

impl From<ValidateArgs> for ValidateSettings {
    fn from(args: ValidateArgs) -> Self {
        Self {
            sources: args
                .files
                .into_iter()
                .chain(args.filenames)
                .map(Source::from)
                .collect(),
            validate: args.validate,
            json: args.output.is_some(),
        }
    }
}

impl From<RenderArgs> for RenderSettings {
    fn from(args: RenderArgs) -> Self {
        Self {
            manifest: args.manifest.into(),
            output: args.output,
        }
    }
}

impl From<VersionArgs> for VersionSettings {
    fn from(args: VersionArgs) -> Self {
        Self {
            client: args.client,
            json: args.output.is_some(),
        }
    }
}

impl From<CompletionArgs> for CompletionSettings {
    fn from(args: CompletionArgs) -> Self {
        match (args.what.shell(), args.what) {
            (Some(shell), _) => Self::Script(shell),
            (None, CompletionWhat::Install(install)) => Self::Install(install.dir),
            // Only `install` has no shell.
            (None, _) => Self::Install(None),
        }
    }
}
