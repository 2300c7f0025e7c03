//! The environment: every variable as a documented constant, and the only reader of them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// List of kubeconfig files, merged as kubectl does.
pub const KUBECONFIG: &str = "KUBECONFIG";
/// Where `~/.kube/config` is.
pub const HOME: &str = "HOME";
/// The same on Windows.
pub const USERPROFILE: &str = "USERPROFILE";
/// Where the folder of local runs is, in a user's state folder.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// Default of `--local-dir`.
pub const LOCAL_DIR: &str = "KUBECTL_JOBSET_LOCAL_DIR";
/// Programs of local runs.
pub const PATH: &str = "PATH";
/// Namespace inside a cluster, before the service account's file (plugin-conventions C.6).
pub const POD_NAMESPACE: &str = "POD_NAMESPACE";
/// Set by newest kubectl for its plugins.
pub const KUBECTL_PATH: &str = "KUBECTL_PATH";
/// What a POSIX shell started last; survives kubectl's exec of a plugin.
pub const UNDERSCORE: &str = "_";
/// Default of `--color`.
pub const COLOR: &str = "KUBECTL_JOBSET_COLOR";
/// Default of `--progress`.
pub const PROGRESS: &str = "KUBECTL_JOBSET_PROGRESS";
/// Default of `--on-interrupt`.
pub const ON_INTERRUPT: &str = "KUBECTL_JOBSET_ON_INTERRUPT";
/// Default of `--logs`.
pub const LOGS: &str = "KUBECTL_JOBSET_LOGS";
/// Present: no colour.
pub const NO_COLOR: &str = "NO_COLOR";
/// `0`: no colour.
pub const CLICOLOR: &str = "CLICOLOR";
/// Other than `0`: colour, also without a terminal.
pub const CLICOLOR_FORCE: &str = "CLICOLOR_FORCE";
/// `dumb`: no colour, no live display.
pub const TERM: &str = "TERM";
/// Set: no live display with `--progress auto`.
pub const CI: &str = "CI";
/// Width, where the terminal doesn't tell.
pub const COLUMNS: &str = "COLUMNS";
/// Locale, first of three.
pub const LC_ALL: &str = "LC_ALL";
/// Locale, second.
pub const LC_CTYPE: &str = "LC_CTYPE";
/// Locale, third.
pub const LANG: &str = "LANG";
/// Login name, for the driver's name in the Lease.
pub const USER: &str = "USER";
/// The same where `USER` is not set.
pub const LOGNAME: &str = "LOGNAME";
/// The same on Windows.
pub const USERNAME: &str = "USERNAME";
/// Host name, where the shell exports it.
pub const HOSTNAME: &str = "HOSTNAME";
/// The same on Windows.
pub const COMPUTERNAME: &str = "COMPUTERNAME";

/// The variables at one moment. Tests make their own.
#[derive(Clone, Debug, Default)]
pub struct Env(std::collections::BTreeMap<String, OsString>);

/// All variables that are read.
const ALL: [&str; 27] = [
    XDG_STATE_HOME,
    LOCAL_DIR,
    PATH,
    KUBECONFIG,
    HOME,
    USERPROFILE,
    POD_NAMESPACE,
    KUBECTL_PATH,
    UNDERSCORE,
    COLOR,
    PROGRESS,
    ON_INTERRUPT,
    LOGS,
    NO_COLOR,
    CLICOLOR,
    CLICOLOR_FORCE,
    TERM,
    CI,
    COLUMNS,
    LC_ALL,
    LC_CTYPE,
    LANG,
    USER,
    LOGNAME,
    USERNAME,
    HOSTNAME,
    COMPUTERNAME,
];

impl Env {
    /// Reads the process environment.
    #[must_use]
    pub fn read() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that reads the environment"
        )]
        let value = |name: &str| std::env::var_os(name);
        Self(
            ALL.iter()
                .filter_map(|name| Some(((*name).to_owned(), value(name)?)))
                .collect(),
        )
    }

    /// An environment with just these.
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.into()))
                .collect(),
        )
    }

    /// The variable as it is.
    #[must_use]
    pub fn os(&self, name: &str) -> Option<&OsStr> {
        self.0.get(name).map(OsString::as_os_str)
    }

    /// The variable, if it is set, not empty and text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.os(name)?.to_str().filter(|text| !text.is_empty())
    }

    /// The variable is set, whatever to.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Home directory.
    #[must_use]
    pub fn home(&self) -> Option<PathBuf> {
        self.os(HOME)
            .or_else(|| self.os(USERPROFILE))
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    }

    /// Name of this machine; `unknown` where nothing tells.
    #[must_use]
    pub fn host(&self) -> String {
        [HOSTNAME, COMPUTERNAME]
            .iter()
            .find_map(|name| self.text(name).map(str::to_owned))
            .or_else(|| hostname::get().ok()?.into_string().ok())
            .unwrap_or_else(|| "unknown".to_owned())
    }

    /// Login name; `someone` where nothing tells.
    #[must_use]
    pub fn user(&self) -> &str {
        [USER, LOGNAME, USERNAME]
            .iter()
            .find_map(|name| self.text(name))
            .unwrap_or("someone")
    }

    /// Files of `KUBECONFIG`, empty entries left out; none if it is not set or empty.
    #[must_use]
    pub fn kubeconfig_files(&self) -> Vec<PathBuf> {
        self.os(KUBECONFIG)
            .map(|list| {
                std::env::split_paths(list)
                    .filter(|path| !path.as_os_str().is_empty())
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Who we are, for the Lease and for messages: `ada@laptop`. Asks the system where the shell
    /// doesn't export a host name.
    #[must_use]
    pub fn who(&self) -> String {
        let (user, host) = (self.user(), self.host());
        // `ada@laptop.example.org` says no more than `ada@laptop`, and takes a table's width.
        let host = host.split('.').next().unwrap_or_default();
        format!("{user}@{host}")
    }

    /// The locale says UTF-8 (C.7): first of `LC_ALL`, `LC_CTYPE`, `LANG` that is set and not empty.
    #[must_use]
    pub fn is_utf8(&self) -> bool {
        [LC_ALL, LC_CTYPE, LANG]
            .iter()
            .find_map(|name| self.text(name))
            .is_some_and(|locale| {
                let locale = locale.to_ascii_lowercase();
                locale.contains("utf-8") || locale.contains("utf8")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubeconfig_is_a_list_without_empty_entries() {
        let list = std::env::join_paths(["/a", "", "/b"]).unwrap();
        let env = Env::of([(KUBECONFIG, list.to_str().unwrap())]);
        assert_eq!(
            env.kubeconfig_files(),
            [PathBuf::from("/a"), PathBuf::from("/b")]
        );
        assert_eq!(
            Env::of([(KUBECONFIG, "")]).kubeconfig_files(),
            Vec::<PathBuf>::new()
        );
    }

    #[test]
    fn who_is_user_at_short_host_name() {
        let env = Env::of([(USER, "ada"), (HOSTNAME, "laptop.example.org")]);
        assert_eq!(env.who(), "ada@laptop");
        assert!(Env::default().who().starts_with("someone@"));
    }

    #[test]
    fn the_first_locale_that_is_set_counts() {
        assert!(Env::of([(LANG, "en_GB.UTF-8")]).is_utf8());
        assert!(!Env::of([(LC_ALL, "C"), (LANG, "en_GB.UTF-8")]).is_utf8());
        assert!(Env::of([(LC_ALL, ""), (LC_CTYPE, "C.utf8")]).is_utf8());
        assert!(!Env::default().is_utf8());
    }
}
