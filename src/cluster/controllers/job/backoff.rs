//! Waits before a failed pod is replaced: 10 s after the first failure, doubled with each further one up to
//! ten minutes, measured from the pod's end; a success starts anew. A Job with a limit per index waits per
//! index, by the count that the failed pod carries.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::seen::SeenPod;

/// After the first failure.
const FIRST: SignedDuration = SignedDuration::from_secs(10);
/// Not more.
const MOST: SignedDuration = SignedDuration::from_mins(10);

/// Failures since the last success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Backoff {
    failures: i32,
    last: Option<Timestamp>,
}

impl Backoff {
    /// With pods that ended since the last look.
    pub(super) fn with(self, succeeded: &[&SeenPod], failed: &[&SeenPod]) -> Self {
        let last_success = succeeded.iter().map(|p| p.finished()).max();
        let since = if last_success.is_some() {
            Self::default()
        } else {
            self
        };
        failed
            .iter()
            .map(|p| p.finished())
            .filter(|at| last_success.is_none_or(|success| *at > success))
            .fold(since, |backoff, at| Self {
                failures: backoff.failures.saturating_add(1),
                // Of the failures of one look the last counts; of an earlier look none does any more.
                last: if backoff.failures == since.failures {
                    Some(at)
                } else {
                    backoff.last.max(Some(at))
                },
            })
    }

    /// Time left until a pod may be made.
    pub(super) fn left(self, now: Timestamp) -> SignedDuration {
        self.last
            .map_or(SignedDuration::ZERO, |last| left(self.failures, last, now))
    }
}

/// Time left until a pod's replacement, which has failed after `earlier` others within its index.
pub(super) fn left_for_index(pod: &SeenPod, earlier: i32, now: Timestamp) -> SignedDuration {
    left(earlier.saturating_add(1), pod.finished(), now)
}

fn left(failures: i32, last: Timestamp, now: Timestamp) -> SignedDuration {
    let mut wait = match failures {
        ..=0 => return SignedDuration::ZERO,
        _ => FIRST,
    };
    for _ in 1..failures {
        wait = (wait * 2).min(MOST);
        if wait == MOST {
            break;
        }
    }
    (wait - now.duration_since(last)).max(SignedDuration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::controllers::job::testing::ended_pod;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + second).unwrap()
    }

    #[test]
    fn waits_double_up_to_ten_minutes() {
        for (failures, expected) in [
            (0, 0),
            (1, 10),
            (2, 20),
            (3, 40),
            (6, 320),
            (7, 600),
            (99, 600),
        ] {
            let backoff = Backoff {
                failures,
                last: Some(at(0)),
            };
            assert_eq!(
                backoff.left(at(0)),
                SignedDuration::from_secs(expected),
                "{failures}"
            );
            assert_eq!(backoff.left(at(expected + 1)), SignedDuration::ZERO);
        }
    }

    #[test]
    fn a_success_starts_anew_and_only_later_failures_count() {
        let pod = |second| ended_pod(at(second));
        let (early, success, late) = (pod(1), pod(2), pod(3));
        let start = Backoff {
            failures: 4,
            last: Some(at(0)),
        };
        for (succeeded, failed, failures, last) in [
            (vec![], vec![], 4, Some(0)),
            (vec![], vec![&late, &early], 6, Some(3)),
            (vec![&success], vec![], 0, None),
            (vec![&success], vec![&early], 0, None),
            (vec![&success], vec![&early, &late], 1, Some(3)),
        ] {
            let backoff = start.with(&succeeded, &failed);
            assert_eq!(backoff.failures, failures);
            assert_eq!(backoff.last, last.map(at));
        }
    }
}
