use super::*;
use crate::engine::EventKind as E;
use crate::engine::snapshot::StateWord;
use crate::report::printer::{Level, Terminals};
use crate::report::testing::{at, event, first_failure, snapshot};

const TTY: Terminals = Terminals {
    stdin: true,
    stdout: true,
    stderr: true,
};

fn reporter(mode: Mode) -> (Reporter, Printer) {
    let terminals = match mode {
        Mode::Tty { .. } => TTY,
        _ => Terminals::default(),
    };
    let printer = Printer::captured(Level::Normal, terminals, 79);
    let settings = Settings {
        mode,
        printer: printer.clone(),
        out_styles: Styles::plain(),
        err_styles: Styles::plain(),
        glyphs: Glyphs::ASCII,
        zone: TimeZone::UTC,
        run: RunId {
            namespace: "ml".to_owned(),
            name: "train".to_owned(),
            uid: "6f0c".to_owned(),
        },
        facts: RunFacts::default(),
        heartbeat_s: 0,
        logs: LogLook {
            prefix: true,
            ..LogLook::default()
        },
        asks_on_interrupt: true,
    };
    (Reporter::new(settings), printer)
}

fn log(line: &str, attempt: u32) -> E {
    E::Log {
        role: "leader".to_owned(),
        job: 0,
        index: Some(0),
        attempt,
        pod: "p".to_owned(),
        container: "main".to_owned(),
        line: line.to_owned(),
    }
}

fn failed() -> E {
    E::RunFinished {
        state: "Failed".to_owned(),
        reason: "ReachedMaxRestarts".to_owned(),
        message: "m".to_owned(),
        first_failure: Some(Box::new(first_failure())),
    }
}

fn completed() -> E {
    E::RunFinished {
        state: "Completed".to_owned(),
        reason: "AllJobsCompleted".to_owned(),
        message: "m".to_owned(),
        first_failure: None,
    }
}

fn ended(state: StateWord) -> Snapshot {
    let mut s = snapshot();
    s.state = state;
    s.attempt = 3;
    s.restarts_counted = 3;
    s.finished = Some(at(5225));
    s
}

const RUN: &str = r#""run":{"namespace":"ml","name":"train","uid":"6f0c"}"#;

