//! Asking again: how long to wait between tries, and how many calls may be in flight.
//!
//! The client's own retry layer is off: it repeats any method, a POST too. Here a call is repeated by
//! whoever made it, who knows whether that is safe (`call` for calls that may be repeated, `apply` for
//! creates).

use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::driver::clock::{self, Instant};
use crate::driver::kube::error::Trouble;

/// After so long a person is told that a call does not get through: longer than a restart of an API
/// server, shorter than anybody's patience with a set that does not start.
const TELL_AFTER: Duration = Duration::from_secs(30);
/// First pause after trouble.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Longest pause: minutes without network end at most that long after the network is back.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Longest `Retry-After` that is obeyed; servers ask for a second, a broken proxy may ask for a day.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// How long to go on trying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// A command that somebody waits for: some seconds.
    Short,
    /// A driver: for as long as it lives.
    Endless,
}

/// Tries without any connection before [`Patience::Short`] ends: kubectl gives up at once, a server
/// that is being restarted deserves a second.
const SHORT_UNREACHABLE_TRIES: u32 = 3;
/// Longest time of [`Patience::Short`] for trouble that the server itself reports.
const SHORT_TIME: Duration = Duration::from_secs(15);

/// Trouble that passes, for answers that are none by themselves but mean "not yet".
pub const BUSY: Trouble = Trouble::Server { retry_after: None };

/// Pauses between tries, growing, with jitter.
#[derive(Debug)]
pub struct Backoff {
    told: bool,
    patience: Patience,
    since: Instant,
    tries: u32,
    pause: Duration,
}

impl Backoff {
    /// Before the first try.
    #[must_use]
    pub fn new(patience: Patience) -> Self {
        Self {
            told: false,
            patience,
            since: clock::instant(),
            tries: 0,
            pause: FIRST_PAUSE,
        }
    }

    /// How long to wait after that trouble, or `None` to give up (always `None` for trouble that does
    /// not pass).
    pub fn next(&mut self, trouble: Trouble) -> Option<Duration> {
        self.tries += 1;
        if !trouble.passes() {
            return None;
        }
        let (pause, asked) = match trouble.retry_after() {
            Some(wait) => (wait.min(LONGEST_RETRY_AFTER), true),
            None => (self.pause, false),
        };
        if self.patience == Patience::Short {
            let enough = match trouble {
                // The login has been renewed in vain, or a whole time limit was waited for.
                Trouble::Unauthorized | Trouble::Timeout => true,
                Trouble::Unreachable => self.tries >= SHORT_UNREACHABLE_TRIES,
                _ => self.since.elapsed() + pause > SHORT_TIME,
            };
            if enough {
                return None;
            }
        }
        if !asked {
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        }
        // Jitter only makes it longer: a Retry-After is a minimum.
        Some(pause.mul_f64(1.0 + 0.25 * fastrand::f64()))
    }

    /// Waits as [`Self::next`] says; false: give up.
    pub async fn wait(&mut self, trouble: Trouble) -> bool {
        match self.next(trouble) {
            Some(pause) => {
                clock::sleep_until(clock::instant().after(pause)).await;
                true
            }
            None => false,
        }
    }

    /// Whether a person should be told, once, that this has been going on for long.
    pub fn tell(&mut self) -> bool {
        self.since.elapsed() >= TELL_AFTER && !std::mem::replace(&mut self.told, true)
    }
}

/// Writes in flight to begin with, and at most: a plain client gets the most out of an API server
/// with about that many (measured: BENCHMARKS.md).
pub const IN_FLIGHT: usize = 32;
/// Successes in a row after which one more may be in flight again.
const GROW_AFTER: u32 = 16;
/// 429s that arrive within this time of a halving belong to the same burst.
const HALVE_ONCE_PER: Duration = Duration::from_millis(500);

/// Lets a bounded number of writes through, fewer after a 429, slowly more again after that. First
/// come, first served.
#[derive(Debug)]
pub struct Gate {
    permits: Semaphore,
    state: Mutex<GateState>,
}

#[derive(Debug)]
struct GateState {
    limit: usize,
    /// Permits to take out of circulation when they come back.
    owed: usize,
    successes: u32,
    halved: Option<Instant>,
    closed_until: Option<Instant>,
}

/// One write in flight.
#[derive(Debug)]
#[must_use]
pub struct Pass<'a> {
    gate: &'a Gate,
    permit: Option<SemaphorePermit<'a>>,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            permits: Semaphore::new(IN_FLIGHT),
            state: Mutex::new(GateState {
                limit: IN_FLIGHT,
                owed: 0,
                successes: 0,
                halved: None,
                closed_until: None,
            }),
        }
    }
}

