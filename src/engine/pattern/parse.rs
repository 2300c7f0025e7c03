//! Reads a pattern by the rules of Go's `regexp/syntax` (Perl flags) and writes it anew for `regex`. Flags
//! are worked out here and put on the single atoms, so that nothing depends on how the other dialect
//! scopes them.

use crate::engine::pattern::PatternError;
use crate::engine::pattern::class;
use crate::engine::pattern::escape::{code_point, literal};

/// Most groups inside groups. Go allows 1,000; a message pattern needs three, and `regex` has its own
/// limit of 250 levels, of which a repeated group takes three.
const MAX_NESTING: usize = 75;
/// Go's limit on a repeat count, and on the product of nested ones.
const MAX_REPEAT: u32 = 1000;
/// Go gives up on patterns that expand to about 3.3 million instructions; a pattern in a manifest that is
/// longer than this many bytes is refused here.
const MAX_PATTERN_BYTES: usize = 16 * 1024;

/// The pattern in `regex`'s dialect.
pub(super) fn translate(pattern: &str) -> Result<String, PatternError> {
    let mut at = Cursor {
        text: pattern,
        offset: 0,
    };
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(at.error(0, "the pattern is too large"));
    }
    let mut parser = Parser {
        flags: Flags::default(),
        group: Group::default(),
        outer: Vec::new(),
    };
    let mut last_repeat: Option<usize> = None;
    while at.peek().is_some() {
        last_repeat = parser.step(&mut at, last_repeat)?;
    }
    if !parser.outer.is_empty() {
        return Err(at.error(parser.group.start, "missing closing )"));
    }
    Ok(parser.group.finish().text)
}

/// Reading position in a pattern.
pub(super) struct Cursor<'p> {
    text: &'p str,
    offset: usize,
}

impl<'p> Cursor<'p> {
    pub(super) fn rest(&self) -> &'p str {
        &self.text[self.offset..]
    }
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    /// The character after a backslash, if the cursor is at one.
    pub(super) fn peek_escape(&self) -> Option<char> {
        self.rest().strip_prefix('\\')?.chars().next()
    }
    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.offset += c.len_utf8();
        Some(c)
    }
    pub(super) fn skip(&mut self, bytes: usize) {
        self.offset += bytes;
    }
    pub(super) fn take(&mut self, text: &str) -> bool {
        let there = self.rest().starts_with(text);
        if there {
            self.offset += text.len();
        }
        there
    }
    pub(super) fn offset(&self) -> usize {
        self.offset
    }
    pub(super) fn since(&self, start: usize) -> &'p str {
        &self.text[start..self.offset]
    }
    pub(super) fn slice(&self, from: usize, to: usize) -> &'p str {
        &self.text[from..to]
    }
    pub(super) fn error(&self, offset: usize, message: &str) -> PatternError {
        PatternError {
            offset,
            message: message.to_owned(),
        }
    }
}

/// Flags that are on.
#[derive(Clone, Copy, Default)]
struct Flags {
    fold: bool,
    multi_line: bool,
    dot_newline: bool,
    swap_greed: bool,
}

/// Something that a repetition applies to.
#[derive(Default)]
struct Atom {
    text: String,
    /// Counted repetitions inside, for Go's limit on their product.
    repeats: Vec<Repeat>,
}

struct Repeat {
    count: u32,
    inner: Vec<Self>,
}

/// A group that is still open, or the whole pattern.
#[derive(Default)]
struct Group {
    /// Offset of its parenthesis.
    start: usize,
    /// Flags to go back to when it closes.
    flags: Flags,
    /// Alternatives that are complete.
    done: Vec<Atom>,
    atoms: Vec<Atom>,
}

impl Group {
    fn end_alternative(&mut self) {
        let mut whole = Atom::default();
        for atom in self.atoms.drain(..) {
            whole.text += &atom.text;
            whole.repeats.extend(atom.repeats);
        }
        self.done.push(whole);
    }
    fn finish(mut self) -> Atom {
        self.end_alternative();
        let texts: Vec<_> = self.done.iter().map(|a| a.text.as_str()).collect();
        Atom {
            text: format!("(?:{})", texts.join("|")),
            repeats: self.done.into_iter().flat_map(|a| a.repeats).collect(),
        }
    }
}

struct Parser {
    flags: Flags,
    group: Group,
    outer: Vec<Group>,
}

