//! How long a container that ended waits before it is started again: not at all the first time, then 10 seconds that
//! double, at most five minutes. Ten minutes of running make it the first time again.

use std::time::Duration;

/// First wait.
const FIRST: Duration = Duration::from_secs(10);
/// Longest wait.
const MOST: Duration = Duration::from_secs(300);
/// What makes it forget: twice the longest wait.
const FORGETS: Duration = Duration::from_secs(600);

/// Back-off of one container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Backoff {
    /// Wait after the next end.
    next: Duration,
}

impl Backoff {
    /// The container has ended after it ran that long: how long it waits.
    pub(super) fn ended(&mut self, ran: Duration) -> Duration {
        if ran >= FORGETS {
            self.next = Duration::ZERO;
        }
        let wait = self.next;
        self.next = if wait.is_zero() {
            FIRST
        } else {
            (wait * 2).min(MOST)
        };
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_kubelet_does() {
        let mut backoff = Backoff::default();
        let short = Duration::from_secs(1);
        let waits: Vec<u64> = (0..8).map(|_| backoff.ended(short).as_secs()).collect();
        assert_eq!(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(backoff.ended(FORGETS), Duration::ZERO);
        assert_eq!(backoff.ended(short), FIRST);
    }
}
