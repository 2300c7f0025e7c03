//! Which of the documents is the JobSet: exactly one, in whichever file, also inside a `kind: List`.
//! Everything else in the files is refused by name.

use serde_json::Value;

use crate::api::names::{API_VERSION, KIND};
use crate::manifest::decode::nearest;
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::{FieldPath, Segment};
use crate::manifest::source::SourceMap;
use crate::manifest::spans::NodeId;
use crate::manifest::yaml;

/// Lists inside lists.
const MAX_LISTS: usize = 4;

/// An object in the sources.
struct Object {
    source: usize,
    node: NodeId,
    value: Value,
}

/// Reads all documents and gives the JobSet's value; its place becomes the root of all paths.
pub(super) fn pick(sources: &mut SourceMap, findings: &mut Vec<Finding>) -> Option<Value> {
    let unread = findings.iter().any(Finding::is_error);
    let mut objects = Vec::new();
    for source in 0..sources.len() {
        read_source(sources, source, &mut objects, findings);
    }
    let (jobsets, others): (Vec<_>, Vec<_>) =
        objects.into_iter().partition(|o| is_jobset(&o.value));
    for other in &others {
        findings.push(refuse(other, sources));
    }
    match jobsets.len() {
        0 => {
            // A file that could not be read may well hold one.
            if !unread && others.is_empty() && !findings.iter().any(Finding::is_error) {
                findings.push(nothing(sources));
            }
            None
        }
        1 => jobsets.into_iter().next().and_then(|jobset| {
            sources.set_root(jobset.source, jobset.node);
            check_version(&jobset.value, findings).then_some(jobset.value)
        }),
        n => {
            findings.push(several(&jobsets, n, sources));
            None
        }
    }
}

fn read_source(
    sources: &SourceMap,
    source: usize,
    objects: &mut Vec<Object>,
    findings: &mut Vec<Finding>,
) {
    let Some(tree) = sources.tree(source) else {
        return;
    };
    for document in &tree.documents {
        let text = sources
            .text(source)
            .get(document.range.clone())
            .unwrap_or("");
        match yaml::read(source, text, document.range.start) {
            Ok(value) => {
                let object = Object {
                    source,
                    node: document.root,
                    value,
                };
                unpack(object, MAX_LISTS, sources, objects, findings);
            }
            Err(finding) => findings.push(finding),
        }
    }
}

/// Adds the object, or for a List its items.
fn unpack(
    object: Object,
    depth: usize,
    sources: &SourceMap,
    objects: &mut Vec<Object>,
    findings: &mut Vec<Finding>,
) {
    match &object.value {
        Value::Null => {}
        Value::Object(map) => {
            let is_list = map
                .get("kind")
                .and_then(Value::as_str)
                .is_some_and(|k| k == "List" || k == "JobSetList");
            match map.get("items") {
                Some(Value::Array(items)) if is_list && depth > 0 => {
                    for (n, item) in items.iter().enumerate() {
                        let node = sources
                            .tree(object.source)
                            .and_then(|t| {
                                let list =
                                    t.step(object.node, &Segment::Key("items".to_owned()))?;
                                t.step(list.value, &Segment::Index(n))
                            })
                            .map_or(object.node, |step| step.value);
                        let item = Object {
                            source: object.source,
                            node,
                            value: item.clone(),
                        };
                        unpack(item, depth - 1, sources, objects, findings);
                    }
                }
                _ => objects.push(object),
            }
        }
        _ => findings.push(Finding::at_bytes(
            "not-an-object",
            object.source,
            place(&object, sources),
            "not a Kubernetes object: a document must be a mapping",
        )),
    }
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// By kind, or by API group where the kind is misspelt.
fn is_jobset(value: &Value) -> bool {
    text_of(value, "kind") == KIND || group(text_of(value, "apiVersion")) == group(API_VERSION)
}

/// The API version and kind are ours. A missing one is reported with the other missing fields.
fn check_version(value: &Value, findings: &mut Vec<Finding>) -> bool {
    let before = findings.len();
    let api_version = text_of(value, "apiVersion");
    if !api_version.is_empty() && api_version != API_VERSION {
        let message = if group(api_version) == group(API_VERSION) {
            format!("only v1alpha2 of JobSet can be run, not {api_version}")
        } else {
            format!("{api_version} is not the API of JobSet")
        };
        findings.push(
            Finding::error("api-version", FieldPath::root().key("apiVersion"), message)
                .help(format!("write apiVersion: {API_VERSION}")),
        );
    }
    let kind = text_of(value, "kind");
    if !kind.is_empty() && kind != KIND {
        let finding = Finding::error(
            "wrong-kind",
            FieldPath::root().key("kind"),
            format!("kind {kind} can't be run, only {KIND}"),
        );
        findings.push(match nearest(kind, &[KIND]) {
            Some(near) => finding.help(format!("did you mean {near}?")),
            None => finding,
        });
    }
    findings.len() == before
}

/// Bytes of an object's name or kind, else of its first line.
fn place(object: &Object, sources: &SourceMap) -> std::ops::Range<usize> {
    let Some(tree) = sources.tree(object.source) else {
        return 0..0;
    };
    let key = |node, key: &str| tree.step(node, &Segment::Key(key.to_owned()));
    let node = key(object.node, "metadata")
        .and_then(|m| key(m.value, "name"))
        .or_else(|| key(object.node, "kind"))
        .map_or(object.node, |step| step.value);
    let range = tree.span(node).unwrap_or(0..0);
    let line = sources.text(object.source).get(range.clone()).unwrap_or("");
    let end = line.lines().next().unwrap_or("").trim_end().len();
    range.start..range.start + end
}

fn label(object: &Object) -> String {
    let name = object
        .value
        .pointer("/metadata/name")
        .or_else(|| object.value.pointer("/metadata/generateName"))
        .and_then(Value::as_str)
        .unwrap_or("(no name)");
    let kind = match text_of(&object.value, "kind") {
        "" => "object without a kind",
        kind => kind,
    };
    format!("{kind} {name}")
}

fn refuse(object: &Object, sources: &SourceMap) -> Finding {
    Finding::at_bytes(
        "wrong-kind",
        object.source,
        place(object, sources),
        format!("{} can't be run, only a JobSet", label(object)),
    )
    .help("apply other objects with kubectl apply, from a file of their own")
}

fn several(jobsets: &[Object], n: usize, sources: &SourceMap) -> Finding {
    let mut finding = Finding::at_bytes(
        "several-jobsets",
        jobsets[0].source,
        place(&jobsets[0], sources),
        format!("{n} JobSets given, but exactly one is run at a time"),
    )
    .saying("the first one")
    .help("put each into a file of its own");
    for jobset in &jobsets[1..] {
        let at = Place::Bytes {
            source: jobset.source,
            range: place(jobset, sources),
        };
        finding = finding.see(at, "another one");
    }
    finding
}

fn nothing(sources: &SourceMap) -> Finding {
    let names: Vec<_> = (0..sources.len()).map(|n| sources.name(n)).collect();
    let mut finding = Finding::at_bytes(
        "no-jobset",
        0,
        0..0,
        format!("there is no JobSet in {}", names.join(", ")),
    );
    finding.labels.clear();
    finding
}
