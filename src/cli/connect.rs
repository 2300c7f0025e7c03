//! From the connection flags to a connection, and the names that go with it.

use std::sync::Arc;

use crate::api::JobSet;
use crate::cli::app::App;
use crate::cli::random;
use crate::driver::kube::{self, CallLog};
use crate::error::Result;
use crate::report::printer::Level;

impl App {
    /// Connects. With `-vv` each call is shown: method, path, status, milliseconds; never tokens.
    ///
    /// # Errors
    /// No configuration, an unusable one.
    pub async fn connect(&self) -> Result<kube::Connection> {
        let printer = self.printer.clone();
        let log: Option<CallLog> = (self.printer.level() >= Level::Trace)
            .then(|| Arc::new(move |call: &kube::CallDone| printer.err(&call.to_string())) as _);
        let conn = match &self.local {
            Some(local) => kube::connect(&local.connection(&self.connection).await?, log).await?,
            None => kube::connect(&self.connection, log).await?,
        };
        if self.connection.namespace.is_none() {
            self.home.get_or_init(|| conn.namespace().to_owned());
        }
        Ok(conn)
    }

    /// Prints the warnings that came with the server's answers, each once.
    pub fn tell_warnings(&self, conn: &kube::Connection) {
        for warning in conn.take_warnings() {
            self.printer.err(&format!("warning: {warning}"));
        }
    }

    /// Namespace of a manifest's objects where no cluster is asked: as kubectl has it for
    /// `--dry-run=client`.
    ///
    /// # Errors
    /// The kubeconfig is needed and can't be used.
    pub fn offline_namespace(&self, jobset: &JobSet) -> Result<String> {
        match &jobset.metadata.namespace {
            Some(namespace) => Ok(namespace.clone()),
            None => self.connection.offline_namespace(),
        }
    }

    /// Our name in the Lease: `ada@laptop/4711-x7k2p`. Different each time.
    #[must_use]
    pub fn holder(&self) -> String {
        format!("{}/{}-{}", self.who, std::process::id(), random::suffix(5))
    }

    /// Flags that a suggested command needs to find a run of that namespace again: those that chose the
    /// cluster, and `-n` unless it is the namespace that commands work in anyway.
    #[must_use]
    pub fn run_flags(&self, namespace: &str) -> String {
        let c = &self.connection;
        let mut flags = Vec::new();
        if let Some(local) = &self.local {
            flags.push(local.flags());
        }
        if c.namespace.is_some() || self.home.get().is_none_or(|home| home != namespace) {
            flags.push(format!("-n {}", quoted(namespace)));
        }
        let kubeconfig = c.kubeconfig.as_ref().map(|path| path.display().to_string());
        for (flag, value) in [
            ("--kubeconfig", &kubeconfig),
            ("--context", &c.context),
            ("--cluster", &c.cluster),
            ("--user", &c.user),
            ("--server", &c.server),
            ("--as", &c.as_user),
        ] {
            if let Some(value) = value {
                flags.push(format!("{flag} {}", quoted(value)));
            }
        }
        flags.join(" ")
    }

    /// `kubectl jobset REST`, with the flags that find the run.
    #[must_use]
    pub fn suggest(&self, rest: &str, namespace: &str) -> String {
        format!("kubectl jobset {rest} {}", self.run_flags(namespace))
            .trim_end()
            .to_owned()
    }
}

/// As a shell takes it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::settings::Talk;
    use crate::driver::kube::ConnectOptions;

    fn app(connection: ConnectOptions, home: Option<&str>) -> App {
        let app = App::new(connection, Talk::default(), "ada@laptop".to_owned());
        if let Some(home) = home {
            app.home.get_or_init(|| home.to_owned());
        }
        app
    }

    #[test]
    fn suggested_commands_find_the_run_again() {
        let none = ConnectOptions::default();
        assert_eq!(
            app(none.clone(), Some("ml")).suggest("status", "ml"),
            "kubectl jobset status"
        );
        assert_eq!(app(none.clone(), Some("ml")).run_flags("hpc"), "-n hpc");
        assert_eq!(app(none, None).run_flags("ml"), "-n ml");
        let given = ConnectOptions {
            namespace: Some("ml".to_owned()),
            context: Some("my cluster".to_owned()),
            kubeconfig: Some("/home/ada/it's".into()),
            token: Some("secret".to_owned()),
            ..ConnectOptions::default()
        };
        assert_eq!(
            app(given, None).run_flags("ml"),
            r"-n ml --kubeconfig '/home/ada/it'\''s' --context 'my cluster'"
        );
    }

    #[test]
    fn holders_differ() {
        let app = app(ConnectOptions::default(), None);
        assert!(app.holder().starts_with("ada@laptop/"));
        assert_ne!(app.holder(), app.holder());
    }
}
