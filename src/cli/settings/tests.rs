//! Flag before environment before default; what the flags of each verb come to.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use super::{
    Attempts, ChangeSettings, DeleteSettings, HEARTBEAT, LogChoice, LogsSettings, RunSettings,
    Source, Talk, ValidateSettings, connection,
};
use crate::cli::args::{Cli, Verb};
use crate::cli::env::{self, Env};
use crate::cli::words::{
    ColorWhen, DryRun, FailAt, LogOrder, OnInterrupt, OnTimeout, ProgressWhen, RemoveWhen,
    TimestampStyle, Validate,
};

fn cli(line: &str) -> Cli {
    let words = std::iter::once("kubectl-jobset").chain(line.split_whitespace());
    Cli::try_parse_from(words).unwrap_or_else(|e| panic!("{line}: {e}"))
}

fn refused(line: &str) -> String {
    let words = std::iter::once("kubectl-jobset").chain(line.split_whitespace());
    Cli::try_parse_from(words).unwrap_err().to_string()
}

fn run(line: &str, env: &Env) -> crate::Result<RunSettings> {
    match cli(line).verb {
        Verb::Run(args) => RunSettings::resolve(*args, env),
        other => panic!("{other:?}"),
    }
}

fn logs(line: &str) -> crate::Result<LogsSettings> {
    match cli(line).verb {
        Verb::Logs(args) => LogsSettings::resolve(*args),
        other => panic!("{other:?}"),
    }
}

#[test]
fn defaults_of_run_are_the_documented_ones() {
    let s = run("run a.yaml", &Env::default()).unwrap();
    assert_eq!(s.manifest.sources, [Source::File("a.yaml".into())]);
    assert_eq!(s.manifest.validate, Validate::Strict);
    assert_eq!(s.stay.logs, LogChoice::None);
    assert_eq!(s.stay.timeout, None);
    assert_eq!(s.stay.on_timeout, OnTimeout::Detach);
    assert_eq!(s.stay.on_interrupt, OnInterrupt::Ask);
    assert_eq!(s.stay.rm, None);
    assert_eq!(s.stay.heartbeat, Some(HEARTBEAT));
    assert!(!s.stay.heartbeat_events);
    assert_eq!(s.keep_evidence, 20);
    assert_eq!(s.fail_at, FailAt::FailureTarget);
    assert_eq!(s.dry_run, DryRun::None);
}

#[test]
fn flag_before_environment_before_default() {
    let env = Env::of([
        (env::COLOR, "never"),
        (env::PROGRESS, "plain"),
        (env::ON_INTERRUPT, "stop"),
        (env::LOGS, "failed"),
    ]);
    let s = run("run a.yaml", &env).unwrap();
    assert_eq!(s.stay.on_interrupt, OnInterrupt::Stop);
    assert_eq!(s.stay.logs, LogChoice::Failed);
    let s = run("run a.yaml --on-interrupt delete --logs all", &env).unwrap();
    assert_eq!(s.stay.on_interrupt, OnInterrupt::Delete);
    assert_eq!(s.stay.logs, LogChoice::All);

    let talk = |line: &str, env: &Env| Talk::resolve(&cli(line).global.talk, env).unwrap();
    assert_eq!(talk("status", &Env::default()).color, ColorWhen::Auto);
    assert_eq!(talk("status", &env).color, ColorWhen::Never);
    assert_eq!(talk("status", &env).progress, ProgressWhen::Plain);
    assert_eq!(talk("status --color=always", &env).color, ColorWhen::Always);
}

#[test]
fn a_bad_word_of_the_environment_is_named() {
    let env = Env::of([(env::ON_INTERRUPT, "explode")]);
    let error = run("run a.yaml", &env).unwrap_err();
    assert_eq!(error.exit_code().code(), 2);
    assert_eq!(
        error.message(),
        "KUBECTL_JOBSET_ON_INTERRUPT: `explode` is not one of ask, detach, stop, delete"
    );
    let env = Env::of([(env::LOGS, "worker/x")]);
    assert_eq!(
        run("run a.yaml", &env).unwrap_err().message(),
        "KUBECTL_JOBSET_LOGS: target `worker/x`: `x` is not an index range (examples: 3, 0-3, *)"
    );
}

