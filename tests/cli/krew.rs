//! `krew-manifest.yaml` against krew's rules (plugin-conventions C.4). It is a template: the version,
//! the archives' addresses and their checksums are filled in when a release is made.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::place::repository;

/// Machines that krew knows.
const MACHINES: [(&str, &str); 11] = [
    ("linux", "amd64"),
    ("linux", "arm"),
    ("linux", "arm64"),
    ("linux", "386"),
    ("linux", "ppc64le"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
    ("darwin", "386"),
    ("windows", "amd64"),
    ("windows", "arm64"),
    ("windows", "386"),
];

fn manifest() -> Value {
    let text = std::fs::read_to_string(repository("krew-manifest.yaml")).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} is not a text: {value}"))
}

#[test]
fn head_and_description() {
    let m = manifest();
    assert_eq!(
        text(&m, "apiVersion"),
        "krew.googlecontainertools.github.com/v1alpha2"
    );
    assert_eq!(text(&m, "kind"), "Plugin");
    assert_eq!(m["metadata"]["name"], "jobset");
    let spec = &m["spec"];
    let version = text(spec, "version").strip_prefix('v').unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"), "the package's version");
    assert_eq!(version.split('.').count(), 3);
    assert!(text(spec, "homepage").starts_with("https://"));
    let short = text(spec, "shortDescription");
    assert!(
        short.chars().count() <= 50 && !short.ends_with('.') && !short.contains('\n'),
        "{short}"
    );
    assert!(!short.to_lowercase().contains("kubectl plugin"));
    for (key, part) in [("description", "JobSet"), ("caveats", "completion install")] {
        let long = text(spec, key);
        assert!(long.contains(part), "{key}: {long}");
        assert!(
            long.lines().all(|line| line.chars().count() <= 80),
            "{key}: {long}"
        );
    }
}

#[test]
fn archives_and_binaries() {
    let m = manifest();
    for platform in m["spec"]["platforms"].as_array().unwrap() {
        let uri = text(platform, "uri");
        assert!(uri.starts_with("https://"), "{uri}");
        let sum = text(platform, "sha256");
        assert!(
            sum.len() == 64 && sum.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')),
            "{sum}"
        );
        let windows = platform["selector"]["matchLabels"]["os"] == "windows";
        assert!(
            uri.ends_with(if windows { ".zip" } else { ".tar.gz" }),
            "{uri}"
        );
        let bin = text(platform, "bin");
        assert_eq!(
            bin,
            if windows {
                "kubectl-jobset.exe"
            } else {
                "kubectl-jobset"
            }
        );
        let files: Vec<&str> = platform["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| {
                assert!(!text(f, "to").is_empty());
                text(f, "from")
            })
            .collect();
        assert!(files.contains(&bin), "{files:?}");
        assert!(files.contains(&"LICENSE"), "{files:?}");
    }
}

/// Selectors use `os` and `arch` only, at most one platform matches a machine, none matches a machine
/// that krew doesn't know.
#[test]
fn selectors_match_one_machine_each() {
    let m = manifest();
    let mut matched = BTreeSet::new();
    for platform in m["spec"]["platforms"].as_array().unwrap() {
        let selector = platform["selector"].as_object().unwrap();
        assert_eq!(
            selector.keys().collect::<Vec<_>>(),
            ["matchLabels"],
            "only what is tested here"
        );
        let labels = selector["matchLabels"].as_object().unwrap();
        let keys: Vec<_> = labels.keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["arch", "os"],
            "both, so that nothing unknown matches"
        );
        let machine = (
            labels["os"].as_str().unwrap(),
            labels["arch"].as_str().unwrap(),
        );
        assert!(MACHINES.contains(&machine), "{machine:?}");
        assert!(
            matched.insert((machine.0.to_owned(), machine.1.to_owned())),
            "{machine:?} twice"
        );
    }
    assert!(matched.contains(&("linux".to_owned(), "amd64".to_owned())));
}

/// The validation tool wants a licence in each archive.
#[test]
fn the_licence_is_there() {
    let licence = std::fs::read_to_string(repository("LICENSE")).unwrap();
    assert!(licence.contains("Apache License") && licence.contains("END OF TERMS AND CONDITIONS"));
}
