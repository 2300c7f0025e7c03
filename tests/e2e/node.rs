//! Real containers: exit codes, signals, OOM kills, logs of two attempts, grace periods, probes and
//! names. Only on a real node: elsewhere `--skip node::`.

use crate::support::Namespace;

/// A role with real commands.
fn role(name: &str, replicas: u32, pods: u32, script: &str, extra: &str) -> String {
    let script = script.replace('\n', "\n                ");
    format!(
        "  - name: {name}\n    replicas: {replicas}\n    template:\n      spec:\n        backoffLimit: 0\n\
         \x20       parallelism: {pods}\n        completions: {pods}\n        template:\n          spec:\n\
         \x20           restartPolicy: Never\n            terminationGracePeriodSeconds: 5\n\
         \x20           containers:\n            - name: main\n              image: test.local/busybox:1\n\
         \x20             imagePullPolicy: Never\n              command: [sh, -c]\n              args:\n\
         \x20             - |\n                {script}\n{extra}"
    )
}

fn jobset(name: &str, spec: &str, roles: &[String]) -> String {
    format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: {name}}}\nspec:\n{spec}  replicatedJobs:\n{}",
        roles.concat()
    )
}

/// The root cause is the first failure, with its exit code and its last words, not the pods that fell
/// because of it.
#[test]
#[ignore = "needs a real node (tests/cluster/up --node real)"]
fn first_failure_is_named() {
    let ns = Namespace::new("first");
    let leader = role("leader", 1, 1, "sleep 3; echo about to fail; exit 42", "");
    let worker = role("worker", 2, 1, "sleep 300", "");
    let file = ns.file("f.yaml", &jobset("f", "", &[leader, worker]));
    let out = ns.jobset(&["run", &file]).expect(10);
    for part in [
        "leader/0/0",
        "exit code 42",
        "about to fail",
        "f-leader-0",
        "node1",
    ] {
        assert!(
            out.stderr.contains(part),
            "`{part}` is not in\n{}",
            out.stderr
        );
    }
}

#[test]
#[ignore = "needs a real node (tests/cluster/up --node real)"]
fn an_oom_kill_is_called_that() {
    let ns = Namespace::new("oom");
    let limit = "              resources: {limits: {memory: 32Mi}}\n";
    let hog = role("hog", 1, 1, "exec tail /dev/zero", limit);
    let file = ns.file("o.yaml", &jobset("o", "", &[hog]));
    let out = ns.jobset(&["run", &file]).expect(10);
    assert!(out.stderr.contains("OOMKilled"), "{}", out.stderr);
    assert!(out.stderr.contains("32Mi"), "{}", out.stderr);
}

#[test]
#[ignore = "needs a real node (tests/cluster/up --node real)"]
fn a_signal_is_named() {
    let ns = Namespace::new("signal");
    let file = ns.file(
        "s.yaml",
        &jobset(
            "s",
            "",
            &[role("w", 1, 1, "sh -c 'kill -SEGV $$$$'; exit $?", "")],
        ),
    );
    let out = ns.jobset(&["run", &file]).expect(10);
    assert!(out.stderr.contains("139"), "{}", out.stderr);
    assert!(out.stderr.contains("SIGSEGV"), "{}", out.stderr);
}

