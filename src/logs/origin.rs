//! Where a line comes from, and what comes out of the log engine.

use std::sync::Arc;

use k8s_openapi::jiff::Timestamp;

use crate::cli::target::Place;
use crate::engine::EventKind;

/// A container of a pod, as lines are named after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Role.
    pub role: String,
    /// Job index.
    pub job: u32,
    /// Name of the Job.
    pub job_name: String,
    /// Completion index; none for NonIndexed Jobs.
    pub index: Option<u32>,
    /// Attempt (`status.restarts`) that the pod belongs to.
    pub attempt: u32,
    /// Restarts of its Job by itself.
    pub job_restarts: u32,
    /// Pod.
    pub pod: String,
    /// Container.
    pub container: String,
    /// Several containers of this pod are shown.
    pub several: bool,
    /// The lines were kept in the record; the pod is gone.
    pub kept: bool,
}

impl Origin {
    /// `ROLE/JOB/INDEX`; pods without an index go by the end of their name.
    #[must_use]
    pub fn target(&self) -> String {
        match self.index {
            Some(index) => format!("{}/{}/{index}", self.role, self.job),
            None => {
                let suffix = self.pod.rsplit('-').next().unwrap_or_default();
                format!("{}/{}/{suffix}", self.role, self.job)
            }
        }
    }

    /// What messages call it: [`Origin::target`], with the container if several are shown.
    #[must_use]
    pub fn name(&self) -> String {
        if self.several {
            format!("{}:{}", self.target(), self.container)
        } else {
            self.target()
        }
    }

    /// As targets see it.
    #[must_use]
    pub fn place(&self) -> Place<'_> {
        Place {
            role: &self.role,
            job: self.job,
            job_name: &self.job_name,
            index: self.index,
            pod: &self.pod,
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Where it comes from.
    pub from: Arc<Origin>,
    /// When it was written, as the container runtime stamped it; none for kept lines.
    pub time: Option<Timestamp>,
    /// Text without its line end, as the program wrote it (may not be UTF-8).
    pub text: Vec<u8>,
}

/// Something to say about the logs; talk, not data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Between lines, as a mark (`stream of leader/0/0 resumed after 12s`).
    Mark(String),
    /// Something the user should know.
    Warning(String),
    /// More containers than streams are allowed; said once.
    TooMany {
        /// The limit.
        limit: usize,
        /// The first one that is not shown.
        target: String,
    },
    /// Logs may not be read: all of them are off. Said once.
    Forbidden(String),
}

/// What comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A line.
    Line(LogLine),
    /// A note.
    Note(Note),
}

/// As the event stream of `run` and `attach` tells it.
impl From<Item> for EventKind {
    fn from(item: Item) -> Self {
        match item {
            Item::Line(line) => Self::Log {
                role: line.from.role.clone(),
                job: line.from.job,
                index: line.from.index,
                attempt: line.from.attempt,
                pod: line.from.pod.clone(),
                container: line.from.container.clone(),
                line: String::from_utf8_lossy(&line.text).into_owned(),
            },
            Item::Note(note) => Self::Warning {
                message: note.to_string(),
            },
        }
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mark(text) | Self::Warning(text) => f.write_str(text),
            Self::TooMany { limit, target } => write!(
                f,
                "more than {limit} log streams (--max-log-requests): {target} and those after it \
                 are not shown"
            ),
            Self::Forbidden(text) => write!(f, "logs are off: {text}"),
        }
    }
}
