//! What somebody wants to go wrong, as it is typed: `worker/2/1:exit=137@10m*4`. Pure: says what is meant,
//! makes nothing happen.

use std::str::FromStr;

use k8s_openapi::jiff::SignedDuration;

use crate::cli::duration;
use crate::cli::target::Target;

/// Reasons with which the Job controller fails a Job: they are a Job's, every other one is a container's.
const JOB_REASONS: [&str; 5] = [
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
];
/// What a killed container's exit code is above its signal.
const BY_SIGNAL: i32 = 128;
/// Exit code of a container that ran out of memory.
const OUT_OF_MEMORY: i32 = 137;

/// How something fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// A container ends.
    Container {
        /// Exit code.
        exit: i32,
        /// Signal that ended it.
        signal: Option<i32>,
        /// `OOMKilled`, …; none: what a kubelet says of the code.
        reason: Option<String>,
        /// Termination message.
        message: Option<String>,
    },
    /// The Job fails, whatever its pods do.
    Job {
        /// Reason of its condition.
        reason: String,
        /// Message of its condition.
        message: String,
    },
}

/// Something goes wrong with pods, or with their Jobs, some time after they have begun to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fail {
    /// As it was typed.
    pub text: String,
    /// Whose.
    pub target: Target,
    /// How.
    pub how: How,
    /// After the pod has begun to run.
    pub after: SignedDuration,
    /// How many times for each place.
    pub times: u32,
}

/// Pods that are evicted some time after they have begun to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evict {
    /// As it was typed.
    pub text: String,
    /// Whose.
    pub target: Target,
    /// After the pod has begun to run.
    pub after: SignedDuration,
    /// How many times for each place.
    pub times: u32,
}

/// What a refusal of `--fail` ends with.
const FAIL_GRAMMAR: &str = "TARGET:exit=N|signal=N|reason=R|message=TEXT[,…]@TIME[*TIMES], as in worker/2/1:exit=137@10m*4";
/// What a refusal of `--evict` ends with.
const EVICT_GRAMMAR: &str = "TARGET@TIME[*TIMES], as in worker/2@10m";

impl FromStr for Fail {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (target, rest) = text
            .split_once(':')
            .ok_or_else(|| format!("`{text}` doesn't say how it fails ({FAIL_GRAMMAR})"))?;
        let (what, after, times) = moment(rest)?;
        Ok(Self {
            text: text.to_owned(),
            target: target.parse()?,
            how: how(what)?,
            after,
            times,
        })
    }
}

impl FromStr for Evict {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.contains('@') {
            return Err(format!("`{text}` doesn't say when ({EVICT_GRAMMAR})"));
        }
        let (target, after, times) = moment(text)?;
        Ok(Self {
            text: text.to_owned(),
            target: target.parse()?,
            after,
            times,
        })
    }
}

/// Cuts `@TIME[*TIMES]` off; without it: at once, once.
fn moment(text: &str) -> Result<(&str, SignedDuration, u32), String> {
    let Some((what, when)) = text.rsplit_once('@') else {
        return Ok((text, SignedDuration::ZERO, 1));
    };
    let (after, times) = match when.split_once('*') {
        Some((after, times)) => {
            let times = times
                .parse::<u32>()
                .ok()
                .filter(|n| *n > 0)
                .ok_or_else(|| format!("`*{times}` is not a number of times, as in *3"))?;
            (after, times)
        }
        None => (when, 1),
    };
    Ok((what, span(after)?, times))
}

/// A duration as the flags take it.
fn span(text: &str) -> Result<SignedDuration, String> {
    SignedDuration::try_from(duration::parse(text)?).map_err(|e| e.to_string())
}

