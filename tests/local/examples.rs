//! The examples that do real work on one machine: their results, not only their exit codes.

use std::path::Path;

use crate::support::Local;

fn example(name: &str) -> String {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/local");
    dir.join(format!("{name}.yaml"))
        .to_str()
        .unwrap()
        .to_owned()
}

/// Those that need Python say so where there is none.
fn python() -> bool {
    let there = std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_ok_and(|out| out.status.success());
    if !there {
        println!("skipped: there is no python3 on this machine");
    }
    there
}

#[test]
fn the_first_run_fails_once_and_then_completes() {
    if !python() {
        return;
    }
    let local = Local::new("first");
    let out = local.jobset(&["run", &example("first-run")]).expect(0);
    for part in [
        "leader: ready 1/1",
        "exit code 3 in worker/0/2",
        "restart 1 of 1",
        "first-run: completed",
    ] {
        assert!(out.stderr.contains(part), "no `{part}` in\n{}", out.stderr);
    }
    let logs = local.jobset(&["logs", "first-run", "leader"]).expect(0);
    assert!(
        logs.stdout
            .contains("sum of the squares of 1 to 75: 143450"),
        "{}",
        logs.stdout
    );
    let kept = local
        .jobset(&["logs", "first-run", "--attempt", "0", "--failed"])
        .expect(0);
    assert!(
        kept.stdout.contains("shard 2: checksum mismatch"),
        "{}",
        kept.stdout
    );
}

#[test]
fn ranks_add_up_their_vectors() {
    if !python() {
        return;
    }
    let local = Local::new("ring");
    let _ = local.jobset(&["run", &example("all-reduce")]).expect(0);
    let logs = local.jobset(&["logs", "all-reduce", "rank"]).expect(0);
    // Each of 4 ranks holds the sum over (rank + 1) * i for i below 4000: 10 * 4000 * 3999 / 2.
    assert_eq!(
        logs.stdout.matches("sum 79980000").count(),
        4,
        "{}",
        logs.stdout
    );
}

#[test]
fn workers_fit_the_line() {
    if !python() {
        return;
    }
    let local = Local::new("ps");
    let _ = local
        .jobset(&["run", &example("parameter-server")])
        .expect(0);
    let logs = local
        .jobset(&["logs", "parameter-server", "worker"])
        .expect(0);
    assert_eq!(
        logs.stdout.matches("y = 3.00").count() + logs.stdout.matches("y = 2.99").count(),
        3,
        "{}",
        logs.stdout
    );
    local.eventually("the server has ended", |l| l.processes().is_empty());
}

#[test]
fn stages_follow_each_other() {
    let local = Local::new("etl");
    // Its folder is this test's own.
    let text = std::fs::read_to_string(example("etl")).unwrap();
    let data = local.path().join("data");
    let file = local.path().join("etl.yaml");
    std::fs::write(
        &file,
        text.replace("/tmp/jobset-etl", data.to_str().unwrap()),
    )
    .unwrap();
    let _ = local.jobset(&["run", file.to_str().unwrap()]).expect(0);
    let totals = std::fs::read_to_string(data.join("totals.csv")).unwrap();
    let numbers: Vec<u64> = totals
        .lines()
        .map(|line| line.split_once(',').unwrap().1.parse().unwrap())
        .collect();
    // 999 orders, order i of 37 i mod 100.
    assert_eq!(numbers.len(), 7, "{totals}");
    assert_eq!(
        numbers.iter().sum::<u64>(),
        (1..=999).map(|i| i * 37 % 100).sum::<u64>()
    );
}
