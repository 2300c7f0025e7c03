//! Lines of a container's log as the API server sends them with `timestamps=true`: cut out of the byte
//! stream, parted into time and text. Pure, and safe for whatever bytes a program writes.

use k8s_openapi::jiff::Timestamp;

/// Bytes of one line; what is longer is cut with a mark (cli.md 7). Enough for any stack trace, small
/// enough that 500 streams of garbage don't fill the memory.
pub const LINE_BYTES: usize = 1024 * 1024;

/// A time stamp with offset and nanoseconds has 35 characters; a first word that is longer is none.
const STAMP_BYTES: usize = 40;

/// How the kubelet begins its answer (200, as if it were the log) when the runtime has removed the
/// container and its log.
const LOG_IS_GONE: &[u8] = b"unable to retrieve container logs for ";

/// A line, parted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// When the container runtime read it; none for what the kubelet adds without a time.
    pub time: Option<Timestamp>,
    /// Text without time and line end, as the program wrote it (may not be UTF-8).
    pub text: Vec<u8>,
}

impl Stamped {
    /// Parts `RFC3339Nano SP text`. Anything else is text without a time.
    #[must_use]
    pub fn parse(line: &[u8]) -> Self {
        let end = line
            .iter()
            .take(STAMP_BYTES)
            .position(|b| *b == b' ')
            .unwrap_or_else(|| line.len().min(STAMP_BYTES));
        let stamp = std::str::from_utf8(&line[..end])
            .ok()
            .filter(|stamp| stamp.starts_with(|c: char| c.is_ascii_digit()))
            .and_then(|stamp| stamp.parse::<Timestamp>().ok());
        Self {
            text: match stamp {
                Some(_) => line.get(end + 1..).unwrap_or_default().to_vec(),
                None => line.to_vec(),
            },
            time: stamp,
        }
    }

    /// This is no line of the log: the kubelet says that the log is gone.
    #[must_use]
    pub fn log_is_gone(&self) -> bool {
        self.time.is_none() && self.text.starts_with(LOG_IS_GONE)
    }
}

/// Cuts lines out of chunks of bytes.
#[derive(Debug, Default)]
pub struct Cutter {
    line: Vec<u8>,
    /// Bytes of the current line beyond [`LINE_BYTES`].
    beyond: usize,
}

impl Cutter {
    /// Takes bytes up to and including the first line end. Gives how many were taken, and the line if
    /// it is complete.
    pub fn take(&mut self, chunk: &[u8]) -> (usize, Option<Vec<u8>>) {
        let end = chunk.iter().position(|b| *b == b'\n');
        let bytes = &chunk[..end.unwrap_or(chunk.len())];
        let room = LINE_BYTES.saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.beyond += bytes.len().saturating_sub(room);
        match end {
            Some(end) => (end + 1, Some(self.finish())),
            None => (bytes.len(), None),
        }
    }

    /// What stands there without a line end; none if there is nothing.
    pub fn rest(&mut self) -> Option<Vec<u8>> {
        (!self.line.is_empty()).then(|| self.finish())
    }

    fn finish(&mut self) -> Vec<u8> {
        let mut line = std::mem::take(&mut self.line);
        let beyond = std::mem::take(&mut self.beyond);
        if beyond > 0 {
            line.extend_from_slice(format!(" [cut here, {beyond} more bytes]").as_bytes());
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> (Option<String>, String) {
        let line = Stamped::parse(line.as_bytes());
        (
            line.time.map(|t| t.to_string()),
            String::from_utf8(line.text).unwrap(),
        )
    }

    #[test]
    fn parts_time_and_text() {
        for (line, time, text) in [
            (
                "2026-12-01T09:58:03.114000000Z step 1",
                Some("2026-12-01T09:58:03.114Z"),
                "step 1",
            ),
            // A node with a local time zone writes an offset.
            (
                "2026-12-01T10:58:03.114+01:00 step 1",
                Some("2026-12-01T09:58:03.114Z"),
                "step 1",
            ),
            (
                "2026-12-01T09:58:03Z  indented ",
                Some("2026-12-01T09:58:03Z"),
                " indented ",
            ),
            (
                "2026-12-01T09:58:03.000000001Z ",
                Some("2026-12-01T09:58:03.000000001Z"),
                "",
            ),
            ("2026-12-01T09:58:03Z", Some("2026-12-01T09:58:03Z"), ""),
            (
                "failed to watch file: no space left",
                None,
                "failed to watch file: no space left",
            ),
            ("12 monkeys", None, "12 monkeys"),
            ("", None, ""),
            (" ", None, " "),
        ] {
            assert_eq!(
                parsed(line),
                (time.map(str::to_owned), text.to_owned()),
                "{line:?}"
            );
        }
    }

    #[test]
    fn knows_what_the_kubelet_says_from_what_the_program_says() {
        let said = b"unable to retrieve container logs for containerd://1ed64d";
        assert!(Stamped::parse(said).log_is_gone());
        let program = [b"2026-12-01T09:58:03Z ", &said[..]].concat();
        assert!(!Stamped::parse(&program).log_is_gone());
    }

    #[test]
    fn bytes_that_are_not_utf8_stay() {
        let line = Stamped::parse(b"2026-12-01T09:58:03Z \xff\xfe\x00x");
        assert_eq!(line.text, b"\xff\xfe\x00x");
        assert_eq!(Stamped::parse(b"\xff\xfe x").text, b"\xff\xfe x");
    }

    fn lines(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
        let mut cutter = Cutter::default();
        let mut lines = Vec::new();
        for chunk in chunks {
            let mut chunk = *chunk;
            while !chunk.is_empty() {
                let (taken, line) = cutter.take(chunk);
                lines.extend(line);
                chunk = &chunk[taken..];
            }
        }
        (lines, cutter.rest())
    }

    #[test]
    fn cuts_wherever_the_chunks_end() {
        let whole = b"one\n\ntwo\nthree";
        let expected = (
            vec![b"one".to_vec(), vec![], b"two".to_vec()],
            Some(b"three".to_vec()),
        );
        for at in 0..whole.len() {
            let (a, b) = whole.split_at(at);
            assert_eq!(lines(&[a, b]), expected, "split at {at}");
        }
        assert_eq!(lines(&[b"one\n"]).1, None);
    }

    #[test]
    fn a_line_of_any_length_is_cut_with_a_mark() {
        let long = vec![b'x'; LINE_BYTES + 7];
        let (lines, rest) = lines(&[&long, b"\nnext\n"]);
        assert_eq!(rest, None);
        assert_eq!(lines[1], b"next");
        assert!(lines[0].ends_with(b"x [cut here, 7 more bytes]"));
        assert_eq!(lines[0].iter().filter(|b| **b == b'x').count(), LINE_BYTES);
        // Just as long as allowed: whole.
        let (lines, _) = super::tests::lines(&[&vec![b'x'; LINE_BYTES], b"\n"]);
        assert_eq!(lines[0].len(), LINE_BYTES);
    }
}
