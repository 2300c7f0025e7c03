//! Label selectors in their text form, with the parser's own complaints. It knows strings and labels, not
//! objects.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::api::names;

type Labels = BTreeMap<String, String>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Greater,
    Less,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
    values: BTreeSet<String>,
}

impl Requirement {
    fn matches(&self, labels: Option<&Labels>) -> bool {
        let value = labels.and_then(|labels| labels.get(&self.key));
        match self.operator {
            Operator::In => value.is_some_and(|v| self.values.contains(v)),
            Operator::NotIn => value.is_none_or(|v| !self.values.contains(v)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Greater => self.compares(value, |have, than| have > than),
            Operator::Less => self.compares(value, |have, than| have < than),
        }
    }

    fn compares(&self, value: Option<&String>, holds: fn(i64, i64) -> bool) -> bool {
        let have = value.and_then(|v| v.parse().ok());
        let than = self.values.first().and_then(|v| v.parse().ok());
        have.zip(than).is_some_and(|(have, than)| holds(have, than))
    }
}

/// All of its requirements are to hold; the empty one matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

impl LabelSelector {
    /// Reads one.
    ///
    /// # Errors
    /// It can't be read; why, in the API's words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens = lex(text);
        Parser { tokens, at: 0 }.parse()
    }

    /// Labels as they are equal to: what a Job or Service selects with.
    #[must_use]
    pub fn equal_to(labels: &Labels) -> Self {
        let requirements = labels
            .iter()
            .map(|(key, value)| Requirement {
                key: key.clone(),
                operator: Operator::In,
                values: BTreeSet::from([value.clone()]),
            })
            .collect();
        Self { requirements }
    }

    /// Whether it selects these labels.
    #[must_use]
    pub fn matches(&self, labels: Option<&Labels>) -> bool {
        self.requirements.iter().all(|r| r.matches(labels))
    }

    /// Whether it selects everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    In,
    NotIn,
    Symbol(&'static str),
    /// Symbols that make no sense, with the words that say so.
    Wrong(String),
    End,
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Word(word) | Self::Wrong(word) => word,
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Symbol(symbol) => symbol,
            Self::End => "",
        }
    }
}

