//! The texts that a JobSet is read from, and the map from field paths to places in them.

use std::ops::Range;

use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::{FieldPath, Segment};
use crate::manifest::spans::{NodeId, Tree};

/// Largest source that is read, in bytes: the API server's own limit on a request body is 3 MiB, so
/// nothing larger could be run.
pub const MAX_SOURCE_BYTES: usize = 3 * 1024 * 1024;

/// A named source as the caller read it (a file, or standard input).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// How it is called in findings.
    pub name: String,
    /// Its bytes. Reading more than [`MAX_SOURCE_BYTES`] + 1 of them is not needed.
    pub bytes: Vec<u8>,
}

impl Source {
    /// A source of that name.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
        }
    }
}

/// A source that turned out to be text.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// How it is called in findings.
    pub name: String,
    /// The text without a byte order mark; empty if it couldn't be read as text.
    pub text: String,
    /// Byte offset of each line's start.
    lines: Vec<usize>,
}

/// A range of bytes in one of the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Position in the list of sources.
    pub source: usize,
    /// Byte range in its text.
    pub range: Range<usize>,
}

/// All texts, their span trees, and where the JobSet's root is.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    texts: Vec<Text>,
    trees: Vec<Tree>,
    root: Option<(usize, NodeId)>,
}

impl SourceMap {
    /// Takes a source in: its text, or the finding that says why it isn't one.
    pub(super) fn add(&mut self, source: &Source) -> Result<usize, Finding> {
        let id = self.texts.len();
        let (text, problem) = match read(source) {
            Ok(text) => (text, None),
            Err((code, message)) => (
                String::new(),
                Some(Finding::at_bytes(code, id, 0..0, message)),
            ),
        };
        let lines = std::iter::once(0).chain(line_ends(&text)).collect();
        self.texts.push(Text {
            name: source.name.clone(),
            text,
            lines,
        });
        self.trees.push(Tree::default());
        problem.map_or(Ok(id), Err)
    }
    pub(super) fn set_tree(&mut self, source: usize, tree: Tree) {
        if let Some(slot) = self.trees.get_mut(source) {
            *slot = tree;
        }
    }
    pub(super) fn set_root(&mut self, source: usize, node: NodeId) {
        self.root = Some((source, node));
    }
    pub(super) fn tree(&self, source: usize) -> Option<&Tree> {
        self.trees.get(source)
    }
    /// Number of sources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }
    /// There is no source.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
    /// Name of a source.
    #[must_use]
    pub fn name(&self, source: usize) -> &str {
        self.texts.get(source).map_or("", |t| &t.name)
    }
    /// Text of a source.
    #[must_use]
    pub fn text(&self, source: usize) -> &str {
        self.texts.get(source).map_or("", |t| &t.text)
    }
    /// Line and column of a byte, both 1-based, the column in characters.
    #[must_use]
    pub fn line_column(&self, source: usize, byte: usize) -> (usize, usize) {
        let Some(text) = self.texts.get(source) else {
            return (1, 1);
        };
        let line = text.lines.partition_point(|&start| start <= byte).max(1);
        let start = text.lines.get(line - 1).copied().unwrap_or(0);
        let before = text.text.get(start..byte.min(text.text.len()));
        (line, before.map_or(0, |b| b.chars().count()) + 1)
    }
    /// Bytes of a line (0-based), without its end; those of the last one for a line that there isn't.
    pub(super) fn line(&self, source: usize, number: usize) -> Range<usize> {
        let Some(text) = self.texts.get(source) else {
            return 0..0;
        };
        let number = number.min(text.lines.len().saturating_sub(1));
        let start = text.lines.get(number).copied().unwrap_or(0);
        let end = text.lines.get(number + 1).copied();
        let line = text.text.get(start..end.unwrap_or(text.text.len()));
        start..start + line.unwrap_or("").trim_end_matches(['\r', '\n']).len()
    }
    /// The bytes of a place; none if nothing of it is in the sources.
    #[must_use]
    pub fn locate(&self, place: &Place) -> Option<Located> {
        match place {
            Place::Bytes { source, range } => Some(Located {
                source: *source,
                range: range.clone(),
            }),
            Place::Key(path) => self.locate_path(path, true),
            Place::Value(path) => self.locate_path(path, false),
        }
    }
    /// File and line of a field, for a reference such as `train.yaml:41`.
    #[must_use]
    pub fn file_line(&self, path: &FieldPath) -> Option<(&str, usize)> {
        let at = self.locate_path(path, true)?;
        Some((
            self.name(at.source),
            self.line_column(at.source, at.range.start).0,
        ))
    }
    /// What the user wrote for a scalar field, if it is there.
    #[must_use]
    pub fn written(&self, path: &FieldPath) -> Option<&str> {
        let (source, root) = self.root?;
        let tree = self.trees.get(source)?;
        let mut node = root;
        for segment in path.segments() {
            node = tree.step(node, segment)?.value;
        }
        self.text(source).get(tree.span(node)?)
    }

