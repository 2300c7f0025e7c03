//! The loop in virtual time, on a cluster of a few lines: what it does when the record is written by
//! others, when contact is lost, and what it never does.

use std::cell::{Cell, RefCell};

use futures::StreamExt as _;
use futures::stream::LocalBoxStream;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;

use super::run::{Options, Session, Until};
use super::{End, OnInterrupt, OnTimeout, Signals, TypedAnswers};
use crate::api::JobSet;
use crate::driver::clock;
use crate::driver::port::{Audience, Cluster, LeaseAnswer, NoLogs, Seen};
use crate::driver::record::{Control, Record, RecordEvent, Seat, Settings, WriteError};
use crate::engine::input::{ActionResult, JobEnd};
use crate::engine::{
    Action, Engine, Event, EventKind, JobSeen, Observation, Outcome, Run, RunState, Snapshot,
};
use crate::error::{Error, Kind, Result};

const START: &str = "2026-12-01T09:00:00Z";

/// A cluster in which Jobs get ready at once and end when the test says so.
struct Fake {
    seen: mpsc::UnboundedSender<Seen>,
    seen_by: RefCell<Option<mpsc::UnboundedReceiver<Seen>>>,
    records: mpsc::UnboundedSender<RecordEvent>,
    records_by: RefCell<Option<mpsc::UnboundedReceiver<RecordEvent>>>,
    stored: RefCell<Record>,
    done: RefCell<Vec<String>>,
    lease: RefCell<LeaseAnswer>,
    /// Lease calls hang: no network.
    hang: Cell<bool>,
    trusted_until: Cell<Timestamp>,
    job_ends: Cell<bool>,
    /// So many writes of the record are refused with 403.
    refuse_writes: Cell<u32>,
}

impl Fake {
    fn new(jobset: JobSet) -> Self {
        let (seen, seen_by) = mpsc::unbounded_channel();
        let (records, records_by) = mpsc::unbounded_channel();
        let stored = Record {
            namespace: "ml".to_owned(),
            name: "train".to_owned(),
            uid: "run-1".to_owned(),
            resource_version: "1".to_owned(),
            created: START.parse().unwrap(),
            deleting: false,
            source: None,
            jobset,
            state: RunState::default(),
            seat: Seat {
                holder: "me".to_owned(),
                epoch: 1,
            },
            settings: Settings::default(),
            control: Control::default(),
        };
        Self {
            seen,
            seen_by: RefCell::new(Some(seen_by)),
            records,
            records_by: RefCell::new(Some(records_by)),
            stored: RefCell::new(stored),
            done: RefCell::default(),
            lease: RefCell::new(LeaseAnswer::Held),
            hang: Cell::new(false),
            trusted_until: Cell::new(Timestamp::MIN),
            job_ends: Cell::new(true),
            refuse_writes: Cell::new(0),
        }
    }

    /// Somebody else writes the record; the watch tells it if `told`.
    fn write_as_other(&self, told: bool, change: impl FnOnce(&mut Record)) {
        let mut stored = self.stored.borrow_mut();
        change(&mut stored);
        bump(&mut stored);
        if told {
            self.records
                .send(RecordEvent::Seen(Box::new(stored.clone())))
                .unwrap();
        }
    }

    fn fact(&self, fact: Observation) {
        self.seen.send(Seen::Fact(fact)).unwrap();
    }
}

fn bump(record: &mut Record) {
    let version: u64 = record.resource_version.parse().unwrap();
    record.resource_version = (version + 1).to_string();
}

fn job(index: u32, attempt: u32, now: Timestamp) -> JobSeen {
    JobSeen {
        name: format!("train-w-{index}"),
        uid: format!("job-{index}-{attempt}"),
        role: "w".to_owned(),
        index,
        restart_attempt: attempt,
        job_restart_attempt: 0,
        created: now,
        deleting_since: None,
        suspend: false,
        started: true,
        active: 1,
        ready: 1,
        succeeded: 0,
        failed: 0,
        terminating: 0,
        complete: None,
        failed_condition: None,
        failure_target: None,
        success_criteria_met: false,
    }
}

