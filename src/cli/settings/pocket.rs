//! `pocket`, resolved.

use std::ffi::OsString;

use crate::cli::args::PocketArgs;
use crate::error::{Error, Result};

/// `pocket`.
#[derive(Clone, Debug, PartialEq)]
pub struct PocketSettings {
    /// Port; 0 for any.
    pub port: u16,
    /// Nodes.
    pub nodes: Nodes,
    /// Seed; none: a random one.
    pub seed: Option<u64>,
    /// Command, empty for none.
    pub command: Vec<OsString>,
}

/// Nodes, all alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// How many.
    pub count: usize,
    /// Resource and amount of each: `cpu`, `memory`, `nvidia.com/gpu`.
    pub capacity: Vec<(String, String)>,
}

impl PocketSettings {
    /// From the command line.
    ///
    /// # Errors
    /// `--nodes` can't be read.
    pub fn resolve(args: PocketArgs) -> Result<Self> {
        Ok(Self {
            port: args.port,
            nodes: Nodes::parse(&args.nodes)?,
            seed: args.seed,
            command: args.command,
        })
    }
}

impl Nodes {
    fn parse(text: &str) -> Result<Self> {
        let wrong = |what: &str| {
            Error::usage(format!("--nodes {text:?}: {what}"))
                .hint("as in --nodes 4:cpu=8,memory=32Gi,gpu=2")
        };
        let (count, each) = text.split_once(':').unwrap_or((text, ""));
        let count = count
            .parse()
            .map_err(|_| wrong("it begins with a number of nodes"))?;
        let capacity = each
            .split(',')
            .filter(|part| !part.is_empty())
            .map(|part| {
                let (name, amount) = part
                    .split_once('=')
                    .filter(|(_, amount)| is_amount(amount))
                    .ok_or_else(|| wrong(&format!("{part:?} is no RESOURCE=AMOUNT")))?;
                let name = if name == "gpu" {
                    "nvidia.com/gpu"
                } else {
                    name
                };
                Ok((name.to_owned(), amount.to_owned()))
            })
            .collect::<Result<_>>()?;
        Ok(Self { count, capacity })
    }
}

/// Digits, and then perhaps a unit: `8`, `500m`, `32Gi`.
fn is_amount(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    text.len() - digits.len() <= 2 && digits.parse::<f64>().is_ok_and(|n| n >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_what_they_have() {
        let nodes = Nodes::parse("3:cpu=8,memory=32Gi,gpu=2").unwrap();
        assert_eq!(nodes.count, 3);
        let own = |(a, b): (&str, &str)| (a.to_owned(), b.to_owned());
        let wanted = [("cpu", "8"), ("memory", "32Gi"), ("nvidia.com/gpu", "2")].map(own);
        assert_eq!(nodes.capacity, wanted);
        assert_eq!(Nodes::parse("0").unwrap().count, 0);
        for wrong in ["", "x", "3:cpu", "3:cpu=", "3:cpu=-1", "3:cpu=manyyy"] {
            let error = Nodes::parse(wrong).unwrap_err().render();
            assert!(error.contains("--nodes"), "{error}");
        }
    }
}