#[test]
fn files_come_by_position_or_by_flag_but_one_way() {
    let s = run("run -f a.yaml -f -", &Env::default()).unwrap();
    assert_eq!(
        s.manifest.sources,
        [Source::File("a.yaml".into()), Source::Stdin]
    );
    assert!(refused("run").contains("<FILE"));
    assert!(refused("run a.yaml -f b.yaml").contains("cannot be used with"));
    match cli("validate a.yaml - -f c.yaml").verb {
        Verb::Validate(args) => assert_eq!(ValidateSettings::from(args).sources.len(), 3),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_detaching_makes_meaningless_is_refused() {
    for flag in [
        "--timeout 5m",
        "--rm",
        "--logs all",
        "--on-timeout stop",
        "--on-interrupt stop",
        "--heartbeat 1m",
    ] {
        let text = refused(&format!("run a.yaml -d {flag}"));
        assert!(text.contains("cannot be used with"), "{flag}: {text}");
    }
    // The environment's defaults are for the runs that stay.
    assert!(run("run a.yaml -d", &Env::of([(env::LOGS, "all")])).is_ok());
    assert!(refused("attach x --read-only --rm").contains("cannot be used with"));
}

#[test]
fn rm_takes_a_value_only_with_an_equals_sign() {
    assert_eq!(
        run("run --rm a.yaml", &Env::default()).unwrap().stay.rm,
        Some(RemoveWhen::Always)
    );
    assert_eq!(
        run("run --rm=success a.yaml", &Env::default())
            .unwrap()
            .stay
            .rm,
        Some(RemoveWhen::Success)
    );
    assert!(refused("run --rm=maybe a.yaml").contains("success"));
}

#[test]
fn zero_means_no_limit() {
    let s = run("run a.yaml --timeout 0 --heartbeat 0", &Env::default()).unwrap();
    assert_eq!(s.stay.timeout, None);
    assert_eq!(s.stay.heartbeat, None);
    assert!(refused("run a.yaml --timeout 90").contains("examples: 90s, 5m, 1h30m"));
}

#[test]
fn connection_flags_stand_before_or_after_the_verb() {
    let env = Env::of([(env::HOME, "/home/ada"), (env::POD_NAMESPACE, "inside")]);
    for line in [
        "-n ml --context c --as-user-extra a=b=c --insecure-skip-tls-verify status --request-timeout 5",
        "status -n ml --context=c --as-user-extra a=b=c --insecure-skip-tls-verify=true --request-timeout=5s",
    ] {
        let c = connection(cli(line).global.connection, &env);
        assert_eq!(c.namespace.as_deref(), Some("ml"), "{line}");
        assert_eq!(c.context.as_deref(), Some("c"));
        assert_eq!(c.as_user_extra, [("a".to_owned(), "b=c".to_owned())]);
        assert_eq!(c.insecure_skip_tls_verify, Some(true));
        assert_eq!(c.request_timeout, Some(Duration::from_secs(5)));
        assert_eq!(c.env_home, Some(PathBuf::from("/home/ada")));
        assert_eq!(c.env_pod_namespace.as_deref(), Some("inside"));
    }
}

#[test]
fn logs_take_a_name_then_targets() {
    let s = logs("logs train worker/0-3 leader").unwrap();
    assert_eq!(s.name.as_deref(), Some("train"));
    assert_eq!(s.targets.len(), 2);
    let s = logs("logs worker/0 -f").unwrap();
    assert_eq!(s.name, None);
    assert_eq!(s.targets.len(), 1);
    assert_eq!(s.order, LogOrder::Arrival);
    let s = logs("logs").unwrap();
    assert_eq!(
        (s.name, s.targets.len(), s.order),
        (None, 0, LogOrder::Time)
    );
    assert_eq!(logs("logs a worker/x").unwrap_err().exit_code().code(), 2);
}

#[test]
fn logs_flags_come_to_what_kubectl_users_expect() {
    let s = logs("logs --tail -1 --timestamps -p --role a --role b --job 0-3 --index *").unwrap();
    assert_eq!((s.tail, s.tail_given), (None, true));
    assert_eq!(s.timestamps, Some(TimestampStyle::Rfc3339));
    assert_eq!(s.attempt, Attempts::Previous);
    assert_eq!(s.roles, ["a", "b"]);
    assert!(s.jobs.contains(3) && !s.jobs.contains(4));
    assert!(s.indexes.is_all());
    assert_eq!(logs("logs --tail=5").unwrap().tail, Some(5));
    assert_eq!(logs("logs --tail=-5").unwrap_err().exit_code().code(), 2);
    assert_eq!(
        logs("logs --attempt 2").unwrap().attempt,
        Attempts::Number(2)
    );
    assert!(refused("logs --attempt soon").contains("not an attempt"));
    assert!(
        refused("logs --since 1h --since-time 2026-01-01T00:00:00Z").contains("cannot be used")
    );
    assert!(refused("logs -p --attempt 1").contains("cannot be used"));
}

#[test]
fn changes_wait_unless_told_otherwise() {
    let change = |line: &str| match cli(line).verb {
        Verb::Stop(args) => ChangeSettings::from(args),
        Verb::Suspend(args) | Verb::Resume(args) => ChangeSettings::from(args),
        other => panic!("{other:?}"),
    };
    assert!(change("stop").wait);
    assert!(!change("stop train --wait=false").wait);
    assert_eq!(change("suspend --dry-run=server").dry_run, DryRun::Server);
    assert!(change("resume -o name").name_only);
    let delete = |line: &str| match cli(line).verb {
        Verb::Delete(args) => DeleteSettings::from(args),
        other => panic!("{other:?}"),
    };
    let s = delete("delete a b --ignore-not-found -y");
    assert_eq!(s.names, ["a", "b"]);
    assert!(s.ignore_not_found && s.yes && s.wait);
    assert!(delete("delete --all").names.is_empty());
    assert!(refused("delete").contains("NAME"));
    assert!(refused("delete a --all").contains("cannot be used with"));
}

#[test]
fn the_tree_is_sound() {
    use clap::CommandFactory as _;
    Cli::command().debug_assert();
}
