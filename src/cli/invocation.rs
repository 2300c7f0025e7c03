//! How the program was called: by kubectl, directly, or as kubectl's completion helper
//! (plugin-conventions C.2, C.3).

use std::ffi::OsStr;
use std::path::Path;

use crate::cli::env::{self, Env};

/// File name under which kubectl looks for the completion of this plugin.
pub const COMPLETION_HELPER: &str = "kubectl_complete-jobset";

/// How the program was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// As `kubectl jobset`.
    Kubectl,
    /// By its own name.
    Direct,
    /// As [`COMPLETION_HELPER`].
    Completion,
}

impl Invocation {
    /// Works it out. kubectl starts a plugin by its full path and leaves the environment alone: newest
    /// ones set `KUBECTL_PATH`; with older ones the shell's `_` still names kubectl, where a shell that
    /// started us itself would have put our own path.
    #[must_use]
    pub fn detect(argv0: Option<&OsStr>, env: &Env) -> Self {
        let path = Path::new(argv0.unwrap_or_default());
        let name = stem(path);
        if name == Some(COMPLETION_HELPER) {
            return Self::Completion;
        }
        if !name.is_some_and(|name| name.starts_with("kubectl-")) {
            return Self::Direct;
        }
        if env.is_set(env::KUBECTL_PATH) {
            return Self::Kubectl;
        }
        let started_by_shell = env
            .os(env::UNDERSCORE)
            .is_some_and(|last| stem(Path::new(last)) == name);
        if path.is_absolute() && !started_by_shell {
            Self::Kubectl
        } else {
            Self::Direct
        }
    }

    /// The words that start this program, for usage lines.
    #[must_use]
    pub fn bin_name(self) -> &'static str {
        match self {
            Self::Kubectl | Self::Completion => "kubectl jobset",
            Self::Direct => "kubectl-jobset",
        }
    }
}

/// File name without `.exe`.
fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    Some(name.strip_suffix(".exe").unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_kubectl_from_a_shell() {
        let with = |value| Env::of([(env::UNDERSCORE, value)]);
        let none = Env::default();
        for (argv0, env, expected) in [
            (
                "/usr/local/bin/kubectl-jobset",
                with("/usr/bin/kubectl"),
                Invocation::Kubectl,
            ),
            (
                "/usr/local/bin/kubectl-jobset",
                none.clone(),
                Invocation::Kubectl,
            ),
            (
                "/usr/local/bin/kubectl-jobset",
                with("/usr/local/bin/kubectl-jobset"),
                Invocation::Direct,
            ),
            (
                "kubectl-jobset",
                with("/usr/local/bin/kubectl-jobset"),
                Invocation::Direct,
            ),
            ("kubectl-jobset", none.clone(), Invocation::Direct),
            (
                "target/debug/kubectl-jobset",
                with("/usr/bin/cargo"),
                Invocation::Direct,
            ),
            (
                "kubectl-jobset",
                Env::of([(env::KUBECTL_PATH, "/usr/bin/kubectl")]),
                Invocation::Kubectl,
            ),
            ("/opt/jobset-run", none.clone(), Invocation::Direct),
            (
                "/x/kubectl_complete-jobset",
                none.clone(),
                Invocation::Completion,
            ),
            ("", none, Invocation::Direct),
        ] {
            assert_eq!(
                Invocation::detect(Some(OsStr::new(argv0)), &env),
                expected,
                "{argv0} {env:?}"
            );
        }
    }
}
