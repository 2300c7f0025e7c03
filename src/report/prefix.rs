//! The prefix of log lines: `ROLE/JOB/INDEX`, padded to the longest seen so far, then ` | `
//! (cli.md 6.3).

use console::measure_text_width;

use crate::report::style::{Styles, paint};
use crate::report::words::target;

/// Where a log line comes from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Role.
    pub role: &'a str,
    /// Job index.
    pub job: u32,
    /// Completion index.
    pub index: Option<u32>,
    /// Container, if it has to be told apart from others of its pod.
    pub container: Option<&'a str>,
    /// Attempt, shown as `#2`; given only if above 0 or if several attempts are shown.
    pub attempt: Option<u32>,
}

/// Makes prefixes and remembers how wide they have become.
#[derive(Clone, Debug, Default)]
pub struct Prefixes {
    widest: usize,
}

impl Prefixes {
    /// No prefix seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `worker/2/1:main#2 | ` in the colour of `worker/2/1`, which is the same in all its attempts and
    /// containers.
    pub fn make(&mut self, source: &Source<'_>, styles: &Styles) -> String {
        let whose = target(source.role, source.job, source.index);
        self.named(&whose, source.container, source.attempt, styles)
    }

    /// As [`Self::make`], for a source that goes by another name than its index.
    pub fn named(
        &mut self,
        whose: &str,
        container: Option<&str>,
        attempt: Option<u32>,
        styles: &Styles,
    ) -> String {
        let mut text = whose.to_owned();
        if let Some(container) = container {
            text.push(':');
            text.push_str(container);
        }
        if let Some(attempt) = attempt {
            text.push_str(&format!("#{attempt}"));
        }
        let width = measure_text_width(&text);
        self.widest = self.widest.max(width);
        let padding = " ".repeat(self.widest - width);
        format!("{}{padding} | ", paint(styles.prefix(whose), &text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_to_the_longest_so_far() {
        let mut prefixes = Prefixes::new();
        let source = |role, index, container, attempt| Source {
            role,
            job: 0,
            index,
            container,
            attempt,
        };
        let plain = Styles::plain();
        assert_eq!(
            prefixes.make(&source("ps", Some(0), None, None), &plain),
            "ps/0/0 | "
        );
        assert_eq!(
            prefixes.make(&source("leader", Some(0), Some("main"), Some(2)), &plain),
            "leader/0/0:main#2 | "
        );
        assert_eq!(
            prefixes.make(&source("ps", None, None, None), &plain),
            "ps/0              | "
        );
    }

    #[test]
    fn colour_belongs_to_the_target() {
        let mut prefixes = Prefixes::new();
        let styles = Styles::colored();
        let of = |attempt| Source {
            role: "worker",
            job: 1,
            index: Some(0),
            container: None,
            attempt,
        };
        let first = prefixes.make(&of(None), &styles);
        let again = prefixes.make(&of(Some(1)), &styles);
        assert_eq!(first.split('w').next(), again.split('w').next());
        assert!(first.starts_with('\u{1b}'));
    }
}
