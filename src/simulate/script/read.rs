//! A scenario script: a JobSet, commands, and what is expected after each.
//!
//! ```text
//! # what it shows
//! fail-at Failed             (optional: the controller's timing; default FailureTarget)
//! evidence 20                (optional: last lines kept of failed containers; default 0)
//! no-kill                    (optional: not replayed with a killed driver)
//! jobset:
//! <YAML>
//! ---
//! create
//! expect creates w-0 w-1@0.0
//! ```
//!
//! Without `jobset:` and `---` everything after the options is commands, of a JobSet that comes from
//! elsewhere. Pure.

use crate::engine::FailAt;

/// Parsed, not yet played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The JobSet's text, on the lines that it has in the file.
    pub manifest: Option<String>,
    pub(super) fail_at: FailAt,
    pub(super) evidence: u32,
    no_kill: bool,
    /// Line number and text.
    pub(super) lines: Vec<(usize, String)>,
}

/// Words that begin a line about a driver's own life.
const DRIVERS: [&str; 4] = ["crash", "trap", "attach", "hold writes"];

impl Script {
    /// Reads a script's text.
    ///
    /// # Errors
    /// An option that there isn't, with its line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut script = Self {
            manifest: None,
            fail_at: FailAt::FailureTarget,
            evidence: 0,
            no_kill: false,
            lines: Vec::new(),
        };
        let mut lines = text.lines().enumerate().map(|(n, line)| (n + 1, line));
        for (number, line) in lines.by_ref() {
            match line.trim().split_once(' ').unwrap_or((line.trim(), "")) {
                ("", _) => {}
                ("fail-at", "Failed") => script.fail_at = FailAt::Failed,
                ("evidence", count) => {
                    script.evidence = count
                        .parse()
                        .map_err(|_| format!("line {number}: evidence NUMBER"))?;
                }
                ("no-kill", "") => script.no_kill = true,
                ("jobset:", "") => {
                    // Empty lines stand for what is before it, so that findings point to the right line.
                    let mut yaml = "\n".repeat(number);
                    let mut ended = false;
                    for (_, line) in lines.by_ref() {
                        if line.trim_end() == "---" {
                            ended = true;
                            break;
                        }
                        yaml.push_str(line);
                        yaml.push('\n');
                    }
                    if !ended {
                        return Err(format!(
                            "line {number}: the JobSet must end with a line of three dashes (---)"
                        ));
                    }
                    script.manifest = Some(yaml);
                    break;
                }
                (word, _) if word.starts_with('#') => {}
                _ => {
                    script.command(number, line);
                    break;
                }
            }
        }
        for (number, line) in lines {
            script.command(number, line);
        }
        Ok(script)
    }

    fn command(&mut self, number: usize, line: &str) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            self.lines.push((number, line.to_owned()));
        }
    }

    /// Nothing in it depends on which driver lives when.
    #[must_use]
    pub fn crashes_anywhere(&self) -> bool {
        let own = |line: &str| DRIVERS.iter().any(|word| line.starts_with(word));
        !self.no_kill && !self.lines.iter().any(|(_, line)| own(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_script() {
        let script = Script::parse(
            "# about\nfail-at Failed\nevidence 7\n\njobset:\nkind: JobSet\n---\ncreate\n# more\n\nexpect state Running\n",
        )
        .unwrap();
        assert_eq!(script.manifest.as_deref(), Some("\n\n\n\n\nkind: JobSet\n"));
        assert_eq!((script.fail_at, script.evidence), (FailAt::Failed, 7));
        let lines: Vec<_> = script.lines.iter().map(|(n, l)| (*n, l.as_str())).collect();
        assert_eq!(lines, [(8, "create"), (11, "expect state Running")]);
        assert!(script.crashes_anywhere());
    }

    #[test]
    fn commands_alone() {
        let script = Script::parse("no-kill\ncreate\nwait 5\n").unwrap();
        assert_eq!(script.manifest, None);
        assert_eq!(script.lines.len(), 2);
        assert!(!script.crashes_anywhere());
        assert!(!Script::parse("create\ncrash\n").unwrap().crashes_anywhere());
    }

    #[test]
    fn refusals_name_the_line() {
        assert!(
            Script::parse("evidence x\n")
                .unwrap_err()
                .contains("line 1")
        );
        assert!(
            Script::parse("\njobset:\na: b\n")
                .unwrap_err()
                .contains("line 2")
        );
    }
}
