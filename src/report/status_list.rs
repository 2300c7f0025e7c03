//! `status` without a name: the table of runs (cli.md 8, "status, list"). Pure text.

use k8s_openapi::jiff::Timestamp;

use crate::engine::{RoleSnapshot, StateWord};
use crate::report::status::Page;
use crate::report::table::{LOST, NONE, Table};
use crate::report::time::{age_of, human, seconds_between};
use crate::report::view::RunView;
use crate::report::words::{count, target};

/// Runs without a driver that are named one by one; above that one line counts them.
const DRIVERLESS_NAMED: usize = 3;

/// How the list looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListLook {
    /// `-A`: NAMESPACE first.
    pub namespaces: bool,
    /// `-o wide`.
    pub wide: bool,
    /// `--no-headers`.
    pub no_headers: bool,
}

/// The list, over one or (with `-w`) several printings.
#[derive(Clone, Debug)]
pub struct List {
    look: ListLook,
    table: Table,
    printed: bool,
}

impl List {
    /// Nothing printed yet.
    #[must_use]
    pub fn new(look: ListLook) -> Self {
        let mut headings = Vec::new();
        if look.namespaces {
            headings.push("NAMESPACE");
        }
        headings.extend(["NAME", "STATE", "JOBS", "PODS", "RESTARTS", "DRIVER"]);
        if look.wide {
            headings.extend(["REASON", "FIRST-FAILURE", "RECORD"]);
        }
        headings.push("AGE");
        Self {
            look,
            table: Table::new(headings),
            printed: false,
        }
    }

    /// These runs as rows, newest first within a namespace; the headings only the first time. For `-w`:
    /// call it again with the runs that have changed.
    pub fn page(&mut self, runs: &[RunView], now: Timestamp) -> Page {
        let mut order: Vec<&RunView> = runs.iter().collect();
        order.sort_by(|a, b| {
            let namespaces = a.id.namespace.cmp(&b.id.namespace);
            namespaces
                .then(b.created.cmp(&a.created))
                .then_with(|| a.id.name.cmp(&b.id.name))
        });
        for run in &order {
            let cells = self.cells(run, now);
            self.table.row(cells);
        }
        let with_headings = !self.look.no_headers && !std::mem::replace(&mut self.printed, true);
        Page {
            out: self.table.render(with_headings),
            warnings: driverless(&order, now, self.look.namespaces),
            hints: Vec::new(),
        }
    }

    fn cells(&self, run: &RunView, now: Timestamp) -> Vec<String> {
        let sums = |f: fn(&RoleSnapshot) -> u32| run.snapshot.roles.iter().map(f).sum::<u32>();
        let mut cells = Vec::new();
        if self.look.namespaces {
            cells.push(run.id.namespace.clone());
        }
        cells.extend([
            run.id.name.clone(),
            run.snapshot.state.as_str().to_owned(),
            format!(
                "{}/{}",
                sums(|r| r.ready + r.succeeded),
                sums(|r| r.replicas)
            ),
            format!("{}/{}", sums(|r| r.pods), sums(|r| r.pods_wanted)),
            format!(
                "{}/{}",
                run.snapshot.restarts_counted,
                run.snapshot.max_restarts.unwrap_or(0)
            ),
            driver(run),
        ]);
        if self.look.wide {
            let first = run.first_failure();
            cells.extend([
                run.snapshot.reason.clone().unwrap_or_default(),
                first.map_or_else(String::new, |f| target(&f.role, f.job, f.index)),
                run.record.clone(),
            ]);
        }
        cells.push(age_of(Some(run.created), now));
        cells
    }
}

/// `-o name`: one `jobset/NAME` per line.
#[must_use]
pub fn names(runs: &[RunView]) -> Vec<String> {
    runs.iter()
        .map(|r| format!("jobset/{}", r.id.name))
        .collect()
}

/// What kubectl says on stderr when a list is empty. `namespace`: none for `-A`.
#[must_use]
pub fn empty(namespace: Option<&str>) -> String {
    match namespace {
        Some(namespace) => format!("No resources found in {namespace} namespace."),
        None => "No resources found".to_owned(),
    }
}

/// Who drives it: the holder, `<lost>` if it went without giving the seat back, else `<none>`.
fn driver(run: &RunView) -> String {
    match &run.driver.holder {
        _ if run.is_finished() => NONE.to_owned(),
        Some(holder) if run.driver.live => holder.clone(),
        Some(_) => LOST.to_owned(),
        None => NONE.to_owned(),
    }
}

fn driverless(runs: &[&RunView], now: Timestamp, namespaces: bool) -> Vec<String> {
    let without: Vec<&&RunView> = runs.iter().filter(|r| r.is_driverless()).collect();
    if without.len() > DRIVERLESS_NAMED {
        let n = u64::try_from(without.len()).unwrap_or(u64::MAX);
        return vec![format!(
            "warning: {} without a driver: startup order and failure policy are not being enforced",
            count(n, "run")
        )];
    }
    without
        .into_iter()
        .map(|run| {
            let name = if namespaces {
                format!("{}/{}", run.id.namespace, run.id.name)
            } else {
                run.id.name.clone()
            };
            let since = run.driver.renewed.map_or_else(String::new, |t| {
                format!(" since {}", human(seconds_between(t, now)))
            });
            let attach = run.command(&format!("attach {}", run.id.name));
            format!(
                "warning: {name} has no driver{since}: {} ({attach})",
                waits(run)
            )
        })
        .collect()
}

/// What nobody does, in the state the run is in.
pub(crate) fn waits(run: &RunView) -> &'static str {
    match run.snapshot.state {
        StateWord::Restarting => "its restart is waiting",
        StateWord::Stopping => "its stop is waiting",
        StateWord::Pending | StateWord::Starting
            if run.snapshot.roles.iter().any(|r| r.waiting > 0) =>
        {
            "roles that wait for others are not started"
        }
        _ if run.failure_policy => "failure policy is not being enforced",
        _ => "nobody notices its end",
    }
}
