//! Which processes belong to a container. Its mount namespace says so, whatever they do with sessions and parents;
//! without namespaces its session does, which a daemon can leave: such a one ends with the pod.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Between two looks at processes that were killed and are still there.
const BREATH: Duration = Duration::from_millis(1);
/// Looks at a `/proc` in which some parent is missing: where those of other people are hidden it always is.
const LOOKS: u32 = 50;

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
    let us = rustix::process::getpid().as_raw_pid();
    let mut looks = 0;
    loop {
        let all: Vec<(i32, Stat)> = processes().collect();
        let (found, sure) = below(us, &all);
        looks += 1;
        if sure || !found.is_empty() || looks == LOOKS {
            return found.into_iter().filter_map(Pid::from_raw).collect();
        }
        std::thread::park_timeout(BREATH);
    }
}

/// Those of `all` that descend from `us` and have not ended, and whether there can't be more: `/proc` is read one
/// process after the other, so a parent that has just gone may be missing while its children still name it.
fn below(us: i32, all: &[(i32, Stat)]) -> (Vec<i32>, bool) {
    let mut line = vec![us];
    let mut next = 0;
    while let Some(parent) = line.get(next).copied() {
        // Also through those that have ended: their children have not been handed on yet.
        line.extend(
            all.iter()
                .filter(|(_, s)| s.parent == parent)
                .map(|(pid, _)| pid),
        );
        next += 1;
    }
    let lives = |pid: &i32| all.iter().any(|(p, s)| p == pid && !s.ended);
    let found = line[1..].iter().copied().filter(lives).collect();
    let known = |pid: i32| pid == 0 || all.iter().any(|(p, _)| *p == pid);
    (found, all.iter().all(|(_, s)| known(s.parent)))
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

#[derive(Clone, Copy)]
struct Stat {
    /// It waits to be collected.
    ended: bool,
    parent: i32,
    session: i32,
}

fn living() -> impl Iterator<Item = (i32, Stat)> {
    processes().filter(|(_, stat)| !stat.ended)
}

fn processes() -> impl Iterator<Item = (i32, Stat)> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            Some((pid, stat(&text)?))
        })
}

/// The state, parent, group and session follow the program's name, which may hold anything in its parentheses.
fn stat(text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let mut words = rest.split_whitespace();
    let ended = matches!(words.next()?, "Z" | "X");
    let parent = words.next()?.parse().ok()?;
    let session = words.nth(1)?.parse().ok()?;
    Some(Stat {
        ended,
        parent,
        session,
    })
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
        assert!(stat("42 (sh) Z 7 42 40 0 -1").unwrap().ended);
    }

    fn process(pid: i32, parent: i32, ended: bool) -> (i32, Stat) {
        let stat = Stat {
            ended,
            parent,
            session: 1,
        };
        (pid, stat)
    }

    #[test]
    fn children_of_one_that_has_just_ended_are_found() {
        let all = [
            process(1, 0, false),
            process(7, 1, false),
            process(8, 7, true),
            process(9, 8, false),
            process(20, 1, false),
        ];
        assert_eq!(below(7, &all), (vec![9], true));
    }

    #[test]
    fn a_parent_that_is_missing_leaves_doubt() {
        let all = [
            process(1, 0, false),
            process(7, 1, false),
            process(9, 8, false),
        ];
        assert_eq!(below(7, &all), (vec![], false));
    }
}
