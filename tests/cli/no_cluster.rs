//! Verbs that need a cluster, where there is none.

use std::net::TcpListener;

use crate::place::Place;

const VERBS: [&str; 9] = [
    "run job.yaml",
    "attach x",
    "status",
    "status x",
    "logs x",
    "suspend x",
    "resume x",
    "stop x",
    "delete x -y",
];

const JOBSET: &str = "\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: x}
spec:
  replicatedJobs:
  - name: w
    template: {spec: {template: {spec: {containers: [{name: c, image: busybox}]}}}}
";

/// C.6: say which files were looked at.
#[test]
fn no_kubeconfig_is_said_with_the_files_looked_at() {
    let place = Place::new();
    place.write("job.yaml", JOBSET);
    for verb in VERBS {
        let done = place.run(verb);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{verb}: {done}");
        assert!(done.err.contains("[HERE]/.kube/config"), "{verb}: {done}");
    }
    let place = place.env("KUBECONFIG", "/nowhere/a:/nowhere/b");
    let said = place.run("status").bad(1);
    assert!(
        said.contains("/nowhere/a") && said.contains("/nowhere/b"),
        "{said}"
    );
}

/// Code 7: the workload's state is unknown, nothing is said about it.
#[test]
fn nobody_at_the_address_is_code_7() {
    let place = Place::new();
    place.write("job.yaml", JOBSET);
    // A port that was free a moment ago, and that nobody listens on.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for verb in VERBS {
        let done = place.run(&format!(
            "{verb} --server http://127.0.0.1:{port} --request-timeout 2s"
        ));
        assert_eq!((done.code, done.out.as_str()), (7, ""), "{verb}: {done}");
        assert!(
            done.err.contains(&format!("127.0.0.1:{port}")),
            "{verb}: {done}"
        );
    }
}

#[test]
fn a_manifest_is_refused_before_anybody_is_asked() {
    let place = Place::new();
    place.write("job.yaml", &JOBSET.replace("name: x", "name: X_X"));
    let done = place.run("run job.yaml");
    assert_eq!(done.code, 3, "{done}");
}

#[test]
fn contexts_that_are_not_there_are_named() {
    let place = Place::new();
    place.write(
        ".kube/config",
        "apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]\n\
         contexts: [{name: home, context: {cluster: a}}]\ncurrent-context: home\n",
    );
    let done = place.run("status --context hame");
    assert_eq!(done.code, 1, "{done}");
    assert!(
        done.err.contains("hame") && done.err.contains("home"),
        "{done}"
    );
}
