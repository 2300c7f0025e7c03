//! From the value of a document to [`JobSet`]: unknown fields, wrong types and missing fields become
//! findings, all of them, and only a value without any is decoded.

use k8s_openapi::api::batch::v1::JobTemplateSpec;
use serde_json::Value;

use crate::api::JobSet;
use crate::manifest::Validate;
use crate::manifest::check::{Problem, ProblemKind, check, put};
use crate::manifest::finding::{Finding, Severity};
use crate::manifest::path::{FieldPath, Segment};
use crate::manifest::source::SourceMap;
use crate::manifest::yaml::{fold_floats, strip_nulls};

/// Metadata that a server writes into the objects it gives out, or that has no meaning for a run.
const IGNORED_METADATA: [&str; 10] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Code of a finding about a field that no type has.
const UNKNOWN_FIELD: &str = "unknown-field";

/// Code of a finding about a field that must be there.
const MISSING_FIELD: &str = "missing-field";

/// Names that differ in more than this part of their letters are not offered.
const NEAR_ENOUGH: f64 = 0.6;

/// A JobSet that was decoded, as far as it goes.
pub(super) struct Decoded {
    pub(super) jobset: JobSet,
    /// Fields that were missing or of a wrong type: what stands in for them is not the user's, so no
    /// other complaint about them is worth anything.
    pub(super) doubtful: Vec<FieldPath>,
}

/// Decodes a JobSet. Fields that can't be read are reported and replaced by stand-ins, so that the rest can be
/// checked in the same go; none if too much is wrong for that.
pub(super) fn decode(
    mut value: Value,
    validate: Validate,
    sources: &SourceMap,
    findings: &mut Vec<Finding>,
) -> Option<Decoded> {
    set_aside(&mut value, findings);
    let before = findings.len();
    fill_missing(&mut value, sources, findings);
    let mut problems = check::<JobSet>(&value, &FieldPath::root());
    for (index, role) in roles(&value).iter().enumerate() {
        if let Some(template) = role.get("template") {
            let base = FieldPath::role(index).key("template");
            problems.extend(check::<JobTemplateSpec>(template, &base));
        }
    }
    findings.extend(
        problems
            .iter()
            .filter_map(|p| finding(p, &value, validate, sources)),
    );
    let doubtful: Vec<FieldPath> = findings[before..]
        .iter()
        .filter(|f| f.is_error() && f.code != UNKNOWN_FIELD)
        .map(|f| f.path.clone())
        .collect();
    for problem in &problems {
        match &problem.kind {
            ProblemKind::Unknown(_) | ProblemKind::Float { .. } => {}
            ProblemKind::Word(allowed) => {
                let word = allowed.first().copied().unwrap_or_default();
                put(&mut value, problem.path.segments(), word.into());
            }
            _ => put(&mut value, problem.path.segments(), Value::Null),
        }
    }
    fill_missing(&mut value, sources, &mut Vec::new());
    fold_floats(&mut value);
    strip_nulls(&mut value);
    match serde_json::from_value(value) {
        Ok(jobset) => Some(Decoded { jobset, doubtful }),
        Err(error) => {
            if doubtful.is_empty() {
                findings.push(Finding::error(
                    "wrong-type",
                    FieldPath::root(),
                    format!("not a JobSet: {error}"),
                ));
            }
            None
        }
    }
}