impl Cluster for Fake {
    async fn perform(&self, action: &Action) -> ActionResult {
        self.done.borrow_mut().push(format!("{action:?}"));
        let now = clock::now();
        match action {
            Action::CreateService => {
                self.fact(Observation::Service { present: true });
                ActionResult::Ok {
                    uid: Some("service".to_owned()),
                }
            }
            Action::CreateJob {
                index, restarts, ..
            } => {
                let mut seen = job(*index, *restarts, now);
                // Another Job of the same name has another UID.
                let asked = format!("{action:?}");
                let times = self.done.borrow().iter().filter(|d| **d == asked).count();
                if times > 1 {
                    seen.uid += &"-again".repeat(times - 1);
                }
                self.fact(Observation::Job(seen.clone()));
                if self.job_ends.get() {
                    let end = JobEnd {
                        at: now,
                        reason: "CompletionsReached".to_owned(),
                        message: String::new(),
                    };
                    seen.complete = Some(end);
                    (seen.active, seen.ready, seen.succeeded) = (0, 0, 1);
                    self.fact(Observation::Job(seen.clone()));
                }
                ActionResult::Ok {
                    uid: Some(seen.uid),
                }
            }
            Action::DeleteJob {
                name,
                uid,
                restart_attempt,
            } => {
                let state = &self.stored.borrow().state;
                let decided = state.status.restarts > *restart_attempt || state.outcome.is_some();
                assert!(decided, "{name} is deleted before the decision is durable");
                self.fact(Observation::JobGone {
                    name: name.clone(),
                    uid: uid.clone(),
                });
                ActionResult::Ok { uid: None }
            }
            other => panic!("{other:?}"),
        }
    }
    fn trust(&self, until: Timestamp) {
        self.trusted_until.set(until);
    }
    async fn last_lines(&self, _: &str, _: &str, _: bool, _: u32) -> Vec<String> {
        Vec::new()
    }
    fn watch(&self) -> LocalBoxStream<'_, Seen> {
        match self.seen_by.borrow_mut().take() {
            Some(mut receiver) => {
                self.fact(Observation::JobsListed(Vec::new()));
                self.fact(Observation::PodsListed(Vec::new()));
                futures::stream::poll_fn(move |cx| receiver.poll_recv(cx)).boxed_local()
            }
            // Made again after a gap: the test has nothing new to tell.
            None => futures::stream::pending().boxed_local(),
        }
    }
    fn watch_record(&self) -> LocalBoxStream<'_, RecordEvent> {
        match self.records_by.borrow_mut().take() {
            Some(mut receiver) => {
                futures::stream::poll_fn(move |cx| receiver.poll_recv(cx)).boxed_local()
            }
            None => futures::stream::pending().boxed_local(),
        }
    }
    async fn write_record(&self, record: &Record) -> std::result::Result<Record, WriteError> {
        if let Some(fewer) = self.refuse_writes.get().checked_sub(1) {
            self.refuse_writes.set(fewer);
            let error = Error::new(Kind::NotAllowed, "configmaps is forbidden");
            return Err(WriteError::Refused(error));
        }
        let mut stored = self.stored.borrow_mut();
        if stored.resource_version != record.resource_version {
            return Err(WriteError::Conflict);
        }
        stored.state = record.state.clone();
        bump(&mut stored);
        Ok(stored.clone())
    }
    async fn read_record(&self) -> Result<Option<Record>> {
        if self.hang.get() {
            std::future::pending::<()>().await;
        }
        Ok(Some(self.stored.borrow().clone()))
    }
    async fn renew_lease(&self) -> LeaseAnswer {
        if self.hang.get() {
            std::future::pending::<()>().await;
        }
        self.lease.borrow().clone()
    }
    async fn release_lease(&self) {
        self.done.borrow_mut().push("release".to_owned());
    }
}

#[derive(Default)]
struct Heard(Vec<EventKind>);

impl Audience for Heard {
    fn event(&mut self, event: &Event) {
        self.0.push(event.kind.clone());
    }
    fn tick(&mut self, _: Timestamp, _: &Snapshot) {}
    fn prompt(&mut self, _: Timestamp, _: &Snapshot) {}
    fn prompt_over(&mut self) {}
    fn back_from_suspension(&mut self, _: i64) {}
}

fn jobset() -> JobSet {
    serde_json::from_value(serde_json::json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train"},
        "spec": {
            "successPolicy": {"operator": "All"},
            "failurePolicy": {"maxRestarts": 1},
            "replicatedJobs": [{"name": "w", "replicas": 2, "template": {"spec": {
                "completionMode": "Indexed", "completions": 1, "parallelism": 1,
                "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
            }}}]
        }
    }))
    .unwrap()
}

fn options() -> Options {
    Options {
        until: Until::Finished,
        on_interrupt: OnInterrupt::Ask,
        terminal: false,
        timeout_at: None,
        on_timeout: OnTimeout::Detach,
        lost_after: Some(SignedDuration::from_mins(30)),
        heartbeat: None,
        who: "ada@laptop".to_owned(),
        attached: None,
    }
}

