//! The one target grammar (cli.md 1.8): `ROLE[/JOB[/INDEX]]` with ranges and `*`, or the full name of a
//! Job or pod. Pure: says what a target means, knows nothing of clusters.
//!
//! `worker`, `worker/2`, `worker/0-3`, `worker/*/0`, `*/0`, `train-worker-2`, `train-worker-2-1-x7k2p`,
//! `job/train-worker-2`, `pod/train-worker-2-1-x7k2p`. A bare word is a role if the run has one of that
//! name, else a Job's or a pod's name: role names may end in `-2`, so nothing is cut off a word.

use std::fmt;
use std::str::FromStr;

use crate::api::JobSet;
use crate::api::names::job_name;

/// Which Jobs or pods of a run are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A word without a slash: a role, or the full name of a Job or pod.
    Word(String),
    /// `ROLE/JOB[/INDEX]`, or `*`.
    Place {
        /// Role; none: every role.
        role: Option<String>,
        /// Job indexes.
        jobs: Ranges,
        /// Completion indexes.
        indexes: Ranges,
    },
    /// `job/NAME`.
    Job(String),
    /// `pod/NAME`.
    Pod(String),
}

/// Index ranges: `*`, `3`, `0-3`, `0-3,7`. Ends are included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Option<Vec<(u32, u32)>>);

/// A pod as targets see it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Role.
    pub role: &'a str,
    /// Job index.
    pub job: u32,
    /// Job name.
    pub job_name: &'a str,
    /// Completion index; none for NonIndexed Jobs.
    pub index: Option<u32>,
    /// Pod name.
    pub pod: &'a str,
}

impl Ranges {
    /// Every index.
    #[must_use]
    pub fn all() -> Self {
        Self(None)
    }
    /// That index is meant.
    #[must_use]
    pub fn contains(&self, index: u32) -> bool {
        self.0.as_ref().is_none_or(|ranges| {
            ranges
                .iter()
                .any(|(from, to)| (*from..=*to).contains(&index))
        })
    }
    /// No restriction.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }
    /// Smallest index that is named; none for `*`.
    fn first(&self) -> Option<u32> {
        self.0.as_ref()?.iter().map(|(from, _)| *from).min()
    }
}

impl FromStr for Ranges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::all());
        }
        let number = |digits: &str| {
            if digits.chars().all(|c| c.is_ascii_digit()) {
                digits.parse::<u32>().ok()
            } else {
                None
            }
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let (Some(from), Some(to)) = (number(from), number(to)) else {
                return Err(format!(
                    "`{part}` is not an index range (examples: 3, 0-3, *)"
                ));
            };
            if from > to {
                return Err(format!("range `{part}` is empty, write {to}-{from}"));
            }
            ranges.push((from, to));
        }
        Ok(Self(Some(ranges)))
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(ranges) = &self.0 else {
            return f.write_str("*");
        };
        for (i, (from, to)) in ranges.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            if from == to {
                write!(f, "{from}")?;
            } else {
                write!(f, "{from}-{to}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('/').collect();
        for part in &parts {
            if part.is_empty() {
                return Err(format!("target `{text}` has an empty part ({GRAMMAR})"));
            }
        }
        let role = |name: &str| (name != "*").then(|| name.to_owned());
        let ranges = |part: &str| {
            part.parse::<Ranges>()
                .map_err(|e| format!("target `{text}`: {e}"))
        };
        match parts.as_slice() {
            ["*"] => Ok(Self::Place {
                role: None,
                jobs: Ranges::all(),
                indexes: Ranges::all(),
            }),
            [word] if is_name(word) => Ok(Self::Word((*word).to_owned())),
            ["job", name] if is_name(name) && !is_number_like(name) => {
                Ok(Self::Job((*name).to_owned()))
            }
            ["pod", name] if is_name(name) && !is_number_like(name) => {
                Ok(Self::Pod((*name).to_owned()))
            }
            [name, jobs] if *name == "*" || is_name(name) => Ok(Self::Place {
                role: role(name),
                jobs: ranges(jobs)?,
                indexes: Ranges::all(),
            }),
            [name, jobs, indexes] if *name == "*" || is_name(name) => Ok(Self::Place {
                role: role(name),
                jobs: ranges(jobs)?,
                indexes: ranges(indexes)?,
            }),
            _ => Err(format!("`{text}` is not a target ({GRAMMAR})")),
        }
    }
}

