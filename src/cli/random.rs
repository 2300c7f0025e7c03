//! The only randomness: name suffixes, and seeds. Needs to be different each time, not unpredictable.

use std::hash::{BuildHasher as _, RandomState};

/// Letters and digits of generated names, as the API server takes them: no vowels, nothing that looks
/// like something else.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// That many characters.
pub(super) fn suffix(length: usize) -> String {
    (0..length)
        .map(|_| {
            let bits = usize::try_from(RandomState::new().hash_one(length) >> 33).unwrap_or(0);
            char::from(ALPHABET[bits % ALPHABET.len()])
        })
        .collect()
}

/// A number for what may be the same again when the number is.
pub(super) fn seed() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_differ_and_are_fit_for_names() {
        let all: std::collections::BTreeSet<String> = (0..100).map(|_| suffix(5)).collect();
        assert!(all.len() > 95, "{all:?}");
        assert!(
            all.iter()
                .all(|s| s.len() == 5 && s.bytes().all(|b| ALPHABET.contains(&b)))
        );
    }
}
