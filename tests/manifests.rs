//! Every manifest under `tests/manifests` is loaded and what is said about it compared with the `.out`
//! file beside it: `ok` ones are accepted (perhaps with warnings), `bad` ones refused. `BLESS=1` writes the
//! `.out` files anew; read the difference before you keep it.
//!
//! Comment lines in a manifest steer its test: `# load: validate=warn namespace=x name=y suffix=abcde` sets
//! options, `# show: objects` adds the rendered objects.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kubectl_jobset::engine::build::render_objects;
use kubectl_jobset::manifest::report::{Style, render};
use kubectl_jobset::manifest::{CODES, LoadOptions, Loaded, Source, Validate, load, to_yaml};

/// Codes that no short text can show; `tests/manifest_limits.rs` does.
const SHOWN_ELSEWHERE: &[&str] = &["alias-bomb", "not-utf8", "too-deep", "too-large"];

fn manifests(kind: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/manifests")
        .join(kind);
    let mut files: Vec<_> = std::fs::read_dir(root)
        .expect("manifests are there")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "yaml"))
        .collect();
    files.sort();
    assert!(files.len() > 15, "{} manifests", files.len());
    files
}

fn steering<'t>(text: &'t str, word: &str) -> impl Iterator<Item = &'t str> {
    let prefix = format!("# {word}: ");
    text.lines()
        .filter_map(move |l| {
            l.strip_prefix(prefix.as_str())
                .map(str::to_owned)
                .map(|_| l)
        })
        .flat_map(|l| l.split_whitespace().skip(2))
}

fn open(path: &Path) -> (String, Loaded) {
    let bytes = std::fs::read(path).expect("readable");
    let text = String::from_utf8(bytes.clone()).expect("text");
    let mut options = LoadOptions::default();
    for option in steering(&text, "load") {
        let (key, value) = option.split_once('=').expect("key=value");
        let value = Some(value.to_owned());
        match key {
            "validate" => {
                options.validate = match value.as_deref() {
                    Some("warn") => Validate::Warn,
                    Some("ignore") => Validate::Ignore,
                    other => panic!("validate={other:?}"),
                };
            }
            "namespace" => options.namespace = value,
            "name" => options.name_override = value,
            "suffix" => options.generate_suffix = value,
            other => panic!("unknown option {other}"),
        }
    }
    let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
    (text, load(&[Source::new(name, bytes)], &options))
}

fn shown(path: &Path) -> (String, Loaded) {
    let (text, loaded) = open(path);
    let mut out = render(&loaded.findings, &loaded.sources, Style::default());
    if steering(&text, "show").any(|w| w == "objects") {
        let jobset = loaded.jobset.as_ref().expect("accepted");
        let namespace = jobset.metadata.namespace.as_deref().unwrap_or("default");
        for object in render_objects(jobset, namespace) {
            out += "---\n";
            out += &to_yaml(&object);
        }
    }
    (out, loaded)
}

