//! Whether we may act: the seat is ours while the Lease was renewed in time. After a gap (a closed
//! laptop, a stopped process, minutes without network) the record is read before anything is done:
//! its epoch tells whether another driver has taken over (trap D.9.2). Pure.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

/// As written into the Lease: a driver that has not renewed for that long may be replaced.
pub(super) const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// Pause between renewals: two may be lost before the Lease runs out.
pub(super) const RENEW: SignedDuration = SignedDuration::from_secs(10);

/// Our claim to the driver's seat.
#[derive(Debug)]
pub(super) struct SeatClaim {
    trusted_until: Timestamp,
    renew_at: Timestamp,
    renewing: bool,
    checking: bool,
}

impl SeatClaim {
    /// Just taken (the record with our epoch was written at `now`).
    #[must_use]
    pub(super) fn taken(now: Timestamp) -> Self {
        Self {
            trusted_until: later(now, LEASE),
            renew_at: now,
            renewing: false,
            checking: false,
        }
    }

    /// Actions and writes may go out.
    #[must_use]
    pub(super) fn trusted(&self, now: Timestamp) -> bool {
        now < self.trusted_until && !self.checking
    }

    /// Until when they may, if nothing more is heard.
    #[must_use]
    pub(super) fn trusted_until(&self, now: Timestamp) -> Timestamp {
        if self.trusted(now) {
            self.trusted_until
        } else {
            now
        }
    }

    /// A renewal must start now; then it counts as running.
    pub(super) fn start_renewal(&mut self, now: Timestamp) -> bool {
        if self.renewing || now < self.renew_at {
            return false;
        }
        self.renewing = true;
        true
    }

    /// The renewal that was sent at `sent` was answered with yes.
    pub(super) fn renewed(&mut self, sent: Timestamp) {
        self.renewing = false;
        self.renew_at = later(sent, RENEW);
        if !self.checking {
            self.trusted_until = self.trusted_until.max(later(sent, LEASE));
        }
    }

    /// Somebody else holds the Lease, or the trust has run out: the record must be read. True if
    /// the caller must start that read now.
    pub(super) fn start_check(&mut self, now: Timestamp) -> bool {
        self.renewing = false;
        self.renew_at = later(now, RENEW);
        let start = !self.checking;
        self.checking = true;
        start
    }

    /// Time has passed unseen: nothing goes out before the record has been read again.
    pub(super) fn doubt(&mut self, now: Timestamp) {
        self.trusted_until = now;
        self.renew_at = self.renew_at.min(now);
    }

    /// The record was read (the read was sent at `sent`) and its epoch is ours.
    pub(super) fn confirmed(&mut self, sent: Timestamp) {
        self.checking = false;
        self.trusted_until = self.trusted_until.max(later(sent, LEASE));
        self.renew_at = self.renew_at.min(later(sent, RENEW));
    }

    /// When to look again.
    #[must_use]
    pub(super) fn next(&self) -> Option<Timestamp> {
        (!self.renewing).then_some(self.renew_at)
    }
}

fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_second(1_000 + s).unwrap()
    }

    #[test]
    fn trust_runs_out_without_renewals() {
        let mut seat = SeatClaim::taken(at(0));
        assert!(seat.trusted(at(29)));
        assert!(!seat.trusted(at(30)));
        assert!(seat.start_renewal(at(0)));
        assert!(!seat.start_renewal(at(1)), "one at a time");
        seat.renewed(at(0));
        assert!(!seat.start_renewal(at(9)));
        assert!(seat.start_renewal(at(10)));
        seat.renewed(at(10));
        assert!(seat.trusted(at(39)));
    }

    /// A renewal that was answered after a long sleep counts from when it was sent.
    #[test]
    fn a_late_answer_does_not_renew_the_past() {
        let mut seat = SeatClaim::taken(at(0));
        assert!(seat.start_renewal(at(10)));
        seat.renewed(at(10));
        assert!(!seat.trusted(at(3_600)));
    }

    #[test]
    fn doubt_ends_with_the_record() {
        let mut seat = SeatClaim::taken(at(0));
        seat.doubt(at(6));
        assert!(!seat.trusted(at(6)));
        assert!(seat.start_check(at(6)));
        seat.confirmed(at(6));
        assert!(seat.trusted(at(35)));
    }

    /// A clock set back by an hour: the Lease is renewed by the new time.
    #[test]
    fn a_clock_that_was_set_back() {
        let mut seat = SeatClaim::taken(at(3_600));
        seat.doubt(at(0));
        assert!(!seat.trusted(at(0)));
        assert!(seat.start_check(at(0)));
        seat.confirmed(at(0));
        assert!(!seat.trusted(at(31)));
        assert!(seat.next().is_some_and(|next| next <= at(10)));
    }

    #[test]
    fn nothing_is_trusted_while_the_record_is_being_read() {
        let mut seat = SeatClaim::taken(at(0));
        assert!(seat.start_check(at(5)));
        assert!(!seat.start_check(at(6)));
        assert!(!seat.trusted(at(6)));
        seat.confirmed(at(5));
        assert!(seat.trusted(at(6)));
        assert!(!seat.trusted(at(35)));
    }
}
