//! Between driver and server: requests that arrive, answers and facts that are on their way back.

use crate::engine::input::ActionResult;
use crate::engine::{Action, ActionId, Observation};
use crate::simulate::session::{Due, Session};

impl Session {
    /// What has been on its way and is there now.
    pub(super) fn arrive(&mut self) {
        let now = self.now();
        while let Some(key) = self
            .due
            .iter()
            .find(|(_, due)| !self.is_held(due))
            .map(|(key, _)| *key)
            .filter(|(at, _)| *at <= now)
            && let Some(due) = self.due.remove(&key)
        {
            match due {
                Due::Request(driver, id, action) => self.carry_out(driver, id, &action),
                Due::Answer(driver, answer) => {
                    if driver == self.driver {
                        self.answers.push_back(*answer);
                    }
                }
                Due::Write(driver, version, record) => {
                    self.record = *record;
                    let told = Box::new(Observation::Written { version });
                    self.after(self.delays.record, Due::Answer(driver, told));
                }
                Due::Spec(jobset) => {
                    if self.engine.is_some() {
                        self.answers.push_back(Observation::Spec(jobset));
                    }
                }
            }
        }
    }

    /// A request arrives; its answer is on the way back afterwards.
    pub(super) fn carry_out(&mut self, driver: u32, id: ActionId, action: &Action) {
        let mut wait = self.delays.api;
        let result = if let Action::KeepEvidence {
            pod_uid,
            container,
            lines,
            ..
        } = action
        {
            wait = self.delays.logs;
            let lines = self.last_lines(pod_uid, *lines);
            let told = Observation::Evidence {
                pod_uid: pod_uid.clone(),
                container: container.clone(),
                lines,
            };
            self.after(wait, Due::Answer(driver, Box::new(told)));
            ActionResult::Ok { uid: None }
        } else {
            self.hands.perform(&mut self.world, action)
        };
        let told = Box::new(Observation::Done { id, result });
        self.after(wait, Due::Answer(driver, told));
    }

    /// The last lines of a pod that is there.
    fn last_lines(&self, pod_uid: &str, most: u32) -> Vec<String> {
        if self.world.store().by_uid(pod_uid).is_none() {
            return Vec::new();
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let from = self.log_lines.len().saturating_sub(most);
        self.log_lines[from..].to_vec()
    }

    /// The next facts for the driver that are due, answers first; empty when there are none.
    pub(super) fn deliver(&mut self) -> Vec<Observation> {
        if let Some(answer) = self.answers.pop_front() {
            return vec![answer];
        }
        let now = self.now();
        for watch in [
            &mut self.jobs,
            &mut self.pods,
            &mut self.service,
            &mut self.events,
        ] {
            let facts = watch.pop(now);
            if !facts.is_empty() {
                return facts;
            }
        }
        Vec::new()
    }
}
