//! `validate` and `render`: sources, forms, codes.

use std::process::Stdio;

use crate::place::{Place, repository};

const GOOD: &str = "\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: good}
spec:
  replicatedJobs:
  - name: worker
    replicas: 2
    template:
      spec:
        completions: 2
        parallelism: 2
        template:
          spec: {containers: [{name: main, image: busybox}]}
";

/// Two findings: a field that doesn't exist, a rule that doesn't.
const BAD: &str = "\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: bad}
spec:
  failurePolicy:
    rules: [{action: RestartEverything}]
  replicatedJobs:
  - name: worker
    replicaz: 2
    template: {spec: {template: {spec: {containers: [{name: main, image: busybox}]}}}}
";

#[test]
fn a_good_file_is_named_and_code_0() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    assert_eq!(
        place.run("validate good.yaml").good(),
        "good.yaml: jobset/good is valid\n"
    );
    assert_eq!(
        place.run("validate -f good.yaml").good(),
        "good.yaml: jobset/good is valid\n"
    );
}

/// `-o yaml` is the JobSet as it would be made; it is taken back.
#[test]
fn a_client_dry_run_prints_the_jobset_as_yaml() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    let printed = place
        .run("run good.yaml --dry-run=client -n ml -o yaml")
        .good();
    for line in ["kind: JobSet\n", "  name: good\n", "  namespace: ml\n"] {
        assert!(printed.contains(line), "{printed}");
    }
    place.write("printed.yaml", &printed);
    assert_eq!(
        place.run("validate printed.yaml").good(),
        "printed.yaml: jobset/good is valid\n"
    );
}

#[test]
fn all_findings_come_at_once_with_their_places_and_code_3() {
    let place = Place::new();
    place.write("bad.yaml", BAD);
    let done = place.run("validate bad.yaml");
    assert_eq!((done.code, done.err.as_str()), (3, ""), "{done}");
    for part in [
        "bad.yaml:6:",
        "RestartEverything",
        "bad.yaml:9:",
        "replicaz",
        "replicas",
        "2 errors, 0 warnings",
    ] {
        assert!(done.out.contains(part), "{part}: {done}");
    }
}

#[test]
fn standard_input_and_several_files() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    place.write("bad.yaml", BAD);
    assert_eq!(
        place.run_with_input("validate -", GOOD).good(),
        "<stdin>: jobset/good is valid\n"
    );
    let done = place.run_with_input("validate good.yaml bad.yaml -", GOOD);
    assert_eq!(done.code, 3);
    assert!(
        done.out.starts_with("good.yaml: jobset/good is valid\n"),
        "{done}"
    );
    assert!(
        done.out
            .ends_with("<stdin>: jobset/good is valid\n2 of 3 files are valid\n"),
        "{done}"
    );
}

#[test]
fn findings_as_json() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    place.write("bad.yaml", BAD);
    let done = place.run("validate good.yaml bad.yaml -o json");
    assert_eq!(done.code, 3);
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(json["schema"], "jobset.findings/v1");
    assert_eq!(json["valid"], false);
    assert_eq!(json["files"][0]["jobset"], "good");
    assert_eq!(json["files"][0]["valid"], true);
    assert_eq!(json["files"][1]["errors"], 2);
    let lines: Vec<_> = json["files"][1]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["places"][0]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [6, 9]);
}

#[test]
fn json_manifests_are_manifests() {
    let place = Place::new();
    let json = r#"{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "j"},
        "spec": {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": {"spec":
        {"containers": [{"name": "c", "image": "busybox"}]}}}}}]}}"#;
    place.write("j.json", json);
    assert_eq!(
        place.run("validate j.json").good(),
        "j.json: jobset/j is valid\n"
    );
}

#[test]
fn files_that_cannot_be_read_are_code_1() {
    let place = Place::new();
    let said = place.run("validate missing.yaml").bad(1);
    assert!(
        said.starts_with("error: missing.yaml can't be read\n  caused by: "),
        "{said}"
    );
    assert_eq!(
        place.run("render .").bad(1),
        "error: . is a directory, name the files in it\n"
    );
}

#[test]
fn every_example_is_valid() {
    let place = Place::new();
    let mut seen = 0;
    for entry in std::fs::read_dir(repository("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "yaml") || path.ends_with("role.yaml") {
            continue;
        }
        seen += 1;
        let output = place
            .command(["validate".as_ref(), path.as_os_str()])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}");
        assert_eq!(said.lines().count(), 1, "no warnings either: {said}");
    }
    assert!(seen >= 8, "{seen} examples");
}

