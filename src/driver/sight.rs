//! What a session and an onlooker have in common when they look at a run: which lists have come, which
//! pods the log streams must know of, and for how long there has been no contact.

use k8s_openapi::jiff::Timestamp;

use crate::driver::port::LogTap;
use crate::engine::{EventKind, Observation};

/// How well a run is seen.
#[derive(Debug, Default)]
pub(super) struct Sight {
    pub(super) jobs_listed: bool,
    pub(super) pods_listed: bool,
    lost: Option<(Timestamp, String)>,
}

impl Sight {
    /// Takes note of a fact.
    pub(super) fn fact(&mut self, fact: &Observation, logs: &mut impl LogTap) {
        match fact {
            Observation::JobsListed(_) => self.jobs_listed = true,
            Observation::PodsListed(pods) => {
                self.pods_listed = true;
                pods.iter().for_each(|pod| logs.pod_seen(pod));
            }
            Observation::Pod(pod) => logs.pod_seen(pod),
            _ => {}
        }
    }

    /// Both lists have come: what isn't seen isn't there.
    pub(super) fn is_complete(&self) -> bool {
        self.jobs_listed && self.pods_listed
    }

    /// Contact is lost, with what is to be told; nothing if that is known.
    pub(super) fn lost(&mut self, message: String, now: Timestamp) -> Option<EventKind> {
        if self.lost.is_some() {
            return None;
        }
        self.lost = Some((now, message.clone()));
        Some(EventKind::ClusterUnreachable { message })
    }

    /// Contact is back, with what is to be told; nothing if it wasn't lost.
    pub(super) fn back(&mut self, now: Timestamp) -> Option<EventKind> {
        let (since, _) = self.lost.take()?;
        let after_s = now.duration_since(since).as_secs();
        Some(EventKind::ClusterBack { after_s })
    }

    /// Since when there is no contact, and why.
    pub(super) fn lost_since(&self) -> Option<(Timestamp, &str)> {
        let (since, message) = self.lost.as_ref()?;
        Some((*since, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_second(1_000 + s).unwrap()
    }

    /// Several watches lose contact, and each finds it again: both are told once, with the time between.
    #[test]
    fn a_loss_is_told_once_and_measured() {
        let mut sight = Sight::default();
        assert_eq!(sight.back(at(0)), None);
        let message = "no route".to_owned();
        assert_eq!(
            sight.lost(message.clone(), at(1)),
            Some(EventKind::ClusterUnreachable { message })
        );
        assert_eq!(sight.lost("no route to host".to_owned(), at(2)), None);
        assert_eq!(sight.lost_since(), Some((at(1), "no route")));
        assert_eq!(
            sight.back(at(42)),
            Some(EventKind::ClusterBack { after_s: 41 })
        );
        assert_eq!(sight.back(at(43)), None);
    }
}