fn roles(value: &Value) -> &[Value] {
    value
        .pointer("/spec/replicatedJobs")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Takes out what is known to be of no use: `status`, server-written metadata, `x-` fields.
fn set_aside(value: &mut Value, findings: &mut Vec<Finding>) {
    let Some(map) = value.as_object_mut() else {
        return;
    };
    if map.remove("status").is_some_and(|s| !s.is_null()) {
        findings.push(
            Finding::warning(
                "status-ignored",
                FieldPath::root().key("status"),
                "status is ignored: a run starts without a past",
            )
            .at_key(),
        );
    }
    let extensions: Vec<String> = map
        .keys()
        .filter(|k| k.starts_with("x-"))
        .cloned()
        .collect();
    for key in extensions {
        map.remove(&key);
        findings.push(
            Finding::warning(
                "extension-field",
                FieldPath::root().key(key.as_str()),
                format!("{key} is no field of a JobSet; only its anchors are used"),
            )
            .at_key(),
        );
    }
    if let Some(metadata) = map.get_mut("metadata").and_then(Value::as_object_mut) {
        for key in IGNORED_METADATA {
            if metadata.remove(key).is_some_and(|v| !v.is_null()) {
                findings.push(
                    Finding::warning(
                        "metadata-ignored",
                        FieldPath::root().key("metadata").key(key),
                        format!("metadata.{key} is ignored"),
                    )
                    .at_key(),
                );
            }
        }
    }
}

/// Complains about required fields that are absent, and about what stands where a mapping with such fields
/// should; and puts a stand-in there so that the type check can go on.
fn fill_missing(value: &mut Value, sources: &SourceMap, findings: &mut Vec<Finding>) {
    let mut need = |value: &mut Value, path: FieldPath, fields: &[(&str, Value)]| {
        let mut known = false;
        if !value.is_object() {
            if value.is_null() && matches!(path.segments().last(), Some(Segment::Key(_))) {
                return;
            }
            findings.push(wrong_type(&path, Some(value), "a mapping", sources));
            *value = Value::Object(serde_json::Map::new());
            known = true;
        }
        let Some(map) = value.as_object_mut() else {
            return;
        };
        known |= findings
            .iter()
            .any(|f| f.code == MISSING_FIELD && f.path.overlaps(&path) && !path.is_above(&f.path));
        for (field, stand_in) in fields {
            if map.get(*field).is_none_or(Value::is_null) {
                map.insert((*field).to_owned(), stand_in.clone());
                // What is missing altogether is one finding, not one for each thing in it.
                if !known {
                    findings.push(Finding::error(
                        MISSING_FIELD,
                        path.clone().key(*field),
                        format!("{field} is missing"),
                    ));
                }
            }
        }
    };
    let root = FieldPath::root();
    let empty = || Value::Object(serde_json::Map::new());
    let word = |w: &str| Value::String(w.to_owned());
    need(
        value,
        root,
        &[
            ("apiVersion", word("")),
            ("kind", word("")),
            ("metadata", empty()),
            ("spec", empty()),
        ],
    );
    let Some(spec) = value.get_mut("spec") else {
        return;
    };
    let at = FieldPath::spec;
    need(spec, at(), &[("replicatedJobs", Value::Array(Vec::new()))]);
    for (object, field, stand_in) in [
        ("successPolicy", "operator", "All"),
        ("startupPolicy", "startupPolicyOrder", "AnyOrder"),
        ("coordinator", "replicatedJob", ""),
    ] {
        if let Some(object_value) = spec.get_mut(object) {
            need(object_value, at().key(object), &[(field, word(stand_in))]);
        }
    }
    let rules = spec.pointer_mut("/failurePolicy/rules");
    for (n, rule) in array(rules).enumerate() {
        let path = at().keys(&["failurePolicy", "rules"]).index(n);
        need(rule, path, &[("action", word("FailJobSet"))]);
    }
    for (n, role) in array(spec.get_mut("replicatedJobs")).enumerate() {
        let path = FieldPath::role(n);
        need(
            role,
            path.clone(),
            &[("name", word("")), ("template", empty())],
        );
        for (m, entry) in array(role.get_mut("dependsOn")).enumerate() {
            let path = path.clone().key("dependsOn").index(m);
            need(
                entry,
                path,
                &[("name", word("")), ("status", word("Ready"))],
            );
        }
    }
}

fn array(value: Option<&mut Value>) -> std::slice::IterMut<'_, Value> {
    value
        .and_then(Value::as_array_mut)
        .map(Vec::as_mut_slice)
        .unwrap_or_default()
        .iter_mut()
}

/// Words for a problem; none if it is to be passed over (`--validate=ignore`, or accepted as it is).
fn finding(
    problem: &Problem,
    value: &Value,
    validate: Validate,
    sources: &SourceMap,
) -> Option<Finding> {
    let path = &problem.path;
    let written = sources.written(path);
    Some(match &problem.kind {
        ProblemKind::Unknown(known) => return unknown(path, known, validate),
        ProblemKind::Type { expected } => wrong_type(path, find(value, path), expected, sources),
        ProblemKind::Range { expected } => Finding::error(
            "wrong-type",
            path.clone(),
            format!("must be {expected}, not {}", written.unwrap_or("this")),
        ),
        ProblemKind::Float { integer } => {
            // `1e3` is how kubectl reads 1000; a decimal point is a slip.
            if written.is_none_or(|w| !w.contains('.')) {
                return None;
            }
            Finding::error(
                "wrong-type",
                path.clone(),
                format!("must be an integer, not {}", written.unwrap_or("a float")),
            )
            .help(format!("write {integer}"))
        }
        ProblemKind::Word(allowed) => {
            let word = find(value, path).and_then(Value::as_str).unwrap_or("");
            let finding = Finding::error(
                "unknown-value",
                path.clone(),
                format!("{word:?} is not one of {}", allowed.join(", ")),
            );
            match nearest(word, allowed) {
                Some(near) => finding.help(format!("did you mean {near}?")),
                None => finding,
            }
        }
        ProblemKind::Other(message) => Finding::error(
            "wrong-type",
            path.clone(),
            format!("can't be read: {message}"),
        ),
    })
}

