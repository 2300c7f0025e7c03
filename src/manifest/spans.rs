//! Where every node of a YAML text stands, built from the parser's events in one pass: no alias is
//! expanded, so the size is bounded by the text. Also finds what must be complained about at this
//! level: syntax errors, duplicate keys, depth.

use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span};
use serde_json::Value;

use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::Segment;
use crate::manifest::yaml;

/// Deepest nesting of mappings and lists. A pod template reaches about 25.
pub const MAX_DEPTH: usize = 64;
/// Most nodes in one source; a JobSet of 200 roles with large pod specs has about 60,000.
pub(super) const MAX_NODES: usize = 250_000;
/// Most bad keys reported per source; the last one says that there are more.
const MAX_KEYS: usize = 50;
/// Words that YAML 1.1 readers take for something else; others need no second look.
const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
/// Merge keys and aliases followed on the way to one field.
const MAX_HOPS: usize = 64;

/// Position of a node in its [`Tree`].
pub(super) type NodeId = usize;

/// Nodes of all documents of one source.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Documents in order; those before a syntax error are complete.
    pub(super) documents: Vec<Document>,
}

/// One document.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// Its root node.
    pub(super) root: NodeId,
    /// Its bytes, from its start (or `---`) to the next one.
    pub(super) range: Range<usize>,
}

#[derive(Clone, Debug)]
struct Node {
    span: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Scalar,
    Seq(Vec<NodeId>),
    Map(Vec<Entry>),
    Alias(NodeId),
}

#[derive(Clone, Debug)]
struct Entry {
    key: String,
    key_span: Range<usize>,
    value: NodeId,
}

/// Result of one step along a path.
pub(super) struct Step {
    /// Bytes of the key; none for a list element.
    pub(super) key: Option<Range<usize>>,
    /// The node reached.
    pub(super) value: NodeId,
}

impl Tree {
    /// Bytes of a node.
    #[must_use]
    pub(super) fn span(&self, node: NodeId) -> Option<Range<usize>> {
        Some(self.nodes.get(node)?.span.clone())
    }

    pub(super) fn step(&self, from: NodeId, segment: &Segment) -> Option<Step> {
        let mut hops = MAX_HOPS;
        self.step_bounded(from, segment, &mut hops)
    }

    fn step_bounded(&self, from: NodeId, segment: &Segment, hops: &mut usize) -> Option<Step> {
        *hops = hops.checked_sub(1)?;
        match (&self.nodes.get(from)?.kind, segment) {
            (Kind::Alias(target), _) => self.step_bounded(*target, segment, hops),
            (Kind::Seq(items), Segment::Index(i)) => Some(Step {
                key: None,
                value: *items.get(*i)?,
            }),
            (Kind::Seq(items), Segment::Key(_)) => items
                .iter()
                .find_map(|item| self.step_bounded(*item, segment, hops)),
            (Kind::Map(entries), Segment::Key(key)) => entries
                .iter()
                .rfind(|e| e.key == *key)
                .map(|e| Step {
                    key: Some(e.key_span.clone()),
                    value: e.value,
                })
                .or_else(|| {
                    let merge = entries.iter().find(|e| e.key == "<<")?;
                    self.step_bounded(merge.value, segment, hops)
                }),
            _ => None,
        }
    }
}

/// A collection that is still open.
struct Open {
    node: NodeId,
    anchor: usize,
    /// Key that waits for its value.
    key: Option<(String, Range<usize>)>,
    /// First place of each key so far.
    seen: BTreeMap<String, Range<usize>>,
}