/// Logs of both attempts: the kept lines of the first, the live log of the second.
#[test]
#[ignore = "needs a real node (tests/cluster/up --node real)"]
fn logs_of_two_attempts() {
    let ns = Namespace::new("logs");
    let env = "              env:\n              - {name: ATTEMPT, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['jobset.sigs.k8s.io/restart-attempt']\"}}}\n";
    let script =
        "for i in $(seq 30); do echo attempt $ATTEMPT line $i; done\nsleep 2\n[ $ATTEMPT = 1 ]";
    let spec = "  failurePolicy: {maxRestarts: 1}\n";
    let file = ns.file(
        "l.yaml",
        &jobset("l", spec, &[role("w", 1, 1, script, env)]),
    );
    let out = ns.jobset(&["run", &file, "--logs", "all"]).expect(0);
    assert_eq!(
        out.stdout.matches("attempt 0 line ").count(),
        30,
        "{}",
        out.stdout
    );
    assert_eq!(
        out.stdout.matches("attempt 1 line ").count(),
        30,
        "{}",
        out.stdout
    );
    let kept = ns
        .jobset(&["logs", "l", "--attempt", "0", "--failed"])
        .expect(0);
    assert_eq!(
        kept.stdout.matches("attempt 0 line ").count(),
        20,
        "{}",
        kept.stdout
    );
    assert!(kept.stdout.contains("attempt 0 line 30"), "{}", kept.stdout);
    let live = ns.jobset(&["logs", "l", "--role", "w"]).expect(0);
    assert_eq!(
        live.stdout.matches("attempt 1 line ").count(),
        30,
        "{}",
        live.stdout
    );
    let tail = ns.jobset(&["logs", "l", "w/0/0", "--tail", "2"]).expect(0);
    assert_eq!(tail.stdout.lines().count(), 2, "{}", tail.stdout);
}

/// A role that waits for another role's readiness probe, and peers that find each other by name
/// while they start: each is ready only after it has spoken with all of them.
#[test]
#[ignore = "needs a real node (tests/cluster/up --node real)"]
fn names_and_probes() {
    let ns = Namespace::new("names");
    let probe =
        "              readinessProbe: {exec: {command: [cat, /tmp/ok]}, periodSeconds: 1}\n";
    let serve = "sleep 2; echo ok at $(date +%s); touch /tmp/ok; sleep 8";
    let ask = "echo begun at $(date +%s)\nmkdir /tmp/w; echo I am $(hostname) > /tmp/w/index.html\nhttpd -p 8080 -h /tmp/w\n\
               for peer in 0-0 0-1 1-0 1-1; do until wget -q -O- http://names-peer-$peer.names:8080/; do sleep 0.3; done; done\n\
               touch /tmp/ok; sleep 6";
    let server = role("server", 1, 1, serve, probe);
    let peer = role("peer", 2, 2, ask, probe).replacen(
        "    template:\n",
        "    dependsOn: [{name: server, status: Ready}]\n    template:\n",
        1,
    );
    let file = ns.file("names.yaml", &jobset("names", "", &[server, peer]));
    let out = ns.jobset(&["run", &file, "--logs", "all"]).expect(0);
    for peer in ["0-0", "0-1", "1-0", "1-1"] {
        let greeting = format!("I am names-peer-{peer}");
        assert_eq!(out.stdout.matches(&greeting).count(), 4, "{}", out.stdout);
    }
    let times = |what: &str| -> Vec<u64> {
        let lines = out.stdout.lines().filter_map(|l| l.split_once(what));
        lines.map(|(_, at)| at.trim().parse().unwrap()).collect()
    };
    let (ok, begun) = (times("ok at "), times("begun at "));
    assert_eq!((ok.len(), begun.len()), (1, 4), "{}", out.stdout);
    assert!(begun.iter().all(|at| *at >= ok[0]), "{ok:?} {begun:?}");
    assert!(out.stderr.contains("peer: ready 2/2"), "{}", out.stderr);
}

/// Termination grace: a stop gives the containers their time, and their last words are in the log.
#[test]
#[ignore = "needs a real node (tests/cluster/up --node real)"]
fn a_stop_is_graceful() {
    let ns = Namespace::new("grace");
    let script = "trap 'echo goodbye; exit 0' TERM\necho up\nwhile true; do sleep 0.2; done";
    let file = ns.file("g.yaml", &jobset("g", "", &[role("w", 1, 1, script, "")]));
    let mut run = ns.spawn(&["run", &file, "--logs", "all"]);
    run.wait_for("up");
    let _ = ns.jobset(&["stop", "g"]).expect(0);
    let out = run.wait().expect(13);
    assert!(
        out.stdout.contains("goodbye") || out.stderr.contains("goodbye"),
        "{out:?}"
    );
}
