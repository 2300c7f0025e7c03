//! Reads the file, as the parameters of a pod's `/log` say.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use k8s_openapi::api::core::v1::ContainerStatus;
use k8s_openapi::jiff::Timestamp;

use super::line::Line;

/// How often a file that is followed is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// The parameters of `/log` that are about the text; `sinceSeconds` as a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Go on until the container ends.
    pub follow: bool,
    /// Each line begins with its time.
    pub timestamps: bool,
    /// The last lines only.
    pub tail_lines: Option<u64>,
    /// Lines of that time and later.
    pub since: Option<Timestamp>,
    /// End after that many bytes, be it inside of a line.
    pub limit_bytes: Option<u64>,
}

/// The number of the run of a container whose output is meant: [`LogReader::open`] takes it.
///
/// # Errors
/// There is none, in the kubelet's words.
pub fn which(pod: &str, status: &ContainerStatus, previous: bool) -> Result<i32, String> {
    let name = &status.name;
    let state = status.state.as_ref();
    let waiting = state.is_none_or(|s| s.running.is_none() && s.terminated.is_none());
    let ended_before = status
        .last_state
        .as_ref()
        .is_some_and(|s| s.terminated.is_some());
    let count = status.restart_count;
    match (waiting, previous) {
        // While it waits to be restarted, the run that has ended is the current and the previous one.
        (true, _) if ended_before => Ok(count),
        (_, true) if !ended_before => Err(format!(
            "previous terminated container \"{name}\" in pod \"{pod}\" not found"
        )),
        (false, true) => Ok(count - 1),
        (false, false) => Ok(count),
        (true, _) => {
            let reason = state
                .and_then(|s| s.waiting.as_ref()?.reason.as_deref())
                .unwrap_or("ContainerCreating");
            Err(format!(
                "container \"{name}\" in pod \"{pod}\" is waiting to start: {reason}"
            ))
        }
    }
}

/// Text of a log, piece by piece.
#[derive(Debug)]
pub struct LogReader {
    file: File,
    options: LogOptions,
    /// Read and not yet a whole line.
    held: Vec<u8>,
    /// Bytes that may still be given.
    left: u64,
    /// The text given last ended inside of a line.
    inside: bool,
}

impl LogReader {
    /// Opens the log of run `number` of the container whose folder that is.
    ///
    /// # Errors
    /// The file can't be read: the container could not be started.
    pub fn open(folder: &Path, number: i32, options: LogOptions) -> io::Result<Self> {
        Self::of_file(&path(folder, number), options)
    }

    fn of_file(path: &Path, options: LogOptions) -> io::Result<Self> {
        let mut file = File::open(path)?;
        if let Some(lines) = options.tail_lines {
            let start = tail(&mut file, lines)?;
            file.seek(SeekFrom::Start(start))?;
        }
        Ok(Self {
            left: options.limit_bytes.unwrap_or(u64::MAX),
            file,
            options,
            held: Vec::new(),
            inside: false,
        })
    }

    /// The next piece of text; `None` at the end. Waits while the log is followed and still written.
    ///
    /// # Errors
    /// The file can't be read.
    pub async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if self.left == 0 {
                return Ok(None);
            }
            // Asked before the last look: what is written until the lock goes is seen by it.
            let complete = !self.options.follow || self.file.try_lock_shared().is_ok();
            if complete && self.options.follow {
                self.file.unlock()?;
            }
            let mut chunk = vec![0; CHUNK];
            let read = self.file.read(&mut chunk)?;
            if read == 0 {
                if complete {
                    return Ok(None);
                }
                tokio::time::sleep(LOOK).await;
                continue;
            }
            self.held.extend_from_slice(&chunk[..read]);
            let text = self.take();
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
    }

    fn take(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            if let Some(line) = Line::parse(&rest[..end])
                && self.wanted(&line)
            {
                if self.options.timestamps && !self.inside {
                    text.extend(line.at.bytes());
                    text.push(b' ');
                }
                text.extend(line.text);
                self.inside = !line.whole;
                if line.whole {
                    text.push(b'\n');
                }
            }
            rest = &rest[end + 1..];
        }
        self.held = rest.to_vec();
        text.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= text.len() as u64;
        text
    }

    fn wanted(&self, line: &Line<'_>) -> bool {
        self.options
            .since
            .is_none_or(|since| line.time().is_none_or(|at| at >= since))
    }
}

