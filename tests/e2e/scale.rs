//! 500 Jobs: created, restarted, deleted.

use crate::support::{Namespace, Role, cluster_dir, manifest};

#[test]
#[ignore = "needs a control plane (tests/cluster/up)"]
fn five_hundred_jobs() {
    let ns = Namespace::new("scale");
    let roles = [
        Role {
            name: "leader",
            annotations: &[
                ("run-for", "20"),
                ("exit-code", "1"),
                ("fail-attempts", "0"),
            ],
            ..Role::default()
        },
        Role {
            replicas: 499,
            annotations: &[("run-for", "30")],
            ..Role::default()
        },
    ];
    let file = ns.file(
        "s.yaml",
        &manifest("s", "  failurePolicy: {maxRestarts: 1}\n", &roles),
    );
    let _ = ns.jobset(&["run", &file]).expect(0);
    let jobs = ns.items("jobs", "jobset.sigs.k8s.io/restart-attempt=1");
    assert_eq!(jobs.len(), 500);
    // Nothing was created over a Job that still stood (upstream gets 409 in bulk).
    let audit = std::fs::read_to_string(cluster_dir().join("audit.log")).unwrap();
    let refused = audit
        .lines()
        .filter(|l| l.contains(&ns.name) && l.contains(r#""user":{"username":"jobset-user""#))
        .filter(|l| l.contains(r#""verb":"create""#) && l.contains(r#""resource":"jobs""#))
        .filter(|l| l.contains(r#""code":409"#))
        .count();
    assert_eq!(refused, 0);
    let _ = ns.jobset(&["delete", "s", "-y"]).expect(0);
    assert!(ns.items("pods", "").is_empty());
}
