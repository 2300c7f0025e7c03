//! Flags of `pocket`.

use std::ffi::OsString;

use clap::Args;

/// `pocket`.
#[derive(Args, Clone, Debug)]
#[command(
    long_about = "Serve a small Kubernetes of our own on this machine, for trying things and for tests.\n\n\
        It listens on 127.0.0.1 only and wants a token, which stands in the kubeconfig that it writes: to \
        the file that --kubeconfig names, or into a temporary folder. \
        Nothing runs: pods only pretend, steered by annotations (tests/cluster/README.md). Objects live \
        in memory and end with it.\n\n\
        With a COMMAND, that is run with KUBECONFIG set, as a user who has the Role of examples/role.yaml \
        in the namespaces jobset-e2e and parity; its exit code is returned. The variables \
        KUBECTL_JOBSET_E2E_... are those of tests/cluster/up.",
    after_help = "\
Examples:
  # Serve until Ctrl-C
  kubectl jobset pocket --kubeconfig pocket.kubeconfig

  # The end-to-end tests, without a cluster
  kubectl jobset pocket -- cargo test --test e2e"
)]
pub struct PocketArgs {
    /// Port; any free one without
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub port: u16,
    /// Nodes, and what each has
    #[arg(long, value_name = "N[:cpu=C,memory=M,gpu=G]", default_value = "20")]
    pub nodes: String,
    /// Seed of names, UIDs and waits; a random one without
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Command to run
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