/// Builds the tree of a source's text. Findings: syntax error (the first one; nothing after it is
/// read), duplicate keys (all), too deep, too many nodes.
#[must_use]
pub(super) fn scan(source: usize, text: &str) -> (Tree, Vec<Finding>) {
    let mut builder = Builder {
        source,
        text,
        tree: Tree::default(),
        stack: Vec::new(),
        anchors: BTreeMap::new(),
        start: 0,
        root: None,
        findings: Vec::new(),
    };
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => {
                if builder.event(event, span).is_break() {
                    break;
                }
            }
            Err(error) => {
                let at = error.marker().byte_offset();
                let finding = match error.kind() {
                    ErrorKind::RecursionLimitExceeded => builder.too_deep(at),
                    _ => {
                        let at = at.unwrap_or(text.len()).min(text.len());
                        Finding::at_bytes(
                            "syntax",
                            source,
                            at..at,
                            format!("not YAML: {}", tidy(&error.info())),
                        )
                    }
                };
                builder.findings.push(finding);
                break;
            }
        }
    }
    (builder.tree, builder.findings)
}

/// First letter small, no full stop, as all messages here.
pub(super) fn tidy(message: &str) -> String {
    let message = message.trim().trim_end_matches('.');
    let mut chars = message.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => message.to_owned(),
    }
}

/// What kubectl makes of a plain key, if that isn't the key itself.
fn misread_key(key: &str) -> Option<String> {
    let numeric = matches!(
        key.chars().next(),
        Some('0'..='9' | '+' | '-' | '.' | '~') | None
    );
    if !numeric && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(key)) {
        return None;
    }
    let read = match yaml::plain(key)? {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        _ => return None,
    };
    (read != key).then_some(read)
}

