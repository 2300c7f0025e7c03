//! What the cluster has, as it is typed: `4`, `2:cpu=8,memory=32Gi,nvidia.com/gpu=2`. Pure.

use std::collections::BTreeMap;
use std::str::FromStr;

/// Nodes of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// How many.
    pub count: u32,
    /// What each has of what was named.
    pub has: BTreeMap<String, String>,
}

/// More nodes than this are a slip of the finger.
const MOST_NODES: u32 = 20_000;
/// What a refusal ends with.
const GRAMMAR: &str = "N[:RESOURCE=AMOUNT,…], as in 4:cpu=16,memory=64Gi,nvidia.com/gpu=2";

impl FromStr for Nodes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (count, rest) = text.split_once(':').unwrap_or((text, ""));
        let count = count
            .parse::<u32>()
            .ok()
            .filter(|n| *n <= MOST_NODES)
            .ok_or_else(|| format!("`{count}` is not a number of nodes ({GRAMMAR})"))?;
        let mut has = BTreeMap::new();
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let (name, amount) = part
                .split_once('=')
                .filter(|(name, amount)| !name.is_empty() && is_amount(amount))
                .ok_or_else(|| format!("`{part}` is not an amount of a resource ({GRAMMAR})"))?;
            if has.insert(name.to_owned(), amount.to_owned()).is_some() {
                return Err(format!("{name} is named twice ({GRAMMAR})"));
            }
        }
        Ok(Self { count, has })
    }
}

/// `8`, `500m`, `1.5`, `64Gi`, `2e3`: what Kubernetes reads as a quantity that isn't negative.
fn is_amount(text: &str) -> bool {
    const SUFFIXES: [&str; 16] = [
        "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
    ];
    let digits = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits);
    let number_fits =
        number.chars().any(|c| c.is_ascii_digit()) && number.matches('.').count() <= 1;
    let exponent = suffix
        .strip_prefix(['e', 'E'])
        .is_some_and(|e| !e.is_empty() && e.chars().all(|c| c.is_ascii_digit()));
    number_fits && (SUFFIXES.contains(&suffix) || exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_amounts() {
        let plain: Nodes = "4".parse().unwrap();
        assert_eq!((plain.count, plain.has.len()), (4, 0));
        let full: Nodes = "2:cpu=500m,memory=32Gi,nvidia.com/gpu=2".parse().unwrap();
        assert_eq!(full.count, 2);
        assert_eq!(full.has["memory"], "32Gi");
        assert_eq!(full.has["nvidia.com/gpu"], "2");
    }

    #[test]
    fn refusals_say_how_to_write_it() {
        for text in [
            "",
            "many",
            "-1",
            "3:cpu",
            "3:cpu=",
            "3:cpu=lots",
            "3:=4",
            "3:cpu=-1",
            "3:cpu=1,cpu=2",
            "30000",
        ] {
            let said = text.parse::<Nodes>().unwrap_err();
            assert!(said.contains("as in 4:cpu=16"), "{text}: {said}");
        }
    }
}