/// Drives until the end, with something else going on beside it.
async fn drive(
    fake: &Fake,
    options: Options,
    beside: impl Future<Output = ()>,
) -> (End, Vec<EventKind>) {
    let (end, heard) = try_drive(fake, options, beside).await;
    (end.unwrap(), heard)
}

async fn try_drive(
    fake: &Fake,
    options: Options,
    beside: impl Future<Output = ()>,
) -> (Result<End>, Vec<EventKind>) {
    let record = fake.stored.borrow().clone();
    let run = Run {
        namespace: "ml".into(),
        name: "train".into(),
        uid: "run-1".into(),
    };
    let engine = Engine::new(
        run,
        record.jobset.clone(),
        record.state.clone(),
        crate::engine::Options::default(),
        clock::now(),
    );
    let mut heard = Heard::default();
    let mut logs = NoLogs;
    let mut signals = Signals::install().unwrap();
    let mut answers = TypedAnswers::default();
    let mut session = Session::new(fake, &mut heard, &mut logs, engine, record, options);
    let (end, ()) = futures::join!(session.run(&mut signals, &mut answers), async {
        beside.await;
    });
    drop(session);
    (end, heard.0)
}

async fn seconds(s: i64) {
    clock::sleep(SignedDuration::from_secs(s)).await;
}

fn fake() -> Fake {
    clock::simulate(START.parse().unwrap());
    Fake::new(jobset())
}

#[tokio::test(start_paused = true)]
async fn a_run_that_completes() {
    let fake = fake();
    let (end, heard) = drive(&fake, options(), async {}).await;
    assert_eq!(end, End::Finished(Outcome::Completed));
    let stored = fake.stored.borrow();
    assert_eq!(
        stored.state.status.terminal_state.as_deref(),
        Some("Completed")
    );
    assert!(
        matches!(heard.last(), Some(EventKind::RunFinished { .. })),
        "{heard:?}"
    );
    assert_eq!(
        fake.done.borrow().last().map(String::as_str),
        Some("release")
    );
}

/// Write before act (trap D.4.5): when the first delete of a restart goes out, the record already
/// counts it.
#[tokio::test(start_paused = true)]
async fn a_restart_is_counted_before_it_is_carried_out() {
    let fake = fake();
    fake.job_ends.set(false);
    let beside = async {
        seconds(5).await;
        let mut failed = job(0, 0, clock::now());
        failed.failure_target = Some(JobEnd {
            at: clock::now(),
            reason: "BackoffLimitExceeded".to_owned(),
            message: "Job has reached the specified backoff limit".to_owned(),
        });
        fake.job_ends.set(true);
        fake.fact(Observation::Job(failed));
    };
    let (end, _) = drive(&fake, options(), beside).await;
    assert_eq!(end, End::Finished(Outcome::Completed));
    assert_eq!(fake.stored.borrow().state.status.restarts, 1);
    let done = fake.done.borrow();
    let deletes = done.iter().filter(|d| d.starts_with("DeleteJob")).count();
    assert_eq!(deletes, 2, "{done:?}");
}

/// A write that meets another terminal's wish is done again, and the wish is carried out.
#[tokio::test(start_paused = true)]
async fn a_wish_that_crosses_a_write_is_not_lost() {
    let fake = fake();
    fake.job_ends.set(false);
    let beside = async {
        seconds(1).await;
        // Not told by the watch: the next write finds it.
        fake.write_as_other(false, |record| record.control.stop = Some("bob".to_owned()));
    };
    let (end, _) = drive(&fake, options(), beside).await;
    assert_eq!(
        end,
        End::Finished(Outcome::Stopped {
            by: "bob".to_owned()
        })
    );
}

#[tokio::test(start_paused = true)]
async fn a_greater_epoch_ends_the_session_without_a_verdict() {
    let fake = fake();
    fake.job_ends.set(false);
    let beside = async {
        seconds(3).await;
        let seat = Seat {
            holder: "bob@desk".to_owned(),
            epoch: 2,
        };
        fake.write_as_other(true, |record| record.seat = seat);
    };
    let (end, heard) = drive(&fake, options(), beside).await;
    assert_eq!(
        end,
        End::TakenOver {
            holder: "bob@desk".to_owned()
        }
    );
    assert!(heard.contains(&EventKind::RunDriverLost {
        holder: "bob@desk".to_owned()
    }));
    assert!(
        !fake.done.borrow().contains(&"release".to_owned()),
        "the Lease is not ours any more"
    );
}

