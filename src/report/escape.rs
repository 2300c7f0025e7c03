//! Text that came from the cluster, made harmless for a terminal and for one-line formats
//! (cli.md 6.5). Whoever writes a pod's message must not be able to move the cursor, change the
//! title or start a new line in our output.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes everything but printable text and tab: C0 controls and DEL as carets (`ESC` → `^[`, line
/// end → `^J`), C1 controls, line separators and text-direction overrides as `<U+XXXX>`. Line ends at
/// the end are dropped. For names, messages and kept lines: all that is not a streamed log payload.
#[must_use]
pub fn text(s: &str) -> Cow<'_, str> {
    let s = s.trim_end_matches(['\n', '\r']);
    if !s.chars().any(is_unsafe) {
        return Cow::Borrowed(s);
    }
    let mut out = String::with_capacity(s.len() + 8);
    for c in s.chars() {
        push_escaped(&mut out, c);
    }
    Cow::Owned(out)
}

/// Several lines: split at line ends, each one through [`text`].
pub fn lines(s: &str) -> impl Iterator<Item = Cow<'_, str>> {
    s.lines().map(text)
}

/// A log line for a terminal: colours (SGR sequences) stay, other escape sequences are taken out,
/// other controls but tab are shown as in [`text`]. A line that sets colours ends with a reset, so
/// that it can't colour its neighbours.
#[must_use]
pub fn log(s: &str) -> Cow<'_, str> {
    let s = s.trim_end_matches(['\n', '\r']);
    if !s.chars().any(is_unsafe) {
        return Cow::Borrowed(s);
    }
    let mut out = String::with_capacity(s.len() + 8);
    let mut rest = s;
    let mut coloured = false;
    while let Some(c) = rest.chars().next() {
        if matches!(c, '\u{1b}' | '\u{9b}') {
            match sequence(rest) {
                Some(Sequence { len, colour }) => {
                    if colour {
                        out.push_str(&rest[..len]);
                        coloured = !matches!(&rest[..len], "\u{1b}[m" | "\u{1b}[0m");
                    }
                    rest = &rest[len..];
                    continue;
                }
                None => push_escaped(&mut out, c),
            }
        } else {
            push_escaped(&mut out, c);
        }
        rest = &rest[c.len_utf8()..];
    }
    if coloured {
        out.push_str("\u{1b}[0m");
    }
    Cow::Owned(out)
}

struct Sequence {
    len: usize,
    colour: bool,
}

/// The escape sequence at the start of `s` (ECMA-48: CSI, the string sequences, two-byte ones), or
/// none if it isn't complete.
fn sequence(s: &str) -> Option<Sequence> {
    let mut chars = s.char_indices();
    let (_, first) = chars.next()?;
    let kind = if first == '\u{9b}' {
        '['
    } else {
        chars.next()?.1
    };
    match kind {
        '[' => {
            let mut plain = first == '\u{1b}';
            for (at, c) in chars {
                match c {
                    '0'..='9' | ';' | ':' => {}
                    ' '..='?' => plain = false,
                    '@'..='~' => {
                        return Some(Sequence {
                            len: at + c.len_utf8(),
                            colour: plain && c == 'm',
                        });
                    }
                    _ => return None,
                }
            }
            None
        }
        // OSC, DCS, SOS, PM, APC: up to BEL or ST.
        ']' | 'P' | 'X' | '^' | '_' => {
            let mut previous = ' ';
            for (at, c) in chars {
                if c == '\u{7}' || c == '\u{9c}' || (previous == '\u{1b}' && c == '\\') {
                    return Some(Sequence {
                        len: at + c.len_utf8(),
                        colour: false,
                    });
                }
                previous = c;
            }
            None
        }
        // Intermediates, then one final byte (`ESC ( B`, `ESC 7`).
        ' '..='~' => {
            let mut end = 1 + kind.len_utf8();
            let mut last = kind;
            for (at, c) in chars {
                if !(' '..='/').contains(&last) {
                    break;
                }
                if !(' '..='~').contains(&c) {
                    return None;
                }
                (end, last) = (at + c.len_utf8(), c);
            }
            (!(' '..='/').contains(&last)).then_some(Sequence {
                len: end,
                colour: false,
            })
        }
        _ => None,
    }
}

fn is_unsafe(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\t' => out.push(c),
        '\u{0}'..='\u{1f}' => {
            out.push('^');
            out.push(char::from(c as u8 + b'@'));
        }
        '\u{7f}' => out.push_str("^?"),
        _ if is_unsafe(c) => {
            let _ = write!(out, "<U+{:04X}>", u32::from(c));
        }
        _ => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_controls() {
        let table = [
            ("plain ünïcode\twith tab", "plain ünïcode\twith tab"),
            ("\u{1b}[31mred", "^[[31mred"),
            ("a\rb", "a^Mb"),
            ("two\nlines", "two^Jlines"),
            ("ends\r\n", "ends"),
            ("\u{0}\u{7}\u{7f}", "^@^G^?"),
            ("\u{9b}2J", "<U+009B>2J"),
            ("abc\u{202e}fed", "abc<U+202E>fed"),
        ];
        for (given, want) in table {
            assert_eq!(text(given), want, "{given:?}");
        }
    }

    #[test]
    fn log_keeps_colours_only() {
        let table = [
            ("plain", "plain"),
            ("\u{1b}[1;31mred\u{1b}[0m", "\u{1b}[1;31mred\u{1b}[0m"),
            ("\u{1b}[38:5:9mred", "\u{1b}[38:5:9mred\u{1b}[0m"),
            ("a\u{1b}[2Jb\u{1b}[10;3Hc", "abc"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://a\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bx\u{1b}7y", "xy"),
            ("\u{1b}[?25lx", "x"),
            ("\u{1b}[>4mx", "x"),
            ("\u{9b}31mx", "x"),
            ("\u{1b}]0;never ends", "^[]0;never ends"),
            ("\u{1b}[31", "^[[31"),
            ("tail\u{1b}", "tail^["),
            (" 5%\r 6%\r\n", " 5%^M 6%"),
            ("beep\u{7}", "beep^G"),
        ];
        for (given, want) in table {
            assert_eq!(log(given), want, "{given:?}");
        }
    }

    #[test]
    fn nothing_unsafe_survives() {
        for c in (0..0x2100).filter_map(char::from_u32) {
            let given = format!("a{c}b");
            assert!(!text(&given).chars().any(is_unsafe), "{given:?}");
            assert!(!log(&given).chars().any(is_unsafe), "{given:?}");
        }
    }
}
