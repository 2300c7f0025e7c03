use super::*;
use crate::engine::snapshot::StateWord;
use crate::report::status_list::{self, List, ListLook};
use crate::report::testing::{at, first_failure, running, snapshot};

const NOW: i64 = 47 * 60;

fn text(page: &Page) -> String {
    let mut lines = page.out.clone();
    lines.extend(page.warnings.iter().cloned());
    lines.extend(page.hints.iter().map(|h| format!("hint: {h}")));
    lines.join("\n")
}

fn list(look: ListLook, runs: &[RunView]) -> String {
    text(&List::new(look).page(runs, at(NOW)))
}

/// A run called `ablate-7` whose driver went silent twelve minutes ago, in a restart.
fn lost() -> RunView {
    let mut run = running();
    run.id.name = "ablate-7".to_owned();
    run.created = at(NOW - 3 * 3600);
    run.snapshot.state = StateWord::Restarting;
    run.snapshot.max_restarts = Some(5);
    run.snapshot.restarts_counted = 2;
    for role in &mut run.snapshot.roles {
        role.ready = 0;
    }
    run.driver.live = false;
    run.driver.renewed = Some(at(NOW - 12 * 60));
    run
}

fn finished(state: StateWord) -> RunView {
    let mut run = running();
    run.id.name = "smoke".to_owned();
    run.created = at(NOW - 25 * 3600);
    run.snapshot.state = state;
    run.snapshot.started = Some(run.created);
    run.snapshot.finished = Some(at(NOW - 22 * 3600));
    run.snapshot.roles.truncate(1);
    run.driver = crate::report::view::DriverView::default();
    run
}