impl Parser {
    /// Reads one thing. Gives the offset of a repetition operator, if it was one, since Go refuses two
    /// in a row.
    fn step(
        &mut self,
        at: &mut Cursor<'_>,
        last_repeat: Option<usize>,
    ) -> Result<Option<usize>, PatternError> {
        let start = at.offset();
        match at.peek() {
            Some('(') if at.rest().starts_with("(?") => self.special_group(at)?,
            Some('(') => {
                at.next();
                self.open(at, start, self.flags)?;
            }
            Some('|') => {
                at.next();
                self.group.end_alternative();
            }
            Some(')') => {
                at.next();
                let Some(outer) = self.outer.pop() else {
                    return Err(at.error(start, "unexpected )"));
                };
                let closed = std::mem::replace(&mut self.group, outer);
                self.flags = closed.flags;
                let atom = closed.finish();
                self.group.atoms.push(atom);
            }
            Some('^') => {
                at.next();
                self.push(if self.flags.multi_line {
                    "(?m:^)"
                } else {
                    r"\A"
                });
            }
            Some('$') => {
                at.next();
                self.push(if self.flags.multi_line {
                    "(?m:$)"
                } else {
                    r"\z"
                });
            }
            Some('.') => {
                at.next();
                self.push(if self.flags.dot_newline {
                    "(?s:.)"
                } else {
                    r"[^\n]"
                });
            }
            Some('[') => {
                let class = class::bracketed(at)?;
                self.push_folded(&class);
            }
            Some(op @ ('*' | '+' | '?')) => {
                at.next();
                let (min, max) = match op {
                    '*' => (0, None),
                    '+' => (1, None),
                    _ => (0, Some(1)),
                };
                self.repeat(at, start, last_repeat, min, max, false)?;
                return Ok(Some(last_repeat.unwrap_or(start)));
            }
            Some('{') => {
                if let Some((min, max, length)) = counted(at.rest()) {
                    at.skip(length);
                    if min > MAX_REPEAT || max.is_some_and(|m| m > MAX_REPEAT || m < min) {
                        let text = at.since(start);
                        return Err(at.error(start, &format!("invalid repeat count: `{text}`")));
                    }
                    self.repeat(at, start, last_repeat, min, max, true)?;
                    return Ok(Some(last_repeat.unwrap_or(start)));
                }
                at.next();
                self.push_code(u32::from('{'));
            }
            Some('\\') => self.escape(at)?,
            Some(c) => {
                at.next();
                self.push_code(u32::from(c));
            }
            None => {}
        }
        Ok(None)
    }

