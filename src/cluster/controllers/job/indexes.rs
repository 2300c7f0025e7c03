//! Sets of completion indexes, as `status.completedIndexes` and `status.failedIndexes` write them: `0,2-4`.
//! Two neighbours are written as `1,2`, three as `1-3`.

use std::fmt;

/// Ranges in order, neither touching nor overlapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Indexes(Vec<(i32, i32)>);

impl Indexes {
    /// Reads a list; what isn't a number is left out, and what isn't below `completions` is cut off.
    pub(super) fn parse(text: &str, completions: i32) -> Self {
        let mut set = Self::default();
        for part in text.split(',').filter(|p| !p.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (Ok(first), Ok(last)) = (first.parse::<i32>(), last.parse::<i32>()) else {
                continue;
            };
            if first >= completions {
                break;
            }
            set.append(first, last.min(completions - 1));
        }
        set
    }

    /// Of indexes in increasing order, repetitions allowed.
    pub(super) fn of(indexes: impl IntoIterator<Item = i32>) -> Self {
        let mut set = Self::default();
        for index in indexes {
            set.append(index, index);
        }
        set
    }

    /// Appends a range that doesn't start before the last one.
    fn append(&mut self, first: i32, last: i32) {
        match self.0.last_mut() {
            Some(end) if first <= end.1.saturating_add(1) => end.1 = end.1.max(last),
            _ => self.0.push((first, last)),
        }
    }

    /// Both together.
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut all: Vec<(i32, i32)> = self.0.iter().chain(&other.0).copied().collect();
        all.sort_unstable();
        let mut set = Self::default();
        for (first, last) in all {
            set.append(first, last);
        }
        set
    }

    /// Number of indexes.
    pub(super) fn total(&self) -> i32 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// None at all.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an index is in it.
    pub(super) fn has(&self, index: i32) -> bool {
        let at = self.0.partition_point(|(_, last)| *last < index);
        self.0.get(at).is_some_and(|(first, _)| *first <= index)
    }

    /// Number of indexes that are in both.
    pub(super) fn common(&self, other: &Self) -> i32 {
        let overlap = |(a, b): (i32, i32), (c, d): (i32, i32)| (b.min(d) - a.max(c) + 1).max(0);
        let (mut i, mut j, mut sum) = (0, 0, 0);
        while let (Some(mine), Some(theirs)) = (self.0.get(i), other.0.get(j)) {
            sum += overlap(*mine, *theirs);
            if mine.1 <= theirs.1 {
                i += 1;
            } else {
                j += 1;
            }
        }
        sum
    }

    /// The lowest `count` indexes below `completions` that are not in it.
    pub(super) fn first_missing(&self, count: usize, completions: i32) -> Vec<i32> {
        let mut found = Vec::with_capacity(count);
        let mut next = 0;
        let end = (completions, completions);
        for (first, last) in self.0.iter().copied().chain([end]) {
            let free = (next..first.min(completions)).take(count - found.len());
            found.extend(free);
            next = next.max(last.saturating_add(1));
        }
        found
    }
}

impl fmt::Display for Indexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (first, last)) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match last - first {
                0 => write!(f, "{first}")?,
                1 => write!(f, "{first},{last}")?,
                _ => write!(f, "{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_listed_and_longer_runs_are_ranges() {
        for (indexes, text) in [
            (vec![], ""),
            (vec![3], "3"),
            (vec![0, 1], "0,1"),
            (vec![0, 1, 2], "0-2"),
            (vec![0, 2, 3, 4, 7, 8], "0,2-4,7,8"),
            (vec![5, 5, 6, 6], "5,6"),
        ] {
            assert_eq!(Indexes::of(indexes).to_string(), text);
        }
    }

    #[test]
    fn reading_is_the_way_back_and_ends_at_completions() {
        for (text, completions, expected) in [
            ("", 5, ""),
            ("0,2-4,7,8", 9, "0,2-4,7,8"),
            ("0,2-4,7,8", 4, "0,2,3"),
            ("5-9", 5, ""),
            ("x,1", 5, "1"),
            ("1-x,3", 5, "3"),
            ("0,1,2", 5, "0-2"),
        ] {
            assert_eq!(Indexes::parse(text, completions).to_string(), expected);
        }
    }

    #[test]
    fn sets_agree_with_lists_of_booleans() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..500 {
            let bits =
                |rng: &mut fastrand::Rng| -> Vec<bool> { (0..12).map(|_| rng.bool()).collect() };
            let (a, b) = (bits(&mut rng), bits(&mut rng));
            let set = |bits: &[bool]| Indexes::of((0..12).filter(|i| bits[*i as usize]));
            let (x, y) = (set(&a), set(&b));
            let both: Vec<bool> = a.iter().zip(&b).map(|(a, b)| *a || *b).collect();
            assert_eq!(x.union(&y), set(&both));
            let common = a.iter().zip(&b).filter(|(a, b)| **a && **b).count();
            assert_eq!(x.common(&y), common as i32);
            assert_eq!(x.total(), a.iter().filter(|a| **a).count() as i32);
            assert_eq!(Indexes::parse(&x.to_string(), 12), x);
            for i in 0..12 {
                assert_eq!(x.has(i), a[i as usize]);
            }
            let free: Vec<i32> = (0..10).filter(|i| !a[*i as usize]).take(3).collect();
            assert_eq!(x.first_missing(3, 10), free);
        }
    }
}
