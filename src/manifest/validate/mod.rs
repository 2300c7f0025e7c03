//! Checks of a decoded JobSet with its defaults: what upstream refuses (spec 4), what upstream accepts
//! although it can never work, and what this release doesn't carry out. One file per topic; each
//! check reports all it finds.

mod coordinator;
mod depends_on;
mod failure;
mod format;
mod names;
mod network;
mod sizes;
mod success;
mod support;
mod template;

use crate::api::JobSet;
use crate::manifest::finding::Finding;
use crate::manifest::path::FieldPath;

/// Where the run's name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameFrom {
    /// `metadata.name`.
    Name,
    /// `metadata.generateName` and five characters.
    GenerateName,
    /// The command line.
    Option,
}

impl NameFrom {
    /// The field to point at.
    fn path(self) -> FieldPath {
        let metadata = FieldPath::root().key("metadata");
        match self {
            Self::Name | Self::Option => metadata.key("name"),
            Self::GenerateName => metadata.key("generateName"),
        }
    }
    /// What to call it.
    fn words(self) -> &'static str {
        match self {
            Self::Name => "metadata.name",
            Self::GenerateName => "metadata.generateName",
            Self::Option => "--name",
        }
    }
}

/// What the checks look at.
struct Checked<'a> {
    /// With defaults.
    jobset: &'a JobSet,
    /// As written, without them.
    written: &'a JobSet,
    name_from: NameFrom,
}

/// All findings, in no particular order.
pub(super) fn validate(jobset: &JobSet, written: &JobSet, name_from: NameFrom) -> Vec<Finding> {
    let checked = Checked {
        jobset,
        written,
        name_from,
    };
    let mut findings = Vec::new();
    names::check(&checked, &mut findings);
    sizes::check(&checked, &mut findings);
    network::check(&checked, &mut findings);
    depends_on::check(&checked, &mut findings);
    success::check(&checked, &mut findings);
    failure::check(&checked, &mut findings);
    coordinator::check(&checked, &mut findings);
    template::check(&checked, &mut findings);
    support::check(&checked, &mut findings);
    findings
}