fn compare(kind: &str, accepted: bool) -> BTreeSet<&'static str> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the switch of this test, not of the tool"
    )]
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    let mut codes = BTreeSet::new();
    for path in manifests(kind) {
        let (ours, loaded) = shown(&path);
        codes.extend(loaded.findings.iter().map(|f| f.code));
        assert_eq!(
            loaded.jobset.is_some(),
            accepted,
            "{}\n{ours}",
            path.display()
        );
        let golden = path.with_extension("out");
        if bless {
            std::fs::write(&golden, &ours).expect("writable");
        } else if std::fs::read_to_string(&golden).ok().as_deref() != Some(&ours) {
            wrong.push(format!("{}:\n{ours}", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "not as in the .out file:\n{}",
        wrong.join("\n")
    );
    codes
}

#[test]
fn good_and_bad_manifests_get_what_they_deserve() {
    let mut codes = compare("ok", true);
    codes.extend(compare("bad", false));
    for (code, meaning) in CODES {
        assert!(
            codes.contains(code) || SHOWN_ELSEWHERE.contains(code),
            "no manifest shows {code} ({meaning})"
        );
    }
}

/// C35: the longest name that fits is printed, it does fit, and one character more doesn't.
#[test]
fn the_longest_name_that_fits_is_printed() {
    let indexed = |completions: u32| format!("completions: {completions}, parallelism: 1, ");
    let free = "completionMode: NonIndexed, ".to_owned();
    for (role, replicas, job, max) in [
        ("w", 1, indexed(1), 51),
        ("w", 1, indexed(11), 50),
        ("w", 1001, indexed(100_000), 44),
        ("w", 1, free.clone(), 59),
        ("w", 11, free, 58),
        ("worker", 10, indexed(10), 46),
        ("worker", 11, indexed(10), 45),
        // Neither count given: only the Job's name is looked at, as upstream does.
        ("w", 1, String::new(), 59),
    ] {
        let manifest = |metadata: &str| {
            format!(
                "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{{metadata}}}\nspec:\n  \
                 replicatedJobs:\n  - name: {role}\n    replicas: {replicas}\n    template: {{spec: {{{job}\
                 template: {{spec: {{containers: [{{name: c, image: i}}]}}}}}}}}\n"
            )
        };
        let try_it = |metadata: String| {
            load(
                &[Source::new("a.yaml", manifest(&metadata))],
                &LoadOptions::default(),
            )
        };
        for (field, max) in [("name", max), ("generateName", max - 5)] {
            let fits = try_it(format!("{field}: {}", "j".repeat(max)));
            assert!(
                fits.jobset.is_some(),
                "{role} {replicas} {job}: {:?}",
                fits.findings
            );
            let over = try_it(format!("{field}: {}", "j".repeat(max + 1)));
            let [finding] = over.findings.as_slice() else {
                panic!("{:?}", over.findings)
            };
            let help = finding.help.as_deref().unwrap_or_default();
            assert!(
                help.starts_with(&format!(
                    "metadata.{field} may have at most {max} characters"
                )),
                "{role} {replicas} {job}: {help}"
            );
        }
    }
}

/// C07 and C33 stand at the field that has to change, although it is absent.
#[test]
fn findings_have_the_path_of_the_field() {
    for (file, code, path) in [
        (
            "bad/pod-failure-policy.yaml",
            "pod-failure-policy",
            "spec.replicatedJobs[1].template.spec.template.spec.restartPolicy",
        ),
        (
            "bad/indexed-without-completions.yaml",
            "indexed-without-completions",
            "spec.replicatedJobs[0].template.spec.completions",
        ),
        ("bad/names.yaml", "jobset-name", "metadata.name"),
        (
            "bad/managed-by-other.yaml",
            "managed-by-other",
            "spec.managedBy",
        ),
    ] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifests");
        let (_, loaded) = open(&root.join(file));
        let paths: Vec<_> = loaded
            .findings
            .iter()
            .filter(|f| f.code == code)
            .map(|f| f.path.to_string())
            .collect();
        assert_eq!(paths, [path], "{file}");
    }
}

#[test]
fn findings_as_json_have_file_line_and_column() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifests");
    let (_, loaded) = open(&root.join("bad/managed-by-other.yaml"));
    let [finding] = loaded.findings.as_slice() else {
        panic!("{:?}", loaded.findings)
    };
    let json = finding.to_json(&loaded.sources);
    assert_eq!(json["severity"], "error");
    assert_eq!(json["code"], "managed-by-other");
    assert_eq!(json["path"], "spec.managedBy");
    let place = &json["places"][0];
    assert_eq!(place["file"], "managed-by-other.yaml");
    assert_eq!(
        (place["line"].as_u64(), place["column"].as_u64()),
        (Some(6), Some(14))
    );
    let text = loaded.sources.text(0);
    let from = usize::try_from(place["start"].as_u64().unwrap()).unwrap();
    let to = usize::try_from(place["end"].as_u64().unwrap()).unwrap();
    assert_eq!(&text[from..to], "kueue.x-k8s.io/multikueue");
}

/// Several files: the JobSet may stand in any of them, and places name the right one.
#[test]
fn several_sources_are_one_input() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifests");
    let read = |name: &str| Source::new(name, std::fs::read(root.join(name)).unwrap());
    let empty = Source::new("empty", "# nothing\n");
    let one = load(
        &[empty.clone(), read("ok/json.yaml")],
        &LoadOptions::default(),
    );
    assert!(one.jobset.is_some(), "{:?}", one.findings);
    let two = load(
        &[read("ok/json.yaml"), read("ok/minimal.yaml")],
        &LoadOptions::default(),
    );
    let out = render(&two.findings, &two.sources, Style::default());
    assert!(out.contains("several-jobsets"), "{out}");
    assert!(out.contains("another one: ok/minimal.yaml:5"), "{out}");
    let broken = load(
        &[empty, read("bad/managed-by-other.yaml")],
        &LoadOptions::default(),
    );
    let at = broken
        .sources
        .locate(&broken.findings[0].labels[0].place)
        .unwrap();
    assert_eq!(broken.sources.name(at.source), "bad/managed-by-other.yaml");
}

/// What is loaded and written again is loaded as the same.
#[test]
fn an_admitted_jobset_is_a_manifest_again() {
    for path in manifests("ok") {
        let (_, loaded) = open(&path);
        let jobset = loaded.jobset.expect("accepted");
        let yaml = to_yaml(&serde_json::to_value(&jobset).unwrap());
        let options = LoadOptions {
            validate: Validate::Ignore,
            ..LoadOptions::default()
        };
        let again = load(&[Source::new("again.yaml", yaml.clone())], &options);
        assert_eq!(
            again.jobset.as_ref(),
            Some(&jobset),
            "{}\n{yaml}",
            path.display()
        );
    }
}
