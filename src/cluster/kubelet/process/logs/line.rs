//! One line of a log file: time, stream, whether it is a whole line, text.

use k8s_openapi::jiff::Timestamp;

/// Where a line was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Text of one line after which a runtime starts another, as containerd does.
pub(super) const MOST_BYTES: usize = 16 * 1024;

/// Appends the line.
pub(super) fn put(to: &mut Vec<u8>, at: Timestamp, stream: Stream, whole: bool, text: &[u8]) {
    let stream = match stream {
        Stream::Out => "stdout",
        Stream::Err => "stderr",
    };
    let tag = if whole { 'F' } else { 'P' };
    to.extend(format!("{at:.9} {stream} {tag} ").bytes());
    to.extend(text);
    to.push(b'\n');
}

/// A line taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) at: &'a str,
    pub(super) whole: bool,
    pub(super) text: &'a [u8],
}

impl<'a> Line<'a> {
    /// Of a line without its end; `None` if it isn't one.
    pub(super) fn parse(line: &'a [u8]) -> Option<Self> {
        let mut parts = line.splitn(4, |byte| *byte == b' ');
        let at = std::str::from_utf8(parts.next()?).ok()?;
        let _stream = parts.next()?;
        let whole = parts.next()? == b"F";
        let text = parts.next()?;
        Some(Self { at, whole, text })
    }

    /// When it was written.
    pub(super) fn time(&self) -> Option<Timestamp> {
        self.at.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_back_as_it_was_put() {
        let at = "2026-12-01T09:00:00.5Z".parse().unwrap();
        let mut file = Vec::new();
        put(&mut file, at, Stream::Err, false, b" two  words ");
        assert_eq!(
            String::from_utf8_lossy(&file),
            "2026-12-01T09:00:00.500000000Z stderr P  two  words \n"
        );
        let line = Line::parse(&file[..file.len() - 1]).unwrap();
        assert_eq!((line.whole, line.text), (false, &b" two  words "[..]));
        assert_eq!(line.time(), Some(at));
    }
}
