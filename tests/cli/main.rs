//! The binary without a cluster: exit codes, what goes to stdout and what to stderr, help texts. What
//! the verbs do is tested nearer to them; these only show that they are wired up.

#![expect(clippy::unwrap_used, reason = "a test ends at what it did not expect")]
#![expect(clippy::disallowed_methods, reason = "BLESS asks for new golden files")]

mod completion;
mod docs;
mod files;
mod help;
mod krew;
mod no_cluster;
mod place;
mod pocket;
mod simulate;
mod usage;
