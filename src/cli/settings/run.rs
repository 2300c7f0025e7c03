//! Settings of `run` and `attach`.

use std::time::Duration;

use crate::cli::args::{AttachArgs, RunArgs, StayArgs};
use crate::cli::env::{self, Env};
use crate::cli::settings::ManifestSettings;
use crate::cli::settings::common::word;
use crate::cli::target::Target;
use crate::cli::words::{
    AttachOutput, DryRun, FailAt, OnConflict, OnInterrupt, OnTimeout, RemoveWhen, RunOutput,
};
use crate::error::{Error, Result};

/// How often a run without a terminal says that it is still running (cli.md 3).
pub const HEARTBEAT: Duration = Duration::from_secs(600);

/// `run`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// The manifest.
    pub manifest: ManifestSettings,
    /// Leave once everything is created that can be at once.
    pub detach: bool,
    /// Name instead of the manifest's.
    pub name: Option<String>,
    /// How to stay attached.
    pub stay: StaySettings,
    /// Only say what would be made.
    pub dry_run: DryRun,
    /// Form of the result on stdout; none: text.
    pub output: Option<RunOutput>,
    /// A run of that name exists.
    pub on_conflict: OnConflict,
    /// Log lines kept of each failed container; 0: none.
    pub keep_evidence: u32,
    /// When a failing Job is acted on.
    pub fail_at: FailAt,
}

/// `attach`.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachSettings {
    /// Name or `@latest`; none: the one that can be meant.
    pub name: Option<String>,
    /// Look on, decide nothing.
    pub read_only: bool,
    /// How to stay attached.
    pub stay: StaySettings,
    /// Form of the result on stdout; none: text.
    pub output: Option<AttachOutput>,
}

/// How to stay with a run.
#[derive(Clone, Debug, PartialEq)]
pub struct StaySettings {
    /// Logs on stdout.
    pub logs: LogChoice,
    /// Longest time to stay; none: no limit.
    pub timeout: Option<Duration>,
    /// What then.
    pub on_timeout: OnTimeout,
    /// Ctrl-C, SIGTERM, SIGHUP. [`OnInterrupt::Ask`] means detach where there is no terminal.
    pub on_interrupt: OnInterrupt,
    /// Delete everything at the end.
    pub rm: Option<RemoveWhen>,
    /// Take the seat of a live driver.
    pub take_over: bool,
    /// How often to say that nothing has changed, without a terminal; none: never.
    pub heartbeat: Option<Duration>,
    /// `--heartbeat` was given: `heartbeat` events are wanted in the JSON stream (cli.md 9).
    pub heartbeat_events: bool,
}

/// `--logs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LogChoice {
    /// No logs.
    #[default]
    None,
    /// Every container.
    All,
    /// Containers that failed, once they have.
    Failed,
    /// These.
    Targets(Vec<Target>),
}

impl LogChoice {
    /// Reads `none`, `all`, `failed` or targets with commas between them. A role called `all` is
    /// written `all/*`.
    ///
    /// # Errors
    /// What is wrong with a target.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "all" => Ok(Self::All),
            "failed" => Ok(Self::Failed),
            targets => targets
                .split(',')
                .map(str::parse)
                .collect::<Result<_, _>>()
                .map(Self::Targets),
        }
    }
}

impl RunSettings {
    /// Resolves flags and environment.
    ///
    /// # Errors
    /// `Usage`: a word of the environment or a log target that means nothing.
    pub fn resolve(args: RunArgs, env: &Env) -> Result<Self> {
        Ok(Self {
            manifest: args.manifest.into(),
            detach: args.detach,
            name: args.name,
            stay: StaySettings::resolve(args.stay, env)?,
            dry_run: args.dry_run,
            output: args.output,
            on_conflict: args.on_conflict,
            keep_evidence: args.keep_evidence,
            fail_at: args.fail_at,
        })
    }
}

impl AttachSettings {
    /// Resolves flags and environment.
    ///
    /// # Errors
    /// As [`RunSettings::resolve`].
    pub fn resolve(args: AttachArgs, env: &Env) -> Result<Self> {
        Ok(Self {
            name: args.name,
            read_only: args.read_only,
            stay: StaySettings::resolve(args.stay, env)?,
            output: args.output,
        })
    }
}

impl StaySettings {
    fn resolve(args: StayArgs, env: &Env) -> Result<Self> {
        let (logs, source) = match (args.logs, env.text(env::LOGS)) {
            (Some(text), _) => (text, "--logs"),
            (None, Some(text)) => (text.to_owned(), env::LOGS),
            (None, None) => ("none".to_owned(), "--logs"),
        };
        let on_interrupt = match args.on_interrupt {
            Some(word) => Some(word),
            None => word(env, env::ON_INTERRUPT)?,
        };
        Ok(Self {
            logs: LogChoice::parse(&logs).map_err(|e| Error::usage(format!("{source}: {e}")))?,
            timeout: args.timeout.filter(|limit| !limit.is_zero()),
            on_timeout: args.on_timeout,
            on_interrupt: on_interrupt.unwrap_or_default(),
            rm: args.rm,
            take_over: args.take_over,
            heartbeat: Some(args.heartbeat.unwrap_or(HEARTBEAT)).filter(|every| !every.is_zero()),
            heartbeat_events: args.heartbeat.is_some(),
        })
    }
}
