//! When the record is written: at once for decisions, after a pause for facts that can be found out
//! again, never two writes at a time. Pure; the session does the writing.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::engine::{Urgency, Write};

/// Facts are written that long after the first of them: a start of 1,000 Jobs costs a handful of
/// writes, and a crash loses only what can be found out again.
pub(super) const SOON: SignedDuration = SignedDuration::from_secs(2);

/// Pending and running writes.
#[derive(Debug, Default)]
pub(super) struct Writer {
    newest: u64,
    due: Option<Timestamp>,
    in_flight: bool,
}

impl Writer {
    /// The engine has a newer state.
    pub(super) fn wanted(&mut self, write: Write, now: Timestamp) {
        self.newest = self.newest.max(write.version);
        let due = match write.urgency {
            Urgency::Now => now,
            Urgency::Soon => now.saturating_add(SOON).unwrap_or(now),
        };
        self.due = Some(self.due.map_or(due, |d| d.min(due)));
    }

    /// Something else in the record must be written at once (a wish was merged, the seat is left).
    pub(super) fn now(&mut self, now: Timestamp) {
        self.due = Some(now);
    }

    /// Whether a write must start now; then it counts as running. Gives the version it carries.
    pub(super) fn start(&mut self, now: Timestamp) -> Option<u64> {
        if self.in_flight || self.due.is_none_or(|due| due > now) {
            return None;
        }
        self.in_flight = true;
        self.due = None;
        Some(self.newest)
    }

    /// The write that ran has ended, well or not.
    pub(super) fn ended(&mut self) {
        self.in_flight = false;
    }

    /// When the next write is due.
    #[must_use]
    pub(super) fn due(&self) -> Option<Timestamp> {
        if self.in_flight { None } else { self.due }
    }

    /// A write runs, or one is due: actions may be waiting for it.
    pub(super) fn busy(&self, now: Timestamp) -> bool {
        self.in_flight || self.due.is_some_and(|due| due <= now)
    }

    /// Nothing to write and none running.
    #[must_use]
    pub(super) fn clean(&self) -> bool {
        self.due.is_none() && !self.in_flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_second(1_000 + s).unwrap()
    }

    #[test]
    fn facts_wait_and_decisions_take_them_along() {
        let mut w = Writer::default();
        w.wanted(
            Write {
                version: 1,
                urgency: Urgency::Soon,
            },
            at(0),
        );
        assert_eq!(w.start(at(1)), None);
        w.wanted(
            Write {
                version: 2,
                urgency: Urgency::Now,
            },
            at(1),
        );
        assert_eq!(w.start(at(1)), Some(2));
        assert!(!w.clean());
        w.ended();
        assert!(w.clean());
    }

    #[test]
    fn one_write_at_a_time() {
        let mut w = Writer::default();
        w.wanted(
            Write {
                version: 1,
                urgency: Urgency::Now,
            },
            at(0),
        );
        assert_eq!(w.start(at(0)), Some(1));
        w.wanted(
            Write {
                version: 2,
                urgency: Urgency::Now,
            },
            at(0),
        );
        assert_eq!(w.start(at(5)), None);
        assert_eq!(w.due(), None);
        w.ended();
        assert_eq!(w.start(at(5)), Some(2));
    }

    /// A stream of facts doesn't put the write off for ever: the first one sets the time.
    #[test]
    fn facts_do_not_starve_the_write() {
        let mut w = Writer::default();
        for s in 0..3_i64 {
            w.wanted(
                Write {
                    version: s.unsigned_abs() + 1,
                    urgency: Urgency::Soon,
                },
                at(s),
            );
        }
        assert_eq!(w.start(at(2)), Some(3));
    }
}
