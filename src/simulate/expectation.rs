//! `--expect`: how a simulation should end. Pure.

use std::fmt;
use std::str::FromStr;

use crate::simulate::story::{End, Story};

/// How it should end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The success policy is met.
    Completed,
    /// It fails.
    Failed {
        /// Reason of the condition `Failed`; none: whatever it is.
        reason: Option<String>,
    },
}

impl FromStr for Expectation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "completed" => Ok(Self::Completed),
            None if text == "failed" => Ok(Self::Failed { reason: None }),
            Some(("failed", reason)) if !reason.is_empty() => Ok(Self::Failed {
                reason: Some(reason.to_owned()),
            }),
            _ => Err(format!(
                "`{text}` is no end, write completed, failed or failed:REASON, as in \
                 failed:ReachedMaxRestarts"
            )),
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("completed"),
            Self::Failed { reason: None } => f.write_str("failed"),
            Self::Failed {
                reason: Some(reason),
            } => write!(f, "failed:{reason}"),
        }
    }
}

impl Expectation {
    /// The simulation ended so.
    #[must_use]
    pub fn is_met(&self, story: &Story) -> bool {
        match (self, &story.end) {
            (Self::Completed, End::Completed) => true,
            (Self::Failed { reason: None }, End::Failed { .. }) => true,
            (
                Self::Failed {
                    reason: Some(wanted),
                },
                End::Failed { reason, .. },
            ) => wanted == reason,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(end: End) -> Story {
        Story {
            end,
            ..Story::empty()
        }
    }

    #[test]
    fn reads_and_compares() {
        let limit = || {
            story(End::Failed {
                reason: "ReachedMaxRestarts".to_owned(),
                message: String::new(),
            })
        };
        let unfinished = || {
            story(End::Unfinished {
                stuck: true,
                state: "Starting".to_owned(),
            })
        };
        for (text, end, met) in [
            ("completed", story(End::Completed), true),
            ("completed", limit(), false),
            ("failed", limit(), true),
            ("failed:ReachedMaxRestarts", limit(), true),
            ("failed:FailedJobs", limit(), false),
            ("failed", story(End::Completed), false),
            ("failed", unfinished(), false),
            ("completed", unfinished(), false),
        ] {
            let expected: Expectation = text.parse().unwrap();
            assert_eq!(expected.to_string(), text);
            assert_eq!(expected.is_met(&end), met, "{text} {end:?}");
        }
        for text in ["", "done", "failed:", "completed:now", "Failed"] {
            assert!(text.parse::<Expectation>().is_err(), "{text}");
        }
    }
}