/// Longest first.
const SYMBOLS: &[&str] = &["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

fn is_symbol(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let Some(first) = rest.chars().next() else {
            tokens.push(Token::End);
            return tokens;
        };
        if is_symbol(first) {
            if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                tokens.push(Token::Symbol(symbol));
                rest = &rest[symbol.len()..];
            } else {
                let words = format!("error expected: keyword found '{first}'");
                tokens.push(Token::Wrong(words));
                rest = &rest[first.len_utf8()..];
            }
            continue;
        }
        let end = rest
            .find(|c: char| is_symbol(c) || matches!(c, ' ' | '\t' | '\r' | '\n'))
            .unwrap_or(rest.len());
        tokens.push(match &rest[..end] {
            "in" => Token::In,
            "notin" => Token::NotIn,
            word => Token::Word(word.to_owned()),
        });
        rest = &rest[end..];
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Token {
        self.tokens.get(self.at).cloned().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Where a value or key is expected, `in` and `notin` are words like any other.
    fn as_word(token: &Token) -> Option<String> {
        match token {
            Token::Word(_) | Token::In | Token::NotIn => Some(token.text().to_owned()),
            _ => None,
        }
    }

    fn starts_requirement(token: &Token) -> bool {
        Self::as_word(token).is_some() || *token == Token::Symbol("!")
    }

    fn parse(mut self) -> Result<LabelSelector, String> {
        let mut requirements = Vec::new();
        loop {
            let token = self.peek();
            if token == Token::End {
                break;
            }
            if !Self::starts_requirement(&token) {
                let found = token.text();
                return Err(format!(
                    "found '{found}', expected: !, identifier, or 'end of string'"
                ));
            }
            let requirement = self
                .requirement()
                .map_err(|why| format!("unable to parse requirement: {why}"))?;
            requirements.push(requirement);
            match self.next() {
                Token::End => break,
                Token::Symbol(",") => {
                    let after = self.peek();
                    if !Self::starts_requirement(&after) {
                        let found = after.text();
                        return Err(format!("found '{found}', expected: identifier after ','"));
                    }
                }
                other => {
                    let found = other.text();
                    return Err(format!("found '{found}', expected: ',' or 'end of string'"));
                }
            }
        }
        Ok(LabelSelector { requirements })
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut token = self.next();
        let absent = token == Token::Symbol("!");
        if absent {
            token = self.next();
        }
        let Some(key) = Self::as_word(&token) else {
            return Err(format!("found '{}', expected: identifier", token.text()));
        };
        checked("<nil>", &key, &names::qualified_name(&key))?;
        let operator = if absent {
            Some(Operator::DoesNotExist)
        } else if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            Some(Operator::Exists)
        } else {
            None
        };
        if let Some(operator) = operator {
            let values = BTreeSet::new();
            return Ok(Requirement {
                key,
                operator,
                values,
            });
        }
        let (operator, values) = match self.next() {
            Token::In => (Operator::In, self.values()?),
            Token::NotIn => (Operator::NotIn, self.values()?),
            Token::Symbol("=" | "==") => (Operator::In, self.exact()?),
            Token::Symbol("!=") => (Operator::NotIn, self.exact()?),
            Token::Symbol(">") => (Operator::Greater, self.exact()?),
            Token::Symbol("<") => (Operator::Less, self.exact()?),
            other => {
                return Err(format!(
                    "found '{}', expected: in, notin, =, ==, !=, gt, lt",
                    other.text()
                ));
            }
        };
        let mut wrong = Vec::new();
        if matches!(operator, Operator::Greater | Operator::Less) {
            for (at, value) in values.iter().enumerate() {
                if value.parse::<i64>().is_err() {
                    wrong.push(format!(
                        "values[{at}]: Invalid value: \"{value}\": for 'Gt', 'Lt' operators, the value must be an integer"
                    ));
                }
            }
        }
        for (at, value) in values.iter().enumerate() {
            if let Err(why) = checked(
                &format!("values[{at}][{key}]"),
                value,
                &names::label_value(value),
            ) {
                wrong.push(why);
            }
        }
        match wrong.as_slice() {
            [] => Ok(Requirement {
                key,
                operator,
                values,
            }),
            [one] => Err(one.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }

    fn exact(&mut self) -> Result<BTreeSet<String>, String> {
        let token = self.peek();
        if matches!(token, Token::End | Token::Symbol(",")) {
            return Ok(BTreeSet::from([String::new()]));
        }
        self.at += 1;
        match Self::as_word(&token) {
            Some(word) => Ok(BTreeSet::from([word])),
            None => Err(format!("found '{}', expected: identifier", token.text())),
        }
    }

    fn values(&mut self) -> Result<BTreeSet<String>, String> {
        let open = self.next();
        if open != Token::Symbol("(") {
            return Err(format!("found '{}' expected: '('", open.text()));
        }
        let first = self.peek();
        if first == Token::Symbol(")") {
            self.at += 1;
            return Ok(BTreeSet::from([String::new()]));
        }
        if Self::as_word(&first).is_none() && first != Token::Symbol(",") {
            let found = first.text();
            return Err(format!("found '{found}', expected: ',', ')' or identifier"));
        }
        let mut values = BTreeSet::new();
        loop {
            let token = self.next();
            if let Some(word) = Self::as_word(&token) {
                values.insert(word);
                match self.peek() {
                    Token::Symbol(",") => {}
                    Token::Symbol(")") => break,
                    other => {
                        return Err(format!("found '{}', expected: ',' or ')'", other.text()));
                    }
                }
            } else if token == Token::Symbol(",") {
                // A value is missing before, between or after commas: it is the empty one.
                if values.is_empty() || self.peek() == Token::Symbol(",") {
                    values.insert(String::new());
                }
                if self.peek() == Token::Symbol(")") {
                    values.insert(String::new());
                    break;
                }
            } else {
                return Err(format!(
                    "found '{}', expected: ',', or identifier",
                    token.text()
                ));
            }
        }
        self.at += 1;
        Ok(values)
    }
}

fn checked(field: &str, value: &str, complaints: &[String]) -> Result<(), String> {
    if complaints.is_empty() {
        return Ok(());
    }
    let why = complaints.join("; ");
    Err(format!("{field}: Invalid value: \"{value}\": {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn forms() {
        let all = [
            ("a", labels(&[("x", "1")])),
            ("b", labels(&[("x", "2"), ("y", "")])),
            ("c", labels(&[("x", "3"), ("test.io/z", "q")])),
            ("d", labels(&[])),
        ];
        for (selector, expected) in [
            ("", "abcd"),
            ("x=1", "a"),
            ("x==2", "b"),
            ("x!=1", "bcd"),
            ("x=", ""),
            ("y=", "b"),
            ("x = 1", "a"),
            ("test.io/z=q", "c"),
            ("x in (1,3)", "ac"),
            ("x in ( 1 )", "a"),
            ("x notin (1,3)", "bd"),
            ("y in ()", "b"),
            ("y in (,7)", "b"),
            ("x", "abc"),
            ("!x", "d"),
            ("! test.io/z", "abd"),
            ("x,!y", "ac"),
            ("x>1", "bc"),
            ("x<2", "a"),
            ("in in (notin)", ""),
        ] {
            let parsed = LabelSelector::parse(selector).unwrap();
            let found: String = all
                .iter()
                .filter(|(_, labels)| parsed.matches(Some(labels)))
                .map(|(name, _)| *name)
                .collect();
            assert_eq!(found, expected, "{selector}");
        }
    }

    #[test]
    fn complaints() {
        for (selector, why) in [
            (
                "x in",
                "unable to parse requirement: found '' expected: '('",
            ),
            ("x=1,,y", "found ',', expected: identifier after ','"),
            (
                "=x",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            (
                "x y",
                "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt",
            ),
            ("x=1 y", "found 'y', expected: ',' or 'end of string'"),
            (
                "x>a",
                "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            assert_eq!(LabelSelector::parse(selector).err().as_deref(), Some(why));
        }
        let why = LabelSelector::parse("x=a_b_").unwrap_err();
        assert!(why.starts_with("unable to parse requirement: values[0][x]: Invalid value: \"a_b_\": a valid label must be"));
    }
}
