//! Escapes of Go's dialect: `\n`, `\x{1F600}`, `\101`, and everything that is a letter after a backslash.

use crate::engine::pattern::PatternError;
use crate::engine::pattern::parse::Cursor;

/// Largest code point.
const MAX_RUNE: u32 = 0x0010_ffff;

/// Reads an escape that stands for one code point; the cursor is at the backslash. The code point may be a
/// surrogate (`\x{D800}`), which no text contains.
pub(super) fn code_point(at: &mut Cursor<'_>) -> Result<u32, PatternError> {
    let start = at.offset();
    at.next();
    let Some(c) = at.next() else {
        return Err(at.error(start, "trailing backslash at end of expression"));
    };
    let invalid = |at: &Cursor<'_>| {
        let text = at.since(start);
        at.error(start, &format!("invalid escape sequence `{text}`"))
    };
    match c {
        // A single digit would be a backreference, which RE2 doesn't have.
        '1'..='7' if !at.peek().is_some_and(is_octal) => Err(invalid(at)),
        '0'..='7' => {
            let mut value = u32::from(c) - u32::from('0');
            for _ in 0..2 {
                match at.peek().filter(|c| is_octal(*c)) {
                    Some(digit) => {
                        at.next();
                        value = value * 8 + (u32::from(digit) - u32::from('0'));
                    }
                    None => break,
                }
            }
            Ok(value)
        }
        'x' => hex(at).ok_or_else(|| invalid(at)),
        'a' => Ok(7),
        'f' => Ok(12),
        'n' => Ok(10),
        'r' => Ok(13),
        't' => Ok(9),
        'v' => Ok(11),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok(u32::from(c)),
        _ => Err(invalid(at)),
    }
}

fn is_octal(c: char) -> bool {
    ('0'..='7').contains(&c)
}

/// After `\x`: two hex digits, or any number of them in braces.
fn hex(at: &mut Cursor<'_>) -> Option<u32> {
    let first = at.next()?;
    if first != '{' {
        let high = first.to_digit(16)?;
        let low = at.next()?.to_digit(16)?;
        return Some(high * 16 + low);
    }
    let mut value = 0;
    let mut digits = 0;
    loop {
        match at.next()? {
            '}' => return (digits > 0).then_some(value),
            c => {
                value = value * 16 + c.to_digit(16)?;
                digits += 1;
                if value > MAX_RUNE {
                    return None;
                }
            }
        }
    }
}

/// One code point as `regex` reads it, in or outside a class. None for surrogates.
pub(super) fn literal(code: u32) -> Option<String> {
    char::from_u32(code).map(|c| {
        if c.is_ascii_alphanumeric() {
            c.to_string()
        } else {
            format!("\\x{{{code:X}}}")
        }
    })
}
