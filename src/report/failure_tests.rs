use super::*;

fn oom() -> FirstFailure {
    FirstFailure {
        role: "worker".to_owned(),
        job: 2,
        job_name: "train-worker-2".to_owned(),
        attempt: 3,
        reason: "PodFailurePolicy".to_owned(),
        message: "Container main for pod ml/train-worker-2-1-x7k2p failed with exit code 137"
            .to_owned(),
        index: Some(1),
        pod: Some("train-worker-2-1-x7k2p".to_owned()),
        node: Some("gpu-14".to_owned()),
        container: Some("main".to_owned()),
        exit_code: Some(137),
        signal: Some(9),
        how: Some("OOMKilled".to_owned()),
        into_attempt_s: Some(860),
        memory_limit: Some("64Gi".to_owned()),
        last_lines: vec![
            "step 8100  loss 1.92".to_owned(),
            "reading \u{1b}[2Jshard 31".to_owned(),
        ],
        fell_after: 8,
        rule: Some("oom".to_owned()),
        rule_index: Some(0),
        action: "RestartJobSet".to_owned(),
        ..FirstFailure::default()
    }
}

fn whole(e: &Ending<'_>) -> String {
    let mut lines = vec![verdict(e, &Styles::plain())];
    lines.extend(block(e));
    lines.extend(hints(e).iter().map(|h| format!("hint: {h}")));
    lines.join("\n")
}

/// The mock-up of cli.md 8, as far as the record knows these things.
#[test]
fn the_whole_story() {
    let first = oom();
    let attempts: Vec<Attempt> = (0..4)
        .map(|n| Attempt {
            number: n,
            cause: Some(FirstFailure {
                attempt: n,
                ..oom()
            }),
            ..Attempt::default()
        })
        .collect();
    let facts = RunFacts {
        rule_places: vec!["train.yaml:41".to_owned()],
        flags: "-n ml".to_owned(),
        ..RunFacts::default()
    };
    let e = Ending {
        run: "train",
        state: "Failed",
        reason: "ReachedMaxRestarts",
        first_failure: Some(&first),
        lasted_s: Some(5220),
        attempt: 3,
        max_restarts: Some(3),
        attempts: &attempts,
        facts: Some(&facts),
        ..Ending::default()
    };
    insta::assert_snapshot!(whole(&e), @r#"
    jobset/train failed: all 3 restarts are used up (1h27m, 4 attempts)

      first to fail   worker/2/1   pod train-worker-2-1-x7k2p, container main, node gpu-14
      how             OOMKilled, exit code 137, 14m20s into attempt 3
      memory limit    64Gi; killed the same way in attempts 0, 1, 2 and 3
      last lines      step 8100  loss 1.92
                      reading ^[[2Jshard 31
      because of it   8 pods failed after it
      decided by      rule "oom", RestartJobSet, limit 3 (train.yaml:41)
    hint: kubectl jobset logs train worker/2/1 --attempt all --failed -n ml
    hint: kubectl jobset status train -n ml
    "#);
}

/// Nothing but the Job is known: no field is made up.
#[test]
fn little_is_known() {
    let first = FirstFailure {
        role: "etl".to_owned(),
        job_name: "etl-etl-0".to_owned(),
        reason: "DeadlineExceeded".to_owned(),
        message: "Job was active longer than specified deadline".to_owned(),
        action: "FailJobSet".to_owned(),
        ..FirstFailure::default()
    };
    let e = Ending {
        run: "etl",
        state: "Failed",
        reason: "FailedJobs",
        first_failure: Some(&first),
        ..Ending::default()
    };
    insta::assert_snapshot!(whole(&e), @r"
    jobset/etl failed: etl/0 failed and there is no failure policy (1 attempt)

      first to fail   etl/0   job etl-etl-0
      how             DeadlineExceeded: Job was active longer than specified deadline, in attempt 0
      decided by      no failure policy: any failed job ends the set
    hint: kubectl jobset logs etl etl/0 --failed
    hint: kubectl jobset status etl
    ");
}

#[test]
fn a_deadline_with_a_container_says_both() {
    let first = FirstFailure {
        reason: "DeadlineExceeded".to_owned(),
        message: "too long".to_owned(),
        termination_message: Some("a\nb\u{7}\n".to_owned()),
        fell_after: 1,
        rule: None,
        action: "RestartJobSet".to_owned(),
        ..oom()
    };
    let e = Ending {
        state: "Failed",
        first_failure: Some(&first),
        ..Ending::default()
    };
    let text = block(&e).join("\n");
    assert!(
        text.contains("  job says        DeadlineExceeded: too long\n"),
        "{text}"
    );
    assert!(
        text.contains("  message         a\n                  b^G\n"),
        "{text}"
    );
    assert!(text.contains("1 pod failed after it"), "{text}");
    assert!(
        text.contains("decided by      no rule matched, RestartJobSet"),
        "{text}"
    );
    assert!(text.contains("memory limit    64Gi\n"), "{text}");
}

#[test]
fn verdicts() {
    let base = Ending {
        run: "r",
        state: "Failed",
        lasted_s: Some(90),
        ..Ending::default()
    };
    let first = FirstFailure {
        role: "w".to_owned(),
        job: 1,
        rule: Some("die".to_owned()),
        ..FirstFailure::default()
    };
    let limit = |max| Ending {
        reason: "ReachedMaxRestarts",
        max_restarts: Some(max),
        attempt: max,
        first_failure: Some(&first),
        ..base.clone()
    };
    let table = [
        (
            Ending {
                state: "Completed",
                attempt: 1,
                ..base.clone()
            },
            "jobset/r completed (1m30s, 2 attempts)",
        ),
        (
            limit(0),
            "jobset/r failed: w/1 failed and no restart is allowed (1m30s, 1 attempt)",
        ),
        (
            limit(1),
            "jobset/r failed: the one restart is used up (1m30s, 2 attempts)",
        ),
        (
            limit(2),
            "jobset/r failed: all 2 restarts are used up (1m30s, 3 attempts)",
        ),
        (
            Ending {
                reason: "FailJobSetFailurePolicyAction",
                first_failure: Some(&first),
                ..base.clone()
            },
            "jobset/r failed: w/1 failed and rule \"die\" says FailJobSet (1m30s, 1 attempt)",
        ),
        (
            Ending {
                reason: "Stopped",
                stopped_by: Some("ada@laptop"),
                ..base.clone()
            },
            "jobset/r stopped by ada@laptop (1m30s, 1 attempt)",
        ),
        (
            Ending {
                reason: "Forbidden",
                message: "quota \u{1b}x",
                could_not_start: true,
                ..base.clone()
            },
            "jobset/r could not start: Forbidden: quota ^[x",
        ),
    ];
    for (e, want) in table {
        assert_eq!(verdict(&e, &Styles::plain()), want);
    }
    assert!(
        block(&Ending {
            state: "Completed",
            first_failure: Some(&first),
            ..base
        })
        .is_empty()
    );
}
