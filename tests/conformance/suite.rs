//! Runs checks, some at a time, each in a namespace of its own, and tells what each found.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::{RwLock, Semaphore};
use tokio::task::LocalSet;

use crate::difference::Difference;
use crate::server::{Clients, Server, connect};

/// Checks at the same time. Most of a check's time is spent waiting for a controller.
const AT_ONCE: usize = 32;
/// A check that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(120);

type Running = Pin<Box<dyn Future<Output = ()>>>;

/// One thing that is shown about a server.
#[derive(Clone, Copy)]
pub(crate) struct Check {
    /// Module and function.
    pub(crate) name: &'static str,
    pub(crate) nodes: Nodes,
    pub(crate) run: fn(Rc<Server>) -> Running,
}

/// What a check has to do with nodes, which all checks share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nodes {
    /// Takes whatever there is.
    Any,
    /// Counts them: nobody may change them meanwhile.
    Counts,
    /// Adds some: alone among those that count or change them.
    Changes,
}

/// The functions of a module as checks.
macro_rules! checks {
    ($($name:ident),* $(,)?) => {
        pub(crate) fn checks() -> Vec<$crate::suite::Check> {
            vec![$($crate::suite::Check {
                name: concat!(module_path!(), "::", stringify!($name)),
                nodes: $crate::suite::Nodes::Any,
                run: |server| Box::pin(async move { $name(&server).await }),
            }),*]
        }
    };
}

/// What one check found.
struct Finding {
    name: &'static str,
    compared: usize,
    wrong: Vec<String>,
}

/// Runs all checks against the server of a kubeconfig, and panics unless each agrees or is a listed
/// difference that indeed differs.
pub(crate) fn run(checks: Vec<Check>, kubeconfig: &Path, differences: &[Difference]) {
    let only = std::env::var("KUBECTL_JOBSET_CONFORMANCE").unwrap_or_default();
    let total = checks.len();
    let names: BTreeSet<&str> = checks.iter().map(|c| short(c.name)).collect();
    assert_eq!(names.len(), total, "two checks have the same name");
    for difference in differences {
        assert!(
            names.contains(difference.check),
            "a difference is listed for {}, which is no check",
            difference.check
        );
    }
    let chosen: Vec<Check> = checks
        .into_iter()
        .filter(|c| short(c.name).contains(&only))
        .collect();
    assert!(!chosen.is_empty(), "no check has {only:?} in its name");

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let local = LocalSet::new();
    let findings = local.block_on(&runtime, all(chosen, kubeconfig));
    report(&findings, differences);
}

async fn all(checks: Vec<Check>, kubeconfig: &Path) -> Vec<Finding> {
    let clients = connect(kubeconfig).await;
    let seats = Rc::new(Semaphore::new(AT_ONCE));
    let nodes = Rc::new(RwLock::new(()));
    let mut tasks = Vec::new();
    for (number, check) in checks.into_iter().enumerate() {
        let (clients, seats, nodes) = (clients.clone(), seats.clone(), nodes.clone());
        tasks.push(tokio::task::spawn_local(async move {
            let _seat = seats.acquire().await.unwrap();
            match check.nodes {
                Nodes::Any => one(clients, number, check).await,
                Nodes::Counts => {
                    let _nodes = nodes.read().await;
                    one(clients, number, check).await
                }
                Nodes::Changes => {
                    let _nodes = nodes.write().await;
                    one(clients, number, check).await
                }
            }
        }));
    }
    let mut findings = Vec::new();
    for task in tasks {
        findings.push(task.await.unwrap());
    }
    findings
}

async fn one(clients: Clients, number: usize, check: Check) -> Finding {
    let server = Rc::new(Server::new(clients, number).await);
    // A task of its own, so that a panic ends this check alone.
    let mut task = tokio::task::spawn_local((check.run)(server.clone()));
    let ended = tokio::time::timeout(LONGEST, &mut task).await;
    task.abort();
    let mut wrong = server.seen.wrong();
    let Ok(ended) = ended else {
        wrong.push(format!("not done after {LONGEST:?}"));
        return Finding {
            name: short(check.name),
            compared: server.seen.compared(),
            wrong,
        };
    };
    if let Err(error) = ended {
        let what = match error.try_into_panic() {
            Ok(panic) => panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                .unwrap_or_else(|| "panicked".to_owned()),
            Err(error) => error.to_string(),
        };
        wrong.push(what);
    }
    Finding {
        name: short(check.name),
        compared: server.seen.compared(),
        wrong,
    }
}

/// Without the name of the test binary.
fn short(name: &'static str) -> &'static str {
    name.split_once("::").map_or(name, |(_, rest)| rest)
}

fn report(findings: &[Finding], differences: &[Difference]) {
    let listed: BTreeMap<&str, &str> = differences.iter().map(|d| (d.check, d.why)).collect();
    let compared: usize = findings.iter().map(|f| f.compared).sum();
    let mut bad = 0;
    let mut differ = 0;
    for finding in findings {
        match (listed.get(finding.name), finding.wrong.is_empty()) {
            (None, true) => {
                // A check that compares nothing can't fail.
                if finding.compared == 0 {
                    bad += 1;
                    eprintln!("{}: compared nothing", finding.name);
                }
            }
            (None, false) => {
                bad += 1;
                eprintln!("{}", finding.name);
                for wrong in &finding.wrong {
                    eprintln!("    {}", wrong.replace('\n', "\n    "));
                }
            }
            (Some(_), false) => differ += 1,
            (Some(why), true) => {
                bad += 1;
                eprintln!(
                    "{}: is listed as a difference ({why}), but agrees: take it off the list",
                    finding.name
                );
            }
        }
    }
    eprintln!(
        "{} checks, {compared} values compared, {differ} listed differences, {bad} wrong",
        findings.len()
    );
    assert_eq!(bad, 0, "checks that do not agree (above)");
}
