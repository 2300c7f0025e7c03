//! Tests of the span tree.

use super::*;
use crate::manifest::path::FieldPath;

fn find<'t>(text: &'t str, path: &FieldPath) -> (&'t str, &'t str) {
    let (tree, findings) = scan(0, text);
    assert_eq!(findings, []);
    let mut node = tree.documents[0].root;
    let mut key = None;
    for segment in path.segments() {
        let step = tree.step(node, segment).expect("path exists");
        key = step.key;
        node = step.value;
    }
    let key = key.map_or("", |k| &text[k]);
    (key, &text[tree.span(node).unwrap()])
}

#[test]
fn paths_resolve_through_blocks_flows_aliases_and_merges() {
    let text = "a: &x\n  b: [1, {c: two}]\n\nd: *x\ne:\n  <<: *x\n  f: 3\n";
    let p = |keys: &[&str]| FieldPath::root().keys(keys);
    assert_eq!(find(text, &p(&["a", "b"]).index(1).key("c")), ("c", "two"));
    assert_eq!(find(text, &p(&["a"])), ("a", "b: [1, {c: two}]"));
    assert_eq!(find(text, &p(&["d", "b"]).index(0)), ("", "1"));
    assert_eq!(find(text, &p(&["e", "b"]).index(0)), ("", "1"));
    assert_eq!(find(text, &p(&["e", "f"])), ("f", "3"));
}

#[test]
fn documents_have_their_ranges() {
    let text = "# c\n---\na: 1\n---\n---\nb: 2\n...\n";
    let (tree, findings) = scan(0, text);
    assert_eq!(findings, []);
    let docs: Vec<_> = tree
        .documents
        .iter()
        .map(|d| &text[d.range.clone()])
        .collect();
    assert_eq!(docs, ["---\na: 1\n", "---\n", "---\nb: 2\n...\n"]);
}

#[test]
fn plain_keys_that_kubectl_reads_as_something_else() {
    for (key, read) in [
        ("on", Some("true")),
        ("No", Some("false")),
        ("y", Some("true")),
        ("True", Some("true")),
        ("~", Some("null")),
        ("010", Some("8")),
        ("1e3", Some("1000")),
        ("0x10", Some("16")),
        ("true", None),
        ("null", None),
        ("8", None),
        ("name", None),
        ("1abc", None),
        ("-", None),
        ("only", None),
        ("3.x", None),
    ] {
        assert_eq!(misread_key(key).as_deref(), read, "{key}");
    }
}

#[test]
fn every_duplicate_key_is_found() {
    let (_, findings) = scan(0, "a: 1\nb: {c: 1, c: 2}\na: 2\n");
    let codes: Vec<_> = findings.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(codes, ["c is given twice", "a is given twice"]);
}

#[test]
fn depth_is_bounded_in_both_styles() {
    let flow = "[".repeat(1000) + &"]".repeat(1000);
    let block: String = (0..1000).map(|n| " ".repeat(n) + "a:\n").collect();
    for text in [flow, block] {
        let (_, findings) = scan(0, &text);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].code, "too-deep", "{}", findings[0].message);
    }
}

#[test]
fn of_very_many_bad_keys_some_are_shown_and_the_last_says_so() {
    for (line, code) in [("a: 1\n", "duplicate-key"), ("010: 1\n", "ambiguous-key")] {
        let (_, findings) = scan(0, &line.repeat(10 * MAX_KEYS));
        assert_eq!(findings.len(), MAX_KEYS, "{code}");
        assert!(findings.iter().any(|f| f.code == code));
        let last = findings.last().unwrap().help.as_deref();
        assert_eq!(last, Some("there are more such keys, which are not listed"));
    }
}
