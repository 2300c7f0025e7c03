//! The tool itself, seen from outside: its event stream, the audit log, /proc.

use std::io::Write as _;
use std::process::Stdio;

use k8s_openapi::api::core::v1::{Namespace, Pod};
use k8s_openapi::api::rbac::v1::RoleBinding;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::audit::Request;
use crate::{Res, audit, bare};

#[derive(Debug, Default)]
pub(crate) struct Driven {
    pub(crate) create_s: f64,
    pub(crate) first_job_ms: f64,
    pub(crate) start_requests: usize,
    pub(crate) start_refused: usize,
    pub(crate) start_cpu_s: f64,
    pub(crate) start_rss_mib: f64,
    pub(crate) seen_to_written_ms: f64,
    pub(crate) written_to_delete_ms: f64,
    pub(crate) restart_s: f64,
    pub(crate) gone_to_made_s: f64,
    pub(crate) restart_requests: usize,
    pub(crate) restart_refused: usize,
    pub(crate) restart_cpu_s: f64,
    pub(crate) peak_rss_mib: f64,
}

pub(crate) async fn measure(n: usize) -> Res<Driven> {
    let client = bare::admin().await?;
    let ns = format!("driven-{n}-{}", std::process::id());
    bare::namespace(&client, &ns).await?;
    grant(&client, &ns).await?;
    let mut file = tempfile::NamedTempFile::new()?;
    write!(file, "{}", manifest(n))?;

    let mark = audit::mark()?;
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_kubectl-jobset"))
        .args(["run", "-n", &ns, "-o", "json"])
        .arg(file.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()?;
    let pid = child.id().ok_or("no pid")?;
    let mut events = BufReader::new(child.stdout.take().ok_or("no stdout")?).lines();
    let mut driven = Driven::default();

    until(&mut events, "run.running", 0).await?;
    driven.start_cpu_s = cpu_s(pid)?;
    driven.start_rss_mib = rss_mib(pid)?;
    let requests = audit::since(mark, &ns)?;
    let creates = of(&requests, "create", "jobs");
    let created: Vec<&Request> = creates.iter().filter(|r| r.code == 201).copied().collect();
    let made: Vec<&Request> = last(&created, n)?;
    let first = requests
        .iter()
        .map(|r| r.received)
        .min()
        .ok_or("no request")?;
    let first_job = made.iter().map(|r| r.received).min().ok_or("no create")?;
    let last_job = made.iter().map(|r| r.answered).max().ok_or("no create")?;
    driven.create_s = seconds(first_job, last_job);
    driven.first_job_ms = 1000.0 * seconds(first, first_job);
    driven.start_requests = requests.len();
    driven.start_refused = requests.iter().filter(|r| r.code == 409).count();

    let mark = audit::mark()?;
    let cpu_before = cpu_s(pid)?;
    fail_one(&client, &ns).await?;
    let failed = until(&mut events, "job.failed", 0).await?;
    until(&mut events, "run.running", 1).await?;
    driven.restart_cpu_s = cpu_s(pid)? - cpu_before;
    driven.peak_rss_mib = rss_mib(pid)?;
    let requests = audit::since(mark, &ns)?;
    let written = of(&requests, "update", "configmaps")
        .first()
        .ok_or("no write")?
        .answered;
    let deletes = of(&requests, "delete", "jobs");
    let creates = of(&requests, "create", "jobs");
    let first_delete = deletes
        .iter()
        .map(|r| r.received)
        .min()
        .ok_or("no delete")?;
    let last_made = creates
        .iter()
        .filter(|r| r.code == 201)
        .map(|r| r.answered)
        .max();
    let last_made = last_made.ok_or("no create")?;
    let seen: Timestamp = failed["time"].as_str().ok_or("no time")?.parse()?;
    driven.seen_to_written_ms = 1000.0 * seconds(seen, written);
    driven.written_to_delete_ms = 1000.0 * seconds(written, first_delete);
    driven.restart_s = seconds(first_delete, last_made);
    // A Job is created as soon as its predecessor is gone: the last to be created was the last to go.
    let last_create = creates
        .iter()
        .map(|r| r.received)
        .max()
        .ok_or("no create")?;
    driven.gone_to_made_s = seconds(last_create, last_made);
    driven.restart_requests = requests.len();
    driven.restart_refused = requests.iter().filter(|r| r.code == 409).count();

    child.kill().await?;
    Api::<Namespace>::all(client.clone())
        .delete(&ns, &DeleteParams::default())
        .await?;
    let pods: Api<Pod> = Api::namespaced(client, &ns);
    while !pods
        .list(&ListParams::default().limit(1))
        .await?
        .items
        .is_empty()
    {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    Ok(driven)
}

/// The ordinary user gets the Role.
async fn grant(client: &kube::Client, ns: &str) -> Res<()> {
    let text = include_str!("../../examples/role.yaml");
    let role: k8s_openapi::api::rbac::v1::Role = serde_saphyr::from_str(text)?;
    Api::namespaced(client.clone(), ns)
        .create(&PostParams::default(), &role)
        .await?;
    let binding: RoleBinding = serde_json::from_value(json!({
        "metadata": {"name": "bench"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "kubectl-jobset"},
        "subjects": [{"kind": "User", "name": "jobset-user", "apiGroup": "rbac.authorization.k8s.io"}]
    }))?;
    Api::namespaced(client.clone(), ns)
        .create(&PostParams::default(), &binding)
        .await?;
    Ok(())
}

/// One role of N Jobs, as the bare client makes them.
fn manifest(n: usize) -> Value {
    json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "b"},
        "spec": {
            "failurePolicy": {"maxRestarts": 3},
            "replicatedJobs": [{"name": "w", "replicas": n, "template": {"spec": {
                "backoffLimit": 0, "completions": 1, "parallelism": 1,
                "template": {"spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox", "command": ["sleep", "600"]}]
                }}
            }}}]
        }
    })
}

