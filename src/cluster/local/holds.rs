//! Which runs may have processes. A driver that dies without a word must not leave processes behind: its run
//! is closed, its pods are killed, and none is started until somebody attaches. A driver that leaves in good
//! order (detached, finished) leaves the run as it is. Pure.

use std::collections::{BTreeMap, BTreeSet};

/// Namespace and name of a run.
pub type RunName = (String, String);

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    held: BTreeMap<RunName, u32>,
    closed: BTreeSet<RunName>,
}

impl Holds {
    /// Closes a run that nobody holds; at the start, each that is not finished: its driver died with the host.
    pub fn close(&mut self, run: RunName) {
        if !self.held.contains_key(&run) {
            self.closed.insert(run);
        }
    }

    /// A driver is there.
    pub fn hold(&mut self, run: &RunName) {
        *self.held.entry(run.clone()).or_default() += 1;
        self.closed.remove(run);
    }

    /// A driver has left in good order.
    pub fn release(&mut self, run: &RunName) {
        self.let_go(run);
    }

    /// A driver is gone without a word. True: nobody is left, the run is closed now.
    pub fn lost(&mut self, run: &RunName) -> bool {
        let nobody = self.let_go(run);
        if nobody {
            self.closed.insert(run.clone());
        }
        nobody
    }

    fn let_go(&mut self, run: &RunName) -> bool {
        match self.held.get_mut(run) {
            Some(count) if *count > 1 => {
                *count -= 1;
                false
            }
            Some(_) => self.held.remove(run).is_some(),
            None => false,
        }
    }

    /// Whether its pods may run.
    #[must_use]
    pub fn is_open(&self, run: &RunName) -> bool {
        !self.closed.contains(run)
    }

    /// Whether any driver is there.
    #[must_use]
    pub fn any_held(&self) -> bool {
        !self.held.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_driver_that_dies_closes_a_run() {
        let run = ("default".to_owned(), "a".to_owned());
        let mut holds = Holds::default();
        holds.hold(&run);
        holds.hold(&run);
        assert!(!holds.lost(&run));
        assert!(holds.is_open(&run));
        assert!(holds.lost(&run));
        assert!(!holds.is_open(&run) && !holds.any_held());
        holds.hold(&run);
        assert!(holds.is_open(&run));
        holds.release(&run);
        assert!(holds.is_open(&run) && !holds.any_held());
        assert!(!holds.lost(&run), "it was not there");
        assert!(holds.is_open(&run));
    }

    #[test]
    fn what_was_left_by_a_dead_host_is_closed() {
        let run = ("default".to_owned(), "a".to_owned());
        let mut holds = Holds::default();
        holds.close(run.clone());
        assert!(!holds.is_open(&run));
        holds.hold(&run);
        holds.close(run.clone());
        assert!(holds.is_open(&run), "a driver is there");
    }
}
