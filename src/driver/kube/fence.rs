//! Nothing goes out by a driver whose seat is in doubt. An action may wait for its turn or for another try
//! while the laptop sleeps, and be the first thing that happens when it wakes: by then another driver may have
//! taken over, ended the run, or deleted it (trap D.9.2).

use k8s_openapi::jiff::Timestamp;
use tokio::sync::watch;

use crate::driver::clock;

/// Until when actions may go out. Open until it is told otherwise, for those who have no seat to lose.
#[derive(Clone, Debug)]
pub(crate) struct Fence(watch::Sender<Timestamp>);

impl Default for Fence {
    fn default() -> Self {
        Self(watch::Sender::new(Timestamp::MAX))
    }
}

impl Fence {
    /// Open until then; a moment in the past closes it.
    pub(crate) fn open_until(&self, until: Timestamp) {
        self.0.send_if_modified(|now| {
            let changed = *now != until;
            *now = until;
            changed
        });
    }

    /// Waits until it is open.
    pub(crate) async fn passed(&self) {
        let mut until = self.0.subscribe();
        // The sender is ours: it can't be gone.
        let _ = until.wait_for(|until| clock::now() < *until).await;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use k8s_openapi::jiff::SignedDuration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_closes_by_itself_and_opens_when_told() {
        let start: Timestamp = "2026-12-01T09:00:00Z".parse().unwrap();
        clock::simulate(start);
        let fence = Fence::default();
        let open = || fence.passed().now_or_never().is_some();
        assert!(open(), "no seat to lose");
        fence.open_until(start + SignedDuration::from_secs(30));
        assert!(open());
        clock::sleep(SignedDuration::from_secs(30)).await;
        assert!(!open(), "nothing was heard for 30 s");
        fence.open_until(start + SignedDuration::from_secs(40));
        assert!(open());
        fence.open_until(start);
        assert!(!open(), "in doubt");
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_goes_on() {
        let start: Timestamp = "2026-12-01T09:00:00Z".parse().unwrap();
        clock::simulate(start);
        let fence = Fence::default();
        fence.open_until(start);
        let open = async {
            clock::sleep(SignedDuration::from_secs(3)).await;
            fence.open_until(start + SignedDuration::from_secs(30));
        };
        tokio::join!(fence.passed(), open);
        assert_eq!(clock::now(), start + SignedDuration::from_secs(3));
    }
}
