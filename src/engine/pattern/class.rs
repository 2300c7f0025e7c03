//! Character classes of Go's dialect: `[a-z]`, `[[:alpha:]]`, `\d`, `\p{Greek}`.

use crate::engine::pattern::PatternError;
use crate::engine::pattern::escape::{code_point, literal};
use crate::engine::pattern::parse::Cursor;

/// A class that matches nothing, and its opposite.
const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";
const ANYTHING: &str = r"[\x{0}-\x{10FFFF}]";

/// The one category that `regex` doesn't have.
const SURROGATES: &str = "gc=Cs";

/// Names between `[:` and `:]`.
const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// `\d`, `\S` and so on as ASCII classes; `None` if the cursor isn't at one.
pub(super) fn perl(at: &mut Cursor<'_>) -> Option<&'static str> {
    let class = match at.peek_escape()? {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        // Without the vertical tab, which other dialects count in.
        's' => r"[\t\n\x{C}\r ]",
        'S' => r"[^\t\n\x{C}\r ]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        _ => return None,
    };
    at.next();
    at.next();
    Some(class)
}

/// `\pL`, `\p{Greek}`, `\P{^Lu}`; `None` if the cursor isn't at one.
pub(super) fn unicode(at: &mut Cursor<'_>) -> Option<Result<String, PatternError>> {
    let letter = at.peek_escape().filter(|c| matches!(c, 'p' | 'P'))?;
    let start = at.offset();
    at.next();
    at.next();
    let error = |at: &Cursor<'_>| {
        let text = at.since(start);
        Err(at.error(start, &format!("invalid character class range: `{text}`")))
    };
    let name = match at.next() {
        Some('{') => {
            let from = at.offset();
            loop {
                match at.next() {
                    Some('}') => break,
                    Some(_) => {}
                    None => return Some(error(at)),
                }
            }
            at.slice(from, at.offset() - 1)
        }
        Some(c) => at.slice(at.offset() - c.len_utf8(), at.offset()),
        None => return Some(error(at)),
    };
    let (negate, name) = match name.strip_prefix('^') {
        Some(rest) => (letter == 'p', rest),
        None => (letter == 'P', name),
    };
    Some(match table(name) {
        // No text contains surrogates.
        Some(class) if class == SURROGATES => {
            Ok(if negate { ANYTHING } else { NOTHING }.to_owned())
        }
        Some(class) => Ok(format!(r"\{}{{{class}}}", if negate { 'P' } else { 'p' })),
        None => error(at),
    })
}

/// What Go knows by that name: general categories and scripts, not the other properties (`Alphabetic`,
/// `White_Space`) that `regex` would take.
fn table(name: &str) -> Option<String> {
    if name.is_empty()
        || !name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' '))
    {
        return None;
    }
    let plain = name.to_ascii_lowercase();
    match plain.as_str() {
        "any" => return Some("Any".to_owned()),
        "ascii" => return Some("ASCII".to_owned()),
        "assigned" => return Some("Assigned".to_owned()),
        "cs" | "surrogate" => return Some(SURROGATES.to_owned()),
        // A prefix that `regex` would pass over.
        _ if plain.starts_with("is") => return None,
        _ => {}
    }
    ["gc", "sc"]
        .iter()
        .map(|kind| format!("{kind}={name}"))
        .find(|class| regex::Regex::new(&format!(r"\p{{{class}}}")).is_ok())
}

/// A bracketed class; the cursor is at `[`.
pub(super) fn bracketed(at: &mut Cursor<'_>) -> Result<String, PatternError> {
    let start = at.offset();
    at.next();
    let negated = at.take("^");
    let mut items = String::new();
    let mut first = true;
    loop {
        if at.peek() == Some(']') && !first {
            at.next();
            break;
        }
        first = false;
        if let Some(class) = posix(at) {
            items += &class?;
        } else if let Some(class) = unicode(at) {
            items += &class?;
        } else if let Some(class) = perl(at) {
            items += class;
        } else {
            range(at, start, &mut items)?;
        }
    }
    Ok(match (items.is_empty(), negated) {
        // Only surrogates were in it.
        (true, false) => NOTHING.to_owned(),
        (true, true) => ANYTHING.to_owned(),
        (false, false) => format!("[{items}]"),
        (false, true) => format!("[^{items}]"),
    })
}

/// `[:alpha:]` inside a class. Without the closing `:]` the bracket is a bracket.
fn posix(at: &mut Cursor<'_>) -> Option<Result<String, PatternError>> {
    let rest = at.rest().strip_prefix("[:")?;
    let inside = &rest[..rest.find(":]")?];
    let start = at.offset();
    at.skip(inside.len() + 4);
    let name = inside.strip_prefix('^').unwrap_or(inside);
    Some(if POSIX.contains(&name) {
        Ok(format!("[:{inside}:]"))
    } else {
        Err(at.error(
            start,
            &format!("invalid character class range: `[:{inside}:]`"),
        ))
    })
}

/// One character or a range of them.
fn range(at: &mut Cursor<'_>, class: usize, items: &mut String) -> Result<(), PatternError> {
    let start = at.offset();
    let low = one(at, class)?;
    let mut high = low;
    let mut ahead = at.rest().chars();
    if ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']') {
        at.next();
        high = one(at, class)?;
        if high < low {
            let text = at.since(start);
            return Err(at.error(start, &format!("invalid character class range: `{text}`")));
        }
    }
    // No text contains surrogates, so a range is cut around them.
    let low = if is_surrogate(low) { 0xe000 } else { low };
    let high = if is_surrogate(high) { 0xd7ff } else { high };
    if let (true, Some(from), Some(to)) = (low <= high, literal(low), literal(high)) {
        *items += &from;
        if low != high {
            items.push('-');
            *items += &to;
        }
    }
    Ok(())
}

fn is_surrogate(code: u32) -> bool {
    (0xd800..=0xdfff).contains(&code)
}

fn one(at: &mut Cursor<'_>, class: usize) -> Result<u32, PatternError> {
    match at.peek() {
        None => Err(at.error(class, "missing closing ]")),
        Some('\\') => code_point(at),
        Some(c) => {
            at.next();
            Ok(u32::from(c))
        }
    }
}

/// Matches no text at all: what a lone surrogate outside a class comes to.
pub(super) const fn nothing() -> &'static str {
    NOTHING
}
