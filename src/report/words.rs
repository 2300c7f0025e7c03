//! Small phrases that several renderers share: targets, causes of death, counts. One place, so that a
//! line, the final block and the tables say the same.

use crate::report::escape;

/// `worker/2/1`, or `worker/2` without an index.
#[must_use]
pub fn target(role: &str, job: u32, index: Option<u32>) -> String {
    match index {
        Some(index) => format!("{role}/{job}/{index}"),
        None => format!("{role}/{job}"),
    }
}

/// `1 pod`, `2 pods`.
#[must_use]
pub fn count(n: impl Into<u64>, noun: &str) -> String {
    let n = n.into();
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// How a container or pod ended, telling word first: `OOMKilled (exit code 137)`, `exit code 1`,
/// `exit code 139 (SIGSEGV)`, `Evicted`. None if nothing is known.
#[must_use]
pub fn how(reason: Option<&str>, exit_code: Option<i32>, signal: Option<i32>) -> Option<String> {
    let (reason, code) = how_parts(reason, exit_code, signal);
    match (reason, code) {
        (Some(reason), Some(code)) => Some(format!("{reason} ({code})")),
        (reason, code) => reason.or(code),
    }
}

/// As [`how`], the number first: `exit code 137 (OOMKilled)`.
#[must_use]
pub fn how_code_first(
    reason: Option<&str>,
    exit_code: Option<i32>,
    signal: Option<i32>,
) -> Option<String> {
    match (reason.filter(|r| is_telling(r)), exit_code) {
        (Some(reason), Some(code)) => Some(format!("exit code {code} ({})", escape::text(reason))),
        _ => how(reason, exit_code, signal),
    }
}

/// As [`how`], as a list: `OOMKilled, exit code 137`.
#[must_use]
pub fn how_list(
    reason: Option<&str>,
    exit_code: Option<i32>,
    signal: Option<i32>,
) -> Option<String> {
    let (reason, code) = how_parts(reason, exit_code, signal);
    match (reason, code) {
        (Some(reason), Some(code)) => Some(format!("{reason}, {code}")),
        (reason, code) => reason.or(code),
    }
}

fn how_parts(
    reason: Option<&str>,
    exit_code: Option<i32>,
    signal: Option<i32>,
) -> (Option<String>, Option<String>) {
    let reason = reason
        .filter(|r| is_telling(r))
        .map(|r| escape::text(r).into_owned());
    // An OOM kill is always SIGKILL: nothing to learn from saying so.
    let signal = signal
        .filter(|_| reason.as_deref() != Some("OOMKilled"))
        .map(signal_name);
    let code = match (exit_code, signal) {
        (Some(code), Some(signal)) if reason.is_some() => {
            Some(format!("exit code {code}, {signal}"))
        }
        (Some(code), Some(signal)) => Some(format!("exit code {code} ({signal})")),
        (Some(code), None) => Some(format!("exit code {code}")),
        (None, signal) => signal,
    };
    (reason, code)
}

/// `Error` and `Completed` only repeat that it ended.
#[must_use]
pub fn is_telling(reason: &str) -> bool {
    !matches!(reason, "" | "Error" | "Completed")
}

/// `SIGKILL`, or `signal 40`.
#[must_use]
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

/// What a role waits for, as a phrase: `leader ready` → `leader to be ready`, `worker complete` →
/// `worker to complete`.
#[must_use]
pub fn waits_phrase(waits_for: &str) -> String {
    waits_for
        .split(", ")
        .map(|one| match one.rsplit_once(' ') {
            Some((role, "ready")) => format!("{role} to be ready"),
            Some((role, "complete")) => format!("{role} to complete"),
            _ => one.to_owned(),
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// `reason: message`, without what is empty; both are the cluster's words.
#[must_use]
pub fn reason_and_message(reason: &str, message: &str) -> String {
    let (reason, message) = (escape::text(reason), escape::text(message));
    match (reason.is_empty(), message.is_empty()) {
        (_, true) => reason.into_owned(),
        (true, false) => message.into_owned(),
        (false, false) => format!("{reason}: {message}"),
    }
}

/// Names of the first few and the number of the rest: `a, b, c and 4 more`.
#[must_use]
pub fn first_few(names: &[String]) -> String {
    /// More would make the line longer than most terminals.
    const NAMED: usize = 3;
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_it_ended() {
        // reason, code, signal; telling word first; number first; list
        let table = [
            (
                (Some("OOMKilled"), Some(137), Some(9)),
                "OOMKilled (exit code 137)",
                "exit code 137 (OOMKilled)",
                "OOMKilled, exit code 137",
            ),
            (
                (Some("Error"), Some(1), None),
                "exit code 1",
                "exit code 1",
                "exit code 1",
            ),
            (
                (Some("Error"), Some(139), Some(11)),
                "exit code 139 (SIGSEGV)",
                "exit code 139 (SIGSEGV)",
                "exit code 139 (SIGSEGV)",
            ),
            (
                (None, Some(137), Some(9)),
                "exit code 137 (SIGKILL)",
                "exit code 137 (SIGKILL)",
                "exit code 137 (SIGKILL)",
            ),
            (
                (Some("Evicted"), None, None),
                "Evicted",
                "Evicted",
                "Evicted",
            ),
            (
                (Some("Evicted"), Some(143), Some(15)),
                "Evicted (exit code 143, SIGTERM)",
                "exit code 143 (Evicted)",
                "Evicted, exit code 143, SIGTERM",
            ),
            (
                (None, None, Some(40)),
                "signal 40",
                "signal 40",
                "signal 40",
            ),
        ];
        for ((reason, code, signal), first, number, list) in table {
            assert_eq!(how(reason, code, signal).as_deref(), Some(first));
            assert_eq!(
                how_code_first(reason, code, signal).as_deref(),
                Some(number)
            );
            assert_eq!(how_list(reason, code, signal).as_deref(), Some(list));
        }
        assert_eq!(how(None, None, None), None);
        assert_eq!(how(Some("Error"), None, None), None);
    }

    #[test]
    fn small_phrases() {
        assert_eq!(target("worker", 2, Some(1)), "worker/2/1");
        assert_eq!(target("worker", 2, None), "worker/2");
        assert_eq!(count(1_u32, "pod"), "1 pod");
        assert_eq!(count(0_u32, "pod"), "0 pods");
        assert_eq!(waits_phrase("worker complete"), "worker to complete");
        assert_eq!(
            waits_phrase("a ready, b complete"),
            "a to be ready, b to complete"
        );
        assert_eq!(reason_and_message("R", "m\u{1b}"), "R: m^[");
        assert_eq!(reason_and_message("R", ""), "R");
        let names: Vec<String> = (0..5).map(|n| format!("w/{n}")).collect();
        assert_eq!(first_few(&names), "w/0, w/1, w/2 and 2 more");
        assert_eq!(first_few(&names[..2]), "w/0, w/1");
    }
}