fn how(text: &str) -> Result<How, String> {
    let (mut exit, mut signal, mut reason, mut message) = (None, None, None, None);
    let mut rest = text;
    while !rest.is_empty() {
        // A message goes to the end: it may hold commas.
        let (part, tail) = if rest.starts_with("message=") {
            (rest, "")
        } else {
            rest.split_once(',').unwrap_or((rest, ""))
        };
        rest = tail;
        let (key, value) = part
            .split_once('=')
            .filter(|(_, value)| !value.is_empty())
            .ok_or_else(|| format!("`{part}` is no way to fail ({FAIL_GRAMMAR})"))?;
        let number = |least: i32, most: i32| {
            value
                .parse::<i32>()
                .ok()
                .filter(|n| (least..=most).contains(n))
                .ok_or_else(|| format!("{key} is a number from {least} to {most}, not `{value}`"))
        };
        match key {
            "exit" => exit = Some(number(1, 255)?),
            "signal" => signal = Some(number(1, 64)?),
            "reason" => reason = Some(value.to_owned()),
            "message" => message = Some(value.to_owned()),
            _ => return Err(format!("`{key}` is no way to fail ({FAIL_GRAMMAR})")),
        }
    }
    let of_job = match &reason {
        Some(reason) => JOB_REASONS.contains(&reason.as_str()),
        None => message.is_some() && exit.is_none() && signal.is_none(),
    };
    if of_job {
        if exit.is_some() || signal.is_some() {
            return Err(
                "a Job's reason goes with no exit code and no signal: those are a container's"
                    .to_owned(),
            );
        }
        let reason = reason.unwrap_or_else(|| JOB_REASONS[0].to_owned());
        let message = message.unwrap_or_else(|| words_of(&reason).to_owned());
        return Ok(How::Job { reason, message });
    }
    if exit.is_none() && signal.is_none() && reason.is_none() {
        return Err(format!("nothing says how it fails ({FAIL_GRAMMAR})"));
    }
    let oom = reason.as_deref() == Some("OOMKilled");
    Ok(How::Container {
        exit: exit
            .or_else(|| signal.map(|s| BY_SIGNAL + s))
            .unwrap_or(if oom { OUT_OF_MEMORY } else { 1 }),
        signal,
        reason,
        message,
    })
}

/// The Job controller's own words for a reason.
fn words_of(reason: &str) -> &'static str {
    match reason {
        "DeadlineExceeded" => "Job was active longer than specified deadline",
        "FailedIndexes" => "Job has failed indexes",
        "MaxFailedIndexesExceeded" => {
            "Job has exceeded the specified maximal number of failed indexes"
        }
        "PodFailurePolicy" => "a pod failure policy rule says FailJob",
        _ => "Job has reached the specified backoff limit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(text: &str) -> Fail {
        text.parse().unwrap()
    }

    fn container(exit: i32, signal: Option<i32>, reason: &str, message: Option<&str>) -> How {
        How::Container {
            exit,
            signal,
            reason: (reason != "Error").then(|| reason.to_owned()),
            message: message.map(str::to_owned),
        }
    }

    fn job(reason: &str, message: &str) -> How {
        How::Job {
            reason: reason.to_owned(),
            message: message.to_owned(),
        }
    }

    #[test]
    fn what_when_and_how_often() {
        let all = fail("worker/2/1:exit=137@10m*4");
        assert_eq!(all.target, "worker/2/1".parse().unwrap());
        assert_eq!(all.how, container(137, None, "Error", None));
        assert_eq!((all.after.as_secs(), all.times), (600, 4));
        let bare = fail("worker:exit=1");
        assert_eq!((bare.after.as_secs(), bare.times), (0, 1));
    }

    #[test]
    fn ways_to_fail() {
        let table = [
            ("w:signal=9@1s", container(137, Some(9), "Error", None)),
            (
                "w:reason=OOMKilled@1s",
                container(137, None, "OOMKilled", None),
            ),
            (
                "w:reason=StartError@1s",
                container(1, None, "StartError", None),
            ),
            (
                "w:exit=3,message=no space, at all@1s",
                container(3, None, "Error", Some("no space, at all")),
            ),
            (
                "w:reason=DeadlineExceeded@1s",
                job(
                    "DeadlineExceeded",
                    "Job was active longer than specified deadline",
                ),
            ),
            (
                "w:message=cuda: no device",
                job("BackoffLimitExceeded", "cuda: no device"),
            ),
            (
                "w:reason=PodFailurePolicy,message=ecc",
                job("PodFailurePolicy", "ecc"),
            ),
        ];
        for (text, how) in table {
            assert_eq!(fail(text).how, how, "{text}");
        }
    }

    #[test]
    fn refusals_say_how_to_write_it() {
        for (text, says) in [
            ("worker", "doesn't say how it fails"),
            ("worker:", "nothing says how"),
            ("worker:exit=0@1m", "from 1 to 255"),
            ("worker:exit=x@1m", "from 1 to 255"),
            ("worker:crash=1@1m", "no way to fail"),
            ("worker:exit=1@10", "unit is missing"),
            ("worker:exit=1@1m*0", "not a number of times"),
            ("worker:reason=DeadlineExceeded,exit=3@1m", "no exit code"),
            ("/2:exit=1@1m", "empty part"),
        ] {
            let said = text.parse::<Fail>().unwrap_err();
            assert!(said.contains(says), "{text}: {said}");
        }
        assert!("worker".parse::<Evict>().unwrap_err().contains("when"));
        let evict: Evict = "worker/*/0@5m*2".parse().unwrap();
        assert_eq!((evict.after.as_secs(), evict.times), (300, 2));
    }
}