/// Trap D.1.8: after the wish to delete, nothing is made.
#[tokio::test(start_paused = true)]
async fn the_wish_to_delete_ends_the_session() {
    let fake = fake();
    fake.job_ends.set(false);
    let beside = async {
        seconds(3).await;
        fake.write_as_other(true, |record| {
            record.control.delete = Some("bob".to_owned())
        });
    };
    let (end, _) = drive(&fake, options(), beside).await;
    assert_eq!(end, End::Deleted);
    assert_eq!(
        fake.done.borrow().last().map(String::as_str),
        Some("release")
    );
}

/// A restart that can't be written while the seat is in doubt is waited for, not asked about without a
/// pause: under a paused clock that would never end.
#[tokio::test(start_paused = true)]
async fn a_write_that_may_not_go_out_lets_time_pass() {
    let fake = fake();
    fake.job_ends.set(false);
    let beside = async {
        seconds(3).await;
        fake.hang.set(true);
        let lost = Seen::Lost("no route to host".to_owned());
        fake.seen.send(lost).unwrap();
        // By now nothing is known of the seat.
        seconds(60).await;
        let mut failed = job(0, 0, clock::now());
        failed.failure_target = Some(JobEnd {
            at: clock::now(),
            reason: "BackoffLimitExceeded".to_owned(),
            message: "Job has reached the specified backoff limit".to_owned(),
        });
        fake.fact(Observation::Job(failed));
    };
    let (end, _) = drive(&fake, options(), beside).await;
    assert!(matches!(end, End::NotReached { .. }), "{end:?}");
    assert_eq!(fake.stored.borrow().state.status.restarts, 0);
}

/// No contact for half an hour has its own end; a minute of it has none.
#[tokio::test(start_paused = true)]
async fn lost_contact_is_no_verdict() {
    let fake = fake();
    fake.job_ends.set(false);
    let beside = async {
        seconds(60).await;
        fake.seen
            .send(Seen::Lost("connection refused".to_owned()))
            .unwrap();
        seconds(60).await;
        fake.seen.send(Seen::Back).unwrap();
        seconds(60).await;
        fake.hang.set(true);
        fake.seen
            .send(Seen::Lost("no route to host".to_owned()))
            .unwrap();
    };
    let (end, heard) = drive(&fake, options(), beside).await;
    assert_eq!(
        end,
        End::NotReached {
            message: "no route to host".to_owned()
        }
    );
    assert!(
        heard.contains(&EventKind::ClusterBack { after_s: 60 }),
        "{heard:?}"
    );
    let passed = clock::now().duration_since(START.parse().unwrap());
    assert!(passed >= SignedDuration::from_mins(33), "{passed:?}");
}

/// After a gap longer than the Lease nothing goes out before the record has been read again: here
/// somebody else has taken the seat meanwhile.
#[tokio::test(start_paused = true)]
async fn nothing_is_done_after_a_gap_before_the_record_is_read() {
    let fake = fake();
    fake.job_ends.set(false);
    let before = Cell::new(0);
    let beside = async {
        seconds(5).await;
        fake.hang.set(true);
        seconds(60).await;
        let seat = Seat {
            holder: "bob@desk".to_owned(),
            epoch: 2,
        };
        fake.write_as_other(false, |record| record.seat = seat);
        let gone = Observation::JobGone {
            name: "train-w-0".into(),
            uid: "job-0-0".into(),
        };
        before.set(fake.done.borrow().len());
        fake.fact(gone); // Asks for the Job to be made again.
        seconds(5).await;
        assert_eq!(
            fake.done.borrow().len(),
            before.get(),
            "{:?}",
            fake.done.borrow()
        );
        fake.hang.set(false);
        // What was asked still hangs; the watch of the record is the first to tell.
        fake.records
            .send(RecordEvent::Seen(Box::new(fake.stored.borrow().clone())))
            .unwrap();
    };
    let (end, _) = drive(&fake, options(), beside).await;
    assert_eq!(
        end,
        End::TakenOver {
            holder: "bob@desk".to_owned()
        }
    );
    assert_eq!(fake.done.borrow().len(), before.get());
}

/// A Job of now that somebody deletes may be another driver's doing, who writes the record before.
#[tokio::test(start_paused = true)]
async fn what_others_deleted_is_not_made_again_before_the_record_is_read() {
    for taken in [true, false] {
        let fake = fake();
        fake.job_ends.set(false);
        let beside = async {
            seconds(5).await;
            let seat = Seat {
                holder: "bob@desk".to_owned(),
                epoch: 2,
            };
            if taken {
                fake.write_as_other(false, |record| record.seat = seat);
            }
            fake.job_ends.set(true);
            let [name, uid] = ["train-w-0".to_owned(), "job-0-0".to_owned()];
            fake.fact(Observation::JobGone { name, uid });
            if !taken {
                let mut other = job(1, 0, clock::now());
                let (at, reason) = (clock::now(), "CompletionsReached".to_owned());
                let message = String::new();
                other.complete = Some(JobEnd {
                    at,
                    reason,
                    message,
                });
                fake.fact(Observation::Job(other));
            }
        };
        let (end, _) = drive(&fake, options(), beside).await;
        let done = fake.done.borrow();
        let made = done.iter().filter(|d| d.starts_with("CreateJob")).count();
        let wanted = if taken {
            let holder = "bob@desk".to_owned();
            (End::TakenOver { holder }, 2)
        } else {
            (End::Finished(Outcome::Completed), 3)
        };
        assert_eq!((end, made), wanted);
    }
}

