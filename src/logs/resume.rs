//! Where a container's log was left, so that a stream that was dropped goes on without loss and
//! without repeats. The API can only be asked "since that second", so the lines of the last second
//! are remembered and skipped when they come again (stern's way, with two refinements: they are
//! remembered by their whole time stamp, so a log that was rotated in between loses nothing; and one
//! second more is kept, because stdout and stderr may be stamped slightly out of order).

use std::collections::BTreeMap;

use k8s_openapi::jiff::Timestamp;

/// Seconds before the newest one that are asked for again: stamps of one container may be out of
/// order by less than that.
const BACK: i64 = 1;

/// Position in the log of one container instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Nothing before this is wanted, whatever comes again: where `--tail` began.
    floor: Option<Floor>,
    /// Second of the newest line.
    second: Option<i64>,
    /// Lines shown per time stamp, from `second - BACK` on.
    shown: BTreeMap<Timestamp, u32>,
    /// Of those, what is still expected again since the stream was reopened.
    again: BTreeMap<Timestamp, u32>,
    /// Reopened, and no stamped line has come yet.
    reopened: bool,
    /// Reopened, and no new line has come yet: only here the floor counts, so that a clock that is set
    /// back hides nothing.
    catching_up: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Floor {
    /// At the first line that comes.
    First,
    /// From here on.
    From(Timestamp),
    /// Only later ones.
    After(Timestamp),
}

impl Position {
    /// The start of a log of which only the last lines are wanted (`--tail`): what is older than the
    /// first line that comes is not wanted later either.
    #[must_use]
    pub fn tail() -> Self {
        Self {
            floor: Some(Floor::First),
            ..Self::default()
        }
    }

    /// A position behind everything up to `time`: for `--tail 0`.
    #[must_use]
    pub fn after(time: Timestamp) -> Self {
        Self {
            floor: Some(Floor::After(time)),
            second: Some(time.as_second()),
            catching_up: true,
            ..Self::default()
        }
    }

