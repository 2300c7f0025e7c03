//! Usage errors are code 2, on stderr; help and versions are answers, on stdout.

use std::os::unix::process::CommandExt as _;

use crate::place::Place;

#[test]
fn usage_errors_are_code_2_and_say_what_to_do() {
    let place = Place::new();
    for (line, part) in [
        ("frobnicate", "unrecognized subcommand 'frobnicate'"),
        ("run", "<FILE>"),
        (
            "run a.yaml --on-timeout explode",
            "[possible values: detach, stop, delete]",
        ),
        (
            "run a.yaml --timeout 90",
            "the unit is missing behind 90 (examples: 90s, 5m, 1h30m, 0)",
        ),
        ("run a.yaml --keep-evidence 5000", "0..=1000"),
        (
            "run a.yaml --logs worker/x",
            "--logs: target `worker/x`: `x` is not an index range",
        ),
        ("run a.yaml -d --rm", "cannot be used with"),
        ("attach --read-only --take-over", "cannot be used with"),
        ("status train -A", "cannot be used with"),
        ("status --as-user-extra x", "not of the form KEY=VALUE"),
        (
            "logs --tail=-7",
            "--tail -7: a number of lines, or -1 for all",
        ),
        ("logs a b/c", "target `b/c`: `c` is not an index range"),
        ("delete", "<NAME>"),
        ("validate", "<FILE>"),
        ("validate - -", "standard input (-) can be read only once"),
        ("simulate", "<FILE>"),
        (
            "simulate a.yaml --fail worker",
            "doesn't say how it fails (TARGET:exit=N",
        ),
        ("simulate a.yaml --evict worker", "doesn't say when"),
        (
            "simulate a.yaml --run-time 1h",
            "ROLE=DURATION, as in worker=1h",
        ),
        ("simulate a.yaml --nodes many", "as in 4:cpu=16"),
        ("simulate a.yaml --expect done", "`done` is no end"),
        (
            "simulate --script a.txt --fail w:exit=1",
            "cannot be used with",
        ),
        ("help nothing", "there is no help about nothing"),
        ("--frob", "unexpected argument '--frob'"),
    ] {
        let said = place.run(line).bad(2);
        assert!(said.starts_with("error: "), "{line}: {said}");
        assert!(said.contains(part), "{line}: {said}");
    }
}

#[test]
fn without_arguments_there_is_help() {
    let place = Place::new();
    let help = place.run("").good();
    assert!(help.starts_with("Run JobSets from the client"), "{help}");
    assert_eq!(place.run("-h").good(), help);
}

#[test]
fn the_version_is_the_packages() {
    let place = Place::new();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        place.run("-V").good(),
        format!("kubectl-jobset {version}\n")
    );
    assert_eq!(
        place.run("version --client").good(),
        format!("Client Version: v{version}\nRecord Format: 1\n")
    );
    let json: serde_json::Value =
        serde_json::from_str(&place.run("version --client -o json").good()).unwrap();
    assert_eq!(json["client"], format!("v{version}"));
}

/// plugin-conventions C.2: the words by which it was called.
#[test]
fn usage_lines_say_how_the_program_was_called() {
    let usage = |argv0: &str, env: &[(&str, &str)]| {
        let place = Place::new();
        let output = place
            .command(["status", "--bad"])
            .arg0(argv0)
            .envs(env.iter().copied())
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let by_kubectl = usage("/opt/bin/kubectl-jobset", &[("_", "/usr/bin/kubectl")]);
    assert!(
        by_kubectl.contains("Usage: kubectl jobset status"),
        "{by_kubectl}"
    );
    let direct = usage("kubectl-jobset", &[("_", "/opt/bin/kubectl-jobset")]);
    assert!(direct.contains("Usage: kubectl-jobset status"), "{direct}");
}

#[test]
fn words_of_the_environment_are_checked_and_used() {
    let place = Place::new().env("KUBECTL_JOBSET_COLOR", "blue");
    assert_eq!(
        place.run("version --client").bad(2),
        "error: KUBECTL_JOBSET_COLOR: `blue` is not one of auto, always, never\n"
    );
    let place = Place::new().env("KUBECTL_JOBSET_COLOR", "always");
    assert!(place.run("status --bad").bad(2).contains("\u{1b}["));
    // The flag wins.
    assert!(
        !place
            .run("help nothing --color never")
            .bad(2)
            .contains("\u{1b}[")
    );
    let place = place
        .env("NO_COLOR", "1")
        .env("KUBECTL_JOBSET_COLOR", "auto");
    assert!(!place.run("help nothing").bad(2).contains("\u{1b}["));
}
