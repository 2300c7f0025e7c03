//! Manifests of the tests, read as the program reads a file.

use kubectl_jobset::api::JobSet;
use kubectl_jobset::manifest::{LoadOptions, Source, load};

/// Reads, defaults and checks one JobSet; a finding that is an error is a test's failure.
pub(crate) fn jobset(name: &str, text: &str) -> JobSet {
    let loaded = load(&[Source::new(name, text)], &LoadOptions::default());
    let errors: Vec<_> = loaded.findings.iter().filter(|f| f.is_error()).collect();
    loaded
        .jobset
        .unwrap_or_else(|| panic!("{name}: {errors:#?}"))
}