/// What a refusal ends with.
const GRAMMAR: &str = "ROLE[/JOB[/INDEX]], as in worker, worker/0-3, worker/*/0, or a pod's name";

/// Letters, digits, dashes and dots, as in Kubernetes names.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.')
}

/// `2`, `0-3`: an index, never a name.
fn is_number_like(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c == '-')
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Job(name) => write!(f, "job/{name}"),
            Self::Pod(name) => write!(f, "pod/{name}"),
            Self::Place {
                role,
                jobs,
                indexes,
            } => {
                f.write_str(role.as_deref().unwrap_or("*"))?;
                if !jobs.is_all() || !indexes.is_all() {
                    write!(f, "/{jobs}")?;
                }
                if !indexes.is_all() {
                    write!(f, "/{indexes}")?;
                }
                Ok(())
            }
        }
    }
}

impl Target {
    /// A whole role.
    #[must_use]
    pub fn role(name: impl Into<String>) -> Self {
        Self::Place {
            role: Some(name.into()),
            jobs: Ranges::all(),
            indexes: Ranges::all(),
        }
    }

    /// That pod is meant. A pod of a NonIndexed Job has no index; it matches where any index does.
    #[must_use]
    pub fn matches(&self, place: &Place<'_>) -> bool {
        match self {
            Self::Word(word) => [place.role, place.job_name, place.pod].contains(&word.as_str()),
            Self::Job(name) => name == place.job_name,
            Self::Pod(name) => name == place.pod,
            Self::Place {
                role,
                jobs,
                indexes,
            } => {
                role.as_ref().is_none_or(|role| role == place.role)
                    && jobs.contains(place.job)
                    && place
                        .index
                        .map_or(indexes.is_all(), |index| indexes.contains(index))
            }
        }
    }

