//! What one run of a container prints: known from its start on, seen when its time comes.

use std::sync::Arc;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Log {
    started: Timestamp,
    lines: Arc<[String]>,
    every: SignedDuration,
    ended: Option<Timestamp>,
}

impl Log {
    pub(super) fn new(started: Timestamp, lines: Arc<[String]>, every: SignedDuration) -> Self {
        Self {
            started,
            lines,
            every,
            ended: None,
        }
    }

    /// The container has ended: what is left is printed now.
    pub(super) fn end(&mut self, now: Timestamp) {
        self.ended.get_or_insert(now);
    }

    /// Nothing more will come.
    pub(super) fn complete(&self) -> bool {
        self.ended.is_some()
    }

    fn at(&self, line: usize) -> Timestamp {
        let steps = i32::try_from(line).unwrap_or(i32::MAX);
        let after = self.every.checked_mul(steps).unwrap_or(SignedDuration::MAX);
        let at = self.started.saturating_add(after).unwrap_or(Timestamp::MAX);
        self.ended.map_or(at, |ended| at.min(ended))
    }

    /// Lines that are there by now, with the time of each.
    pub(super) fn printed(
        &self,
        now: Timestamp,
    ) -> impl DoubleEndedIterator<Item = (Timestamp, &str)> + ExactSizeIterator {
        let count = if self.complete() {
            self.lines.len()
        } else {
            (0..self.lines.len())
                .take_while(|n| self.at(*n) <= now)
                .count()
        };
        (0..count).map(|n| (self.at(n), self.lines[n].as_str()))
    }

    /// When the next line comes.
    pub(super) fn next(&self, now: Timestamp) -> Option<Timestamp> {
        let next = self.printed(now).len();
        (next < self.lines.len()).then(|| self.at(next))
    }
}
