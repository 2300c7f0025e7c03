//! From the connection flags to a connection, and the names that go with it.

use std::sync::Arc;

use crate::cli::app::App;
use crate::cli::random;
use crate::cli::settings;
use crate::driver::kube::{self, CallLog, ConnectOptions};
use crate::error::Result;
use crate::report::printer::Level;

impl From<&settings::Connection> for ConnectOptions {
    fn from(flags: &settings::Connection) -> Self {
        let flags = flags.clone();
        Self {
            kubeconfig: flags.kubeconfig,
            context: flags.context,
            cluster: flags.cluster,
            user: flags.user,
            namespace: flags.namespace,
            server: flags.server,
            token: flags.token,
            as_user: flags.as_user,
            as_groups: flags.as_groups,
            as_uid: flags.as_uid,
            as_user_extra: flags.as_user_extra,
            client_certificate: flags.client_certificate,
            client_key: flags.client_key,
            certificate_authority: flags.certificate_authority,
            insecure_skip_tls_verify: flags.insecure_skip_tls_verify,
            tls_server_name: flags.tls_server_name,
            request_timeout: flags.request_timeout,
            disable_compression: flags.disable_compression,
            env_kubeconfig: flags.kubeconfig_env,
            env_home: flags.kubeconfig_home,
            env_pod_namespace: flags.pod_namespace,
        }
    }
}

impl App {
    /// Connects. With `-vv` each call is shown: method, path, status, milliseconds; never tokens.
    ///
    /// # Errors
    /// No configuration, an unusable one.
    pub async fn connect(&self) -> Result<kube::Connection> {
        let printer = self.printer.clone();
        let log: Option<CallLog> = (self.printer.level() >= Level::Trace)
            .then(|| Arc::new(move |call: &kube::CallDone| printer.err(&call.to_string())) as _);
        kube::connect(&ConnectOptions::from(&self.connection), log).await
    }

    /// Our name in the Lease: `ada@laptop/4711-x7k2p`. Different each time.
    #[must_use]
    pub fn holder(&self) -> String {
        format!("{}/{}-{}", self.who, std::process::id(), random::suffix(5))
    }

    /// Flags that a suggested command needs to find a run of that namespace: those that were given.
    #[must_use]
    pub fn run_flags(&self, namespace: &str) -> String {
        let mut flags = Vec::new();
        if self.connection.namespace.is_some() {
            flags.push(format!("-n {namespace}"));
        }
        if let Some(context) = &self.connection.context {
            flags.push(format!("--context {context}"));
        }
        if let Some(file) = &self.connection.kubeconfig {
            flags.push(format!("--kubeconfig {}", file.display()));
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
