//! Who may use whom, and the shape of files. The rules are the ones that CONTRIBUTING.md tells.

#![expect(clippy::unwrap_used, reason = "a test ends at what it did not expect")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What each top-level module may use of the others, by path prefixes. `error` holds the exit code of
/// each kind, and that table is `cli::exit`; both are leaves that everybody above the pure core uses.
const MAY_USE: [(&str, &[&str]); 9] = [
    ("api", &[]),
    (
        "cluster",
        &[
            "api",
            "driver::port",
            "driver::clock",
            "error",
            "Error",
            "Result",
        ],
    ),
    // The check of a pattern is the match of it.
    ("manifest", &["api", "engine::pattern"]),
    ("engine", &["api"]),
    ("report", &["api", "engine", "error", "cli::exit"]),
    (
        "logs",
        &[
            "api",
            "engine",
            "driver",
            "report",
            "error",
            "cli::target",
            "cli::words",
            "cli::settings",
        ],
    ),
    ("driver", &["api", "engine", "error", "Error", "Result"]),
    // The cut of an object to what the engine is told is the driver's own; targets and durations are read
    // as the other flags read them.
    (
        "simulate",
        &[
            "api",
            "engine",
            "cluster",
            "driver::kube::convert",
            "driver::kube::slim",
            "report",
            "cli::target",
            "cli::duration",
        ],
    ),
    (
        "cli",
        &[
            "api", "manifest", "engine", "driver", "cluster", "report", "logs", "simulate",
            "error", "Error", "Result",
        ],
    ),
];

/// Modules that decide and compute, without effects.
const PURE: [&str; 4] = ["api", "manifest", "engine", "simulate"];

/// The pure part of `cluster`: the world. Its fronts and the kubelet that runs processes are not.
const PURE_CLUSTER: [&str; 7] = [
    "cluster/api/",
    "cluster/controllers/",
    "cluster/kubelet/scripted/",
    "cluster/object",
    "cluster/pace",
    "cluster/store",
    "cluster/world",
];

/// What has no place in them.
const IMPURE: [&str; 16] = [
    "tokio",
    "kube::",
    "std::time",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::io",
    "println!",
    "eprintln!",
    "Timestamp::now",
    "SystemTime",
    "HashMap",
    "HashSet",
    "async fn",
];

/// Lines of a file without its tests, above which it has to be split.
const MOST_LINES: usize = 800;
/// Lines of a table of contents.
const MOST_LINES_MOD: usize = 120;

struct File {
    /// Below `src`, with slashes.
    path: String,
    /// Without comments and without the `#[cfg(test)]` part.
    code: String,
    lines: usize,
}

fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "{} files", found.len());
    found.iter().filter_map(|path| file(&root, path)).collect()
}

/// None for files of tests.
fn file(root: &Path, path: &PathBuf) -> Option<File> {
    let name = path
        .strip_prefix(root)
        .unwrap()
        .to_string_lossy()
        .replace('\\', "/");
    let is_test = name.split('/').any(|part| {
        let part = part.trim_end_matches(".rs");
        part == "tests" || part == "testing" || part.ends_with("_tests")
    });
    if is_test {
        return None;
    }
    let text = std::fs::read_to_string(path).unwrap();
    // Tests stand last in a file.
    let lines: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .collect();
    let code = lines
        .iter()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| line.split("// ").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    Some(File {
        path: name,
        code,
        lines: lines.len(),
    })
}

/// First part of a path: its module.
fn module(path: &str) -> &str {
    path.split('/')
        .next()
        .unwrap_or_default()
        .trim_end_matches(".rs")
}

/// Paths that follow `crate::`, braces unfolded one level.
fn uses(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in code.split("crate::").skip(1) {
        if let Some(list) = part.strip_prefix('{') {
            let list = list.split("};").next().unwrap_or_default();
            found.extend(
                list.split(',')
                    .map(|p| p.trim().to_owned())
                    .filter(|p| !p.is_empty()),
            );
        } else {
            let end = part
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
                .unwrap_or(part.len());
            found.insert(part[..end].trim_end_matches(':').to_owned());
        }
    }
    found
}

#[test]
fn modules_use_only_what_they_may() {
    let mut wrong = Vec::new();
    for file in files() {
        let Some((module, allowed)) = MAY_USE.iter().find(|(m, _)| *m == module(&file.path)) else {
            continue;
        };
        for path in uses(&file.code) {
            let fine = path == *module
                || path.starts_with(&format!("{module}::"))
                || allowed
                    .iter()
                    .any(|a| path == *a || path.starts_with(&format!("{a}::")));
            if !fine {
                wrong.push(format!("{}: crate::{path}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_module_has_its_rule() {
    let known: BTreeSet<&str> = MAY_USE
        .iter()
        .map(|(m, _)| *m)
        .chain(["lib", "main", "error"])
        .collect();
    for file in files() {
        assert!(
            known.contains(module(&file.path)),
            "{} has no rule",
            file.path
        );
    }
}

#[test]
fn pure_modules_have_no_effects() {
    let mut wrong = Vec::new();
    let pure = |file: &&File| {
        PURE.contains(&module(&file.path)) || PURE_CLUSTER.iter().any(|p| file.path.starts_with(p))
    };
    for file in files().iter().filter(pure) {
        // Our own module of that name, whose pure parts may be used where the rule above says so.
        let code = file.code.replace("crate::driver::kube::", "");
        for word in IMPURE {
            if code.contains(word) {
                wrong.push(format!("{}: {word}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One place each reads the clock, reads the environment, and prints.
#[test]
fn one_place_each() {
    for (words, place) in [
        (&["std::env::var", "env::vars"][..], "cli/env.rs"),
        (
            &["Timestamp::now()", "SystemTime::now", "Instant::now"],
            "driver/clock.rs",
        ),
        (
            &["io::stdout()", "io::stderr()", "println!", "eprintln!"],
            "report/printer.rs",
        ),
    ] {
        for file in files().iter().filter(|f| f.path != place) {
            for word in words {
                assert!(
                    !file.code.contains(word),
                    "{}: {word} belongs to {place}",
                    file.path
                );
            }
        }
    }
}

#[test]
fn files_stay_small() {
    for file in files() {
        assert!(
            file.lines <= MOST_LINES,
            "{}: {} lines",
            file.path,
            file.lines
        );
    }
}

/// `mod.rs` and `lib.rs` are tables of contents: modules, re-exports, and the few types that all of a
/// folder is about.
#[test]
fn tables_of_contents_are_short() {
    for file in files().iter().filter(|f| f.path.ends_with("mod.rs")) {
        let code = file.code.lines().filter(|l| !l.trim().is_empty()).count();
        assert!(
            code <= MOST_LINES_MOD,
            "{}: {code} lines of code",
            file.path
        );
    }
}

#[test]
fn every_file_says_what_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in files() {
        let text = std::fs::read_to_string(root.join(&file.path)).unwrap();
        assert!(text.starts_with("//! "), "{} has no header", file.path);
    }
}

/// Words that would be promises instead of code, and lints that would be silenced without a reason.
#[test]
fn nothing_is_left_for_later() {
    for file in files() {
        for word in [
            "todo!",
            "unimplemented!",
            "TODO",
            "FIXME",
            "#[allow(",
            "#![allow(",
        ] {
            assert!(!file.code.contains(word), "{}: {word}", file.path);
        }
    }
}
