//! `pocket`: serves, writes kubeconfigs that nobody else can read, runs a command and returns its code.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use crate::place::{BINARY, Done, Place};

fn pocket(place: &Place, script: &str) -> Done {
    let args = ["pocket", "--nodes", "2:gpu=1", "--", "sh", "-c", script];
    place.done(place.command(args).output().unwrap())
}

#[test]
fn the_code_is_the_commands() {
    let place = Place::new();
    let done = pocket(&place, "echo out; echo err >&2; exit 7");
    assert_eq!(
        (done.code, done.out.as_str(), done.err.as_str()),
        (7, "out\n", "err\n"),
        "{done}"
    );
    assert_eq!(pocket(&place, "kill -TERM $$").code, 143);
    let args = ["pocket", "--", "no-such-program"];
    let done = place.done(place.command(args).output().unwrap());
    assert!(done.bad(1).contains("no-such-program can't be started"));
}

#[test]
fn the_command_is_a_user_with_the_role() {
    let place = Place::new();
    let done = pocket(&place, &format!("{BINARY} version"));
    assert!(done.out.contains("Server Version: v1.37"), "{done}");
    let done = pocket(&place, &format!("{BINARY} status"));
    assert_eq!(done.code, 0, "{done}");
    // In the two namespaces, and nowhere else.
    assert_eq!(
        pocket(&place, &format!("{BINARY} status -n parity")).code,
        0
    );
    let done = pocket(&place, &format!("{BINARY} status -n default"));
    assert_eq!(done.code, 6, "{done}");
    let admin = "--kubeconfig $KUBECTL_JOBSET_E2E_ADMIN";
    assert_eq!(
        pocket(&place, &format!("{BINARY} status -n default {admin}")).code,
        0
    );
    let other = "--kubeconfig $KUBECTL_JOBSET_E2E_OTHER";
    assert_eq!(pocket(&place, &format!("{BINARY} status {other}")).code, 6);
    // Without the token nobody gets in.
    let done = pocket(&place, &format!("{BINARY} status --token wrong"));
    assert_eq!(done.code, 6, "{done}");
}

#[test]
fn kubeconfigs_are_private_and_go_with_it() {
    let place = Place::new();
    let done = pocket(
        &place,
        "stat -c %a $KUBECONFIG $(dirname $KUBECONFIG); echo $KUBECONFIG",
    );
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines[..2], ["600", "700"], "{done}");
    assert!(!std::path::Path::new(lines[2]).exists(), "{done}");
}

#[test]
fn it_serves_until_a_signal() {
    let place = Place::new();
    let mut child = place
        .command(["pocket", "--kubeconfig", "k"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "k\n");
    let mode = std::fs::metadata(place.path("k"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(place.run("status --kubeconfig k").code, 0);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    // The file is there still, and may be written again.
    let again = place.run("pocket --kubeconfig k -- true");
    assert_eq!(again.code, 0, "{again}");
}

#[test]
fn somebody_elses_kubeconfig_stays_as_it_is() {
    let place = Place::new();
    place.write("k", "apiVersion: v1\n");
    let said = place.run("pocket --kubeconfig k").bad(5);
    assert!(said.contains("k was not written by pocket"), "{said}");
    assert_eq!(
        std::fs::read_to_string(place.path("k")).unwrap(),
        "apiVersion: v1\n"
    );
}

#[test]
fn it_is_hidden_but_has_its_help() {
    let place = Place::new();
    assert!(!place.run("help").good().contains("pocket"));
    insta::assert_snapshot!("help-pocket", place.run("help pocket").good());
    let said = place.run("pocket --nodes many").bad(2);
    assert!(said.contains("--nodes \"many\""), "{said}");
}
