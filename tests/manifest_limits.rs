//! What must hold for any input: nothing makes loading panic, and what is too large, too deep or expands too far
//! is refused without first being built.

use kubectl_jobset::manifest::report::{Style, render};
use kubectl_jobset::manifest::{
    LoadOptions, Loaded, MAX_DEPTH, MAX_SOURCE_BYTES, Source, defaults, load, to_yaml,
};
use proptest::prelude::*;
use serde_json::Value;

const GOOD: &str = include_str!("manifests/ok/generate-name.yaml");

fn open(bytes: impl Into<Vec<u8>>) -> Loaded {
    let loaded = load(&[Source::new("a.yaml", bytes)], &LoadOptions::default());
    // Everything said must be showable.
    let shown = render(&loaded.findings, &loaded.sources, Style::default());
    assert!(shown.ends_with("warnings\n") || shown.ends_with("warning\n"));
    for finding in &loaded.findings {
        assert_eq!(finding.to_json(&loaded.sources)["code"], finding.code);
    }
    assert_eq!(loaded.jobset.is_none(), loaded.errors() > 0, "{shown}");
    loaded
}

fn codes(loaded: &Loaded) -> Vec<&str> {
    loaded.findings.iter().map(|f| f.code).collect()
}

#[test]
fn ten_mebibytes_are_refused() {
    let large = "# ".repeat(5 * 1024 * 1024);
    assert_eq!(codes(&open(large)), ["too-large"]);
    // Of the largest file that is read, the number of values is bounded too.
    let many = "- a\n".repeat(MAX_SOURCE_BYTES / 4);
    assert_eq!(codes(&open(many)), ["too-large"]);
    let scalar = format!(
        "{GOOD}# {}\n",
        "x".repeat(MAX_SOURCE_BYTES - GOOD.len() - 10)
    );
    assert!(open(scalar).jobset.is_some());
}

#[test]
fn a_depth_of_a_thousand_is_refused() {
    for text in [
        "[".repeat(1000) + &"]".repeat(1000),
        "{a: ".repeat(1000) + "1" + &"}".repeat(1000),
        (0..1000).map(|n| " ".repeat(n) + "a:\n").collect(),
        "- ".repeat(1000) + "a\n",
        "[".repeat(100_000),
    ] {
        assert_eq!(codes(&open(text)), ["too-deep"]);
    }
    let deep = GOOD.replace(
        "image: busybox",
        &format!("image: busybox, x: {}", "[".repeat(MAX_DEPTH)),
    );
    assert_eq!(codes(&open(deep)), ["too-deep"]);
}

/// A thousand million strings in nine lines.
#[test]
fn alias_bombs_are_refused() {
    let mut lists = "x-0: &l0 [a, a, a, a, a, a, a, a, a, a]\n".to_owned();
    for n in 1..9 {
        let items = vec![format!("*l{}", n - 1); 10].join(", ");
        lists += &format!("x-{n}: &l{n} [{items}]\n");
    }
    let mut maps = "x-0: &m0 {a: 1}\n".to_owned();
    for n in 1..9 {
        let keys: Vec<_> = (0..10).map(|k| format!("k{k}: *m{}", n - 1)).collect();
        maps += &format!("x-{n}: &m{n} {{{}}}\n", keys.join(", "));
    }
    // Twenty thousand times the same large block: no nesting needed.
    let block: String = (0..1000).map(|n| format!("k{n}: v, ")).collect();
    let uses = "  - *b\n".repeat(20_000);
    let flat = format!("x-b: &b {{{block}}}\nx-u:\n{uses}");
    for bomb in [lists, maps, flat] {
        assert_eq!(codes(&open(bomb + GOOD)), ["alias-bomb"]);
    }
}

#[test]
fn an_alias_to_itself_is_refused() {
    for text in ["x-a: &a [*a]\n", "x-a: &a {b: *a}\n", "x-a: &a\n  <<: *a\n"] {
        let loaded = open(text.to_owned() + GOOD);
        assert_eq!(loaded.errors(), 1, "{:?}", loaded.findings);
    }
}

/// A template that many roles share is what aliases are for.
#[test]
fn two_hundred_roles_may_share_a_pod_spec() {
    let env: String = (0..50)
        .map(|n| format!("{{name: E{n}, value: v}}, "))
        .collect();
    let mut text = format!(
        "x-pod: &pod {{containers: [{{name: c, image: i, env: [{env}]}}]}}\napiVersion: jobset.x-k8s.io/v1alpha2\n\
         kind: JobSet\nmetadata: {{name: a}}\nspec:\n  replicatedJobs:\n"
    );
    for n in 0..200 {
        text += &format!("  - {{name: r{n}, template: {{spec: {{template: {{spec: *pod}}}}}}}}\n");
    }
    let loaded = open(text);
    let jobset = loaded
        .jobset
        .unwrap_or_else(|| panic!("{:?}", loaded.findings));
    assert_eq!(jobset.spec.replicated_jobs.len(), 200);
}

