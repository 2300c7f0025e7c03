//! Writes the file. While somebody writes, the file is locked; so a reader that follows knows the end of it, also when
//! the writer was killed.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::line::{self, MOST_BYTES, Stream};
use crate::driver::clock;

/// Bytes that are read from a pipe at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;

/// A log file that is written; clones write to the same one.
#[derive(Clone, Debug)]
pub(in super::super) struct LogWriter(Arc<Mutex<File>>);

impl LogWriter {
    /// Makes the file. It appears under its name with the lock on it already.
    pub(in super::super) fn create(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let hidden = path.with_extension("new");
        let file = File::create(&hidden)?;
        file.lock()?;
        fs::rename(hidden, path)?;
        Ok(Self(Arc::new(Mutex::new(file))))
    }

    /// Writes what comes out of the pipe until it ends or the disk is full.
    pub(in super::super) fn copy(&self, stream: Stream, mut pipe: impl Read) {
        let mut chunk = vec![0; CHUNK];
        let mut held = Vec::new();
        loop {
            let read = match pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            held.extend_from_slice(&chunk[..read]);
            let lines = take_lines(&mut held, stream);
            if self.write(&lines).is_err() {
                return;
            }
        }
        if !held.is_empty() {
            let mut last = Vec::new();
            line::put(&mut last, clock::now(), stream, true, &held);
            // Nobody is left to be told.
            let _ = self.write(&last);
        }
    }

    fn write(&self, lines: &[u8]) -> io::Result<()> {
        // One call: streams don't cut each other's lines.
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write_all(lines)
    }
}

/// Takes all whole lines, and what is too long to wait for its end.
fn take_lines(held: &mut Vec<u8>, stream: Stream) -> Vec<u8> {
    let now = clock::now();
    let mut lines = Vec::new();
    let mut rest = held.as_slice();
    loop {
        let end = rest.iter().position(|byte| *byte == b'\n');
        match end {
            Some(end) if end <= MOST_BYTES => {
                line::put(&mut lines, now, stream, true, &rest[..end]);
                rest = &rest[end + 1..];
            }
            _ if rest.len() > MOST_BYTES => {
                line::put(&mut lines, now, stream, false, &rest[..MOST_BYTES]);
                rest = &rest[MOST_BYTES..];
            }
            _ => break,
        }
    }
    *held = rest.to_vec();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::kubelet::process::logs::line::Line;

    fn written(input: &[u8]) -> Vec<(bool, usize)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.log");
        LogWriter::create(&path).unwrap().copy(Stream::Out, input);
        let file = fs::read(path).unwrap();
        file.split(|b| *b == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| Line::parse(line).unwrap())
            .map(|line| (line.whole, line.text.len()))
            .collect()
    }

    #[test]
    fn lines_are_whole_also_the_last_without_an_end() {
        assert_eq!(written(b"one\n\nthree"), [(true, 3), (true, 0), (true, 5)]);
    }

    #[test]
    fn a_long_line_is_cut() {
        let mut long = vec![b'x'; MOST_BYTES + 10];
        long.push(b'\n');
        assert_eq!(written(&long), [(false, MOST_BYTES), (true, 10)]);
    }

    #[test]
    fn the_lock_is_held_as_long_as_somebody_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.log");
        let writer = LogWriter::create(&path).unwrap();
        let reader = File::open(path).unwrap();
        assert!(reader.try_lock_shared().is_err());
        drop(writer);
        assert!(reader.try_lock_shared().is_ok());
    }
}