/// The file of run `number`.
pub(in super::super) fn path(folder: &Path, number: i32) -> PathBuf {
    folder.join(format!("{number}.log"))
}

/// The last bytes of a log as a message, as `FallbackToLogsOnError` has it: at most that many lines and bytes.
pub(in super::super) fn last(path: &Path, lines: u64, bytes: usize) -> io::Result<String> {
    let mut reader = LogReader::of_file(
        path,
        LogOptions {
            tail_lines: Some(lines),
            ..LogOptions::default()
        },
    )?;
    let mut all = Vec::new();
    reader.file.read_to_end(&mut reader.held)?;
    all.extend(reader.take());
    let start = all.len().saturating_sub(bytes);
    Ok(String::from_utf8_lossy(&all[start..]).into_owned())
}

/// Where the last `lines` lines of the file begin.
fn tail(file: &mut File, lines: u64) -> io::Result<u64> {
    let length = file.seek(SeekFrom::End(0))?;
    if lines == 0 {
        return Ok(length);
    }
    let mut end = length;
    let mut seen = 0;
    while end > 0 {
        let start = end.saturating_sub(CHUNK as u64);
        let mut chunk = vec![0; usize::try_from(end - start).unwrap_or(CHUNK)];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut chunk)?;
        for (index, _) in chunk
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, byte)| **byte == b'\n')
        {
            let after = start + index as u64 + 1;
            // The end of the last line is no start of one.
            if after == length {
                continue;
            }
            seen += 1;
            if seen == lines {
                return Ok(after);
            }
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    const FILE: &str = "2026-12-01T09:00:00.000000000Z stdout F one\n\
                        2026-12-01T09:00:01.000000000Z stderr F two\n\
                        2026-12-01T09:00:02.000000000Z stdout P thr\n\
                        2026-12-01T09:00:02.000000001Z stdout F ee\n";

    async fn text(options: LogOptions) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(path(folder.path(), 0), FILE).unwrap();
        let mut reader = LogReader::open(folder.path(), 0, options).unwrap();
        let mut text = Vec::new();
        while let Some(piece) = reader.next().await.unwrap() {
            text.extend(piece);
        }
        String::from_utf8(text).unwrap()
    }

    #[tokio::test]
    async fn each_parameter_does_what_it_says() {
        let plain = LogOptions::default();
        assert_eq!(text(plain.clone()).await, "one\ntwo\nthree\n");
        let tail = LogOptions {
            tail_lines: Some(3),
            ..plain.clone()
        };
        assert_eq!(text(tail).await, "two\nthree\n");
        let none = LogOptions {
            tail_lines: Some(0),
            ..plain.clone()
        };
        assert_eq!(text(none).await, "");
        let since = LogOptions {
            since: "2026-12-01T09:00:01Z".parse().ok(),
            ..plain.clone()
        };
        assert_eq!(text(since).await, "two\nthree\n");
        let cut = LogOptions {
            limit_bytes: Some(5),
            ..plain.clone()
        };
        assert_eq!(text(cut).await, "one\nt");
        let times = LogOptions {
            timestamps: true,
            tail_lines: Some(2),
            ..plain
        };
        assert_eq!(text(times).await, "2026-12-01T09:00:02.000000000Z three\n");
    }

    #[tokio::test]
    async fn following_ends_when_the_writer_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), 0);
        let writer = crate::cluster::kubelet::process::logs::LogWriter::create(&path).unwrap();
        let (pipe, mut end) = std::io::pipe().unwrap();
        let thread = std::thread::spawn(move || writer.copy(super::super::Stream::Out, pipe));
        let mut reader = LogReader::open(
            folder.path(),
            0,
            LogOptions {
                follow: true,
                ..LogOptions::default()
            },
        )
        .unwrap();
        end.write_all(b"first\n").unwrap();
        assert_eq!(reader.next().await.unwrap().unwrap(), b"first\n");
        end.write_all(b"second\n").unwrap();
        assert_eq!(reader.next().await.unwrap().unwrap(), b"second\n");
        drop(end);
        thread.join().unwrap();
        assert_eq!(reader.next().await.unwrap(), None);
    }
}
