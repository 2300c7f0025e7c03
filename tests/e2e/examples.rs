//! Every file of `examples/` runs to its end.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Namespace, real_node};

/// Examples, and the exit code each ends with on a real node (0 but for the ones that show a failure).
fn examples() -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".yaml") && n != "role.yaml")
        .collect();
    names.sort();
    names
}

/// Fake kubelets: pods run two seconds and succeed. Real node: the real commands, with the image
/// that the cluster has.
fn adapt(text: &str) -> String {
    if real_node() {
        return text
            .lines()
            .map(|line| match line.split_once("image:") {
                Some((before, _)) => {
                    let pad = " ".repeat(before.len());
                    let key_start = if before.trim_start().starts_with('-') {
                        " ".repeat(before.find('-').unwrap() + 2)
                    } else {
                        pad
                    };
                    format!(
                        "{before}image: test.local/busybox:1\n{key_start}imagePullPolicy: Never"
                    )
                }
                None => line.to_owned(),
            })
            .collect::<Vec<_>>()
            .join("\n");
    }
    let mut value: serde_json::Value = serde_saphyr::from_str(text).unwrap();
    for role in value["spec"]["replicatedJobs"].as_array_mut().unwrap() {
        role["template"]["spec"]["template"]["metadata"]["annotations"]["kubectl-jobset.test/run-for"] =
            "2".into();
    }
    value.to_string()
}

#[test]
fn every_example_runs() {
    let all = examples();
    assert!(all.len() >= 8, "{all:?}");
    let ns = Namespace::new("examples");
    // A few at a time: they mostly wait.
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(name) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                        .join("examples")
                        .join(name);
                    let text = std::fs::read_to_string(path).unwrap();
                    let file = ns.file(name, &adapt(&text));
                    let out = ns.jobset(&["run", &file]);
                    assert_eq!(out.code(), 0, "{name}\n{}", out.stderr);
                }
            });
        }
    });
}
