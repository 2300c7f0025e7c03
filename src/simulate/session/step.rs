//! One step of the engine: what it tells is kept, what it wants is sent, and the driver may die over it.

use k8s_openapi::jiff::SignedDuration;

use crate::engine::{Step, Urgency};
use crate::simulate::entry::{What, status_changes};
use crate::simulate::session::{Due, Record, Session};
use crate::simulate::trap::Effect;

/// A write that is not urgent is sent after this long.
const SOON: SignedDuration = SignedDuration::from_secs(1);

impl Session {
    /// One step of the engine and all it asks for. True: it asked for something.
    pub(super) fn step(&mut self) -> bool {
        let now = self.now();
        let Some(engine) = &mut self.engine else {
            return false;
        };
        let step = engine.step(now);
        if self.strict {
            let again = engine.step(now);
            assert!(
                is_nothing(&again),
                "asked again with nothing new, the engine answers {again:?} after {step:?}"
            );
        }
        self.wake = step.wake_at;
        let quiet = is_nothing(&step);
        if !quiet {
            self.log_step(&step);
        }
        self.perform(step);
        !quiet
    }

    fn log_step(&mut self, step: &Step) {
        for event in &step.events {
            self.note(What::Event(event.clone()));
        }
        if let Some(engine) = &self.engine
            && engine.state().status != self.status
        {
            let status = engine.state().status.clone();
            for what in status_changes(&self.status, &status) {
                self.note(what);
            }
            self.status = status;
        }
        if step.write.is_some_and(|w| w.urgency == Urgency::Now) {
            self.note(What::Wrote);
        }
        for (_, action) in &step.actions {
            self.note(What::Did(action.clone()));
        }
        if let Some(outcome) = &step.outcome {
            self.note(What::Outcome(outcome.clone()));
            self.outcome = Some(outcome.clone());
        }
    }

    fn perform(&mut self, step: Step) {
        if let Some(write) = step.write {
            self.version = write.version;
            if write.urgency == Urgency::Soon {
                let at = self.now().saturating_add(SOON).unwrap_or(self.now());
                self.soon = self.soon.or(Some(at));
            } else {
                if self.sprung(Effect::Write, false) {
                    return;
                }
                if self.trap.is_some_and(|t| t.is_now(Effect::Write, true))
                    && let Some(record) = self.written()
                {
                    self.record = record;
                }
                if self.sprung(Effect::Write, true) {
                    return;
                }
                self.write();
            }
        }
        for (id, action) in step.actions {
            let effect = Effect::of(&action);
            if self.sprung(effect, false) {
                return;
            }
            if self.trap.is_some_and(|t| t.is_now(effect, true)) {
                self.carry_out(self.driver, id, &action);
            }
            if self.sprung(effect, true) {
                return;
            }
            self.after(self.delays.api, Due::Request(self.driver, id, action));
        }
    }

    /// The trap's moment has come: the driver dies. Counts down otherwise.
    fn sprung(&mut self, effect: Effect, after: bool) -> bool {
        let Some(trap) = &mut self.trap else {
            return false;
        };
        if !trap.springs(effect, after) {
            return false;
        }
        self.trap = None;
        self.crash(true);
        true
    }

    fn written(&self) -> Option<Record> {
        let engine = self.engine.as_ref()?;
        Some(Record {
            jobset: engine.jobset().clone(),
            state: engine.state().clone(),
        })
    }

    /// Sends the state as it is now.
    pub(super) fn write(&mut self) {
        self.soon = None;
        if let Some(record) = self.written() {
            let due = Due::Write(self.driver, self.version, Box::new(record));
            self.after(self.delays.record, due);
        }
    }
}

/// The step asks for nothing.
fn is_nothing(step: &Step) -> bool {
    step.write.is_none()
        && step.actions.is_empty()
        && step.events.is_empty()
        && step.outcome.is_none()
}