/// Makes the pod of Job 0 end with code 1.
async fn fail_one(client: &kube::Client, ns: &str) -> Res<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), ns);
    let params = ListParams::default().labels("batch.kubernetes.io/job-name=b-w-0");
    let pod = pods
        .list(&params)
        .await?
        .items
        .pop()
        .ok_or("no pod of b-w-0")?;
    let name = pod.metadata.name.ok_or("no name")?;
    let patch = json!({"metadata": {"annotations": {"kubectl-jobset.test/exit-code": "1"}}});
    pods.patch(&name, &PatchParams::default(), &Patch::Merge(patch))
        .await?;
    Ok(())
}

type Events = tokio::io::Lines<BufReader<tokio::process::ChildStdout>>;

/// Reads events until one of that type and attempt.
async fn until(events: &mut Events, kind: &str, attempt: u64) -> Res<Value> {
    while let Some(line) = events.next_line().await? {
        let event: Value = serde_json::from_str(&line)?;
        if event["type"] == kind && event["attempt"] == attempt {
            return Ok(event);
        }
    }
    Err(format!("the run ended before {kind}").into())
}

fn of<'a>(requests: &'a [Request], verb: &str, resource: &str) -> Vec<&'a Request> {
    requests
        .iter()
        .filter(|r| r.verb == verb && r.resource == resource)
        .collect()
}

/// The real creates, without the dry run that came before them.
fn last<'a>(created: &[&'a Request], n: usize) -> Res<Vec<&'a Request>> {
    if created.len() < n {
        return Err(format!("{} creates, {n} Jobs", created.len()).into());
    }
    let mut sorted = created.to_vec();
    sorted.sort_by_key(|r| r.received);
    Ok(sorted.split_off(sorted.len() - n))
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64()
}

/// User and system time of a process.
fn cpu_s(pid: u32) -> Res<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .ok_or("stat")?
        .split_whitespace()
        .collect();
    // After the name: state is field 0, utime 11, stime 12, in ticks of 10 ms.
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / 100.0)
}

/// Largest resident size so far.
fn rss_mib(pid: u32) -> Res<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status
        .lines()
        .find(|l| l.starts_with("VmHWM:"))
        .ok_or("VmHWM")?;
    Ok(line
        .split_whitespace()
        .nth(1)
        .ok_or("VmHWM")?
        .parse::<f64>()?
        / 1024.0)
}
