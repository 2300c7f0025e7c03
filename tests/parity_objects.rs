//! Static parity: every recording of the upstream controller (`tests/parity`) against what is loaded and built
//! here. Refused files are refused for the same reason, admitted ones get the same defaults, and the
//! Jobs and the Service are the recorded ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kubectl_jobset::api::JobSet;
use kubectl_jobset::api::names;
use kubectl_jobset::engine::build::{Identity, JobBuilder, OwnerRef, service};
use kubectl_jobset::manifest::{LoadOptions, Loaded, Source, load};
use serde_json::{Value, json};

/// Refused upstream: the codes by which we refuse the file.
const REFUSED: &[(&str, &[&str])] = &[
    ("invalid-coordinator-job-index", &["coordinator-job-index"]),
    ("invalid-coordinator-label", &["coordinator-length"]),
    (
        "invalid-coordinator-no-completions",
        &["coordinator-no-completions"],
    ),
    ("invalid-coordinator-pod-index", &["coordinator-pod-index"]),
    ("invalid-coordinator-role", &["coordinator-role"]),
    ("invalid-depends-on-first", &["depends-on-first"]),
    ("invalid-depends-on-later", &["depends-on-later"]),
    ("invalid-depends-on-six", &["depends-on-too-many"]),
    ("invalid-depends-on-status", &["unknown-value"]),
    ("invalid-depends-on-with-in-order", &["depends-on-in-order"]),
    ("invalid-failure-action", &["unknown-value"]),
    ("invalid-failure-reason", &["rule-reason"]),
    ("invalid-failure-rule-name", &["rule-name"]),
    ("invalid-failure-rule-name-long", &["rule-name"]),
    ("invalid-failure-rule-names-equal", &["rule-name-twice"]),
    ("invalid-failure-target", &["rule-target"]),
    ("invalid-group-name", &["group-name"]),
    ("invalid-group-name-long", &["group-name"]),
    ("invalid-job-name-format", &["role-name"]),
    ("invalid-job-name-long", &["job-name-length"]),
    ("invalid-managed-by-long", &["managed-by"]),
    ("invalid-managed-by-no-slash", &["managed-by"]),
    ("invalid-pod-name-long", &["pod-name-length"]),
    ("invalid-replicas-negative", &["replicas-negative"]),
    ("invalid-replicas-times-parallelism", &["too-many-pods"]),
    (
        "invalid-restart-job-many-replicas",
        &["restart-job-replicas"],
    ),
    ("invalid-restart-strategy", &["unknown-value"]),
    ("invalid-role-names-equal", &["role-name-twice"]),
    (
        "invalid-several-at-once",
        &[
            "depends-on-first",
            "group-name",
            "managed-by",
            "subdomain",
            "success-target",
        ],
    ),
    ("invalid-startup-order", &["unknown-value"]),
    ("invalid-subdomain-dotted", &["subdomain"]),
    ("invalid-subdomain-long", &["subdomain"]),
    ("invalid-subdomain-uppercase", &["subdomain"]),
    ("invalid-success-operator", &["unknown-value"]),
    ("invalid-success-target", &["success-target"]),
    ("invalid-ttl-negative", &["not-supported", "ttl-negative"]),
    // Not in this release, whatever is wrong with them.
    ("invalid-claim-name-format", &["not-supported"]),
    ("invalid-claim-name-long", &["not-supported"]),
    ("invalid-claim-names-equal", &["not-supported"]),
    ("invalid-claim-namespace", &["not-supported"]),
    ("invalid-claim-not-mounted", &["not-supported"]),
    ("invalid-claim-retention", &["not-supported"]),
    ("invalid-claim-volume-conflict", &["not-supported"]),
    ("invalid-claims-too-many", &["not-supported"]),
    ("invalid-in-place-gate-off", &["not-supported"]),
    // Admitted upstream, and then nothing ever happens.
    ("depends-on-itself-admitted", &["depends-on-itself"]),
    ("managed-by-other", &["managed-by-other"]),
    ("success-empty-jobset", &["nothing-to-run"]),
    // Admitted upstream; the rule is then skipped in silence (spec 13).
    ("failure-invalid-pattern-skipped", &["rule-pattern"]),
    // Not in this release.
    ("exclusive-node-selector", &["not-supported"]),
    ("exclusive-topology", &["not-supported"]),
    ("exclusive-topology-one-role", &["not-supported"]),
    ("ttl", &["not-supported"]),
    ("ttl-zero", &["not-supported"]),
    ("volume-claims", &["not-supported"]),
];

