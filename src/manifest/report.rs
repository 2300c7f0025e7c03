//! Findings for people: source excerpts drawn by miette.

use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters,
    ThemeStyles,
};

use crate::manifest::excerpt::Excerpt;
use crate::manifest::finding::{Finding, Severity};
use crate::manifest::source::SourceMap;

/// Width when the caller knows none, in characters.
pub const DEFAULT_WIDTH: usize = 100;

/// What miette puts before further lines of a message, and before those of the help.
const INDENT: usize = 4;
const HELP_INDENT: usize = 8;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours.
    pub color: bool,
    /// Box-drawing characters; otherwise plain ASCII.
    pub unicode: bool,
    /// Terminal width in characters.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            color: false,
            unicode: false,
            width: DEFAULT_WIDTH,
        }
    }
}

/// All findings, each with its excerpt, and the line that counts them. Ends with a line end.
#[must_use]
pub fn render(findings: &[Finding], sources: &SourceMap, style: Style) -> String {
    let mut out = String::new();
    for finding in findings {
        let shown = Shown::new(finding, sources, style);
        let mut text = String::new();
        // Fails only if a span is outside its text; then the headline must do.
        if handler(finding, style)
            .render_report(&mut text, &shown)
            .is_err()
        {
            text = format!("{}: {shown}\n", headline(finding));
        }
        // miette indents the headline as it does everything below.
        out.push_str(text.strip_prefix("  ").unwrap_or(&text));
        out.push('\n');
    }
    out.push_str(&count(findings));
    out.push('\n');
    out
}

/// `1 error, 0 warnings`.
#[must_use]
pub fn count(findings: &[Finding]) -> String {
    let errors = findings.iter().filter(|f| f.is_error()).count();
    let warnings = findings.len() - errors;
    let s = |n: usize| if n == 1 { "" } else { "s" };
    format!(
        "{errors} error{}, {warnings} warning{}",
        s(errors),
        s(warnings)
    )
}

/// Breaks a text at spaces. `first` and `rest` are the characters that stand before it on its first line and
/// on the others. A word that is too long stays whole.
fn wrap(text: &str, first: usize, rest: usize, width: usize) -> String {
    let mut out = String::new();
    let mut column = first;
    for word in text.split(' ') {
        let length = word.chars().count();
        if !out.is_empty() {
            if column + 1 + length > width {
                out.push('\n');
                column = rest;
            } else {
                out.push(' ');
                column += 1;
            }
        }
        out.push_str(word);
        column += length;
    }
    out
}

/// `error[code]`.
fn headline(finding: &Finding) -> String {
    let word = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    format!("{word}[{}]", finding.code)
}

/// The headline stands where miette has its icon.
fn handler(finding: &Finding, style: Style) -> GraphicalReportHandler {
    let icon = format!("{}:", headline(finding));
    let theme = GraphicalTheme {
        characters: ThemeCharacters {
            error: icon.clone(),
            warning: icon,
            ..if style.unicode {
                ThemeCharacters::unicode()
            } else {
                ThemeCharacters::ascii()
            }
        },
        styles: if style.color {
            ThemeStyles::ansi()
        } else {
            ThemeStyles::none()
        },
    };
    // Names and paths must stay whole, so lines are broken here and not by miette.
    GraphicalReportHandler::new_themed(theme)
        .with_width(style.width)
        .with_wrap_lines(false)
        .with_links(false)
}

/// A finding as miette wants it: one source, byte spans.
#[derive(Debug)]
struct Shown<'s> {
    severity: Severity,
    message: String,
    help: Option<String>,
    source: Option<Excerpt<'s>>,
    labels: Vec<LabeledSpan>,
}

impl<'s> Shown<'s> {
    fn new(finding: &Finding, sources: &'s SourceMap, style: Style) -> Self {
        let width = style.width;
        let mut texts = Vec::new();
        let mut ranges = Vec::new();
        let headline = headline(finding).len() + ": ".len();
        let mut message = wrap(&finding.message, headline, INDENT, width);
        let mut shown_source = None;
        for label in &finding.labels {
            let Some(at) = sources.locate(&label.place) else {
                continue;
            };
            let source = *shown_source.get_or_insert(at.source);
            if source != at.source {
                // Only one file fits into an excerpt.
                let (line, _) = sources.line_column(at.source, at.range.start);
                message += &format!("\n{}: {}:{line}", label.text, sources.name(at.source));
                continue;
            }
            texts.push((!label.text.is_empty()).then(|| label.text.clone()));
            ranges.push(at.range);
        }
        let path = finding.path.to_string();
        if !path.is_empty() {
            message.push('\n');
            message += &path;
        }
        let dots = if style.unicode { "…" } else { "..." };
        let source = shown_source
            .filter(|s| !sources.text(*s).is_empty())
            .map(|s| Excerpt::new(sources, s, &ranges, dots));
        let marks = source.as_ref().map_or(&[] as &[_], |s| &s.marks);
        let labels = marks
            .iter()
            .zip(texts)
            .enumerate()
            .map(|(n, (mark, text))| {
                let span = (mark.start, mark.len());
                if n == 0 {
                    LabeledSpan::new_primary_with_span(text, span)
                } else {
                    LabeledSpan::new_with_span(text, span)
                }
            });
        Self {
            severity: finding.severity,
            message,
            help: finding
                .help
                .as_ref()
                .map(|help| wrap(help, HELP_INDENT, HELP_INDENT, width)),
            labels: labels.collect(),
            source,
        }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|h| Box::new(h) as Box<dyn fmt::Display + 'a>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s as &dyn SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}
