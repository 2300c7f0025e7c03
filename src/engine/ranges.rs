//! Sets of Job indexes as the record writes them: `0-3,7`. Whatever finished long ago stays one short
//! string, also for 10,000 Jobs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A set of indexes kept as ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(BTreeMap<u32, u32>);

impl Ranges {
    /// Reads `0-3,7`. What is no range is skipped: the record may come from another version.
    pub(super) fn parse(text: &str) -> Self {
        let mut set = Self::default();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            if let (Ok(first), Ok(last)) = (first.trim().parse(), last.trim().parse())
                && first <= last
            {
                set.join(first, last);
            }
        }
        set
    }

    /// Adds one index; false if it was there.
    pub(super) fn insert(&mut self, index: u32) -> bool {
        if self.contains(index) {
            return false;
        }
        self.join(index, index);
        true
    }

    /// The index is in the set.
    pub(super) fn contains(&self, index: u32) -> bool {
        self.0
            .range(..=index)
            .next_back()
            .is_some_and(|(_, last)| *last >= index)
    }

    /// Empties the set.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn join(&mut self, mut first: u32, mut last: u32) {
        // Everything that touches the new range becomes part of it.
        while let Some((&f, &l)) = self.0.range(..=last.saturating_add(1)).next_back() {
            if l.saturating_add(1) < first {
                break;
            }
            first = first.min(f);
            last = last.max(l);
            self.0.remove(&f);
        }
        self.0.insert(first, last);
    }
}

impl std::fmt::Display for Ranges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        for (first, last) in &self.0 {
            if !text.is_empty() {
                text.push(',');
            }
            write!(text, "{first}")?;
            if last > first {
                write!(text, "-{last}")?;
            }
        }
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_print() {
        let mut set = Ranges::default();
        for index in [7, 0, 2, 1, 9, 8, 20] {
            assert!(set.insert(index));
        }
        assert!(!set.insert(8));
        assert_eq!(set.to_string(), "0-2,7-9,20");
        assert_eq!(Ranges::parse("0-2,7-9,20"), set);
        assert!(set.contains(1) && !set.contains(3) && set.contains(20) && !set.contains(21));
    }

    #[test]
    fn parsing_skips_what_is_no_range_and_joins_overlaps() {
        assert_eq!(Ranges::parse("").to_string(), "");
        assert_eq!(Ranges::parse("x,3-1,5,4-6,7").to_string(), "4-7");
    }
}