struct Builder<'a> {
    source: usize,
    text: &'a str,
    tree: Tree,
    stack: Vec<Open>,
    anchors: BTreeMap<usize, NodeId>,
    start: usize,
    root: Option<NodeId>,
    findings: Vec<Finding>,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) -> std::ops::ControlFlow<()> {
        let range = span.byte_range().unwrap_or(0..0);
        match event {
            Event::DocumentStart(..) => {
                self.start = range.start;
                if let Some(last) = self.tree.documents.last_mut() {
                    last.range.end = range.start;
                }
                self.root = None;
                self.anchors.clear();
            }
            Event::DocumentEnd => {
                if let Some(root) = self.root.take() {
                    self.tree.documents.push(Document {
                        root,
                        range: self.start..self.text.len(),
                    });
                }
            }
            Event::Scalar(value, style, anchor, _) => {
                if self.expects_key() {
                    if style == ScalarStyle::Plain {
                        self.check_plain_key(&value, &range);
                    }
                    self.take_key(value.into_owned(), range);
                } else {
                    let node = self.add(range, Kind::Scalar);
                    self.remember(anchor, node);
                    self.place(node);
                }
            }
            Event::Alias(anchor) => {
                if self.expects_key() {
                    let name = self.text.get(range.clone()).unwrap_or("*").to_owned();
                    self.take_key(name, range);
                } else {
                    let target = self.anchors.get(&anchor).copied();
                    let kind = target.map_or(Kind::Scalar, Kind::Alias);
                    let node = self.add(range, kind);
                    self.place(node);
                }
            }
            Event::SequenceStart(_, anchor, _) => {
                return self.open(range, Kind::Seq(Vec::new()), anchor);
            }
            Event::MappingStart(_, anchor, _) => {
                return self.open(range, Kind::Map(Vec::new()), anchor);
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range),
            _ => {}
        }
        if self.tree.nodes.len() > MAX_NODES {
            self.findings.push(Finding::at_bytes(
                "too-large",
                self.source,
                0..0,
                format!("more than {MAX_NODES} values in one file"),
            ));
            return std::ops::ControlFlow::Break(());
        }
        std::ops::ControlFlow::Continue(())
    }

    fn add(&mut self, span: Range<usize>, kind: Kind) -> NodeId {
        self.tree.nodes.push(Node { span, kind });
        self.tree.nodes.len() - 1
    }

    fn remember(&mut self, anchor: usize, node: NodeId) {
        if anchor != 0 {
            self.anchors.insert(anchor, node);
        }
    }

    fn expects_key(&self) -> bool {
        self.stack.last().is_some_and(|open| {
            open.key.is_none() && matches!(self.tree.nodes[open.node].kind, Kind::Map(_))
        })
    }

    /// kubectl reads plain keys by YAML 1.1 as well: `on` becomes `true` and `010` becomes `8`. Nobody means
    /// that, so it is refused.
    fn check_plain_key(&mut self, key: &str, range: &Range<usize>) {
        if let Some(read) = misread_key(key) {
            let finding = Finding::at_bytes(
                "ambiguous-key",
                self.source,
                range.clone(),
                format!("kubectl reads the key {key} as {read}"),
            )
            .help(format!("put it in quotes: \"{key}\""));
            self.bad_key(finding);
        }
    }

    fn bad_key(&mut self, finding: Finding) {
        let so_far = self.findings.len();
        if so_far + 1 < MAX_KEYS {
            self.findings.push(finding);
        } else if so_far + 1 == MAX_KEYS {
            let last = finding.help("there are more such keys, which are not listed");
            self.findings.push(last);
        }
    }

    fn take_key(&mut self, key: String, span: Range<usize>) {
        let Some(open) = self.stack.last_mut() else {
            return;
        };
        if let Some(first) = open.seen.get(&key) {
            let finding = Finding::at_bytes(
                "duplicate-key",
                self.source,
                span.clone(),
                format!("{key} is given twice"),
            )
            .see(
                Place::Bytes {
                    source: self.source,
                    range: first.clone(),
                },
                "first here",
            )
            .help("kubectl would take the last one without a word");
            open.key = Some((key, span));
            self.bad_key(finding);
            return;
        }
        open.seen.insert(key.clone(), span.clone());
        open.key = Some((key, span));
    }

    fn open(
        &mut self,
        range: Range<usize>,
        kind: Kind,
        anchor: usize,
    ) -> std::ops::ControlFlow<()> {
        if self.stack.len() >= MAX_DEPTH {
            let finding = self.too_deep(Some(range.start));
            self.findings.push(finding);
            return std::ops::ControlFlow::Break(());
        }
        if self.expects_key() {
            self.findings.push(Finding::at_bytes(
                "syntax",
                self.source,
                range.start..range.start,
                "a key must be a word, not a mapping or list",
            ));
            return std::ops::ControlFlow::Break(());
        }
        let node = self.add(range, kind);
        // Known before its content is read, so that an alias to itself resolves (and is then refused
        // by the reader).
        self.remember(anchor, node);
        self.stack.push(Open {
            node,
            anchor,
            key: None,
            seen: BTreeMap::new(),
        });
        std::ops::ControlFlow::Continue(())
    }

    fn close(&mut self, end: Range<usize>) {
        let Some(open) = self.stack.pop() else {
            return;
        };
        let node = &mut self.tree.nodes[open.node];
        let whole = self.text.get(node.span.start..end.end).unwrap_or("");
        // The end of a block collection is where the next thing starts.
        node.span.end = node.span.start + whole.trim_end().len();
        self.remember(open.anchor, open.node);
        self.place(open.node);
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: NodeId) {
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut self.tree.nodes[open.node].kind {
            Kind::Seq(items) => items.push(node),
            Kind::Map(entries) => {
                if let Some((key, key_span)) = open.key.take() {
                    entries.push(Entry {
                        key,
                        key_span,
                        value: node,
                    });
                }
            }
            Kind::Scalar | Kind::Alias(_) => {}
        }
    }

    fn too_deep(&self, at: Option<usize>) -> Finding {
        let at = at.unwrap_or(0).min(self.text.len());
        Finding::at_bytes(
            "too-deep",
            self.source,
            at..at,
            format!("nested deeper than {MAX_DEPTH} levels"),
        )
    }
}

#[cfg(test)]
mod tests;
