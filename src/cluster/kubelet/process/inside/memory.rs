//! Memory limits without control groups, which an ordinary user seldom may make: the supervisor looks at what the
//! processes of a container use together, and kills them when it is more than the limit. `RLIMIT_AS` and `RLIMIT_DATA`
//! are no substitute: they count what is reserved, which many programs do lavishly.
//!
//! A limit can be exceeded for as long as [`LOOK`]; what is reported is true all the same.

use std::fs;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use rustix::process::Pid;

use super::members::{self, Mark};

/// How often use is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Looks until `end` is dropped; true if the limit was exceeded and the processes were killed.
pub(super) fn watch(mark: &Mark, limit: u64, end: &Receiver<()>) -> bool {
    while end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        let pids = members::of(mark);
        // Pages that processes share are counted once for each here, and the exact count is slow to get.
        if pids.iter().map(rough).sum::<u64>() > limit
            && pids.iter().map(exact).sum::<u64>() > limit
        {
            members::kill_all(|| members::of(mark));
            return true;
        }
    }
    false
}

fn rough(pid: &Pid) -> u64 {
    read(pid, "status", &["RssAnon:", "RssShmem:"]).unwrap_or_default()
}

fn exact(pid: &Pid) -> u64 {
    read(pid, "smaps_rollup", &["Pss_Anon:", "Pss_Shmem:"]).unwrap_or_else(|| rough(pid))
}

fn read(pid: &Pid, file: &str, keys: &[&str]) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{}/{file}", pid.as_raw_pid())).ok()?;
    bytes(&text, keys)
}

/// Sum of the lines `Key:   12 kB`; `None` if there are none.
fn bytes(text: &str, keys: &[&str]) -> Option<u64> {
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let key = words.next()?;
            let kilobytes: u64 = words.next()?.parse().ok()?;
            keys.contains(&key).then_some(kilobytes * 1024)
        })
        .reduce(|a, b| a + b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_are_asked_for_count() {
        let text = "VmRSS:\t 900 kB\nRssAnon:\t 100 kB\nRssFile:\t 700 kB\nRssShmem:\t 28 kB\n";
        assert_eq!(bytes(text, &["RssAnon:", "RssShmem:"]), Some(128 * 1024));
        assert_eq!(bytes(text, &["Pss_Anon:"]), None);
    }
}
