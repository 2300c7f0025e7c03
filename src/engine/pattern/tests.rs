use serde_json::Value;

use super::*;

/// What Go's own `regexp` does, recorded by `golden/main.go`.
const GO: &str = include_str!("golden/go_regexp.jsonl");

#[test]
fn the_same_patterns_compile_and_the_same_texts_match_as_in_go() {
    let mut lines = GO
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap());
    let head = lines.next().unwrap();
    let texts: Vec<&str> = head["texts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t.as_str().unwrap())
        .collect();
    let mut wrong = Vec::new();
    let mut patterns = 0;
    for line in lines {
        let pattern = line["pattern"].as_str().unwrap();
        patterns += 1;
        match (GoPattern::compile(pattern), line.get("error")) {
            (Err(error), Some(go)) => {
                if !error.message.starts_with(go.as_str().unwrap()) {
                    wrong.push(format!("{pattern}: {error}, but Go says {go}"));
                }
            }
            (Ok(ours), None) => {
                for (text, go) in texts.iter().zip(line["matches"].as_str().unwrap().bytes()) {
                    if ours.is_match(text) != (go == b'1') {
                        wrong.push(format!("{pattern} on {text:?}: Go says {}", go == b'1'));
                    }
                }
            }
            (Err(error), None) => {
                wrong.push(format!("{pattern}: refused ({error}), but Go compiles it"))
            }
            (Ok(_), Some(go)) => wrong.push(format!("{pattern}: accepted, but Go says {go}")),
        }
    }
    assert!(patterns > 250, "{patterns} patterns");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_point_at_the_offending_part() {
    for (pattern, offset, message) in [
        ("exit code (42", 10, "missing closing )"),
        ("abc)", 3, "unexpected )"),
        ("ab[c", 2, "missing closing ]"),
        ("ab**", 2, "invalid nested repetition operator: `**`"),
        (r"a\C", 1, r"invalid escape sequence `\C`"),
        ("a{2,1}", 1, "invalid repeat count: `{2,1}`"),
        ("é(?=x)", 2, "invalid or unsupported Perl syntax: `(?=`"),
        ("[b-a]", 1, "invalid character class range: `b-a`"),
    ] {
        let error = GoPattern::compile(pattern).unwrap_err();
        assert_eq!(
            (error.offset, error.message.as_str()),
            (offset, message),
            "{pattern}"
        );
    }
}

#[test]
fn size_and_depth_are_bounded() {
    let deep = "(".repeat(2000) + "a" + &")".repeat(2000);
    assert_eq!(
        GoPattern::compile(&deep).unwrap_err().message,
        "expression nests too deeply"
    );
    let nested = "(".repeat(75) + "(?i)a" + &"*)".repeat(75);
    assert!(GoPattern::compile(&nested).unwrap().is_match("A"));
    let long = "a".repeat(100_000);
    assert_eq!(
        GoPattern::compile(&long).unwrap_err().message,
        "the pattern is too large"
    );
    // Compiles in Go as well, but to a machine that is too large for us.
    let wide = r"(\pL{100}){10}".repeat(10);
    assert_eq!(
        GoPattern::compile(&wide).unwrap_err().message,
        "the pattern is too large"
    );
}

proptest::proptest! {
    #[test]
    fn no_input_makes_it_panic(pattern in r"[\\\[\](){}|*+?.^$a-c0-9,:<>=!PiQEdwb&~\-é]{0,24}", text in "[a-cé\n]{0,8}") {
        if let Ok(compiled) = GoPattern::compile(&pattern) {
            let _ = compiled.is_match(&text);
        }
    }

    /// What translation makes of a pattern without a message is always something that `regex` takes.
    #[test]
    fn what_go_accepts_we_compile(pattern in r"[\\\[\](){}|*+?.^$a-c0-9,:<>=!PiQEdwb&~\-é]{0,24}") {
        if let Err(error) = GoPattern::compile(&pattern) {
            proptest::prop_assert!(!error.message.contains("can't be compiled"), "{pattern}: {error}");
        }
    }
}
