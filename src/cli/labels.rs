//! Label selectors as kubectl's `-l` takes them, applied to the labels of JobSets. They stand in the
//! record, not on an object that the server could select by.

use std::collections::BTreeMap;
use std::str::FromStr;

/// What must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Absent(String),
}

impl Selector {
    /// All terms hold. A label that is absent is not equal to anything.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|term| match term {
            Term::In(key, values) => labels.get(key).is_some_and(|v| values.contains(v)),
            Term::NotIn(key, values) => labels.get(key).is_none_or(|v| !values.contains(v)),
            Term::Exists(key) => labels.contains_key(key),
            Term::Absent(key) => !labels.contains_key(key),
        })
    }
}

impl FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        split(text)
            .into_iter()
            .map(|part| {
                term(part.trim()).ok_or_else(|| {
                    format!(
                        "`{}` is not a label selector (examples: team=ml, tier!=test, gpu, !gpu, \
                         team in (ml,hpc))",
                        part.trim()
                    )
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Splits at commas outside parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn term(text: &str) -> Option<Term> {
    if let Some(key) = text.strip_prefix('!') {
        return Some(Term::Absent(key_of(key)?));
    }
    if let Some((key, value)) = text.split_once("!=") {
        return Some(Term::NotIn(key_of(key)?, vec![value_of(value)?]));
    }
    if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return Some(Term::In(key_of(key)?, vec![value_of(value)?]));
    }
    if let Some(list) = text.strip_suffix(')') {
        let (head, list) = list.split_once('(')?;
        let values = list.split(',').map(value_of).collect::<Option<Vec<_>>>()?;
        let mut words = head.split_whitespace();
        return match (words.next()?, words.next()?, words.next()) {
            (key, "in", None) => Some(Term::In(key_of(key)?, values)),
            (key, "notin", None) => Some(Term::NotIn(key_of(key)?, values)),
            _ => None,
        };
    }
    Some(Term::Exists(key_of(text)?))
}

fn key_of(text: &str) -> Option<String> {
    let key = text.trim();
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    (!key.is_empty() && key.chars().all(fine)).then(|| key.to_owned())
}

fn value_of(text: &str) -> Option<String> {
    let value = text.trim();
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    value.chars().all(fine).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_what_kubectl_means() {
        let labels: BTreeMap<String, String> = [("team", "ml"), ("gpu", "yes"), ("a.b/c", "")]
            .into_iter()
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        for (text, expected) in [
            ("team=ml", true),
            ("team==ml", true),
            ("team=hpc", false),
            ("team!=hpc", true),
            ("team!=ml", false),
            ("absent!=x", true),
            ("absent=x", false),
            ("gpu", true),
            ("!gpu", false),
            ("!absent", true),
            ("a.b/c=", true),
            ("team in (hpc, ml)", true),
            ("team in (hpc)", false),
            ("team notin (hpc)", true),
            ("team=ml,gpu", true),
            ("team in (a,b),gpu", false),
            (" team = ml , gpu ", true),
        ] {
            let selector: Selector = text.parse().unwrap();
            assert_eq!(selector.matches(&labels), expected, "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        for text in [
            "",
            "=x",
            "a=b=c",
            "a in b",
            "a within (b)",
            "a b",
            "a,,b",
            "a in (b",
            "ä",
        ] {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }
}
