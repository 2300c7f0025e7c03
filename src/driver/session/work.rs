//! What a session starts and what comes back of it: actions, writes of the record, renewals of the Lease
//! and readings of the record that tell whether the seat is still ours.

use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::driver::clock;
use crate::driver::port::{Audience, Cluster, LeaseAnswer, LogTap};
use crate::driver::record::{Record, WriteError};
use crate::driver::session::end::End;
use crate::driver::session::run::{BATCH, Session, later};
use crate::engine::input::ActionResult;
use crate::engine::{Action, ActionId, Observation};
use crate::error::{Error, Kind, Result};

/// An API server that has just started answers 403 until it has read the Roles, which takes seconds.
/// So a right that we had counts as taken away only after this long.
const REFUSED_FOR: SignedDuration = SignedDuration::from_secs(60);
/// Pause between two tries of what was refused.
const ASK_AGAIN: SignedDuration = SignedDuration::from_secs(2);

/// What comes back from work that was started.
pub(super) enum Input {
    Done(ActionId, ActionResult),
    Lines {
        id: ActionId,
        pod_uid: String,
        container: String,
        lines: Vec<String>,
    },
    Wrote {
        version: u64,
        result: std::result::Result<Box<Record>, WriteError>,
    },
    Checked {
        sent: Timestamp,
        result: Result<Option<Box<Record>>>,
    },
    Renewed {
        sent: Timestamp,
        answer: LeaseAnswer,
    },
}

impl<C: Cluster, A: Audience, L: LogTap> Session<'_, C, A, L> {
    pub(super) fn start(&mut self, id: ActionId, action: Action) {
        let cluster = self.cluster;
        self.acting += 1;
        let work = async move {
            if let Action::KeepEvidence {
                pod,
                pod_uid,
                container,
                previous,
                lines,
            } = &action
            {
                let lines = cluster.last_lines(pod, container, *previous, *lines).await;
                let (pod_uid, container) = (pod_uid.clone(), container.clone());
                return Input::Lines {
                    id,
                    pod_uid,
                    container,
                    lines,
                };
            }
            Input::Done(id, cluster.perform(&action).await)
        };
        self.work.push(work.boxed_local());
    }

    pub(super) fn write(&mut self, version: u64) {
        let cluster = self.cluster;
        let mut record = self.record.clone();
        record.state = self.engine.state().clone();
        let work = async move {
            let since = clock::now();
            let result = loop {
                match cluster.write_record(&record).await {
                    Err(WriteError::Refused(error)) if may_pass(&error, since) => {
                        clock::sleep(ASK_AGAIN).await;
                    }
                    result => break result.map(Box::new),
                }
            };
            Input::Wrote { version, result }
        };
        self.work.push(work.boxed_local());
    }

    pub(super) fn keep_the_seat(&mut self, now: Timestamp) {
        if !self.seat.trusted(now) {
            self.check_the_seat(now);
        } else if self.seat.start_renewal(now) {
            let cluster = self.cluster;
            let work = async move {
                let answer = cluster.renew_lease().await;
                Input::Renewed { sent: now, answer }
            };
            self.work.push(work.boxed_local());
        }
    }

    pub(super) fn check_the_seat(&mut self, now: Timestamp) {
        if self.seat.start_check(now) {
            let cluster = self.cluster;
            let work = async move {
                let since = clock::now();
                loop {
                    // The time is read when the call goes out, which may be after a long sleep.
                    let sent = clock::now();
                    match cluster.read_record().await {
                        Err(error) if may_pass(&error, since) => clock::sleep(ASK_AGAIN).await,
                        result => {
                            let result = result.map(|record| record.map(Box::new));
                            return Input::Checked { sent, result };
                        }
                    }
                }
            };
            self.work.push(work.boxed_local());
        }
    }

    pub(super) fn answers(&mut self, first: Input, now: Timestamp) -> Result<Option<End>> {
        if let Some(end) = self.answer(first, now)? {
            return Ok(Some(end));
        }
        for _ in 1..BATCH {
            let Some(Some(more)) = self.work.next().now_or_never() else {
                break;
            };
            if let Some(end) = self.answer(more, now)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    fn answer(&mut self, input: Input, now: Timestamp) -> Result<Option<End>> {
        match input {
            Input::Done(id, result) => {
                self.acting -= 1;
                self.engine.observe(Observation::Done { id, result }, now);
            }
            Input::Lines {
                id,
                pod_uid,
                container,
                lines,
            } => {
                self.acting -= 1;
                self.engine.observe(
                    Observation::Evidence {
                        pod_uid,
                        container,
                        lines,
                    },
                    now,
                );
                let result = ActionResult::Ok { uid: None };
                self.engine.observe(Observation::Done { id, result }, now);
            }
            Input::Wrote { version, result } => {
                self.writer.ended();
                match result {
                    Ok(record) => {
                        self.record.resource_version = record.resource_version;
                        self.record.state = record.state;
                        self.engine.observe(Observation::Written { version }, now);
                    }
                    Err(WriteError::Conflict) => {
                        self.writer.now(now);
                        self.check_the_seat(now);
                    }
                    Err(WriteError::Gone) => return Ok(Some(End::Deleted)),
                    Err(WriteError::Refused(error)) => return Err(undriven(&self.record, error)),
                }
            }
            Input::Checked { sent, result } => match result {
                Ok(Some(record)) => {
                    if let Some(end) = self.adopt(*record, true, now) {
                        return Ok(Some(end));
                    }
                    self.seat.confirmed(sent);
                }
                Ok(None) => return Ok(Some(End::Deleted)),
                Err(error) => return Err(undriven(&self.record, error)),
            },
            Input::Renewed {
                sent,
                answer: LeaseAnswer::Held,
            } => self.seat.renewed(sent),
            Input::Renewed {
                answer: LeaseAnswer::HeldBy(_),
                ..
            } => self.check_the_seat(now),
        }
        Ok(None)
    }
}

fn undriven(record: &Record, error: Error) -> Error {
    let name = &record.name;
    error.hint(format!(
        "the run goes on without a driver; take it up again with: kubectl jobset attach {name}"
    ))
}

/// Whether a refusal that has lasted since then may be one of a server that has just started.
fn may_pass(error: &Error, since: Timestamp) -> bool {
    error.kind() == Kind::NotAllowed && clock::now() < later(since, REFUSED_FOR)
}
