//! Which processes belong to a container. Its mount namespace says so, whatever they do with sessions and parents;
//! without namespaces its session does, which a daemon can leave: such a one ends with the pod.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Between two looks at processes that were killed and are still there.
const BREATH: Duration = Duration::from_millis(1);

/// How the processes of a container are told from others.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// `mnt:[4026532…]`.
    Namespace(String),
    /// Its first process, leader of its session.
    Session(Pid),
}

/// Its processes that have not ended.
pub(super) fn of(mark: &Mark) -> Vec<Pid> {
    living()
        .filter(|(pid, stat)| match mark {
            Mark::Namespace(name) => fs::read_link(format!("/proc/{pid}/ns/mnt"))
                .is_ok_and(|link| link == Path::new(name)),
            Mark::Session(leader) => stat.session == leader.as_raw_pid(),
        })
        .filter_map(|(pid, _)| Pid::from_raw(pid))
        .collect()
}

/// Descendants of this process that have not ended.
pub(super) fn descendants() -> Vec<Pid> {
    let all: Vec<(i32, i32)> = living().map(|(pid, stat)| (pid, stat.parent)).collect();
    let mut found = vec![rustix::process::getpid().as_raw_pid()];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(all.iter().filter(|(_, p)| *p == parent).map(|(pid, _)| pid));
        next += 1;
    }
    found
        .into_iter()
        .skip(1)
        .filter_map(Pid::from_raw)
        .collect()
}

/// Kills until none is left: one that forks faster than we look is met in the next round.
pub(super) fn kill_all(find: impl Fn() -> Vec<Pid>) {
    loop {
        let found = find();
        // A process that may not be killed would keep us here for ever.
        let killed = found
            .iter()
            .filter(|pid| kill_process(**pid, Signal::KILL).is_ok())
            .count();
        if killed == 0 {
            return;
        }
        std::thread::park_timeout(BREATH);
    }
}

struct Stat {
    parent: i32,
    session: i32,
}

fn living() -> impl Iterator<Item = (i32, Stat)> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            Some((pid, stat(&text)?))
        })
}

/// The state, parent, group and session follow the program's name, which may hold anything in its parentheses. `None`
/// for one that has ended and waits to be collected.
fn stat(text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let mut words = rest.split_whitespace();
    if matches!(words.next()?, "Z" | "X") {
        return None;
    }
    let parent = words.next()?.parse().ok()?;
    let session = words.nth(1)?.parse().ok()?;
    Some(Stat { parent, session })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_is_passed_over() {
        let stat = stat("42 (a) Z (b) S 7 42 40 0 -1").unwrap();
        assert_eq!((stat.parent, stat.session), (7, 40));
    }

    #[test]
    fn what_has_ended_is_not_living() {
        assert!(stat("42 (sh) Z 7 42 40 0 -1").is_none());
    }
}
