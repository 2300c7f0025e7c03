use super::*;
use crate::manifest::report::{Style, render};
use crate::manifest::source::Source;
use crate::manifest::{Finding, Place};

/// What is drawn for a text with these words marked, the first one first.
fn drawn(text: &str, marked: &[&str]) -> String {
    let mut sources = SourceMap::default();
    let id = sources.add(&Source::new("f", text)).unwrap();
    let range = |word: &str| {
        let at = text.find(word).unwrap();
        at..at + word.len()
    };
    let mut finding = Finding::at_bytes("syntax", id, range(marked[0]), "m");
    for word in &marked[1..] {
        let place = Place::Bytes {
            source: id,
            range: range(word),
        };
        finding = finding.see(place, "");
    }
    render(&[finding], &sources, Style::default())
}

#[test]
fn a_line_that_nobody_could_read_is_cut_around_its_marks() {
    let text = format!(
        "{}AA{}BB{}\n",
        "é".repeat(100_000),
        "x".repeat(500),
        "y".repeat(500)
    );
    let drawn = drawn(&text, &["AA", "BB"]);
    let line = format!(
        " 1 | ...{}AA{}...{}BB{}...\n",
        "é".repeat(40),
        "x".repeat(40),
        "x".repeat(40),
        "y".repeat(40)
    );
    assert!(drawn.contains(&line), "{drawn}");
    // The column is that of the text.
    assert!(drawn.contains("f:1:100001]"), "{drawn}");
    let marks = drawn.lines().find(|l| l.contains('^')).unwrap();
    let at: Vec<_> = marks.match_indices("^^").map(|(at, _)| at).collect();
    assert_eq!(at, [5 + 43, 5 + 43 + 2 + 40 + 3 + 40], "{drawn}");
}

#[test]
fn a_mark_without_end_is_cut_too() {
    let long = "x".repeat(1_000_000);
    let drawn = drawn(&format!("a: {long}\n"), &[&long]);
    assert!(drawn.lines().all(|l| l.len() < 200), "{}", drawn.len());
    assert!(drawn.contains(&"^".repeat(LONGEST_MARK)), "{drawn}");
}

#[test]
fn lines_between_marks_are_shown_where_they_are_few() {
    for (between, all) in [(0, true), (GAP, true), (GAP + 1, false), (1000, false)] {
        let text = format!("{}AA\n{}BB\n", "#\n".repeat(50), "-\n".repeat(between));
        let drawn = drawn(&text, &["AA", "BB"]);
        let shown = drawn.lines().filter(|l| l.ends_with("| -")).count();
        assert_eq!(shown, if all { between } else { 0 }, "{drawn}");
        for line in ["51 | AA".to_owned(), format!("{} | BB", 52 + between)] {
            assert!(drawn.contains(&line), "{line}:\n{drawn}");
        }
    }
}

#[test]
fn every_kind_of_line_end_ends_a_line() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("one{end}AA two{end}three");
        let drawn = drawn(&text, &["AA"]);
        assert!(drawn.contains(" 2 | AA two\n"), "{end:?}\n{drawn}");
        assert!(!drawn.contains("three"), "{end:?}\n{drawn}");
    }
}

#[test]
fn a_mark_over_several_lines_or_past_the_end_stays_in_its_line() {
    let mut sources = SourceMap::default();
    let id = sources.add(&Source::new("f", "é: 1\nb: 2")).unwrap();
    for (range, line, marks) in [
        (0..8, "é: 1", "^^^^"),
        (1..3, "é: 1", "^^"),
        (5..500, "é: 1", "   ^"),
        (6..500, "b: 2", "^^^^"),
        (500..501, "b: 2", "   ^"),
        (10..10, "b: 2", "   ^"),
    ] {
        let finding = Finding::at_bytes("syntax", id, range.clone(), "m");
        let drawn = render(&[finding], &sources, Style::default());
        let lines: Vec<_> = drawn.lines().collect();
        assert!(
            lines[2].ends_with(&format!(" | {line}")),
            "{range:?}\n{drawn}"
        );
        assert_eq!(lines[3], format!("   : {marks}"), "{range:?}\n{drawn}");
    }
}
