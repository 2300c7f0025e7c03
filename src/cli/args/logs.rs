//! Flags of `logs`.

use std::time::Duration;

use clap::Args;
use k8s_openapi::jiff::Timestamp;

use crate::cli::duration;
use crate::cli::settings::Attempts;
use crate::cli::target::{Ranges, Target};
use crate::cli::words::{LogOrder, LogsOutput, PrefixWhen, TimestampStyle};

/// `logs`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A TARGET is ROLE[/JOB[/INDEX]], with ranges and *, or the name of a Job or pod.

Examples:
  # The log of the only run, as it grows
  kubectl jobset logs -f

  # One role, one Job, every first pod
  kubectl jobset logs train worker
  kubectl jobset logs train worker/2
  kubectl jobset logs train 'worker/*/0'

  # Why did it restart: the last words of what failed, in every attempt
  kubectl jobset logs train --failed --attempt all")]
pub struct LogsArgs {
    /// Name of the run, or @latest, then targets; the name may be left out where only one can be meant
    #[arg(value_name = "NAME|TARGET")]
    pub words: Vec<String>,
    /// Only that role (can be repeated)
    #[arg(long = "role", value_name = "ROLE")]
    pub roles: Vec<String>,
    /// Only Jobs with these indexes
    #[arg(long, value_name = "RANGE")]
    pub job: Option<Ranges>,
    /// Only pods with these completion indexes
    #[arg(long, value_name = "RANGE")]
    pub index: Option<Ranges>,
    /// Only that container
    #[arg(short, long, value_name = "NAME", conflicts_with = "all_containers")]
    pub container: Option<String>,
    /// Init containers as well
    #[arg(long)]
    pub all_containers: bool,
    /// Go on until the run has ended
    #[arg(short, long)]
    pub follow: bool,
    /// The attempt before the current one
    #[arg(short, long, conflicts_with = "attempt")]
    pub previous: bool,
    /// Which attempt: current, previous, all, or its number
    #[arg(long, value_name = "WHICH", default_value = "current")]
    pub attempt: Attempts,
    /// Only containers that failed; of earlier attempts what was kept
    #[arg(long)]
    pub failed: bool,
    /// Last lines of each container (-1: all)
    #[arg(long, value_name = "LINES", allow_negative_numbers = true)]
    pub tail: Option<i64>,
    /// Only lines younger than that
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, conflicts_with = "since_time")]
    pub since: Option<Duration>,
    /// Only lines after that moment (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub since_time: Option<Timestamp>,
    /// The time before each line
    #[arg(long, value_name = "STYLE", num_args = 0..=1, require_equals = true,
        default_missing_value = "rfc3339")]
    pub timestamps: Option<TimestampStyle>,
    /// The source before each line
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub prefix: PrefixWhen,
    /// Order of lines of several sources [default: arrival with -f, else time]
    #[arg(long, value_name = "BY")]
    pub order: Option<LogOrder>,
    /// Form of each line
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    pub output: LogsOutput,
    /// Most streams at once
    #[arg(long, value_name = "N", default_value_t = crate::cli::settings::MAX_LOG_REQUESTS,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub max_log_requests: u32,
    /// Let control characters through to the terminal
    #[arg(long)]
    pub raw: bool,
}

impl LogsArgs {
    /// First word: the run, unless it can only be a target. The rest: targets.
    ///
    /// # Errors
    /// What is wrong with a target.
    pub fn name_and_targets(&self) -> Result<(Option<String>, Vec<Target>), String> {
        let mut words = self.words.as_slice();
        let mut name = None;
        if let Some((first, rest)) = words.split_first()
            && !first.contains(['/', '*'])
        {
            name = Some(first.clone());
            words = rest;
        }
        let targets = words
            .iter()
            .map(|word| word.parse())
            .collect::<Result<_, _>>()?;
        Ok((name, targets))
    }
}