#[test]
fn what_is_not_text_is_refused() {
    assert_eq!(codes(&open([0xff, 0xfe, b'a', 0])), ["not-utf8"]);
    let mut bytes = GOOD.as_bytes().to_vec();
    bytes[100] = 0xc0;
    assert_eq!(codes(&open(bytes)), ["not-utf8"]);
    assert!(open("a: \u{0}\n").jobset.is_none());
}

/// Numbers at the edges must neither overflow nor wrap.
#[test]
fn extreme_numbers_are_survived() {
    for n in [
        "-9223372036854775808",
        "9223372036854775807",
        "2147483647",
        "-1",
        "0",
        "1e308",
        ".inf",
        ".nan",
    ] {
        for field in ["completions", "parallelism", "backoffLimit"] {
            let text = GOOD.replacen(
                "completions: 2, parallelism: 2",
                &format!("{field}: {n}"),
                1,
            );
            open(text);
        }
        open(GOOD.replace("replicas: 2", &format!("replicas: {n}")));
    }
}

/// Strings that some YAML reader takes for something else.
fn tricky() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "yes",
            "no",
            "on",
            "off",
            "y",
            "n",
            "True",
            "null",
            "~",
            "",
            "012",
            "0o17",
            "0x1F",
            "1e3",
            "1_000",
            "190:20:30",
            "2001-01-01",
            ".inf",
            ".nan",
            "-",
            "? a",
            "a: b",
            "a #b",
            "- a",
            "|",
            "> x",
            "&a",
            "*a",
            "!t",
            "%x",
            "@x",
            "`x",
            "{a",
            "[a",
            "'",
            "\"",
            " a",
            "a ",
            "\ta",
            "a\n",
            "\n",
            "a\n\nb\n",
            "  a\nb",
            "=",
            "<<",
            "---",
            "...",
            "\u{feff}a",
            "\u{85}",
            "\u{2028}",
            "\u{0}",
            "\u{7f}",
            "é",
            "😀",
            "a\r\nb",
        ])
        .prop_map(str::to_owned),
        ".{0,20}",
        "[ -~\n]{0,60}",
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        tricky().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(tricky(), inner, 0..5)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

/// Replaces, removes or repeats pieces of a good manifest.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<prop::sample::Index>(), 0..20usize, tricky());
    proptest::collection::vec(edit, 1..6).prop_map(|edits| {
        let mut bytes = GOOD.as_bytes().to_vec();
        for (at, length, new) in edits {
            let from = at.index(bytes.len());
            let to = (from + length).min(bytes.len());
            bytes.splice(from..to, new.into_bytes());
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        open(bytes);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[a-c0-9:{}\\[\\],&*!|>'\"%#?<\\- \n\t]{0,120}") {
        open(text);
    }

    #[test]
    fn no_change_of_a_good_manifest_makes_it_panic(bytes in mutated()) {
        open(bytes);
    }

    /// Any JSON in the place of a role's template, or of the whole spec.
    #[test]
    fn no_value_makes_it_panic(value in json()) {
        let text = serde_json::json!({
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "a"},
            "spec": {"replicatedJobs": [{"name": "w", "template": {"metadata": value, "spec": {"template": value}}}],
                     "network": value, "failurePolicy": {"rules": value}},
        });
        open(text.to_string());
        let text = serde_json::json!({
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": value, "spec": value,
        });
        open(text.to_string());
    }

    #[test]
    fn defaulting_twice_changes_nothing(bytes in mutated()) {
        if let Some(jobset) = open(bytes).jobset {
            let mut again = jobset.clone();
            defaults(&mut again);
            prop_assert_eq!(again, jobset);
        }
    }

    /// What is written as YAML is read as the same value.
    #[test]
    fn yaml_comes_back_as_it_was(value in json()) {
        let yaml = to_yaml(&value);
        let options = serde_saphyr::options! { legacy_octal_numbers: true };
        let again: Value = serde_saphyr::from_str_with_options(&yaml, options)
            .map_err(|e| TestCaseError::fail(format!("{e}\n{yaml}")))?;
        prop_assert_eq!(again, value, "{}", yaml);
    }
}
