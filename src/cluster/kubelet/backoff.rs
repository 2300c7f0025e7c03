//! How long a container that ended waits before it is started again: not at all the first time, then ten
//! seconds that double, at most five minutes. Ten minutes of running make it the first time again.

use k8s_openapi::jiff::SignedDuration;

const FIRST: SignedDuration = SignedDuration::from_secs(10);
const MOST: SignedDuration = SignedDuration::from_secs(300);
/// Twice the longest wait.
const FORGETS: SignedDuration = SignedDuration::from_secs(600);

/// Of one container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cluster) struct Backoff {
    next: SignedDuration,
}

impl Backoff {
    /// The container has ended after it ran that long: how long it waits.
    pub(in crate::cluster) fn ended(&mut self, ran: SignedDuration) -> SignedDuration {
        if ran >= FORGETS {
            self.next = SignedDuration::ZERO;
        }
        let wait = self.next;
        self.next = if wait.is_zero() {
            FIRST
        } else {
            (wait + wait).min(MOST)
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
        let short = SignedDuration::from_secs(1);
        let waits: Vec<i64> = (0..8).map(|_| backoff.ended(short).as_secs()).collect();
        assert_eq!(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
        assert!(backoff.ended(FORGETS).is_zero());
        assert_eq!(backoff.ended(short), FIRST);
    }
}
