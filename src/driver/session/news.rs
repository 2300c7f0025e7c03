//! What a session hears of: the record as others have written it, facts and contact from the watches,
//! signals and typed answers.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::driver::clock;
use crate::driver::port::{Audience, Cluster, LogTap, Seen};
use crate::driver::record::{Record, RecordEvent};
use crate::driver::session::end::End;
use crate::driver::session::interrupt::{Decision, PROMPT_S, Phase, Signal};
use crate::driver::session::run::{Session, later};
use crate::driver::session::signals::suspend_process;
use crate::engine::{Command, EventKind, Observation};

impl<C: Cluster, A: Audience, L: LogTap> Session<'_, C, A, L> {
    pub(super) fn record_event(&mut self, event: RecordEvent, now: Timestamp) -> Option<End> {
        match event {
            RecordEvent::Seen(record) => self.adopt(*record, false, now),
            RecordEvent::Gone => Some(End::Deleted),
            RecordEvent::Lost(message) => {
                self.contact_lost(message, now);
                None
            }
            RecordEvent::Back => {
                self.contact_back(now);
                None
            }
        }
    }

    /// Takes from a record what others may have written: the seat, wishes, `spec.suspend` and the
    /// template fields that may change. `fresh`: it was read after our last write ended, so its
    /// resourceVersion is the one to write at.
    pub(super) fn adopt(&mut self, record: Record, fresh: bool, now: Timestamp) -> Option<End> {
        if record.uid != self.record.uid || record.deleting || record.control.delete.is_some() {
            return Some(End::Deleted);
        }
        if record.seat.epoch > self.record.seat.epoch {
            return Some(End::TakenOver {
                holder: record.seat.holder,
            });
        }
        if record.seat.epoch < self.record.seat.epoch {
            return None; // Older than our taking the seat.
        }
        let mut changed = false;
        if record.jobset != self.record.jobset {
            changed = true;
            self.record.jobset = record.jobset.clone();
            self.engine
                .observe(Observation::Spec(Box::new(record.jobset)), now);
        }
        if record.control != self.record.control {
            changed = true;
            if let (Some(by), None) = (&record.control.stop, &self.record.control.stop) {
                self.engine.command(Command::Stop { by: by.clone() }, now);
            }
            self.record.control = record.control;
        }
        if fresh || (changed && self.writer.due().is_some()) || (changed && self.writer.clean()) {
            self.record.resource_version = record.resource_version;
        }
        None
    }

    pub(super) fn seen(&mut self, seen: Seen, now: Timestamp) {
        match seen {
            Seen::Fact(fact) => {
                self.sight.fact(&fact, self.logs);
                self.engine.observe(fact, now);
            }
            Seen::Lost(message) => self.contact_lost(message, now),
            Seen::Back => self.contact_back(now),
            Seen::Warning(message) => self.emit(EventKind::Warning { message }, now),
        }
    }

    fn contact_lost(&mut self, message: String, now: Timestamp) {
        if let Some(kind) = self.sight.lost(message, now) {
            self.emit(kind, now);
        }
    }

    fn contact_back(&mut self, now: Timestamp) {
        if let Some(kind) = self.sight.back(now) {
            self.emit(kind, now);
        }
    }

    pub(super) fn signal(&mut self, signal: Signal, now: Timestamp) -> Option<End> {
        let decision = self.interrupts.handle(Phase::Attached, signal);
        if !self.interrupts.prompting() && self.prompt_until.take().is_some() {
            self.audience.prompt_over();
        }
        match decision {
            Decision::Nothing | Decision::GoOn => None,
            Decision::Prompt => {
                self.prompt_until = Some(later(now, SignedDuration::from_secs(PROMPT_S)));
                let snapshot = self.engine.snapshot(now);
                self.audience.prompt(now, &snapshot);
                None
            }
            Decision::Detach(by) => {
                let why = match by {
                    Signal::Int => "SIGINT",
                    Signal::Term => "SIGTERM",
                    Signal::Hup => "SIGHUP",
                    _ => "on request",
                };
                self.emit(
                    EventKind::RunDetached {
                        why: why.to_owned(),
                    },
                    now,
                );
                self.start_leaving(End::Detached(by), now)
            }
            Decision::Stop(_) => {
                let by = self.options.who.clone();
                self.engine.command(Command::Stop { by }, now);
                None
            }
            Decision::Delete(by) => Some(End::DeleteWanted(by)),
            Decision::LeaveNow(by) | Decision::LeaveNothingCreated(by) => Some(End::LeftAtOnce(by)),
            Decision::SuspendProcess => {
                suspend_process();
                let back = clock::now();
                self.audience
                    .back_from_suspension(back.duration_since(now).as_secs());
                self.seat.doubt(back);
                self.rewatch = true;
                None
            }
        }
    }
}
