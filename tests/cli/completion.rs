//! kubectl's completion protocol, the scripts for shells, and the helper.

use std::os::unix::process::CommandExt as _;

use crate::place::{BINARY, Place, repository};

const KUBECONFIG: &str = "\
apiVersion: v1
kind: Config
clusters:
- {name: near, cluster: {server: 'http://127.0.0.1:1'}}
- {name: far, cluster: {server: 'http://127.0.0.1:1'}}
users: [{name: ada, user: {}}]
contexts:
- {name: home, context: {cluster: near, user: ada, namespace: ml}}
- {name: work, context: {cluster: far, namespace: batch}}
current-context: home
";

/// Values without their descriptions, and the directive.
fn candidates(words: &[&str]) -> (Vec<String>, String) {
    let place = Place::new();
    place.write(".kube/config", KUBECONFIG);
    let output = place
        .command(words)
        .arg0("/opt/bin/kubectl_complete-jobset")
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{words:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
        .collect();
    let directive = lines.pop().unwrap();
    (lines, directive)
}

#[test]
fn words_flags_and_values() {
    for (words, expected, directive) in [
        (&["ru"][..], &["run"][..], ":4"),
        (&["s"], &["status", "suspend", "stop", "simulate"], ":4"),
        (&["run", "--on-t"], &["--on-timeout"], ":4"),
        (
            &["run", "--on-timeout", ""],
            &["detach", "stop", "delete"],
            ":4",
        ),
        (&["run", "--on-timeout=s"], &["--on-timeout=stop"], ":4"),
        (&["-n", "x", "at"], &["attach"], ":4"),
        (&["status", "-o", "y"], &["yaml"], ":4"),
        (&["delete", "--wait", "--dry-run", "s"], &["server"], ":4"),
        (&["completion", "f"], &["fish"], ":4"),
        (&["help", "exit"], &["exit-codes"], ":4"),
        // The shell knows its files better.
        (&["run", ""], &[], ":0"),
        (&["run", "-f", "x"], &[], ":0"),
        (&["--kubeconfig", ""], &[], ":0"),
        (&["completion", "install", "--dir", ""], &[], ":16"),
    ] {
        let (found, said) = candidates(words);
        assert_eq!(found, expected, "{words:?}");
        assert_eq!(said, directive, "{words:?}");
    }
    let (verbs, _) = candidates(&[""]);
    assert!(verbs.contains(&"run".to_owned()) && !verbs.contains(&"__complete".to_owned()));
}

#[test]
fn names_of_the_kubeconfig() {
    for (words, expected) in [
        (&["status", "-n", ""][..], &["batch", "ml"][..]),
        (&["status", "--namespace", "m"], &["ml"]),
        (&["--context", ""], &["home", "work"]),
        (&["logs", "--cluster", "f"], &["far"]),
        (&["--user", ""], &["ada"]),
    ] {
        assert_eq!(candidates(words).0, expected, "{words:?}");
    }
}

/// C.3: silent on errors, and quick about it. Nobody answers at the kubeconfig's address.
#[test]
fn names_of_an_absent_cluster_are_none() {
    for words in [
        &["attach", ""][..],
        &["delete", "x", ""],
        &["logs", "x", ""],
        &["logs", "--role", ""],
    ] {
        assert_eq!(candidates(words), (vec![], ":4".to_owned()), "{words:?}");
    }
}

#[test]
fn the_scripts_in_the_repository_are_the_ones_it_prints() {
    let place = Place::new();
    for (shell, file) in [
        ("bash", "kubectl-jobset.bash"),
        ("zsh", "_kubectl-jobset"),
        ("fish", "kubectl-jobset.fish"),
        ("powershell", "_kubectl-jobset.ps1"),
        ("elvish", "kubectl-jobset.elv"),
    ] {
        let printed = place.run(&format!("completion {shell}")).good();
        let path = repository("completions").join(file);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &printed).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == printed,
            "{} is out of step: BLESS=1 cargo test --test cli completion",
            path.display()
        );
    }
}

#[test]
fn the_helper_answers_kubectl() {
    let place = Place::new();
    std::fs::create_dir(place.path("bin")).unwrap();
    let done = place.run("completion install --dir bin");
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "bin/kubectl_complete-jobset written\n"),
        "{done}"
    );
    // A second time is no harm.
    assert_eq!(place.run("completion install --dir bin").code, 0);
    let output = std::process::Command::new(place.path("bin/kubectl_complete-jobset"))
        .args(["run", "--on-t"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "--on-timeout\tWhat to do then\n:4\n");

    let said = place.run("completion install --dir nowhere/at/all").bad(1);
    assert!(
        said.contains("hint: kubectl jobset completion install --dir DIR"),
        "{said}"
    );
}

/// The script in the repository, for those who install by hand or by krew.
#[test]
fn the_helper_in_the_repository_calls_the_plugin() {
    let text = std::fs::read_to_string(repository("completions/kubectl_complete-jobset")).unwrap();
    assert_eq!(
        text,
        "#!/bin/sh\nexec kubectl-jobset __complete -- \"$@\"\n"
    );
}

/// Through the real kubectl, where there is one: it passes our words and codes through and asks our
/// helper (plugin-conventions C.2, C.3).
#[test]
fn kubectl_finds_plugin_and_helper() {
    let Some(kubectl) = std::env::split_paths(env!("PATH"))
        .map(|folder| folder.join("kubectl"))
        .find(|path| path.exists())
    else {
        eprintln!("skipped: there is no kubectl on PATH");
        return;
    };
    let place = Place::new();
    std::fs::create_dir(place.path("bin")).unwrap();
    let plugin = place.path("bin/kubectl-jobset");
    std::os::unix::fs::symlink(BINARY, &plugin).unwrap();
    let path = format!("{}:/bin:/usr/bin", place.path("bin").display());
    let ask = |words: &[&str]| {
        let output = std::process::Command::new(&kubectl)
            .args(words)
            .env_clear()
            .env("HOME", place.path(""))
            .env("PATH", &path)
            .output()
            .unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        (
            output.status.code(),
            out,
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, _, said) = ask(&["jobset", "status", "--bad"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("Usage: kubectl jobset status"), "{said}");
    // The helper goes beside the link, not beside what it points to.
    let (code, out, said) = ask(&["jobset", "completion", "install"]);
    let helper = place.path("bin/kubectl_complete-jobset");
    assert_eq!(
        (code, out),
        (Some(0), format!("{} written\n", helper.display())),
        "{said}"
    );
    let (code, out, said) = ask(&["__complete", "jobset", "run", "--on-t"]);
    assert_eq!(
        (code, out.as_str()),
        (Some(0), "--on-timeout\tWhat to do then\n:4\n"),
        "{said}"
    );
}
