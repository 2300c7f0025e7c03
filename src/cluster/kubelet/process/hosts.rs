//! The hosts file that all containers of a run see as `/etc/hosts`. It is changed in place, line by line, while others
//! read it: a line that goes becomes a comment of the same length, and a new one is added at the end or takes the place
//! of a comment, so that no reader ever sees half a name.

use std::fs::{File, OpenOptions};
use std::io;
use std::net::Ipv4Addr;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// The file, and where its lines are.
#[derive(Debug)]
pub(super) struct Hosts {
    file: File,
    end: u64,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    start: u64,
    /// With its end.
    length: usize,
    /// None: a comment, free to be used.
    names: Option<String>,
}

impl Hosts {
    /// Makes the file; it begins as the machine's own.
    pub(super) fn create(path: &Path, machine: &str) -> io::Result<Self> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        let mut text = machine.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        file.write_all_at(text.as_bytes(), 0)?;
        Ok(Self {
            file,
            end: text.len() as u64,
            lines: Vec::new(),
        })
    }

    /// Makes the file say just these, each an address and its names: lines that are there stay where they are.
    pub(super) fn set(&mut self, wanted: &[(Ipv4Addr, Vec<String>)]) -> io::Result<()> {
        let wanted: Vec<String> = wanted
            .iter()
            .map(|(address, names)| format!("{address} {}", names.join(" ")))
            .collect();
        // New ones first: a pod that is replaced has a name at every moment.
        for line in &wanted {
            if !self.lines.iter().any(|l| l.names.as_ref() == Some(line)) {
                self.add(line)?;
            }
        }
        for line in &mut self.lines {
            if line.names.as_ref().is_some_and(|n| !wanted.contains(n)) {
                line.names = None;
                let blank = format!("#{}\n", " ".repeat(line.length - 2));
                self.file.write_all_at(blank.as_bytes(), line.start)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, text: &str) -> io::Result<()> {
        let free = self
            .lines
            .iter_mut()
            .find(|line| line.names.is_none() && line.length > text.len());
        let line = match free {
            Some(line) => line,
            None => {
                let start = self.end;
                self.end += text.len() as u64 + 1;
                self.lines.push(Line {
                    start,
                    length: text.len() + 1,
                    names: None,
                });
                match self.lines.last_mut() {
                    Some(line) => line,
                    None => return Ok(()),
                }
            }
        };
        line.names = Some(text.to_owned());
        let padded = format!("{text:<width$}\n", width = line.length - 1);
        self.file.write_all_at(padded.as_bytes(), line.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_where_they_are_and_places_are_used_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hosts");
        let mut hosts = Hosts::create(&path, "127.0.0.1 localhost").unwrap();
        let line = |last: u8, name: &str| (Ipv4Addr::new(127, 1, 0, last), vec![name.to_owned()]);
        let text = || std::fs::read_to_string(&path).unwrap();
        hosts.set(&[line(1, "one"), line(2, "two")]).unwrap();
        assert_eq!(
            text(),
            "127.0.0.1 localhost\n127.1.0.1 one\n127.1.0.2 two\n"
        );
        hosts.set(&[line(2, "two")]).unwrap();
        assert_eq!(
            text(),
            "127.0.0.1 localhost\n#            \n127.1.0.2 two\n"
        );
        hosts.set(&[line(2, "two"), line(3, "x")]).unwrap();
        assert_eq!(
            text(),
            "127.0.0.1 localhost\n127.1.0.3 x  \n127.1.0.2 two\n"
        );
    }
}
