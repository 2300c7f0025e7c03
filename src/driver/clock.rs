//! The only clock. Wall time is for what people and other machines read; waits and durations use
//! tokio's monotonic time, so that they survive a wall clock that jumps (trap D.9.5).

use std::cell::Cell;
use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

thread_local! {
    static SIMULATED: Cell<Option<(Timestamp, tokio::time::Instant)>> = const { Cell::new(None) };
}

/// A moment of monotonic time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(tokio::time::Instant);

impl Instant {
    /// Time since then; zero if it lies ahead.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        instant().0.saturating_duration_since(self.0)
    }
    /// Time from `earlier` to this; zero if that is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }
    /// That much later.
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        Self(self.0 + by)
    }
}

/// This moment.
#[must_use]
pub fn instant() -> Instant {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one module that reads the clock"
    )]
    Instant(tokio::time::Instant::now())
}

/// Wall time. After [`simulate`] it follows tokio's time instead.
#[must_use]
pub fn now() -> Timestamp {
    match SIMULATED.get() {
        Some((start, from)) => {
            let passed = instant().since(Instant(from));
            SignedDuration::try_from(passed)
                .ok()
                .and_then(|passed| start.checked_add(passed).ok())
                .unwrap_or(start)
        }
        None =>
        {
            #[expect(
                clippy::disallowed_methods,
                reason = "this is the one module that reads the clock"
            )]
            Timestamp::now()
        }
    }
}

/// For tests: from here on, on this thread, wall time is `start` plus what passes of tokio's time,
/// which a test can pause. Needs a tokio runtime.
pub fn simulate(start: Timestamp) {
    SIMULATED.set(Some((start, instant().0)));
}

/// Waits that long; returns at once for zero and less.
pub async fn sleep(wait: SignedDuration) {
    if let Ok(wait) = Duration::try_from(wait) {
        tokio::time::sleep(wait).await;
    }
}

/// Waits until that moment.
pub async fn sleep_until(at: Instant) {
    tokio::time::sleep_until(at.0).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn simulated_wall_time_follows_the_paused_clock() {
        let start: Timestamp = "2026-12-01T09:00:00Z".parse().unwrap();
        simulate(start);
        sleep(SignedDuration::from_secs(90)).await;
        assert_eq!(now(), "2026-12-01T09:01:30Z".parse().unwrap());
        sleep(SignedDuration::from_secs(-1)).await;
        assert_eq!(now(), "2026-12-01T09:01:30Z".parse().unwrap());
        sleep_until(instant().after(Duration::from_secs(30))).await;
        assert_eq!(now(), "2026-12-01T09:02:00Z".parse().unwrap());
    }
}
