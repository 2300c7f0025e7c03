//! The README says what is true.

use std::path::Path;

use crate::place::repository;

fn read(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap()
}

#[test]
fn the_table_of_exit_codes_is_the_enum() {
    let readme = read("README.md");
    let table = kubectl_jobset::cli::help::exit_codes_markdown();
    assert!(readme.contains(&table), "put this into README.md:\n{table}");
}

#[test]
fn every_example_is_mentioned() {
    let readme = read("README.md");
    for entry in std::fs::read_dir(repository("examples")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".yaml") {
            assert!(readme.contains(&format!("examples/{name}")), "{name}");
        }
    }
}

/// Links to files of the repository lead somewhere.
#[test]
fn links_lead_somewhere() {
    for document in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        for part in read(document).split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            if target.starts_with("http") || target.starts_with('#') {
                continue;
            }
            let path = repository(target.split('#').next().unwrap_or_default());
            assert!(Path::new(&path).exists(), "{document}: {target}");
        }
    }
}

/// Every flag that the README and the examples show exists.
#[test]
fn flags_that_are_shown_exist() {
    let mut known: Vec<String> = Vec::new();
    collect(
        &kubectl_jobset::cli::command(kubectl_jobset::cli::invocation::Invocation::Kubectl),
        &mut known,
    );
    let mut texts = vec![read("README.md")];
    for folder in ["examples", "examples/local", "docs"] {
        for entry in std::fs::read_dir(repository(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                texts.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut seen = 0;
    for text in texts {
        for line in text.lines().filter(|l| l.contains("kubectl jobset ")) {
            let after = line.split("kubectl jobset ").nth(1).unwrap_or_default();
            for word in after
                .split([' ', '`', '|', ')', ';'])
                .filter(|w| w.starts_with("--"))
            {
                let flag = word
                    .trim_start_matches('-')
                    .split('=')
                    .next()
                    .unwrap_or_default();
                seen += 1;
                assert!(known.iter().any(|k| k == flag), "{word} in: {line}");
            }
        }
    }
    assert!(seen > 5, "{seen} flags seen");
}

fn collect(command: &clap::Command, into: &mut Vec<String>) {
    into.extend(
        command
            .get_arguments()
            .filter_map(|a| a.get_long())
            .map(str::to_owned),
    );
    into.push("help".to_owned());
    for sub in command.get_subcommands() {
        collect(sub, into);
    }
}

/// What this machine is called by rustc.
fn host() -> String {
    let output = std::process::Command::new("rustc")
        .arg("-vV")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let host = said.lines().find_map(|l| l.strip_prefix("host: "));
    host.unwrap_or_else(|| panic!("no host in {said}"))
        .to_owned()
}

/// Every package of the tree has a licence that deny.toml allows.
///
/// Of the tree on this machine: a fresh one has fetched no package of another system, and a test asks
/// no network for it. `cargo deny check` looks at all of them, and for licences that nobody needs.
#[test]
fn licences_of_the_tree_are_allowed() {
    let deny = read("deny.toml");
    let list = deny
        .split("allow = [")
        .nth(1)
        .unwrap()
        .split(']')
        .next()
        .unwrap();
    let allowed: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked"])
        .args(["--filter-platform", &host()])
        .current_dir(repository(""))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let tree: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = tree["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{}", packages.len());
    for package in packages {
        let Some(licence) = package["license"].as_str() else {
            panic!("{} has no licence", package["name"]);
        };
        // `A AND (B OR C)` is read as alternatives of parts: enough for what is in the tree.
        let licence = licence.replace(['(', ')'], "").replace('/', " OR ");
        let mut alternatives = licence
            .split(" OR ")
            .map(|a| a.split(" AND ").collect::<Vec<_>>());
        let all: Vec<_> = alternatives.by_ref().collect();
        let good: Vec<_> = all
            .iter()
            .filter(|a| a.iter().all(|l| allowed.contains(l)))
            .collect();
        assert!(!good.is_empty(), "{}: {licence}", package["name"]);
    }
}

/// The Role in the README is the one in the examples, which the end-to-end tests run with.
#[test]
fn the_role_is_the_tested_one() {
    let role = read("examples/role.yaml");
    let from = role.find("apiVersion:").unwrap();
    assert!(
        read("README.md").contains(role[from..].trim_end()),
        "README.md has another Role"
    );
}