/// Refused upstream, accepted here: there are no feature gates on a client (spec 13).
const ACCEPTED: &[&str] = &["invalid-restart-job-gate-off"];

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity/cases");
    let mut cases: Vec<_> = std::fs::read_dir(root)
        .expect("recordings are there")
        .map(|e| e.expect("readable").path())
        .collect();
    cases.sort();
    assert!(cases.len() > 100, "{} recordings", cases.len());
    cases
}

fn name(case: &Path) -> &str {
    case.file_name().and_then(|n| n.to_str()).expect("a name")
}

fn open(case: &Path) -> Loaded {
    let path = case.join("jobset.yaml");
    let bytes = std::fs::read(&path).expect("a manifest");
    let options = LoadOptions {
        namespace: Some("parity".to_owned()),
        ..LoadOptions::default()
    };
    load(&[Source::new("jobset.yaml", bytes)], &options)
}

fn codes(loaded: &Loaded) -> Vec<&str> {
    let mut codes: Vec<_> = loaded
        .findings
        .iter()
        .filter(|f| f.is_error())
        .map(|f| f.code)
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn documents(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("readable");
    serde_saphyr::from_multiple(&text).expect("YAML")
}

fn admitted() -> Vec<(String, PathBuf, JobSet)> {
    cases()
        .into_iter()
        .filter(|c| c.join("expect/admitted.yaml").exists())
        .filter(|c| !REFUSED.iter().any(|(n, _)| *n == name(c)))
        .map(|c| {
            let loaded = open(&c);
            let jobset = loaded
                .jobset
                .unwrap_or_else(|| panic!("{}: {:#?}", name(&c), loaded.findings));
            (name(&c).to_owned(), c, jobset)
        })
        .collect()
}

#[test]
fn refused_for_the_same_reason() {
    let refused: BTreeMap<_, _> = REFUSED.iter().copied().collect();
    let mut seen = 0;
    for case in cases() {
        let upstream_refused = case.join("expect/error.txt").exists();
        let expected = refused.get(name(&case));
        assert!(
            !upstream_refused || expected.is_some() || ACCEPTED.contains(&name(&case)),
            "{} is refused upstream but stands in neither list",
            name(&case)
        );
        let loaded = open(&case);
        match expected {
            Some(codes_expected) => {
                seen += 1;
                assert_eq!(&codes(&loaded), codes_expected, "{}", name(&case));
                assert!(loaded.jobset.is_none());
            }
            None => assert!(
                loaded.jobset.is_some(),
                "{}: {:#?}",
                name(&case),
                loaded.findings
            ),
        }
    }
    assert_eq!(seen, REFUSED.len(), "every case of the list exists");
}

/// Nulls and empty mappings say nothing, and the API leaves them out or not as its types have it.
fn bare(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(k, v)| (k.clone(), bare(v)))
                .filter(|(_, v)| !v.is_null() && *v != json!({}))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(bare).collect()),
        other => other.clone(),
    }
}

#[test]
fn the_same_defaults() {
    let mut compared = 0;
    for (name, case, jobset) in admitted() {
        let expected = &documents(&case.join("expect/admitted.yaml"))[0];
        let ours = serde_json::to_value(&jobset).expect("JSON");
        assert_eq!(bare(&ours["spec"]), bare(&expected["spec"]), "{name}");
        for key in ["name", "labels", "annotations"] {
            assert_eq!(
                ours["metadata"].get(key),
                expected["metadata"].get(key),
                "{name} {key}"
            );
        }
        compared += 1;
    }
    assert!(compared > 55, "{compared} compared");
}