/// Data on stdout, talk on stderr; the plain log has the line and then the block.
#[test]
fn a_failed_run_without_a_terminal() {
    let (mut r, printer) = reporter(Mode::Plain);
    r.event(&event(0, E::RunCreated { jobs: 6, pods: 10 }));
    r.event(&event(1, log("step \u{1b}[2J1", 0)));
    r.tick(at(1), &snapshot());
    r.event(&event(5225, failed()));
    r.finish(at(5226), &ended(StateWord::Failed), 11);
    assert_eq!(printer.captured_out(), "leader/0/0 | step \u{1b}[2J1\n");
    insta::assert_snapshot!(printer.captured_err(), @r#"
    2026-12-01T09:14:02Z train: created 6 jobs, 10 pods
    2026-12-01T10:41:07Z train: failed, restart limit reached (0 of 3)
    jobset/train failed: all 3 restarts are used up (1h27m, 4 attempts)

      first to fail   worker/2/1   pod train-worker-2-1-x7k2p, container main, node gpu-14
      how             OOMKilled, exit code 137, 14m20s into attempt 0
      because of it   8 pods failed after it
      decided by      rule "oom", RestartJobSet, limit 3

    hint: kubectl jobset logs train worker/2/1 --attempt all --failed
    hint: kubectl jobset status train
    "#);
}

/// On a terminal the block alone says it, below everything, and the live display is gone.
#[test]
fn a_failed_run_on_a_terminal() {
    let (mut r, printer) = reporter(Mode::Tty { live: true });
    r.event(&event(0, E::RunCreated { jobs: 6, pods: 10 }));
    r.tick(at(151), &snapshot());
    assert_eq!(printer.captured_live().len(), 6);
    r.event(&event(152, log("a\u{1b}[2Jb", 2)));
    assert_eq!(printer.captured_live().len(), 6);
    assert_eq!(printer.captured_out(), "leader/0/0#2 | ab\n");
    r.event(&event(5225, failed()));
    r.tick(at(5225), &ended(StateWord::Failed));
    r.finish(at(5226), &ended(StateWord::Failed), 11);
    assert!(printer.captured_live().is_empty());
    let err = printer.captured_err();
    assert!(
        err.starts_with("jobset/train created (6 jobs, 10 pods)\njobset/train failed: all 3"),
        "{err}"
    );
    assert_eq!(err.matches("restart").count(), 1, "{err}");
}

#[test]
fn a_completed_run() {
    let end = |mode| {
        let (mut r, printer) = reporter(mode);
        r.tick(at(0), &snapshot());
        r.event(&event(5225, completed()));
        r.finish(at(5226), &ended(StateWord::Completed), 0);
        printer.captured_err()
    };
    assert_eq!(
        end(Mode::Plain),
        "2026-12-01T10:41:07Z train: completed after 1h27m\n"
    );
    let verdict = "jobset/train completed (1h27m, 4 attempts)\n";
    assert_eq!(end(Mode::Tty { live: true }), verdict);
    assert_eq!(end(Mode::Quiet), verdict);
}

/// Somebody stopped it: no root cause, and in a plain log nothing is said twice.
#[test]
fn a_stopped_run() {
    let end = |mode| {
        let (mut r, printer) = reporter(mode);
        r.tick(at(0), &snapshot());
        r.event(&event(
            5200,
            E::RunStopping {
                by: "ada@laptop".to_owned(),
            },
        ));
        let mut stopped = failed();
        if let E::RunFinished { reason, .. } = &mut stopped {
            *reason = "Stopped".to_owned();
        }
        r.event(&event(5225, stopped));
        r.finish(at(5226), &ended(StateWord::Failed), 13);
        printer.captured_err()
    };
    assert_eq!(
        end(Mode::Plain),
        "2026-12-01T10:40:42Z train: stopping, asked by ada@laptop\n2026-12-01T10:41:07Z train: stopped by ada@laptop\n"
    );
    assert_eq!(
        end(Mode::Tty { live: false }),
        "train: stopping, asked by ada@laptop\njobset/train stopped by ada@laptop (1h27m, 4 attempts)\n"
    );
}

/// cli.md 6.10: `-q` keeps the verdict and errors.
#[test]
fn quiet() {
    let (mut r, printer) = reporter(Mode::Quiet);
    r.event(&event(0, E::RunCreated { jobs: 6, pods: 10 }));
    r.event(&event(
        1,
        E::Warning {
            message: "x".to_owned(),
        },
    ));
    r.event(&event(5225, failed()));
    r.finish(at(5226), &ended(StateWord::Failed), 11);
    let err = printer.captured_err();
    assert!(
        err.starts_with("jobset/train failed: all 3 restarts are used up"),
        "{err}"
    );
    assert!(!err.contains("hint:"), "{err}");
}

/// cli.md 9: the stream is on stdout, nothing is on stderr, and the end comes last with the code.
#[test]
fn event_stream() {
    let (mut r, printer) = reporter(Mode::Json { on_stdout: true });
    r.event(&event(0, E::RunCreated { jobs: 6, pods: 10 }));
    r.event(&event(1, log("x", 0)));
    r.event(&event(2, completed()));
    r.tick(at(2), &snapshot());
    r.event(&event(
        3,
        E::JobDeleted {
            role: "w".to_owned(),
            job: 0,
            attempt: 0,
            by_someone: false,
        },
    ));
    r.finish(at(4), &ended(StateWord::Completed), 0);
    assert_eq!(printer.captured_err(), "");
    let out = printer.captured_out();
    let types: Vec<String> = out
        .lines()
        .map(|l| {
            assert!(l.contains(RUN), "{l}");
            let value: serde_json::Value = serde_json::from_str(l).unwrap();
            value["type"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(types, ["run.created", "log", "job.deleted", "run.finished"]);
    assert!(out.ends_with("\"exitCode\":0}\n"), "{out}");
}

/// `--progress=json`: the stream on stderr leaves stdout to the logs.
#[test]
fn event_stream_on_stderr() {
    let (mut r, printer) = reporter(Mode::Json { on_stdout: false });
    r.event(&event(1, log("x", 0)));
    r.event(&event(2, E::RunSuspended));
    assert_eq!(printer.captured_out(), "leader/0/0 | x\n");
    assert!(
        printer
            .captured_err()
            .contains("\"type\":\"run.suspended\"}\n")
    );
}

/// A session that ends without a verdict says what became of the run.
#[test]
fn farewells() {
    let end = |events: &[E], code| {
        let (mut r, printer) = reporter(Mode::Tty { live: false });
        for kind in events {
            r.event(&event(0, kind.clone()));
        }
        r.finish(at(1), &snapshot(), code);
        printer.captured_err()
    };
    let created = E::RunCreated { jobs: 1, pods: 1 };
    let detached = E::RunDetached {
        why: "SIGTERM".to_owned(),
    };
    let stopping = E::RunStopping {
        by: "ada".to_owned(),
    };
    let first = "jobset/train created (1 job, 1 pod)\n";
    assert_eq!(end(&[], 130), "SIGINT: nothing was created\n");
    assert_eq!(
        end(&[created.clone(), detached], 143),
        format!(
            "{first}detached from jobset/train (SIGTERM); nobody is driving it now\nhint: kubectl jobset attach train\n"
        )
    );
    assert_eq!(
        end(&[created.clone(), stopping], 130),
        format!(
            "{first}train: stopping, asked by ada\nSIGINT: left jobset/train at once; it may be half stopped\nhint: kubectl jobset attach train\n"
        )
    );
    assert_eq!(
        end(std::slice::from_ref(&created), 14),
        format!("{first}jobset/train was deleted while we watched\n")
    );
    assert_eq!(end(&[created], 0), first);
}

/// What happened before we came carries its time, under a heading.
#[test]
fn replayed_events() {
    let (mut r, printer) = reporter(Mode::Tty { live: false });
    r.event(&event(
        372,
        E::RunAttached {
            previous: Some("ada@laptop".to_owned()),
            silent_s: Some(372),
        },
    ));
    let mut old = event(60, E::RunSuspended);
    old.live = false;
    r.event(&old);
    old.kind = E::RunResumed;
    r.event(&old);
    r.event(&event(372, E::StreamLive));
    r.event(&event(373, E::RunSuspended));
    insta::assert_snapshot!(printer.captured_err(), @r"
    took over from ada@laptop (silent for 6m12s)
    since then:
      09:15:02 train: suspended
      09:15:02 train: resumed
    train: suspended
    ");
}

/// The display is away while somebody types, and lines still come.
#[test]
fn prompting() {
    let (mut r, printer) = reporter(Mode::Tty { live: true });
    r.tick(at(10), &snapshot());
    r.prompt(at(11), &snapshot());
    assert!(printer.captured_live().is_empty());
    r.tick(at(12), &snapshot());
    assert!(printer.captured_live().is_empty());
    r.event(&event(12, E::RunSuspended));
    r.prompt_over();
    assert_eq!(printer.captured_live().len(), 6);
    let err = printer.captured_err();
    assert!(
        err.contains("train keeps running: 5 pods, attempt 0, 11s"),
        "{err}"
    );
    assert!(err.ends_with("train: suspended\n"), "{err}");
}
