//! A driver as `run` and `attach` make it, without a terminal.

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::driver::clock;
use kubectl_jobset::driver::kube::Connection;
use kubectl_jobset::driver::kube::run::KubeRun;
use kubectl_jobset::driver::lease::{Leases, Silence};
use kubectl_jobset::driver::port::{Audience, NoLogs};
use kubectl_jobset::driver::preflight::{Checked, FieldValidation};
use kubectl_jobset::driver::record::{CreateError, NewRecord, Record, Records};
use kubectl_jobset::driver::session::{
    End, OnInterrupt, OnTimeout, Options, Session, Signals, TypedAnswers, Until,
};
use kubectl_jobset::driver::{seat, start};
use kubectl_jobset::engine::{self, Engine, Event, Run, Snapshot};
use kubectl_jobset::error::{Error, Kind, Result};

use crate::lies::{Liar, Lie};

/// As `run` and `attach` wait.
const LOST_AFTER: SignedDuration = SignedDuration::from_mins(30);

/// Nobody listens.
struct Quiet;

impl Audience for Quiet {
    fn event(&mut self, _: &Event) {}
    fn tick(&mut self, _: Timestamp, _: &Snapshot) {}
    fn prompt(&mut self, _: Timestamp, _: &Snapshot) {}
    fn prompt_over(&mut self) {}
    fn back_from_suspension(&mut self, _: i64) {}
}

/// `run FILE --on-conflict attach`
pub(crate) async fn run(conn: Connection, new: NewRecord, lie: Option<Lie>) -> Result<End> {
    let records = Records::new(&conn, &new.namespace);
    let name = new.jobset.metadata.name.clone();
    let holder = new.seat.holder.clone();
    loop {
        match start::check(&conn, &new, FieldValidation::Strict).await? {
            Checked::Clear(_) => break,
            Checked::RecordStands => {
                if records.get(&name).await?.is_some() {
                    return attach(conn, name, holder, false, lie).await;
                }
            }
        }
    }
    match records.create(&new).await {
        Ok(record) => drive(&conn, record, &holder, None, lie).await,
        Err(CreateError::Exists) => Err(Error::new(Kind::InTheWay, "made by somebody else")),
        Err(CreateError::Refused(error)) => Err(error),
    }
}

/// `attach NAME`
pub(crate) async fn attach(
    conn: Connection,
    name: String,
    holder: String,
    mut take_over: bool,
    lie: Option<Lie>,
) -> Result<End> {
    let records = Records::new(&conn, conn.namespace());
    let gone = || Error::new(Kind::NoSuchRun, "it is gone");
    let ended = |record: &Record| record.state.outcome.clone().map(End::Finished);
    let mut record = records.get(&name).await?.ok_or_else(gone)?;
    if !take_over {
        let leases = Leases::new(&conn, &record.namespace);
        match leases.silence(&name, |_| ()).await? {
            Silence::Free => {}
            Silence::Kept => take_over = true,
            Silence::Broken(seen) => return Err(seat::taken(&record, &seen)),
        }
        record = records.get(&name).await?.ok_or_else(gone)?;
    }
    if let Some(end) = ended(&record) {
        return Ok(end);
    }
    let taken = seat::take(&conn, record, &holder, take_over).await?;
    let attached = Some((taken.previous, taken.silent_s));
    drive(&conn, taken.record, &holder, attached, lie).await
}

async fn drive(
    conn: &Connection,
    record: Record,
    holder: &str,
    attached: Option<(Option<String>, Option<i64>)>,
    lie: Option<Lie>,
) -> Result<End> {
    let mut run = KubeRun::new(conn, &record, holder);
    if attached.is_none() {
        run = run.just_made();
    }
    let cluster = Liar::new(run, lie);
    let options = engine::Options {
        fail_at: record.settings.fail_at,
        evidence_lines: record.settings.evidence_lines,
        ..engine::Options::default()
    };
    let id = Run {
        namespace: record.namespace.clone(),
        name: record.name.clone(),
        uid: record.uid.clone(),
    };
    let (jobset, state) = (record.jobset.clone(), record.state.clone());
    let engine = Engine::new(id, jobset, state, options, clock::now());
    let options = Options {
        until: Until::Finished,
        on_interrupt: OnInterrupt::Detach,
        terminal: false,
        timeout_at: None,
        on_timeout: OnTimeout::Detach,
        lost_after: Some(LOST_AFTER),
        heartbeat: None,
        who: holder.to_owned(),
        attached,
    };
    let (mut audience, mut logs) = (Quiet, NoLogs);
    let mut session = Session::new(&cluster, &mut audience, &mut logs, engine, record, options);
    let mut signals = Signals::none();
    session
        .run(&mut signals, &mut TypedAnswers::default())
        .await
}
