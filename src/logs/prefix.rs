//! The prefix of log lines (cli.md 6.3): `ROLE/JOB/INDEX`, padded to the longest seen so far, ` | `;
//! the container after `:` only if several are shown; the attempt as `#2` only if it is above 0 or if
//! several attempts are shown. Pure.

use std::fmt::Write as _;

use crate::logs::Origin;

/// Builds prefixes and remembers how wide they have become.
#[derive(Debug, Default)]
pub struct Prefixes {
    several_attempts: bool,
    width: usize,
}

impl Prefixes {
    /// `several_attempts`: attempt 0 is marked as well.
    #[must_use]
    pub fn new(several_attempts: bool) -> Self {
        Self {
            several_attempts,
            width: 0,
        }
    }

    /// The prefix, with the bar behind it.
    pub fn prefix(&mut self, origin: &Origin) -> String {
        let name = self.name(origin);
        // Role names, indexes and container names are ASCII: bytes are columns.
        self.width = self.width.max(name.len());
        format!("{name:<width$} | ", width = self.width)
    }

    /// The prefix without padding and bar: what a message calls that source.
    #[must_use]
    pub fn name(&self, origin: &Origin) -> String {
        let mut name = origin.name();
        if self.several_attempts || origin.attempt > 0 {
            let _ = write!(name, "#{}", origin.attempt);
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(role: &str, job: u32, index: u32, attempt: u32) -> Origin {
        Origin {
            role: role.to_owned(),
            job,
            index: Some(index),
            attempt,
            pod: format!("train-{role}-{job}-{index}-abcde"),
            container: "main".to_owned(),
            ..Origin::default()
        }
    }

    #[test]
    fn pads_to_the_longest_so_far() {
        let mut prefixes = Prefixes::default();
        assert_eq!(prefixes.prefix(&origin("leader", 0, 0, 0)), "leader/0/0 | ");
        assert_eq!(prefixes.prefix(&origin("worker", 11, 2, 0)), "worker/11/2 | ");
        assert_eq!(prefixes.prefix(&origin("w", 0, 0, 0)), "w/0/0       | ");
    }

    #[test]
    fn attempt_if_above_zero_or_several() {
        let mut one = Prefixes::default();
        assert_eq!(one.prefix(&origin("leader", 0, 0, 2)), "leader/0/0#2 | ");
        let mut several = Prefixes::new(true);
        assert_eq!(several.prefix(&origin("leader", 0, 0, 0)), "leader/0/0#0 | ");
    }

    #[test]
    fn container_if_several() {
        let mut prefixes = Prefixes::default();
        let origin = Origin {
            several: true,
            ..origin("leader", 0, 0, 1)
        };
        assert_eq!(prefixes.prefix(&origin), "leader/0/0:main#1 | ");
    }

    #[test]
    fn pods_without_an_index_go_by_the_end_of_their_name() {
        let origin = Origin {
            index: None,
            pod: "train-eval-0-x7k2p".to_owned(),
            ..origin("eval", 0, 0, 0)
        };
        assert_eq!(Prefixes::default().name(&origin), "eval/0/x7k2p");
    }
}
