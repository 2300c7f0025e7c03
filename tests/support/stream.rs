//! A watch as a client knows it: in order, late, sometimes doubled, sometimes cut and listed anew.

use std::collections::VecDeque;

use k8s_openapi::jiff::Timestamp;
use kubectl_jobset::engine::Observation;

/// One watch.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    queue: VecDeque<(Timestamp, Observation)>,
    /// Nothing is delivered, nothing is lost.
    pub(crate) held: bool,
    /// Changes are lost until the next list.
    pub(crate) cut: bool,
    /// Each delivery comes twice.
    pub(crate) double: bool,
}

impl Stream {
    /// A change, to be delivered from `due` on.
    pub(crate) fn push(&mut self, due: Timestamp, what: Observation) {
        if !self.cut {
            self.queue.push_back((due, what));
        }
    }

    /// A complete list: everything that was still under way is older and dropped.
    pub(crate) fn list(&mut self, due: Timestamp, what: Observation) {
        self.queue.clear();
        self.cut = false;
        self.queue.push_back((due, what));
    }

    /// The connection breaks: what was under way is lost.
    pub(crate) fn cut(&mut self) {
        self.queue.clear();
        self.cut = true;
    }

    /// When the next delivery is due.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.queue
            .front()
            .filter(|_| !self.held)
            .map(|(due, _)| *due)
    }

    /// The next delivery that is due, twice if so told.
    pub(crate) fn pop(&mut self, now: Timestamp) -> Vec<Observation> {
        match self.next_due() {
            Some(due) if due <= now => {
                let what = self.queue.pop_front().map(|(_, what)| what);
                let copies = if self.double { 2 } else { 1 };
                what.into_iter().cycle().take(copies).collect()
            }
            _ => Vec::new(),
        }
    }
}
