//! Where in a manifest something stands: `spec.replicatedJobs[0].template.spec`.

use std::fmt;

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    /// A field of a mapping.
    Key(String),
    /// An element of a list, 0-based.
    Index(usize),
}

/// A path from the root of the JobSet to a field. The root itself is the empty path.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldPath(Vec<Segment>);

impl FieldPath {
    /// The JobSet itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }
    /// `spec`, the parent of nearly everything that is checked.
    #[must_use]
    pub fn spec() -> Self {
        Self::root().key("spec")
    }
    /// `spec.replicatedJobs[index]`.
    #[must_use]
    pub fn role(index: usize) -> Self {
        Self::spec().key("replicatedJobs").index(index)
    }
    /// One step into a mapping.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.0.push(Segment::Key(key.into()));
        self
    }
    /// Several steps into mappings.
    #[must_use]
    pub fn keys(mut self, keys: &[&str]) -> Self {
        self.0
            .extend(keys.iter().map(|k| Segment::Key((*k).to_owned())));
        self
    }
    /// One step into a list.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push(Segment::Index(index));
        self
    }
    /// Steps from the root.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }
    /// Path of the mapping or list it stands in; none for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (_, rest) = self.0.split_last()?;
        Some(Self(rest.to_vec()))
    }
    /// The one is the other, or stands inside it.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a == b)
    }
    /// The other stands inside this one.
    #[must_use]
    pub fn is_above(&self, other: &Self) -> bool {
        self.0.len() < other.0.len() && self.overlaps(other)
    }
    /// Built from its steps.
    #[must_use]
    pub fn from_segments(segments: Vec<Segment>) -> Self {
        Self(segments)
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(i) => write!(f, "[{i}]")?,
                Segment::Key(k) if is_plain(k) => {
                    write!(f, "{}{k}", if n == 0 { "" } else { "." })?;
                }
                Segment::Key(k) => write!(f, "[{k:?}]")?,
            }
        }
        Ok(())
    }
}

/// A key that needs no quoting inside a path (label keys have dots and slashes).
fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_as_kubernetes_writes_paths() {
        let path = FieldPath::role(0).keys(&["template", "metadata", "labels", "a.b/c"]);
        assert_eq!(
            path.to_string(),
            "spec.replicatedJobs[0].template.metadata.labels[\"a.b/c\"]"
        );
        assert_eq!(FieldPath::root().to_string(), "");
        assert_eq!(
            FieldPath::role(1).parent().unwrap().to_string(),
            "spec.replicatedJobs"
        );
    }
}