    /// Walks as far as the path exists. A field that isn't there is shown at the key of the nearest one
    /// above it that is.
    fn locate_path(&self, path: &FieldPath, want_key: bool) -> Option<Located> {
        let (source, root) = self.root?;
        let tree = self.trees.get(source)?;
        let mut node = root;
        let mut key: Option<Range<usize>> = None;
        let mut complete = true;
        for segment in path.segments() {
            let Some(step) = tree.step(node, segment) else {
                complete = false;
                break;
            };
            if let Segment::Key(_) = segment {
                key = step.key;
            } else {
                key = None;
            }
            node = step.value;
        }
        let value = tree.span(node)?;
        let range = match key {
            Some(key) if want_key || !complete => key,
            _ => self.first_line(source, value),
        };
        Some(Located { source, range })
    }

    /// A block mapping is marked by its first line only: a mark over fifty lines says nothing.
    fn first_line(&self, source: usize, range: Range<usize>) -> Range<usize> {
        let text = self.text(source).get(range.clone()).unwrap_or("");
        let line = text.lines().next().unwrap_or("").trim_end();
        range.start..range.start + line.len()
    }
}

/// Where lines end: `\n`, `\r\n`, and a lone `\r`, which is a line break in YAML too.
fn line_ends(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(['\n', '\r'])
        .filter(|(at, end)| *end == "\n" || !text[at + 1..].starts_with('\n'))
        .map(|(at, _)| at + 1)
}

fn read(source: &Source) -> Result<String, (&'static str, String)> {
    if source.bytes.len() > MAX_SOURCE_BYTES {
        return Err((
            "too-large",
            format!(
                "{} is larger than {} MiB, the most that the API server takes",
                source.name,
                MAX_SOURCE_BYTES / 1024 / 1024
            ),
        ));
    }
    let text = std::str::from_utf8(&source.bytes).map_err(|e| {
        let message =
            if source.bytes.starts_with(&[0xff, 0xfe]) || source.bytes.starts_with(&[0xfe, 0xff]) {
                format!("{} is UTF-16, not UTF-8", source.name)
            } else {
                format!("{} is not UTF-8 (byte {})", source.name, e.valid_up_to())
            };
        ("not-utf8", message)
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let mut map = SourceMap::default();
        let id = map.add(&Source::new("a", "\u{feff}é: 1\nb: 2\n")).unwrap();
        assert_eq!(map.text(id), "é: 1\nb: 2\n");
        assert_eq!(map.line_column(id, 0), (1, 1));
        assert_eq!(map.line_column(id, 4), (1, 4));
        assert_eq!(map.line_column(id, 6), (2, 1));
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line() {
        let mut map = SourceMap::default();
        let id = map.add(&Source::new("a", "a: 1\rb: 2\r\nc: 3\n")).unwrap();
        let at = |what| map.line_column(id, map.text(id).find(what).unwrap());
        assert_eq!([at("b"), at("c")], [(2, 1), (3, 1)]);
    }

    #[test]
    fn what_is_not_text_is_refused() {
        let mut map = SourceMap::default();
        let code = |map: &mut SourceMap, bytes: Vec<u8>| {
            map.add(&Source::new("a", bytes)).unwrap_err().code
        };
        assert_eq!(code(&mut map, vec![b'a', 0xff]), "not-utf8");
        assert_eq!(code(&mut map, vec![0xff, 0xfe, b'a', 0]), "not-utf8");
        assert_eq!(
            code(&mut map, vec![b'a'; MAX_SOURCE_BYTES + 1]),
            "too-large"
        );
    }
}
