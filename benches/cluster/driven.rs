//! The tool itself, seen from outside: its event stream, the audit log, /proc.

use std::io::Write as _;
use std::process::Stdio;

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::audit::{self, Request, first, last, seconds};
use crate::bare::Bare;
use crate::eyes::Eyes;
use crate::figures::Figures;
use crate::workload::{self, Who};
use crate::{Res, process};

pub(crate) const AGENT: &str = "kubectl-jobset";

/// A running tool.
#[derive(Debug)]
pub(crate) struct Tool {
    child: Child,
    pub(crate) pid: u32,
    events: Lines<BufReader<ChildStdout>>,
}

impl Tool {
    /// Starts it with those words, in that namespace, and reads its event stream.
    pub(crate) fn start(ns: &str, words: &[&str]) -> Res<Self> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-jobset"))
            .args(words)
            .args(["-n", ns, "-o", "json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self {
            pid: child.id().ok_or("no pid")?,
            events: BufReader::new(child.stdout.take().ok_or("no stdout")?).lines(),
            child,
        })
    }

    /// Reads events until one of that type (and attempt).
    pub(crate) async fn until(&mut self, kind: &str, attempt: Option<u64>) -> Res<Value> {
        let wanted = format!("\"{kind}\"");
        while let Some(line) = self.events.next_line().await? {
            if !line.contains(&wanted) {
                continue;
            }
            let event: Value = serde_json::from_str(&line)?;
            if event["type"] == kind && attempt.is_none_or(|a| event["attempt"] == a) {
                return Ok(event);
            }
        }
        Err(format!("the run ended before {kind}").into())
    }

    pub(crate) async fn kill(mut self) -> Res<()> {
        Ok(self.child.kill().await?)
    }
}

/// A file with the manifest of so many Jobs and pods.
pub(crate) fn file(jobs: usize, pods: usize) -> Res<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().suffix(".json").tempfile()?;
    write!(file, "{}", workload::manifest(jobs, pods))?;
    Ok(file)
}

pub(crate) async fn measure(
    n: usize,
    run: usize,
    restarts: u64,
    bare: &Bare,
    figures: &mut Figures,
) -> Res<()> {
    let admin = workload::client(Who::Admin, "bench").await?;
    let ns = format!("driven-{n}-{run}-{}", std::process::id());
    workload::namespace(&admin, &ns).await?;
    let eyes = Eyes::open(&admin, &ns).await?;
    let file = file(n, 1)?;
    let path = file.path().to_str().ok_or("path")?;

    let mark = audit::mark()?;
    let spawned = Timestamp::now();
    let mut tool = Tool::start(&ns, &["run", path])?;
    tool.until("run.running", Some(0)).await?;
    let cpu = process::cpu_s(tool.pid)?;
    let requests = audit::since(mark, AGENT, &ns)?;
    let first_request = requests.iter().map(|r| r.received).min();
    let first_request = first_request.ok_or("no request")?;
    let first_job = first(&requests, "create", "jobs")?;
    let last_job = last(&requests, "create", "jobs")?;
    let create_s = seconds(first_job, last_job);
    let per_s = n as f64 / create_s;
    let per_job = |requests: &[Request]| requests.len() as f64 / n as f64;
    let refused = |requests: &[Request], verb: &str, resource: &str| {
        let matching = requests.iter().filter(|r| r.is(verb, resource));
        matching.filter(|r| r.code == 409).count() as f64
    };
    figures.add(
        "start: process to first request, ms",
        1000.0 * seconds(spawned, first_request),
    );
    figures.add(
        "start: first request to first Job, ms",
        1000.0 * seconds(first_request, first_job),
    );
    figures.add(
        "start: all Jobs exist after the process's start, s",
        seconds(spawned, last_job),
    );
    figures.add("start: first create to last acknowledged, s", create_s);
    figures.add("start: Jobs created per second", per_s);
    figures.add(
        "start: of the raw client's rate, %",
        100.0 * bare.create_s / create_s,
    );
    figures.add("start: requests per Job", per_job(&requests));
    figures.add(
        "start: requests besides the creates",
        requests.len() as f64 - n as f64,
    );
    figures.add(
        "start: creates refused with 409",
        refused(&requests, "create", "jobs"),
    );
    figures.add(
        "start: status writes refused with 409",
        refused(&requests, "patch", "configmaps"),
    );
    figures.add("start: CPU, s", cpu);
    figures.add("start: peak resident, MiB", process::peak_mib(tool.pid)?);
    breakdown("start", &requests);

    for attempt in 1..=restarts {
        workload::running(&admin, &ns, n).await?;
        eyes.blink();
        let mark = audit::mark()?;
        let cpu = process::cpu_s(tool.pid)?;
        workload::fail_one(&admin, &ns).await?;
        let decided = tool.until("policy.decided", None).await?;
        tool.until("run.running", Some(attempt)).await?;
        let cpu = process::cpu_s(tool.pid)? - cpu;
        let requests = audit::since(mark, AGENT, &ns)?;
        let decided: Timestamp = decided["time"].as_str().ok_or("no time")?.parse()?;
        let seen = eyes.failed().ok_or("the failure was not seen")?;
        let written = requests.iter().filter(|r| r.is("patch", "configmaps"));
        // The first write that was answered after the decision holds it.
        let written = written.map(|r| r.answered).filter(|at| *at > decided).min();
        let written = written.ok_or("no write")?;
        let first_delete = first(&requests, "delete", "jobs")?;
        let last_made = last(&requests, "create", "jobs")?;
        let gone = eyes.gone(n).await?;
        let restart_s = seconds(first_delete, last_made);
        figures.add(
            "restart: FailureTarget seen beside us to written, ms",
            1000.0 * seconds(seen, written),
        );
        figures.add(
            "restart: FailureTarget decided on to written, ms",
            1000.0 * seconds(decided, written),
        );
        figures.add(
            "restart: written to first delete, ms",
            1000.0 * seconds(written, first_delete),
        );
        figures.add(
            "restart: first delete to last new Job acknowledged, s",
            restart_s,
        );
        figures.add(
            "restart: of the raw client's, x",
            restart_s / bare.restart_s,
        );
        figures.add(
            "restart: first delete to last old Job gone, s",
            seconds(first_delete, gone),
        );
        figures.add(
            "restart: last old Job gone to last new Job acknowledged, s",
            seconds(gone, last_made),
        );
        figures.add(
            "restart: the same, of the raw creation, x",
            seconds(gone, last_made) / bare.create_s,
        );
        figures.add("restart: requests per Job", per_job(&requests));
        figures.add(
            "restart: requests besides deletes and creates",
            requests.len() as f64 - 2.0 * n as f64,
        );
        figures.add(
            "restart: creates refused with 409",
            refused(&requests, "create", "jobs"),
        );
        figures.add(
            "restart: status writes refused with 409",
            refused(&requests, "patch", "configmaps"),
        );
        figures.add("restart: CPU, s", cpu);
        figures.add("restart: peak resident, MiB", process::peak_mib(tool.pid)?);
        if attempt == 1 {
            breakdown("restart", &requests);
        }
    }
    tool.kill().await?;
    drop(eyes);
    workload::remove(&admin, &ns).await
}

/// How many of what, if asked for.
fn breakdown(what: &str, requests: &[Request]) {
    if std::env::var_os("VERBOSE").is_none() {
        return;
    }
    let mut counts = std::collections::BTreeMap::<(&str, &str, i64), usize>::new();
    for r in requests {
        *counts.entry((&r.verb, &r.resource, r.code)).or_default() += 1;
    }
    println!("{what}: {counts:?}");
}
