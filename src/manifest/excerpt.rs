//! The lines of a source that a finding shows, cut down to what a person can look at.
//!
//! miette is given these lines instead of the whole text: it counts columns in 16 bits (and panics above), reads
//! the text from its start for each mark, and would show every line between two marks.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::manifest::source::SourceMap;

/// Lines of up to this many characters are shown whole, also where the terminal is narrower.
const WHOLE_LINE: usize = 200;
/// Characters kept on each side of a mark in a longer line.
const AROUND: usize = 40;
/// Longest mark in a longer line, in characters.
const LONGEST_MARK: usize = 80;
/// Lines without a mark that are shown between two with one; where there are more, none of them is.
const GAP: usize = 4;

/// A finding's lines, in order, and where the marks are in them.
#[derive(Debug)]
pub(super) struct Excerpt<'s> {
    name: &'s str,
    text: String,
    lines: Vec<Line>,
    /// The given ranges in `text`, in the given order.
    pub(super) marks: Vec<Range<usize>>,
    /// Line and column (0-based) in the source of the start of each mark.
    origins: Vec<(usize, usize)>,
}

#[derive(Debug)]
struct Line {
    /// Where it is in `text`, without its line end.
    range: Range<usize>,
    /// Number in the source, 0-based.
    number: usize,
    /// Number of the last line before the next gap.
    group_end: usize,
}

impl<'s> Excerpt<'s> {
    /// The lines of `source` with these byte ranges. A range is marked up to the end of its line.
    pub(super) fn new(
        sources: &'s SourceMap,
        source: usize,
        ranges: &[Range<usize>],
        dots: &str,
    ) -> Self {
        let text = sources.text(source);
        let origins: Vec<_> = ranges
            .iter()
            .map(|r| {
                let (line, column) = sources.line_column(source, boundary(text, r.start));
                (line - 1, column - 1)
            })
            .collect();
        let ranges: Vec<_> = ranges
            .iter()
            .zip(&origins)
            .map(|(r, (line, _))| within(text, r, &sources.line(source, *line)))
            .collect();
        let mut wanted: Vec<usize> = origins.iter().map(|(line, _)| *line).collect();
        let of_range = wanted.clone();
        wanted.sort_unstable();
        wanted.dedup();
        let mut excerpt = Self {
            name: sources.name(source),
            text: String::new(),
            lines: Vec::new(),
            marks: vec![0..0; ranges.len()],
            origins,
        };
        for group in wanted.chunk_by(|a, b| b - a <= GAP + 1) {
            let (Some(&first), Some(&last)) = (group.first(), group.last()) else {
                continue;
            };
            for number in first..=last {
                let marked: Vec<(usize, Range<usize>)> = of_range
                    .iter()
                    .enumerate()
                    .filter(|(_, line)| **line == number)
                    .map(|(n, _)| (n, ranges[n].clone()))
                    .collect();
                let line = sources.line(source, number);
                excerpt.push(text, &line, number, last, &marked, dots);
            }
        }
        excerpt
    }

    /// Appends a line, or the parts of it around the marks.
    fn push(
        &mut self,
        text: &str,
        line: &Range<usize>,
        number: usize,
        group_end: usize,
        marked: &[(usize, Range<usize>)],
        dots: &str,
    ) {
        if !self.lines.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        let mut parts = vec![line.clone()];
        if text[line.clone()].chars().nth(WHOLE_LINE).is_some() {
            parts = marked
                .iter()
                .map(|(_, r)| {
                    let end = forward(text, r.start, LONGEST_MARK).min(r.end);
                    back(text, r.start, AROUND).max(line.start)
                        ..forward(text, end, AROUND).min(line.end)
                })
                .collect();
            if parts.is_empty() {
                parts.push(line.start..forward(text, line.start, WHOLE_LINE).min(line.end));
            }
            parts.sort_by_key(|p| p.start);
            parts = merged(parts);
        }
        for part in &parts {
            if part.start > line.start {
                self.text.push_str(dots);
            }
            let at = self.text.len();
            self.text.push_str(&text[part.clone()]);
            for (n, range) in marked {
                if (part.start..=part.end).contains(&range.start) {
                    let end = range.end.min(part.end);
                    let mut mark = at + range.start - part.start..at + end - part.start;
                    // miette draws nothing behind a line: the end is shown at its last character.
                    if mark.start == self.text.len() && mark.start > at {
                        mark.start = back(&self.text, mark.start, 1);
                    }
                    self.marks[*n] = mark;
                }
            }
        }
        if parts.last().is_some_and(|p| p.end < line.end) {
            self.text.push_str(dots);
        }
        self.lines.push(Line {
            range: start..self.text.len(),
            number,
            group_end,
        });
    }

    fn line_at(&self, offset: usize) -> Option<&Line> {
        let after = self.lines.partition_point(|l| l.range.start <= offset);
        self.lines.get(after.checked_sub(1)?)
    }
}

impl SourceCode for Excerpt<'_> {
    /// Asked for no lines around it, miette wants the position of the mark itself.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let from = span.offset();
        let first = self.line_at(from).ok_or(MietteError::OutOfBounds)?;
        let last = self
            .line_at(from + span.len())
            .ok_or(MietteError::OutOfBounds)?;
        let (range, (line, column)) = if lines_before == 0 {
            let mark = self.marks.iter().position(|m| m.start == from);
            let origin = mark.and_then(|n| self.origins.get(n)).copied();
            (from..from + span.len(), origin.unwrap_or((first.number, 0)))
        } else {
            (first.range.start..last.range.end, (first.number, 0))
        };
        let data = self
            .text
            .get(range.clone())
            .ok_or(MietteError::OutOfBounds)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.to_owned(),
            data.as_bytes(),
            (range.start, range.len()).into(),
            line,
            column,
            // What follows within so many lines is drawn together with this.
            first.group_end - first.number + 1,
        )))
    }
}

/// A range in character bounds that ends in the line in which it starts.
fn within(text: &str, range: &Range<usize>, line: &Range<usize>) -> Range<usize> {
    let start = boundary(text, range.start);
    start..boundary(text, range.end).clamp(start, line.end.max(start))
}

/// The start of the character in which a byte is; the end of the text for one behind it.
fn boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn forward(text: &str, from: usize, characters: usize) -> usize {
    text[from..]
        .char_indices()
        .nth(characters)
        .map_or(text.len(), |(at, _)| from + at)
}

fn back(text: &str, from: usize, characters: usize) -> usize {
    text[..from]
        .char_indices()
        .rev()
        .take(characters)
        .last()
        .map_or(from, |(at, _)| at)
}

/// Sorted ranges, those that touch joined.
fn merged(parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => joined.push(part),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
