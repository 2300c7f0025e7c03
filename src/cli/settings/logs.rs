//! Settings of `logs`.

use std::str::FromStr;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

use crate::cli::args::LogsArgs;
use crate::cli::target::{Ranges, Target};
use crate::cli::words::{LogOrder, LogsOutput, PrefixWhen, TimestampStyle};
use crate::error::{Error, Result};

/// Default of `--max-log-requests` (cli.md 3): an API server serves that many streams of one client
/// without strain, and nobody reads more at once.
pub const MAX_LOG_REQUESTS: u32 = 500;

/// `logs`.
#[derive(Clone, Debug, PartialEq)]
pub struct LogsSettings {
    /// Name or `@latest`; none: the one that can be meant.
    pub name: Option<String>,
    /// A pod is meant if one of these does, or if there are none.
    pub targets: Vec<Target>,
    /// And its role is one of these, or there are none.
    pub roles: Vec<String>,
    /// And its Job's index is one of these.
    pub jobs: Ranges,
    /// And its completion index.
    pub indexes: Ranges,
    /// Only that container.
    pub container: Option<String>,
    /// Init containers as well.
    pub all_containers: bool,
    /// Go on until the run has ended.
    pub follow: bool,
    /// `-p` was given: also the previous instance of a container that was restarted in its pod.
    pub previous: bool,
    /// Attempts.
    pub attempt: Attempts,
    /// Only containers that failed.
    pub failed: bool,
    /// Last lines of each container; none: all of them. See `tail_given`.
    pub tail: Option<u64>,
    /// `--tail` was given, so that a default for large sets does not apply.
    pub tail_given: bool,
    /// Only lines younger than that.
    pub since: Option<Duration>,
    /// Only lines after that moment.
    pub since_time: Option<Timestamp>,
    /// The time before each line.
    pub timestamps: Option<TimestampStyle>,
    /// The source before each line.
    pub prefix: PrefixWhen,
    /// Order of lines of several sources.
    pub order: LogOrder,
    /// Form of each line.
    pub output: LogsOutput,
    /// Most streams at once.
    pub max_log_requests: u32,
    /// Let control characters through.
    pub raw: bool,
}

/// `--attempt`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attempts {
    /// The current one.
    #[default]
    Current,
    /// The one before it.
    Previous,
    /// Every one.
    All,
    /// That one.
    Number(u32),
}

impl FromStr for Attempts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "current" => Ok(Self::Current),
            "previous" => Ok(Self::Previous),
            "all" => Ok(Self::All),
            number => number.parse().map(Self::Number).map_err(|_| {
                "not an attempt (current, previous, all, or a number from 0)".to_owned()
            }),
        }
    }
}

impl LogsSettings {
    /// Resolves flags.
    ///
    /// # Errors
    /// `Usage`: a target that means nothing, a negative `--tail` other than -1.
    pub fn resolve(args: LogsArgs) -> Result<Self> {
        let (name, targets) = args.name_and_targets().map_err(Error::usage)?;
        let tail = match args.tail {
            None | Some(-1) => None,
            Some(lines) => Some(u64::try_from(lines).map_err(|_| {
                Error::usage(format!("--tail {lines}: a number of lines, or -1 for all"))
            })?),
        };
        let order = args.order.unwrap_or(if args.follow {
            LogOrder::Arrival
        } else {
            LogOrder::Time
        });
        Ok(Self {
            name,
            targets,
            roles: args.roles,
            jobs: args.job.unwrap_or_default(),
            indexes: args.index.unwrap_or_default(),
            container: args.container,
            all_containers: args.all_containers,
            follow: args.follow,
            previous: args.previous,
            attempt: if args.previous {
                Attempts::Previous
            } else {
                args.attempt
            },
            failed: args.failed,
            tail,
            tail_given: args.tail.is_some(),
            since: args.since,
            since_time: args.since_time,
            timestamps: args.timestamps,
            prefix: args.prefix,
            order,
            output: args.output,
            max_log_requests: args.max_log_requests,
            raw: args.raw,
        })
    }
}
