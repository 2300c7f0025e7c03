//! The two sides of a session: the cluster it drives, and the people it tells. The session knows
//! nothing else, so it runs the same on a real API server and on any other world.

use futures::stream::LocalBoxStream;
use k8s_openapi::jiff::Timestamp;

use crate::driver::record::{Record, RecordEvent, WriteError};
use crate::engine::input::ActionResult;
use crate::engine::{Action, Event, Observation, PodSeen, Snapshot};
use crate::error::Result;

/// Something seen by the watches.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all of them are facts, and live from the watch to the engine only"
)]
pub enum Seen {
    /// A fact for the engine.
    Fact(Observation),
    /// Calls fail: the API server can't be reached, or we are not logged in any more.
    Lost(String),
    /// A call got through again.
    Back,
    /// Something for people (`events can't be read: …`).
    Warning(String),
}

/// How a renewal of the Lease went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseAnswer {
    /// It is ours.
    Held,
    /// Somebody else holds it. The record's epoch decides whether we have lost the seat.
    HeldBy(String),
}

/// One run in one cluster. Calls retry by themselves what passes (429, 5xx, no network, expired
/// credentials) for as long as they are awaited; dropping the future gives up.
pub trait Cluster {
    /// Carries out an action of the engine (all but `KeepEvidence`).
    fn perform(&self, action: &Action) -> impl Future<Output = ActionResult>;
    /// Actions may go out until then and no longer, those included that were begun before and wait for their
    /// turn or for another try. Told whenever it changes.
    fn trust(&self, until: Timestamp);
    /// Last lines of a container, oldest first; empty when they can't be had in time.
    fn last_lines(
        &self,
        pod: &str,
        container: &str,
        previous: bool,
        lines: u32,
    ) -> impl Future<Output = Vec<String>>;
    /// Jobs, pods and warning events of the run: first complete lists, then changes.
    fn watch(&self) -> LocalBoxStream<'_, Seen>;
    /// The record: each change since the run was taken up; in a later call first as it is.
    fn watch_record(&self) -> LocalBoxStream<'_, RecordEvent>;
    /// Writes the record at its resourceVersion.
    fn write_record(
        &self,
        record: &Record,
    ) -> impl Future<Output = std::result::Result<Record, WriteError>>;
    /// Reads the record.
    fn read_record(&self) -> impl Future<Output = Result<Option<Record>>>;
    /// Takes or renews the Lease.
    fn renew_lease(&self) -> impl Future<Output = LeaseAnswer>;
    /// Gives the Lease back, if it is ours.
    fn release_lease(&self) -> impl Future<Output = ()>;
}

/// Who listens to a session.
pub trait Audience {
    /// Something happened.
    fn event(&mut self, event: &Event);
    /// The run as it is now: about once a second, and soon after events.
    fn tick(&mut self, now: Timestamp, snapshot: &Snapshot);
    /// Ctrl-C was pressed at a terminal: show the state and the choices.
    fn prompt(&mut self, now: Timestamp, snapshot: &Snapshot);
    /// The prompt is over, the run goes on.
    fn prompt_over(&mut self);
    /// The process was stopped by the shell and goes on, after that many seconds.
    fn back_from_suspension(&mut self, seconds: i64);
}

/// Log streams that run beside a session (`--logs`).
pub trait LogTap {
    /// A pod was seen or has changed.
    fn pod_seen(&mut self, pod: &PodSeen);
    /// The run has ended: what is there is drained, nothing new is waited for.
    fn run_ended(&mut self);
    /// The next line or note, as an event; pending while there is none, `None` when all is drained
    /// after `run_ended`.
    fn next(&mut self) -> impl Future<Output = Option<crate::engine::EventKind>>;
}

/// No logs.
#[derive(Debug)]
pub struct NoLogs;

impl LogTap for NoLogs {
    fn pod_seen(&mut self, _: &PodSeen) {}
    fn run_ended(&mut self) {}
    async fn next(&mut self) -> Option<crate::engine::EventKind> {
        None
    }
}
