//! Whether the API server answers. Every call reports here; who cares waits for a change.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::driver::clock::Instant;

/// Calls must have failed for that long without one success between before contact counts as lost:
/// shorter than a person's patience, longer than a dropped connection that is made again.
const LOST_AFTER: Duration = Duration::from_secs(2);

/// Contact as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Calls are answered.
    There,
    /// They are not; the last error.
    Lost(String),
}

/// Keeps track.
#[derive(Debug)]
pub struct Contact {
    failing_since: Mutex<Option<Instant>>,
    state: watch::Sender<State>,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            failing_since: Mutex::new(None),
            state: watch::Sender::new(State::There),
        }
    }
}

impl Contact {
    /// A call was answered (also by a refusal).
    pub fn answered(&self) {
        *self
            .failing_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = None;
        self.state.send_if_modified(|state| {
            let back = *state != State::There;
            *state = State::There;
            back
        });
    }

    /// A call that was sent at `sent` failed with trouble that says that there is no contact.
    pub fn failed(&self, message: &str, sent: Instant) {
        let mut since = self
            .failing_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let since = *since.get_or_insert(sent);
        if since.elapsed() >= LOST_AFTER {
            self.state.send_if_modified(|state| {
                let lost = *state == State::There;
                if lost {
                    *state = State::Lost(message.to_owned());
                }
                lost
            });
        }
    }

    /// Contact counts as lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        *self.state.borrow() != State::There
    }

    /// For waiting for changes.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::clock;

    fn fail(contact: &Contact, message: &str) {
        contact.failed(message, clock::instant());
    }

    #[tokio::test(start_paused = true)]
    async fn a_blip_is_not_a_loss() {
        let contact = Contact::default();
        let seen = contact.subscribe();
        fail(&contact, "refused");
        contact.answered();
        clock::sleep_until(clock::instant().after(LOST_AFTER)).await;
        fail(&contact, "refused");
        assert!(!seen.has_changed().unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn a_loss_is_told_once_and_so_is_the_return() {
        let contact = Contact::default();
        let mut seen = contact.subscribe();
        fail(&contact, "refused");
        clock::sleep_until(clock::instant().after(LOST_AFTER)).await;
        fail(&contact, "timed out");
        fail(&contact, "refused");
        assert_eq!(
            *seen.borrow_and_update(),
            State::Lost("timed out".to_owned())
        );
        fail(&contact, "refused");
        assert!(!seen.has_changed().unwrap());
        contact.answered();
        assert_eq!(*seen.borrow_and_update(), State::There);
        contact.answered();
        assert!(!seen.has_changed().unwrap());
    }

    /// One call without an answer for its whole time limit says enough.
    #[tokio::test(start_paused = true)]
    async fn a_long_silence_is_a_loss() {
        let contact = Contact::default();
        let sent = clock::instant();
        clock::sleep_until(sent.after(LOST_AFTER)).await;
        contact.failed("no answer", sent);
        assert!(contact.is_lost());
    }
}