fn owner() -> OwnerRef {
    OwnerRef {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: "run".to_owned(),
        uid: "<uid>".to_owned(),
    }
}

fn identity() -> Identity {
    Identity {
        run_uid: "<uid>".to_owned(),
        owner: owner(),
    }
}

/// What the API server fills into a Job that leaves it out.
fn server_defaults(job: &mut Value) {
    let Some(spec) = job["spec"].as_object_mut() else {
        return;
    };
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        spec.insert("completions".to_owned(), json!(1));
    }
    spec.entry("parallelism").or_insert(json!(1));
    let per_index = spec.contains_key("backoffLimitPerIndex");
    spec.entry("backoffLimit")
        .or_insert(json!(if per_index { i32::MAX } else { 6 }));
    let replace = if spec.contains_key("podFailurePolicy") {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    spec.entry("podReplacementPolicy").or_insert(json!(replace));
}

/// Where ours differ on purpose: the owner, and job-restart-attempt where upstream's gate was off.
fn as_upstream(ours: &mut Value, expected: &Value) {
    ours["metadata"]["ownerReferences"] = expected["metadata"]["ownerReferences"].clone();
    for at in ["/metadata", "/spec/template/metadata"] {
        for kind in ["labels", "annotations"] {
            let pointer = format!("{at}/{kind}");
            let recorded = expected
                .pointer(&pointer)
                .and_then(|m| m.get(names::JOB_RESTART_ATTEMPT));
            if let (None, Some(map)) = (
                recorded,
                ours.pointer_mut(&pointer).and_then(Value::as_object_mut),
            ) {
                let removed = map.remove(names::JOB_RESTART_ATTEMPT);
                assert_eq!(removed, Some(json!("0")), "ours always carries it");
            }
        }
    }
}

#[test]
fn the_same_jobs() {
    let mut compared = 0;
    for (name, case, jobset) in admitted() {
        let builder = JobBuilder::new(&jobset, "parity", Some(&identity()));
        for expected in documents(&case.join("expect/jobs.yaml")) {
            let label = |key: &str| {
                expected["metadata"]["labels"][key]
                    .as_str()
                    .expect("a label")
            };
            let (role, _) = jobset
                .role(label(names::REPLICATED_JOB_NAME))
                .expect("a role");
            let index = label(names::JOB_INDEX).parse().expect("a number");
            // When a Job was first made depends on the course of events; that is not looked at here.
            let restarts = label(names::RESTART_ATTEMPT).parse().expect("a number");
            let suspend = expected["spec"]["suspend"].as_bool().expect("a switch");
            let mut ours = builder
                .job(role, index, restarts, 0, suspend)
                .expect("a Job");
            as_upstream(&mut ours, &expected);
            server_defaults(&mut ours);
            assert_eq!(bare(&ours), bare(&expected), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 110, "{compared} Jobs compared");
}

#[test]
fn the_same_service_or_none() {
    let mut without = 0;
    for (name, case, jobset) in admitted() {
        let ours = service(&jobset, "parity", Some(&identity()));
        let path = case.join("expect/service.yaml");
        let Some(mut ours) = ours else {
            assert!(!path.exists(), "{name}");
            without += 1;
            continue;
        };
        let expected = &documents(&path)[0];
        ours["metadata"]["ownerReferences"] = expected["metadata"]["ownerReferences"].clone();
        // Ours can be found by labels; upstream's has none.
        ours["metadata"]
            .as_object_mut()
            .expect("metadata")
            .remove("labels");
        ours["spec"]["type"] = json!("ClusterIP");
        // The API leaves out false.
        let spec = ours["spec"].as_object_mut().expect("spec");
        spec.retain(|_, v| *v != json!(false));
        assert_eq!(&ours, expected, "{name}");
    }
    assert!(without > 0);
}