    /// The `sinceTime` to go on with, whole seconds; none while nothing has been seen (then the log
    /// was empty, or was never read).
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        Timestamp::from_second(self.second? - BACK).ok()
    }

    /// The stream was opened again with [`Position::since`].
    pub fn reopened(&mut self) {
        self.again.clone_from(&self.shown);
        self.reopened = self.second.is_some();
        self.catching_up = true;
    }

    /// A line came: true if it is to be shown. Lines without a time are shown, except at the start of
    /// a reopened stream: there they are the rest of a long line that was shown before.
    pub fn admit(&mut self, time: Option<Timestamp>) -> bool {
        let Some(time) = time else {
            return !self.reopened;
        };
        self.reopened = false;
        if let Some(left) = self.again.get_mut(&time) {
            *left -= 1;
            if *left == 0 {
                self.again.remove(&time);
            }
            return false;
        }
        let hidden = match self.floor {
            None => false,
            Some(Floor::First) => {
                self.floor = Some(Floor::From(time));
                false
            }
            Some(Floor::From(floor)) => time < floor,
            Some(Floor::After(floor)) => time <= floor,
        };
        if hidden && self.catching_up {
            return false;
        }
        self.catching_up = false;
        self.note(time);
        true
    }

    fn note(&mut self, time: Timestamp) {
        *self.shown.entry(time).or_default() += 1;
        let second = time.as_second();
        let newest = self.second.unwrap_or(second);
        if second > newest {
            // Only what may come again is kept.
            if let Ok(from) = Timestamp::from_second(second - BACK) {
                self.shown = self.shown.split_off(&from);
            }
            self.second = Some(second);
        } else if second < newest - BACK {
            // The node's clock was set back: from now on that is where the log goes on. If the stream
            // drops now, older lines may be repeated; none is lost.
            self.second = Some(second);
            self.floor = None;
        } else {
            self.second = Some(newest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1.5` → second 1, half a second.
    fn at(text: &str) -> Option<Timestamp> {
        let (second, part) = text.split_once('.').unwrap_or((text, "0"));
        let nanos = format!("{part:0<9}").parse::<i32>().unwrap();
        Some(Timestamp::new(second.parse().unwrap(), nanos).unwrap())
    }

    /// A log file, read with drops: after each number of lines the stream drops, and the file is read
    /// again from `since` on, as the kubelet does. Gives what was shown, by position in the file.
    fn read_with_drops(file: &[&str], drops: &[usize]) -> Vec<usize> {
        let mut position = Position::default();
        let mut shown = Vec::new();
        let read = |position: &mut Position, upto: usize, shown: &mut Vec<usize>| {
            let since = position.since();
            for (i, stamp) in file.iter().enumerate().take(upto) {
                let time = at(stamp);
                if since.is_none_or(|since| time.unwrap() >= since) && position.admit(time) {
                    shown.push(i);
                }
            }
        };
        for upto in drops {
            read(&mut position, *upto, &mut shown);
            position.reopened();
        }
        read(&mut position, file.len(), &mut shown);
        shown
    }

    #[test]
    fn nothing_is_lost_or_repeated_wherever_it_drops() {
        let files: [&[&str]; 6] = [
            &["1.1", "2.2", "3.3", "4.4"],
            // Several lines within one second, and within one instant.
            &["1.1", "1.1", "1.1", "1.2", "1.9", "2.0", "2.0"],
            &["5", "5", "5", "5", "5"],
            // Exactly on the second.
            &["1.999999999", "2", "2", "3"],
            // stdout and stderr stamped slightly out of order, also across a second.
            &[
                "1.5",
                "2.000000002",
                "1.999999999",
                "2.000000001",
                "2.5",
                "3",
            ],
            &["9.9", "10.1", "10.0", "9.95", "10.1"],
        ];
        for file in files {
            let all: Vec<usize> = (0..file.len()).collect();
            for first in 0..=file.len() {
                assert_eq!(
                    read_with_drops(file, &[first]),
                    all,
                    "{file:?} dropped at {first}"
                );
                for second in first..=file.len() {
                    assert_eq!(
                        read_with_drops(file, &[first, second]),
                        all,
                        "{file:?} dropped at {first} and {second}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_rotated_file_loses_nothing() {
        // Two lines of second 7 were shown; then the file was rotated, and only new lines of the same
        // second are there. Counting lines per second would skip them.
        let mut position = Position::default();
        assert!(position.admit(at("7.1")));
        assert!(position.admit(at("7.2")));
        position.reopened();
        assert!(position.admit(at("7.3")));
        assert!(position.admit(at("7.4")));
    }

    #[test]
    fn asks_for_a_whole_second_earlier() {
        let mut position = Position::default();
        assert_eq!(position.since(), None);
        position.admit(at("7.9"));
        assert_eq!(position.since(), at("6"));
        position.admit(at("9"));
        assert_eq!(position.since(), at("8"));
    }

    #[test]
    fn what_tail_left_out_does_not_come_back() {
        // `--tail 2` gave 5.3 and 5.4; reopened, the server sends the whole of second 4 and 5.
        let mut position = Position::tail();
        assert!(position.admit(at("5.3")));
        assert!(position.admit(at("5.4")));
        position.reopened();
        let again: Vec<bool> = ["4.9", "5.1", "5.2", "5.3", "5.4", "5.5"]
            .iter()
            .map(|stamp| position.admit(at(stamp)))
            .collect();
        assert_eq!(again, [false, false, false, false, false, true]);
    }

    #[test]
    fn tail_zero_begins_behind_the_last_line() {
        let mut position = Position::after(at("5.3").unwrap());
        assert_eq!(position.since(), at("4"));
        position.reopened();
        let shown: Vec<bool> = ["4.9", "5.3", "5.4"]
            .iter()
            .map(|stamp| position.admit(at(stamp)))
            .collect();
        assert_eq!(shown, [false, false, true]);
    }

    #[test]
    fn a_clock_that_was_set_back_loses_nothing() {
        let mut position = Position::default();
        assert!(position.admit(at("9000")));
        assert!(position.admit(at("10")));
        assert_eq!(position.since(), at("9"));
        position.reopened();
        assert!(!position.admit(at("10")));
        assert!(position.admit(at("10.5")));
        assert!(position.admit(at("11")));
    }

    #[test]
    fn the_rest_of_a_cut_line_is_not_shown_twice() {
        let mut position = Position::default();
        assert!(position.admit(None), "a first line without a time is shown");
        assert!(position.admit(at("5.1")));
        assert!(
            position.admit(None),
            "what the kubelet says in between is shown"
        );
        position.reopened();
        assert!(!position.admit(None));
        assert!(!position.admit(at("5.1")));
        assert!(position.admit(None));
    }
}