/// What kubectl apply would be given: Service, then Jobs in order, and it reads back.
#[test]
fn render_prints_the_objects_in_order() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    let yaml = place.run("render good.yaml -n ml").good();
    let documents: Vec<serde_json::Value> = yaml
        .split("---\n")
        .map(|document| serde_saphyr::from_str(document).unwrap())
        .collect();
    let names = |items: &[serde_json::Value]| -> Vec<String> {
        items
            .iter()
            .map(|d| {
                assert_eq!(d["metadata"]["namespace"], "ml");
                format!(
                    "{}/{}",
                    d["kind"].as_str().unwrap(),
                    d["metadata"]["name"].as_str().unwrap()
                )
            })
            .collect()
    };
    let expected = ["Service/good", "Job/good-worker-0", "Job/good-worker-1"];
    assert_eq!(names(&documents), expected);

    let list: serde_json::Value =
        serde_json::from_str(&place.run("render good.yaml -n ml -o json").good()).unwrap();
    assert_eq!(list["kind"], "List");
    assert_eq!(names(list["items"].as_array().unwrap()), expected);
    assert_eq!(list["items"], serde_json::Value::Array(documents));
}

#[test]
fn render_refuses_what_validate_refuses() {
    let place = Place::new();
    place.write("bad.yaml", BAD);
    let said = place.run("render bad.yaml").bad(3);
    assert!(said.contains("2 errors, 0 warnings"), "{said}");
    assert!(
        said.ends_with("error: bad.yaml refused, nothing was made\n"),
        "{said}"
    );
}

#[test]
fn unknown_fields_of_a_pod_are_passed_on_when_asked() {
    let place = Place::new();
    place.write(
        "new.yaml",
        &GOOD.replace("image: busybox", "image: busybox, brandNew: 1"),
    );
    assert_eq!(place.run("render new.yaml").code, 3);
    let done = place.run("render new.yaml --validate=warn");
    assert_eq!(done.code, 0, "{done}");
    assert!(done.out.contains("brandNew: 1"), "{done}");
    assert!(done.err.contains("brandNew"), "{done}");
    // kubectl's synonym.
    assert!(
        place
            .run("render new.yaml --validate=false")
            .good()
            .contains("brandNew: 1")
    );
}

/// C.7: a reader that goes away is no error.
#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = place
        .command(["render", "good.yaml"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

/// A disk that is full has not got the data.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = place
        .command(["render", "good.yaml"])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("stdout can't be written")
    );
}

#[test]
fn a_file_that_cannot_be_read_hides_no_finding_of_another() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    place.write("bad.yaml", BAD);
    let done = place.run("validate no.yaml bad.yaml . good.yaml");
    assert_eq!(done.code, 1, "{done}");
    for part in [
        "RestartEverything",
        "good.yaml: jobset/good is valid",
        "1 of 4 files",
    ] {
        assert!(done.out.contains(part), "{part}: {done}");
    }
    for part in ["error: no.yaml can't be read", "error: . is a directory"] {
        assert!(done.err.contains(part), "{part}: {done}");
    }
    let done = place.run("validate -o json no.yaml good.yaml");
    assert_eq!(done.code, 1, "{done}");
    assert!(done.out.contains("\"valid\": false"), "{done}");
}

const CONTEXTS: &str = "\
apiVersion: v1
kind: Config
current-context: here
contexts:
- {name: here, context: {cluster: c, user: u, namespace: team-a}}
- {name: there, context: {cluster: c, user: u, namespace: team-b}}
- {name: plain, context: {cluster: c, user: u}}
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {token: t}}]
";

/// What is rendered goes where `kubectl apply` would put it.
#[test]
fn objects_are_for_the_namespace_that_kubectl_would_take() {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    place.write(
        "named.yaml",
        &GOOD.replace("name: good", "name: good, namespace: own"),
    );
    let namespace = |line: &str| {
        let out = place.run(line).good();
        let at = out
            .lines()
            .find_map(|l| l.trim().strip_prefix("namespace: "));
        at.unwrap().to_owned()
    };
    assert_eq!(namespace("render good.yaml"), "default");
    place.write(".kube/config", CONTEXTS);
    for verb in ["render", "run --dry-run=client -o yaml"] {
        for (rest, expected) in [
            ("good.yaml", "team-a"),
            ("good.yaml --context there", "team-b"),
            ("good.yaml --context plain", "default"),
            ("good.yaml -n asked", "asked"),
            ("named.yaml", "own"),
        ] {
            assert_eq!(
                namespace(&format!("{verb} {rest}")),
                expected,
                "{verb} {rest}"
            );
        }
    }
    let err = place.run("render good.yaml --context nowhere").bad(1);
    assert!(
        err.contains("context nowhere is not in the kubeconfig"),
        "{err}"
    );
    // Where it isn't needed it may be as broken as it likes.
    place.write(".kube/config", "{");
    assert_eq!(namespace("render named.yaml"), "own");
    assert_eq!(namespace("render good.yaml -n asked"), "asked");
    place.run("validate good.yaml").good();
}

#[test]
fn of_a_set_too_large_for_memory_the_first_objects_can_be_read() {
    use std::io::{BufRead as _, BufReader};
    for (form, lines) in [("yaml", 5_000), ("json", 5_000)] {
        let place = Place::new();
        place.write(
            "huge.yaml",
            &GOOD
                .replace("replicas: 2", "replicas: 1000000000")
                .replace("parallelism: 2", "parallelism: 1"),
        );
        let mut child = place
            .command(["render", "huge.yaml", "-o", form])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let read = BufReader::new(child.stdout.take().unwrap());
        assert_eq!(read.lines().take(lines).count(), lines);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{form}");
    }
}