    fn escape(&mut self, at: &mut Cursor<'_>) -> Result<(), PatternError> {
        let assertion = match at.peek_escape() {
            Some('A') => Some(r"\A"),
            Some('z') => Some(r"\z"),
            Some('b') => Some(r"(?-u:\b)"),
            Some('B') => Some(r"(?-u:\B)"),
            _ => None,
        };
        if let Some(assertion) = assertion {
            at.skip(2);
            self.push(assertion);
        } else if at.take(r"\Q") {
            let rest = at.rest();
            let (text, length) = rest
                .find(r"\E")
                .map_or((rest, rest.len()), |end| (&rest[..end], end + 2));
            for c in text.chars() {
                self.push_code(u32::from(c));
            }
            at.skip(length);
        } else if let Some(class) = class::unicode(at) {
            let class = class?;
            self.push_folded(&class);
        } else if let Some(class) = class::perl(at) {
            self.push_folded(class);
        } else {
            let code = code_point(at)?;
            self.push_code(code);
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.group.atoms.push(Atom {
            text: text.to_owned(),
            repeats: Vec::new(),
        });
    }
    fn push_folded(&mut self, text: &str) {
        if self.flags.fold {
            self.push(&format!("(?i:{text})"));
        } else {
            self.push(text);
        }
    }
    fn push_code(&mut self, code: u32) {
        match literal(code) {
            Some(text) => self.push_folded(&text),
            None => self.push(class::nothing()),
        }
    }

    fn open(&mut self, at: &Cursor<'_>, start: usize, inner: Flags) -> Result<(), PatternError> {
        if self.outer.len() >= MAX_NESTING {
            return Err(at.error(start, "expression nests too deeply"));
        }
        let group = Group {
            start,
            flags: self.flags,
            ..Group::default()
        };
        self.outer.push(std::mem::replace(&mut self.group, group));
        self.flags = inner;
        Ok(())
    }

    /// `(?P<name>`, `(?<name>`, `(?flags:` and `(?flags)`.
    fn special_group(&mut self, at: &mut Cursor<'_>) -> Result<(), PatternError> {
        let start = at.offset();
        let rest = at.rest();
        let named = rest
            .strip_prefix("(?P<")
            .or_else(|| rest.strip_prefix("(?<"));
        if let Some(named) = named {
            let Some(end) = named.find('>') else {
                return Err(at.error(start, &format!("invalid named capture: `{rest}`")));
            };
            let name = &named[..end];
            at.skip(rest.len() - named.len() + end + 1);
            let valid =
                !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
            if !valid {
                let text = at.since(start);
                return Err(at.error(start, &format!("invalid named capture: `{text}`")));
            }
            return self.open(at, start, self.flags);
        }
        at.skip(2);
        let mut flags = self.flags;
        let mut on = true;
        let mut saw_flag = false;
        loop {
            match at.next() {
                Some('i') => flags.fold = on,
                Some('m') => flags.multi_line = on,
                Some('s') => flags.dot_newline = on,
                Some('U') => flags.swap_greed = on,
                Some('-') if on => {
                    on = false;
                    saw_flag = false;
                    continue;
                }
                Some(':') if on || saw_flag => return self.open(at, start, flags),
                Some(')') if on || saw_flag => {
                    self.flags = flags;
                    return Ok(());
                }
                _ => {
                    let text = at.since(start);
                    return Err(at.error(
                        start,
                        &format!("invalid or unsupported Perl syntax: `{text}`"),
                    ));
                }
            }
            saw_flag = true;
        }
    }

    fn repeat(
        &mut self,
        at: &mut Cursor<'_>,
        start: usize,
        last_repeat: Option<usize>,
        min: u32,
        max: Option<u32>,
        is_counted: bool,
    ) -> Result<(), PatternError> {
        let lazy = at.take("?") != self.flags.swap_greed;
        if let Some(first) = last_repeat {
            let text = at.since(first);
            return Err(at.error(
                first,
                &format!("invalid nested repetition operator: `{text}`"),
            ));
        }
        let text = at.since(start);
        let Some(mut atom) = self.group.atoms.pop() else {
            return Err(at.error(
                start,
                &format!("missing argument to repetition operator: `{text}`"),
            ));
        };
        let operator = match max {
            Some(max) => format!("{{{min},{max}}}"),
            None => format!("{{{min},}}"),
        };
        atom.text = format!("(?:{}){operator}{}", atom.text, if lazy { "?" } else { "" });
        if is_counted {
            atom.repeats = vec![Repeat {
                count: max.unwrap_or(min),
                inner: atom.repeats,
            }];
            if (min >= 2 || max.is_some_and(|m| m >= 2)) && !product_fits(&atom.repeats, MAX_REPEAT)
            {
                return Err(at.error(start, &format!("invalid repeat count: `{text}`")));
            }
        }
        self.group.atoms.push(atom);
        Ok(())
    }
}

/// Go's limit: going inwards, the counts divide the budget.
fn product_fits(repeats: &[Repeat], budget: u32) -> bool {
    repeats.iter().all(|r| match r.count {
        0 => true,
        count if count > budget => false,
        count => product_fits(&r.inner, budget / count),
    })
}

/// `{n}`, `{n,}` or `{n,m}` at the start of `text`: smallest, largest, length in bytes. Anything else is
/// literal text to Go.
fn counted(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let inside = &text[1..text.find('}')?];
    let length = inside.len() + 2;
    let number = |digits: &str| {
        let valid = digits.bytes().all(|b| b.is_ascii_digit())
            && !digits.is_empty()
            && (digits == "0" || !digits.starts_with('0'));
        // More digits than a number holds is too large all the same.
        valid.then(|| digits.parse::<u32>().unwrap_or(u32::MAX))
    };
    match inside.split_once(',') {
        None => {
            let n = number(inside)?;
            Some((n, Some(n), length))
        }
        Some((min, "")) => Some((number(min)?, None, length)),
        Some((min, max)) => Some((number(min)?, Some(number(max)?), length)),
    }
}