/// `found` stands where something else is expected.
fn wrong_type(
    path: &FieldPath,
    found: Option<&Value>,
    expected: &str,
    sources: &SourceMap,
) -> Finding {
    let written = sources.written(path);
    let finding = Finding::error(
        "wrong-type",
        path.clone(),
        format!("must be {expected}, not {}", describe(found, written)),
    );
    match found {
        Some(Value::Bool(_) | Value::Number(_)) if expected == "a string" => finding.help(format!(
            "in quotes it is a string: \"{}\"",
            written.unwrap_or("")
        )),
        _ => finding,
    }
}

fn unknown(path: &FieldPath, known: &[&'static str], validate: Validate) -> Option<Finding> {
    let Some(Segment::Key(field)) = path.segments().last() else {
        return None;
    };
    let in_template = path
        .segments()
        .iter()
        .any(|s| matches!(s, Segment::Key(k) if k == "template"));
    let mut finding = Finding::error(
        UNKNOWN_FIELD,
        path.clone(),
        format!("unknown field {field}"),
    )
    .at_key();
    match validate {
        Validate::Strict => {}
        Validate::Ignore if in_template => return None,
        Validate::Warn | Validate::Ignore => {
            finding.severity = Severity::Warning;
            finding.message += if in_template {
                ": it is passed on to the server"
            } else {
                ": it is not carried out"
            };
        }
    }
    Some(match nearest(field, known) {
        Some(near) => finding.help(format!("did you mean {near}?")),
        None if in_template && validate == Validate::Strict => {
            finding.help("a field that is newer than this build passes with --validate=warn")
        }
        None => finding,
    })
}

/// The candidate most like `word`, if one is near enough.
pub(super) fn nearest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let lower = word.to_lowercase();
    candidates
        .iter()
        .map(|c| {
            (
                strsim::normalized_damerau_levenshtein(&lower, &c.to_lowercase()),
                *c,
            )
        })
        // `order` is meant where `startupPolicyOrder` stands.
        .map(|(near, c)| {
            let inside = lower.len() >= 4 && c.to_lowercase().contains(&lower);
            (if inside { near.max(NEAR_ENOUGH) } else { near }, c)
        })
        .filter(|(near, _)| *near >= NEAR_ENOUGH)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, c)| c)
}

fn find<'v>(value: &'v Value, path: &FieldPath) -> Option<&'v Value> {
    path.segments().iter().try_fold(value, |at, s| match s {
        Segment::Key(k) => at.get(k),
        Segment::Index(i) => at.get(*i),
    })
}

/// A value in a few words: what was written, and what it is read as.
fn describe(value: Option<&Value>, written: Option<&str>) -> String {
    let written = written
        .and_then(|w| w.lines().next())
        .map(|w| w.chars().take(40).collect::<String>())
        .unwrap_or_default();
    match value {
        Some(Value::Bool(b)) if written != b.to_string() => {
            format!("{written} (which YAML reads as {b})")
        }
        Some(Value::Bool(b)) => b.to_string(),
        // A float says the same in many ways; the user's own is the clearest.
        Some(Value::Number(n)) if n.is_f64() && !written.is_empty() => {
            format!("the number {written}")
        }
        Some(Value::Number(n)) if written != n.to_string() && !written.is_empty() => {
            format!("{written} (which YAML reads as the number {n})")
        }
        Some(Value::Number(n)) => format!("the number {n}"),
        Some(Value::String(s)) => {
            format!("the string {:?}", s.chars().take(40).collect::<String>())
        }
        Some(Value::Array(_)) => "a list".to_owned(),
        Some(Value::Object(_)) => "a mapping".to_owned(),
        Some(Value::Null) | None => "nothing".to_owned(),
    }
}