    /// That the run can have such a Job or pod: the role exists, the first index named is below its
    /// number. A pod's own name can't be checked by the spec beyond its Job's.
    ///
    /// # Errors
    /// A fragment that names the target and the roles there are.
    pub fn check(&self, jobset: &JobSet) -> Result<(), String> {
        let roles = &jobset.spec.replicated_jobs;
        let known = || {
            let names: Vec<&str> = roles.iter().map(|r| r.name.as_str()).collect();
            format!("roles of {}: {}", jobset.metadata.name, names.join(", "))
        };
        match self {
            Self::Pod(name) | Self::Job(name) | Self::Word(name) => {
                let is_role = matches!(self, Self::Word(_)) && jobset.role(name).is_some();
                // A pod is named after its Job: `<job>-<suffix>` or `<job>-<index>-<suffix>`.
                let is_child = roles.iter().any(|role| {
                    (0..role.replicas()).any(|index| {
                        let job = job_name(&jobset.metadata.name, &role.name, index);
                        match name.strip_prefix(&job) {
                            Some("") => !matches!(self, Self::Pod(_)),
                            Some(rest) => rest.starts_with('-') && !matches!(self, Self::Job(_)),
                            None => false,
                        }
                    })
                });
                if is_role || is_child {
                    Ok(())
                } else {
                    Err(format!("nothing in the run is called {name} ({})", known()))
                }
            }
            Self::Place {
                role: None, jobs, ..
            } => {
                let most = roles.iter().map(|r| r.replicas()).max().unwrap_or(0);
                match jobs.first() {
                    Some(first) if first >= most => {
                        Err(format!("no role has a Job {first} ({})", known()))
                    }
                    _ => Ok(()),
                }
            }
            Self::Place {
                role: Some(name),
                jobs,
                indexes,
            } => {
                let Some((_, role)) = jobset.role(name) else {
                    return Err(format!("no role is called {name} ({})", known()));
                };
                if let Some(first) = jobs.first()
                    && first >= role.replicas()
                {
                    return Err(format!(
                        "{name} has no Job {first}, it has {} (0-based)",
                        role.replicas()
                    ));
                }
                if let Some(first) = indexes.first()
                    && let Some(completions) = role.template.completions()
                    && i64::from(first) >= completions
                {
                    return Err(format!(
                        "{name} has no index {first}, its Jobs have {completions} (0-based)"
                    ));
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{JobSetSpec, JobTemplate, Metadata, ReplicatedJob};

    fn target(text: &str) -> Target {
        text.parse().unwrap()
    }

    fn train() -> JobSet {
        let role = |name: &str, replicas, completions: i64| ReplicatedJob {
            name: name.to_owned(),
            replicas: Some(replicas),
            template: JobTemplate(serde_json::json!({"spec": {"completions": completions}})),
            ..ReplicatedJob::default()
        };
        JobSet {
            api_version: String::new(),
            kind: String::new(),
            metadata: Metadata {
                name: "train".to_owned(),
                ..Metadata::default()
            },
            spec: JobSetSpec {
                replicated_jobs: vec![
                    role("leader", 1, 1),
                    role("worker", 4, 2),
                    role("w-2", 1, 1),
                ],
                ..JobSetSpec::default()
            },
        }
    }

    const POD: Place<'static> = Place {
        role: "worker",
        job: 2,
        job_name: "train-worker-2",
        index: Some(1),
        pod: "train-worker-2-1-x7k2p",
    };

    #[test]
    fn means_what_the_grammar_says() {
        for (text, expected) in [
            ("worker", true),
            ("worker/2", true),
            ("worker/0-3", true),
            ("worker/0-1", false),
            ("worker/*/1", true),
            ("worker/*/0", false),
            ("worker/2/0-1", true),
            ("worker/0,2", true),
            ("*", true),
            ("*/2", true),
            ("*/3", false),
            ("leader", false),
            ("leader/2", false),
            ("train-worker-2", true),
            ("train-worker-1", false),
            ("train-worker-2-1-x7k2p", true),
            ("pod/train-worker-2-1-x7k2p", true),
            ("pod/train-worker-2", false),
            ("job/train-worker-2", true),
            ("worker-2", false),
        ] {
            assert_eq!(target(text).matches(&POD), expected, "{text}");
        }
    }

    #[test]
    fn a_pod_without_an_index_matches_only_where_any_index_does() {
        let pod = Place { index: None, ..POD };
        assert!(target("worker/2").matches(&pod));
        assert!(!target("worker/2/0").matches(&pod));
    }

    #[test]
    fn job_and_pod_are_words_too() {
        assert_eq!(target("job/0").to_string(), "job/0");
        assert!(matches!(target("job/0"), Target::Place { role: Some(role), .. } if role == "job"));
        assert!(matches!(target("pod/0-3"), Target::Place { .. }));
    }

    #[test]
    fn prints_as_written() {
        for text in [
            "worker",
            "worker/0-3",
            "worker/*/0",
            "*",
            "*/0",
            "pod/a-b",
            "a/1,3-4/2",
        ] {
            assert_eq!(target(text).to_string(), text);
        }
    }

    #[test]
    fn refuses_what_means_nothing() {
        for text in [
            "",
            "/",
            "worker/",
            "worker//0",
            "worker/a",
            "worker/3-1",
            "a/1/2/3",
            "Worker",
            "a b",
        ] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
        assert_eq!(
            "worker/3-1".parse::<Target>().unwrap_err(),
            "target `worker/3-1`: range `3-1` is empty, write 1-3"
        );
    }

    #[test]
    fn checks_against_the_spec_with_candidates() {
        let jobset = train();
        for text in [
            "worker",
            "worker/3",
            "worker/3/1",
            "w-2",
            "train-worker-3",
            "train-worker-3-1-abcde",
            "*/3",
        ] {
            assert_eq!(target(text).check(&jobset), Ok(()), "{text}");
        }
        for (text, message) in [
            (
                "works",
                "nothing in the run is called works (roles of train: leader, worker, w-2)",
            ),
            (
                "works/0",
                "no role is called works (roles of train: leader, worker, w-2)",
            ),
            ("worker/4", "worker has no Job 4, it has 4 (0-based)"),
            (
                "worker/0/2",
                "worker has no index 2, its Jobs have 2 (0-based)",
            ),
            (
                "train-worker-4",
                "nothing in the run is called train-worker-4 (roles of train: leader, worker, w-2)",
            ),
        ] {
            assert_eq!(
                target(text).check(&jobset),
                Err(message.to_owned()),
                "{text}"
            );
        }
    }
}