/// Actions that wait for another try are told when the seat is in doubt.
#[tokio::test(start_paused = true)]
async fn trust_ends_with_the_lease() {
    let fake = fake();
    fake.job_ends.set(false);
    let beside = async {
        seconds(5).await;
        assert!(fake.trusted_until.get() > clock::now());
        fake.hang.set(true);
        seconds(31).await;
        assert!(fake.trusted_until.get() <= clock::now());
        fake.fact(Observation::Service { present: true });
        seconds(1).await;
        assert!(fake.trusted_until.get() <= clock::now());
        fake.write_as_other(true, |record| record.seat.epoch = 2);
    };
    let (end, _) = drive(&fake, options(), beside).await;
    assert!(matches!(end, End::TakenOver { .. }));
}

/// A process that was stopped for less than the Lease: `--take-over` may have happened unseen, so the
/// record is read before anything is done.
#[tokio::test(start_paused = true)]
async fn a_stopped_process_reads_the_record_first() {
    let fake = fake();
    fake.job_ends.set(false);
    let before = Cell::new(0);
    let beside = async {
        seconds(5).await;
        let seat = Seat {
            holder: "bob@desk".to_owned(),
            epoch: 2,
        };
        fake.write_as_other(false, |record| record.seat = seat);
        before.set(fake.done.borrow().len());
        fake.fact(Observation::JobGone {
            name: "train-w-0".into(),
            uid: "job-0-0".into(),
        });
        tokio::time::advance(std::time::Duration::from_secs(10)).await;
    };
    let (end, _) = drive(&fake, options(), beside).await;
    assert_eq!(
        end,
        End::TakenOver {
            holder: "bob@desk".to_owned()
        }
    );
    assert_eq!(fake.done.borrow().len(), before.get());
}

/// An API server that has just started refuses what it will allow in a moment; a right that was taken
/// away stays away.
#[tokio::test(start_paused = true)]
async fn a_refusal_may_pass() {
    let fake = fake();
    fake.refuse_writes.set(10);
    let (end, _) = drive(&fake, options(), async {}).await;
    assert_eq!(end, End::Finished(Outcome::Completed));
    let forever = Fake::new(jobset());
    forever.refuse_writes.set(u32::MAX);
    let error = try_drive(&forever, options(), async {})
        .await
        .0
        .unwrap_err();
    assert_eq!(error.kind(), Kind::NotAllowed);
}

#[tokio::test(start_paused = true)]
async fn time_outs_do_what_was_asked() {
    for (on_timeout, end) in [
        (OnTimeout::Detach, End::TimedOut(OnTimeout::Detach)),
        (OnTimeout::Stop, End::TimedOut(OnTimeout::Stop)),
        (OnTimeout::Delete, End::TimedOut(OnTimeout::Delete)),
    ] {
        let fake = fake();
        fake.job_ends.set(false);
        let timeout_at = clock::now().checked_add(SignedDuration::from_mins(5)).ok();
        let options = Options {
            timeout_at,
            on_timeout,
            ..options()
        };
        let (got, _) = drive(&fake, options, async {}).await;
        assert_eq!(got, end);
        let failed = fake.stored.borrow().state.status.terminal_state.is_some();
        assert_eq!(failed, on_timeout == OnTimeout::Stop, "{on_timeout:?}");
    }
}

/// `run -d`: everything that can be made at once is made, then the seat is left.
#[tokio::test(start_paused = true)]
async fn settled_when_all_is_made() {
    let fake = fake();
    fake.job_ends.set(false);
    let options = Options {
        until: Until::Settled,
        ..options()
    };
    let (end, _) = drive(&fake, options, async {}).await;
    assert_eq!(end, End::Settled);
    let made = fake
        .done
        .borrow()
        .iter()
        .filter(|d| d.starts_with("CreateJob"))
        .count();
    assert_eq!(made, 2);
    assert_eq!(
        fake.done.borrow().last().map(String::as_str),
        Some("release")
    );
}
