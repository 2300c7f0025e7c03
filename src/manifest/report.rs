//! Findings for people: source excerpts drawn by miette.

use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
    ThemeCharacters, ThemeStyles,
};

use crate::manifest::finding::{Finding, Severity};
use crate::manifest::source::SourceMap;

/// Width when the caller knows none, in characters.
pub const DEFAULT_WIDTH: usize = 100;

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
    let handler = handler(style);
    for finding in findings {
        let shown = Shown::new(finding, sources);
        // Writing to a string fails only if a span is outside its text; then the headline must do.
        if handler.render_report(&mut out, &shown).is_err() {
            out.push_str(&shown.to_string());
            out.push('\n');
        }
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

fn handler(style: Style) -> GraphicalReportHandler {
    let theme = GraphicalTheme {
        characters: if style.unicode {
            ThemeCharacters::unicode()
        } else {
            ThemeCharacters::ascii()
        },
        styles: if style.color {
            ThemeStyles::ansi()
        } else {
            ThemeStyles::none()
        },
    };
    GraphicalReportHandler::new_themed(theme)
        .with_width(style.width)
        .with_context_lines(0)
        .with_links(false)
}

/// A finding as miette wants it: one source, byte spans.
#[derive(Debug)]
struct Shown {
    severity: Severity,
    code: &'static str,
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
}

impl Shown {
    fn new(finding: &Finding, sources: &SourceMap) -> Self {
        let mut labels = Vec::new();
        let mut message = finding.message.clone();
        let mut shown_source = None;
        for label in &finding.labels {
            let Some(at) = sources.locate(&label.place) else {
                continue;
            };
            let source = *shown_source.get_or_insert(at.source);
            if source != at.source {
                // Only one file fits into an excerpt.
                let (line, _) = sources.line_column(at.source, at.range.start);
                message += &format!("; {}: {}:{line}", label.text, sources.name(at.source));
                continue;
            }
            let text = (!label.text.is_empty()).then(|| label.text.clone());
            let span = (at.range.start, at.range.len());
            labels.push(if labels.is_empty() {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            });
        }
        let source = shown_source
            .filter(|s| !sources.text(*s).is_empty())
            .map(|s| NamedSource::new(sources.name(s), sources.text(s).to_owned()));
        Self {
            severity: finding.severity,
            code: finding.code,
            message,
            help: finding.help.clone(),
            labels: if source.is_some() { labels } else { Vec::new() },
            source,
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        Some(Box::new(format!("{word}[{}]", self.code)))
    }
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