/// The mock-up "status, list".
#[test]
fn the_list() {
    let runs = [lost(), running(), finished(StateWord::Completed)];
    insta::assert_snapshot!(list(ListLook::default(), &runs), @r"
    NAME      STATE       JOBS  PODS  RESTARTS  DRIVER      AGE
    train     Running     5/6   9/10  1/3       ada@laptop  47m
    ablate-7  Restarting  0/6   9/10  2/5       <lost>      3h
    smoke     Completed   1/1   1/1   1/3       <none>      25h
    warning: ablate-7 has no driver since 12m: its restart is waiting (kubectl jobset attach ablate-7)
    ");
}

#[test]
fn wide_and_all_namespaces() {
    let look = ListLook {
        namespaces: true,
        wide: true,
        no_headers: false,
    };
    let mut failed = finished(StateWord::Failed);
    failed.id.namespace = "a".to_owned();
    failed.snapshot.reason = Some("FailedJobs".to_owned());
    insta::assert_snapshot!(list(look, &[running(), failed]), @r"
    NAMESPACE  NAME   STATE    JOBS  PODS  RESTARTS  DRIVER      REASON      FIRST-FAILURE  RECORD               AGE
    a          smoke  Failed   1/1   1/1   1/3       <none>      FailedJobs  worker/2/1     configmap/train-run  25h
    ml         train  Running  5/6   9/10  1/3       ada@laptop  <none>      worker/2/1     configmap/train-run  47m
    ");
}

#[test]
fn other_forms_of_the_list() {
    let look = ListLook {
        no_headers: true,
        ..ListLook::default()
    };
    assert_eq!(
        list(look, &[running()]),
        "train  Running  5/6  9/10  1/3  ada@laptop  47m"
    );
    assert_eq!(status_list::names(&[running()]), ["jobset/train"]);
    assert_eq!(
        status_list::empty(Some("ml")),
        "No resources found in ml namespace."
    );
    assert_eq!(status_list::empty(None), "No resources found");
}

/// `-w`: headings once, later rows under the earlier ones.
#[test]
fn watching_the_list() {
    let mut list = List::new(ListLook::default());
    assert_eq!(list.page(&[running()], at(NOW)).out.len(), 2);
    let mut changed = running();
    changed.snapshot.state = StateWord::Failed;
    assert_eq!(
        list.page(&[changed], at(NOW)).out,
        ["train  Failed   5/6   9/10  1/3       <none>      47m"]
    );
}

#[test]
fn many_runs_without_a_driver_make_one_warning() {
    let runs: Vec<RunView> = (0..4)
        .map(|n| {
            let mut run = lost();
            run.id.name = format!("r{n}");
            run
        })
        .collect();
    let page = List::new(ListLook::default()).page(&runs, at(NOW));
    assert_eq!(
        page.warnings,
        [
            "warning: 4 runs without a driver: startup order and failure policy are not being enforced"
        ]
    );
}

/// The mock-up "status of one"; `eval` is counted as waiting, so that the numbers add up.
#[test]
fn one_run() {
    insta::assert_snapshot!(text(&one(&running(), at(NOW))), @r#"
    train  Running  attempt 1  47m  restarts 1/3  driven by ada@laptop (2s ago)

    ROLE    READY  STARTING  FAILING  DONE  WAITING  PODS  WAITS-FOR
    leader  1/1    0         0        0     0        1/1   -
    worker  4/4    0         0        0     0        8/8   -
    eval    0/1    0         0        0     1        0/1   worker complete

    last restart  27m ago, worker/2/1 OOMKilled (exit code 137) on gpu-14, rule "oom"
    "#);
}

#[test]
fn one_run_that_starts_without_a_driver() {
    let mut run = running();
    run.snapshot = snapshot();
    run.snapshot.pods_replaced = 2;
    run.state.attempts.truncate(1);
    run.driver = crate::report::view::DriverView::default();
    run.flags = "-n ml".to_owned();
    insta::assert_snapshot!(text(&one(&run, at(151))), @r"
    train  Starting  attempt 0  2m31s  restarts 0/3  no driver

    ROLE    READY  STARTING  FAILING  DONE  WAITING  PODS  WAITS-FOR
    leader  1/1    0         0        0     0        1/1   -
    worker  2/4    2         0        0     0        4/8   -
    eval    0/1    0         0        0     1        0/1   worker complete

    worker/3: pulling image, 41s
    worker/1: no node with 2 free gpus, 2m10s

    pods replaced  2 pods were replaced in this attempt without a failed job
    warning: nobody drives train: roles that wait for others are not started
    hint: kubectl jobset attach train -n ml
    ");
}

#[test]
fn one_run_that_failed() {
    let mut run = finished(StateWord::Failed);
    run.snapshot.reason = Some("ReachedMaxRestarts".to_owned());
    run.snapshot.restarts = 2;
    run.snapshot.roles[0].ready = 0;
    run.snapshot.roles[0].failed = 1;
    run.state.first_failure = Some(FirstFailure {
        attempt: 1,
        ..first_failure()
    });
    insta::assert_snapshot!(text(&one(&run, at(NOW))), @r#"
    smoke  Failed (ReachedMaxRestarts)  attempt 1  3h  restarts 1/3 and 1 not counted  ended 22h ago

    ROLE    READY  STARTING  FAILING  DONE  FAILED  PODS  WAITS-FOR
    leader  0/1    0         0        0     1       1/1   -

    last restart  27m ago, worker/2/1 OOMKilled (exit code 137) on gpu-14, rule "oom"
    first failure  worker/2/1 OOMKilled (exit code 137) on gpu-14, 14m20s into attempt 1, rule "oom"
    hint: kubectl jobset logs smoke worker/2/1 --attempt all --failed
    "#);
}

/// What nobody does depends on what the run is doing.
#[test]
fn a_driverless_run_says_what_waits() {
    let mut run = lost();
    let warning = |run: &RunView| one(run, at(NOW)).warnings.join("\n");
    assert_eq!(
        warning(&run),
        "warning: nobody drives ablate-7: its restart is waiting"
    );
    run.snapshot.state = StateWord::Running;
    assert_eq!(
        warning(&run),
        "warning: nobody drives ablate-7: failure policy is not being enforced"
    );
    run.failure_policy = false;
    assert_eq!(
        warning(&run),
        "warning: nobody drives ablate-7: nobody notices its end"
    );
    run.driver.live = true;
    assert_eq!(warning(&run), "");
}

/// cli.md 6.8 (jobset#979): what the table shows adds up to what is wanted.
#[test]
fn the_numbers_add_up() {
    let mut run = running();
    run.snapshot.roles = vec![RoleSnapshot {
        name: "w".to_owned(),
        replicas: 28,
        ready: 1,
        starting: 2,
        failing: 3,
        succeeded: 4,
        failed: 5,
        suspended: 6,
        waiting: 7,
        ..RoleSnapshot::default()
    }];
    let row = &one(&run, at(NOW)).out[3];
    let cells: Vec<&str> = row.split_whitespace().collect();
    let (ready, replicas) = cells[1].split_once('/').unwrap();
    let others = cells[2..cells.len() - 2].iter();
    let sum: u32 = others
        .chain([&ready])
        .map(|n| n.parse::<u32>().unwrap())
        .sum();
    assert_eq!(sum.to_string(), replicas, "{row}");
}
