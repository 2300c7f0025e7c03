//! What a simulation is asked to show: failures, evictions, run times, nodes. Pure.

use std::collections::BTreeMap;

use k8s_openapi::jiff::SignedDuration;

use crate::api::JobSet;
use crate::cli::target::Target;
use crate::simulate::capacity::Nodes;
use crate::simulate::fault::{Evict, Fail};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Wishes {
    /// What fails.
    pub fails: Vec<Fail>,
    /// What is evicted.
    pub evicts: Vec<Evict>,
    /// What runs but never becomes ready.
    pub never_ready: Vec<Target>,
    /// How long the pods of a role run.
    pub run_times: BTreeMap<String, SignedDuration>,
    /// Nodes; none: enough for every pod.
    pub nodes: Vec<Nodes>,
    /// Decides names, UIDs and jitter.
    pub seed: u64,
    /// Virtual time after which it is given up.
    pub until: SignedDuration,
}

impl Wishes {
    /// None at all, within that time.
    #[must_use]
    pub fn none(until: SignedDuration) -> Self {
        Self {
            fails: Vec::new(),
            evicts: Vec::new(),
            never_ready: Vec::new(),
            run_times: BTreeMap::new(),
            nodes: Vec::new(),
            seed: 0,
            until,
        }
    }

    /// Everything that is named is there.
    ///
    /// # Errors
    /// A fragment that names what isn't, and what there is.
    pub fn check(&self, jobset: &JobSet) -> Result<(), String> {
        let targets = self
            .fails
            .iter()
            .map(|f| (&f.target, "--fail"))
            .chain(self.evicts.iter().map(|e| (&e.target, "--evict")))
            .chain(self.never_ready.iter().map(|t| (t, "--never-ready")));
        for (target, flag) in targets {
            target
                .check(jobset)
                .map_err(|why| format!("{flag} {target}: {why}"))?;
        }
        for role in self.run_times.keys() {
            if jobset.role(role).is_none() {
                let names: Vec<&str> = jobset
                    .spec
                    .replicated_jobs
                    .iter()
                    .map(|r| r.name.as_str())
                    .collect();
                return Err(format!(
                    "--run-time {role}: no role is called so (roles of {}: {})",
                    jobset.metadata.name,
                    names.join(", ")
                ));
            }
        }
        Ok(())
    }
}