impl Gate {
    /// Waits for its turn.
    pub async fn enter(&self) -> Pass<'_> {
        // The semaphore is never closed.
        let permit = self.permits.acquire().await.ok();
        loop {
            let until = self.with(|s| s.closed_until.filter(|at| *at > clock::instant()));
            match until {
                Some(at) => clock::sleep_until(at).await,
                None => return Pass { gate: self, permit },
            }
        }
    }

    /// How many may be in flight now.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.with(|s| s.limit)
    }

    fn with<T>(&self, f: impl FnOnce(&mut GateState) -> T) -> T {
        f(&mut self
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn succeeded(&self) {
        let grow = self.with(|s| {
            s.successes += 1;
            if s.limit >= IN_FLIGHT || s.successes < GROW_AFTER {
                return false;
            }
            s.successes = 0;
            s.limit += 1;
            if s.owed > 0 {
                s.owed -= 1;
                return false;
            }
            true
        });
        if grow {
            self.permits.add_permits(1);
        }
    }

    fn too_many(&self, retry_after: Option<Duration>) {
        self.with(|s| {
            let now = clock::instant();
            s.successes = 0;
            if let Some(wait) = retry_after {
                let until = now.after(wait.min(LONGEST_RETRY_AFTER));
                s.closed_until = Some(s.closed_until.map_or(until, |at| at.max(until)));
            }
            if s.halved.is_none_or(|at| now.since(at) >= HALVE_ONCE_PER) {
                s.halved = Some(now);
                let fewer = (s.limit / 2).max(1);
                // Those that nobody holds go at once, the others when they come back.
                let owed = s.owed + s.limit - fewer;
                s.owed = owed - self.permits.forget_permits(owed);
                s.limit = fewer;
            }
        });
    }
}

impl Pass<'_> {
    /// Gives it back, with how the call went.
    pub fn done(self, result: Result<(), Trouble>) {
        match result {
            Ok(()) => self.gate.succeeded(),
            Err(Trouble::TooManyRequests { retry_after }) => self.gate.too_many(retry_after),
            Err(_) => {}
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let owed = self.gate.with(|s| {
            let owed = s.owed > 0;
            s.owed -= usize::from(owed);
            owed
        });
        if let (true, Some(permit)) = (owed, self.permit.take()) {
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: Trouble = Trouble::TooManyRequests { retry_after: None };

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_up_to_the_longest() {
        let mut backoff = Backoff::new(Patience::Endless);
        let mut last = Duration::ZERO;
        for _ in 0..20 {
            let pause = backoff.next(Trouble::Unreachable).unwrap();
            assert!(pause >= last.min(LONGEST_PAUSE) / 2);
            assert!(pause <= LONGEST_PAUSE.mul_f64(1.25));
            last = pause;
        }
        assert!(last >= LONGEST_PAUSE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_driver_never_gives_up_on_what_passes() {
        let mut backoff = Backoff::new(Patience::Endless);
        let start = clock::instant();
        for _ in 0..1000 {
            assert!(backoff.wait(Trouble::Unreachable).await);
        }
        assert!(start.elapsed() > Duration::from_secs(3600));
        assert!(!backoff.wait(Trouble::Forbidden).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_gives_up_after_some_seconds() {
        let mut backoff = Backoff::new(Patience::Short);
        let start = clock::instant();
        while backoff.wait(Trouble::Server { retry_after: None }).await {}
        assert!(start.elapsed() <= SHORT_TIME.mul_f64(1.25));
        let mut backoff = Backoff::new(Patience::Short);
        let mut tries = 1;
        while backoff.wait(Trouble::Unreachable).await {
            tries += 1;
        }
        assert_eq!(tries, SHORT_UNREACHABLE_TRIES);
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_a_minimum() {
        let mut backoff = Backoff::new(Patience::Endless);
        let wait = Duration::from_secs(5);
        for _ in 0..50 {
            let trouble = Trouble::TooManyRequests {
                retry_after: Some(wait),
            };
            assert!(backoff.next(trouble).unwrap() >= wait);
        }
        let day = Trouble::Server {
            retry_after: Some(Duration::from_secs(86_400)),
        };
        assert!(backoff.next(day).unwrap() <= LONGEST_RETRY_AFTER.mul_f64(1.25));
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_of_429_halves_once() {
        let gate = Gate::default();
        let mut passes = Vec::new();
        for _ in 0..IN_FLIGHT {
            passes.push(gate.enter().await);
        }
        for pass in passes {
            pass.done(Err(BUSY));
        }
        assert_eq!(gate.limit(), IN_FLIGHT / 2);
        assert_eq!(gate.permits.available_permits(), IN_FLIGHT / 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_comes_back_with_successes_and_never_reaches_zero() {
        let gate = Gate::default();
        for _ in 0..10 {
            gate.enter().await.done(Err(BUSY));
            clock::sleep_until(clock::instant().after(HALVE_ONCE_PER)).await;
        }
        assert_eq!(gate.limit(), 1);
        assert_eq!(gate.permits.available_permits(), 1);
        for _ in 0..IN_FLIGHT * GROW_AFTER as usize {
            gate.enter().await.done(Ok(()));
        }
        assert_eq!(gate.limit(), IN_FLIGHT);
        assert_eq!(gate.permits.available_permits(), IN_FLIGHT);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_passes_before_retry_after() {
        let gate = Gate::default();
        let wait = Duration::from_secs(3);
        let start = clock::instant();
        gate.enter().await.done(Err(Trouble::TooManyRequests {
            retry_after: Some(wait),
        }));
        gate.enter().await.done(Ok(()));
        assert!(start.elapsed() >= wait);
    }
}
