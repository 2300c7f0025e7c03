//! The one way from sources to an admitted JobSet.

use crate::api::JobSet;
use crate::manifest::decode::decode;
use crate::manifest::default::defaults;
use crate::manifest::documents;
use crate::manifest::finding::{Finding, Place};
use crate::manifest::path::FieldPath;
use crate::manifest::source::{Source, SourceMap};
use crate::manifest::spans;
use crate::manifest::validate::{NameFrom, validate};

/// What stands for the five characters of a generated name when the caller gives none.
const SUFFIX_STAND_IN: &str = "xxxxx";

/// What to do about fields that this build doesn't know (`--validate`, as kubectl has it).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validate {
    /// Refuse them.
    #[default]
    Strict,
    /// Warn; those of a Job template are passed on to the server.
    Warn,
    /// Those of a Job template are passed on without a word; others (which can't be sent anywhere)
    /// are still warned of.
    Ignore,
}

/// How to load.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Unknown fields.
    pub validate: Validate,
    /// Namespace asked for on the command line. A file that names another one is refused, as by kubectl.
    pub namespace: Option<String>,
    /// `--name`: replaces `metadata.name`.
    pub name_override: Option<String>,
    /// Five characters for `metadata.generateName`; without them `xxxxx` stands in (enough to check).
    pub generate_suffix: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The JobSet with defaults and its final name; only when there is no error among the findings.
    pub jobset: Option<JobSet>,
    /// Everything found, in the order of the text.
    pub findings: Vec<Finding>,
    /// The texts, for showing findings and for `file:line` references later on.
    pub sources: SourceMap,
}

impl Loaded {
    /// Number of errors.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|f| f.is_error()).count()
    }
    /// Number of warnings.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.findings.len() - self.errors()
    }
}

/// Loads the one JobSet in the sources and checks it. All findings come at once; only a syntax error hides
/// others (nothing after it in that file is read), and a wrong API version.
#[must_use]
pub fn load(sources: &[Source], options: &LoadOptions) -> Loaded {
    let mut map = SourceMap::default();
    let mut findings = Vec::new();
    for source in sources {
        match map.add(source) {
            Ok(id) => {
                let (tree, mut found) = spans::scan(id, map.text(id));
                map.set_tree(id, tree);
                findings.append(&mut found);
            }
            Err(finding) => findings.push(finding),
        }
    }
    let jobset = documents::pick(&mut map, &mut findings)
        .and_then(|value| decode(value, options.validate, &map, &mut findings))
        .map(|decoded| {
            let mut jobset = decoded.jobset;
            let mut checked = Vec::new();
            let name_from = resolve_name(&mut jobset, options, &mut checked);
            let written = jobset.clone();
            defaults(&mut jobset);
            checked.extend(validate(&jobset, &written, name_from));
            findings.extend(
                checked
                    .into_iter()
                    .filter(|f| !rests_on(f, &decoded.doubtful)),
            );
            jobset
        });
    sort(&mut findings, &map);
    Loaded {
        jobset: jobset.filter(|_| !findings.iter().any(Finding::is_error)),
        findings,
        sources: map,
    }
}

/// The finding is about a field that could not be read.
fn rests_on(finding: &Finding, doubtful: &[FieldPath]) -> bool {
    finding.labels.iter().any(|label| match &label.place {
        Place::Key(path) | Place::Value(path) => doubtful.iter().any(|d| d.overlaps(path)),
        Place::Bytes { .. } => false,
    })
}

/// In the order of the text; errors before warnings at the same place.
fn sort(findings: &mut Vec<Finding>, sources: &SourceMap) {
    findings.sort_by_cached_key(|f| {
        let at = f.labels.first().and_then(|l| sources.locate(&l.place));
        (
            at.map(|at| (at.source, at.range.start, at.range.end)),
            f.severity,
            f.code,
        )
    });
    findings.dedup();
}

/// Settles name and namespace.
fn resolve_name(
    jobset: &mut JobSet,
    options: &LoadOptions,
    findings: &mut Vec<Finding>,
) -> NameFrom {
    let metadata = &mut jobset.metadata;
    let prefix = metadata.generate_name.take().filter(|p| !p.is_empty());
    let mut from = NameFrom::Name;
    if let Some(name) = &options.name_override {
        metadata.name.clone_from(name);
        from = NameFrom::Option;
    } else if metadata.name.is_empty() {
        match prefix {
            Some(prefix) => {
                let suffix = options.generate_suffix.as_deref();
                metadata.name = prefix + suffix.unwrap_or(SUFFIX_STAND_IN);
                from = NameFrom::GenerateName;
            }
            None => findings.push(
                Finding::error(
                    "missing-field",
                    FieldPath::root().keys(&["metadata", "name"]),
                    "metadata.name is missing",
                )
                .help("give metadata.name, metadata.generateName or --name"),
            ),
        }
    }
    if let Some(asked) = &options.namespace {
        if let Some(given) = metadata.namespace.as_ref().filter(|n| *n != asked) {
            findings.push(Finding::error(
                "namespace-mismatch",
                FieldPath::root().keys(&["metadata", "namespace"]),
                format!("the file says namespace {given}, the command line {asked}"),
            ));
        }
        metadata.namespace = Some(asked.clone());
    }
    from
}
